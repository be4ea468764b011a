/* Mixed conjugate residuals: known motions, agreement with proximal Newton where the solution is
 * unique, scenes, what it refuses, and input without a solution. */
#include "tests/support/method_support.h"
#include "tests/support/real_files.h"

#include "solvers/registry.h"

static const char *const variants[] = {
    "mixed_conjugate_residual", "mixed_conjugate_residual:precond=diagonal",
    "mixed_conjugate_residual:precond=none", "mixed_conjugate_residual:average=1"};
enum { VARIANTS = sizeof variants / sizeof *variants };

TEST(test_known_motions)
{
    const double between[3] = {-10, 8, 8};
    const struct nb_registry_row *precision;
    struct nb_problem problem;
    double lambda[3];
    for (int v = 0; v < VARIANTS; ++v)
        for (size_t i = 0; (precision = nb_registry_row("precision", i)); ++i)
            test_particle_motions(variants[v], precision->name, 200,
                                  1e3 * nb_unit_roundoff(precision->name));
    test_particle(&problem, 2, 0.5, between);
    assert_true(test_method(&problem, variants[0], 200, NULL, lambda).natural_map < 1e-13);
    assert_true(fabs(lambda[1] + 5 / sqrt(2)) < 1e-11 && fabs(lambda[2] + 5 / sqrt(2)) < 1e-11);
    nb_problem_free(&problem);
}

TEST(test_agrees_with_proximal_newton)
{
    for (int coupled = 0; coupled < 2; ++coupled)
        for (int v = 0; v < VARIANTS; ++v) {
            struct nb_problem problem;
            double a[14], b[14];
            test_global(&problem, 24, 4, 2, coupled, 21);
            assert_true(test_method(&problem, "proximal_newton", 60, NULL, a).natural_map < 1e-12);
            assert_true(test_method(&problem, variants[v], 2000, NULL, b).natural_map < 1e-11);
            for (int i = 0; i < 14; ++i)
                assert_true(fabs(a[i] - b[i]) < 1e-9);
            nb_problem_free(&problem);
        }
}

TEST(test_scenes)
{
    const char *const scenes[] = {"two_boxes", "box_pyramid", "sliding_box", "incline",
                                  "double_pendulum_stiffness", "particle_chain"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        struct nb_problem problem;
        test_scene(&problem, scenes[i], NULL);
        assert_true(test_method(&problem, variants[0], 1000, NULL, NULL).natural_map < 1e-10);
        nb_problem_free(&problem);
    }
}

TEST(test_real_problems)
{
    const char *const files[] = {"CubeH8", "LMGC_GlobalFrictionContactProblem00046"};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        struct nb_problem problem;
        test_real_file(files[i], &problem);
        assert_true(test_method(&problem, variants[0], 2000, NULL, NULL).natural_map < 1e-10);
        nb_problem_free(&problem);
    }
}

TEST(test_refuses_a_local_problem)
{
    struct nb_options options = nb_options_default();
    struct nb_problem global, local;
    struct nb_solver *solver = NULL;
    struct nb_error error;
    options.solver = variants[0];
    test_global(&global, 24, 4, 2, 0, 21);
    test_condense(&global, &local, test_dense_solve);
    assert_int_equal(nb_solver_create(&solver, &local, &options, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "mass matrix"));
    nb_problem_free(&global);
    nb_problem_free(&local);
}

TEST(test_without_solution)
{
    test_no_solution_and_no_rows(variants, VARIANTS, 1e-12, 200);
}
