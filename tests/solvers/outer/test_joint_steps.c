/* One step with joints: Newton, the linearised step and a dense KKT system agree; judge and floors
 * measure it. */
#include "tests/support/support.h"

#include <lapacke.h>

#include "tests/support/joint_samples.h"
#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/mass_diagonal.h"

#include "harness/floor/floor.h"
#include "harness/judge/metrics_private.h"
#include "problems/joints.h"
#include "solvers/solve.h"

enum { DOFS = 6 * JOINTED_BODIES, ALL = DOFS + JOINTED_ROWS };

static void solve(const struct nb_problem *problem, const struct nb_options *options, double *u,
                  double *lambda)
{
    struct nb_solver *solver = NULL;
    struct nb_run run = {0};
    assert_ok(nb_solver_create(&solver, problem, options, &why));
    assert_int_equal(nb_solver_run(solver, options->newton_iterations, NULL, &run, NULL), NB_OK);
    assert_false(run.broke_down);
    nb_solver_solution(solver, u, lambda);
    nb_solver_free(solver);
}

/* [M -J^T; J C] (v, l) = (M u~, -c_b/h), all rows, at q-. */
static void dense_step(const struct nb_problem *problem, double *x)
{
    static double kkt[ALL * ALL], jacobian[JOINTED_ROWS * DOFS];
    const double h = problem->time_step;
    double value[JOINTED_ROWS];
    OWNS(nb_csr_free) struct nb_csr mass;
    int pivot[ALL], row = DOFS;
    memset(kkt, 0, sizeof kkt);
    assert_int_equal(nb_problem_mass(problem, &mass, NULL), NB_OK);
    OWNS(free_at) double *m = test_dense(&mass);
    jointed_values(problem, value);
    jointed_jacobian(problem, jacobian);
    test_multiply(m, DOFS, DOFS, problem->free_velocity, x);
    for (int i = 0; i < DOFS; ++i) {
        memcpy(kkt + i * ALL, m + i * DOFS, DOFS * sizeof *m);
        for (int k = 0; k < JOINTED_ROWS; ++k) {
            kkt[i * ALL + DOFS + k] = -jacobian[k * DOFS + i];
            kkt[(DOFS + k) * ALL + i] = jacobian[k * DOFS + i];
        }
    }
    for (int i = 0; i < JOINTED_JOINTS; ++i)
        for (int k = 0; k < nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]); ++k, ++row) {
            kkt[row * ALL + row] = problem->joints.compliance[6 * i + k] / (h * h);
            x[row] = -value[row - DOFS] / h;
        }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, ALL, 1, kkt, ALL, pivot, x, 1), 0);
}

/* Joints are linear in the first Newton step from u = 0: it must be the dense solution, and so must
 * the linearised step, in which compliant rows are folded into the mass. */
TEST(first_newton_step_is_the_linearised_step)
{
    for (int soft = 0; soft < 2; ++soft) {
        const struct nb_options options = test_whole_newton(1);
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        double x[ALL], u[DOFS], lambda[JOINTED_ROWS], v[DOFS], l[JOINTED_ROWS], kept[JOINTED_ROWS];
        make_jointed(&problem, 0.05, soft);
        dense_step(&problem, x);
        assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
        assert_int_equal(nb_problem_validate(&linear, NULL), NB_OK);
        assert_int_equal(linear.linear.bilaterals, soft ? JOINTED_ROWS - 10 : JOINTED_ROWS);
        solve(&problem, &options, u, lambda);
        solve(&linear, &options, v, l);
        for (int i = 0; i < DOFS; ++i) {
            assert_near(u[i], x[i], 1e-9);
            assert_near(v[i], x[i], 1e-9);
        }
        nb_problem_linear_multipliers(&problem, lambda, kept);
        for (int i = 0; i < JOINTED_ROWS; ++i)
            assert_near(problem.time_step * lambda[i], x[DOFS + i], 1e-8);
        for (int i = 0; i < linear.linear.bilaterals; ++i)
            assert_near(kept[i], l[i], 1e-6);
    }
}

TEST(folding_keeps_the_mass_symmetric)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    make_jointed(&problem, 0.05, 1);
    assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
    OWNS(free_at) double *mass = test_dense(&linear.linear.mass);
    for (int i = 0; i < DOFS; ++i)
        for (int j = 0; j < i; ++j)
            assert_true(mass[i * DOFS + j] == mass[j * DOFS + i]);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', DOFS, mass, DOFS), 0);
}

/* The judge sees the joints closed to rounding, in both precisions as far as these carry. */
TEST(newton_closes_the_joints)
{
    static const char *const precisions[] = {"f64", "f32"};
    for (int p = 0; p < 2; ++p)
        for (int soft = 0; soft < 2; ++soft) {
            const double unit = nb_unit_roundoff(precisions[p]);
            struct nb_options options = test_whole_newton(20);
            OWNS(nb_problem_free) struct nb_problem problem;
            double u[DOFS], lambda[JOINTED_ROWS];
            make_jointed(&problem, 0.02, soft);
            options.precision = precisions[p];
            options.shift = p ? 1e-6 : 0;
            options.newton_iterations = 40;
            solve(&problem, &options, u, lambda);
            const struct nb_metrics metrics = test_judged(&problem, u, lambda);
            assert_true(metrics.bilateral_error <= 100 * unit);
            assert_true(metrics.momentum_error <= 1e5 * unit);
            assert_true(metrics.constraint_error >= metrics.bilateral_error / problem.time_step);
            assert_true(p || metrics.natural_map < 1e-10);
        }
}

/* E lambda_b belongs to the error: without it a loaded compliant row would seem open. */
TEST(the_judge_counts_compliance)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[DOFS] = {0}, lambda[JOINTED_ROWS] = {0}, value[JOINTED_ROWS];
    make_jointed(&problem, 0, 1);
    jointed_values(&problem, value);
    lambda[0] = 300;
    const double error = test_judged(&problem, u, lambda).bilateral_error;
    assert_near(error, fabs(value[0] + 1e-4 * 300), 1e-14);
    assert_near(error, 0.03, 1e-14);
}

/* Joints alone give the floors a system, and what f32 leaves lies below them: the joints' opening
 * below the component-wise one, which knows that positions are rounded. */
TEST(floors_know_joints)
{
    const struct nb_options exact = test_whole_newton(40);
    struct nb_options single = test_whole_newton(40);
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_floor_reference reference;
    double u[DOFS], lambda[JOINTED_ROWS];
    make_jointed(&problem, 0.02, 1);
    solve(&problem, &exact, u, lambda);
    assert_int_equal(nb_floor_reference_compute(&problem, &exact, u, lambda, &reference, NULL),
                     NB_OK);
    const struct nb_floor floor = nb_floor_at(&reference, nb_unit_roundoff("f32"));
    assert_true(isfinite(floor.residual) && floor.residual > 0 && isfinite(floor.step));
    single.precision = "f32";
    single.shift = 1e-6;
    solve(&problem, &single, u, lambda);
    const struct nb_metrics metrics = test_judged(&problem, u, lambda);
    assert_true(metrics.momentum_error < floor.residual);
    /* A floor is met within a factor of 10: below that the order of summation decides. */
    assert_true(metrics.bilateral_error / problem.time_step < 10 * floor.component_constraint);
    assert_true(floor.component_constraint < 1e-3);
}

/* Beside h^2/E of less than u h^2 J M^-1 J^T the mass is rounding: the linearised step names the row and that
 * limit, here by a factor of M; the step itself is judged all the same. */
TEST(a_compliance_that_drowns_the_mass_is_named)
{
    enum { JOINT = 1, ROW = 2, HINGE = 5 };
    struct nb_problem problem, linear;
    struct nb_error error;
    double diagonal[100];
    test_scene(&problem, "hinge_limits", NULL);
    assert_int_equal(nb_problem_linearize(&problem, &linear, &error), NB_OK);
    assert_in_range(linear.linear.bilaterals, HINGE * JOINT + ROW + 1, 100);
    assert_int_equal(test_mass_diagonal(&linear.linear.mass, &linear.linear.bilateral_jacobian, diagonal, &error),
                     NB_OK);
    nb_problem_free(&linear);
    const double u = nb_unit_roundoff("f64");
    const double least = u * pow(problem.time_step, 2) * diagonal[HINGE * JOINT + ROW];
    double *compliance = problem.joints.compliance + NB_JOINT_ROWS * JOINT + ROW;
    *compliance = 1.001 * least;
    assert_int_equal(nb_problem_linearize_in(&problem, u, &linear, &error), NB_OK);
    nb_problem_free(&linear);
    *compliance = 0.999 * least;
    assert_int_equal(nb_problem_linearize_in(&problem, u, &linear, &error), NB_UNSUPPORTED);
    char range[40];
    snprintf(range, sizeof range, "or at least %.3g:", least);
    assert_non_null(strstr(error.text, "joints/compliance: row 2 of entry 1 is "));
    assert_non_null(strstr(error.text, range));
    *compliance = 1e-30;
    double *zeros = calloc((size_t)(nb_problem_dofs(&problem) + nb_problem_multipliers(&problem)), sizeof *zeros);
    const struct nb_metrics metrics = test_judged(&problem, zeros, zeros + nb_problem_dofs(&problem));
    assert_true(isfinite(metrics.natural_map) && isnan(metrics.natural_map_linearized));
    free(zeros);
    nb_problem_free(&problem);
}
