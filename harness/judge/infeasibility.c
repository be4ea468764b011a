/* Looks for a certificate of infeasibility (infeasibility.h) as the residual of least squares: at a minimum of
 * sum violation_i^2 / size_i^2 the impulses r = violation / size^2 have no effect and do the work -sum violation^2 /
 * size^2 (infeasibility_descent.c). Each r on the way is put to the test: what the method does proves nothing, what the
 * bound says does. The search ends with a certificate, where all rows are satisfied, where violations fall no more, or
 * after 60 iterations. */
#include "harness/judge/infeasibility.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "harness/judge/unmoved.h"
#include "problems/base/arena.h"
#include "problems/base/disjoint_sets.h"

/* The rows that a step's velocity has to satisfy, in the global form: the normal rows of H^T and all of G^T. Of either
 * form: what the free motion violates, the scale of what the step does, and the effect of impulses. Islands are the
 * components of what entries other than zero connect, by disjoint sets; M connects, too, and so do tangents. */

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

static enum nb_status take_rows(struct nb_constraints *rows, struct nb_error *error)
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
static enum nb_status solve_free_motion(struct nb_constraints *rows, struct nb_error *error)
{
    struct nb_mass_factor *factor = NULL;
    enum nb_status status = nb_mass_factor_create(&factor, &rows->problem->linear.mass, error);
    status = status ? status : nb_mass_factor_solve(factor, rows->problem->linear.force, rows->free_motion);
    nb_mass_factor_free(factor);
    return status;
}

static enum nb_status prepare_global(struct nb_constraints *rows, struct nb_error *error)
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

static void lay_out_rows(void *data, struct nb_arena *arena)
{
    struct nb_constraints *rows = data;
    const int full = nb_rows_are_local(rows) ? rows->problem->linear.delassus.rows : 0;
    NB_ARRAY(arena, rows->size, rows->rows);
    NB_ARRAY(arena, rows->speed, rows->dofs);
    NB_ARRAYS(arena, rows->rows, rows->at_rest, rows->free_velocity);
    NB_ARRAY(arena, rows->free_motion, rows->dofs);
    NB_ARRAYS(arena, rows->rows + rows->dofs, rows->deficit, rows->work, rows->scale, rows->island);
    NB_ARRAY(arena, rows->product, 2 * full > rows->dofs ? 2 * full : rows->dofs);
}

/* The sum of |entry| |v_0| in one row of a matrix. */
static double motion_of(const struct nb_constraints *rows, const struct nb_csr *matrix, int row)
{
    double terms = 0;
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
        terms += fabs(matrix->value[k] * rows->free_motion[matrix->column[k]]);
    return terms;
}

/* The largest of a row's own and, of a contact, its tangents. */
static double motion_at(const struct nb_constraints *rows, int i)
{
    double largest = motion_of(rows, &rows->jacobian, i);
    for (int k = 1; k < 3 && i < rows->contacts && !nb_rows_are_local(rows); ++k)
        largest = fmax(largest, motion_of(rows, &rows->problem->linear.contact_jacobian, 3 * i + k));
    return largest;
}

/* U(v_0), what it violates; and of each island the scale, D + T. */
static enum nb_status measure_free_motion(struct nb_constraints *rows, struct nb_error *error)
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

enum nb_status nb_rows_create(struct nb_constraints *rows, const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_linear_step *step = &problem->linear;
    *rows = (struct nb_constraints){
        .problem = problem, .contacts = step->contacts, .rows = step->contacts + step->bilaterals};
    rows->dofs = nb_rows_are_local(rows) ? rows->rows + 1 : step->dofs; /* of the local form at most, so far */
    if (rows->rows > NB_INFEASIBILITY_ROWS || rows->dofs > NB_INFEASIBILITY_DOFS || rows->dofs == 0)
        return nb_fail(error, NB_UNSUPPORTED, "%d rows and %d velocities are not searched", rows->rows, rows->dofs);
    rows->memory = nb_arena_allocate(lay_out_rows, rows);
    if (!rows->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d rows", rows->rows);
    const double scale = nb_unmoved_scale(problem);
    for (int i = 0; i < rows->rows; ++i)
        rows->at_rest[i] = i < rows->contacts ? nb_unmoved_velocity(problem, i, scale)
                                              : step->bilateral_velocity[i - rows->contacts];
    enum nb_status status = nb_rows_are_local(rows) ? nb_rows_prepare_local(rows, error) : prepare_global(rows, error);
    status = status ? status : measure_free_motion(rows, error);
    return status == NB_BAD_INPUT ? NB_UNSUPPORTED : status;
}

static void rows_free(struct nb_constraints *rows)
{
    nb_csr_free(&rows->jacobian);
    free(rows->memory);
}

/* The sum of |e_k| |v_k - v_0,k|, e = A^T r, where no velocity moves anything by more than REACH times the scale. */
/* What impulses r [rows] do without rounding in each island [islands]: by how much r . U can be above its value at v_0
 * where the motion is within reach (infeasibility.h), and the work, -r . U(v_0). */
static void rows_effect(struct nb_constraints *rows, const double *impulse, double *effect)
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
static void rows_work(const struct nb_constraints *rows, const double *impulse, double *work)
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

#define MOST_ITERATIONS 60
#define FEW 3        /* iterations in which nothing fell: the end                          */
#define PART 1e-6    /* of the largest: impulses below are rounding                        */
#define SHORT 0x1p20 /* parts of the largest impulse, to which all are rounded in a local form */

struct farkas_search {
    struct nb_constraints rows;
    struct nb_descent descent;
    double *impulse;               /* [rows] those that are put to the test                    */
    double *effect, *work, *total; /* [islands] of them: rows_effect, rows_work, sum |r| size */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct farkas_search *search = data;
    NB_ARRAY(arena, search->impulse, search->rows.rows);
    NB_ARRAYS(arena, search->rows.islands, search->effect, search->work, search->total);
}

/* What the bound is made of. */
static void accumulate_bounds(struct farkas_search *search)
{
    struct nb_constraints *rows = &search->rows;
    memset(search->total, 0, (size_t)rows->islands * sizeof *search->total);
    for (int i = 0; i < rows->rows; ++i)
        search->total[rows->island[i]] += fabs(search->impulse[i]) * rows->size[i];
    rows_effect(rows, search->impulse, search->effect);
    rows_work(rows, search->impulse, search->work);
}

/* The share of its scale that every motion within reach leaves to be undone in an island; not positive: unproven. */
static double violation_of(const struct farkas_search *search, int k)
{
    const double violation = (search->work[k] - search->effect[k]) / (search->total[k] * search->rows.scale[k]);
    return violation >= sqrt(DBL_EPSILON) && isfinite(violation) ? violation : 0;
}

/* The island whose constraints contradict each other most; -1: none is known to do so. */
static int certified_island(const struct farkas_search *search)
{
    int best = -1;
    for (int k = 0; k < search->rows.islands; ++k)
        if (violation_of(search, k) > (best < 0 ? 0 : violation_of(search, best)))
            best = k;
    return best;
}

/* Impulses that are short numbers cancel to the last digit, where the rows of W do. */
static void shorten(struct farkas_search *search)
{
    const struct nb_constraints *rows = &search->rows;
    double *largest = search->total;
    memset(largest, 0, (size_t)rows->islands * sizeof *largest);
    for (int i = 0; i < rows->rows; ++i)
        largest[rows->island[i]] = fmax(largest[rows->island[i]], fabs(search->impulse[i]));
    for (int i = 0; i < rows->rows; ++i)
        if (search->impulse[i] != 0)
            search->impulse[i] = nearbyint(search->impulse[i] / largest[rows->island[i]] * SHORT);
}

/* The island that the impulses of the descent prove, as they are or, in a local form, shortened. */
static int proven_island(struct farkas_search *search)
{
    memcpy(search->impulse, search->descent.impulse, (size_t)search->rows.rows * sizeof *search->impulse);
    accumulate_bounds(search);
    const int island = certified_island(search);
    if (island >= 0 || !nb_rows_are_local(&search->rows))
        return island;
    shorten(search);
    accumulate_bounds(search);
    return certified_island(search);
}

static void report(const struct farkas_search *search, int island, struct nb_infeasibility *found)
{
    const struct nb_constraints *rows = &search->rows;
    double largest[2] = {0, 0}, all = 0;
    *found = (struct nb_infeasibility){.found = true, .linearized = found->linearized, .contact = -1, .bilateral = -1};
    found->violation = violation_of(search, island);
    found->absolute = search->effect[island] == 0;
    for (int i = 0; i < rows->rows; ++i)
        if (rows->island[i] == island)
            all = fmax(all, fabs(search->impulse[i]) * rows->size[i]);
    for (int i = 0; i < rows->rows; ++i) {
        const int bilateral = i >= rows->contacts;
        const double size = fabs(search->impulse[i]) * rows->size[i];
        if (rows->island[i] != island || !(size >= PART * all))
            continue;
        ++*(bilateral ? &found->bilaterals : &found->contacts);
        if (size > largest[bilateral]) {
            largest[bilateral] = size;
            *(bilateral ? &found->bilateral : &found->contact) = bilateral ? i - rows->contacts : i;
        }
    }
}

/* One row may be a certificate by itself: then the others of its island have their own reasons. */
static void try_alone(struct farkas_search *search, int island)
{
    const struct nb_constraints *rows = &search->rows;
    int first = -1;
    double *tested = search->impulse, kept;
    for (int i = 0; i < rows->rows; ++i)
        if (rows->island[i] == island &&
            (first < 0 || fabs(tested[i]) * rows->size[i] > fabs(tested[first]) * rows->size[first]))
            first = i;
    kept = tested[first];
    memset(tested, 0, (size_t)rows->rows * sizeof *tested);
    tested[first] = kept;
    accumulate_bounds(search);
    if (!(violation_of(search, island) > 0))
        proven_island(search);
}

/* A certificate of smoothed violations is one, but rows that take no part have impulses in it, too: the search goes on
 * without. */
static void find_certificate(struct farkas_search *search, struct nb_infeasibility *found)
{
    struct nb_descent *descent = &search->descent;
    for (int iteration = 0, idle = 0; iteration < MOST_ITERATIONS; ++iteration) {
        nb_descent_gradient(descent);
        idle = nb_descent_progresses(descent) ? 0 : idle + 1;
        if (nb_descent_is_feasible(descent) || idle > FEW || !nb_descent_direction(descent))
            return;
        const int island = proven_island(search);
        if (island >= 0) {
            try_alone(search, island);
            report(search, island, found);
        }
        if (island >= 0 && descent->smoothing > 0)
            descent->smoothing = 0;
        else if (island >= 0 || !nb_descent_step(descent))
            return;
    }
}

/* Whether u is within reach and leaves less in every row than a certificate would, so that there is none: it spares the
 * search, and never changes what it finds. */
static bool is_met_at(const struct farkas_search *search, const double *u)
{
    const struct nb_constraints *rows = &search->rows;
    double *velocity = search->impulse;
    for (int k = 0; k < rows->dofs; ++k)
        if (!(fabs(u[k] - rows->free_motion[k]) * rows->speed[k] <=
              NB_INFEASIBILITY_REACH * rows->scale[rows->island[rows->rows + k]]))
            return false;
    nb_csr_multiply(&rows->jacobian, u, velocity, 0);
    for (int i = 0; i < rows->rows; ++i)
        if (!(fabs(nb_row_violation(rows, i, velocity[i] + rows->at_rest[i])) <=
              sqrt(DBL_EPSILON) / 2 * rows->size[i] * rows->scale[rows->island[i]]))
            return false;
    return true;
}

static enum nb_status find_linear(const struct nb_problem *problem, const double *u, struct nb_infeasibility *found,
                                  struct nb_error *error)
{
    struct farkas_search search;
    enum nb_status status = nb_rows_create(&search.rows, problem, error);
    if (!status) {
        status = nb_descent_create(&search.descent, &search.rows);
        void *memory = status ? NULL : nb_arena_allocate(lay_out, &search);
        if (memory && !(u && !nb_rows_are_local(&search.rows) && is_met_at(&search, u)))
            find_certificate(&search, found);
        else if (!memory)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to look for a certificate of infeasibility");
        free(memory);
        nb_descent_free(&search.descent);
    }
    rows_free(&search.rows);
    return status;
}

enum nb_status nb_infeasibility_find(const struct nb_problem *problem, const double *u,
                                     struct nb_infeasibility *found, struct nb_error *error)
{
    struct nb_problem linearized = {0};
    const bool nonlinear = problem->form == NB_NONLINEAR;
    *found = (struct nb_infeasibility){.linearized = nonlinear, .contact = -1, .bilateral = -1};
    enum nb_status status = nonlinear ? nb_problem_linearize_in(problem, DBL_EPSILON / 2, &linearized, error) : NB_OK;
    if (nb_problem_soft_contacts(problem) > 0) /* u lacks the linear step's velocities that stand for them */
        u = NULL;
    status = status ? status : find_linear(nonlinear ? &linearized : problem, u, found, error);
    nb_problem_free(&linearized);
    return status == NB_UNSUPPORTED ? NB_OK : status;
}

static void name_rows(char *text, size_t size, const char *one, int index, int count)
{
    if (count > 1)
        snprintf(text, size, "%s %d (and %d more)", one, index, count - 1);
    else
        snprintf(text, size, "%s %d", one, index);
}

void nb_infeasibility_describe(const struct nb_infeasibility *found, char *text, size_t size)
{
    char contacts[64] = "", bilaterals[64] = "", reach[80] = "no velocity";
    if (found->contacts)
        name_rows(contacts, sizeof contacts, "contact", found->contact, found->contacts);
    if (found->bilaterals)
        name_rows(bilaterals, sizeof bilaterals, "bilateral row", found->bilateral, found->bilaterals);
    if (!found->absolute)
        snprintf(reach, sizeof reach, "no velocity up to %.0e times what the step has to do", NB_INFEASIBILITY_REACH);
    const char *and = found->contacts && found->bilaterals ? " and " : "";
    if (found->linearized)
        snprintf(text, size, "linearised at q- it has no solution, for %s%s%s; it may have one all the same", contacts,
                 and, bilaterals);
    else
        snprintf(text, size, "the constraints contradict each other: %s%s%s: %s satisfies them", contacts, and,
                 bilaterals, reach);
}
