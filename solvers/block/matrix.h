/* Block sparse rows: 3x3 blocks, row-major inside a block. A contact is one block row (normal,
 * tangent, tangent); bilateral rows come in groups of three, the last padded with inert rows. */
#ifndef NB_MATRIX_H
#define NB_MATRIX_H

#include "problems/base/status.h"
#include "solvers/precision.h"

#define nb_bsr NB(nb_bsr)
#define nb_bsr_add_row NB(nb_bsr_add_row)
#define nb_bsr_allocate NB(nb_bsr_allocate)
#define nb_bsr_copy_pattern NB(nb_bsr_copy_pattern)
#define nb_bsr_diagonal_block NB(nb_bsr_diagonal_block)
#define nb_bsr_free NB(nb_bsr_free)
#define nb_bsr_from_csr NB(nb_bsr_from_csr)
#define nb_bsr_mirror NB(nb_bsr_mirror)
#define nb_bsr_multiply NB(nb_bsr_multiply)
#define nb_bsr_multiply_row NB(nb_bsr_multiply_row)
#define nb_bsr_refill NB(nb_bsr_refill)
#define nb_bsr_to_dense NB(nb_bsr_to_dense)
#define nb_bsr_relax NB(nb_bsr_relax)
#define nb_dot NB(nb_dot)
#define nb_dots NB(nb_dots)
#define nb_dots_and_residual NB(nb_dots_and_residual)
#define nb_norm NB(nb_norm)
#define nb_residual_norm NB(nb_residual_norm)

struct nb_bsr {
    int rows, columns;  /* in blocks */
    int *start;         /* [rows + 1]                                */
    int *column;        /* [start[rows]], ascending within a row     */
    nb_matrix *value;   /* [9 start[rows]]                           */
};

/* y = A x; x [3 columns], y [3 rows]. Same bits for any thread count. */
void nb_bsr_multiply(const struct nb_bsr *matrix, const nb_real *x, nb_real *y, int threads);

/* y [3] = block row i of A x. */
static inline void nb_bsr_multiply_row(const struct nb_bsr *matrix, int i, const nb_real *x, nb_real *y)
{
    y[0] = y[1] = y[2] = 0;
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
        for (int e = 0; e < 9; ++e)
            y[e / 3] += (nb_real)matrix->value[9 * (size_t)k + (size_t)e] * x[3 * matrix->column[k] + e % 3];
}

/* x [3 columns] += scale times scalar row `row` of A. */
static inline void nb_bsr_add_row(const struct nb_bsr *matrix, int row, nb_real scale, nb_real *x)
{
    const int i = row / 3, r = row % 3;
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
        for (int c = 0; c < 3; ++c)
            x[3 * matrix->column[k] + c] += scale * (nb_real)matrix->value[9 * (size_t)k + (size_t)(3 * r + c)];
}

/* One Gauss-Seidel sweep over scalar rows, in order or backward:
 * x_i += omega (b - A x)_i / diagonal_i. */
void nb_bsr_relax(const struct nb_bsr *matrix, const nb_real *diagonal, const nb_real *b,
                  nb_real *x, nb_real omega, int backward);

enum nb_status nb_bsr_allocate(struct nb_bsr *matrix, int rows, int columns, int blocks,
                               struct nb_error *error);
/* The pattern of another one, with zeros. */
enum nb_status nb_bsr_copy_pattern(struct nb_bsr *to, const struct nb_bsr *from, struct nb_error *error);
/* Of a symmetric pattern: the position of block (j, i) for each block (i, j). The caller frees *mirror [blocks]. */
enum nb_status nb_bsr_mirror(const struct nb_bsr *matrix, int **mirror, struct nb_error *error);
void nb_bsr_free(struct nb_bsr *matrix);

/* From a matrix in double whose sizes are multiples of 3. with_diagonal stores every diagonal block
 * even where the source has no entry in it. */
struct nb_csr;
enum nb_status nb_bsr_from_csr(struct nb_bsr *matrix, const struct nb_csr *source,
                               int with_diagonal, struct nb_error *error);
/* New values from a matrix in the same pattern. */
void nb_bsr_refill(struct nb_bsr *matrix, const struct nb_csr *source);

/* dense [(3 rows)^2], row by row, = the matrix, which is square. */
void nb_bsr_to_dense(const struct nb_bsr *matrix, nb_real *dense);

/* block [9] = the diagonal block of row i; zeros where the matrix has none. */
void nb_bsr_diagonal_block(const struct nb_bsr *matrix, int i, nb_real *block);

/* Vectors of length n. Sums are taken over fixed chunks of 1024 entries and then over the chunks in
 * order, so that the bits do not depend on the number of threads. */
nb_sum nb_dot(size_t n, const nb_real *x, const nb_real *y, int threads);
nb_real nb_norm(size_t n, const nb_real *x, int threads);
/* sqrt(r^T D^-1 r), D = diag A: the norm in which residuals of A x = b are measured. It does not change with the units
 * of the rows, A -> S A S, r -> S r. Where an entry of diagonal [n] is not positive it counts as one. */
nb_real nb_residual_norm(size_t n, const nb_real *r, const nb_real *diagonal, int threads);
/* Up to four inner products in one pass: sum[k] = x[k]^T y[k]. */
enum { NB_DOTS = 4 };
void nb_dots(size_t n, int count, const nb_real *const *x, const nb_real *const *y, nb_sum *sum, int threads);
/* The same of at most three, and after them sum[count] = r^T D^-1 r. */
void nb_dots_and_residual(size_t n, int count, const nb_real *const *x, const nb_real *const *y, const nb_real *r,
                          const nb_real *diagonal, nb_sum *sum, int threads);

#endif
