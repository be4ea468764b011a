/* The linearised step against central differences of the relative position at each contact, and
 * its mass matrix, force and gap against their definitions. */
#include "tests/support/near.h"
#include "tests/support/support.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/scene.h"
#include "problems/step.h"

/* A stack of three boxes, each turned a little and moving, with contacts on all of them. */
static void make_turned_stack(struct nb_problem *problem)
{
    const char *settings[] = {"count=3", "ratio=3", "margin=0.2", "gap=0.03"};
    assert_ok(nb_scene_create("heavy_stack", 4, settings, problem, &why));
    for (int i = 0; i < 3; ++i) {
        const double turn[3] = {0.1 + 0.05 * i, -0.08 + 0.03 * i, 0.3 * i};
        nb_quaternion_advance(problem->bodies.orientation + 4 * i, 1, turn);
        for (int k = 0; k < 6; ++k)
            problem->bodies.velocity[6 * i + k] = 0.1 * (k + 1) - 0.2 * i;
        problem->bodies.inertia[9 * i + 1] = problem->bodies.inertia[9 * i + 3] =
            0.2 * problem->bodies.inertia[9 * i];
    }
    assert_ok(nb_step_prepare(problem, &why));
    assert_true(problem->contacts.count >= 6);
    assert_ok(nb_problem_validate(problem, &why));
}

/* d . (a - b) of a contact's row d in the problem's configuration. */
static double separation(const struct nb_problem *problem, int contact, int row)
{
    double between[3] = {0};
    for (int side = 0; side < 2; ++side) {
        const int body = problem->contacts.body[2 * contact + side];
        const double *local = problem->contacts.point + 6 * contact + 3 * side;
        double matrix[9], world[3] = {local[0], local[1], local[2]};
        if (body >= 0) {
            nb_quaternion_matrix(problem->bodies.orientation + 4 * body, matrix);
            nb_rotate(matrix, local, world);
            nb_add_scaled3(world, 1, problem->bodies.position + 3 * body, world);
        }
        nb_add_scaled3(between, side ? -1 : 1, world, between);
    }
    return nb_dot3(problem->contacts.frame + 9 * contact + 3 * row, between);
}

static void separations(const struct nb_problem *problem, double *value)
{
    for (int row = 0; row < 3 * problem->contacts.count; ++row)
        value[row] = separation(problem, row / 3, row % 3);
}

TEST(jacobian_is_the_derivative_of_the_gap)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    make_turned_stack(&problem);
    assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
    const int rows = 3 * problem.contacts.count, dofs = 6 * problem.bodies.count;
    OWNS(free_at) double *slope = calloc((size_t)(rows * dofs), sizeof *slope);
    test_differentiate(&problem, rows, separations, slope);
    for (int k = 0; k < rows * dofs; ++k)
        assert_near(test_entry(&linear.linear.contact_jacobian, k / dofs, k % dofs), slope[k], 1e-8);
}

TEST(gap_and_friction_are_kept)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    make_turned_stack(&problem);
    for (int i = 0; i < problem.contacts.count; ++i) {
        problem.contacts.thickness[i] = 0.001 * i;
        problem.contacts.friction[i] = 0.1 * i;
    }
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    for (int i = 0; i < problem.contacts.count; ++i) {
        const double gap = separation(&problem, i, 0) - 0.001 * i;
        assert_near(linear.linear.contact_velocity[3 * i], gap / problem.time_step, 1e-12);
        assert_true(linear.linear.contact_velocity[3 * i + 1] == 0);
        assert_true(linear.linear.contact_velocity[3 * i + 2] == 0);
        assert_true(linear.linear.friction[i] == 0.1 * i);
    }
}

/* u^T M u / 2 is the kinetic energy, evaluated in the body frame; f = M u~. */
TEST(mass_matrix_gives_the_kinetic_energy)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double momentum[18], energy = 0, expected = 0;
    make_turned_stack(&problem);
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    nb_csr_multiply(&linear.linear.mass, problem.bodies.velocity, momentum, 0);
    for (int i = 0; i < 18; ++i)
        energy += momentum[i] * problem.bodies.velocity[i] / 2;
    for (int i = 0; i < 3; ++i) {
        const double *u = problem.bodies.velocity + 6 * i;
        double matrix[9], omega[3], spin[3];
        nb_quaternion_matrix(problem.bodies.orientation + 4 * i, matrix);
        nb_rotate_back(matrix, u + 3, omega);
        nb_rotate(problem.bodies.inertia + 9 * i, omega, spin);
        expected += problem.bodies.mass[i] * nb_dot3(u, u) / 2 + nb_dot3(omega, spin) / 2;
    }
    assert_near(energy, expected, 1e-12 * expected);
    nb_csr_multiply(&linear.linear.mass, problem.free_velocity, momentum, 0);
    for (int i = 0; i < 18; ++i)
        assert_near(momentum[i], linear.linear.force[i], 1e-13 * fabs(momentum[i]));
}

TEST(provenance_is_kept)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear, again;
    make_turned_stack(&problem);
    problem.step = 17;
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    assert_int_equal(linear.form, NB_LINEAR_GLOBAL);
    assert_string_equal(linear.name, problem.name);
    assert_string_equal(linear.source, problem.source);
    assert_string_equal(linear.generator, problem.generator);
    assert_int_equal(linear.step, 17);
    assert_true(linear.time_step == problem.time_step);
    assert_int_equal(linear.parameter_count, problem.parameter_count);
    assert_ok(nb_problem_linearize(&linear, &again, &why));
    assert_memory_equal(again.linear.force, linear.linear.force, 18 * sizeof(double));
}

TEST(no_contacts_is_a_valid_step)
{
    const char *settings[] = {"gap=1"};
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    assert_ok(nb_scene_create("box_on_plane", 1, settings, &problem, &why));
    assert_ok(nb_step_prepare(&problem, &why));
    assert_int_equal(problem.contacts.count, 0);
    assert_ok(nb_problem_validate(&problem, &why));
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    assert_int_equal(linear.linear.contact_jacobian.rows, 0);
    assert_ok(nb_problem_validate(&linear, &why));
}
