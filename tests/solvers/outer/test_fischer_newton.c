/* Fischer-Newton and its measure, the box map: known motions, agreement with the cone method
 * where the two friction models agree, corners of the box where they do not, and input without a
 * solution. */
#include "tests/support/method_support.h"

#include "solvers/registry.h"

static const char *const variants[] = {
    "fischer_newton", "fischer_newton:damping=0", "fischer_newton:start=plain",
    "fischer_newton:subsolve=conjugate", "fischer_newton:scale=none"};
enum { VARIANTS = sizeof variants / sizeof *variants };

TEST(test_known_motions)
{
    test_variants_motions(variants, VARIANTS, 60);
}

/* Between the tangents the box holds more than the disk: mu R_n along either of them. */
TEST(test_corner_of_the_box)
{
    const double force[3] = {-10, 8, 8};
    OWNS(nb_problem_free) struct nb_problem problem;
    double lambda[3];
    test_particle(&problem, 2, 0.5, force);
    const struct nb_metrics metrics = test_method(&problem, "fischer_newton", 60, NULL, lambda);
    assert_true(fabs(lambda[1] + 5) < 1e-12 && fabs(lambda[2] + 5) < 1e-12);
    assert_true(metrics.box_map < 1e-13);
    assert_true(metrics.natural_map > 0.05);
}

/* A cone's solution along a tangent is one of the box, and one between the tangents is not. */
TEST(test_box_map)
{
    const double along[3] = {-10, 8, 0}, between[3] = {-10, 8, 8};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_particle(&problem, 2, 0.5, along);
    assert_true(test_method(&problem, "proximal_newton", 60, NULL, NULL).box_map < 1e-13);
    nb_problem_free(&problem);
    test_particle(&problem, 2, 0.5, between);
    const struct nb_metrics metrics = test_method(&problem, "proximal_newton", 60, NULL, NULL);
    const double force = 5 / sqrt(2), slip = (8 - force) / 2; /* along either tangent */
    const double expected = sqrt(2) * fmin(5 - force, slip) / sqrt(100 + 2 * force * force);
    assert_true(fabs(metrics.box_map - expected) < 1e-12);
    assert_true(fabs(metrics.box_friction - expected) < 1e-12);
    assert_true(metrics.box_normal < 1e-13);
}

/* Without friction the two models are one: unique velocities, with bilateral rows, global and
 * local. */
TEST(test_agrees_without_friction)
{
    for (int coupled = 0; coupled < 2; ++coupled) {
        OWNS(nb_problem_free) struct nb_problem global, local;
        double a[14], b[14], c[14];
        test_global(&global, 24, 4, 2, coupled, 21);
        memset(global.linear.friction, 0, 4 * sizeof(double));
        test_condense(&global, &local, test_dense_solve);
        assert_true(test_method(&global, "proximal_newton", 60, NULL, a).natural_map < 1e-12);
        assert_true(test_method(&global, "fischer_newton", 60, NULL, b).natural_map < 1e-11);
        assert_true(test_method(&local, "fischer_newton", 60, NULL, c).natural_map < 1e-11);
        for (int i = 0; i < 14; ++i) {
            assert_true(fabs(a[i] - b[i]) < 1e-9);
            assert_true(fabs(b[i] - c[i]) < 1e-9);
        }
    }
}

/* With friction it solves its own model, on random steps and on nonlinear ones. */
TEST(test_solves_its_own_model)
{
    const char *const scenes[] = {"two_boxes", "box_pyramid", "heavy_stack", "sliding_box"};
    struct nb_problem problem;
    for (uint32_t seed = 1; seed < 20; ++seed) {
        test_global(&problem, 24, 5, 1, 0, seed);
        assert_true(test_method(&problem, "fischer_newton", 80, NULL, NULL).box_map < 1e-10);
        nb_problem_free(&problem);
    }
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        test_scene(&problem, scenes[i], NULL);
        assert_true(test_method(&problem, "fischer_newton", 80, NULL, NULL).box_map < 1e-12);
        nb_problem_free(&problem);
    }
}

TEST(test_joints)
{
    test_solves_scenes("fischer_newton", 60, 1e-10, stiff_joints);
}

TEST(test_without_solution)
{
    test_no_solution_and_no_rows(variants, VARIANTS, 1e-14, 20);
}
