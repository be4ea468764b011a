/* The rows that a step's velocity has to satisfy, in the global form: the normal rows of H^T and all of G^T. Of either
 * form: what the free motion violates, the scale of what the step does, and the effect of impulses. Islands are the
 * components of what entries other than zero connect, by disjoint sets; M connects, too, and so do tangents. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "harness/judge/unmoved.h"
#include "problems/base/arena.h"
#include "problems/base/disjoint_sets.h"

/* ---- islands ---- */

/* Every entry joins its row's node, from `first_row` on, with its column's. */
static void join_entries(int *parent, const struct nb_csr *matrix, int rows_of_node, int first_row, int first_column)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            if (matrix->value[k] != 0)
                nb_set_join(parent, first_row + i / rows_of_node, first_column + matrix->column[k]);
}

/* Roots, the lowest nodes of their islands, become labels, in place. */
int nb_rows_label(int *parent, int nodes)
{
    int count = 0;
    for (int i = 0; i < nodes; ++i)
        parent[i] = nb_set_root(parent, i);
    for (int i = 0; i < nodes; ++i)
        parent[i] = parent[i] == i ? count++ : parent[parent[i]];
    return count;
}

/* ---- the global form ---- */

static enum nb_status take_rows(struct nb_rows *rows, struct nb_error *error)
{
    const struct nb_linear_step *step = &rows->problem->linear;
    const int contacts = rows->contacts;
    const int room = step->contact_jacobian.start[3 * contacts] +
                     (rows->rows > contacts ? step->bilateral_jacobian.start[rows->rows - contacts] : 0);
    const enum nb_status status = nb_csr_allocate(&rows->jacobian, rows->rows, rows->dofs, room, error);
    if (status)
        return status;
    int at = 0;
    for (int i = 0; i < rows->rows; ++i) {
        const struct nb_csr *from = i < contacts ? &step->contact_jacobian : &step->bilateral_jacobian;
        const int row = i < contacts ? 3 * i : i - contacts;
        for (int k = from->start[row]; k < from->start[row + 1]; ++k, ++at) {
            rows->jacobian.column[at] = from->column[k];
            rows->jacobian.value[at] = from->value[k];
        }
        rows->jacobian.start[i + 1] = at;
    }
    return NB_OK;
}

/* M serves for v_0 alone, and any other point would do: bounds hold about whatever was computed. */
static enum nb_status solve_free_motion(struct nb_rows *rows, struct nb_error *error)
{
    struct nb_mass_factor *factor = NULL;
    enum nb_status status = nb_mass_factor_create(&factor, &rows->problem->linear.mass, error);
    if (!status)
        status = nb_mass_factor_solve(factor, rows->problem->linear.force, rows->free_motion);
    nb_mass_factor_free(factor);
    return status;
}

static enum nb_status prepare_global(struct nb_rows *rows, struct nb_error *error)
{
    const struct nb_linear_step *step = &rows->problem->linear;
    enum nb_status status = solve_free_motion(rows, error);
    if (status || (status = take_rows(rows, error)) || (status = nb_rows_find_sizes(rows, error)))
        return status;
    for (int k = 0; k < rows->rows + rows->dofs; ++k)
        rows->island[k] = k;
    join_entries(rows->island, &step->mass, 1, rows->rows, rows->rows);
    join_entries(rows->island, &step->contact_jacobian, 3, 0, rows->rows);
    if (rows->rows > rows->contacts)
        join_entries(rows->island, &step->bilateral_jacobian, 1, rows->contacts, rows->rows);
    rows->islands = nb_rows_label(rows->island, rows->rows + rows->dofs);
    return NB_OK;
}

/* ---- both ---- */

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_rows *rows = data;
    const int full = nb_rows_are_local(rows) ? rows->problem->linear.delassus.rows : 0;
    NB_ARRAY(arena, rows->size, rows->rows);
    NB_ARRAY(arena, rows->speed, rows->dofs);
    NB_ARRAY(arena, rows->at_rest, rows->rows);
    NB_ARRAY(arena, rows->free_velocity, rows->rows);
    NB_ARRAY(arena, rows->free_motion, rows->dofs);
    NB_ARRAY(arena, rows->deficit, rows->rows + rows->dofs);
    NB_ARRAY(arena, rows->work, rows->rows + rows->dofs);
    NB_ARRAY(arena, rows->scale, rows->rows + rows->dofs);
    NB_ARRAY(arena, rows->island, rows->rows + rows->dofs);
    NB_ARRAY(arena, rows->product, 2 * full > rows->dofs ? 2 * full : rows->dofs);
}

/* Of one row of a matrix: the sum of |entry| |v_0|. */
static double motion_of(const struct nb_rows *rows, const struct nb_csr *matrix, int row)
{
    double terms = 0;
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
        terms += fabs(matrix->value[k] * rows->free_motion[matrix->column[k]]);
    return terms;
}

/* The largest of a row's own and, of a contact, its tangents. */
static double motion_at(const struct nb_rows *rows, int i)
{
    double largest = motion_of(rows, &rows->jacobian, i);
    for (int k = 1; k < 3 && i < rows->contacts && !nb_rows_are_local(rows); ++k)
        largest = fmax(largest, motion_of(rows, &rows->problem->linear.contact_jacobian, 3 * i + k));
    return largest;
}

/* U(v_0), what it violates; and of each island the scale, D + T. */
static enum nb_status measure_free_motion(struct nb_rows *rows, struct nb_error *error)
{
    double *motion = calloc((size_t)rows->islands + 1, sizeof *motion);
    if (!motion)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", rows->islands);
    nb_csr_multiply(&rows->jacobian, rows->free_motion, rows->free_velocity, 0);
    for (int i = 0; i < rows->rows; ++i) {
        const int k = rows->island[i];
        rows->free_velocity[i] += rows->at_rest[i];
        const double violation = fabs(nb_row_violation(rows, i, rows->free_velocity[i])) / rows->size[i];
        rows->deficit[k] += violation * violation;
        rows->scale[k] = fmax(rows->scale[k], violation);
        motion[k] = fmax(motion[k], motion_at(rows, i) / rows->size[i]);
    }
    for (int k = 0; k < rows->islands; ++k)
        rows->scale[k] += motion[k];
    free(motion);
    return NB_OK;
}

enum nb_status nb_rows_create(struct nb_rows *rows, const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_linear_step *step = &problem->linear;
    *rows = (struct nb_rows){.problem = problem, .contacts = step->contacts, .rows = step->contacts + step->bilaterals};
    rows->dofs = nb_rows_are_local(rows) ? rows->rows + 1 : step->dofs; /* of the local form at most, so far */
    if (rows->rows > NB_INFEASIBILITY_ROWS || rows->dofs > NB_INFEASIBILITY_DOFS || rows->dofs == 0)
        return nb_fail(error, NB_UNSUPPORTED, "%d rows and %d velocities are not searched", rows->rows, rows->dofs);
    rows->memory = nb_arena_allocate(lay_out, rows);
    if (!rows->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d rows", rows->rows);
    const double scale = nb_unmoved_scale(problem);
    for (int i = 0; i < rows->rows; ++i)
        rows->at_rest[i] = i < rows->contacts ? nb_unmoved_velocity(problem, i, scale)
                                              : step->bilateral_velocity[i - rows->contacts];
    enum nb_status status = nb_rows_are_local(rows) ? nb_rows_prepare_local(rows, error) : prepare_global(rows, error);
    if (!status)
        status = measure_free_motion(rows, error);
    return status == NB_BAD_INPUT ? NB_UNSUPPORTED : status;
}

void nb_rows_free(struct nb_rows *rows)
{
    nb_csr_free(&rows->jacobian);
    free(rows->memory);
}

/* The sum of |e_k| |v_k - v_0,k|, e = A^T r, where no velocity moves anything by more than REACH times the scale. */
void nb_rows_effect(struct nb_rows *rows, const double *impulse, double *effect)
{
    const struct nb_csr *jacobian = &rows->jacobian;
    __float128 *sum = rows->product;
    memset(effect, 0, (size_t)rows->islands * sizeof *effect);
    if (nb_rows_are_local(rows)) {
        nb_rows_local_effect(rows, impulse, effect);
        return;
    }
    memset(sum, 0, (size_t)rows->dofs * sizeof *sum);
    for (int i = 0; i < rows->rows; ++i)
        for (int k = jacobian->start[i]; impulse[i] != 0 && k < jacobian->start[i + 1]; ++k)
            sum[jacobian->column[k]] += (__float128)impulse[i] * jacobian->value[k];
    for (int k = 0; k < rows->dofs; ++k) {
        const int island = rows->island[rows->rows + k];
        if (sum[k] != 0)
            effect[island] += fabs((double)sum[k]) / rows->speed[k] * NB_INFEASIBILITY_REACH * rows->scale[island];
    }
}

/* -r . U(v_0), v_0 as it was computed. */
void nb_rows_work(const struct nb_rows *rows, const double *impulse, double *work)
{
    const struct nb_csr *jacobian = &rows->jacobian;
    memset(work, 0, (size_t)rows->islands * sizeof *work);
    __float128 *sum = rows->work;
    memset(sum, 0, (size_t)rows->islands * sizeof *sum);
    for (int i = 0; i < rows->rows; ++i) {
        if (impulse[i] == 0)
            continue;
        __float128 velocity = rows->at_rest[i];
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
            velocity += (__float128)jacobian->value[k] * rows->free_motion[jacobian->column[k]];
        sum[rows->island[i]] -= impulse[i] * velocity;
    }
    for (int k = 0; k < rows->islands; ++k)
        work[k] = (double)sum[k];
}
