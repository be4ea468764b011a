/* Nonlinear methods at their limits: nothing to do, no friction, redundant and contradictory rows, rows
 * without response, overflow, pauses, bad settings. */
#include "tests/support/outer_support.h"

#include "solvers/registry.h"

static int all_finite(const double *values, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

TEST(test_no_contacts_and_no_iterations)
{
    const char *const settings[] = {"gap=1", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6];
    test_scene(&problem, "box_on_plane", settings);
    for (int m = 0; m < ALL_METHODS; ++m)
        for (int iterations = 0; iterations < 4; iterations += 3) {
            const struct nb_options options = method(any_method(m), iterations);
            const struct nb_metrics result = run_method(&problem, &options, u, NULL, NULL);
            assert_true(result.momentum_error < 1e-13);
            assert_true(fabs(u[2] + 9.81 * problem.time_step) < 1e-15);
        }
}

TEST(test_no_friction)
{
    const char *const settings[] = {"friction=0", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6];
    test_scene(&problem, "sliding_box", settings);
    for (int m = 0; m < COULOMB_METHODS; ++m) {
        const struct nb_options options = method(coulomb_methods[m], 1000);
        assert_true(run_method(&problem, &options, u, NULL, NULL).natural_map < 1e-8);
        assert_true(fabs(u[0] - 2) < 1e-8);
    }
}

/* A global problem of one particle: bilateral rows along x with the velocities given. */
static void make_particle(struct nb_problem *problem, int contacts, int bilaterals,
                          const double *velocities)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double frames[27] = {0}, rails[27] = {0};
    struct nb_linear_step *step = &problem->linear;
    test_linear_step(problem, NB_LINEAR_GLOBAL, "particle", 3, contacts, bilaterals);
    for (int i = 0; i < 3 * contacts; ++i)
        frames[3 * i + (i + 2) % 3] = 1; /* a contact's normal is z */
    for (int i = 0; i < bilaterals; ++i) {
        rails[3 * i] = 1;
        step->bilateral_velocity[i] = velocities[i];
    }
    test_sparse(&step->mass, 3, 3, identity);
    test_sparse(&step->contact_jacobian, 3 * contacts, 3, frames);
    if (bilaterals > 0)
        test_sparse(&step->bilateral_jacobian, bilaterals, 3, rails);
    step->force[2] = -1;
    step->force[0] = 0.2;
    for (int i = 0; i < contacts; ++i)
        step->friction[i] = 0.5;
}

/* Three times the same contact: W is singular, the motion is not. */
TEST(test_redundant_contacts)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double lambda[9];
    make_particle(&problem, 3, 0, NULL);
    for (int m = 0; m < COULOMB_METHODS; ++m) {
        const struct nb_options options = method(coulomb_methods[m], 1000);
        assert_true(run_method(&problem, &options, NULL, lambda, NULL).natural_map < 1e-8);
        assert_true(fabs(lambda[0] + lambda[3] + lambda[6] - 1) < 1e-8);
        assert_true(fabs(lambda[1] + lambda[4] + lambda[7] + 0.2) < 1e-8);
    }
}

/* x must move at -1 and at +1: whatever a method does, it ends, finite or as a breakdown. */
TEST(test_contradictory_rows)
{
    const double velocities[] = {1, -1};
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[3], lambda[8];
    make_particle(&problem, 1, 2, velocities);
    for (int m = 0; m < ALL_METHODS; ++m) {
        const struct nb_options options = method(any_method(m), 2000);
        struct nb_run run;
        run_method(&problem, &options, u, lambda, &run);
        assert_true(all_finite(u, 3) && all_finite(lambda, 5));
    }
}

/* A contact that meets no velocity and yet closes has no solution; methods that go row by row solve the
 * other one all the same. */
TEST(test_rows_without_response)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double lambda[6];
    make_particle(&problem, 2, 0, NULL);
    for (int i = 0; i < 3; ++i)
        problem.linear.contact_jacobian.value[3 + i] = 0;
    problem.linear.contact_velocity[3] = -1;
    for (int m = 0; m < ALL_METHODS; ++m) {
        const struct nb_options options = method(any_method(m), 500);
        run_method(&problem, &options, NULL, lambda, NULL);
        assert_true(all_finite(lambda, 6));
        if (!strncmp(any_method(m), "nsgs", 4) || !strncmp(any_method(m), "pgs", 3))
            assert_true(fabs(lambda[0] - 1) < 1e-6);
    }
}

/* Values beyond the square root of the largest number. */
TEST(test_overflow_is_a_breakdown)
{
    const char *const precisions[] = {"f64", "f32"};
    const double huge[] = {1e200, 1e30};
    for (int p = 0; p < 2; ++p) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double u[3], lambda[8];
        make_particle(&problem, 1, 1, &huge[p]);
        problem.linear.force[2] = -huge[p] * (p ? 1e8 : 1e108);
        for (int m = 0; m < ALL_METHODS; ++m) {
            struct nb_options options = method(any_method(m), 50);
            struct nb_run run;
            options.precision = precisions[p];
            run_method(&problem, &options, u, lambda, &run);
            if (run.broke_down)
                assert_true(strlen(run.detail) > 0);
        }
    }
}

/* Two contacts whose normal rows are coupled by -0.9; the second one opens. */
static void make_coupled(struct nb_problem *problem)
{
    struct nb_linear_step *step = &problem->linear;
    double w[36] = {0};
    for (int i = 0; i < 6; ++i)
        w[7 * i] = 1;
    w[3] = w[18] = -0.9;
    test_linear_step(problem, NB_LINEAR_LOCAL, "coupled", 0, 2, 0);
    test_sparse(&step->delassus, 6, 6, w);
    step->contact_velocity[0] = -0.01;
    step->contact_velocity[3] = 1;
    step->friction[0] = step->friction[1] = 0.3;
    assert_int_equal(nb_problem_validate(problem, NULL), NB_OK);
}

/* Forces that stand still for long do not end a run while something else of the method is under way: sweeps
 * without friction, a slip that is held for many iterations, the multipliers of a split. */
TEST(test_pauses_are_no_ends)
{
    const struct {
        const char *method;
        int coupled; /* two contacts, or one that slides */
    } runs[] = {{"pgs:warm=50:friction=cone", 0}, {"apgd:update=100", 0}, {"admm", 1}};
    const double pushed[3] = {-1, 1, 0};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        const struct nb_options options = test_options(runs[i].method, 1000);
        if (runs[i].coupled)
            make_coupled(&problem);
        else
            test_particle(&problem, 1, 0.3, pushed);
        const double map = run_method(&problem, &options, NULL, NULL, NULL).natural_map;
        print_message("%s: natural map %.2g\n", runs[i].method, map);
        assert_true(map < 1e-9);
    }
}

TEST(test_bad_settings)
{
    static const struct {
        const char *solver, *message;
    } bad[] = {
        {"pgs:friction=disc", "box, cone"},         {"pgs:relaxation=0", "> 0"},
        {"nsgs:order=random", "forward, symmetric"}, {"nncg:warm=3", "no setting \"warm\""},
        {"projected_gradient:step=3", "<= 2"},      {"extragradient:step=1", "no setting"},
        {"apgd:update=0", ">= 1"},                  {"admm:rho=-1", "> 0"},
        {"dual_ascent:momentum=heavy", "nesterov"},
        {"dual_ascent:motion=fast_projection:momentum=nesterov", "momentum=none"},
        {"primal_descent:exponent=1", ">= 2"},
        {"primal_descent:exponent=3:update=10", "needs exponent=2"},
        {"dual_ascent:radius=1", "radius"},         {"lemke:directions=2", ">= 3"},
        {"lemke:pyramid=cone", "inner, outer"},     {"pgs:friction=inner:directions=65", "<= 64"},
    };
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const struct nb_options options = method(bad[i].solver, 10);
        struct nb_solver *solver = NULL;
        struct nb_error error = {""};
        assert_int_equal(nb_solver_create(&solver, &problem, &options, &error), NB_BAD_INPUT);
        assert_null(solver);
        if (!strstr(error.text, bad[i].message))
            fail_msg("%s: %s", bad[i].solver, error.text);
    }
}

TEST(test_primal_descent_needs_a_mass)
{
    const struct nb_options options = method("primal_descent", 10);
    OWNS(nb_problem_free) struct nb_problem problem = {.form = NB_LINEAR_LOCAL, .time_step = 1};
    struct nb_solver *solver = NULL;
    nb_csr_allocate(&problem.linear.delassus, 0, 0, 0, NULL);
    assert_refused(nb_solver_create(&solver, &problem, &options, &why), NB_UNSUPPORTED, "mass");
}
