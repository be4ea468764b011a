/* Steps in one VTKHDF file: one grid, whose arrays are those of the steps, one behind the other, and the group Steps,
 * which tells where each step's points, cells, corners and data begin. Of a step with n cells Offsets has n + 1
 * entries, so that they begin one entry further for each step before. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/vtkhdf_grid.h"

struct nb_vtkhdf_series {
    int count, room;
    struct nb_vtkhdf_grid *grids; /* [count], of which only the arrays are kept */
};

enum nb_status nb_vtkhdf_series_add(struct nb_vtkhdf_series **series, const struct nb_problem *problem,
                                    const struct nb_vtkhdf_solution *solution, struct nb_error *error)
{
    struct nb_vtkhdf_grid grid = {.problem = problem, .solution = solution};
    struct nb_vtkhdf_series *to = *series = *series ? *series : calloc(1, sizeof **series);
    if (to && to->count == to->room) {
        const int room = to->room ? 2 * to->room : 64;
        struct nb_vtkhdf_grid *more = realloc(to->grids, (size_t)room * sizeof *more);
        to->room = more ? room : to->room;
        to->grids = more ? more : to->grids;
    }
    if (!to || to->count == to->room)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the drawings of %d steps", to ? to->count + 1 : 1);
    const enum nb_status status = nb_vtkhdf_make_grid(&grid, error);
    if (status) {
        nb_vtkhdf_free_grid(&grid);
        return status;
    }
    nb_surface_free(&grid.surface);
    nb_islands_free(&grid.islands);
    grid.problem = NULL;
    grid.solution = NULL;
    to->grids[to->count++] = grid;
    return NB_OK;
}

void nb_vtkhdf_series_free(struct nb_vtkhdf_series *series)
{
    for (int i = 0; series && i < series->count; ++i)
        free(series->grids[i].memory);
    if (series)
        free(series->grids);
    free(series);
}

/* Where each step begins in the arrays of all. */
struct places {
    int *points, *cells, *corners, *point, *cell, *corner, *one, *step; /* [steps] */
    double *time;
    void *memory;
    int steps;
};

static void lay_out_places(void *data, struct nb_arena *arena)
{
    struct places *places = data;
    int **of_steps[] = {&places->points, &places->cells, &places->corners, &places->point, &places->cell,
                        &places->corner, &places->one, &places->step};
    for (int i = 0; i < 8; ++i)
        NB_ARRAY(arena, *of_steps[i], places->steps);
    NB_ARRAY(arena, places->time, places->steps);
}

static void copy(void *to, size_t first, const void *from, size_t count, size_t bytes)
{
    if (count > 0)
        memcpy((char *)to + first * bytes, from, count * bytes);
}

static void append(struct nb_vtkhdf_grid *all, const struct nb_vtkhdf_grid *one, int step)
{
    const size_t point = (size_t)all->points, cell = (size_t)all->cells, points = (size_t)one->points,
                 cells = (size_t)one->cells;
    copy(all->point, 3 * point, one->point, 3 * points, sizeof *one->point);
    copy(all->velocity, 3 * point, one->velocity, 3 * points, sizeof *one->velocity);
    copy(all->force, 3 * point, one->force, 3 * points, sizeof *one->force);
    copy(all->gap, point, one->gap, points, sizeof *one->gap);
    copy(all->status, point, one->status, points, sizeof *one->status);
    copy(all->offset, cell + (size_t)step, one->offset, cells + 1, sizeof *one->offset);
    copy(all->corner, (size_t)all->corners, one->corner, (size_t)one->corners, sizeof *one->corner);
    int *const to[] = {all->type, all->kind, all->body, all->against, all->island};
    const int *const from[] = {one->type, one->kind, one->body, one->against, one->island};
    for (int i = 0; i < 5; ++i)
        copy(to[i], cell, from[i], cells, sizeof *to[i]);
    if (one->tensors) {
        copy(all->stress, 6 * cell, one->stress, 6 * cells, sizeof *one->stress);
        copy(all->strain, 6 * cell, one->strain, 6 * cells, sizeof *one->strain);
    }
    all->points += one->points;
    all->cells += one->cells;
    all->corners += one->corners;
}

/* One grid of all steps, and where each begins. */
static enum nb_status join(const struct nb_vtkhdf_series *series, struct nb_vtkhdf_grid *all, struct places *places,
                           struct nb_error *error)
{
    double points = 0, cells = 0, corners = 0;
    for (int i = 0; i < series->count; ++i) {
        points += series->grids[i].points;
        cells += series->grids[i].cells + 1;
        corners += series->grids[i].corners;
        all->tensors |= series->grids[i].tensors;
        all->solved |= series->grids[i].solved;
    }
    if (points > INT_MAX || cells > INT_MAX || corners > INT_MAX)
        return nb_fail(error, NB_BAD_INPUT, "%d steps are too many for one file: %.0f points", series->count, points);
    all->steps = places->steps = series->count;
    all->points = (int)points;
    all->cells = (int)cells - series->count;
    all->corners = (int)corners;
    all->memory = nb_arena_allocate(nb_vtkhdf_lay_out, all);
    places->memory = nb_arena_allocate(lay_out_places, places);
    if (!all->memory || !places->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %.0f points of %d steps", points, series->count);
    all->points = all->cells = all->corners = 0;
    for (int i = 0; i < series->count; ++i) {
        const struct nb_vtkhdf_grid *one = &series->grids[i];
        places->points[i] = one->points;
        places->cells[i] = one->cells;
        places->corners[i] = one->corners;
        places->point[i] = all->points;
        places->cell[i] = all->cells;
        places->corner[i] = all->corners;
        places->one[i] = 1;
        places->step[i] = i;
        places->time[i] = one->time;
        append(all, one, i);
    }
    return NB_OK;
}

/* Data begin where points and cells do; each array has to say so. */
static void write_steps(struct nb_writer *writer, const struct nb_vtkhdf_grid *all, const struct places *places)
{
    static const char *const of_points[] = {"velocity", "gap", "status", "force"};
    static const char *const of_cells[] = {"kind", "body", "against", "island", "stress", "strain"};
    const int steps = places->steps;
    char name[64];
    nb_write_group(writer, "VTKHDF/Steps");
    nb_write_int_attribute(writer, "VTKHDF/Steps", "NSteps", 1, &steps);
    nb_write_doubles(writer, "VTKHDF/Steps/Values", steps, 0, 0, places->time, "s", "starts of the steps");
    nb_write_ints_as(writer, "VTKHDF/Steps/NumberOfParts", steps, places->one, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/Steps/PartOffsets", steps, places->step, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/Steps/PointOffsets", steps, places->point, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/Steps/CellOffsets", steps, places->cell, H5T_STD_I64LE);
    nb_write_ints_as(writer, "VTKHDF/Steps/ConnectivityIdOffsets", steps, places->corner, H5T_STD_I64LE);
    nb_write_group(writer, "VTKHDF/Steps/PointDataOffsets");
    for (int i = 0; i < 3 + all->solved; ++i) {
        snprintf(name, sizeof name, "VTKHDF/Steps/PointDataOffsets/%s", of_points[i]);
        nb_write_ints_as(writer, name, steps, places->point, H5T_STD_I64LE);
    }
    nb_write_group(writer, "VTKHDF/Steps/CellDataOffsets");
    for (int i = 0; i < (all->tensors ? 6 : 4); ++i) {
        snprintf(name, sizeof name, "VTKHDF/Steps/CellDataOffsets/%s", of_cells[i]);
        nb_write_ints_as(writer, name, steps, places->cell, H5T_STD_I64LE);
    }
}

enum nb_status nb_vtkhdf_series_write(const struct nb_vtkhdf_series *series, const char *path, struct nb_error *error)
{
    struct nb_writer writer;
    struct nb_error reason;
    struct nb_vtkhdf_grid all = {0};
    struct places places = {0};
    enum nb_status status = join(series, &all, &places, &reason);
    if (status) {
        nb_fail(error, status, "%s: not written: %s", path, reason.text);
    } else {
        nb_writer_open(&writer, path, error);
        nb_vtkhdf_write_grid(&writer, &all, 2, places.points, places.cells, places.corners);
        write_steps(&writer, &all, &places);
        status = nb_writer_commit(&writer);
    }
    free(all.memory);
    free(places.memory);
    return status;
}
