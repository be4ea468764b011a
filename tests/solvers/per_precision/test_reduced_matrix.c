/* (1 + B W) dp = c by the basis rows of W is what LAPACK finds, block rows that are left out included; a W
 * without redundant rows has no such form, and none that is only known in single precision. */
#include "tests/support/method_support.h"

#include "solvers/model/model.h"
#include "solvers/outer/proximal_newton/reduced_matrix.h"

/* W of a wall of bricks. */
static void make_wall(struct nb_problem *local, int redundant)
{
    const char *const settings[] = {"columns=3", "rows=4", NULL};
    struct nb_problem wall, step;
    if (redundant) {
        test_scene(&wall, "dense_wall", settings);
        assert_ok(nb_problem_linearize(&wall, &step, &why));
        nb_problem_free(&wall);
    } else {
        test_global(&step, 60, 12, 0, 0, 5);
    }
    test_condense(&step, local, test_dense_solve);
    nb_problem_free(&step);
}

/* B unsymmetric with a positive symmetric part; every fifth contact is open. */
static void make_middle(const struct NB(nb_bsr) *W, nb_real *middle, int *left_out)
{
    uint32_t seed = 11;
    for (int i = 0; i < W->rows; ++i) {
        nb_real own[9];
        NB(nb_bsr_diagonal_block)(W, i, own);
        left_out[i] = i % 5 == 0;
        for (int e = 0; e < 9; ++e) {
            const double size = pow(10, i % 6 - 2) / (double)own[0];
            middle[9 * i + e] = left_out[i] ? 0 : (nb_real)(size * ((e % 4 == 0) + 0.4 * test_uniform(&seed)));
        }
    }
}

/* p = (1 + B W)^-1 p */
static void solve_densely(const struct NB(nb_bsr) *W, const nb_real *middle, double *p)
{
    const int n = 3 * W->rows;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a);
    lapack_int *pivot = malloc((size_t)n * sizeof *pivot);
    for (int i = 0; i < n; ++i)
        a[i * n + i] = 1;
    for (int i = 0; i < W->rows; ++i)
        for (int k = W->start[i]; k < W->start[i + 1]; ++k)
            for (int e = 0; e < 27; ++e)
                a[(3 * i + e / 9) * n + 3 * W->column[k] + e % 3] +=
                    (double)(middle[9 * i + 3 * (e / 9) + e / 3 % 3] * W->value[9 * k + e % 9]);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivot, p, 1), 0);
    free(a);
    free(pivot);
}

static void assert_solves(struct nb_reduced_matrix *reduced, const struct NB(nb_bsr) *W)
{
    const int n = 3 * W->rows;
    nb_real *middle = calloc(3 * (size_t)n, sizeof *middle), *p = calloc((size_t)n, sizeof *p);
    double *expected = calloc((size_t)n, sizeof *expected), size = 0;
    OWNS(free_at) int *left_out = calloc((size_t)W->rows, sizeof *left_out);
    uint32_t seed = 12;
    make_middle(W, middle, left_out);
    for (int i = 0; i < n; ++i)
        expected[i] = (double)(p[i] = (nb_real)test_uniform(&seed));
    solve_densely(W, middle, expected);
    for (int twice = 0; twice < 2; ++twice)
        assert_int_equal(nb_reduced_matrix_factorise(reduced, middle, left_out), NB_OK);
    nb_reduced_matrix_solve(reduced, middle, p);
    for (int i = 0; i < n; ++i)
        size = fmax(size, fabs(expected[i]));
    for (int i = 0; i < n; ++i)
        if (!(fabs((double)p[i] - expected[i]) <= 1e-9 * size))
            fail_msg("dp_%d is %.12g, not %.12g", i, (double)p[i], expected[i]);
    free(middle);
    free(p);
    free(expected);
}

TEST(test_wall)
{
    for (int redundant = 0; redundant < 2; ++redundant) {
        OWNS(nb_problem_free) struct nb_problem local;
        struct NB(nb_model) *model;
        struct nb_reduced_matrix *reduced;
        make_wall(&local, redundant);
        assert_int_equal(NB(nb_model_create)(&model, &local, 1, &why), NB_OK);
        assert_ok(nb_reduced_matrix_create(&reduced, &model->delassus, &why));
        if (redundant && sizeof(nb_matrix) == sizeof(double)) {
            assert_non_null(reduced);
            assert_int_equal(reduced->span.rank, 6 * 12); /* bricks */
            if (sizeof(nb_real) == sizeof(double)) /* or none are used: the matrix is factorised in nb_real */
                assert_solves(reduced, &model->delassus);
        } else {
            assert_null(reduced);
        }
        nb_reduced_matrix_free(reduced);
        NB(nb_model_free)(model);
    }
}
