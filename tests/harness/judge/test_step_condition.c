/* The condition of a step: known where a wedge of a small angle holds a ball, the same in any units and forms, and not
 * raised by contacts that depend on each other. Second answers: found where a contact may open, slide or jam. */
#include "harness/case/case_run.h"
#include "harness/judge/step_condition.h"
#include "harness/judge/velocity_gap.h"
#include "problems/io/problem_file.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"
#include "tests/support/program.h"

FIXTURE(make_folder, remove_folder)
OWNER(nb_judge_free)

/* A ball pushed by `push` along z into a wedge of two walls, given `times` times, and by as much against a third wall;
 * there is no friction, and v = 0 is the solution. */
static void make_wedge(struct nb_problem *problem, double angle, double push, int times)
{
    const int contacts = 2 * times + 1;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c = cos(angle), s = sin(angle);
    const double walls[18] = {c, 0, s, 0, 1, 0, -s, 0, c, -c, 0, s, 0, 1, 0, -s, 0, -c};
    const double third[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    OWNS(free_at)
    double *rows = calloc((size_t)(9 * contacts), sizeof *rows);
    struct nb_linear_step *step = &problem->linear;
    test_linear_step(problem, NB_LINEAR_GLOBAL, "wedge", 3, contacts, 0);
    for (int k = 0; k < times; ++k)
        memcpy(rows + 18 * k, walls, sizeof walls);
    memcpy(rows + 18 * times, third, sizeof third);
    test_sparse(&step->mass, 3, 3, identity);
    test_sparse(&step->contact_jacobian, 3 * contacts, 3, rows);
    step->force[1] = push;
    step->force[2] = -push;
}

/* At v = 0, with the impulses that hold it. */
static double wedge_condition(const struct nb_problem *problem, double angle, double push, int times)
{
    const int contacts = 2 * times + 1;
    OWNS(nb_judge_free_at)
    struct nb_judge *judge;
    struct nb_error error = {""};
    OWNS(free_at)
    double *lambda = calloc(3 * (size_t)contacts, sizeof *lambda);
    OWNS(free_at)
    double *u = calloc(3 * (size_t)contacts + 3, sizeof *u);
    struct nb_step_condition condition;
    for (int i = 0; i < 2 * times; ++i)
        lambda[3 * i] = push / (2 * times * sin(angle));
    lambda[6 * times] = push;
    if (nb_judge_create(&judge, problem, &error) || nb_step_condition(judge, u, lambda, &condition, &error))
        fail_msg("%s", error.text);
    return condition.all;
}

TEST(a_wedge_answers_by_its_angle)
{
    for (double angle = 0.1; angle > 0.9e-9; angle /= 10)
        for (int local = 0; local < (angle > 1e-6 ? 2 : 1); ++local)
            for (int times = 1; times < 4; times += 2) {
                OWNS(nb_problem_free)
                struct nb_problem global, condensed;
                make_wedge(&global, angle, 0.1, times);
                test_condense(&global, &condensed, test_dense_solve);
                const double condition = wedge_condition(local ? &condensed : &global, angle, 0.1, times);
                if (local) /* W does not tell the motion along the wedge: contacts' velocities alone */
                    assert_true(condition < 10 / angle);
                else
                    assert_true(condition > 0.3 / angle && condition < 3 / angle);
            }
}

/* A particle of unit approach V_N that slides at 100 - mu, with V_T = mu. By hand, a being up to V_N along the normal
 * and V_T along tangents, and g up to m max(1, mu) in momentum, it answers along its slide by a_1 - mu a_N +
 * (mu g_N + g_1)/m: by up to 2 mu + (1 + mu) max(1, mu); W alone, whose momentum is exact, by up to 2 mu, or a_N. */
TEST(a_slide_answers_by_hand)
{
    static const double frictions[] = {0.02, 0.3, 3, 30}, masses[] = {1e-3, 1, 1e6};
    for (int k = 0; k < 4; ++k)
        for (int m = 0; m < 3; ++m)
            for (int local = 0; local < 2; ++local) {
                const double mu = frictions[k], mass = masses[m], force[3] = {-mass, 100 * mass, 0};
                const double lambda[3] = {mass, -mu * mass, 0}, u[3] = {0, 100 - mu, 0};
                const double bound = local ? fmax(1, 2 * mu) : 2 * mu + (1 + mu) * fmax(1, mu);
                struct nb_step_condition condition;
                OWNS(nb_problem_free)
                struct nb_problem global, condensed;
                OWNS(nb_judge_free_at)
                struct nb_judge *judge;
                test_particle(&global, mass, mu, force);
                test_condense(&global, &condensed, test_dense_solve);
                assert_int_equal(nb_judge_create(&judge, local ? &condensed : &global, NULL), NB_OK);
                assert_int_equal(nb_step_condition(judge, u, lambda, &condition, NULL), NB_OK);
                if (!(condition.all <= bound * (1 + 1e-6) && condition.all > (local ? 0.55 : 0.5) * bound))
                    fail_msg("mu %g, mass %g, local %d: %g, by hand at most %g", mu, mass, local, condition.all, bound);
            }
}

TEST(the_condition_has_no_unit)
{
    OWNS(nb_problem_free)
    struct nb_problem one, other;
    make_wedge(&one, 1e-3, 0.1, 1);
    make_wedge(&other, 1e-3, 1e5 * 1e-4 * 0.1, 1);
    for (int k = 0; k < other.linear.mass.start[3]; ++k)
        other.linear.mass.value[k] *= 1e5;
    const double condition = wedge_condition(&one, 1e-3, 0.1, 1);
    assert_near(wedge_condition(&other, 1e-3, 1e5 * 1e-4 * 0.1, 1), condition, 1e-6 * condition);
}

/* What a solver leaves is as far off as the condition times its error says, within a factor of 10. */
TEST(velocities_are_off_by_the_condition_times_the_error)
{
    const double angles[] = {1e-1, 1e-3, 1e-5};
    for (int k = 0; k < 3; ++k) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        double u[3], lambda[9];
        struct nb_step_condition condition;
        OWNS(nb_judge_free_at)
        struct nb_judge *judge;
        make_wedge(&problem, angles[k], 0.1, 1);
        const struct nb_metrics errors = test_method(&problem, "proximal_newton", 60, u, lambda);
        assert_int_equal(nb_judge_create(&judge, &problem, NULL), NB_OK);
        assert_int_equal(nb_step_condition(judge, u, lambda, &condition, NULL), NB_OK);
        assert_true(condition.momentum < 1e-3); /* walls hold the ball, whatever pushes it */
        assert_true(hypot(u[0], hypot(u[1], u[2])) <= 10 * nb_velocity_uncertainty(&condition, &errors) * 0.1 + 1e-15);
    }
}

static void write_wedge(const char *name, double angle)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    struct nb_error error = {""};
    make_wedge(&problem, angle, 0.1, 1);
    if (nb_problem_write(test_path(&folder, name), &problem, NULL, &error))
        fail_msg("%s", error.text);
}

/* |v| of a file's solution, over what the step did to v. */
static double written_motion(const char *name)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    OWNS(free_at)
    double *u = NULL;
    OWNS(free_at)
    double *lambda = NULL;
    struct nb_error error = {""};
    double square = 0;
    if (nb_problem_read(test_path(&folder, name), &problem, &error) ||
        nb_solution_read(test_path(&folder, name), &problem, &u, &lambda, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < nb_problem_dofs(&problem); ++i)
        square += u[i] * u[i];
    return sqrt(square) / hypot(0.1, 0.1);
}

/* Whatever a method keeps, alone or in three islands, with a first-order method, and to a coarse tolerance; what is
 * sure enough is not gone on with. */
TEST(a_converged_answer_has_velocities_within_a_hundred_tolerances)
{
    static const struct {
        const char *file, *solver;
        double tolerance;
        bool goes_on;
    } cases[] = {
        {"wide", "proximal_newton", 1e-8, false},
        {"narrow", "proximal_newton", 1e-8, true},
        {"narrow", "newton", 1e-8, true},
        {"three", "proximal_newton", 1e-8, true},
        {"three", "newton", 1e-8, true},
        {"medium", "apgd", 1e-4, true},
    };
    write_wedge("wide.h5", 0.1);
    write_wedge("medium.h5", 1e-2);
    write_wedge("narrow.h5", 1e-5);
    struct test_output output = run("export %s/narrow.h5 --copies 3 -o %s/three.h5", folder.path, folder.path);
    assert_int_equal(output.code, 0);
    test_output_free(&output);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        output = run("solve %s/%s.h5 --tol %g --floor no --newton-iters 5000 --solver %s -o %s/answer.h5", folder.path,
                     cases[k].file, cases[k].tolerance, cases[k].solver, folder.path);
        assert_int_equal(output.code, 0);
        if (cases[k].goes_on != (strstr(output.out, " more for sharper velocities") != NULL) ||
            !(written_motion("answer.h5") <= 100 * cases[k].tolerance))
            fail_msg("%s by %s: off by %g of the motion\n%s", cases[k].file, cases[k].solver,
                     written_motion("answer.h5"), output.out);
        test_output_free(&output);
    }
}

/* W couples the normal with the tangent and mu = 2: the contact, which opens at 0.1 m/s by itself, may open, slide at
 * 0.36 m/s, or stick. */
static void write_jam(const char *name, double friction)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, across = sqrt(1 - 0.9 * 0.9);
    const double rows[9] = {1, 0, 0, 0.9, across, 0, 0, 0, 1};
    struct nb_problem problem;
    struct nb_error error = {""};
    test_linear_step(&problem, NB_LINEAR_GLOBAL, "jam", 3, 1, 0);
    test_sparse(&problem.linear.mass, 3, 3, identity);
    test_sparse(&problem.linear.contact_jacobian, 3, 3, rows);
    problem.linear.contact_velocity[0] = 0.1;
    problem.linear.contact_velocity[1] = 0.5;
    problem.linear.friction[0] = friction;
    if (nb_problem_write(test_path(&folder, name), &problem, NULL, &error))
        fail_msg("%s", error.text);
    nb_problem_free(&problem);
}

TEST(a_contact_that_may_jam_has_several_answers)
{
    static const char *const solvers[] = {"proximal_newton", "nsgs", "apgd"};
    write_jam("jam.h5", 2);
    write_jam("free.h5", 0.5);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        struct test_output output =
            run("solve %s/jam.h5 --tol 1e-8 --floor no --repetitions 0 --solver %s", folder.path, solvers[k]);
        assert_int_equal(output.code, 0); /* another answer is no error */
        test_contains(output.out, "converged to --tol");
        test_contains(output.out, "the velocities are not unique: another answer as right is ");
        test_output_free(&output);
        output = run("solve %s/free.h5 --tol 1e-8 --floor no --repetitions 0 --solver %s", folder.path, solvers[k]);
        assert_null(strstr(output.out, "not unique"));
        test_output_free(&output);
    }
    struct test_output output = run("solve %s/jam.h5 --tol 1e-8 --floor no --repetitions 0 --json", folder.path);
    test_contains(output.out, "\"velocity_spread\":");
    test_contains(output.out, "\"step_condition\":");
    test_output_free(&output);
}
