/* What does not change a verdict: the table of changes below, each made to steps at states on their way and at the end,
 * of random steps, scenes as they are and linearised, and FCLIB files. step_error, each of its parts, the worst contact
 * and whether constraints are proven to contradict each other stay as they were, and a solve has the same bits at any
 * number of threads (docs/theory/measure.md). */
#include "harness/judge/infeasibility.h"
#include "tests/harness/judge/changed_steps.h"
#include "tests/support/steps.h"

/* W is formed densely up to here, and contradictions are looked for. */
enum { LOCAL_CONTACTS = 700,
       PROVEN_CONTACTS = 100 };

/* Whether V_N of every contact is an approach, and every vector of three velocities is of one island that has rows.
 * What is idle is judged by the terms |J||u| of its motion, and a linear step does not tell which velocities are one
 * body's: those that nothing couples are judged apart, and in other axes they are others. */
static bool is_at_work(const struct nb_judge *judge)
{
    const struct nb_step_scale *scale = &judge->scale;
    const int rows = judge->contacts + judge->bilaterals;
    OWNS(free_at)
    double *u = zeros(judge->dofs + judge->bilaterals),
           *velocity = zeros(3 * judge->contacts);
    OWNS(free_at)
    double *approach = zeros(rows + judge->dofs);
    assert_ok(nb_judge_find_motion(judge, judge->bilaterals > 0, u, &why));
    nb_csr_multiply(judge->jacobian, u, velocity, 0);
    for (int i = 0; i < judge->contacts; ++i) {
        double *of_island = &approach[scale->island[i]];
        *of_island = fmax(*of_island, -velocity[3 * i] - judge->constant[3 * i]);
    }
    for (int i = 0; i < judge->contacts; ++i)
        if (!(fabs(scale->velocity[i] - approach[scale->island[i]]) <= 1e-9 * scale->velocity[i]))
            return false;
    for (int k = 0; k < judge->dofs; ++k) {
        const int island = scale->island[rows + k];
        if (island >= rows || (k % 3 > 0 && island != scale->island[rows + k - 1]))
            return false;
    }
    return true;
}

/* The forms that changes are to be of, for this step. */
static int forms_of(const struct nb_problem *problem)
{
    struct nb_judge *judge;
    int forms = problem->form == NB_NONLINEAR ? NONLINEAR : problem->form == NB_LINEAR_GLOBAL ? GLOBAL
                                                                                              : LOCAL;
    assert_ok(nb_judge_create(&judge, problem, &why));
    if (forms == GLOBAL && is_at_work(judge))
        forms |= GLOBAL_AT_WORK;
    nb_judge_free(judge);
    return forms;
}

/* ---- the table ---- */

static const struct change changes[] = {
    {"mass in other units", in_units, ALL, 1e6, 1, 1},
    {"mass in small units", in_units, ALL, 1e-6, 1, 1},
    {"length in other units", in_units, ALL, 1, 1e6, 1},
    {"length in small units", in_units, ALL, 1, 1e-6, 1},
    {"time in other units", in_units, ALL, 1, 1, 1e6},
    {"time in small units", in_units, ALL, 1, 1, 1e-6},
    {"all units", in_units, ALL, 1e6, 1e-6, 1e-6},
    {"another place", translate, NONLINEAR, 0, 0, 0},
    {"another step of time for the impulses", in_another_time_step, LINEAR, 0, 0, 0},
    {"contacts in another order", reorder_contacts, LINEAR, 0, 0, 0},
    {"tangents turned", turn_tangents, LINEAR, 0, 0, 0},
    {"contacts given twice", give_contacts_twice, LINEAR, 0, 0, 0},
    {"contacts given twice, with turned tangents", give_contacts_twice_turned, LINEAR, 0, 0, 0},
    {"velocities in another order", reorder_velocities, GLOBAL, 0, 0, 0},
    {"the world turned to other axes", turn_to_axes, GLOBAL, 0, 0, 0},
    {"the world turned askew", turn_askew, GLOBAL_AT_WORK, 0, 0, 0},
    {"bilateral rows scaled", scale_bilaterals, LINEAR, 0, 0, 0},
    {"an open island beside", add_open_island, LINEAR, 0, 0, 0},
    {"zeros stored", store_zeros, LINEAR, 0, 0, 0},
};
enum { CHANGES = sizeof changes / sizeof *changes };
static int made[CHANGES]; /* of each */

static struct nb_metrics judged(const struct state *state)
{
    return test_judged(&state->problem, state->u, state->lambda);
}

static bool is_contradictory(const struct nb_problem *problem)
{
    struct nb_infeasibility found;
    assert_ok(nb_infeasibility_find(problem, NULL, &found, &why));
    return found.found;
}

/* Errors of contacts may be equal, as in symmetric steps: then any of these is the worst. */
static void expect_among_the_worst(const char *what, const struct state *old, int found, int worst)
{
    struct nb_judge *judge;
    struct nb_metrics metrics;
    assert_ok(nb_judge_create(&judge, &old->problem, &why));
    nb_judge_evaluate(judge, old->u, old->lambda, &metrics);
    const double error = nb_judge_contact_error(judge, found), largest = nb_judge_contact_error(judge, worst);
    nb_judge_free(judge);
    if (!(error >= largest * (1 - 1e-6) - 1e-9))
        fail_msg("%s: the worst contact was %d with %g, is %d with %g", what, worst, largest, found, error);
}

static void expect_same(const char *how, const struct state *old, const struct state *state)
{
    char what[160];
    const struct nb_metrics before = judged(old), after = judged(state);
    snprintf(what, sizeof what, "%s%s, %s", old->problem.name, old->problem.form == NB_NONLINEAR ? "" : " linear", how);
    test_same_step_error(what, &before, &after);
    if (state->origin && !isnan(after.worst_contact))
        expect_among_the_worst(what, old, state->origin[(int)after.worst_contact], (int)before.worst_contact);
    if (old->problem.form != NB_NONLINEAR && nb_problem_contacts(&old->problem) <= PROVEN_CONTACTS &&
        is_contradictory(&old->problem) != is_contradictory(&state->problem))
        fail_msg("%s: constraints contradict each other in one of the two", what);
}

static void expect_the_same_in_local_form(const struct state *old)
{
    struct state global = {.u = zeros(old->problem.linear.dofs), .lambda = old->lambda}, local = {.u = NULL};
    struct nb_mass_factor *factor = NULL;
    assert_ok(nb_problem_copy(&old->problem, &global.problem, &why));
    symmetrise(&global.problem.linear.mass);
    assert_ok(nb_mass_factor_create(&factor, &global.problem.linear.mass, &why));
    balance(&global, factor);
    condense(&global, factor, &local);
    expect_same("local form", &global, &local);
    for (int k = 0; k < CHANGES; ++k)
        if (changes[k].forms & LOCAL && local.problem.linear.bilaterals > 0) {
            struct state changed = {.u = NULL};
            changes[k].make(&changes[k], &local, &changed);
            expect_same(changes[k].name, &local, &changed);
            free_state(&changed);
        }
    nb_mass_factor_free(factor);
    free_state(&local);
    nb_problem_free(&global.problem);
    free(global.u);
}

static void expect_no_difference(const struct state *state)
{
    const int contacts = nb_problem_contacts(&state->problem), forms = forms_of(&state->problem);
    for (int k = 0; k < CHANGES; ++k)
        if (changes[k].forms & forms) {
            ++made[k];
            struct state changed = {.u = NULL};
            changes[k].make(&changes[k], state, &changed);
            expect_same(changes[k].name, state, &changed);
            free_state(&changed);
        }
    if (forms & GLOBAL && contacts > 0 && contacts <= LOCAL_CONTACTS)
        expect_the_same_in_local_form(state);
}

/* Where a method is after so many iterations; wobble: each number off by up to that, so that one contact is worst. */
static void some_state(const struct nb_problem *problem, const char *solver, int iterations, double wobble,
                       struct state *state)
{
    const int dofs = nb_problem_dofs(problem), rows = nb_problem_multipliers(problem);
    *state = (struct state){.u = zeros(dofs), .lambda = zeros(rows)};
    assert_ok(nb_problem_copy(problem, &state->problem, &why));
    test_method(problem, solver, iterations, state->u, state->lambda);
    for (int i = 0; i < dofs; ++i)
        state->u[i] *= 1 + wobble * uniform();
    for (int i = 0; i < rows; ++i)
        state->lambda[i] *= 1 + wobble * uniform();
}

static void expect_same_bits(const struct nb_problem *problem, const char *solver, int iterations)
{
    const size_t dofs = (size_t)nb_problem_dofs(problem), rows = (size_t)nb_problem_multipliers(problem);
    OWNS(free_at)
    double *x = zeros((int)(dofs + rows)),
           *y = zeros((int)(dofs + rows));
    for (int threads = 1; threads <= 3; ++threads) {
        struct nb_options options = test_options(solver, iterations);
        options.threads = threads;
        run_method(problem, &options, threads == 1 ? x : y, (threads == 1 ? x : y) + dofs, NULL);
        if (threads > 1 && memcmp(x, y, (dofs + rows) * sizeof *x))
            fail_msg("%s, %s: other bits with %d threads", problem->name, solver, threads);
    }
}

static void expect_invariant(const struct nb_problem *problem)
{
    static const struct {
        const char *solver;
        int iterations;
        double wobble;
    } paths[] = {{"newton", 4, 1e-3}, {"nsgs", 3, 1 / 3.0}, {"proximal_newton", 100, 0}};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; ++k) {
        struct state state;
        some_state(problem, paths[k].solver, paths[k].iterations, paths[k].wobble, &state);
        if (paths[k].wobble > 0.1 && nb_problem_contacts(problem) > 0)
            assert_true(judged(&state).step_error > 1e-4);
        expect_no_difference(&state);
        free_state(&state);
        expect_same_bits(problem, paths[k].solver, paths[k].iterations);
    }
}

TEST(random_steps_are_invariant)
{
    for (uint32_t number = 1; number < 20; ++number) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        seed = number;
        test_global(&problem, 24, 12, number % 2 ? 0 : 3, number % 3 == 0, number);
        expect_invariant(&problem);
    }
}

static void scene_is_invariant(const char *name, int steps)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    seed = 1;
    test_step_of(name, steps, &problem);
    test_both_forms(&problem, expect_invariant);
}

TEST(small_scenes_are_invariant)
{
    static const char *const scenes[] = {"box_on_plane", "sliding_box", "heavy_stack", "arch", "beam", "hinge_limits",
                                         "double_pendulum_mass", "leaning_capsule"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
        scene_is_invariant(scenes[i], 1);
}

/* All scenes take half an hour under the sanitizers, whose faults the small ones would show. */
static void skip_under_sanitizer(void)
{
#ifdef __SANITIZE_ADDRESS__
    print_message("skipped: under the sanitizers only small scenes are changed\n");
    skip();
#endif
}

FULL_TEST(scenes_are_invariant)
{
    skip_under_sanitizer();
    for (int i = 0; nb_scenes()[i]; ++i)
        scene_is_invariant(nb_scenes()[i]->name, 0);
}

/* Some scenes have contacts only after a while. Not granular_silo, which takes minutes, nor ball_drop, whose contact
 * has nothing to do then: all that is judged is the rounding of bodies that fall together, which the local form has
 * not. */
FULL_TEST(later_steps_of_scenes_are_invariant)
{
    skip_under_sanitizer();
    for (int i = 0; nb_scenes()[i]; ++i)
        if (strcmp(nb_scenes()[i]->name, "granular_silo") && strcmp(nb_scenes()[i]->name, "ball_drop"))
            scene_is_invariant(nb_scenes()[i]->name, 15);
}

TEST(real_problems_are_invariant)
{
    seed = 1;
    test_each_real_file(expect_invariant);
}

/* The last: none of the table's rows is idle. */
TEST(each_change_was_made)
{
    for (int k = 0; k < CHANGES; ++k)
        if (made[k] < 8)
            fail_msg("%s: made %d times", changes[k].name, made[k]);
}
