/* What a user reads of a step whose constraints contradict each other, and of one that is only hard. Runs
 * build/ncpbench. */
#include "problems/io/problem_file.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

FIXTURE(make_folder, remove_folder)

static void write_problem(const char *name, struct nb_problem *problem)
{
    struct nb_error error = {""};
    if (nb_problem_validate(problem, &error) || nb_problem_write(test_path(&folder, name), problem, NULL, &error))
        fail_msg("%s: %s", name, error.text);
    nb_problem_free(problem);
}

/* A ball of 1 kg between two walls along x that leave it `room`, and thrown at the first. */
static void write_squeezed(const char *name, double room)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double frames[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, -1};
    struct nb_problem problem;
    test_linear_step(&problem, NB_LINEAR_GLOBAL, "squeezed", 3, 2, 0);
    test_sparse(&problem.linear.mass, 3, 3, identity);
    test_sparse(&problem.linear.contact_jacobian, 6, 3, frames);
    problem.linear.contact_velocity[0] = -0.3;
    problem.linear.contact_velocity[3] = 0.3 + room;
    problem.linear.force[0] = -1;
    problem.linear.force[1] = 0.2;
    problem.linear.friction[0] = problem.linear.friction[1] = 0.5;
    write_problem(name, &problem);
}

static void expect_ending(struct test_output output, const char *ending, int contradicts)
{
    if (contradicts)
        assert_int_equal(output.code, 1);
    test_contains(output.out, ending);
    assert_int_equal(strstr(output.out, "contradict") != NULL, contradicts);
    test_output_free(&output);
}

TEST(contradictory_constraints_are_told_whatever_the_method)
{
    static const char *const solvers[] = {"proximal_newton", "nsgs", "newton", "apgd", "admm"};
    write_squeezed("squeezed.h5", -0.1);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        const char *f = folder.path;
        expect_ending(run("solve %s/squeezed.h5 --tol 1e-8 --solver %s", f, solvers[k]),
                      "infeasible: the constraints contradict each other: contact ", 1);
        expect_ending(run("solve %s/squeezed.h5 --tol 1e-8 --newton-iters 2 --precision f32 --solver %s", f,
                          solvers[k]),
                      "infeasible: the constraints contradict each other: contact ", 1);
    }
    expect_ending(run("solve %s/squeezed.h5", folder.path), "verdict      not usable: infeasible, ", 1);
}

/* Of the iterations that are allowed no method takes more than those after which it is asked whether there is a
 * solution, at whatever a method is when it is told to stop. */
TEST(a_run_without_hope_does_not_go_on)
{
    static const char *const solvers[] = {"proximal_newton", "nsgs", "pgs:friction=cone", "apgd", "admm", "newton"};
    const char *f = folder.path;
    struct test_output made = run("generate -o %s/opposed.h5 --contacts 12 --opposed 3 --condition 1e6", f);
    assert_int_equal(made.code, 0);
    test_output_free(&made);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        struct test_output output = run("solve %s/opposed.h5 --tol 1e-8 --newton-iters 10000 --json --solver %s", f,
                                        solvers[k]);
        int iterations = -1;
        const char *counts = strstr(output.out, "\"counts\":{\"newton\":");
        test_contains(output.out, "\"ending\":\"infeasible\"");
        assert_non_null(counts);
        assert_int_equal(sscanf(strchr(counts + 10, ':') + 1, "%d", &iterations), 1);
        assert_in_range(iterations, 1, 100);
        test_output_free(&output);
    }
}

TEST(what_can_be_solved_does_not_contradict_itself)
{
    const char *f = folder.path;
    write_squeezed("close.h5", 1e-6);
    expect_ending(run("solve %s/close.h5 --tol 1e-8", f), "converged", 0);
    expect_ending(run("solve %s/close.h5 --tol 1e-8 --solver nsgs --newton-iters 0", f), "ended ", 0);
}

/* The ground is to be a metre below a corner of a box, and above it: the linearised step is told to contradict itself,
 * and the run keeps its own ending. */
TEST(a_nonlinear_step_is_told_of_its_linearisation_only)
{
    struct nb_problem problem;
    test_scene(&problem, "box_on_plane", NULL);
    struct nb_contacts *contacts = &problem.contacts;
    for (int side = 0; side < 2; ++side) {
        contacts->body[2 + side] = contacts->body[1 - side];
        memcpy(contacts->point + 6 + 3 * side, contacts->point + 3 - 3 * side, 3 * sizeof *contacts->point);
    }
    memcpy(contacts->frame + 9, contacts->frame, 9 * sizeof *contacts->frame);
    contacts->thickness[1] = 1;
    write_problem("crushed.h5", &problem);
    struct test_output output = run("solve %s/crushed.h5 --tol 1e-8 --newton-iters 10", folder.path);
    assert_int_equal(output.code, 1);
    test_contains(output.out, "linearised at q- it has no solution, for contact ");
    assert_null(strstr(output.out, "infeasible"));
    test_output_free(&output);
    expect_ending(run("solve %s/crushed.h5 --tol 1e-8 --newton-iters 10 --linearized", folder.path),
                  "infeasible: the constraints contradict each other: contact ", 1);
}
