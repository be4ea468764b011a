/* The basis rows are searched in row_basis_search.c. Here W is tested for symmetry, J = W_:b is read out of it, and
 * J M^-1 J^T x = W x is checked for one x. */
#include "solvers/sparse/row_basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "solvers/sparse/row_basis_search.h"

/* Relative to the diagonal: asymmetry, and what the rows found may leave of W x. */
#define ASYMMETRIC 1e-11
#define INEXACT 1e-8

static int is_symmetric(const struct nb_row_basis_matrix *a)
{
    for (int i = 0; i < a->blocks; ++i) {
        const double *own = nb_row_basis_block(a, i, i);
        for (int k = a->start[i]; k < a->start[i + 1] && a->column[k] <= i; ++k) {
            const double *block = a->value + 9 * (size_t)k;
            const double *mirror = nb_row_basis_block(a, a->column[k], i);
            const double *other = nb_row_basis_block(a, a->column[k], a->column[k]);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const double size = own[4 * r] * other[4 * c];
                    if (!(fabs(block[3 * r + c] - mirror[3 * c + r]) <= ASYMMETRIC * sqrt(fmax(size, 0))))
                        return 0;
                }
        }
    }
    return 1;
}

/* The columns and values of J. */
static int fill(const struct nb_row_basis_search *s, struct nb_row_basis *rows)
{
    const struct nb_row_basis_matrix *a = &s->matrix;
    size_t entries = 0;
    for (int k = 0; k < a->start[a->blocks]; ++k)
        for (int c = 0; c < 3; ++c)
            entries += s->index[3 * a->column[k] + c] >= 0;
    rows->row = malloc(((size_t)s->rank + 1) * sizeof *rows->row);
    rows->start = calloc((size_t)a->blocks + 1, sizeof *rows->start);
    rows->column = malloc((entries + 1) * sizeof *rows->column);
    rows->value = malloc((3 * entries + 1) * sizeof *rows->value);
    if (!rows->row || !rows->start || !rows->column || !rows->value)
        return 0;
    memcpy(rows->row, s->row, (size_t)s->rank * sizeof *rows->row);
    rows->blocks = a->blocks;
    rows->rank = s->rank;
    for (int i = 0, at = 0; i < a->blocks; rows->start[++i] = at) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                if (s->index[3 * a->column[k] + c] >= 0)
                    rows->column[at++] = s->index[3 * a->column[k] + c];
        nb_sort_ints(rows->column + rows->start[i], at - rows->start[i]);
        for (int k = rows->start[i]; k < at; ++k) {
            const int row = s->row[rows->column[k]];
            const double *block = nb_row_basis_block(a, i, row / 3);
            for (int r = 0; r < 3; ++r)
                rows->value[3 * (size_t)k + (size_t)r] = block[3 * r + row % 3];
        }
    }
    return 1;
}

static void multiply(const struct nb_row_basis_matrix *a, const double *x, double *y)
{
    for (int i = 0; i < a->blocks; ++i)
        for (int r = 0; r < 3; ++r) {
            double sum = 0;
            for (int k = a->start[i]; k < a->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c)
                    sum += a->value[9 * (size_t)k + (size_t)(3 * r + c)] * x[3 * a->column[k] + c];
            y[3 * i + r] = sum;
        }
}

/* y -= J M^-1 J^T x; z [rank] is scratch. */
static void subtract(const struct nb_row_basis_search *s, const struct nb_row_basis *rows, const double *x,
                     double *y, double *z)
{
    memset(z, 0, (size_t)s->rank * sizeof *z);
    for (int i = 0; i < rows->blocks; ++i)
        nb_row_basis_add_transposed(rows, i, x + 3 * i, z);
    nb_row_basis_solve(s, z);
    for (int i = 0; i < rows->blocks; ++i) {
        double part[3];
        nb_row_basis_apply(rows, i, z, part);
        for (int r = 0; r < 3; ++r)
            y[3 * i + r] -= part[r];
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Whether J M^-1 J^T x is W x, for one x without structure. A matrix that is not semidefinite may have
 * a Schur complement that is zero on the diagonal only. */
static enum nb_row_basis_outcome check(const struct nb_row_basis_search *s, const struct nb_row_basis *rows)
{
    const size_t n = 3 * (size_t)s->matrix.blocks;
    double *x = malloc((2 * n + (size_t)s->rank + 1) * sizeof *x), *y = x + n;
    if (!x)
        return NB_ROW_BASIS_NO_MEMORY;
    for (size_t i = 0; i < n; ++i)
        x[i] = sin(1.0 + (double)i);
    multiply(&s->matrix, x, y);
    const double most = largest(y, n);
    subtract(s, rows, x, y, y + n);
    const double off = largest(y, n);
    free(x);
    return off <= INEXACT * most ? NB_ROW_BASIS_FOUND : NB_ROW_BASIS_NONE;
}

enum nb_status nb_row_basis_find(struct nb_row_basis *rows, int blocks, const int *start,
                                 const int *column, const double *value, struct nb_error *error)
{
    struct nb_row_basis_search s = {.matrix = {blocks, start, column, value}, .most = 3 * blocks / 2};
    *rows = (struct nb_row_basis){0};
    if (blocks == 0 || !is_symmetric(&s.matrix))
        return NB_OK;
    enum nb_row_basis_outcome outcome = nb_row_basis_search(&s);
    if (outcome == NB_ROW_BASIS_FOUND)
        outcome = s.rank == 0 ? NB_ROW_BASIS_NONE : fill(&s, rows) ? check(&s, rows) : NB_ROW_BASIS_NO_MEMORY;
    nb_row_basis_search_free(&s);
    if (outcome != NB_ROW_BASIS_FOUND)
        nb_row_basis_free(rows);
    return outcome == NB_ROW_BASIS_NO_MEMORY
               ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the basis rows of %d block rows", blocks)
               : NB_OK;
}

void nb_row_basis_free(struct nb_row_basis *rows)
{
    free(rows->row);
    free(rows->start);
    free(rows->column);
    free(rows->value);
    *rows = (struct nb_row_basis){0};
}
