/* A preconditioner on one fixed system: block i of B couples bodies i and i + 1, of masses 1 and 1e4 in turn, and
 * A = B B^T + d 1. Vectors x and y drawn from a fixed sequence show whether P^-1 is finite, linear and symmetric, its
 * least eigenvalue whether it is positive definite, up to the rounding that A's condition allows. Each application gets
 * vectors in which all that it may not read is NaN and all that it may not write is compared afterwards. The number of
 * rows is odd, as it is for many steps: what is left over by a loop over 2, 4 or 8 rows is seen. */
#include "solvers/driver/precond_probe.h"

#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "problems/problem.h"
#include "solvers/strategy.h"

enum { BLOCKS = 25,
       N = 3 * BLOCKS,
       TRIES = 8,
       MARGIN = 16,
       ROOM = MARGIN + N + MARGIN };

/* Rounding in P may be as large as its condition times a unit; 1e4 is that of this system. */
#define ALLOWED (1e4 * (double)NB_UNIT_ROUNDOFF)

/* All bits set are a NaN in every precision. */
enum { BLANK = 0xff };

struct probe {
    struct nb_bsr matrix;
    struct nb_operator op;
    const struct nb_precond *precond;
    void *self;
    nb_real diagonal[N];
};

/* Evenly spread in (-1, 1), always the same. */
static double random_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 2147483648.0 - 1;
}

/* A = B B^T + d 1, block i of B being between bodies i and i + 1, of masses 1 and 1e4 in turn. */
static enum nb_status build_matrix(struct nb_csr *matrix, struct nb_error *error)
{
    double b[BLOCKS][2][9];
    int row[27 * BLOCKS], column[27 * BLOCKS], entries = 0;
    double value[27 * BLOCKS];
    uint32_t state = 1;
    for (int i = 0; i < BLOCKS; ++i)
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < 9; ++k)
                b[i][side][k] = random_number(&state) * ((i + side) % 2 ? 0.01 : 1);
    for (int i = 0; i < BLOCKS; ++i)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < BLOCKS; ++j)
            for (int k = 0; k < 9; ++k) {
                double sum = i == j && k % 4 == 0 ? 1e-3 : 0;
                for (int body = j > i ? j : i; body <= (j < i ? j : i) + 1; ++body)
                    for (int c = 0; c < 3; ++c)
                        sum += b[i][body - i][3 * (k / 3) + c] * b[j][body - j][3 * (k % 3) + c];
                row[entries] = 3 * i + k / 3;
                column[entries] = 3 * j + k % 3;
                value[entries++] = sum;
            }
    return nb_csr_from_triplets(matrix, N, N, entries, row, column, value, error);
}

static enum nb_status set_up(struct probe *probe, const char *name, struct nb_error *error)
{
    struct nb_options options = nb_options_default();
    struct nb_csr matrix = {0};
    options.precond = name;
    enum nb_status status = build_matrix(&matrix, error);
    if (!status)
        status = nb_bsr_from_csr(&probe->matrix, &matrix, 1, error);
    for (int i = 0; !status && i < N; ++i)
        for (int k = matrix.start[i]; k < matrix.start[i + 1]; ++k)
            if (matrix.column[k] == i)
                probe->diagonal[i] = (nb_real)matrix.value[k];
    nb_csr_free(&matrix);
    if (status)
        return status;
    probe->op = (struct nb_operator){.strategy = nb_find_operator("assembled"),
                                     .matrix = &probe->matrix, .size = N, .threads = 1,
                                     .diagonal = probe->diagonal, .options = &options};
    probe->precond = nb_find_precond(name);
    if (!probe->precond)
        return nb_fail(error, NB_BAD_INPUT, "no preconditioner %s", name);
    if (probe->precond->setup)
        status = probe->precond->setup(&probe->self, &probe->op, error);
    if (!status && probe->precond->update)
        status = probe->precond->update(probe->self, &probe->op, error);
    probe->op.options = NULL;
    return status;
}

static double dot(const nb_real *x, const nb_real *y)
{
    double sum = 0;
    for (int i = 0; i < N; ++i)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

static bool is_blank(const nb_real *value)
{
    nb_real blank;
    memset(&blank, BLANK, sizeof blank);
    return !memcmp(value, &blank, sizeof blank);
}

/* after: z with its margins, which were blank. */
static enum nb_status check_written(const nb_real *after, struct nb_error *error)
{
    for (int k = 0; k < ROOM; ++k) {
        const int i = k - MARGIN;
        const bool inside = i >= 0 && i < N;
        if (inside && is_blank(after + k))
            return nb_fail(error, NB_BREAKDOWN, "z[%d] of %d is not written, or depends on what stood there", i, N);
        if (!inside && !is_blank(after + k))
            return nb_fail(error, NB_BREAKDOWN, "z[%d] is written, beside the %d entries of z", i, N);
    }
    return NB_OK;
}

static enum nb_status apply(const struct probe *probe, const nb_real *r, nb_real *z, struct nb_error *error)
{
    _Alignas(64) nb_real given[ROOM], found[ROOM], kept[ROOM];
    memset(given, BLANK, sizeof given);
    memset(found, BLANK, sizeof found);
    memcpy(given + MARGIN, r, N * sizeof *r);
    memcpy(kept, given, sizeof kept);
    probe->precond->apply(probe->self, &probe->op, given + MARGIN, found + MARGIN);
    memcpy(z, found + MARGIN, N * sizeof *z);
    for (int k = 0; k < ROOM; ++k)
        if (memcmp(given + k, kept + k, sizeof *kept) != 0)
            return nb_fail(error, NB_BREAKDOWN, "r[%d] is changed, which is to be read only", k - MARGIN);
    return check_written(found, error);
}

static enum nb_status judge(const struct probe *probe, const nb_real *x, const nb_real *y,
                            struct nb_error *error)
{
    nb_real px[N], py[N], sum[N], psum[N];
    double defect = 0;
    for (int i = 0; i < N; ++i)
        sum[i] = x[i] + 2 * y[i];
    enum nb_status status = apply(probe, x, px, error);
    if (!status)
        status = apply(probe, y, py, error);
    if (!status)
        status = apply(probe, sum, psum, error);
    if (status)
        return status;
    for (int i = 0; i < N; ++i)
        defect += pow((double)psum[i] - (double)px[i] - 2 * (double)py[i], 2);
    const double size = sqrt(dot(px, px)) + sqrt(dot(py, py));
    const double scale = size * (sqrt(dot(x, x)) + sqrt(dot(y, y)));
    const double asymmetry = fabs(dot(y, px) - dot(x, py)) / scale;
    if (!isfinite(size))
        return nb_fail(error, NB_BREAKDOWN, "P^-1 x is not finite");
    if (!(sqrt(defect) <= ALLOWED * size))
        return nb_fail(error, NB_BREAKDOWN, "not linear: P^-1 (x + 2 y) is off by %.1e",
                       sqrt(defect) / size);
    if (!(asymmetry <= ALLOWED))
        return nb_fail(error, NB_BREAKDOWN, "not symmetric: y.P^-1 x and x.P^-1 y differ by %.1e",
                       asymmetry);
    if (!(dot(x, px) > 0))
        return nb_fail(error, NB_BREAKDOWN, "not positive definite: x.P^-1 x = %.1e", dot(x, px));
    return NB_OK;
}

/* The eigenvalues of (P^-1 + P^-T) / 2: vectors drawn by chance miss a few negative ones. */
static enum nb_status judge_definite(const struct probe *probe, struct nb_error *error)
{
    static double matrix[N * N];
    double eigenvalue[N];
    for (int j = 0; j < N; ++j) {
        nb_real unit[N] = {0}, column[N];
        unit[j] = 1;
        const enum nb_status status = apply(probe, unit, column, error);
        if (status)
            return status;
        for (int i = 0; i < N; ++i)
            matrix[i * N + j] = (double)column[i];
    }
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j)
            matrix[i * N + j] = (matrix[i * N + j] + matrix[j * N + i]) / 2;
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', N, matrix, N, eigenvalue))
        return nb_fail(error, NB_BREAKDOWN, "the eigenvalues of P^-1 are not found");
    if (!(eigenvalue[0] > -ALLOWED * eigenvalue[N - 1]))
        return nb_fail(error, NB_BREAKDOWN, "not positive definite: eigenvalues of P^-1 from %.2g to %.2g",
                       eigenvalue[0],
                       eigenvalue[N - 1]);
    return NB_OK;
}

enum nb_status nb_precond_probe(const char *name, struct nb_error *error)
{
    struct probe probe = {0};
    uint32_t state = 7;
    enum nb_status status = set_up(&probe, name, error);
    for (int k = 0; k < TRIES && !status; ++k) {
        nb_real x[N], y[N];
        for (int i = 0; i < N; ++i) {
            x[i] = (nb_real)random_number(&state);
            y[i] = (nb_real)random_number(&state);
        }
        status = judge(&probe, x, y, error);
    }
    if (!status)
        status = judge_definite(&probe, error);
    if (probe.precond && probe.precond->free)
        probe.precond->free(probe.self);
    nb_bsr_free(&probe.matrix);
    return status;
}
