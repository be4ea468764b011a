/* Judge, floors and endings together, on runs of the real solver over the heavy stack (Macklin et
 * al. 2019, figure 18): Krylov methods end at the floor of their precision, Gauss-Seidel far
 * above. */
#include "tests/support/test.h"

#include "harness/judge/ending.h"
#include "harness/floor/floor.h"
#include "harness/judge/metrics.h"
#include "problems/scene.h"
#include "problems/step.h"

enum { ITERATIONS = 30, DOFS = 30, ROWS = 60 };

struct trace {
    struct nb_judge *judge;
    int count;
    double error[ITERATIONS + 1];
    struct nb_metrics last;
};

static struct nb_problem stack;

static int set_up(void **state)
{
    (void)state;
    return nb_scene_create("heavy_stack", 0, NULL, &stack, NULL) ||
           nb_step_prepare(&stack, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    nb_problem_free(&stack);
    return 0;
}

static bool observe(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear)
{
    struct trace *trace = context;
    (void)iteration;
    (void)linear;
    nb_judge_evaluate(trace->judge, u, lambda, &trace->last);
    trace->error[trace->count++] = trace->last.step_error;
    return true;
}

static struct nb_options options_of(const char *linear, const char *precision)
{
    struct nb_options options = nb_options_default();
    options.solver = "newton";
    options.newton_iterations = 30;
    options.ncp = "fb";
    options.scaling = "mass";
    options.newton_form = "scaled";
    options.linear = linear;
    options.precision = precision;
    options.newton_iterations = ITERATIONS;
    options.linear_iterations = 40;
    options.shift = 1e-6;
    return options;
}

static void run(const struct nb_options *options, struct trace *trace, double *u, double *lambda)
{
    struct nb_solver *solver;
    struct nb_run report;
    const struct nb_observer observer = {.context = trace, .observe = observe};
    memset(trace, 0, sizeof *trace);
    assert_ok(nb_judge_create(&trace->judge, &stack, &why));
    assert_ok(nb_solver_create(&solver, &stack, options, &why));
    assert_ok(nb_solver_run(solver, ITERATIONS, &observer, &report, &why));
    nb_solver_solution(solver, u, lambda);
    nb_solver_free(solver);
    nb_judge_free(trace->judge);
}

static enum nb_ending ending_of(const struct trace *trace, const struct nb_floor_reference *best,
                                double roundoff)
{
    const struct nb_floor floor = nb_floor_at(best, roundoff);
    const struct nb_ending_input input = {
        .count = trace->count, .error = trace->error, .unit_roundoff = roundoff, .floor = floor.step_error};
    return nb_classify(&input);
}

TEST(test_heavy_stack)
{
    struct trace trace;
    struct nb_floor_reference reference;
    double u[DOFS], lambda[ROWS];
    assert_int_equal(nb_problem_dofs(&stack), DOFS);
    assert_int_equal(nb_problem_multipliers(&stack), ROWS);

    const struct nb_options precise = options_of("pcr", "f64");
    run(&precise, &trace, u, lambda);
    assert_true(trace.last.normal_error < 1e-12);
    assert_true(fabs(trace.last.normal_force - 367364.88) < 0.01);
    assert_int_equal(trace.last.stick, 20);
    assert_int_equal(nb_floor_reference_compute(&stack, &precise, u, lambda, &reference, NULL),
                     NB_OK);
    assert_int_equal(ending_of(&trace, &reference, 0x1p-53), NB_ENDING_ACCURACY_FLOOR);

    /* The largest row of A* is the inertia m a^2 / 6 of the top cube and the lever arms on it. */
    assert_true(fabs(reference.matrix_norm - 32768 * 3.2 * 3.2 / 6) < 20);
    /* Each of the four ground contacts carries a quarter. */
    assert_true(fabs(reference.solution_norm - stack.time_step * 367364.88 / 4) < 1);
    const struct nb_floor floor = nb_floor_at(&reference, 0x1p-24);
    assert_true(floor.residual > 2 && floor.residual < 6);

    const struct nb_options single = options_of("pcr", "f32");
    run(&single, &trace, u, lambda);
    assert_true(trace.last.normal_error < 1e-5);
    assert_int_equal(ending_of(&trace, &reference, 0x1p-24), NB_ENDING_ACCURACY_FLOOR);
    assert_true(trace.last.constraint_error < 10 * floor.component_constraint);
    assert_true(trace.last.momentum_error < floor.residual);

    const struct nb_options relaxed = options_of("gauss_seidel", "f64");
    run(&relaxed, &trace, u, lambda);
    assert_true(trace.last.normal_error > 1e-4);
    assert_int_equal(ending_of(&trace, &reference, 0x1p-53), NB_ENDING_STAGNATED);
}

/* Fewer iterations than the fall needs. */
TEST(test_stopped_early)
{
    struct trace trace;
    struct nb_floor_reference reference;
    double u[DOFS], lambda[ROWS];
    const struct nb_options options = options_of("cholesky", "f64");
    run(&options, &trace, u, lambda);
    assert_int_equal(nb_floor_reference_compute(&stack, &options, u, lambda, &reference, NULL),
                     NB_OK);
    for (int count = 12; count < 20; ++count) {
        trace.count = count;
        assert_int_equal(ending_of(&trace, &reference, 0x1p-53), NB_ENDING_ITERATION_LIMIT);
    }
}

FIXTURE(set_up, tear_down)
