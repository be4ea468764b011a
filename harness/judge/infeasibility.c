/* Looks for a certificate of infeasibility (infeasibility.h) as the residual of least squares: at a minimum of
 *
 *     F(v) = 1/2 sum p_i(v)^2 / w_i,   p_i the violation of row i,
 *
 * r = -p p' / w has no effect, A^T r = -grad F = 0, and does the work -r . U = sum p^2 / w. F is convex. Newton's
 * method from the free motion on, with an exact line search and the system
 *
 *     (A^T K A + 1e-8 M) d = A^T r,   K the second derivatives of F by U,
 *
 * in which M only makes a motion that no row feels unique. Contacts' violations are smoothed, p = (sqrt(U^2 + s^2) -
 * U)/2 (Chen and Harker 1993, Kanzow 1996), less by the power of ten after each whole step and not any more in the
 * end: without, the set of violated rows is found slowly. Each r is put to the test: what the method does proves
 * nothing, what the bounds say does. It ends with a certificate, where all rows are satisfied, where F falls no more,
 * or after 60 iterations. */
#include "harness/judge/infeasibility.h"

#include <cholmod.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/arena.h"

#define MOST_ITERATIONS 60
#define REACH 1e6            /* a velocity so much larger than the step's is none          */
#define ROUNDING 1e3         /* units of roundoff: the work is a sum over an island's rows */
#define PART 1e-6            /* of the largest: impulses below are rounding                */
#define TRUST 1e-8           /* of M beside rows of effective mass 1: half of the digits   */
#define NARROWER 0.1         /* s / 2, in units of what the island's rows have to undo ... */
#define NARROWEST 1e-9       /* ... is 0 below this                                        */
#define WHOLE 0.5            /* a step that may pass for whole                             */
#define LEAST_CURVATURE 1e-12 /* of a row that is violated: what less adds is nothing      */
#define FALL 1e-3            /* of F in an iteration, at least; FEW times less ends it     */
#define FEW 3
#define BISECTIONS 60        /* of the line search: to rounding                            */

struct search {
    struct nb_rows *rows;
    cholmod_common common;
    cholmod_sparse *mass; /* (M + M^T)/2, both triangles */
    double smoothing;     /* s/2 over sqrt(w) S; 0: none */
    double *motion, *force, *scratch;                /* v, A^T r [dofs]; [3 dofs]      */
    double *velocity, *change, *impulse, *curvature; /* U, A d, r, w K [rows]          */
    double *effect, *work, *size, *terms;            /* of r, [islands]: ||A^T r||, -r . U(v_0), sum w r^2, and the
                                                        terms of the work                                        */
    double *violated, *before;                       /* [islands] sum violation^2 / w, now and in the last iteration */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct search *search = data;
    const struct nb_rows *rows = search->rows;
    double **of_islands[] = {&search->effect, &search->work,     &search->size,
                             &search->terms,  &search->violated, &search->before};
    double **of_rows[] = {&search->velocity, &search->change, &search->impulse, &search->curvature};
    NB_ARRAY(arena, search->motion, rows->dofs);
    NB_ARRAY(arena, search->force, rows->dofs);
    NB_ARRAY(arena, search->scratch, 3 * rows->dofs);
    for (int k = 0; k < 4; ++k)
        NB_ARRAY(arena, *of_rows[k], rows->rows);
    for (int k = 0; k < 6; ++k)
        NB_ARRAY(arena, *of_islands[k], rows->islands);
}

/* Compressed rows are the transposed matrix's compressed columns. */
static cholmod_sparse *symmetric_part(const struct nb_csr *mass, cholmod_common *common)
{
    const size_t n = (size_t)mass->rows;
    double half[2] = {0.5, 0};
    cholmod_sparse view = {.nrow = n, .ncol = n, .nzmax = (size_t)mass->start[n], .p = mass->start, .i = mass->column,
                           .x = mass->value, .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE,
                           .sorted = 1, .packed = 1};
    cholmod_sparse *other = cholmod_transpose(&view, 1, common);
    cholmod_sparse *whole = other ? cholmod_add(&view, other, half, half, 1, 1, common) : NULL;
    cholmod_free_sparse(&other, common);
    return whole;
}

/* ---- the penalty ---- */

/* p p' = -w r of a row, and its derivative. */
static double pull(const struct search *search, int i, double velocity, double *curvature)
{
    const struct nb_rows *rows = search->rows;
    const double width = 2 * search->smoothing * sqrt(rows->inverse_mass[i] * rows->deficit[rows->island[i]]);
    if (i >= rows->contacts || !(width > 0)) {
        const double violation = nb_row_violation(rows, i, velocity);
        *curvature = violation != 0;
        return violation;
    }
    const double root = hypot(velocity, width), share = width / root;
    const double p = velocity > 0 ? width * width / (2 * (root + velocity)) : (root - velocity) / 2;
    *curvature = p / root * (p / root) + p * share * share / (2 * root);
    return -p * p / root;
}

/* ---- the test ---- */

/* r, and of each island what the bounds are made of. */
static enum nb_status weigh(struct search *search)
{
    struct nb_rows *rows = search->rows;
    const size_t bytes = (size_t)rows->islands * sizeof *search->work;
    memset(search->work, 0, bytes);
    memset(search->size, 0, bytes);
    memset(search->terms, 0, bytes);
    memset(search->violated, 0, bytes);
    for (int i = 0; i < rows->rows; ++i) {
        const int k = rows->island[i];
        const double violation = nb_row_violation(rows, i, search->velocity[i]);
        const double impulse = search->impulse[i] =
            -pull(search, i, search->velocity[i], &search->curvature[i]) / rows->inverse_mass[i];
        search->violated[k] += violation * violation / rows->inverse_mass[i];
        search->size[k] += rows->inverse_mass[i] * impulse * impulse;
        search->work[k] -= impulse * rows->free_velocity[i];
        search->terms[k] += fabs(impulse) * rows->terms[i];
    }
    return nb_rows_effect(rows, search->impulse, search->scratch, search->effect);
}

static double of_all_motion(const struct nb_rows *rows, int island)
{
    return sqrt(rows->deficit[island]) + sqrt(fmax(rows->energy[island], 0));
}

static bool is_certificate(const struct search *search, int k)
{
    const struct nb_rows *rows = search->rows;
    const double work = search->work[k];
    return work > 0 && isfinite(work) && work >= REACH * of_all_motion(rows, k) * search->effect[k] &&
           work >= sqrt(DBL_EPSILON) * sqrt(rows->deficit[k] * search->size[k]) &&
           work >= ROUNDING * DBL_EPSILON * search->terms[k];
}

/* Of the island whose constraints contradict each other most; -1: none is known to. */
static int certified_island(const struct search *search)
{
    int best = -1;
    double most = 0;
    for (int k = 0; k < search->rows->islands; ++k) {
        const double depth = search->work[k] / sqrt(search->size[k] * search->rows->deficit[k]);
        if (is_certificate(search, k) && !(depth <= most)) {
            best = k;
            most = depth;
        }
    }
    return best;
}

static void report(const struct search *search, int island, struct nb_infeasibility *found)
{
    const struct nb_rows *rows = search->rows;
    const double most = of_all_motion(rows, island) * search->effect[island];
    double largest[2] = {0, 0}, all = 0;
    *found = (struct nb_infeasibility){.found = true, .linearized = found->linearized, .contact = -1, .bilateral = -1};
    found->violation = search->work[island] / sqrt(search->size[island] * rows->deficit[island]);
    found->reach = most > 0 ? search->work[island] / most : INFINITY;
    for (int i = 0; i < rows->rows; ++i)
        if (rows->island[i] == island)
            all = fmax(all, fabs(search->impulse[i]) * sqrt(rows->inverse_mass[i]));
    for (int i = 0; i < rows->rows; ++i) {
        const int bilateral = i >= rows->contacts;
        const double size = fabs(search->impulse[i]) * sqrt(rows->inverse_mass[i]);
        if (rows->island[i] != island || !(size >= PART * all))
            continue;
        ++*(bilateral ? &found->bilaterals : &found->contacts);
        if (size > largest[bilateral]) {
            largest[bilateral] = size;
            *(bilateral ? &found->bilateral : &found->contact) = bilateral ? i - rows->contacts : i;
        }
    }
}

/* ---- the search ---- */

/* Whether no island violates its rows by more than a step counts as solved with. */
static bool is_satisfied(const struct search *search)
{
    for (int k = 0; k < search->rows->islands; ++k)
        if (!(search->violated[k] <= DBL_EPSILON * search->rows->deficit[k]))
            return false;
    return true;
}

static bool is_felt(const struct search *search, int i)
{
    return search->curvature[i] > LEAST_CURVATURE;
}

/* A^T K^1/2, a column each row with a curvature. */
static cholmod_sparse *felt_rows(struct search *search)
{
    const struct nb_rows *rows = search->rows;
    const struct nb_csr *jacobian = &rows->jacobian;
    size_t columns = 0, entries = 0;
    for (int i = 0; i < rows->rows; ++i)
        if (is_felt(search, i)) {
            ++columns;
            entries += (size_t)(jacobian->start[i + 1] - jacobian->start[i]);
        }
    cholmod_sparse *matrix = cholmod_allocate_sparse((size_t)rows->dofs, columns, entries, 1, 1, 0, CHOLMOD_REAL,
                                                     &search->common);
    if (!matrix)
        return NULL;
    int *start = matrix->p, *row = matrix->i, column = 0, at = 0;
    double *value = matrix->x;
    for (int i = 0; i < rows->rows; ++i) {
        if (!is_felt(search, i))
            continue;
        start[column++] = at;
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k, ++at) {
            row[at] = jacobian->column[k];
            value[at] = jacobian->value[k] * sqrt(search->curvature[i] / rows->inverse_mass[i]);
        }
    }
    start[column] = at;
    return matrix;
}

/* d; NULL: there is none to be had. The caller frees it. */
static cholmod_dense *direction(struct search *search)
{
    cholmod_common *common = &search->common;
    double one[2] = {1, 0}, trust[2] = {TRUST, 0};
    const size_t n = (size_t)search->rows->dofs;
    cholmod_dense right = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = search->force, .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_sparse *felt = felt_rows(search);
    cholmod_sparse *product = felt ? cholmod_aat(felt, NULL, 0, 1, common) : NULL;
    cholmod_sparse *hessian = product ? cholmod_add(product, search->mass, one, trust, 1, 1, common) : NULL;
    cholmod_factor *factor = NULL;
    cholmod_dense *solution = NULL;
    if (hessian) {
        hessian->stype = 1; /* its upper triangle is read */
        factor = cholmod_analyze(hessian, common);
    }
    if (factor && cholmod_factorize(hessian, factor, common) && factor->minor == n)
        solution = cholmod_solve(CHOLMOD_A, factor, &right, common);
    cholmod_free_factor(&factor, common);
    cholmod_free_sparse(&hessian, common);
    cholmod_free_sparse(&product, common);
    cholmod_free_sparse(&felt, common);
    return solution;
}

/* dF/dt at v + t d. */
static double slope(const struct search *search, double t)
{
    const struct nb_rows *rows = search->rows;
    double sum = 0, curvature;
    for (int i = 0; i < rows->rows; ++i)
        sum += pull(search, i, search->velocity[i] + t * search->change[i], &curvature) * search->change[i] /
               rows->inverse_mass[i];
    return sum;
}

/* The zero of the slope, which rises with t, in (0, 1]; 1 where it is beyond. */
static double line_search(const struct search *search)
{
    double low = 0, high = 1;
    if (slope(search, 1) <= 0)
        return 1;
    for (int k = 0; k < BISECTIONS; ++k) {
        const double middle = (low + high) / 2;
        *(slope(search, middle) > 0 ? &high : &low) = middle;
    }
    return high;
}

/* One iteration; false: no descent. */
static bool descend(struct search *search)
{
    struct nb_rows *rows = search->rows;
    nb_csr_multiply_transposed(&rows->jacobian, search->impulse, search->force, 0);
    cholmod_dense *d = direction(search);
    if (!d)
        return false;
    const double *step = d->x;
    nb_csr_multiply(&rows->jacobian, step, search->change, 0);
    const bool falls = slope(search, 0) < 0;
    const double t = falls ? line_search(search) : 0;
    for (int k = 0; k < rows->dofs; ++k)
        search->motion[k] += t * step[k];
    if (t > WHOLE)
        search->smoothing = search->smoothing > NARROWEST ? NARROWER * search->smoothing : 0;
    cholmod_free_dense(&d, &search->common);
    nb_csr_multiply(&rows->jacobian, search->motion, search->velocity, 0);
    for (int i = 0; i < rows->rows; ++i)
        search->velocity[i] += rows->at_rest[i];
    return falls;
}

/* Whether the search gets anywhere: it smooths still, or an island's violation falls. */
static bool gets_on(struct search *search)
{
    bool falls = search->smoothing > 0;
    for (int k = 0; k < search->rows->islands; ++k) {
        falls |= search->violated[k] < (1 - FALL) * search->before[k];
        search->before[k] = search->violated[k];
    }
    return falls;
}

/* A certificate of smoothed violations is one, but rows that take no part have impulses in it, too: the search goes on
 * without. */
static enum nb_status look(struct search *search, struct nb_infeasibility *found)
{
    struct nb_rows *rows = search->rows;
    memcpy(search->motion, rows->free_motion, (size_t)rows->dofs * sizeof *search->motion);
    memcpy(search->velocity, rows->free_velocity, (size_t)rows->rows * sizeof *search->velocity);
    for (int iteration = 0, idle = 0; iteration <= MOST_ITERATIONS; ++iteration) {
        const enum nb_status status = weigh(search);
        const int island = status ? -1 : certified_island(search);
        idle = gets_on(search) ? 0 : idle + 1;
        if (island >= 0)
            report(search, island, found);
        if (island >= 0 && search->smoothing > 0) {
            search->smoothing = 0;
            continue;
        }
        if (status || island >= 0 || is_satisfied(search) || idle >= FEW || !descend(search))
            return status;
    }
    return NB_OK;
}

/* From the rows on, which exist. */
static enum nb_status search_rows(struct search *search, const double *u, const double *lambda,
                                  struct nb_infeasibility *found)
{
    void *memory = nb_arena_allocate(lay_out, search);
    enum nb_status status = memory ? NB_OK : NB_OUT_OF_MEMORY;
    if (!status && u && lambda) {
        nb_rows_velocity(search->rows, u, lambda, search->velocity);
        status = weigh(search);
    }
    if (!status && !(u && lambda && is_satisfied(search))) {
        search->mass = symmetric_part(search->rows->mass, &search->common);
        status = search->mass ? look(search, found) : NB_OUT_OF_MEMORY;
    }
    cholmod_free_sparse(&search->mass, &search->common);
    free(memory);
    return status;
}

static enum nb_status find_linear(const struct nb_problem *problem, const double *u, const double *lambda,
                                  struct nb_infeasibility *found, struct nb_error *error)
{
    struct nb_rows rows;
    struct search search = {.rows = &rows, .smoothing = 1};
    cholmod_start(&search.common);
    search.common.print = 0;
    enum nb_status status = nb_rows_create(&rows, problem, error);
    if (!status && (status = search_rows(&search, u, lambda, found)))
        nb_fail(error, status, "no memory to look for a certificate of infeasibility");
    nb_rows_free(&rows);
    cholmod_finish(&search.common);
    return status;
}

enum nb_status nb_infeasibility_find(const struct nb_problem *problem, const double *u, const double *lambda,
                                     struct nb_infeasibility *found, struct nb_error *error)
{
    struct nb_problem linearized = {0};
    const bool nonlinear = problem->form == NB_NONLINEAR;
    *found = (struct nb_infeasibility){.linearized = nonlinear, .contact = -1, .bilateral = -1};
    enum nb_status status = nonlinear ? nb_problem_linearize_in(problem, DBL_EPSILON / 2, &linearized, error) : NB_OK;
    if (!status)
        status = find_linear(nonlinear ? &linearized : problem, u, lambda, found, error);
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
    if (isfinite(found->reach))
        snprintf(reach, sizeof reach, "no velocity up to %.0e times what the step has to do", found->reach);
    snprintf(text, size, "the constraints contradict each other%s: %s%s%s: %s satisfies them",
             found->linearized ? ", linearised at q-" : "", contacts,
             found->contacts && found->bilaterals ? " and " : "", bilaterals, reach);
}
