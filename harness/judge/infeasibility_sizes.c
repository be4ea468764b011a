/* What a velocity of the global form moves, in m/s, without a mass: the speed of velocity k, the largest |entry| of it
 * in the rows of contacts, tangents included, and the size of a row, m/s per m/s of such motion, which is 1 for
 * contacts. Rows in units of their own (bilateral rows, limits of joints: contacts without tangents) and velocities
 * that no contact has get theirs from their neighbours, outwards from the contacts, ring by ring:
 *
 *     size of a row       = max |entry| / speed   over its velocities that are known,
 *     speed of a velocity = min |entry| / size    over the rows of the ring.
 *
 * An island without contacts has the unit of its first row. No unit of a row or a velocity changes |entry| v / size, in
 * which motions are compared. */
#include <math.h>
#include <stdlib.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/arena.h"

struct rings {
    struct nb_rows *rows;
    int *start, *row;     /* of each velocity its rows in A: [dofs + 1], [entries]      */
    int *dof, dofs;       /* [dofs] those that are known, in the order in which they are */
    int *reached, active; /* [rows] the rows of the present ring                         */
    char *known;          /* [rows] */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct rings *rings = data;
    NB_ARRAY(arena, rings->start, rings->rows->dofs + 2);
    NB_ARRAY(arena, rings->row, rings->rows->jacobian.start[rings->rows->rows]);
    NB_ARRAY(arena, rings->dof, rings->rows->dofs);
    NB_ARRAY(arena, rings->reached, rings->rows->rows);
    NB_ARRAY(arena, rings->known, rings->rows->rows);
}

static void transpose(struct rings *rings)
{
    const struct nb_csr *a = &rings->rows->jacobian;
    for (int k = 0; k < a->start[a->rows]; ++k)
        ++rings->start[a->column[k] + 2];
    for (int k = 0; k < rings->rows->dofs; ++k)
        rings->start[k + 2] += rings->start[k + 1];
    for (int i = 0; i < a->rows; ++i)
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            rings->row[rings->start[a->column[k] + 1]++] = i;
}

/* A contact without tangents is a limit, in the unit of its joint. */
static bool has_tangents(const struct nb_csr *contacts, int i)
{
    for (int k = contacts->start[3 * i + 1]; k < contacts->start[3 * i + 3]; ++k)
        if (contacts->value[k] != 0)
            return true;
    return false;
}

static void begin_at_contacts(struct rings *rings)
{
    struct nb_rows *rows = rings->rows;
    const struct nb_csr *contacts = &rows->problem->linear.contact_jacobian;
    for (int i = 0; i < rows->contacts; ++i) {
        if (!has_tangents(contacts, i))
            continue;
        rows->size[i] = rings->known[i] = 1;
        for (int k = contacts->start[3 * i]; k < contacts->start[3 * i + 3]; ++k)
            rows->speed[contacts->column[k]] = fmax(rows->speed[contacts->column[k]], fabs(contacts->value[k]));
    }
    for (int k = 0; k < rows->dofs; ++k)
        if (rows->speed[k] > 0)
            rings->dof[rings->dofs++] = k;
}

/* The size of a row by its velocities that are known. */
static void reach_row(struct rings *rings, int i)
{
    struct nb_rows *rows = rings->rows;
    const struct nb_csr *a = &rows->jacobian;
    double size = 0;
    for (int k = a->start[i]; k < a->start[i + 1]; ++k)
        if (rows->speed[a->column[k]] > 0)
            size = fmax(size, fabs(a->value[k]) / rows->speed[a->column[k]]);
    if (!(size > 0))
        return;
    rows->size[i] = size;
    rings->known[i] = 1;
    rings->reached[rings->active++] = i;
}

/* The velocities of the ring's rows that are new. */
static void reach_dofs(struct rings *rings)
{
    struct nb_rows *rows = rings->rows;
    const struct nb_csr *a = &rows->jacobian;
    const int first = rings->dofs;
    for (int r = 0; r < rings->active; ++r)
        for (int i = rings->reached[r], k = a->start[i]; k < a->start[i + 1]; ++k) {
            const double speed = fabs(a->value[k]) / rows->size[i];
            double *of = &rows->speed[a->column[k]];
            if (*of > 0 || !(speed > 0))
                continue;
            /* negative while the ring is not complete */
            if (*of == 0)
                rings->dof[rings->dofs++] = a->column[k];
            *of = *of == 0 ? -speed : fmax(*of, -speed);
        }
    for (int k = first; k < rings->dofs; ++k)
        rows->speed[rings->dof[k]] = -rows->speed[rings->dof[k]];
}

/* From the velocities dof[from..] outwards. */
static void spread(struct rings *rings, int from)
{
    while (from < rings->dofs) {
        const int end = rings->dofs;
        rings->active = 0;
        for (; from < end; ++from)
            for (int k = rings->start[rings->dof[from]]; k < rings->start[rings->dof[from] + 1]; ++k)
                if (!rings->known[rings->row[k]])
                    reach_row(rings, rings->row[k]);
        reach_dofs(rings);
    }
}

enum nb_status nb_rows_find_sizes(struct nb_rows *rows, struct nb_error *error)
{
    struct rings rings = {.rows = rows};
    void *memory = nb_arena_allocate(lay_out, &rings);
    if (!memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the sizes of %d rows", rows->rows);
    transpose(&rings);
    begin_at_contacts(&rings);
    spread(&rings, 0);
    for (int i = 0; i < rows->rows; ++i) {
        if (rings.known[i])
            continue;
        const int before = rings.dofs;
        rows->size[i] = rings.known[i] = 1;
        rings.reached[0] = i;
        rings.active = 1;
        reach_dofs(&rings);
        spread(&rings, before);
    }
    free(memory);
    return NB_OK;
}
