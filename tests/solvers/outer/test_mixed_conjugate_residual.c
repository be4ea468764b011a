/* Mixed conjugate residuals: known motions, agreement with proximal Newton where the solution is
 * unique, scenes, what it refuses, and input without a solution. */
#include "tests/support/method_support.h"

#include "solvers/registry.h"

static const char *const variants[] = {
    "mixed_conjugate_residual", "mixed_conjugate_residual:precond=diagonal",
    "mixed_conjugate_residual:precond=none", "mixed_conjugate_residual:average=1"};
enum { VARIANTS = sizeof variants / sizeof *variants };

TEST(test_known_motions)
{
    test_variants_motions(variants, VARIANTS, 200);
    test_sliding_between_tangents(variants[0], 200, 1e-11);
}

TEST(test_agrees_with_proximal_newton)
{
    for (int coupled = 0; coupled < 2; ++coupled)
        for (int v = 0; v < VARIANTS; ++v) {
            OWNS(nb_problem_free) struct nb_problem problem;
            double a[14], b[14];
            test_global(&problem, 24, 4, 2, coupled, 21);
            assert_true(test_method(&problem, "proximal_newton", 60, NULL, a).natural_map < 1e-12);
            assert_true(test_method(&problem, variants[v], 2000, NULL, b).natural_map < 1e-11);
            for (int i = 0; i < 14; ++i)
                assert_true(fabs(a[i] - b[i]) < 1e-9);
        }
}

TEST(test_scenes)
{
    const char *const scenes[] = {"two_boxes", "box_pyramid", "sliding_box", "incline",
                                  "double_pendulum_stiffness", "particle_chain", NULL};
    test_solves_scenes(variants[0], 1000, 1e-10, scenes);
}

TEST(test_real_problems)
{
    const char *const files[] = {"CubeH8", "LMGC_GlobalFrictionContactProblem00046", NULL};
    test_solves_files(variants[0], 2000, 1e-10, files);
}

TEST(test_refuses_a_local_problem)
{
    struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem global, local;
    struct nb_solver *solver = NULL;
    options.solver = variants[0];
    test_global(&global, 24, 4, 2, 0, 21);
    test_condense(&global, &local, test_dense_solve);
    assert_refused(nb_solver_create(&solver, &local, &options, &why), NB_UNSUPPORTED, "mass matrix");
}

TEST(test_without_solution)
{
    test_no_solution_and_no_rows(variants, VARIANTS, 1e-12, 200);
}
