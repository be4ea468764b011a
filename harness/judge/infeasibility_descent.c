/* Newton's method for the least violation of a step's rows,
 *
 *     F(v) = 1/2 sum p_i(v)^2 / size_i^2,   p_i the violation of row i,
 *
 * which is convex, with an exact line search and the system
 *
 *     (A^T K A + 1e-12 S) d = A^T r,   r = -p p' / size^2,   K the second derivatives of F by U,
 *
 * in which S, the squares of speeds, only makes a motion that no row feels unique: masses play no part. Contacts'
 * violations are smoothed, p = (sqrt(U^2 + s^2) - U)/2 (Chen and Harker 1993, Kanzow 1996), less by the power of ten
 * after each whole step and not any more in the end: without, the set of violated rows is found slowly. U is known to
 * the rounding of its terms only; r - K A d, the impulses of the next U where K does not change, has next to no effect
 * all the same. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/arena.h"

#define TRUST 1e-12           /* of S beside rows of size 1: a motion 1e6 times too large shows */
#define NARROWER 0.1          /* s / 2, in units of what the island's rows have to undo ... */
#define NARROWEST 1e-9        /* ... is 0 below this                                        */
#define WHOLE 0.5             /* a step that may pass for whole                             */
#define LEAST_CURVATURE 1e-12 /* of a row that is violated: what less adds is nothing       */
#define FALL 1e-3             /* of F in an iteration, at least                             */
#define BISECTIONS 60         /* of the line search: to rounding                            */

static double square(double x)
{
    return x * x;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_descent *descent = data;
    const struct nb_rows *rows = descent->rows;
    double **of_rows[] = {&descent->velocity, &descent->change, &descent->impulse, &descent->curvature};
    NB_ARRAY(arena, descent->motion, rows->dofs);
    NB_ARRAY(arena, descent->force, rows->dofs);
    NB_ARRAY(arena, descent->violated, rows->islands);
    NB_ARRAY(arena, descent->before, rows->islands);
    for (int k = 0; k < 4; ++k)
        NB_ARRAY(arena, *of_rows[k], rows->rows);
}

/* S; 1 of a velocity that no row has. */
static cholmod_sparse *make_metric(const struct nb_rows *rows, cholmod_common *common)
{
    cholmod_sparse *metric = cholmod_speye((size_t)rows->dofs, (size_t)rows->dofs, CHOLMOD_REAL, common);
    for (int k = 0; metric && k < rows->dofs; ++k)
        if (rows->speed[k] > 0)
            ((double *)metric->x)[k] = rows->speed[k] * rows->speed[k];
    return metric;
}

enum nb_status nb_descent_create(struct nb_descent *descent, const struct nb_rows *rows)
{
    *descent = (struct nb_descent){.rows = rows, .smoothing = 1};
    cholmod_start(&descent->common);
    descent->common.print = 0;
    descent->memory = nb_arena_allocate(lay_out, descent);
    descent->metric = make_metric(rows, &descent->common);
    if (!descent->memory || !descent->metric)
        return NB_OUT_OF_MEMORY;
    memcpy(descent->motion, rows->free_motion, (size_t)rows->dofs * sizeof *descent->motion);
    memcpy(descent->velocity, rows->free_velocity, (size_t)rows->rows * sizeof *descent->velocity);
    return NB_OK;
}

void nb_descent_free(struct nb_descent *descent)
{
    cholmod_free_dense(&descent->direction, &descent->common);
    cholmod_free_sparse(&descent->metric, &descent->common);
    cholmod_finish(&descent->common);
    free(descent->memory);
}

/* p p' = -size^2 r of a row, and its derivative. */
static double pull(const struct nb_descent *descent, int i, double velocity, double *curvature)
{
    const struct nb_rows *rows = descent->rows;
    const double width = 2 * descent->smoothing * rows->size[i] * sqrt(rows->deficit[rows->island[i]]);
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

void nb_descent_pull(struct nb_descent *descent)
{
    const struct nb_rows *rows = descent->rows;
    memset(descent->violated, 0, (size_t)rows->islands * sizeof *descent->violated);
    for (int i = 0; i < rows->rows; ++i) {
        const double violation = nb_row_violation(rows, i, descent->velocity[i]);
        descent->violated[rows->island[i]] += violation * violation / square(rows->size[i]);
        descent->impulse[i] = -pull(descent, i, descent->velocity[i], &descent->curvature[i]) / square(rows->size[i]);
    }
}

bool nb_descent_is_over(const struct nb_descent *descent)
{
    for (int k = 0; k < descent->rows->islands; ++k)
        if (!(descent->violated[k] <= DBL_EPSILON * descent->rows->deficit[k]))
            return false;
    return true;
}

bool nb_descent_gets_on(struct nb_descent *descent)
{
    bool falls = descent->smoothing > 0;
    for (int k = 0; k < descent->rows->islands; ++k) {
        falls |= descent->violated[k] < (1 - FALL) * descent->before[k];
        descent->before[k] = descent->violated[k];
    }
    return falls;
}

static bool is_felt(const struct nb_descent *descent, int i)
{
    return descent->curvature[i] > LEAST_CURVATURE;
}

/* A^T K^1/2, a column each row with a curvature. */
static cholmod_sparse *felt_rows(struct nb_descent *descent)
{
    const struct nb_rows *rows = descent->rows;
    const struct nb_csr *jacobian = &rows->jacobian;
    size_t columns = 0, entries = 0;
    for (int i = 0; i < rows->rows; ++i)
        if (is_felt(descent, i)) {
            ++columns;
            entries += (size_t)(jacobian->start[i + 1] - jacobian->start[i]);
        }
    cholmod_sparse *matrix = cholmod_allocate_sparse((size_t)rows->dofs, columns, entries, 1, 1, 0, CHOLMOD_REAL,
                                                     &descent->common);
    if (!matrix)
        return NULL;
    int *start = matrix->p, *row = matrix->i, column = 0, at = 0;
    double *value = matrix->x;
    for (int i = 0; i < rows->rows; ++i) {
        if (!is_felt(descent, i))
            continue;
        start[column++] = at;
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k, ++at) {
            row[at] = jacobian->column[k];
            value[at] = jacobian->value[k] * sqrt(descent->curvature[i]) / rows->size[i];
        }
    }
    start[column] = at;
    return matrix;
}

/* d; NULL: there is none to be had. The caller frees it. */
static cholmod_dense *solve_direction(struct nb_descent *descent)
{
    cholmod_common *common = &descent->common;
    double one[2] = {1, 0}, trust[2] = {TRUST, 0};
    const size_t n = (size_t)descent->rows->dofs;
    cholmod_dense right = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = descent->force, .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_sparse *felt = felt_rows(descent);
    cholmod_sparse *product = felt ? cholmod_aat(felt, NULL, 0, 1, common) : NULL;
    cholmod_sparse *hessian = product ? cholmod_add(product, descent->metric, one, trust, 1, 1, common) : NULL;
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

bool nb_descent_turn(struct nb_descent *descent)
{
    const struct nb_rows *rows = descent->rows;
    nb_csr_multiply_transposed(&rows->jacobian, descent->impulse, descent->force, 0);
    cholmod_free_dense(&descent->direction, &descent->common);
    descent->direction = solve_direction(descent);
    if (!descent->direction)
        return false;
    nb_csr_multiply(&rows->jacobian, descent->direction->x, descent->change, 0);
    for (int i = 0; i < rows->rows; ++i) {
        const double next =
            descent->impulse[i] - descent->curvature[i] * descent->change[i] / square(rows->size[i]);
        descent->impulse[i] = i < rows->contacts ? fmax(next, 0) : next;
    }
    return true;
}

/* dF/dt at v + t d. */
static double slope(const struct nb_descent *descent, double t)
{
    const struct nb_rows *rows = descent->rows;
    double sum = 0, curvature;
    for (int i = 0; i < rows->rows; ++i)
        sum += pull(descent, i, descent->velocity[i] + t * descent->change[i], &curvature) * descent->change[i] /
               square(rows->size[i]);
    return sum;
}

/* The zero of the slope, which rises with t, in (0, 1]; 1 where it is beyond. */
static double line_search(const struct nb_descent *descent)
{
    double low = 0, high = 1;
    if (slope(descent, 1) <= 0)
        return 1;
    for (int k = 0; k < BISECTIONS; ++k) {
        const double middle = (low + high) / 2;
        *(slope(descent, middle) > 0 ? &high : &low) = middle;
    }
    return high;
}

bool nb_descent_move(struct nb_descent *descent)
{
    const struct nb_rows *rows = descent->rows;
    const double *step = descent->direction->x;
    if (!(slope(descent, 0) < 0))
        return false;
    const double t = line_search(descent);
    for (int k = 0; k < rows->dofs; ++k)
        descent->motion[k] += t * step[k];
    if (t > WHOLE)
        descent->smoothing = descent->smoothing > NARROWEST ? NARROWER * descent->smoothing : 0;
    nb_csr_multiply(&rows->jacobian, descent->motion, descent->velocity, 0);
    for (int i = 0; i < rows->rows; ++i)
        descent->velocity[i] += rows->at_rest[i];
    return true;
}
