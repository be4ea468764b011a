/* A preconditioner on a fixed system, whose block i of B couples bodies i and i + 1, of masses 1 and 1e4 in turn, with
 * A = B B^T + d 1, or on a given one. Vectors x and y drawn from a fixed sequence show whether P^-1 is finite, linear
 * and symmetric, its least eigenvalue whether it is positive definite, up to the rounding that A's condition allows.
 * Each application gets vectors in which all that it may not read is NaN and all that it may not write is compared
 * afterwards. The fixed number of rows is odd, as it is for many steps: what is left over by a loop over 2, 4 or 8 rows
 * is seen. */
#include "solvers/driver/precond_probe.h"

#include <lapacke.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "problems/problem.h"
#include "solvers/strategy.h"

enum { BLOCKS = 25,
       TRIES = 8,
       ALIGNED = 16,     /* entries */
       VECTORS = 9,      /* x, y, what is made of them, and an application's own three */
       MOST_ROWS = 1000, /* of a P^-1 that is taken apart column by column */
};

/* Rounding in P may be as large as its condition times a unit; 1e4 is that of the fixed system. That of a given one is
 * not known: there is seen what is gross. */
#define ALLOWED (1e4 * (double)NB_UNIT_ROUNDOFF)
static const double gross = 0.01;

/* All bits set are a NaN in every precision. */
enum { BLANK = 0xff };

struct probe {
    struct nb_bsr matrix;
    struct nb_operator op;
    const struct nb_precond *precond;
    void *self;
    int rows;
    int margin;        /* at least as many entries as a vector: what is written twice as far, or before, is seen */
    double allowed;
    nb_real *diagonal; /* [rows] */
    nb_real *room;     /* [VECTORS], each aligned, with a margin on either side */
    size_t stride;     /* from one to the next */
};

static nb_real *vector(const struct probe *probe, int index)
{
    return probe->room + (size_t)index * probe->stride;
}

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
    return nb_csr_from_triplets(matrix, 3 * BLOCKS, 3 * BLOCKS, entries, row, column, value, error);
}

static enum nb_status allocate(struct probe *probe, const struct nb_csr *matrix, struct nb_error *error)
{
    const size_t rows = (size_t)matrix->rows;
    const size_t margin = (rows + ALIGNED) / ALIGNED * ALIGNED;
    probe->rows = matrix->rows;
    probe->margin = (int)margin;
    probe->stride = 3 * margin;
    probe->diagonal = calloc(rows + 1, sizeof *probe->diagonal);
    probe->room = aligned_alloc(ALIGNED * sizeof *probe->room, VECTORS * probe->stride * sizeof *probe->room);
    if (!probe->diagonal || !probe->room)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a trial on %zu rows", rows);
    for (int i = 0; i < probe->rows; ++i)
        probe->diagonal[i] = (nb_real)nb_csr_diagonal(matrix, i);
    return nb_bsr_from_csr(&probe->matrix, matrix, 1, error);
}

static enum nb_status set_up(struct probe *probe, const char *name, const struct nb_csr *matrix,
                             struct nb_error *error)
{
    struct nb_options options = nb_options_default();
    options.precond = name;
    enum nb_status status = allocate(probe, matrix, error);
    if (status)
        return status;
    probe->op = (struct nb_operator){.strategy = nb_find_operator("assembled"),
                                     .matrix = &probe->matrix,
                                     .size = (size_t)probe->rows,
                                     .threads = 1,
                                     .diagonal = probe->diagonal,
                                     .options = &options};
    probe->precond = nb_find_precond(name);
    if (!probe->precond)
        return nb_fail(error, NB_BAD_INPUT, "no preconditioner %s", name);
    error->text[0] = '\0';
    if (probe->precond->setup)
        status = probe->precond->setup(&probe->self, &probe->op, error);
    if (!status && probe->precond->update)
        status = probe->precond->update(probe->self, &probe->op, error);
    probe->op.options = NULL;
    return nb_fail_named(error, status, name);
}

static double dot(int rows, const nb_real *x, const nb_real *y)
{
    double sum = 0;
    for (int i = 0; i < rows; ++i)
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
static enum nb_status check_written(int rows, int margin, const nb_real *after, struct nb_error *error)
{
    for (int k = 0; k < rows + 2 * margin; ++k) {
        const int i = k - margin;
        const bool inside = i >= 0 && i < rows;
        if (inside && is_blank(after + k))
            return nb_fail(error, NB_BREAKDOWN, "z[%d] of %d is not written, or depends on what stood there", i, rows);
        if (!inside && !is_blank(after + k))
            return nb_fail(error, NB_BREAKDOWN, "z[%d] is written, beside the %d entries of z", i, rows);
    }
    return NB_OK;
}

/* Where a plugin has brought AddressSanitizer (harness/cli/supervise.h) it stops at the line that reads or writes
 * there. */
static void guard(const char *name, const nb_real *vector, size_t rows, size_t margin)
{
    void (*mark)(const volatile void *begin, size_t size);
    *(void **)&mark = dlsym(RTLD_DEFAULT, name);
    if (!mark)
        return;
    mark(vector, margin * sizeof *vector);
    mark(vector + margin + rows, margin * sizeof *vector);
}

static enum nb_status apply(const struct probe *probe, const nb_real *r, nb_real *z, struct nb_error *error)
{
    nb_real *given = vector(probe, VECTORS - 3), *found = vector(probe, VECTORS - 2),
            *kept = vector(probe, VECTORS - 1);
    const size_t rows = (size_t)probe->rows, margin = (size_t)probe->margin, all = rows + 2 * margin;
    memset(given, BLANK, all * sizeof *given);
    memset(found, BLANK, all * sizeof *found);
    for (size_t i = 0; i < all; ++i) /* another NaN: what copies r's margin into z's is seen */
        *(unsigned char *)(given + i) = BLANK - 1;
    memcpy(given + margin, r, rows * sizeof *r);
    memcpy(kept, given, all * sizeof *kept);
    guard("__asan_poison_memory_region", given, rows, margin);
    guard("__asan_poison_memory_region", found, rows, margin);
    probe->precond->apply(probe->self, &probe->op, given + margin, found + margin);
    guard("__asan_unpoison_memory_region", given, rows, margin);
    guard("__asan_unpoison_memory_region", found, rows, margin);
    memcpy(z, found + margin, rows * sizeof *z);
    for (size_t k = 0; k < all; ++k)
        if (memcmp(given + k, kept + k, sizeof *kept) != 0)
            return nb_fail(error, NB_BREAKDOWN, "r[%d] is changed, which is to be read only", (int)k - probe->margin);
    return check_written(probe->rows, probe->margin, found, error);
}

/* P^-1 [rows x rows], column by column; NULL with NB_OK: there are too many. The caller frees. */
static enum nb_status take_apart(const struct probe *probe, double **matrix, struct nb_error *error)
{
    const size_t rows = (size_t)probe->rows;
    nb_real *unit = vector(probe, 0), *column = vector(probe, 1);
    enum nb_status status = NB_OK;
    *matrix = NULL;
    if (probe->rows > MOST_ROWS)
        return NB_OK;
    if (!(*matrix = calloc(rows * rows + 1, sizeof **matrix)))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a trial on %zu rows", rows);
    for (size_t j = 0; j < rows && !status; ++j) {
        memset(unit, 0, rows * sizeof *unit);
        unit[j] = 1;
        status = apply(probe, unit, column, error);
        for (size_t i = 0; i < rows; ++i)
            (*matrix)[i * rows + j] = (double)column[i];
    }
    return status;
}

/* What is not symmetric, at the row and column where it is least so. */
static enum nb_status tell_asymmetry(const struct probe *probe, double asymmetry, struct nb_error *error)
{
    const int n = probe->rows;
    double *matrix, largest = -1;
    int at[2] = {0, 0};
    enum nb_status status = take_apart(probe, &matrix, error);
    for (int i = 0; matrix && i < n; ++i)
        for (int j = 0; j < i; ++j) {
            const double difference = fabs(matrix[i * n + j] - matrix[j * n + i]);
            if (difference > largest) {
                largest = difference;
                at[0] = i;
                at[1] = j;
            }
        }
    if (!status && matrix)
        status = nb_fail(error, NB_BREAKDOWN, "not symmetric: y.P^-1 x and x.P^-1 y differ by %.1e; most in row %d, "
                                              "column %d of P^-1: %.3g, and %.3g in its mirror",
                         asymmetry, at[0], at[1],
                         matrix[at[0] * n + at[1]], matrix[at[1] * n + at[0]]);
    else if (!status)
        status = nb_fail(error, NB_BREAKDOWN, "not symmetric: y.P^-1 x and x.P^-1 y differ by %.1e", asymmetry);
    free(matrix);
    return status;
}

static enum nb_status judge(const struct probe *probe, struct nb_error *error)
{
    const int n = probe->rows;
    const nb_real *x = vector(probe, 0), *y = vector(probe, 1);
    nb_real *px = vector(probe, 2), *py = vector(probe, 3), *sum = vector(probe, 4), *psum = vector(probe, 5);
    double defect = 0;
    for (int i = 0; i < n; ++i)
        sum[i] = x[i] + 2 * y[i];
    enum nb_status status = apply(probe, x, px, error);
    if (!status)
        status = apply(probe, y, py, error);
    if (!status)
        status = apply(probe, sum, psum, error);
    if (status)
        return status;
    for (int i = 0; i < n; ++i)
        defect += pow((double)psum[i] - (double)px[i] - 2 * (double)py[i], 2);
    const double size = sqrt(dot(n, px, px)) + sqrt(dot(n, py, py));
    const double scale = size * (sqrt(dot(n, x, x)) + sqrt(dot(n, y, y)));
    const double asymmetry = fabs(dot(n, y, px) - dot(n, x, py)) / scale;
    if (!isfinite(size))
        return nb_fail(error, NB_BREAKDOWN, "P^-1 x is not finite");
    if (!(sqrt(defect) <= probe->allowed * size))
        return nb_fail(error, NB_BREAKDOWN, "not linear: P^-1 (x + 2 y) is off by %.1e", sqrt(defect) / size);
    if (!(asymmetry <= probe->allowed))
        return tell_asymmetry(probe, asymmetry, error);
    if (!(dot(n, x, px) > 0))
        return nb_fail(error, NB_BREAKDOWN, "not positive definite: x.P^-1 x = %.1e", dot(n, x, px));
    return NB_OK;
}

/* The eigenvalues of (P^-1 + P^-T) / 2: vectors drawn by chance miss a few negative ones. */
static enum nb_status judge_definite(const struct probe *probe, struct nb_error *error)
{
    const int n = probe->rows;
    double *matrix, *eigenvalue = calloc((size_t)n + 1, sizeof *eigenvalue);
    enum nb_status status = take_apart(probe, &matrix, error);
    for (int i = 0; matrix && i < n && !status; ++i)
        if (!(matrix[i * n + i] > 0)) /* as where z[i] is 0 whatever r is: an eigenvalue of 0 may be rounding */
            status = nb_fail(error, NB_BREAKDOWN, "not positive definite: row %d, column %d of P^-1 is %.2g", i, i,
                             matrix[i * n + i]);
    for (int i = 0; matrix && i < n; ++i)
        for (int j = 0; j <= i; ++j)
            matrix[i * n + j] = (matrix[i * n + j] + matrix[j * n + i]) / 2;
    if (!eigenvalue)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d eigenvalues", n);
    else if (!status && matrix && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, matrix, n, eigenvalue))
        status = nb_fail(error, NB_BREAKDOWN, "the eigenvalues of P^-1 are not found");
    else if (!status && matrix && !(eigenvalue[0] > -probe->allowed * eigenvalue[n - 1]))
        status = nb_fail(error, NB_BREAKDOWN, "not positive definite: eigenvalues of P^-1 from %.2g to %.2g",
                         eigenvalue[0], eigenvalue[n - 1]);
    free(eigenvalue);
    free(matrix);
    return status;
}

/* A is lent: what is written into it is another system. */
static enum nb_status check_operator(const struct probe *probe, const struct nb_csr *matrix, struct nb_error *error)
{
    struct nb_bsr fresh = {0};
    for (int i = 0; i < probe->rows; ++i)
        if (probe->diagonal[i] != (nb_real)nb_csr_diagonal(matrix, i))
            return nb_fail(error, NB_BREAKDOWN, "A's diagonal is changed in row %d, which is to be read only", i);
    enum nb_status status = nb_bsr_from_csr(&fresh, matrix, 1, error);
    const size_t values = status ? 0 : 9 * (size_t)fresh.start[fresh.rows];
    if (!status && memcmp(fresh.value, probe->matrix.value, values * sizeof *fresh.value) != 0)
        status = nb_fail(error, NB_BREAKDOWN, "entries of A are changed, which are to be read only");
    nb_bsr_free(&fresh);
    return status;
}

static enum nb_status try(struct probe *probe, const char *name, const struct nb_csr *matrix, struct nb_error *error)
{
    uint32_t state = 7;
    enum nb_status status = set_up(probe, name, matrix, error);
    for (int k = 0; k < TRIES && !status; ++k) {
        nb_real *x = vector(probe, 0), *y = vector(probe, 1);
        for (int i = 0; i < probe->rows; ++i) {
            x[i] = (nb_real)random_number(&state);
            y[i] = (nb_real)random_number(&state);
        }
        status = judge(probe, error);
    }
    status = status ? status : judge_definite(probe, error);
    if (status && status != NB_BREAKDOWN)
        return status;
    struct nb_error other;
    const enum nb_status changed = check_operator(probe, matrix, &other); /* before what that made of the answers */
    return changed ? nb_fail(error, changed, "%s", other.text) : status;
}

enum nb_status nb_precond_probe(const char *name, const struct nb_csr *given, struct nb_error *error)
{
    struct probe probe = {.allowed = given ? fmax(gross, ALLOWED) : ALLOWED};
    struct nb_csr fixed = {0};
    enum nb_status status = given ? NB_OK : build_matrix(&fixed, error);
    if (!status)
        status = try(&probe, name, given ? given : &fixed, error);
    if (probe.precond && probe.precond->free)
        probe.precond->free(probe.self);
    nb_csr_free(&fixed);
    nb_bsr_free(&probe.matrix);
    free(probe.diagonal);
    free(probe.room);
    return status;
}
