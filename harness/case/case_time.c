/* Timed runs, which nobody watches: each repetition is judged when its time is taken, so that a time without
 * the result that it is for, as of a solver that works only while it is watched or goes on from its last
 * run, is none. */
#include <math.h>

#include "harness/case/case_private.h"
#include "solvers/plugin.h"

/* Runs in other bits, as of a device or a library that sums in the order of its threads, may end as much
 * less accurate, and after as few of the observed run's iterations. */
static const double worse = 10, fewer = 0.5;

bool nb_case_run_is_worse(const struct nb_case_run *run, double error, double than)
{
    return isfinite(than) &&
           !(error <= worse * fmax(than, nb_unit_roundoff(run->setting->options.precision)));
}

void nb_case_run_expect(struct nb_case_run *run, double error, long iterations)
{
    run->expected_error = error;
    run->expected_iterations = iterations;
}

void nb_case_run_expect_islands(struct nb_case_run *run, const int *iterations, int islands)
{
    if (run->solver && islands == nb_solver_islands(run->solver))
        nb_solver_limit(run->solver, iterations);
}

/* Of the solution that the last run left. */
static double judge_solution(struct nb_case_run *run)
{
    struct nb_metrics errors;
    if (run->bench)
        return nb_system_residual(run);
    nb_solver_solution(run->solver, run->u, run->lambda);
    nb_judge_evaluate(run->judge, run->u, run->lambda, &errors);
    return errors.step_error;
}

static enum nb_status check_result(struct nb_case_run *run, const struct nb_run *counts,
                                   struct nb_error *error)
{
    const long iterations = run->bench ? counts->linear_iterations : counts->newton_iterations;
    const double reached = judge_solution(run);
    if (!nb_case_run_is_worse(run, reached, run->expected_error) &&
        !((double)iterations < fewer * (double)run->expected_iterations))
        return NB_OK;
    return nb_fail(error, NB_BREAKDOWN, "a timed run ends after %ld iterations with the %s %.3g, the observed "
                   "one after %ld with %.3g", iterations, run->bench ? "residual" : "error", reached,
                   run->expected_iterations, run->expected_error);
}

/* Only a method of ours may say that some of its run is no part of it. */
static bool may_untime(const struct nb_case_run *run)
{
    return !run->bench && !nb_plugin_hash("solver", run->setting->options.solver);
}

enum nb_status nb_case_run_time(struct nb_case_run *run, int iterations, int solves,
                                double *seconds, struct nb_error *error)
{
    struct nb_run counts = {0};
    struct nb_linear_report report;
    enum nb_status status = NB_OK;
    double untimed = 0;
    const double start = nb_seconds();
    for (int i = 0; i < solves && !status; ++i) {
        status = run->bench ? nb_linear_bench_run(run->bench, iterations, NULL, &report, &counts,
                                                  error)
                            : nb_solver_run(run->solver, iterations, NULL, &counts, error);
        untimed += may_untime(run) ? counts.untimed_seconds : 0;
        if (!status && counts.broke_down) /* a lost device answers fast */
            status = nb_fail(error, NB_BREAKDOWN, "a timed run broke down: %.140s", counts.detail);
    }
    *seconds = nb_seconds() - start - untimed;
    return status ? status : check_result(run, &counts, error);
}

/* How many solves make a repetition of about 10 ms, from one solve that is not recorded. */
static enum nb_status calibrate(struct nb_case_run *run, int iterations, int *solves, double *seconds,
                                struct nb_error *error)
{
    const double target = 0.01; /* far above the clock's resolution and a scheduler tick */
    const enum nb_status status = nb_case_run_time(run, iterations, 1, seconds, error);
    const double count = ceil(target / fmax(*seconds, 1e-9));
    *solves = count < 1 ? 1 : count > 1e6 ? 1000000 : (int)count;
    return status;
}

enum nb_status nb_case_run_repeat(struct nb_case_run *run, int iterations, int *solves, double *seconds,
                                  double *spent, struct nb_error *error)
{
    double first = 0;
    enum nb_status status = NB_OK;
    if (!*solves) {
        status = calibrate(run, iterations, solves, &first, error);
        if (!status && 4 * first > run->setting->time_limit) { /* nothing that a cold start would change */
            *solves = 1;
            *seconds = *spent = first;
            return NB_OK;
        }
    }
    if (!status)
        status = nb_case_run_time(run, iterations, *solves, spent, error);
    *seconds = *spent / *solves;
    *spent += first;
    return status;
}
