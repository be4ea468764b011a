/* Rows that span a Delassus operator: as many as its rank, exact where there are few enough of them, and none
 * of a matrix that has no such form. */
#include "tests/support/support.h"

#include <lapacke.h>

#include "solvers/sparse/row_basis.h"

enum { BODIES = 12, CONTACTS = 70, ROWS = 3 * CONTACTS, DOFS = 6 * BODIES };

/* In rows of 3x3 blocks, with those that are not zero and the diagonal. */
struct operator {
    double dense[ROWS * ROWS];
    int start[CONTACTS + 1], column[CONTACTS * CONTACTS];
    double value[9 * CONTACTS * CONTACTS];
};

static void store(struct operator *d)
{
    int count = 0;
    for (int i = 0; i < CONTACTS; ++i) {
        for (int j = 0; j < CONTACTS; ++j) {
            double size = i == j;
            for (int e = 0; e < 9; ++e) {
                const double entry = d->dense[(3 * i + e / 3) * ROWS + 3 * j + e % 3];
                d->value[9 * count + e] = entry;
                size += fabs(entry);
            }
            d->column[count] = j;
            count += !(size <= 0);
        }
        d->start[i + 1] = count;
    }
}

/* H^T M^-1 H of contacts between random bodies, or a body and the ground; every fourth is on its own body, so that
 * each has all its velocities. Of the masses, each is `ratio` times the one before. */
static void make_operator(struct operator *d, double ratio, uint32_t *seed)
{
    static double h[ROWS * DOFS];
    double inverse[BODIES];
    memset(h, 0, sizeof h);
    memset(d->dense, 0, sizeof d->dense);
    for (int b = 0; b < BODIES; ++b)
        inverse[b] = b == 0 ? 1 : inverse[b - 1] / ratio;
    for (int i = 0; i < CONTACTS; ++i)
        for (int side = 0; side < 2; ++side) {
            const int b = side == 0 ? i % BODIES : (int)((0.5 + test_uniform(seed)) * (BODIES + 3));
            for (int k = 0; k < 18 && b < BODIES && (side == 0 || b != i % BODIES); ++k)
                h[(3 * i + k / 6) * DOFS + 6 * b + k % 6] = (side == 0 ? 1 : -1) * test_uniform(seed);
        }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < ROWS; ++j)
            for (int k = 0; k < DOFS; ++k)
                d->dense[i * ROWS + j] += h[i * DOFS + k] * inverse[k / 6] * h[j * DOFS + k];
    store(d);
}

static struct nb_row_basis find(const struct operator *d)
{
    struct nb_row_basis rows;
    assert_ok(nb_row_basis_find(&rows, CONTACTS, d->start, d->column, d->value, &why));
    return rows;
}

static void assert_none(struct operator *d)
{
    store(d);
    OWNS(nb_row_basis_free) struct nb_row_basis rows = find(d);
    assert_int_equal(rows.rank, 0);
    assert_null(rows.row);
}

/* J dense [ROWS x rank]: its columns are those of W, and none is left out. */
static double *expand(const struct operator *d, const struct nb_row_basis *rows)
{
    double *j = calloc((size_t)ROWS * (size_t)rows->rank, sizeof *j);
    for (int i = 0; i < CONTACTS; ++i)
        for (int k = rows->start[i]; k < rows->start[i + 1]; ++k) {
            assert_true(k == rows->start[i] || rows->column[k] > rows->column[k - 1]);
            for (int r = 0; r < 3; ++r)
                j[(3 * i + r) * rows->rank + rows->column[k]] = rows->value[3 * k + r];
        }
    for (int i = 0; i < ROWS; ++i)
        for (int b = 0; b < rows->rank; ++b)
            assert_true(j[i * rows->rank + b] == d->dense[i * ROWS + rows->row[b]]);
    return j;
}

/* W = J M^-1 J^T, M^-1 by LAPACK. */
static void assert_exact(const struct operator *d, const struct nb_row_basis *rows, double tolerance)
{
    const int n = rows->rank;
    double *j = expand(d, rows), *mass = malloc((size_t)n * (size_t)n * sizeof *mass);
    double *x = malloc((size_t)ROWS * (size_t)n * sizeof *x), most = 0, off = 0;
    for (int a = 0; a < n; ++a)
        memcpy(mass + a * n, j + rows->row[a] * n, (size_t)n * sizeof *mass);
    memcpy(x, j, (size_t)ROWS * (size_t)n * sizeof *x); /* J^T by columns */
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', n, ROWS, mass, n, x, n), 0);
    for (int i = 0; i < ROWS; ++i)
        for (int k = 0; k < ROWS; ++k) {
            double sum = 0;
            for (int b = 0; b < n; ++b)
                sum += j[i * n + b] * x[k * n + b];
            most = fmax(most, fabs(d->dense[i * ROWS + k]));
            off = fmax(off, fabs(d->dense[i * ROWS + k] - sum));
        }
    if (!(off <= tolerance * most))
        fail_msg("J M^-1 J^T misses W by %g of %g", off, most);
    free(j);
    free(mass);
    free(x);
}

TEST(test_finds_the_bodies)
{
    static struct operator d;
    uint32_t seed = 7;
    for (int trial = 0; trial < 5; ++trial) {
        make_operator(&d, trial == 4 ? 3 : 1, &seed); /* 180 000 from first to last */
        OWNS(nb_row_basis_free) struct nb_row_basis rows = find(&d);
        assert_int_equal(rows.rank, DOFS);
        assert_int_equal(rows.blocks, CONTACTS);
        assert_exact(&d, &rows, trial == 4 ? 1e-8 : 1e-9);
    }
}

/* A row of zeros, as the padding of a bilateral one, spans nothing. */
TEST(test_leaves_out_zeros)
{
    static struct operator d;
    uint32_t seed = 8;
    make_operator(&d, 1, &seed);
    for (int i = 0; i < ROWS; ++i)
        d.dense[i * ROWS + 5] = d.dense[5 * ROWS + i] = 0;
    store(&d);
    OWNS(nb_row_basis_free) struct nb_row_basis rows = find(&d);
    assert_int_equal(rows.rank, DOFS);
    for (int b = 0; b < rows.rank; ++b)
        assert_true(rows.row[b] != 5);
}

TEST(test_refuses)
{
    static struct operator d;
    uint32_t seed = 9;
    make_operator(&d, 1, &seed); /* not symmetric by a part in 10^8 */
    d.dense[3 * ROWS] *= 1 + 1e-8;
    assert_none(&d);
    make_operator(&d, 1, &seed); /* not semidefinite */
    for (int i = 0; i < ROWS * ROWS; ++i)
        d.dense[i] = -d.dense[i];
    assert_none(&d);
    make_operator(&d, 1, &seed); /* the same of one body alone */
    for (int i = 0; i < ROWS; ++i)
        d.dense[i * ROWS + i] -= 1e-6;
    assert_none(&d);
    memset(d.dense, 0, sizeof d.dense); /* zero, and zero on the diagonal */
    assert_none(&d);
    for (int i = 0; i + 1 < ROWS; i += 2)
        d.dense[i * ROWS + i + 1] = d.dense[(i + 1) * ROWS + i] = 1;
    assert_none(&d);
    for (int i = 0; i < ROWS; ++i) /* more than half of the rows */
        d.dense[i * ROWS + i] = 2;
    assert_none(&d);
    make_operator(&d, 1, &seed);
    d.dense[4 * ROWS + 4] = NAN;
    assert_none(&d);
}

TEST(test_empty)
{
    const int start[1] = {0};
    OWNS(nb_row_basis_free) struct nb_row_basis rows;
    assert_ok(nb_row_basis_find(&rows, 0, start, NULL, NULL, &why));
    assert_int_equal(rows.rank, 0);
}
