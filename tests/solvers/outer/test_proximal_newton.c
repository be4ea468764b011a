/* The proximal Newton method: real problems by others, the Coulomb limit that the damped Newton method
 * cannot decide, and agreement with it where both converge. */
#include "harness/simulate/simulate.h"
#include "tests/support/method_support.h"

#include "tests/support/real_files.h"

/* Every file of ../shared/fclib, the Capsules on which damped Newton stalls among them. */
TEST(test_real_problems)
{
    const char *const files[] = {
        "CubeH8", "LMGC_GlobalFrictionContactProblem00046", "Box_Stacks-i0122-82-5",
        "LMGC_100_PR_PerioBox-i00361-60-03000", "Capsules-i125-1213"};
    const struct nb_options options = test_options("proximal_newton", 120);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_real_file(files[i], &problem);
        const double natural_map = run_method(&problem, &options, NULL, NULL, NULL).natural_map;
        print_message("%s: natural map %.2g\n", files[i], natural_map);
        assert_true(natural_map < 1e-12);
    }
}

/* Of a solver that needs a device or a program where there is none. */
static int cannot_run(const struct nb_problem *problem, const struct nb_options *options)
{
    struct nb_solver *solver = NULL;
    const enum nb_status status = nb_solver_create(&solver, problem, options, &why);
    nb_solver_free(solver);
    return status == NB_UNSUPPORTED && (!strncmp(options->solver, "cuda_", 5) || !strcmp(options->solver, "external"));
}

/* Any configuration that every solver must serve: at rest on a plane, in every precision. */
TEST(test_every_solver_carries_the_weight)
{
    const char *settings[] = {"mass=3", NULL};
    const struct nb_registry_row *solver, *precision;
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", settings);
    for (size_t i = 0; (solver = nb_registry_row("solver", i)); ++i)
        for (size_t j = 0; (precision = nb_registry_row("precision", j)); ++j) {
            struct nb_options options = test_options("proximal_newton", 400);
            options.solver = solver->name;
            if (!strcmp(solver->name, "primal_descent")) /* relaxed contacts carry less at first */
                options.solver = "primal_descent:update=10";
            options.precision = precision->name;
            if (cannot_run(&problem, &options))
                continue;
            const double force = run_method(&problem, &options, NULL, NULL, NULL).normal_force;
            const double unit = nb_unit_roundoff(precision->name);
            /* Normal equations square the condition of the four redundant corners. */
            const int squares = !strcmp(solver->name, "implicit_complementarity");
            if (!(fabs(force / (3 * 9.81) - 1) < (squares ? 2e4 : 1e4) * unit))
                fail_msg("%s in %s: %.9g N", solver->name, precision->name, force);
        }
}

/* Unique solutions: with damped Newton, and between a global problem and its condensed form, bilateral
 * rows included. */
TEST(test_agrees_with_newton)
{
    struct nb_options newton = nb_options_default();
    newton.solver = "newton";
    const struct nb_options options = test_options("proximal_newton", 60);
    newton.linear = "cholesky";
    newton.precond = "none";
    newton.newton_iterations = 200;
    for (int coupled = 0; coupled < 2; ++coupled) {
        OWNS(nb_problem_free) struct nb_problem global, local;
        double a[14], b[14], c[14];
        test_global(&global, 24, 4, 2, coupled, 21);
        test_condense(&global, &local, test_dense_solve);
        assert_true(run_method(&global, &newton, NULL, a, NULL).natural_map < 1e-10);
        assert_true(run_method(&global, &options, NULL, b, NULL).natural_map < 1e-12);
        assert_true(run_method(&local, &options, NULL, c, NULL).natural_map < 1e-12);
        for (int i = 0; i < 14; ++i) {
            assert_true(fabs(a[i] - b[i]) < 1e-8);
            assert_true(fabs(b[i] - c[i]) < 1e-10);
        }
    }
}

TEST(test_bilateral_rows_alone_and_no_rows)
{
    const char *settings[] = {"gap=1", NULL};
    const struct nb_options options = test_options("proximal_newton", 20);
    OWNS(nb_problem_free) struct nb_problem problem;
    test_global(&problem, 18, 0, 5, 1, 9);
    assert_true(run_method(&problem, &options, NULL, NULL, NULL).natural_map < 1e-12);
    nb_problem_free(&problem);
    test_scene(&problem, "box_on_plane", settings);
    assert_true(run_method(&problem, &options, NULL, NULL, NULL).momentum_error < 1e-14);
}

/* Mass ratios of 1e4 across joints, which are no contacts to be found out about: a few steps. */
TEST(test_joints)
{
    test_solves_scenes("proximal_newton", 9, 1e-10, stiff_joints);
}

/* Stiff joints between light links, folded into the mass matrix: with forces alone unknown, D p has errors
 * of that matrix's condition, which a method that trusts it leaves in the gaps (7e-8). */
TEST(test_an_ill_conditioned_mass)
{
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem beam, linear;
    test_scene(&beam, "beam", NULL);
    assert_int_equal(nb_problem_linearize(&beam, &linear, NULL), NB_OK);
    assert_true(run_method(&linear, &options, NULL, NULL, NULL).natural_map < 1e-9);
}

/* What a run has taken anew does not reach the next one. */
TEST(test_a_second_run_is_the_first)
{
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem beam, linear;
    struct nb_solver *solver = NULL;
    struct nb_run run;
    test_scene(&beam, "beam", NULL);
    assert_int_equal(nb_problem_linearize(&beam, &linear, NULL), NB_OK);
    const size_t dofs = (size_t)nb_problem_dofs(&linear), rows = (size_t)nb_problem_multipliers(&linear);
    OWNS(free_at) double *first = calloc(dofs + rows, sizeof *first), *second = calloc(dofs + rows, sizeof *second);
    assert_true(first && second);
    assert_int_equal(nb_solver_create(&solver, &linear, &options, NULL), NB_OK);
    assert_int_equal(nb_solver_run(solver, 3000, NULL, &run, NULL), NB_OK);
    const int iterations = run.newton_iterations;
    nb_solver_solution(solver, first, first + dofs);
    assert_int_equal(nb_solver_run(solver, 3000, NULL, &run, NULL), NB_OK);
    nb_solver_solution(solver, second, second + dofs);
    assert_int_equal(run.newton_iterations, iterations);
    assert_memory_equal(first, second, (dofs + rows) * sizeof *first);
    nb_solver_free(solver);
}

/* A ball of mass 1 between two walls along x, in FCLIB's global form: U_1 = v_x + w_1 and
 * U_2 = -v_x + w_2, both to be 0 or more. */
static void make_squeezed(struct nb_problem *problem, double w1, double w2)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double frames[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, -1};
    struct nb_linear_step *step = &problem->linear;
    test_linear_step(problem, NB_LINEAR_GLOBAL, "squeezed", 3, 2, 0);
    test_sparse(&step->mass, 3, 3, identity);
    test_sparse(&step->contact_jacobian, 6, 3, frames);
    step->contact_velocity[0] = w1;
    step->contact_velocity[3] = w2;
    step->friction[0] = step->friction[1] = 0.5;
    assert_int_equal(nb_problem_validate(problem, NULL), NB_OK);
}

/* The natural map that the default reaches at its own end. */
static double default_end(const struct nb_problem *problem, struct nb_run *run)
{
    const struct nb_options options = nb_options_default();
    return run_method(problem, &options, NULL, NULL, run).natural_map;
}

/* Walls that leave a gap hold the ball; walls that overlap have no solution, and the run says so. */
TEST(test_contradictory_constraints)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_run run;
    make_squeezed(&problem, -0.3, 0.4);
    assert_true(default_end(&problem, &run) < 1e-14);
    assert_string_equal(run.detail, "");
    nb_problem_free(&problem);
    make_squeezed(&problem, -0.3, 0.2);
    assert_true(default_end(&problem, &run) > 1e-4);
    assert_non_null(strstr(run.detail, "no solution"));
    assert_true(run.newton_iterations < 3000);
}

/* A motion is fast in its unit only: forces of 1e100 N are those of 1 N to the solver. */
TEST(test_enormous_motion)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_run run;
    make_squeezed(&problem, 0, 0.1);
    problem.linear.force[0] = -1e100;
    assert_true(test_method_in(&problem, "proximal_newton", "f64", 60, NULL, NULL, &run).step_error < 1e-9);
    assert_false(run.broke_down);
}

struct iterates {
    double *lambda;
    int rows, count;
};

static bool keep_iterate(void *context, int iteration, const double *u, const double *lambda,
                         const struct nb_linear_report *linear)
{
    struct iterates *all = context;
    (void)u;
    (void)linear;
    assert_int_equal(iteration, all->count);
    memcpy(all->lambda + (size_t)all->rows * (size_t)iteration, lambda,
           (size_t)all->rows * sizeof *lambda);
    return ++all->count < 60;
}

/* Spheres in a cube, linearised: forces are unique. */
static void linear_balls(struct nb_problem *problem)
{
    const char *settings[] = {"count=10", "friction=0.4", NULL};
    const struct nb_options options = test_options("proximal_newton", 100);
    OWNS(nb_problem_free) struct nb_problem scene;
    test_scene(&scene, "balls_in_cube", settings);
    assert_ok(nb_simulate(&scene, 120, &options, NULL, NULL, &why));
    assert_ok(nb_problem_linearize(&scene, problem, &why));
}

/* Whether by sweeps or by Newton's method, an iteration is the same watched or not, and again. */
TEST(test_iterations_count)
{
    struct nb_problem problem;
    struct nb_solver *solver = NULL;
    struct nb_run run;
    linear_balls(&problem);
    const struct nb_options options = test_options("proximal_newton", 60);
    struct iterates all = {.rows = nb_problem_multipliers(&problem)};
    const struct nb_observer observer = {.context = &all, .observe = keep_iterate};
    all.lambda = calloc(61 * (size_t)all.rows + 1, sizeof *all.lambda);
    OWNS(free_at) double *lambda = calloc((size_t)all.rows + 1, sizeof *lambda);
    OWNS(free_at) double *u = calloc((size_t)nb_problem_dofs(&problem) + 1, sizeof *u);
    assert_ok(nb_solver_create(&solver, &problem, &options, &why));
    assert_ok(nb_solver_run(solver, 60, &observer, &run, &why));
    assert_true(all.count > 3);
    for (int k = 0; k < all.count; ++k) {
        assert_ok(nb_solver_run(solver, k, NULL, &run, &why));
        nb_solver_solution(solver, u, lambda);
        assert_memory_equal(lambda, all.lambda + (size_t)all.rows * (size_t)k,
                            (size_t)all.rows * sizeof *lambda);
    }
    nb_solver_free(solver);
    nb_problem_free(&problem);
    free(all.lambda);
}

TEST(test_sweeps_change_no_answer)
{
    const struct nb_registry_row *precision;
    OWNS(nb_problem_free) struct nb_problem problem;
    linear_balls(&problem);
    const int rows = nb_problem_multipliers(&problem);
    OWNS(free_at) double *with = calloc((size_t)rows + 1, sizeof *with);
    OWNS(free_at) double *without = calloc((size_t)rows + 1, sizeof *without);
    for (size_t j = 0; (precision = nb_registry_row("precision", j)); ++j) {
        struct nb_options options = test_options("proximal_newton", 200);
        const double unit = nb_unit_roundoff(precision->name);
        double most = 0;
        options.precision = precision->name;
        assert_true(run_method(&problem, &options, NULL, with, NULL).natural_map < 100 * unit);
        options.solver = "proximal_newton:sweeps=no";
        assert_true(run_method(&problem, &options, NULL, without, NULL).natural_map < 100 * unit);
        for (int i = 0; i < rows; ++i)
            most = fmax(most, fabs(with[i]));
        for (int i = 0; i < rows; ++i)
            assert_true(fabs(with[i] - without[i]) < 1e5 * unit * most);
    }
}
