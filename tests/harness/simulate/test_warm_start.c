/* Warm starts between the steps of a simulation: contacts are found again whatever their order, forces keep
 * their direction in the world and stay in the cones, and a resting stack needs fewer iterations for the same
 * answer. */
#include "tests/support/support.h"

#include "harness/judge/metrics.h"
#include "harness/simulate/simulate.h"
#include "harness/simulate/warm_start.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/numbers.h"

enum { MOST = 1000 };

static void swap(void *a, void *b, size_t size)
{
    char kept[128];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

static void swap_contacts(struct nb_contacts *contacts, int i, int j)
{
    swap(contacts->body + 2 * i, contacts->body + 2 * j, 2 * sizeof(int));
    swap(contacts->point + 6 * i, contacts->point + 6 * j, 6 * sizeof(double));
    swap(contacts->frame + 9 * i, contacts->frame + 9 * j, 9 * sizeof(double));
    swap(contacts->friction + i, contacts->friction + j, sizeof(double));
}

/* Contacts in reverse order, their points in one body moved far and in the other a little: all are found, and
 * one whose point moved in both is not. */
TEST(test_contacts_are_found_again)
{
    static double lambda[MOST], carried[MOST], u[MOST];
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_warm_start_free) struct nb_warm_start warm = {0};
    test_scene(&problem, "heavy_stack", NULL);
    struct nb_contacts *contacts = &problem.contacts;
    const int count = contacts->count;
    assert_true(count >= 20 && 3 * count < MOST);
    for (int i = 0; i < count; ++i) {
        contacts->friction[i] = 0.5;
        lambda[3 * i] = 100 + i;
        lambda[3 * i + 1] = 0.3 * i;
        lambda[3 * i + 2] = -0.2 * i;
    }
    assert_int_equal(nb_warm_start_keep(&warm, &problem, u, lambda, NULL), NB_OK);
    for (int i = 0; i < count / 2; ++i)
        swap_contacts(contacts, i, count - 1 - i);
    for (int i = 0; i < count; ++i) {
        contacts->point[6 * i] += 0.1;
        contacts->point[6 * i + 3] += 0.001;
    }
    contacts->point[6 * 4 + 3] += 0.1;
    assert_int_equal(nb_warm_start_guess(&warm, &problem, 0.01, u, carried), count - 1);
    for (int i = 0; i < count; ++i)
        for (int r = 0; r < 3; ++r) {
            const double wanted = i == 4 ? 0 : lambda[3 * (count - 1 - i) + r];
            assert_true(fabs(carried[3 * i + r] - wanted) < 1e-12 * 100);
        }
}

/* Other tangents: the same force in the world. Less friction: on the cone, in its direction. A normal turned
 * round: nothing. */
TEST(test_forces_keep_their_direction_and_the_cone)
{
    static double lambda[MOST], carried[MOST], u[MOST];
    struct nb_problem problem;
    struct nb_warm_start warm = {0};
    test_scene(&problem, "box_on_plane", NULL);
    struct nb_contacts *contacts = &problem.contacts;
    assert_true(contacts->count >= 3);
    for (int i = 0; i < contacts->count; ++i) {
        contacts->friction[i] = 0.6;
        lambda[3 * i] = 10, lambda[3 * i + 1] = 3, lambda[3 * i + 2] = 4;
    }
    assert_int_equal(nb_warm_start_keep(&warm, &problem, u, lambda, NULL), NB_OK);
    double *turned = contacts->frame + 9 * 0, *opposite = contacts->frame + 9 * 2;
    for (int k = 0; k < 3; ++k) { /* t1 and t2 by a quarter */
        const double kept = turned[3 + k];
        turned[3 + k] = turned[6 + k];
        turned[6 + k] = -kept;
    }
    contacts->friction[1] = 0.25;
    for (int k = 0; k < 6; ++k) /* n and t1: still right-handed */
        opposite[k] = -opposite[k];
    assert_int_equal(nb_warm_start_guess(&warm, &problem, 0.01, u, carried), contacts->count);
    assert_true(fabs(carried[0] - 10) + fabs(carried[1] - 4) + fabs(carried[2] + 3) < 1e-12);
    assert_true(fabs(carried[3] - 10) + fabs(carried[4] - 1.5) + fabs(carried[5] - 2) < 1e-12);
    assert_true(carried[6] == 0 && carried[7] == 0 && carried[8] == 0);
    nb_warm_start_free(&warm);
    nb_problem_free(&problem);
}

/* --- a resting stack --- */

struct watch {
    struct nb_judge *judge;
    int iterations;
};

static bool until_solved(void *context, int iteration, const double *u, const double *lambda,
                         const struct nb_linear_report *linear)
{
    struct watch *watch = context;
    struct nb_metrics errors;
    (void)linear;
    nb_judge_evaluate(watch->judge, u, lambda, &errors);
    watch->iterations = iteration;
    return errors.natural_map > 1e-7;
}

static int keep_last(void *context, const struct nb_problem *problem, const double *u,
                     const double *lambda)
{
    assert_int_equal(nb_warm_start_keep(context, problem, u, lambda, NULL), NB_OK);
    return 0;
}

/* Iterations to the tolerance; u of the end. */
static int solve(const struct nb_problem *problem, const char *method, const double *start,
                 const double *forces, double *u)
{
    static double lambda[MOST];
    struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_run run;
    struct watch watch = {NULL, 0};
    const struct nb_observer observer = {.context = &watch, .observe = until_solved};
    options.solver = method;
    options.linear = "cholesky";
    options.precond = "none";
    assert_int_equal(nb_judge_create(&watch.judge, problem, NULL), NB_OK);
    assert_int_equal(nb_solver_create(&solver, problem, &options, NULL), NB_OK);
    if (start)
        assert_int_equal(nb_solver_start(solver, start, forces, NULL), NB_OK);
    assert_int_equal(nb_solver_run(solver, 3000, &observer, &run, NULL), NB_OK);
    nb_solver_solution(solver, u, lambda);
    nb_solver_free(solver);
    nb_judge_free(watch.judge);
    if (watch.iterations == 3000)
        fail_msg("%s does not come to the tolerance", method);
    return watch.iterations;
}

TEST(test_a_resting_stack_takes_fewer_iterations)
{
    static const char *const methods[] = {"nsgs", "pgs:friction=cone", "newton", "proximal_newton",
                                          "proximal_newton:sweeps=no", "implicit_complementarity"};
    static double start[MOST], forces[MOST], cold[MOST], warm_u[MOST];
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_warm_start_free) struct nb_warm_start warm = {0};
    const struct nb_options options = nb_options_default();
    memset(&problem, 0, sizeof problem);
    assert_int_equal(nb_scene_create("box_pyramid", 0, NULL, &problem, NULL), NB_OK);
    assert_int_equal(nb_simulate(&problem, 20, &options, keep_last, &warm, NULL), NB_OK);
    assert_true(nb_problem_multipliers(&problem) < MOST && nb_problem_dofs(&problem) < MOST);
    for (int m = 0; m < 6; ++m) {
        const int found = nb_warm_start_guess(&warm, &problem, 0.01, start, forces);
        for (int i = 0; i < warm.contacts; ++i)
            warm.contact[i].used = 0;
        assert_int_equal(found, nb_problem_contacts(&problem));
        const int slow = solve(&problem, methods[m], NULL, NULL, cold);
        const int quick = solve(&problem, methods[m], start, forces, warm_u);
        print_message("%s: %d iterations, from rest %d\n", methods[m], quick, slow);
        if (2 * quick > slow)
            fail_msg("%s: %d iterations, from rest %d", methods[m], quick, slow);
        for (int i = 0; i < nb_problem_dofs(&problem); ++i)
            assert_true(fabs(cold[i] - warm_u[i]) < 1e-5);
    }
}

/* The height of the scene's first body after ten steps of its fall to rest [m], solved well. */
static double simulate(const char *method, bool warm_start, enum nb_status *status)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = nb_options_default();
    memset(&problem, 0, sizeof problem);
    options.solver = method;
    options.newton_iterations = 400;
    options.warm_start = warm_start;
    assert_int_equal(nb_scene_create("box_on_plane", 0, NULL, &problem, NULL), NB_OK);
    *status = nb_simulate(&problem, 10, &options, NULL, NULL, NULL);
    const double height = problem.bodies.position[2];
    return height;
}

TEST(test_simulations)
{
    enum nb_status status;
    static const char *const methods[] = {"nsgs", "proximal_newton"};
    for (int m = 0; m < 2; ++m) {
        const double cold = simulate(methods[m], false, &status);
        assert_int_equal(status, NB_OK);
        const double warm = simulate(methods[m], true, &status);
        assert_int_equal(status, NB_OK);
        assert_true(fabs(warm - cold) < 1e-9);
    }
    simulate("apgd", true, &status); /* has a start of its own */
    assert_int_equal(status, NB_UNSUPPORTED);
}
