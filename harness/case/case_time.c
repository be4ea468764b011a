/* Timed runs, which nobody watches: each repetition is judged when its time is taken, so that a solver that
 * works only while it is watched, or goes on from its last run, gets no time without the result that it is
 * for. The first one of a process is a warm-up: it finds neither caches nor pages as later ones do. */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

#include "harness/case/case_private.h"
#include "harness/case/case_run.h"
#include "problems/base/clock.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

/* Time by the clock, less what it is ahead of the processor time of a process that has not waited (case_time.c). */

/* Not CLOCK_PROCESS_CPUTIME_ID: where processor time is limited (ulimit -t) Linux counts that in ticks of its timer, by
 * which a short run takes none. */
static double processor_seconds(long *waits)
{
    struct rusage usage = {.ru_nvcsw = -1};
    getrusage(RUSAGE_SELF, &usage);
    *waits = usage.ru_nvcsw;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* The driver is loaded when a device is first used, by us or by a plugin. */
static bool may_use_device(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        dlclose(driver);
    return driver != NULL;
}

/* The clock is read last, and first at the end: within what the other two span. */
struct nb_own_time nb_own_time_begin(void)
{
    struct nb_own_time now;
    now.processor = processor_seconds(&now.waits);
    now.clock = nb_seconds();
    return now;
}

double nb_own_time_end(const struct nb_own_time *begin, double *waited)
{
    long waits;
    const double seconds = nb_seconds() - begin->clock;
    const double taken = seconds - (processor_seconds(&waits) - begin->processor);
    const bool always_ready = begin->waits >= 0 && waits == begin->waits;
    *waited = always_ready && taken > 0 && !may_use_device() ? taken : 0;
    return seconds - *waited;
}

/* Runs in other bits, as of a device or a library that sums in the order of its threads, may end as much
 * less accurate, and after as few of the observed run's iterations; where that one reached the tolerance of its case,
 * a timed one has to, but for so little. */
static const double worse = 10, fewer = 0.5, beyond = 1.25;

/* A repetition's least, far above the clock's resolution, is enough of a warm-up: of a longer solve it takes the first
 * iterations. A set-up that takes longer than the second is made once. [s] */
static const double short_time = NB_REPETITION_LEAST, long_setup = 0.05;

bool nb_case_run_is_worse(const struct nb_case_run *run, double error, double than)
{
    return isfinite(than) &&
           !(error <= worse * fmax(than, nb_unit_roundoff(run->setting->options.precision)));
}

void nb_case_run_expect(struct nb_case_run *run, struct nb_expected expected) { run->expected = expected; }

void nb_case_run_expect_islands(struct nb_case_run *run, const int *iterations, int islands)
{
    if (run->solver && islands == nb_solver_islands(run->solver))
        nb_solver_limit(run->solver, iterations);
}

/* Judges the solution that the last run left. */
static double judge_solution(struct nb_case_run *run)
{
    struct nb_metrics errors;
    if (run->bench)
        return nb_system_residual(run);
    nb_solver_solution(run->solver, run->u, run->lambda);
    nb_judge_evaluate(run->judge, run->u, run->lambda, &errors);
    return errors.step_error;
}

/* Whether the run misses a tolerance that the observed one reached; NaN, or 0: none. */
static bool misses(const struct nb_case_run *run, double reached, double tolerance)
{
    const double allowed = beyond * tolerance;
    return tolerance > 0 && run->expected.error <= allowed && !(reached <= allowed);
}

static bool falls_short(const struct nb_case_run *run, double reached, long iterations)
{
    const double own = run->bench ? nb_case_linear_tolerance(run->setting) : 0;
    return nb_case_run_is_worse(run, reached, run->expected.error) ||
           (double)iterations < fewer * (double)run->expected.iterations ||
           misses(run, reached, run->setting->tolerance) || misses(run, reached, own);
}

static enum nb_status check_result(struct nb_case_run *run, const struct nb_run *counts,
                                   struct nb_error *error)
{
    const long iterations = run->bench ? counts->linear_iterations : counts->newton_iterations;
    const double reached = judge_solution(run);
    if (!falls_short(run, reached, iterations))
        return NB_OK;
    return nb_fail(error, NB_BREAKDOWN, "a timed run ends after %ld iterations with the %s %.3g, the observed "
                                        "one after %ld with %.3g",
                   iterations, run->bench ? "residual" : "error", reached,
                   run->expected.iterations, run->expected.error);
}

/* Only a method of ours may say that something in its run is not part of it. */
static bool may_untime(const struct nb_case_run *run)
{
    return !run->bench && !nb_plugin_hash("solver", run->setting->options.solver);
}

static bool is_of_plugin(const char *kind, const char *name)
{
    return nb_plugin_hash(kind, name) != NULL;
}

double nb_case_own_setup(const struct nb_case *setting, double seconds, double aside)
{
    const struct nb_options *options = &setting->options;
    const bool step = setting->mode == NB_CASE_STEP;
    const bool foreign = (step && (is_of_plugin("solver", options->solver) || is_of_plugin("ncp", options->ncp) ||
                                   is_of_plugin("scaling", options->scaling))) ||
                         is_of_plugin("linear", options->linear) || is_of_plugin("precond", options->precond) ||
                         is_of_plugin("operator", options->operator_form);
    return foreign ? seconds : fmax(seconds - aside, 0);
}

/* What a run waited is not known if its untimed parts are: they may hold it. */
static enum nb_status time_once(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                struct nb_error *error)
{
    struct nb_run counts = {0};
    struct nb_linear_report report;
    enum nb_status status = NB_OK;
    double untimed = 0, waited;
    const struct nb_own_time start = nb_own_time_begin();
    for (int i = 0; i < repetition->solves && !status; ++i) {
        status = run->bench ? nb_linear_bench_run(run->bench, iterations, NULL, &report, &counts,
                                                  error)
                            : nb_solver_run(run->solver, iterations, NULL, &counts, error);
        untimed += may_untime(run) ? counts.untimed_seconds : 0;
        if (!status && counts.broke_down) /* a lost device answers fast */
            status = nb_fail(error, NB_BREAKDOWN, "a timed run broke down: %.140s", counts.detail);
    }
    const double own = nb_own_time_end(&start, &waited), all = own + waited;
    repetition->spent = all;
    repetition->seconds = (untimed > 0 ? all - untimed : own) / repetition->solves;
    repetition->waited = (untimed > 0 ? 0 : waited) / repetition->solves;
    return status ? status : check_result(run, &counts, error);
}

/* Whether its method must not see its step before it is timed. */
static bool sees_step_once(const struct nb_case_run *run)
{
    return !run->bench && nb_registry_is_fresh(run->setting->options.solver);
}

/* What part of that was the set-up of a step's method, by as many set-ups. */
static enum nb_status time_set_ups(struct nb_case_run *run, struct nb_repetition *repetition, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    double waited;
    if (run->bench)
        return NB_OK;
    repetition->setup = NAN;
    if (sees_step_once(run))
        return NB_OK;
    const struct nb_own_time start = nb_own_time_begin();
    for (int i = 0; i < repetition->solves && !status; ++i)
        status = nb_solver_renew(run->solver, error);
    const double own = nb_own_time_end(&start, &waited);
    repetition->spent += own + waited;
    repetition->setup = fmin(own / repetition->solves, repetition->seconds);
    return status;
}

static volatile sig_atomic_t continued;

static void note_stop(int number)
{
    (void)number;
    continued = 1;
}

/* A run in which the program was stopped (Ctrl-Z, SIGSTOP) is made again: how long it stood still is not known. */
enum nb_status nb_case_run_time(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                struct nb_error *error)
{
    enum { TRIES = 5 }; /* what is stopped all the time has no better one */
    const struct sigaction note = {.sa_handler = note_stop, .sa_flags = SA_RESTART};
    struct sigaction before;
    enum nb_status status = NB_OK;
    sigaction(SIGCONT, &note, &before);
    for (int tries = 0; tries < TRIES && !status && (!tries || continued); ++tries) {
        continued = 0;
        status = time_once(run, iterations, repetition, error);
        status = status ? status : time_set_ups(run, repetition, error);
    }
    sigaction(SIGCONT, &before, NULL);
    return status;
}

static double seconds_of_one(const struct nb_case_run *run)
{
    return fmax(run->expected.seconds, 0);
}

/* The first iterations of a long solve, as many as take short_time by the observed run; nobody judges them. */
static enum nb_status begin_only(struct nb_case_run *run, int iterations, double *spent, struct nb_error *error)
{
    struct nb_run counts = {0};
    struct nb_linear_report report;
    const long made = run->expected.iterations > 0 ? run->expected.iterations : iterations;
    const int few = (int)ceil(short_time / seconds_of_one(run) * (double)made);
    const double start = nb_seconds();
    const int first = few < iterations ? few : iterations;
    const enum nb_status status = run->bench ? nb_linear_bench_run(run->bench, first, NULL, &report, &counts, error)
                                             : nb_solver_run(run->solver, first, NULL, &counts, error);
    *spent = nb_seconds() - start;
    return status;
}

enum { MOST_SOLVES = 1000000 };

/* Ever more solves that are not recorded, until one batch takes half a repetition, and its solves over half of what
 * those of the one before took: the first find cold caches and pages. By the last a repetition takes short_time. */
static enum nb_status solve_until_warm(struct nb_case_run *run, int iterations, struct nb_repetition *batch,
                                       struct nb_error *error)
{
    double spent = batch->spent, before = INFINITY;
    enum nb_status status = NB_OK;
    bool is_short = true;
    for (bool cold = true; !status && (is_short || cold) && batch->solves <= MOST_SOLVES / 2; before = batch->seconds) {
        batch->solves *= is_short && isfinite(before) ? 2 : 1;
        status = nb_case_run_time(run, iterations, batch, error);
        spent += batch->spent;
        is_short = batch->spent < short_time / 2;
        cold = batch->seconds < before / 2;
    }
    batch->spent = spent;
    batch->solves = (int)ceil(short_time / fmax(batch->seconds, short_time / MOST_SOLVES)); /* at least 1 */
    return status;
}

/* A method that must not see its step before it is timed makes one solve, and is its own warm-up. The observed run may
 * have taken long for being the first: its beginning, made again, tells. */
static enum nb_status warm_up(struct nb_case_run *run, int iterations, struct nb_repetition *first,
                              struct nb_error *error)
{
    *first = (struct nb_repetition){.solves = 1};
    run->warm = true;
    if (sees_step_once(run))
        return NB_OK;
    const enum nb_status status =
        seconds_of_one(run) > short_time ? begin_only(run, iterations, &first->spent, error) : NB_OK;
    return status || first->spent > short_time / 2 ? status : solve_until_warm(run, iterations, first, error);
}

/* Again with twice as many solves while they take less than half a repetition: the warm-up was slowed by others. */
static enum nb_status time_enough(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                  struct nb_error *error)
{
    enum nb_status status = nb_case_run_time(run, iterations, repetition, error);
    if (sees_step_once(run))
        return status;
    double spent = repetition->spent;
    while (!status && repetition->solves <= MOST_SOLVES / 2 &&
           repetition->seconds * repetition->solves < short_time / 2) {
        repetition->solves *= 2;
        status = nb_case_run_time(run, iterations, repetition, error);
        spent += repetition->spent;
    }
    repetition->spent = spent;
    return status;
}

enum nb_status nb_case_run_repeat(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                  struct nb_error *error)
{
    struct nb_repetition first = {0};
    enum nb_status status = run->warm && repetition->solves ? NB_OK : warm_up(run, iterations, &first, error);
    if (!repetition->solves)
        repetition->solves = first.solves;
    status = status ? status : time_enough(run, iterations, repetition, error);
    repetition->spent += first.spent;
    return status;
}

enum nb_status nb_case_run_repeat_apart(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                        struct nb_error *error)
{
    struct nb_repetition first;
    double setup = run->bench ? run->setup : NAN;
    enum nb_status status = warm_up(run, iterations, &first, error);
    if (!repetition->solves)
        repetition->solves = first.solves;
    if (!status && !(setup > long_setup))
        status = nb_case_run_setup(run, &setup, error);
    status = status ? status : nb_case_run_repeat(run, iterations, repetition, error);
    if (run->bench)
        repetition->setup = setup;
    repetition->spent += first.spent + (isnan(setup) ? 0 : setup);
    return status;
}
