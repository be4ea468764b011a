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
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/arena.h"
#include "problems/base/disjoint_sets.h"

/* The rows of the local form: with w the diagonal, w^-1/2 W w^-1/2 of the normal and bilateral rows of each island is
 * L L^T by a Cholesky factorisation with pivoting (LAPACK's dpstrf), which ends at the rank; then A = w^1/2 L. That
 * only finds impulses: their effect is taken from W itself. The size of a row is the root of its w, the speed of a
 * coordinate 1. */

static void join_delassus(const struct nb_constraints *rows, int *parent)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    for (int i = 0; i < delassus->rows; ++i)
        for (int k = delassus->start[i]; k < delassus->start[i + 1]; ++k)
            if (delassus->value[k] != 0)
                nb_set_join(parent, nb_rows_from_full(rows, i), nb_rows_from_full(rows, delassus->column[k]));
}

/* w of a contact is the mean of its block's diagonal; 1 of rows that no impulse moves. */
static void weigh_local(struct nb_constraints *rows)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    for (int i = 0; i < delassus->rows; ++i)
        rows->size[nb_rows_from_full(rows, i)] += nb_csr_diagonal(delassus, i) / (i < 3 * rows->contacts ? 3 : 1);
    for (int i = 0; i < rows->rows; ++i)
        rows->size[i] = rows->size[i] > 0 ? sqrt(rows->size[i]) : 1;
}

/* An island's part of W, its symmetric part, scaled to w = 1. place [rows]: of a row in its island. */
static void fill_dense(const struct nb_constraints *rows, int n, const int *member, const int *place, double *dense)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (int m = 0; m < n; ++m) {
        const int i = member[m], full = nb_rows_to_full(rows, i);
        for (int k = delassus->start[full]; k < delassus->start[full + 1]; ++k) {
            const int j = nb_rows_from_full(rows, delassus->column[k]);
            if (nb_rows_to_full(rows, j) != delassus->column[k] || delassus->value[k] == 0)
                continue;
            const double value = delassus->value[k] / (2 * rows->size[i] * rows->size[j]);
            dense[(size_t)m * (size_t)n + (size_t)place[j]] += value;
            dense[(size_t)place[j] * (size_t)n + (size_t)m] += value;
        }
    }
}

/* A's rows of one island, from its first column on; *columns grows by the rank. */
static enum nb_status factor_island(struct nb_constraints *rows, int n, const int *member, const int *place,
                                    struct nb_triplets *entries, int *columns, struct nb_error *error)
{
    double *dense = malloc(((size_t)n * (size_t)n) * sizeof *dense);
    lapack_int *pivot = malloc((size_t)n * sizeof *pivot), rank = 0;
    bool held = dense && pivot;
    if (held) {
        fill_dense(rows, n, member, place, dense);
        LAPACKE_dpstrf(LAPACK_COL_MAJOR, 'L', n, dense, n, pivot, &rank, n * DBL_EPSILON);
    }
    for (int m = 0; held && m < n; ++m)
        for (int k = 0; held && k < rank && k <= m; ++k) {
            const int i = member[pivot[m] - 1];
            const double value = rows->size[i] * dense[(size_t)k * (size_t)n + (size_t)m];
            held = nb_triplets_add(entries, i, *columns + k, value);
        }
    *columns += (int)rank;
    free(dense);
    free(pivot);
    return held ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to factorise W of %d rows", n);
}

/* member [rows]: rows by island; place [rows]. */
static enum nb_status factor_islands(struct nb_constraints *rows, int *member, int *place, struct nb_triplets *entries,
                                     int *columns, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    int *begin = calloc((size_t)rows->islands + 2, sizeof *begin);
    if (!begin)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", rows->islands);
    for (int i = 0; i < rows->rows; ++i)
        ++begin[rows->island[i] + 2];
    for (int k = 0; k < rows->islands; ++k)
        begin[k + 2] += begin[k + 1];
    for (int i = 0; i < rows->rows; ++i)
        member[begin[rows->island[i] + 1]++] = i;
    for (int k = 0; k < rows->islands && !status; ++k) {
        const int n = begin[k + 1] - begin[k];
        for (int m = 0; m < n; ++m)
            place[member[begin[k] + m]] = m;
        status = n > NB_INFEASIBILITY_LOCAL_ROWS
                     ? nb_fail(error, NB_UNSUPPORTED, "an island of %d rows is over %d", n, NB_INFEASIBILITY_LOCAL_ROWS)
                     : factor_island(rows, n, member + begin[k], place, entries, columns, error);
    }
    free(begin);
    return status;
}

/* Columns belong to the islands of their rows; one that is in no row stays in the last island. */
enum nb_status nb_rows_prepare_local(struct nb_constraints *rows, struct nb_error *error)
{
    struct nb_triplets entries = {0};
    int columns = 0, *member = malloc(2 * ((size_t)rows->rows + 1) * sizeof *member);
    if (!member)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d rows", rows->rows);
    weigh_local(rows);
    for (int i = 0; i < rows->rows; ++i)
        rows->island[i] = i;
    join_delassus(rows, rows->island);
    rows->islands = nb_rows_label(rows->island, rows->rows);
    enum nb_status status = factor_islands(rows, member, member + rows->rows, &entries, &columns, error);
    rows->dofs = columns > 0 ? columns : 1;
    status = status ? status : nb_csr_from_triplets(&rows->jacobian, rows->rows, rows->dofs, entries.count, entries.row,
                                                    entries.column, entries.value, error);
    for (int k = 0; k < entries.count && !status; ++k)
        rows->island[rows->rows + entries.column[k]] = rows->island[entries.row[k]];
    for (int k = 0; k < rows->dofs; ++k)
        rows->speed[k] = 1;
    nb_triplets_free(&entries);
    free(member);
    return status;
}

/* W^T r: none where each of its sums is within the rounding of the entries of W that it is made of. */
void nb_rows_local_effect(struct nb_constraints *rows, const double *impulse, double *effect)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    __float128 *sum = rows->product, *terms = rows->product + delassus->rows;
    memset(sum, 0, 2 * (size_t)delassus->rows * sizeof *sum);
    for (int i = 0; i < rows->rows; ++i) {
        const int full = nb_rows_to_full(rows, i);
        for (int k = delassus->start[full]; impulse[i] != 0 && k < delassus->start[full + 1]; ++k) {
            const __float128 term = (__float128)impulse[i] * delassus->value[k];
            sum[delassus->column[k]] += term;
            terms[delassus->column[k]] += term < 0 ? -term : term;
        }
    }
    for (int i = 0; i < delassus->rows; ++i)
        if (!(fabs((double)sum[i]) <= NB_INFEASIBILITY_ROUNDING * DBL_EPSILON * (double)terms[i]))
            effect[rows->island[nb_rows_from_full(rows, i)]] = INFINITY;
}

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

struct rings {
    struct nb_constraints *rows;
    int *start, *row;     /* of each velocity its rows in A: [dofs + 1], [entries]      */
    int *dof, dofs;       /* [dofs] those that are known, in the order in which they are */
    int *reached, active; /* [rows] the rows of the present ring                         */
    char *known;          /* [rows] */
};

static void lay_out_sizes(void *data, struct nb_arena *arena)
{
    struct rings *rings = data;
    NB_ARRAY(arena, rings->start, rings->rows->dofs + 2);
    NB_ARRAY(arena, rings->row, rings->rows->jacobian.start[rings->rows->rows]);
    NB_ARRAY(arena, rings->dof, rings->rows->dofs);
    NB_ARRAYS(arena, rings->rows->rows, rings->reached, rings->known);
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
    struct nb_constraints *rows = rings->rows;
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
    struct nb_constraints *rows = rings->rows;
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
    struct nb_constraints *rows = rings->rows;
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

enum nb_status nb_rows_find_sizes(struct nb_constraints *rows, struct nb_error *error)
{
    struct rings rings = {.rows = rows};
    void *memory = nb_arena_allocate(lay_out_sizes, &rings);
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
    const struct nb_constraints *rows = descent->rows;
    double **of_rows[] = {&descent->velocity, &descent->change, &descent->impulse, &descent->curvature};
    NB_ARRAYS(arena, rows->dofs, descent->motion, descent->force);
    NB_ARRAYS(arena, rows->islands, descent->violated, descent->before);
    for (int k = 0; k < 4; ++k)
        NB_ARRAY(arena, *of_rows[k], rows->rows);
}

/* S; 1 of a velocity that no row has. */
static cholmod_sparse *make_metric(const struct nb_constraints *rows, cholmod_common *common)
{
    cholmod_sparse *metric = cholmod_speye((size_t)rows->dofs, (size_t)rows->dofs, CHOLMOD_REAL, common);
    for (int k = 0; metric && k < rows->dofs; ++k)
        if (rows->speed[k] > 0)
            ((double *)metric->x)[k] = rows->speed[k] * rows->speed[k];
    return metric;
}

enum nb_status nb_descent_create(struct nb_descent *descent, const struct nb_constraints *rows)
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
static double gradient(const struct nb_descent *descent, int i, double velocity, double *curvature)
{
    const struct nb_constraints *rows = descent->rows;
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

void nb_descent_gradient(struct nb_descent *descent)
{
    const struct nb_constraints *rows = descent->rows;
    memset(descent->violated, 0, (size_t)rows->islands * sizeof *descent->violated);
    for (int i = 0; i < rows->rows; ++i) {
        const double violation = nb_row_violation(rows, i, descent->velocity[i]);
        descent->violated[rows->island[i]] += violation * violation / square(rows->size[i]);
        descent->impulse[i] =
            -gradient(descent, i, descent->velocity[i], &descent->curvature[i]) / square(rows->size[i]);
    }
}

bool nb_descent_is_feasible(const struct nb_descent *descent)
{
    for (int k = 0; k < descent->rows->islands; ++k)
        if (!(descent->violated[k] <= DBL_EPSILON * descent->rows->deficit[k]))
            return false;
    return true;
}

bool nb_descent_progresses(struct nb_descent *descent)
{
    bool falls = descent->smoothing > 0;
    for (int k = 0; k < descent->rows->islands; ++k) {
        falls |= descent->violated[k] < (1 - FALL) * descent->before[k];
        descent->before[k] = descent->violated[k];
    }
    return falls;
}

static bool is_active(const struct nb_descent *descent, int i)
{
    return descent->curvature[i] > LEAST_CURVATURE;
}

/* A^T K^1/2, a column each row with a curvature. */
static cholmod_sparse *active_rows(struct nb_descent *descent)
{
    const struct nb_constraints *rows = descent->rows;
    const struct nb_csr *jacobian = &rows->jacobian;
    size_t columns = 0, entries = 0;
    for (int i = 0; i < rows->rows; ++i)
        if (is_active(descent, i)) {
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
        if (!is_active(descent, i))
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

/* The direction d, which the caller frees; NULL: it cannot be had. */
static cholmod_dense *solve_direction(struct nb_descent *descent)
{
    cholmod_common *common = &descent->common;
    double one[2] = {1, 0}, trust[2] = {TRUST, 0};
    const size_t n = (size_t)descent->rows->dofs;
    cholmod_dense right = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = descent->force, .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_sparse *active = active_rows(descent);
    cholmod_sparse *product = active ? cholmod_aat(active, NULL, 0, 1, common) : NULL;
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
    cholmod_free_sparse(&active, common);
    return solution;
}

bool nb_descent_direction(struct nb_descent *descent)
{
    const struct nb_constraints *rows = descent->rows;
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
    const struct nb_constraints *rows = descent->rows;
    double sum = 0, curvature;
    for (int i = 0; i < rows->rows; ++i)
        sum += gradient(descent, i, descent->velocity[i] + t * descent->change[i], &curvature) * descent->change[i] /
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

bool nb_descent_step(struct nb_descent *descent)
{
    const struct nb_constraints *rows = descent->rows;
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
