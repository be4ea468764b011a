/* Sparse LU, small by KLU and large by UMFPACK: solutions of random systems, factors of new values in the
 * same pattern, zeros among them, with the bits of a factor that has seen no others, the sign of the determinant, and
 * matrices that have none. */
#include "problems/base/sorted.h"
#include "tests/support/support.h"

#include "solvers/sparse/sparse_lu.h"

enum { SMALL = 40, BIG = 1800, COLUMN = 14 };

struct system {
    int order, start[BIG + 1], row[COLUMN * BIG];
};

/* The diagonal and random rows in each column, ascending, without repetition. */
static void make_pattern(struct system *system, int order, uint32_t *seed)
{
    system->order = order;
    system->start[0] = 0;
    for (int j = 0; j < order; ++j) {
        int *row = system->row + system->start[j], count = 1;
        row[0] = j;
        for (int k = 1; k < COLUMN; ++k) {
            const int i = (int)(order * (0.5 + 0.499 * test_uniform(seed)));
            int known = 0;
            for (int m = 0; m < count; ++m)
                known |= row[m] == i;
            if (!known)
                row[count++] = i;
        }
        nb_sort_ints(row, count);
        system->start[j + 1] = system->start[j] + count;
    }
}

/* Diagonally dominant; every third entry off the diagonal is zero where `sparse`. */
static void make_values(const struct system *system, int sparse, double *value, uint32_t *seed)
{
    for (int j = 0; j < system->order; ++j)
        for (int k = system->start[j]; k < system->start[j + 1]; ++k) {
            const int own = system->row[k] == j;
            value[k] = own ? COLUMN : sparse && k % 3 == 0 ? 0 : test_uniform(seed);
        }
}

static double largest_residual(const struct system *system, const double *value, const double *x,
                               const double *b)
{
    static double rest[BIG];
    double most = 0;
    memcpy(rest, b, (size_t)system->order * sizeof *rest);
    for (int j = 0; j < system->order; ++j)
        for (int k = system->start[j]; k < system->start[j + 1]; ++k)
            rest[system->row[k]] -= value[k] * x[j];
    for (int i = 0; i < system->order; ++i)
        most = fmax(most, fabs(rest[i]));
    return most;
}

static void solve_systems(int order, int large)
{
    static struct system system;
    static double b[BIG], x[BIG];
    struct nb_sparse_lu *lu = NULL;
    uint32_t seed = 3;
    make_pattern(&system, order, &seed);
    assert_ok(nb_sparse_lu_create(&lu, order, system.start, system.row, 0, &why));
    assert_int_equal(nb_sparse_lu_operations(lu) > 1e8 / 6, large);
    double *value = nb_sparse_lu_values(lu);
    for (int pass = 0; pass < 4; ++pass) {
        make_values(&system, pass % 2, value, &seed);
        for (int k = system.start[pass]; k < system.start[2 * pass]; ++k)
            value[k] = -value[k]; /* of a dominant diagonal, which is positive: so many signs */
        assert_ok(nb_sparse_lu_update(lu, &why));
        assert_int_equal(nb_sparse_lu_sign(lu), pass % 2 ? -1 : 1);
        for (int i = 0; i < order; ++i)
            x[i] = b[i] = test_uniform(&seed);
        nb_sparse_lu_solve(lu, x);
        assert_true(largest_residual(&system, value, x, b) < 1e-13);
    }
    for (int k = system.start[7]; k < system.start[8]; ++k)
        value[k] = 0;
    assert_int_equal(nb_sparse_lu_update(lu, &why), NB_BREAKDOWN);
    value[system.start[7]] = NAN;
    assert_int_equal(nb_sparse_lu_update(lu, &why), NB_BREAKDOWN);
    make_values(&system, 0, value, &seed);
    assert_ok(nb_sparse_lu_update(lu, &why));
    nb_sparse_lu_free(lu);
}

TEST(test_small)
{
    solve_systems(SMALL, 0);
}

TEST(test_large)
{
    solve_systems(BIG, 1);
}

/* What one that kept its pivots from other values solves, and one that has seen no others. */
static void compare_with_new(struct nb_sparse_lu *used, const struct system *system, const double *value)
{
    static double x[SMALL], y[SMALL];
    struct nb_sparse_lu *fresh = NULL;
    memcpy(nb_sparse_lu_values(used), value, (size_t)system->start[SMALL] * sizeof *value);
    assert_ok(nb_sparse_lu_create(&fresh, SMALL, system->start, system->row, 0, &why));
    memcpy(nb_sparse_lu_values(fresh), value, (size_t)system->start[SMALL] * sizeof *value);
    assert_ok(nb_sparse_lu_update(used, &why));
    assert_ok(nb_sparse_lu_update(fresh, &why));
    for (int i = 0; i < SMALL; ++i)
        x[i] = y[i] = i + 1;
    nb_sparse_lu_solve(used, x);
    nb_sparse_lu_solve(fresh, y);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(nb_sparse_lu_sign(used), nb_sparse_lu_sign(fresh));
    nb_sparse_lu_free(fresh);
}

/* Each row in a cycle with the others, so that all are one block. */
static void make_cycle(struct system *system)
{
    system->order = SMALL;
    for (int j = 0; j < SMALL; ++j) {
        int *row = system->row + 3 * j;
        row[0] = j;
        row[1] = (j + 1) % SMALL;
        row[2] = (j + 5) % SMALL;
        nb_sort_ints(row, 3);
        system->start[j + 1] = 3 * (j + 1);
    }
}

/* In some passes the diagonal of a column is too small, or zero, to be a pivot. */
TEST(test_kept_pivots_change_no_bit)
{
    static struct system system;
    static double value[COLUMN * SMALL];
    static const double diagonal[] = {COLUMN, 1e-9, COLUMN, COLUMN, 0, COLUMN, 3e-6, 1e-5, COLUMN};
    struct nb_sparse_lu *used = NULL;
    uint32_t seed = 5;
    make_cycle(&system);
    assert_ok(nb_sparse_lu_create(&used, SMALL, system.start, system.row, 0, &why));
    for (size_t pass = 0; pass < sizeof diagonal / sizeof *diagonal; ++pass) {
        make_values(&system, pass % 3 == 0, value, &seed);
        for (int k = system.start[30]; k < system.start[31]; ++k)
            if (system.row[k] == 30)
                value[k] = diagonal[pass];
        compare_with_new(used, &system, value);
    }
    nb_sparse_lu_free(used);
}

TEST(test_empty)
{
    const int start[1] = {0}, row[1] = {0};
    double x = 0;
    struct nb_sparse_lu *lu = NULL;
    assert_ok(nb_sparse_lu_create(&lu, 0, start, row, 0, &why));
    assert_ok(nb_sparse_lu_update(lu, &why));
    nb_sparse_lu_solve(lu, &x);
    nb_sparse_lu_free(lu);
    nb_sparse_lu_free(NULL);
}
