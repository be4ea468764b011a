/* Soft contacts: springs in series and a friction that creeps against formulae and a dense solve, every method on one
 * step, the judge against itself on the linear step that has velocities in the place of compliance, and files. */
#include "tests/support/folder.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/same_problem.h"

#include "harness/gradient/gradient.h"
#include "problems/io/problem_file.h"

enum { BALLS = 5, DOFS = 6 * BALLS, ROWS = 3 * BALLS };
static const double softness = 1e-6, creep = 4e-7, gravity = 9.81; /* [m/N], [m/s^2]; balls of 1 kg */

/* A column of balls that touch, whose step is linear: turning, they move no point of contact. */
static void make_column(struct nb_problem *problem)
{
    const char *settings[] = {"height=0", "contact_compliance=1e-6", "friction_compliance=4e-7", NULL};
    test_scene(problem, "ball_drop", settings);
    assert_int_equal(nb_problem_soft_contacts(problem), BALLS);
    for (int i = 1; i < BALLS; ++i)
        assert_true(problem->bodies.position[3 * i + 2] > problem->bodies.position[3 * i - 1]);
}

/* The contact below ball i. */
static int below(const struct nb_problem *problem, int ball)
{
    for (int i = 0; i < problem->contacts.count; ++i) {
        const int *body = problem->contacts.body + 2 * i, low = body[0] < body[1] ? body[0] : body[1];
        if (low == ball - 1 && body[0] + body[1] == 2 * ball - 1)
            return i;
    }
    fail_msg("no contact below ball %d", ball);
    return -1;
}

static double weight_on(int ball) { return (BALLS - ball) * gravity; }

static void check_column(const struct nb_problem *problem, const char *solver, const double *speed, double tolerance)
{
    double u[DOFS], lambda[ROWS];
    const struct nb_metrics metrics = test_method(problem, solver, 20000, u, lambda);
    if (!(metrics.step_error < tolerance))
        fail_msg("%s: error %.3g", solver, metrics.step_error);
    for (int i = 0; i < BALLS; ++i) {
        const double force = lambda[3 * below(problem, i)], moved = u[6 * i + 2] - (i ? u[6 * i - 4] : 0);
        assert_near(u[6 * i + 2], speed[i], 100 * tolerance * gravity * problem->time_step);
        assert_near(softness * force + nb_contact_gap(problem, below(problem, i)) + problem->time_step * moved, 0,
                    100 * tolerance * softness * weight_on(0));
    }
}

static const char *const methods[] = {"proximal_newton", "newton", "pgs:friction=cone", "interior_point", "admm",
                                      "mixed_conjugate_residual", "dual_ascent"};

/* Each contact is pressed in by its compliance times the weight above it, so that these add up. */
TEST(a_column_at_rest_stands_in_springs_in_series)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const double still[BALLS] = {0};
    double sunk = 0;
    make_column(&problem);
    for (int i = 0; i < BALLS; ++i) {
        sunk += softness * weight_on(i);
        problem.bodies.position[3 * i + 2] -= sunk;
    }
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
        check_column(&problem, methods[m], still, 1e-8);
    double u[DOFS], lambda[ROWS];
    const struct nb_metrics metrics = test_method(&problem, "proximal_newton", 100, u, lambda);
    assert_near(metrics.penetration, softness * weight_on(0), 1e-6 * softness * weight_on(0));
    assert_near(metrics.normal_force, weight_on(0), 1e-6 * weight_on(0));
}

/* From touching, with springs m (u - u~) = h (lambda_i - lambda_i+1), e lambda_i = -h (u_i - u_i-1). */
TEST(a_column_let_go_moves_as_the_springs_say)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double matrix[BALLS * BALLS] = {0}, speed[BALLS];
    int pivot[BALLS];
    make_column(&problem);
    const double h = problem.time_step, stiffness = h * h / softness;
    for (int i = 0; i < BALLS; ++i) {
        const double initial = nb_contact_gap(&problem, below(&problem, i));
        assert_near(initial, 0, 1e-15);
        speed[i] = -gravity * h;
        matrix[i * BALLS + i] = 1 + stiffness * (i + 1 < BALLS ? 2 : 1);
        if (i > 0)
            matrix[i * BALLS + i - 1] = matrix[(i - 1) * BALLS + i] = -stiffness;
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, BALLS, 1, matrix, BALLS, pivot, speed, 1), 0);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
        check_column(&problem, methods[m], speed, 1e-8);
}

/* A box that is pushed along a plane within its cones moves by m (u - u~) = -4 h lambda_t, lambda_t = h u/e_t. */
TEST(what_sticks_creeps)
{
    const char *settings[] = {"friction_compliance=1e-4", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", settings);
    const double h = problem.time_step, mass = problem.bodies.mass[0], push = 0.2 * gravity * h;
    double u[6], lambda[12];
    problem.free_velocity[0] += push;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        assert_true(test_method(&problem, methods[m], 20000, u, lambda).step_error < 1e-8);
        assert_near(u[0], push / (1 + 4 * h * h / (mass * 1e-4)), 1e-6 * push);
        assert_near(u[2], 0, 1e-6 * push);
    }
}

/* A method that is new is tried unasked; one that cannot has to say so. */
TEST(every_method_solves_soft_contacts_or_refuses_them)
{
    const char *settings[] = {"contact_compliance=1e-5", "friction_compliance=1e-6", NULL};
    const struct nb_registry_row *row;
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", settings);
    problem.free_velocity[0] += 0.01;
    for (size_t i = 0; (row = nb_registry_row("solver", i)); ++i) {
        const int relaxed = !strcmp(row->name, "primal_descent");
        struct nb_options options = test_options(relaxed ? "primal_descent:update=10" : row->name, 4000);
        struct nb_solver *solver = NULL;
        struct nb_error error = {""};
        if (!strcmp(row->name, "external"))
            continue;
        const enum nb_status status = nb_solver_create(&solver, &problem, &options, &error);
        nb_solver_free(solver);
        if (status) {
            assert_int_equal(status, NB_UNSUPPORTED);
            if (strncmp(row->name, "cuda", 4) == 0)
                continue;
            fail_msg("%s: %s", row->name, error.text);
        }
        const struct nb_metrics metrics = run_method(&problem, &options, NULL, NULL, NULL);
        if (!(metrics.step_error < 1e-6))
            fail_msg("%s: error %.3g", row->name, metrics.step_error);
    }
}

static void same_part(const char *name, double is, double expected)
{
    if (!(fabs(is - expected) <= 1e-8 * fabs(expected) + 1e-11)) /* positions round to 1e-12 of what is to be done */
        fail_msg("%s: %.12g, and %.12g of the linear step", name, is, expected);
}

/* Near the solution and far from it; what nothing holds, the spin about the column's axis, stays as it is. */
TEST(the_judge_agrees_with_velocities_in_the_place_of_compliance)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double u[DOFS], lambda[ROWS], wide[DOFS + ROWS], solved[DOFS], force[ROWS];
    uint32_t seed = 5;
    make_column(&problem);
    problem.free_velocity[0] += 0.3;
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    assert_int_equal(nb_problem_dofs(&linear), DOFS + ROWS);
    assert_int_equal(nb_problem_linear_dofs(&problem), DOFS + ROWS);
    test_method(&problem, "proximal_newton", 200, solved, force);
    for (int trial = 0; trial < 20; ++trial) {
        const double off = pow(10, -trial / 4.0);
        for (int i = 0; i < DOFS; ++i)
            u[i] = solved[i] + (i % 6 == 5 ? 0 : off * 0.05 * test_uniform(&seed));
        for (int i = 0; i < ROWS; ++i)
            lambda[i] = force[i] + off * gravity * test_uniform(&seed);
        nb_problem_linear_velocities(&problem, u, lambda, wide);
        const struct nb_metrics soft = test_judged(&problem, u, lambda), other = test_judged(&linear, wide, lambda);
        same_part("step_error", soft.step_error, other.step_error);
        same_part("step_penetration", soft.step_penetration, other.step_penetration);
        same_part("step_complementarity", soft.step_complementarity, other.step_complementarity);
        same_part("step_cone", soft.step_cone, other.step_cone);
        same_part("step_sliding", soft.step_sliding, other.step_sliding);
        same_part("step_momentum", soft.step_momentum, other.step_momentum);
        same_part("natural_map_linearized", soft.natural_map_linearized, other.natural_map_linearized);
        assert_true(soft.step_error > 1e-3 * off);
    }
}

/* The linear step's own solution: the same motion, and C R behind it. */
TEST(the_linear_step_moves_alike)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double u[DOFS], wide[DOFS + ROWS], lambda[ROWS], force[ROWS];
    make_column(&problem);
    problem.free_velocity[0] += 0.3;
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    assert_true(test_method(&problem, "proximal_newton", 200, u, lambda).step_error < 1e-9);
    assert_true(test_method(&linear, "proximal_newton", 200, wide, force).step_error < 1e-9);
    for (int i = 0; i < DOFS; ++i)
        assert_near(wide[i], u[i], 1e-8);
    for (int i = 0; i < ROWS; ++i)
        assert_near(wide[DOFS + i], (i % 3 ? creep : softness) / problem.time_step * force[i], 1e-8);
}

TEST_IN_FOLDER(files_keep_compliance)
{
    OWNS(nb_problem_free) struct nb_problem problem, read;
    double u[DOFS], lambda[ROWS], *stored_u, *stored_lambda;
    const char *path = test_path(&folder, "soft.h5");
    make_column(&problem);
    for (int i = 0; i < ROWS; ++i)
        lambda[i] = 1 + i;
    for (int i = 0; i < DOFS; ++i)
        u[i] = 0.125 * i;
    const struct nb_problem_extras extras = {.u = u, .lambda = lambda};
    assert_ok(nb_problem_write(path, &problem, &extras, &why));
    assert_ok(nb_problem_read(path, &read, &why));
    same_arrays(&problem, &read);
    assert_non_null(read.contacts.compliance);
    assert_ok(nb_solution_read(path, &read, &stored_u, &stored_lambda, &why));
    assert_memory_equal(u, stored_u, sizeof u);
    for (int i = 0; i < ROWS; ++i)
        assert_near(stored_lambda[i], lambda[i], 1e-14 * lambda[i]);
    free(stored_u), free(stored_lambda);
}

TEST(nonsense_is_refused)
{
    static const struct damage damages[] = {{"contacts/compliance", 1, -1e-9, "negative"},
                                            {"contacts/compliance", 2, NAN, "finite"}};
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    struct nb_gradient *gradient;
    struct nb_error error = {""};
    double u[DOFS] = {0}, lambda[ROWS] = {0};
    assert_each_refused(make_column, damages, sizeof damages / sizeof *damages);
    assert_scene_refused("ball_drop", "contact_compliance=-1", "0 to 1 m/N");
    assert_scene_refused("ball_drop", "friction_compliance=2", "0 to 1 m/N");
    make_column(&problem);
    assert_int_equal(nb_gradient_create(&gradient, &problem, u, lambda, &error), NB_UNSUPPORTED);
    test_contains(error.text, "soft");
    problem.contacts.compliance[0] = 1e-320;
    assert_int_equal(nb_problem_linearize(&problem, &linear, &error), NB_UNSUPPORTED);
    test_contains(error.text, "contacts/compliance");
}
