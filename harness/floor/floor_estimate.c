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
    NB_ARRAY(arena, solver->x, solver->system->size);
    NB_ARRAY(arena, solver->sign, solver->system->size);
    NB_ARRAY(arena, solver->direction, solver->system->size);
}

/* Upper triangle of the matrix to factorise, by rows: CHOLMOD's lower triangle by columns. */
static enum nb_status symmetric_part(const struct solver *solver, struct nb_csr *matrix,
                                     struct nb_error *error)
{
    const struct nb_floor_system *system = solver->system;
    const struct nb_csr *a = &system->matrix;
    const int dofs = system->dofs, local = system->form == NB_LINEAR_LOCAL;
    const size_t room = (size_t)a->start[a->rows] + (size_t)system->rows + 1;
    enum nb_status status = NB_OUT_OF_MEMORY;
    int count = 0, *row = malloc(room * sizeof *row), *column = malloc(room * sizeof *column);
    double *value = malloc(room * sizeof *value);
    if (!row || !column || !value) {
        nb_fail(error, status, "no memory for a system of %d rows", system->size);
        goto done;
    }
    for (int i = 0; i < system->rows; ++i) {
        row[count] = column[count] = local ? i : dofs + i;
        value[count++] = (local ? 1 : -1) * (system->compliance[i] + solver->shift);
    }
    for (int i = 0; i < (local ? system->rows : dofs); ++i) {
        const int at = local ? nb_floor_velocity_index(system, i) : i;
        for (int k = a->start[at]; k < a->start[at + 1]; ++k) {
            const int c = local ? a->column[k] - dofs : a->column[k];
            if (local ? c < 0 : c < i)
                continue;
            row[count] = c < i ? c : i;
            column[count] = c < i ? i : c;
            value[count++] = !local ? (c < dofs ? 1 : -1) * a->value[k]
                                    : -system->row_scale[i] * a->value[k] * (c == i ? 1 : 0.5);
        }
    }
    for (int i = dofs; !local && i < system->size; ++i) /* the blocks of C */
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            if (a->column[k] > i) {
                row[count] = i;
                column[count] = a->column[k];
                value[count++] = -a->value[k];
            }
    const int n = local ? system->rows : system->size;
    status = nb_csr_from_triplets(matrix, n, n, count, row, column, value, error);
done:
    free(row);
    free(column);
    free(value);
    return status;
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
    if (plain * nb_floor_equilibrated_norm(system, shift) < 1 / (DBL_EPSILON * (double)n))
        *norm = estimate_norm(&solver, NULL, NULL);
done:
    free(solver.memory);
    cholmod_free_factor(&solver.factor, &solver.common);
    cholmod_finish(&solver.common);
    return status;
}
