/* Steps side by side that nothing couples: each method gives each the bits that it gives it alone, watched or not, on
 * any number of threads, and each stops where its own observer has seen enough. */
#include "tests/support/outer_support.h"

#include "problems/copies.h"
#include "problems/join.h"
#include "problems/split.h"

OWNER(nb_solver_free)

enum { LIMIT = 12 };

struct answer {
    double *u, *lambda;
    size_t dofs, rows;
};

static struct answer make_answer(const struct nb_problem *problem)
{
    struct answer answer = {.dofs = (size_t)nb_problem_dofs(problem), .rows = (size_t)nb_problem_multipliers(problem)};
    answer.u = calloc(answer.dofs + answer.rows + 1, sizeof *answer.u);
    assert_non_null(answer.u);
    answer.lambda = answer.u + answer.dofs;
    return answer;
}

static void free_answer(struct answer *answer) { free(answer->u); }

/* 0: the method cannot be had here. */
static int create(struct nb_solver **solver, const struct nb_problem *problem, const struct nb_options *options)
{
    struct nb_error error;
    const enum nb_status status = nb_solver_create(solver, problem, options, &error);
    if (status && status != NB_UNSUPPORTED)
        fail_msg("%s, %s: %s", problem->name, options->solver, error.text);
    return !status;
}

static int solve(const struct nb_problem *problem, const struct nb_options *options, struct answer *answer)
{
    OWNS(nb_solver_free_at) struct nb_solver *solver = NULL;
    struct nb_run run;
    if (!create(&solver, problem, options))
        return 0;
    assert_ok(nb_solver_run(solver, LIMIT, NULL, &run, &why));
    nb_solver_solution(solver, answer->u, answer->lambda);
    return 1;
}

/* Two different linear steps, and each method on them side by side. Rows of the joined step are those of the first,
 * then those of the second, bilateral ones apart. */
static void assert_alone(const struct nb_problem *parts, const struct nb_problem *both,
                         const struct nb_options *options)
{
    OWNS(free_answer) struct answer first = make_answer(&parts[0]), second = make_answer(&parts[1]),
                                    all = make_answer(both);
    if (!solve(&parts[0], options, &first) || !solve(&parts[1], options, &second))
        return;
    assert_true(solve(both, options, &all));
    const size_t size = sizeof(double);
    const size_t lines[] = {(size_t)parts[0].linear.bilaterals, (size_t)parts[1].linear.bilaterals};
    const size_t contacts[] = {first.rows - lines[0], second.rows - lines[1]};
    const double *lambda = all.lambda;
    if (memcmp(all.u, first.u, first.dofs * size) || memcmp(all.u + first.dofs, second.u, second.dofs * size))
        fail_msg("%s, %d threads: other velocities than alone", options->solver, options->threads);
    if (memcmp(lambda, first.lambda, lines[0] * size) || memcmp(lambda + lines[0], second.lambda, lines[1] * size) ||
        memcmp(lambda + lines[0] + lines[1], first.lambda + lines[0], contacts[0] * size) ||
        memcmp(lambda + lines[0] + lines[1] + contacts[0], second.lambda + lines[1], contacts[1] * size))
        fail_msg("%s, %d threads: other forces than alone", options->solver, options->threads);
}

static void linear_scene(const char *scene, const char *const *settings, struct nb_problem *linear)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, scene, settings);
    assert_ok(nb_problem_linearize(&problem, linear, &why));
}

static void try_every_method(const struct nb_problem *parts)
{
    const struct nb_registry_row *row;
    OWNS(nb_problem_free) struct nb_problem both;
    struct nb_options options = nb_options_default();
    options.islands = NB_ISLANDS_APART;
    assert_ok(nb_problem_join(parts, 2, &both, &why));
    for (size_t i = 0; (row = nb_registry_row("solver", i)); ++i)
        for (options.threads = 1; options.threads <= 3; options.threads += 2) {
            options.solver = row->name;
            assert_alone(parts, &both, &options);
        }
    options.precision = "f32";
    options.solver = "proximal_newton";
    assert_alone(parts, &both, &options);
}

TEST(every_method_gives_a_step_what_it_gives_it_alone)
{
    OWNS(nb_problem_free) struct nb_problem boxes, stack, door, pendulum;
    linear_scene("two_boxes", NULL, &boxes);
    linear_scene("heavy_stack", NULL, &stack);
    linear_scene("hinge_limits", NULL, &door);
    linear_scene("double_pendulum_mass", NULL, &pendulum);
    const struct nb_problem of_contacts[] = {stack, boxes}, of_joints[] = {door, boxes}, free[] = {pendulum, boxes};
    try_every_method(of_contacts);
    try_every_method(of_joints);
    try_every_method(free);
}

/* A nonlinear step, taken apart here: maps and steps of islands say the same. */
TEST(a_nonlinear_step_is_that_of_its_islands)
{
    const struct nb_registry_row *row;
    OWNS(nb_problem_free) struct nb_problem one, many;
    OWNS(nb_split_free) struct nb_split split;
    struct nb_options options = nb_options_default();
    test_scene(&one, "two_boxes", NULL);
    assert_ok(nb_problem_repeat(&one, 3, &many, &why));
    const int dofs = nb_problem_dofs(&one);
    for (int i = 0; i < dofs; ++i) /* so that the second one has another solution */
        many.free_velocity[dofs + i] *= 1.25;
    assert_ok(nb_problem_split(&many, &split, &why));
    assert_int_equal(split.count, 3);
    options.islands = NB_ISLANDS_APART;
    for (size_t i = 0; (row = nb_registry_row("solver", i)); ++i) {
        OWNS(free_answer) struct answer all = make_answer(&many);
        options.solver = row->name;
        if (!solve(&many, &options, &all))
            continue;
        for (int k = 0; k < split.count; ++k) {
            const struct nb_split_part *part = &split.part[k];
            OWNS(free_answer) struct answer alone = make_answer(&part->problem);
            assert_true(solve(&part->problem, &options, &alone));
            for (int d = 0; d < part->dofs; ++d)
                assert_true(alone.u[d] == all.u[part->dof[d]]);
            for (int d = 0; d < part->multipliers; ++d)
                assert_true(alone.lambda[d] == all.lambda[part->multiplier[d]]);
        }
    }
}

/* What an observer saw, and where it ended islands. */
struct seen {
    const int *stop;             /* [islands] */
    int last, count, whole_stop; /* of the whole step; 0: it is not stopped */
    struct answer *answer;       /* what was shown last                     */
};

static bool see(void *context, int iteration, const double *u, const double *lambda,
                const struct nb_linear_report *linear)
{
    struct seen *seen = context;
    assert_true((linear == NULL) == (iteration == 0));
    assert_true(seen->count == 0 || iteration > seen->last);
    seen->last = iteration;
    seen->count++;
    memcpy(seen->answer->u, u, seen->answer->dofs * sizeof *u);
    memcpy(seen->answer->lambda, lambda, seen->answer->rows * sizeof *lambda);
    return !seen->whole_stop || iteration < seen->whole_stop;
}

static bool see_island(void *context, int island, int iteration, const double *u, const double *lambda)
{
    const struct seen *seen = context;
    assert_non_null(u);
    assert_non_null(lambda);
    return !seen->stop || iteration < seen->stop[island];
}

/* Each island ends where it is told to, the whole where the last one does; a run that nobody watches repeats it. */
TEST(each_island_stops_by_itself)
{
    static const int stops[] = {3, 7, 5}, none[] = {3, 4, 4};
    OWNS(nb_problem_free) struct nb_problem one, many;
    OWNS(nb_solver_free_at) struct nb_solver *solver = NULL;
    struct nb_options options = nb_options_default();
    struct nb_run run;
    int taken[3];
    test_scene(&one, "two_boxes", NULL);
    assert_ok(nb_problem_repeat(&one, 3, &many, &why));
    OWNS(free_answer) struct answer shown = make_answer(&many), left = make_answer(&many);
    options.solver = "nsgs";
    assert_ok(nb_solver_create(&solver, &many, &options, &why));
    assert_int_equal(nb_solver_islands(solver), 3);
    for (int whole = 0; whole <= 4; whole += 4) {
        struct seen seen = {.stop = stops, .whole_stop = whole, .answer = &shown};
        const struct nb_observer observer = {.context = &seen, .observe = see, .observe_island = see_island};
        nb_solver_limit(solver, NULL);
        assert_ok(nb_solver_run(solver, LIMIT, &observer, &run, &why));
        assert_int_equal(run.newton_iterations, whole ? whole : 7);
        assert_int_equal(seen.last, whole ? whole : 7);
        assert_int_equal(seen.count, seen.last + 1);
        nb_solver_taken(solver, taken);
        assert_memory_equal(taken, whole ? none : stops, sizeof taken);
        nb_solver_solution(solver, left.u, left.lambda);
        assert_memory_equal(left.u, shown.u, left.dofs * sizeof *left.u);
        nb_solver_limit(solver, taken);
        assert_ok(nb_solver_run(solver, seen.last, NULL, &run, &why));
        assert_int_equal(run.newton_iterations, seen.last);
        nb_solver_solution(solver, left.u, left.lambda);
        assert_memory_equal(left.u, shown.u, left.dofs * sizeof *left.u);
        assert_memory_equal(left.lambda, shown.lambda, left.rows * sizeof *left.lambda);
    }
}

/* One island is the step itself, and so is all that is solved together; newton's default is the whole step. */
TEST(who_is_taken_apart)
{
    OWNS(nb_problem_free) struct nb_problem one, many;
    struct nb_options options = nb_options_default();
    test_scene(&one, "two_boxes", NULL);
    assert_ok(nb_problem_repeat(&one, 2, &many, &why));
    const struct {
        const char *solver;
        enum nb_islands_choice islands;
        const struct nb_problem *problem;
        int count;
    } expected[] = {{"proximal_newton", NB_ISLANDS_OWN, &many, 2},      {"nsgs", NB_ISLANDS_OWN, &many, 2},
                    {"proximal_newton", NB_ISLANDS_TOGETHER, &many, 1}, {"newton", NB_ISLANDS_OWN, &many, 1},
                    {"newton", NB_ISLANDS_APART, &many, 2},             {"proximal_newton", NB_ISLANDS_APART, &one, 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        OWNS(nb_solver_free_at) struct nb_solver *solver = NULL;
        options.solver = expected[i].solver;
        options.islands = expected[i].islands;
        assert_ok(nb_solver_create(&solver, expected[i].problem, &options, &why));
        assert_int_equal(nb_solver_islands(solver), expected[i].count);
    }
}
