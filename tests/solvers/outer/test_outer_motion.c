/* Nonlinear methods against motions known on paper: rest, sliding, the Coulomb limit, relaxed
 * contact, joints. */
#include "tests/support/outer_support.h"

#include "tests/support/speeds.h"

/* Ground forces carry two stacked boxes, in both precisions. */
TEST(test_boxes_at_rest)
{
    const char *const precisions[] = {"f64", "f32"};
    const char *const settings[] = {"ratio=2", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "two_boxes", settings);
    double weight = 0;
    for (int i = 0; i < problem.bodies.count; ++i)
        weight += 9.81 * problem.bodies.mass[i];
    for (int m = 0; m < COULOMB_METHODS; ++m)
        for (int p = 0; p < 2; ++p) {
            struct nb_options options = method(coulomb_methods[m], 3000);
            options.precision = precisions[p];
            const struct nb_metrics result = run_method(&problem, &options, NULL, NULL, NULL);
            const double tolerance = p ? 3e-3 : 1e-6;
            if (!(fabs(result.normal_force / weight - 1) < tolerance))
                fail_msg("%s %s carries %.9g of %.9g N", options.solver, options.precision,
                         result.normal_force, weight);
        }
}

/* m/s in a step, of the scene's friction. */
static void check_sliding_box(const struct nb_options *options)
{
    test_gain("sliding_box", 0, NULL, 4, options, -0.3 * 9.81 * 0.0083, 1e-7);
}

TEST(test_sliding_and_the_coulomb_limit)
{
    const double degrees[] = {10, 26, 27, 35};
    for (int m = 0; m < COULOMB_METHODS; ++m) {
        const struct nb_options options = method(coulomb_methods[m], 600);
        check_sliding_box(&options);
        for (size_t i = 0; i < sizeof degrees / sizeof *degrees; ++i)
            test_gain_on_incline(degrees[i], 4, &options, 1e-7);
    }
}

/* Along a tangent the engines' box is the cone. */
TEST(test_box_friction_along_a_tangent)
{
    const struct nb_options pgs = method("pgs", 600), nncg = method("nncg", 600);
    check_sliding_box(&pgs);
    check_sliding_box(&nncg);
}

/* A box of mass m that starts at rest on four contacts of stiffness k, gap 0: m (v - g h) = -h f,
 * f = 4 k (h v)^(p - 1) with v downwards. */
static double relaxed_force(double mass, double stiffness, double exponent)
{
    const double h = 0.0083, g = 9.81;
    double low = 0, high = g * h;
    for (int i = 0; i < 200; ++i) {
        const double v = (low + high) / 2;
        const double force = 4 * stiffness * pow(h * v, exponent - 1);
        if (mass * (v - g * h) + h * force > 0)
            high = v;
        else
            low = v;
    }
    return 4 * stiffness * pow(h * low, exponent - 1);
}

TEST(test_relaxed_contact)
{
    static const struct {
        const char *solver;
        double stiffness, exponent;
    } runs[] = {
        {"primal_descent:k_n=1e5:k_f=1e4", 1e5, 2},
        {"primal_descent:k_n=1e6:k_f=1e4:precond=block", 1e6, 2},
        {"primal_descent:k_n=1e9:k_f=1e4:exponent=3", 1e9, 3},
        {"primal_descent:k_n=1e5:k_f=1e4:momentum=nesterov", 1e5, 2},
        {"dual_ascent:k_n=1e5", 1e5, 2},
        {"dual_ascent:k_n=1e6:momentum=nesterov", 1e6, 2},
        {"dual_ascent:k_n=1e5:motion=fast_projection", 1e5, 2},
    };
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", NULL);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        const struct nb_options options = method(runs[i].solver, 3000);
        const struct nb_metrics result = run_method(&problem, &options, NULL, NULL, NULL);
        const double force = relaxed_force(problem.bodies.mass[0], runs[i].stiffness,
                                           runs[i].exponent);
        const double depth = pow(force / 4 / runs[i].stiffness, 1 / (runs[i].exponent - 1));
        if (!(fabs(result.normal_force / force - 1) < 1e-6 &&
              fabs(result.penetration / depth - 1) < 1e-6 && result.momentum_error < 1e-6))
            fail_msg("%s: %.9g N, not %.9g; %.9g m deep, not %.9g", runs[i].solver,
                     result.normal_force, force, result.penetration, depth);
    }
}

/* The Hessian decides the way, not where it ends: a box that slides. */
TEST(test_full_hessian_of_sliding_friction)
{
    const struct nb_options scalar = method("primal_descent:k_n=1e6:k_f=1e4", 400);
    const struct nb_options full = method("primal_descent:k_n=1e6:k_f=1e4:hessian=full", 400);
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "sliding_box", NULL);
    const struct nb_metrics a = run_method(&problem, &scalar, NULL, NULL, NULL);
    const struct nb_metrics b = run_method(&problem, &full, NULL, NULL, NULL);
    assert_true(a.slip == 4 && b.slip == 4);
    assert_true(fabs(a.kinetic_energy / b.kinetic_energy - 1) < 1e-10);
    assert_true(fabs(a.normal_force / b.normal_force - 1) < 1e-10);
    assert_true(b.momentum_error < 1e-10);
}

/* Newton's method begins with the motion without forces, which leaves nothing but them to be found. */
TEST(test_newton_starts_free)
{
    const struct nb_options none = method("newton:start=free", 0), some = method("newton:start=free", 60);
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", NULL);
    const struct nb_metrics first = run_method(&problem, &none, NULL, NULL, NULL);
    assert_true(first.momentum_error < 1e-12 && first.kinetic_energy > 0);
    assert_true(run_method(&problem, &some, NULL, NULL, NULL).natural_map < 1e-10);
}

/* Bilateral rows, compliant and rigid, with a mass ratio of 1e4 or of stiffness. Diagonally
 * preconditioned methods take their time. */
TEST(test_joints)
{
    static const struct {
        const char *solver, *scene;
        int iterations;
        double natural_map;
    } runs[] = {
        {"nsgs", "double_pendulum_stiffness", 2000, 1e-9},
        {"pgs", "double_pendulum_stiffness", 2000, 1e-9},
        {"nncg", "double_pendulum_stiffness", 1000, 1e-9},
        {"apgd", "double_pendulum_stiffness", 1000, 1e-9},
        {"dual_ascent:momentum=nesterov", "double_pendulum_stiffness", 2000, 1e-9},
        {"primal_descent:update=10:precond=block", "double_pendulum_stiffness", 5000, 1e-8},
        {"apgd", "particle_chain", 4000, 1e-9},
        {"newton:geometric_stiffness=bodies", "double_pendulum_stiffness", 60, 1e-9},
        {"admm", "double_pendulum_mass", 200, 1e-9},
        {"admm", "double_pendulum_stiffness", 200, 1e-9},
        {"admm", "particle_chain", 200, 1e-9},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        const struct nb_options options = method(runs[i].solver, runs[i].iterations);
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, runs[i].scene, NULL);
        const double found = run_method(&problem, &options, NULL, NULL, NULL).natural_map;
        print_message("%s, %s: natural map %.2g\n", runs[i].solver, runs[i].scene, found);
        assert_true(found < runs[i].natural_map);
    }
}
