/* The rows that a step's velocity has to satisfy, in the global form: the normal rows of H^T and all of G^T, M
 * factorised. Of either form: what the free motion violates, and the effect of impulses. Islands are the components
 * of what entries other than zero connect, by disjoint sets. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/arena.h"
#include "problems/base/disjoint_sets.h"

/* ---- islands ---- */

/* Every entry joins its row's node, from `first_row` on, with its column's. */
static void join_entries(int *parent, const struct nb_csr *matrix, int first_row, int first_column)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            if (matrix->value[k] != 0)
                nb_set_join(parent, first_row + i, first_column + matrix->column[k]);
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

/* Of all rows, tangents included: a contact's w is the mean of its three. */
static enum nb_status weigh_global(struct nb_rows *rows, struct nb_error *error)
{
    const struct nb_linear_step *step = &rows->problem->linear;
    double *diagonal = calloc(3 * (size_t)rows->contacts + 1, sizeof *diagonal);
    if (!diagonal)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the effective masses of %d contacts", rows->contacts);
    enum nb_status status = nb_mass_factor_diagonal(rows->factor, &step->contact_jacobian, diagonal, error);
    for (int i = 0; i < rows->contacts; ++i)
        rows->inverse_mass[i] = (diagonal[3 * i] + diagonal[3 * i + 1] + diagonal[3 * i + 2]) / 3;
    free(diagonal);
    if (!status && rows->rows > rows->contacts)
        status = nb_mass_factor_diagonal(rows->factor, &step->bilateral_jacobian, rows->inverse_mass + rows->contacts,
                                         error);
    return status;
}

static enum nb_status prepare_global(struct nb_rows *rows, struct nb_error *error)
{
    const struct nb_linear_step *step = &rows->problem->linear;
    enum nb_status status = nb_mass_factor_create(&rows->factor, rows->mass, error);
    if (status || (status = take_rows(rows, error)) || (status = weigh_global(rows, error)) ||
        (status = nb_mass_factor_solve(rows->factor, step->force, rows->free_motion)))
        return status;
    for (int k = 0; k < rows->rows + rows->dofs; ++k)
        rows->island[k] = k;
    join_entries(rows->island, rows->mass, rows->rows, rows->rows);
    join_entries(rows->island, &rows->jacobian, 0, rows->rows);
    rows->islands = nb_rows_label(rows->island, rows->rows + rows->dofs);
    return NB_OK;
}

/* ---- both ---- */

void nb_rows_positive_weights(struct nb_rows *rows)
{
    for (int i = 0; i < rows->rows; ++i)
        if (!(rows->inverse_mass[i] > 0))
            rows->inverse_mass[i] = 1;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_rows *rows = data;
    const int full = nb_rows_are_local(rows) ? rows->problem->linear.delassus.rows : 0;
    NB_ARRAY(arena, rows->inverse_mass, rows->rows);
    NB_ARRAY(arena, rows->at_rest, rows->rows);
    NB_ARRAY(arena, rows->free_velocity, rows->rows);
    NB_ARRAY(arena, rows->terms, rows->rows);
    NB_ARRAY(arena, rows->free_motion, rows->dofs);
    NB_ARRAY(arena, rows->deficit, rows->rows + rows->dofs);
    NB_ARRAY(arena, rows->energy, rows->rows + rows->dofs);
    NB_ARRAY(arena, rows->island, rows->rows + rows->dofs);
    NB_ARRAY(arena, rows->impulse, full);
    NB_ARRAY(arena, rows->product, full);
}

/* U(v_0), its terms, and what it violates. */
static void measure_free_motion(struct nb_rows *rows)
{
    const struct nb_csr *jacobian = &rows->jacobian;
    for (int i = 0; i < rows->rows; ++i) {
        rows->free_velocity[i] = rows->at_rest[i];
        rows->terms[i] = fabs(rows->at_rest[i]);
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            const double term = jacobian->value[k] * rows->free_motion[jacobian->column[k]];
            rows->free_velocity[i] += term;
            rows->terms[i] += fabs(term);
        }
        const double violation = nb_row_violation(rows, i, rows->free_velocity[i]);
        rows->deficit[rows->island[i]] += violation * violation / rows->inverse_mass[i];
    }
    for (int k = 0; k < rows->dofs && !nb_rows_are_local(rows); ++k)
        rows->energy[rows->island[rows->rows + k]] += rows->free_motion[k] * rows->problem->linear.force[k];
}

enum nb_status nb_rows_create(struct nb_rows *rows, const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_linear_step *step = &problem->linear;
    *rows = (struct nb_rows){.problem = problem, .contacts = step->contacts,
                             .rows = step->contacts + step->bilaterals, .mass = &step->mass};
    rows->dofs = nb_rows_are_local(rows) ? rows->rows + 1 : step->dofs; /* of the local form at most, so far */
    if (rows->rows > NB_INFEASIBILITY_ROWS || rows->dofs > NB_INFEASIBILITY_DOFS || rows->dofs == 0)
        return nb_fail(error, NB_UNSUPPORTED, "%d rows and %d velocities are not searched", rows->rows, rows->dofs);
    rows->memory = nb_arena_allocate(lay_out, rows);
    if (!rows->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d rows", rows->rows);
    for (int i = 0; i < rows->rows; ++i)
        rows->at_rest[i] = i < rows->contacts ? step->contact_velocity[3 * i]
                                              : step->bilateral_velocity[i - rows->contacts];
    enum nb_status status = nb_rows_are_local(rows) ? nb_rows_prepare_local(rows, error) : prepare_global(rows, error);
    if (!status && nb_rows_are_local(rows))
        status = nb_mass_factor_create(&rows->factor, rows->mass, error);
    if (status)
        return status == NB_BAD_INPUT ? NB_UNSUPPORTED : status;
    nb_rows_positive_weights(rows);
    measure_free_motion(rows);
    return NB_OK;
}

void nb_rows_free(struct nb_rows *rows)
{
    nb_mass_factor_free(rows->factor);
    nb_csr_free(&rows->jacobian);
    nb_csr_free(&rows->identity);
    free(rows->memory);
}

void nb_rows_velocity(struct nb_rows *rows, const double *u, const double *lambda, double *velocity)
{
    const struct nb_problem *problem = rows->problem;
    const int bilaterals = rows->rows - rows->contacts;
    if (nb_rows_are_local(rows)) {
        for (int k = 0; k < 3 * rows->contacts + bilaterals; ++k) {
            const int from = k < 3 * rows->contacts ? bilaterals + k : k - 3 * rows->contacts;
            rows->impulse[k] = problem->time_step * lambda[from];
        }
        nb_csr_multiply(&problem->linear.delassus, rows->impulse, rows->product, 0);
        for (int i = 0; i < rows->rows; ++i)
            velocity[i] = rows->product[nb_rows_to_full(rows, i)];
    } else {
        nb_csr_multiply(&rows->jacobian, u, velocity, 0);
    }
    for (int i = 0; i < rows->rows; ++i)
        velocity[i] += rows->at_rest[i];
}

enum nb_status nb_rows_effect(struct nb_rows *rows, const double *impulse, double *scratch, double *effect)
{
    const struct nb_csr *jacobian = &rows->jacobian;
    double *solved = scratch + 2 * rows->dofs;
    memset(effect, 0, (size_t)rows->islands * sizeof *effect);
    if (nb_rows_are_local(rows)) {
        nb_rows_local_effect(rows, impulse, effect);
        return NB_OK;
    }
    memset(scratch, 0, 2 * (size_t)rows->dofs * sizeof *scratch);
    for (int i = 0; i < rows->rows; ++i)
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            const double term = jacobian->value[k] * impulse[i];
            scratch[jacobian->column[k]] += term;
            scratch[rows->dofs + jacobian->column[k]] += DBL_EPSILON * fabs(term);
        }
    for (int part = 0; part < 2; ++part) { /* sum of squares of both norms: their sum within a factor of 2 */
        const double *force = scratch + part * rows->dofs;
        if (nb_mass_factor_solve(rows->factor, force, solved))
            return NB_OUT_OF_MEMORY;
        for (int k = 0; k < rows->dofs; ++k)
            effect[rows->island[rows->rows + k]] += 2 * force[k] * solved[k];
    }
    for (int k = 0; k < rows->islands; ++k)
        effect[k] = sqrt(fmax(effect[k], 0));
    return NB_OK;
}
