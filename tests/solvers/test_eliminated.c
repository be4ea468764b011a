/* The diagonal of the Delassus operator with bilateral rows eliminated: of a particle by hand, and against a second
 * way, the Schur complement of the model's rows, those of principal axes among them, dense, compliant rows as rows:
 *
 *     d_i = W_ii - W_ib (W_bb + E / h^2)^-1 W_bi,   W = J M^-1 J^T column by column. */
#include "solvers/precision/f64.h" /* the model in float64 */

#include "solvers/model/model.h"
#include "solvers/sparse/eliminated.h"
#include "tests/support/deformable_samples.h"
#include "tests/support/limit_samples.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"

/* W of the model [n x n]. */
static double *dense_delassus(const struct nb_model *model, int n)
{
    double *w = malloc((size_t)(n * n) * sizeof *w), *unit = calloc((size_t)n, sizeof *unit);
    double *momentum = malloc(6 * (size_t)model->nodes * sizeof *momentum), *u = momentum + 3 * model->nodes;
    for (int j = 0; j < n; ++j) {
        unit[j] = 1;
        nb_model_response(model, unit, momentum, u);
        nb_bsr_multiply(&model->jacobian, u, w + j * n, 1);
        unit[j] = 0;
    }
    free(momentum);
    free(unit);
    return w;
}

/* The free diagonal and the eliminated one [3 contacts]. */
static void dense_diagonals(const struct nb_problem *problem, double *at_free, double *eliminated)
{
    struct nb_model *model;
    assert_int_equal(nb_model_create(&model, problem, 1, NULL), NB_OK);
    const int n = 3 * model->blocks, p = 3 * model->bilateral_blocks, rows = n - p;
    double *zero = calloc(3 * (size_t)model->nodes, sizeof *zero);
    nb_model_evaluate(model, zero);
    double *w = dense_delassus(model, n), *bilateral = malloc((size_t)(p * p) * sizeof *bilateral);
    double *x = malloc((size_t)(p * rows) * sizeof *x);
    for (int r = 0; r < p; ++r) {
        for (int c = 0; c < p; ++c)
            bilateral[r * p + c] =
                w[r * n + c] + (r / 3 == c / 3 ? model->bilateral_compliance[9 * (r / 3) + 3 * (r % 3) + c % 3] : 0);
        memcpy(x + r * rows, w + r * n + p, (size_t)rows * sizeof *x);
    }
    test_dense_solve(bilateral, p, x, rows);
    for (int i = 0; i < rows; ++i) {
        at_free[i] = eliminated[i] = w[(p + i) * n + p + i];
        for (int r = 0; r < p; ++r)
            eliminated[i] -= w[(p + i) * n + r] * x[r * rows + i];
    }
    free(x);
    free(bilateral);
    free(w);
    free(zero);
    nb_model_free(model);
}

/* Hard rows have a compliance of a millionth of their own, of which as many add up as hold a contact. */
static void assert_agrees(const struct nb_problem *problem, const char *what)
{
    const int rows = 3 * nb_problem_contacts(problem);
    double *at_free = malloc(3 * (size_t)rows * sizeof *at_free), *second = at_free + rows, *got = second + rows;
    assert_int_equal(nb_eliminated_diagonal(problem, got, NULL), NB_OK);
    dense_diagonals(problem, at_free, second);
    for (int i = 0; i < rows; ++i)
        if (!(got[i] > 0 && fabs(got[i] - second[i]) <= 1e-4 * (at_free[i] + second[i])))
            fail_msg("%s, row %d: %.15g, dense %.15g, free %.15g", what, i, got[i], second[i], at_free[i]);
    free(at_free);
}

/* On a rail along y and z: m along them, and along x what the rail's millionth leaves. */
TEST(a_particle_on_a_rail)
{
    const double m = 4, force[3] = {-1, 0, 0}, rail[6] = {1, 0, 0, 1, 0, 0}, tiny = 0x1p-20;
    for (int rows = 1; rows <= 2; ++rows) { /* given twice, it holds twice as well */
        OWNS(nb_problem_free) struct nb_problem problem;
        double diagonal[3];
        test_particle(&problem, m, 0.5, force);
        problem.linear.bilaterals = rows;
        nb_csr_free(&problem.linear.bilateral_jacobian);
        test_sparse(&problem.linear.bilateral_jacobian, rows, 3, rail);
        assert_int_equal(nb_eliminated_diagonal(&problem, diagonal, NULL), NB_OK);
        assert_near(diagonal[0], tiny / (rows + tiny) / m, 1e-16);
        assert_near(diagonal[1], 1 / m, 1e-16);
        assert_near(diagonal[2], 1 / m, 1e-16);
    }
}

TEST(linear_steps_and_their_condensed_form)
{
    for (int coupled = 0; coupled < 2; ++coupled) {
        OWNS(nb_problem_free) struct nb_problem global, local;
        double a[12], b[12];
        test_global(&global, 24, 4, 5, coupled, 21);
        test_condense(&global, &local, test_dense_solve);
        assert_agrees(&global, "global");
        assert_agrees(&local, "local");
        assert_int_equal(nb_eliminated_diagonal(&global, a, NULL), NB_OK);
        assert_int_equal(nb_eliminated_diagonal(&local, b, NULL), NB_OK);
        for (int i = 0; i < 12; ++i)
            assert_near(a[i], b[i], 1e-5 * a[i]);
    }
}

TEST(joints_of_all_kinds_some_compliant)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_limited(&problem, 0.1);
    assert_agrees(&problem, "limited");
}

TEST(elements_attachments_and_distances)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_deformable(&problem, 0.05);
    assert_agrees(&problem, "deformable");
}

TEST(nothing_to_eliminate)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double at_free[12], got[12];
    test_global(&problem, 24, 4, 0, 1, 21);
    assert_int_equal(nb_eliminated_diagonal(&problem, got, NULL), NB_OK);
    dense_diagonals(&problem, at_free, got);
    for (int i = 0; i < 12; ++i)
        assert_near(got[i], at_free[i], 1e-14 * at_free[i]);
    nb_problem_free(&problem);
    test_global(&problem, 6, 0, 2, 0, 3);
    assert_int_equal(nb_eliminated_diagonal(&problem, got, NULL), NB_OK);
}
