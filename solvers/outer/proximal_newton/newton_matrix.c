/* The Newton matrix as compressed columns for the LU factor, and, where a Krylov method makes an attempt, as block
 * rows w A without blocks of zeros, with incomplete factors. The attempt may spend NB_KRYLOV_SHARE of what the factor
 * is expected to cost; after attempts that failed the next 1, 2, 4 ... steps make none (exponential backoff). */
#include "solvers/outer/proximal_newton/newton_matrix.h"
#include "solvers/outer/proximal_newton/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block_ilu.h"
#include "solvers/linear/krylov/bicgstab.h"
#include "solvers/sparse/factor.h"
#include "solvers/sparse/sparse_lu.h"

struct nb_newton_matrix {
    enum nb_inner_method method;
    int order;
    struct nb_sparse_lu *lu;  /* NULL: BiCGStab alone, or Cholesky's factor                 */
    struct nb_factor *factor; /* of a symmetric matrix, NULL: there is none                 */
    double *value, *own;      /* the LU's, or own                                           */
    size_t entries;           /* of the pattern                                             */
    int blocks;               /* of the pattern                                             */
    void *memory;             /* holds the arrays below, and the task's                     */
    int *start, *column;      /* block rows of the pattern, columns ascending               */
    int *source, *stride;     /* of a block of it: its first value; of a block column       */
    struct NB(nb_bsr) matrix; /* w A without the blocks that are zero                       */
    struct NB(nb_block_ilu) ilu;
    struct nb_bicgstab_task task;
    nb_real *weight, *right, *x; /* [order]                                                 */
    int factored;             /* the LU factor is of the present values                     */
    int by_symmetric;         /* the last factor is Cholesky's                              */
    int backoff, backoff_left;          /* after attempts that failed: steps that make none           */
};

void nb_newton_matrix_free(struct nb_newton_matrix *self)
{
    if (!self)
        return;
    nb_sparse_lu_free(self->lu);
    nb_factor_free(self->factor);
    NB(nb_bsr_free)(&self->matrix);
    NB(nb_block_ilu_free)(&self->ilu);
    free(self->own);
    free(self->memory);
    free(self);
}

/* Rows of the block pattern from its columns, which are as long. */
static void transpose_pattern(struct nb_newton_matrix *self, const int *start, const int *row)
{
    const int rows = self->order / 3;
    int *next = self->matrix.start; /* scratch */
    for (int i = 0; i < rows; ++i)
        next[i] = self->start[i] = start[3 * i] / 9;
    self->start[rows] = start[self->order] / 9;
    for (int j = 0; j < rows; ++j) {
        self->stride[j] = start[3 * j + 1] - start[3 * j];
        for (int at = start[3 * j]; at < start[3 * j + 1]; at += 3) {
            const int place = next[row[at] / 3]++;
            self->column[place] = j;
            self->source[place] = at;
        }
    }
    self->matrix.start[0] = 0;
}

static void multiply(const void *context, const nb_real *x, nb_real *y)
{
    const struct nb_newton_matrix *self = context;
    NB(nb_bsr_multiply)(&self->matrix, x, y, self->task.threads);
}

/* P^-1 of w A */
static void precondition(const void *context, const nb_real *r, nb_real *z)
{
    const struct nb_newton_matrix *self = context;
    NB(nb_block_ilu_apply)(&self->ilu, r, z);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_newton_matrix *self = data;
    NB_ARRAY(arena, self->start, self->order / 3 + 1);
    NB_ARRAY(arena, self->column, self->blocks);
    NB_ARRAY(arena, self->source, self->blocks);
    NB_ARRAY(arena, self->stride, self->order / 3);
    NB_ARRAY(arena, self->weight, self->order);
    NB_ARRAY(arena, self->right, self->order);
    NB_ARRAY(arena, self->x, self->order);
    NB_ARRAY(arena, self->task.work, nb_bicgstab_room((size_t)self->order));
}

static enum nb_status create_krylov(struct nb_newton_matrix *self, const int *start, const int *row,
                                    int threads, struct nb_error *error)
{
    const int rows = self->order / 3;
    self->blocks = start[self->order] / 9;
    enum nb_status status = NB(nb_bsr_allocate)(&self->matrix, rows, rows, self->blocks, error);
    if (!status)
        status = NB(nb_block_ilu_create)(&self->ilu, rows, self->blocks, error);
    if (status)
        return status;
    self->task = (struct nb_bicgstab_task){.n = (size_t)self->order, .context = self, .multiply = multiply,
                                           .precondition = precondition, .threads = threads};
    self->memory = nb_arena_allocate(lay_out, self);
    if (!self->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an inner solver of %d rows", self->order);
    for (int i = 0; i < self->order; ++i)
        self->weight[i] = 1;
    transpose_pattern(self, start, row);
    return NB_OK;
}

/* Products that an attempt may take before a factor of values with so many blocks is the better. */
static int products_worth(const struct nb_newton_matrix *self, double blocks)
{
    const double rows = self->order / 3;
    const double elimination = NB_COST_ILU_ELIMINATION * blocks * blocks / (4 * rows);
    const double product = NB_COST_ILU_BLOCK * blocks + NB_COST_ILU_UNKNOWN * self->order;
    const double budget = NB_KRYLOV_SHARE * nb_sparse_lu_expected(self->lu, 9 * blocks) - elimination;
    return (int)fmin(fmax(budget / product, 0), NB_MOST_PRODUCTS);
}

enum nb_status nb_newton_matrix_create(struct nb_newton_matrix **out, int order, const int *start,
                                       const int *row, enum nb_inner_method method, int threads,
                                       struct nb_error *error)
{
    const int single = sizeof(nb_real) == sizeof(float);
    struct nb_newton_matrix *self = calloc(1, sizeof *self);
    enum nb_status status = NB_OK;
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix");
    self->method = method != NB_INNER_BICGSTAB && single ? NB_INNER_DIRECT : method;
    self->order = order;
    self->entries = (size_t)start[order];
    if (self->method == NB_INNER_BICGSTAB || self->method == NB_INNER_SYMMETRIC) {
        self->value = self->own = calloc(self->entries + 1, sizeof *self->own);
        if (!self->own)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix");
        if (!status && self->method == NB_INNER_SYMMETRIC)
            return nb_factor_create(&self->factor, order, start, row, NB_FACTOR_OFTEN, error);
    } else {
        status = nb_sparse_lu_create(&self->lu, order, start, row, single, error);
        self->value = status ? NULL : nb_sparse_lu_values(self->lu);
    }
    if (!status && self->method == NB_INNER_AUTO && nb_sparse_lu_operations(self->lu) < NB_SMALL_FACTOR)
        self->method = NB_INNER_DIRECT;
    if (!status && self->method != NB_INNER_DIRECT)
        status = create_krylov(self, start, row, threads, error);
    return status;
}

void nb_newton_matrix_forget(struct nb_newton_matrix *self)
{
    self->backoff = self->backoff_left = 0;
    if (self->lu)
        nb_sparse_lu_forget(self->lu);
}

enum nb_status nb_newton_matrix_add_symmetric(struct nb_newton_matrix *self, const int *start, const int *row,
                                              struct nb_error *error)
{
    if (!self->lu || sizeof(nb_real) != sizeof(double) || nb_sparse_lu_operations(self->lu) < NB_TINY_FACTOR)
        return NB_OK;
    return nb_factor_create(&self->factor, self->order, start, row, NB_FACTOR_OFTEN, error);
}

int nb_newton_matrix_has_symmetric(const struct nb_newton_matrix *self)
{
    return self->factor != NULL;
}

double *nb_newton_matrix_values(struct nb_newton_matrix *self)
{
    return self->value;
}

nb_real *nb_newton_matrix_weights(struct nb_newton_matrix *self)
{
    return self->weight;
}

double nb_newton_matrix_operations(const struct nb_newton_matrix *self)
{
    if (self->lu)
        return nb_sparse_lu_operations(self->lu);
    if (self->factor)
        return nb_factor_operations(self->factor);
    return NB_MOST_PRODUCTS * (NB_COST_ILU_BLOCK * self->start[self->order / 3] + NB_COST_ILU_UNKNOWN * self->order);
}

/* w A without blocks of zeros, but for the diagonal ones. Zero where A is not finite. */
static int compress(struct nb_newton_matrix *self)
{
    const int rows = self->order / 3;
    struct NB(nb_bsr) *to = &self->matrix;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < rows; ++i) {
        const nb_real *w = self->weight + 3 * (size_t)i;
        for (int k = self->start[i]; k < self->start[i + 1]; ++k) {
            const int j = self->column[k], stride = self->stride[j];
            const double *from = self->value + self->source[k];
            nb_matrix *block = to->value + 9 * (size_t)count;
            double size = 0;
            for (int e = 0; e < 9; ++e) {
                const double value = from[e % 3 * stride + e / 3];
                block[e] = (nb_matrix)((double)w[e / 3] * value);
                size += fabs(value);
            }
            sum += size;
            if (size == 0 && j != i)
                continue;
            to->column[count++] = j;
        }
        to->start[i + 1] = count;
    }
    return isfinite(sum);
}

/* Solves w A x = w b by the Krylov method; what is left is *residual. */
static struct nb_linear_report solve_by_krylov(struct nb_newton_matrix *self, nb_real tolerance, int products,
                                               const double *b, nb_real *residual)
{
    for (int i = 0; i < self->order; ++i)
        self->right[i] = self->weight[i] * (nb_real)b[i];
    self->task.iterations = products;
    return nb_bicgstab(&self->task, self->right, tolerance, self->x, residual);
}

static void copy_solution(const struct nb_newton_matrix *self, double *x)
{
    for (int i = 0; i < self->order; ++i)
        x[i] = (double)self->x[i];
}

enum nb_status nb_newton_matrix_factorise_symmetric(struct nb_newton_matrix *self)
{
    const int *index = nb_factor_index(self->factor);
    double *lower = nb_factor_values(self->factor), sum = 0;
    for (size_t k = 0; k < self->entries; ++k)
        if (index[k] >= 0) {
            lower[index[k]] = self->value[k];
            sum += fabs(self->value[k]);
        }
    self->by_symmetric = 1;
    return isfinite(sum) ? nb_factor_update(self->factor, NULL) : NB_BREAKDOWN;
}

enum nb_status nb_newton_matrix_factorise(struct nb_newton_matrix *self)
{
    if (!self->lu)
        return nb_newton_matrix_factorise_symmetric(self);
    self->by_symmetric = 0;
    const enum nb_status status = nb_sparse_lu_update(self->lu, NULL);
    self->factored = !status;
    return status;
}

/* The preconditioner for new values. Zero where there is none, or an attempt is not worth while; *products is
 * what it may take. */
static int prepare_krylov(struct nb_newton_matrix *self, int *products)
{
    const int automatic = self->method == NB_INNER_AUTO;
    *products = NB_MOST_PRODUCTS;
    if (automatic && self->backoff_left > 0) {
        self->backoff_left--;
        return 0;
    }
    if (!compress(self))
        return 0;
    if (automatic)
        *products = products_worth(self, self->matrix.start[self->matrix.rows]);
    if (automatic && *products < NB_FEWEST_PRODUCTS)
        return 0;
    return NB(nb_block_ilu_update)(&self->ilu, &self->matrix) == NB_OK;
}

static void update_backoff(struct nb_newton_matrix *self, int converged)
{
    self->backoff = converged ? 0 : self->backoff > 0 ? 2 * self->backoff : 1;
    if (self->backoff > NB_LONGEST_BACKOFF)
        self->backoff = NB_LONGEST_BACKOFF;
    self->backoff_left = self->backoff;
}

/* By the Krylov method where it is prepared and gets there, else by a factor, else as near as it got. */
static enum nb_status solve(struct nb_newton_matrix *self, int prepared, int products, nb_real tolerance,
                            nb_real most, double *x, int *taken)
{
    nb_real residual = 0;
    *taken = 0;
    if (prepared) {
        const struct nb_linear_report report = solve_by_krylov(self, tolerance, products, x, &residual);
        const int converged = report.ending == NB_LINEAR_CONVERGED;
        *taken = report.iterations;
        if (!converged)
            update_backoff(self, 0);
        if (converged || !self->lu) {
            copy_solution(self, x);
            return residual <= nb_max(tolerance, most) ? NB_OK : NB_BREAKDOWN;
        }
    }
    if (!self->lu || nb_newton_matrix_factorise(self))
        return NB_BREAKDOWN;
    nb_sparse_lu_solve(self->lu, x);
    return NB_OK;
}

enum nb_status nb_newton_matrix_solve_within(struct nb_newton_matrix *self, nb_real tolerance,
                                             nb_real most, double *x, int *products)
{
    int limit = 0;
    self->factored = 0;
    const int prepared = self->method != NB_INNER_DIRECT && prepare_krylov(self, &limit);
    return solve(self, prepared, limit, tolerance, most, x, products);
}

void nb_newton_matrix_report_step(struct nb_newton_matrix *self, int paid)
{
    if (self->lu && !self->factored)
        update_backoff(self, paid);
}

int nb_newton_matrix_has_factor(const struct nb_newton_matrix *self)
{
    return self->lu || self->factor;
}

void nb_newton_matrix_solve(const struct nb_newton_matrix *self, double *x)
{
    if (self->by_symmetric)
        nb_factor_solve(self->factor, x, x, NULL);
    else
        nb_sparse_lu_solve(self->lu, x);
}

int nb_newton_matrix_sign(const struct nb_newton_matrix *self)
{
    return nb_sparse_lu_sign(self->lu);
}
