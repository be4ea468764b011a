/* The Newton matrix of a symmetric system is factorised by Cholesky in the ordering that was found once: bodies on a
 * grid, each bound to its neighbours, against the residual and against LU; what is not positive definite or not finite
 * breaks down. */
#include "tests/support/support.h"

#include "solvers/outer/proximal_newton/newton_matrix.h"
#include "solvers/sparse/clique_pattern.h"

enum { SIDE = 9,
       NODES = SIDE * SIDE,
       N = 3 * NODES,
       BONDS = 2 * SIDE * (SIDE - 1),
       MOST = 9 * 5 * NODES };

struct grid {
    int start[N + 1], row[MOST];
    double value[MOST], b[N];
};

/* Nodes beside and above each other are cliques of two. */
static void make_pattern(struct grid *grid)
{
    int start[BONDS + 1] = {0}, column[2 * BONDS], bonds = 0, at = 0;
    struct nb_clique_pattern blocks;
    for (int i = 0; i < NODES; ++i)
        for (int side = 0; side < 2; ++side) {
            if (side == 0 ? i % SIDE == SIDE - 1 : i + SIDE >= NODES)
                continue;
            column[2 * bonds] = i;
            column[2 * bonds + 1] = i + (side == 0 ? 1 : SIDE);
            bonds++;
            start[bonds] = 2 * bonds;
        }
    assert_int_equal(bonds, BONDS);
    assert_int_equal(nb_clique_pattern_create(&blocks, NODES, bonds, start, column, NULL, NULL, NULL), NB_OK);
    for (int j = 0; j < N; ++j) {
        grid->start[j] = at;
        for (int k = blocks.start[j / 3]; k < blocks.start[j / 3 + 1]; ++k)
            for (int r = 0; r < 3; ++r)
                grid->row[at++] = 3 * blocks.row[k] + r;
    }
    grid->start[N] = at;
    nb_clique_pattern_free(&blocks);
}

/* Symmetric, and dominated by its diagonal. */
static void make_values(struct grid *grid, double diagonal)
{
    for (int j = 0; j < N; ++j) {
        grid->b[j] = sin(j + 1);
        for (int k = grid->start[j]; k < grid->start[j + 1]; ++k) {
            const int i = grid->row[k], low = i < j ? i : j;
            grid->value[k] = i == j ? diagonal : sin(3 * low + 7 * (i + j));
        }
    }
}

/* NB_OK with x = A^-1 b. */
static enum nb_status solve(const struct grid *grid, struct nb_newton_matrix *matrix, double *x)
{
    memcpy(nb_newton_matrix_values(matrix), grid->value, (size_t)grid->start[N] * sizeof *grid->value);
    memcpy(x, grid->b, sizeof grid->b);
    const enum nb_status status = nb_newton_matrix_factorise(matrix);
    if (!status)
        nb_newton_matrix_solve(matrix, x);
    return status;
}

static double residual(const struct grid *grid, const double *x)
{
    double most = 0, rest[N];
    memcpy(rest, grid->b, sizeof rest);
    for (int j = 0; j < N; ++j)
        for (int k = grid->start[j]; k < grid->start[j + 1]; ++k)
            rest[grid->row[k]] -= grid->value[k] * x[j];
    for (int i = 0; i < N; ++i)
        most = fmax(most, fabs(rest[i]));
    return most;
}

TEST(symmetric_matrix_by_its_own_factor)
{
    static struct grid grid;
    const enum nb_newton_factors factors[] = {NB_FACTORS_CHOLESKY, NB_FACTORS_LU};
    double x[2][N], most = 0;
    make_pattern(&grid);
    for (int m = 0; m < 2; ++m) {
        struct nb_newton_matrix *matrix;
        assert_int_equal(nb_newton_matrix_create(&matrix, N, grid.start, grid.row, factors[m], NULL), NB_OK);
        for (int pass = 0; pass < 2; ++pass) { /* the ordering stays, values are new */
            make_values(&grid, 20 + 20 * pass);
            assert_int_equal(solve(&grid, matrix, x[m]), NB_OK);
            assert_true(residual(&grid, x[m]) <= 1000 * (double)NB_UNIT_ROUNDOFF);
        }
        nb_newton_matrix_free(matrix);
    }
    for (int i = 0; i < N; ++i)
        most = fmax(most, fabs(x[0][i] - x[1][i]));
    assert_true(most <= 100 * (double)NB_UNIT_ROUNDOFF);
}

/* Of one matrix LU, Cholesky, and LU again: each frees the other's factor, and the same values have the same bits. */
TEST(factors_by_turns)
{
    static struct grid grid;
    struct nb_newton_matrix *matrix;
    double x[4][N];
    if (sizeof(nb_real) == sizeof(float))
        skip(); /* LU alone */
    make_pattern(&grid);
    make_values(&grid, 20);
    assert_int_equal(nb_newton_matrix_create(&matrix, N, grid.start, grid.row, NB_FACTORS_BOTH, NULL), NB_OK);
    assert_true(nb_newton_matrix_has_lu(matrix) && nb_newton_matrix_has_symmetric(matrix));
    for (int turn = 0; turn < 4; ++turn) {
        memcpy(nb_newton_matrix_values(matrix), grid.value, (size_t)grid.start[N] * sizeof *grid.value);
        memcpy(x[turn], grid.b, sizeof grid.b);
        assert_int_equal(turn % 2 ? nb_newton_matrix_factorise_symmetric(matrix) : nb_newton_matrix_factorise(matrix),
                         NB_OK);
        nb_newton_matrix_solve(matrix, x[turn]);
        assert_true(residual(&grid, x[turn]) <= 1000 * (double)NB_UNIT_ROUNDOFF);
    }
    assert_memory_equal(x[0], x[2], sizeof x[0]);
    assert_memory_equal(x[1], x[3], sizeof x[1]);
    nb_newton_matrix_free(matrix);
}

TEST(indefinite_and_infinite_values_break_down)
{
    static struct grid grid;
    struct nb_newton_matrix *matrix;
    double x[N];
    if (sizeof(nb_real) == sizeof(float))
        skip(); /* LU, which passes what is indefinite */
    make_pattern(&grid);
    assert_int_equal(nb_newton_matrix_create(&matrix, N, grid.start, grid.row, NB_FACTORS_CHOLESKY, NULL), NB_OK);
    make_values(&grid, 20);
    for (int k = grid.start[N / 2]; k < grid.start[N / 2 + 1]; ++k)
        if (grid.row[k] == N / 2)
            grid.value[k] = -20;
    assert_int_equal(solve(&grid, matrix, x), NB_BREAKDOWN);
    make_values(&grid, 20);
    grid.value[0] = NAN;
    assert_int_equal(solve(&grid, matrix, x), NB_BREAKDOWN);
    make_values(&grid, 20);
    assert_int_equal(solve(&grid, matrix, x), NB_OK);
    nb_newton_matrix_free(matrix);
}
