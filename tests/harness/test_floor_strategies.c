/* Floors of every NCP function and scaling that is compiled in: where a force is rounding, and where all is smooth. */
#include "harness/floor/floor.h"
#include "solvers/registry.h"
#include "tests/support/support.h"
#include "tests/support/test.h"

/* A box that slides without weight touches without force: Gamma = 1 is the largest entry, 1/h. The smallest force
 * in the place of that zero must not make it |D^T u|/(mu lambda_n), 1e15 of that where the force is rounding.
 * So for both forms of the step. */
TEST(grazing_contact)
{
    static const char *const settings[] = {"gravity=0", NULL};
    static const double forces[] = {0, 1e-12, 1e-5};
    const struct nb_registry_row *ncp;
    double lambda[12] = {0};
    struct nb_problem problem[2];
    struct nb_floor_reference r;
    test_scene(&problem[0], "sliding_box", settings);
    assert_int_equal(nb_problem_linearize(&problem[0], &problem[1], NULL), NB_OK);
    for (size_t k = 0; (ncp = nb_registry_row("ncp", k / 6)) != NULL; ++k) {
        const struct nb_problem *at = &problem[k % 2];
        struct nb_options options = nb_options_default();
        options.ncp = ncp->name;
        assert_int_equal(nb_problem_multipliers(at), 12);
        lambda[0] = forces[k / 2 % 3];
        lambda[1] = lambda[0] * problem[0].contacts.friction[0];
        assert_int_equal(nb_floor_reference_compute(at, &options, problem[0].free_velocity, lambda, &r, NULL),
                         NB_OK);
        assert_true(fabs(r.matrix_norm * at->time_step - 1) <= 1e-5);
    }
    nb_problem_free(&problem[0]);
    nb_problem_free(&problem[1]);
}

/* The component-wise floor of a box that slides under its weight has the same size by all pairs, for it is made of
 * the same forces and gaps. */
TEST(every_pair)
{
    const struct nb_registry_row *ncp, *scaling;
    double lambda[12] = {0}, smallest = INFINITY, largest = 0;
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "sliding_box", NULL);
    const double weight = 9.81 * problem.bodies.mass[0], friction = problem.contacts.friction[0];
    for (int i = 0; i < 4; ++i) {
        lambda[3 * i] = weight / 4;
        lambda[3 * i + 1] = friction * weight / 4;
    }
    for (size_t i = 0; (ncp = nb_registry_row("ncp", i)) != NULL; ++i)
        for (size_t k = 0; (scaling = nb_registry_row("scaling", k)) != NULL; ++k) {
            struct nb_options options = nb_options_default();
            struct nb_floor_reference r;
            options.ncp = ncp->name;
            options.scaling = scaling->name;
            assert_int_equal(
                nb_floor_reference_compute(&problem, &options, problem.free_velocity, lambda, &r, NULL), NB_OK);
            assert_true(isfinite(r.inverse_norm) && r.inverse_norm > 0);
            smallest = fmin(smallest, r.component_all);
            largest = fmax(largest, r.component_all);
        }
    assert_true(smallest > 0 && largest < 10 * smallest);
}
