/* What a file of one step and one of several share. Private to problems/io. */
#ifndef NB_VTKHDF_GRID_H
#define NB_VTKHDF_GRID_H

#include "problems/base/arena.h"
#include "problems/io/hdf5_write.h"
#include "problems/io/vtkhdf.h"
#include "problems/islands.h"
#include "problems/surface.h"

/* Points: particles, the surfaces' other vertices, then contacts. Cells: polygons, tetrahedra, then
 * contacts. */
struct nb_vtkhdf_grid {
    const struct nb_problem *problem;
    const struct nb_vtkhdf_solution *solution; /* NULL: none */
    struct nb_surface surface;
    struct nb_islands islands;
    int points, cells, corners;
    double *point, *velocity, *force; /* [3 points] */
    double *gap;                      /* [points]   */
    int *status;                      /* [points]   */
    int *offset;                      /* [cells + 1] */
    int *corner;                      /* [corners]   */
    int *type, *kind, *body, *against, *island; /* [cells] */
    int tensors;                                /* whether there are tetrahedra */
    double *stress, *strain;                    /* [6 cells], where there are; 0 of other cells */
    void *memory;                               /* of these arrays */
    int steps, solved;                          /* of which it is made; whether forces are known */
    double time;                                /* at the start of the step [s] */
};

/* The arrays, by the sizes that are set: for nb_arena_allocate. */
void nb_vtkhdf_lay_out(void *grid, struct nb_arena *arena);

/* Of the grid's problem and solution, which are set. The caller frees, also after a failure. */
enum nb_status nb_vtkhdf_make_grid(struct nb_vtkhdf_grid *grid, struct nb_error *error);
void nb_vtkhdf_free_grid(struct nb_vtkhdf_grid *grid);

/* The group VTKHDF of that version, 1 or 2, with the data of points and cells; sizes of each step [grid->steps]. */
void nb_vtkhdf_write_grid(struct nb_writer *writer, const struct nb_vtkhdf_grid *grid, int version,
                          const int *points, const int *cells, const int *corners);

#endif
