/* ||A^-1||_inf of a large system: LAPACK's estimator of a 1-norm (Hager 1984; Higham 1988) on A^-T, with solves by
 * a sparse factor.
 *
 * A diag(I, -I) = [M (LJ)^T; LJ -C] is symmetric quasi-definite, so an LDL^T factorisation exists
 * for every elimination order (Vanderbei 1995) and CHOLMOD's simplicial one serves without
 * pivoting. A local problem is reduced to L W L + C, made symmetric. Iterative refinement with A
 * as it is makes up for W or M that are not quite symmetric. */
#include <cholmod.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/floor/floor_private.h"
#include "problems/base/arena.h"

/* ||A^-1||_inf exactly, by a dense inverse.
 *
 * Momentum, velocity and compliance differ by many orders, so A itself looks singular when it is
 * only badly scaled. The equilibrated K = D_l A D_r is inverted, and A^-1 = D_r K^-1 D_l. */

/* ||diag(left) (A + shift) diag(right)||_inf */
static double floor_equilibrated_norm(const struct nb_floor_system *system, double shift)
{
    const struct nb_csr *a = &system->matrix;
    double norm = 0;
    for (int i = 0; i < a->rows; ++i) {
        double sum = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            const int c = a->column[k];
            const double extra = c == i && i >= system->dofs ? shift : 0;
            sum += fabs(a->value[k] + extra) * system->right[c];
        }
        norm = fmax(norm, system->left[i] * sum);
    }
    return norm;
}

static void fill(const struct nb_floor_system *system, double shift, double *dense)
{
    const struct nb_csr *a = &system->matrix;
    const size_t n = (size_t)system->size;
    for (int i = 0; i < a->rows; ++i) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            const int c = a->column[k];
            const double extra = c == i && i >= system->dofs ? shift : 0;
            dense[(size_t)i * n + (size_t)c] =
                system->left[i] * (a->value[k] + extra) * system->right[c];
        }
    }
}

/* Norms of K^-1 (plain) and of D_r K^-1 D_l. */
static void measure(const struct nb_floor_system *system, const double *dense, double *plain,
                    double *scaled)
{
    const size_t n = (size_t)system->size;
    *plain = *scaled = 0;
    for (size_t i = 0; i < n; ++i) {
        double sum = 0, weighted = 0;
        for (size_t j = 0; j < n; ++j) {
            sum += fabs(dense[i * n + j]);
            weighted += fabs(dense[i * n + j]) * system->left[j];
        }
        *plain = nb_worst(*plain, sum);
        *scaled = nb_worst(*scaled, system->right[i] * weighted);
    }
}

enum nb_status nb_floor_inverse_exact(const struct nb_floor_system *system, double shift,
                                      double *norm, struct nb_error *error)
{
    const size_t n = (size_t)system->size;
    enum nb_status status = NB_OK;
    double plain;
    double *dense = calloc(n * n + 1, sizeof *dense);
    lapack_int *pivots = calloc(n + 1, sizeof *pivots);
    *norm = n ? INFINITY : 0;
    if (!dense || !pivots) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to invert %zu rows", n);
        goto done;
    }
    if (n == 0)
        goto done;
    fill(system, shift, dense);
    const lapack_int order = (lapack_int)n;
    /* Column-major LAPACK sees K^T, whose inverse is the transposed inverse. */
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, dense, order, pivots) != 0 ||
        LAPACKE_dgetri(LAPACK_COL_MAJOR, order, dense, order, pivots) != 0)
        goto done;
    measure(system, dense, &plain, norm);
    /* As singular as rounding can tell. */
    if (!(plain * floor_equilibrated_norm(system, shift) < 1 / (DBL_EPSILON * (double)n)))
        *norm = INFINITY;
done:
    free(dense);
    free(pivots);
    return status;
}

/* Of what the velocities of a linear step's constraint rows are made up: of W p + q, W = J M^-1 J^T and
 * q = J M^-1 f, which a local problem has in its file. Where that sum cancels, |J||u| tells nothing. */

/* y += |A|^T |x| */
static void add_magnitudes(const struct nb_csr *a, const double *x, double *y)
{
    for (int i = 0; i < a->rows; ++i)
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            y[a->column[k]] += fabs(a->value[k] * x[i]);
}

enum nb_status nb_floor_velocity_terms(const struct nb_judge *judge, double *terms, struct nb_error *error)
{
    const int contact_rows = 3 * judge->contacts;
    double *forces = calloc((size_t)judge->dofs + 1, sizeof *forces);
    if (!forces)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the terms of %d rows", judge->dofs);
    add_magnitudes(judge->jacobian, judge->impulse, forces);
    if (judge->bilateral)
        add_magnitudes(judge->bilateral, judge->impulse + contact_rows, forces);
    enum nb_status status =
        nb_mass_factor_terms(judge->factor, judge->jacobian, judge->force, forces, terms, error);
    if (!status && judge->bilateral)
        status = nb_mass_factor_terms(judge->factor, judge->bilateral, judge->force, forces, terms + contact_rows,
                                   error);
    free(forces);
    return status;
}

enum { REFINEMENTS = 10 };

struct solver {
    const struct nb_floor_system *system;
    double shift;
    cholmod_common common;
    cholmod_factor *factor;
    void *memory;      /* of these arrays */
    double *work;      /* [3 size] of solves */
    double *x, *sign;  /* [size] the estimator's */
    int *direction;    /* [size] likewise */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct solver *solver = data;
    NB_ARRAY(arena, solver->work, 3 * (size_t)solver->system->size);
    NB_ARRAYS(arena, solver->system->size, solver->x, solver->sign, solver->direction);
}

/* Upper triangle of the matrix to factorise, by rows: CHOLMOD's lower triangle by columns. */
static enum nb_status symmetric_part(const struct solver *solver, struct nb_csr *matrix,
                                     struct nb_error *error)
{
    const struct nb_floor_system *system = solver->system;
    const struct nb_csr *a = &system->matrix;
    const int dofs = system->dofs, local = system->form == NB_LINEAR_LOCAL;
    struct nb_triplets list = {0};
    for (int i = 0; i < system->rows; ++i)
        nb_triplets_add(&list, local ? i : dofs + i, local ? i : dofs + i,
                        (local ? 1 : -1) * (system->compliance[i] + solver->shift));
    for (int i = 0; i < (local ? system->rows : dofs); ++i) {
        const int at = local ? nb_floor_velocity_index(system, i) : i;
        for (int k = a->start[at]; k < a->start[at + 1]; ++k) {
            const int c = local ? a->column[k] - dofs : a->column[k];
            if (local ? c >= 0 : c >= i)
                nb_triplets_add(&list, c < i ? c : i, c < i ? i : c,
                                !local ? (c < dofs ? 1 : -1) * a->value[k]
                                       : -system->row_scale[i] * a->value[k] * (c == i ? 1 : 0.5));
        }
    }
    for (int i = dofs; !local && i < system->size; ++i) /* the blocks of C */
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            if (a->column[k] > i)
                nb_triplets_add(&list, i, a->column[k], -a->value[k]);
    const int n = local ? system->rows : system->size;
    return nb_csr_take_triplets(matrix, n, n, &list, error);
}

/* *singular where a pivot vanished. */
static enum nb_status factorise(struct solver *solver, int *singular, struct nb_error *error)
{
    struct nb_csr part;
    enum nb_status status = symmetric_part(solver, &part, error);
    if (status)
        return status;
    const size_t n = (size_t)part.rows;
    cholmod_sparse view = {.nrow = n, .ncol = n, .nzmax = (size_t)part.start[n], .p = part.start,
                           .i = part.column, .x = part.value, .stype = -1, .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE, .sorted = 1,
                           .packed = 1};
    solver->factor = cholmod_analyze(&view, &solver->common);
    if (!solver->factor || !cholmod_factorize(&view, solver->factor, &solver->common) ||
        solver->common.status == CHOLMOD_OUT_OF_MEMORY)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to factorise %zu rows", n);
    else
        *singular = solver->factor->minor < n;
    nb_csr_free(&part);
    return status;
}

static int solve_factor(struct solver *solver, double *x)
{
    const size_t n = solver->factor->n;
    cholmod_dense view = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = x,
                          .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *result =
        cholmod_solve(CHOLMOD_A, solver->factor, &view, &solver->common);
    if (!result)
        return 0;
    memcpy(x, result->x, n * sizeof *x);
    cholmod_free_dense(&result, &solver->common);
    return 1;
}

/* y = (A + shift) x or its transpose. */
static void multiply(const struct solver *solver, int transposed, const double *x, double *y)
{
    const struct nb_floor_system *system = solver->system;
    if (transposed)
        nb_csr_multiply_transposed(&system->matrix, x, y, 0);
    else
        nb_csr_multiply(&system->matrix, x, y, 0);
    for (int i = system->dofs; i < system->size; ++i)
        y[i] += solver->shift * x[i];
}

static void negate_constraints(const struct nb_floor_system *system, double *x)
{
    for (int i = system->dofs; i < system->size; ++i)
        x[i] = -x[i];
}

/* One solve with the reduced local matrix. With B = -A_up the block W L, by columns of p:
 *   A:    (L W L + C) p = c - L a,      U = a + W L p
 *   A^T:  (L W L + C) z = c + (W L)^T a,  y = a - L z */
static int solve_local(struct solver *solver, int transposed, double *x)
{
    const struct nb_floor_system *system = solver->system;
    const struct nb_csr *a = &system->matrix;
    const int dofs = system->dofs;
    double *p = x + dofs;
    for (int i = 0; transposed && i < dofs; ++i)
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            if (a->column[k] >= dofs)
                x[a->column[k]] -= a->value[k] * x[i];
    for (int i = 0; !transposed && i < system->rows; ++i)
        p[i] -= system->row_scale[i] * x[nb_floor_velocity_index(system, i)];
    if (!solve_factor(solver, p))
        return 0;
    for (int i = 0; transposed && i < system->rows; ++i)
        x[nb_floor_velocity_index(system, i)] -= system->row_scale[i] * p[i];
    for (int i = 0; !transposed && i < dofs; ++i)
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            if (a->column[k] >= dofs)
                x[i] -= a->value[k] * x[a->column[k]];
    return 1;
}

static int solve_once(struct solver *solver, int transposed, double *x)
{
    if (solver->system->form == NB_LINEAR_LOCAL)
        return solve_local(solver, transposed, x);
    if (transposed)
        negate_constraints(solver->system, x);
    const int solved = solve_factor(solver, x);
    if (!transposed)
        negate_constraints(solver->system, x);
    return solved;
}

/* x becomes (A + shift)^-1 x or (A + shift)^-T x; half the digits are plenty for an estimate. */
static int solve(struct solver *solver, int transposed, double *x)
{
    const struct nb_floor_system *system = solver->system;
    const int n = system->size;
    const double *weight = transposed ? system->right : system->left;
    double *right = solver->work, *sum = right + n, *product = sum + n, first = 0;
    memcpy(right, x, (size_t)n * sizeof *x);
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int sweep = 0; sweep <= REFINEMENTS; ++sweep) {
        double norm = 0;
        multiply(solver, transposed, sum, product);
        for (int i = 0; i < n; ++i) {
            x[i] = right[i] - product[i];
            norm = nb_worst(norm, fabs(weight[i] * x[i]));
        }
        first = sweep ? first : norm;
        if (norm <= sqrt(DBL_EPSILON) * first)
            break;
        if (sweep == REFINEMENTS || !isfinite(norm) || !solve_once(solver, transposed, x))
            return 0;
        for (int i = 0; i < n; ++i)
            sum[i] += x[i];
    }
    memcpy(x, sum, (size_t)n * sizeof *x);
    return 1;
}

/* x = D_out A^-T D_in x or its transpose D_in A^-1 D_out x; NULL weights are ones. */
static int apply(struct solver *solver, int transposed, const double *in, const double *out,
                 double *x)
{
    const double *before = transposed ? out : in, *after = transposed ? in : out;
    for (int i = 0; before && i < solver->system->size; ++i)
        x[i] /= before[i];
    if (!solve(solver, !transposed, x))
        return 0;
    for (int i = 0; after && i < solver->system->size; ++i)
        x[i] /= after[i];
    return 1;
}

/* ||D_out A^-T D_in||_1 with inverse weights; infinite where the solves fail. */
static double estimate_norm(struct solver *solver, const double *in, const double *out)
{
    lapack_int kase = 0, save[3] = {0, 0, 0};
    double estimate = 0;
    for (;;) {
        LAPACKE_dlacn2_work(solver->system->size, solver->sign, solver->x, solver->direction, &estimate, &kase, save);
        if (kase == 0)
            return estimate;
        if (!apply(solver, kase == 2, in, out, solver->x))
            return INFINITY;
    }
}

enum nb_status nb_floor_inverse_estimate(const struct nb_floor_system *system, double shift,
                                         double *norm, struct nb_error *error)
{
    const size_t n = (size_t)system->size;
    struct solver solver = {.system = system, .shift = shift};
    int singular = 0;
    *norm = INFINITY;
    cholmod_start(&solver.common);
    solver.common.print = 0;
    solver.common.supernodal = CHOLMOD_SIMPLICIAL;
    enum nb_status status = factorise(&solver, &singular, error);
    if (status || singular)
        goto done;
    solver.memory = nb_arena_allocate(lay_out, &solver);
    if (!solver.memory) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to estimate a norm of %zu rows", n);
        goto done;
    }
    /* K^-T = D_l^-1 A^-T D_r^-1, the equilibrated matrix, tells whether A is singular. */
    const double plain = estimate_norm(&solver, system->right, system->left);
    if (plain * floor_equilibrated_norm(system, shift) < 1 / (DBL_EPSILON * (double)n))
        *norm = estimate_norm(&solver, NULL, NULL);
done:
    free(solver.memory);
    cholmod_free_factor(&solver.factor, &solver.common);
    cholmod_finish(&solver.common);
    return status;
}
