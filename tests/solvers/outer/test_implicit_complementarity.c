/* Implicit complementarity: known motions, agreement with proximal Newton where the solution is
 * unique, the printed ball drop, problems on which others stall, and input without a solution. */
#include "harness/simulate/simulate.h"
#include "tests/support/method_support.h"

#include "problems/scene.h"
#include "solvers/registry.h"

static const char *const variants[] = {
    "implicit_complementarity", "implicit_complementarity:scale=step",
    "implicit_complementarity:scale=none", "implicit_complementarity:start=zero",
    "implicit_complementarity:edges=tangent", "implicit_complementarity:edges=met",
    "implicit_complementarity:edges=ignored"};
enum { VARIANTS = sizeof variants / sizeof *variants };

TEST(test_known_motions)
{
    test_variants_motions(variants, VARIANTS, 40);
    test_sliding_between_tangents(variants[0], 40, 1e-12);
}

TEST(test_agrees_with_proximal_newton)
{
    for (int coupled = 0; coupled < 2; ++coupled) {
        OWNS(nb_problem_free) struct nb_problem global, local;
        double a[14], b[14], c[14];
        test_global(&global, 24, 4, 2, coupled, 21);
        test_condense(&global, &local, test_dense_solve);
        assert_true(test_method(&global, "proximal_newton", 60, NULL, a).natural_map < 1e-12);
        assert_true(test_method(&global, variants[0], 60, NULL, b).natural_map < 1e-12);
        assert_true(test_method(&local, variants[0], 60, NULL, c).natural_map < 1e-12);
        for (int i = 0; i < 14; ++i) {
            assert_true(fabs(a[i] - b[i]) < 1e-9);
            assert_true(fabs(b[i] - c[i]) < 1e-10);
        }
    }
}

/* Runs end at a solution or in a local minimum of ||r||: most reach a solution. */
TEST(test_random_steps)
{
    int solved = 0;
    for (uint32_t seed = 1; seed <= 60; ++seed) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_global(&problem, 24, 6, 1, 0, seed);
        for (int i = 0; i < 6; ++i)
            problem.linear.friction[i] = 0.1 + 0.4 * (double)(seed % 6);
        solved += test_method(&problem, variants[0], 100, NULL, NULL).natural_map < 1e-10;
    }
    print_message("%d of 60 solved\n", solved);
    assert_true(solved >= 48);
}

/* The shock of the ball drop goes through the column in one step (figure 6), and one iteration
 * suffices in every step: the five balls end at rest, one on the other. */
TEST(test_ball_drop)
{
    struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem problem;
    options.solver = variants[0];
    options.newton_iterations = 1;
    assert_ok(nb_scene_create("ball_drop", 0, NULL, &problem, &why));
    assert_ok(nb_simulate(&problem, 150, &options, NULL, NULL, &why));
    const double radius = problem.shapes[1].radius;
    for (int i = 0; i < problem.bodies.count; ++i) {
        assert_true(fabs(problem.bodies.position[3 * i + 2] - (2 * i + 1) * radius) < 1e-10);
        for (int k = 0; k < 6; ++k)
            assert_true(fabs(problem.bodies.velocity[6 * i + k]) < 1e-10);
    }
}

TEST(test_scenes)
{
    const char *const scenes[] = {"two_boxes", "heavy_stack", "box_pyramid", "arch", "incline", NULL};
    test_solves_scenes(variants[0], 60, 1e-11, scenes);
}

/* Linearised anew at its rounding, a redundant step keeps what it has found. */
TEST(test_rounding_does_not_grow)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_pyramid", NULL);
    assert_true(test_method_in(&problem, variants[0], "f32", 100, NULL, NULL, NULL).natural_map < 1e-5);
}

TEST(test_real_problems)
{
    const char *const files[] = {"CubeH8", "LMGC_GlobalFrictionContactProblem00046", "Box_Stacks-i0122-82-5", NULL};
    test_solves_files(variants[0], 80, 1e-12, files);
}

TEST(test_joints)
{
    test_solves_scenes(variants[0], 60, 1e-10, stiff_joints);
}

TEST(test_without_solution)
{
    test_no_solution_and_no_rows(variants, VARIANTS, 1e-14, 20);
}
