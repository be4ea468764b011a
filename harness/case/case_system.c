/* One stored Newton system A x = b, judged in float64: the residual of the equation relative to b, in the norm
 * of the inverse diagonal, after every iteration (of large systems after every 50th), and at the end the error
 * in the energy norm and the largest entry's, against x* (Macklin et al. 2019, figure 11). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_private.h"
#include "harness/case/case_run.h"
#include "problems/base/numbers.h"
#include "problems/io/matrix_market.h"
#include "solvers/aside.h"

/* The answer x* of a stored system (harness/floor/floor_linear.h), against which the error in the energy norm,
 * ||x - x*||_A / ||x*||_A, and the largest entry's are. It is the system's, not a case's, and often takes longer than a
 * case: one process finds it and lays it into memory that it shares with others (harness/sweep/sweep_worker.c). It is a
 * help, not a condition: without one the forward errors and the floors are unknown. */

struct nb_system_answer {
    bool found; /* written last */
    struct nb_exact_report report;
    struct nb_floor_linear floor; /* at a round-off of 1 */
    double x[];
};

size_t nb_case_run_answer_size(const struct nb_case_run *run)
{
    const size_t rows = (size_t)run->system.schur.rows;
    return run->setting->mode == NB_CASE_STEP || rows > NB_REFERENCE_ROWS
               ? 0
               : sizeof(struct nb_system_answer) + rows * sizeof(double);
}

enum nb_status nb_case_run_find_answer(const struct nb_case_run *run, void *place, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_system_answer *answer = place;
    struct nb_exact *exact = NULL;
    const double *b = run->system.right_side;
    enum nb_status status = nb_exact_create(&exact, &run->system.schur, error);
    status = status ? status : nb_exact_solve(exact, b, answer->x, &answer->report, error);
    if (!status && answer->report.converged)
        answer->floor = nb_floor_linear_at(exact, b, answer->x, 1, run->scratch);
    nb_exact_free(exact);
    answer->found = status != NB_OUT_OF_MEMORY;
    return answer->found ? NB_OK : status;
}

bool nb_case_run_knows_answer(const struct nb_case_run *run)
{
    return run->answer;
}

enum nb_status nb_case_run_take_answer(struct nb_case_run *run, const void *place, struct nb_error *error)
{
    const struct nb_system_answer *answer = place;
    const size_t size = nb_case_run_answer_size(run);
    if (!answer->found)
        return nb_fail(error, NB_BREAKDOWN, "the reference solution was not found");
    if (!(run->answer = malloc(size)))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a reference solution");
    memcpy(run->answer, place, size);
    return NB_OK;
}

/* ||x||_A */
static double energy(const struct nb_case_run *run, const double *x)
{
    double sum = 0;
    nb_csr_multiply(&run->system.schur, x, run->scratch, 0);
    for (int i = 0; i < run->system.schur.rows; ++i)
        sum += x[i] * run->scratch[i];
    return sum >= 0 ? sqrt(sum) : NAN; /* of a singular matrix rounding may make it negative */
}

/* lambda is overwritten by its error; relative where the solution is not zero. */
static double energy_error(struct nb_case_run *run, const double *solution)
{
    const double scale = energy(run, solution);
    for (int i = 0; i < run->system.schur.rows; ++i)
        run->lambda[i] -= solution[i];
    return energy(run, run->lambda) / (scale > 0 ? scale : 1);
}

static enum nb_status find_own(struct nb_case_run *run, struct nb_error *error)
{
    run->answer = calloc(1, nb_case_run_answer_size(run));
    return run->answer ? nb_case_run_find_answer(run, run->answer, error)
                       : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a reference solution");
}

/* x*, and what it says about the iterate. */
static enum nb_status system_compare(struct nb_case_run *run, struct nb_case_result *result, struct nb_error *error)
{
    if (!nb_case_run_answer_size(run))
        return NB_OK;
    const enum nb_status status = run->answer ? NB_OK : find_own(run, error);
    if (status)
        return status;
    result->reference = run->answer->report;
    if (!result->reference.converged)
        return NB_OK;
    const double unit = nb_unit_roundoff(run->setting->options.precision), *x = run->answer->x;
    result->linear_floor = nb_floor_linear_times(&run->answer->floor, unit);
    const struct nb_error_linear left = nb_error_linear_of(&run->system.schur, run->system.right_side, x, run->lambda);
    result->errors.residual_max = left.residual;
    result->errors.forward_error = left.forward;
    result->errors.energy_error = energy_error(run, x);
    return NB_OK;
}

/* Beyond NB_REFERENCE_ROWS a residual on the host after each iteration would take longer than the solve. */
enum { SPARSE_RESIDUALS = 50 };

/* Row i times x in four sums, so that each need not wait for the one before. */
static double product(const struct nb_csr *matrix, int i, const double *x)
{
    double sum[4] = {0};
    int k = matrix->start[i];
    for (; k + 4 <= matrix->start[i + 1]; k += 4)
        for (int j = 0; j < 4; ++j)
            sum[j] += matrix->value[k + j] * x[matrix->column[k + j]];
    for (; k < matrix->start[i + 1]; ++k)
        sum[0] += matrix->value[k] * x[matrix->column[k]];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* ||b - A x|| / ||b|| in the norm of D^-1, D = diag A: rows of boxes of kilograms and of tonnes count
 * alike. It is the norm in which solvers' tolerances are (solvers/block/matrix.h), and in which PCR with the Jacobi
 * preconditioner is monotone. */
static double residual(const struct nb_case_run *run, const double *x)
{
    const double *b = run->system.right_side;
    double sum = 0, start = 0;
    for (int i = 0; i < run->system.schur.rows; ++i) {
        const double entry = b[i] - product(&run->system.schur, i, x), d = run->diagonal[i];
        sum += entry * entry / d;
        start += b[i] * b[i] / d;
    }
    return start > 0 ? sqrt(sum / start) : sqrt(sum);
}

double nb_system_residual(struct nb_case_run *run)
{
    nb_linear_bench_solution(run->bench, run->lambda);
    return residual(run, run->lambda);
}

enum nb_status nb_system_setup(struct nb_case_run *run, double *seconds, struct nb_error *error)
{
    nb_linear_bench_free(run->bench);
    run->bench = NULL;
    double waited;
    const double aside = nb_aside_seconds();
    const struct nb_own_time start = nb_own_time_begin();
    const enum nb_status status =
        nb_linear_bench_create(&run->bench, &run->system.schur, run->system.right_side,
                               &run->setting->options, error);
    *seconds = nb_case_own_setup(run->setting, nb_own_time_end(&start, &waited), nb_aside_seconds() - aside);
    return status;
}

/* All that is judged is relative, so A and b may be measured in any units: in these, no square leaves the range of
 * double. */
static void scale(struct nb_newton_system *system)
{
    const size_t rows = (size_t)system->schur.rows, entries = (size_t)system->schur.start[rows];
    nb_scale_down(system->schur.value, entries, nb_even_exponent(system->schur.value, entries));
    nb_scale_down(system->right_side, rows, nb_even_exponent(system->right_side, rows));
}

enum nb_status nb_system_open(struct nb_case_run *run, struct nb_error *error)
{
    const struct nb_case *setting = run->setting;
    const double start = nb_seconds();
    const char *right_side = setting->right_side_file[0] ? setting->right_side_file : NULL;
    enum nb_status status =
        nb_is_matrix_market(setting->problem_file)
            ? nb_matrix_market_read(setting->problem_file, right_side, &run->system, error)
            : nb_newton_system_read(setting->problem_file, setting->system, &run->system, error);
    status = status ? status : nb_case_check_hash(setting, run->system.hash, error);
    if (status)
        return status;
    const size_t rows = (size_t)run->system.schur.rows;
    run->scratch = malloc((rows + 1) * sizeof *run->scratch);
    run->diagonal = malloc((rows + 1) * sizeof *run->diagonal);
    run->lambda = malloc((rows + 1) * sizeof *run->lambda);
    if (!run->scratch || !run->diagonal || !run->lambda)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for system %d of %s", setting->system,
                       setting->problem);
    scale(&run->system);
    for (int i = 0; i < run->system.schur.rows; ++i) {
        const double entry = nb_csr_diagonal(&run->system.schur, i);
        run->diagonal[i] = entry > 0 ? entry : 1;
    }
    run->load = nb_seconds() - start;
    return NB_OK;
}

/* ||b - A x|| is as small as half of the digits of the terms A x, all that a factor of a matrix that is nearly singular
 * gives. */
static bool is_rounding(struct nb_case_run *run, const double *x)
{
    const struct nb_csr *matrix = &run->system.schur;
    double left = 0, terms = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        const double entry = run->system.right_side[i] - product(matrix, i, x), d = run->diagonal[i];
        double sum = 0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            sum += fabs(matrix->value[k] * x[matrix->column[k]]);
        left += entry * entry / d;
        terms += sum * sum / d;
    }
    return sqrt(left) <= sqrt(nb_unit_roundoff(run->setting->options.precision) * terms);
}

/* A norm that was taken in float32 differs a little. */
static const double SLACK = 1.1;

/* Whether the residual as judged is what was asked for; without a tolerance, half of the digits of b or of A x. */
static bool is_solved(struct nb_case_run *run, double judged, const double *x)
{
    const double asked = nb_case_linear_tolerance(run->setting);
    if (asked > 0)
        return judged <= SLACK * asked;
    return judged <= sqrt(nb_unit_roundoff(run->setting->options.precision)) || is_rounding(run, x);
}

struct observation {
    struct nb_case_run *run;
    struct nb_case_result *result;
    const struct nb_case_watcher *watcher;
    double judging;
    int last; /* iteration reported */
};

static void observe(void *context, int iteration, const double *x)
{
    struct observation *seen = context;
    struct nb_trace *trace = &seen->result->trace;
    const double start = nb_seconds();
    seen->last = iteration > seen->last ? iteration : seen->last;
    if (trace->count == trace->room ||
        (seen->run->system.schur.rows > NB_REFERENCE_ROWS && iteration % SPARSE_RESIDUALS))
        return;
    seen->result->errors.residual = residual(seen->run, x);
    const int at = nb_trace_add(trace, iteration, &seen->result->errors);
    if (seen->watcher)
        seen->watcher->watch(seen->watcher->context, trace, at);
    seen->judging += nb_seconds() - start;
}

static void set_ending(struct nb_case_result *result, const struct nb_linear_report *report)
{
    static const char *const endings[] = {[NB_LINEAR_CONVERGED] = "converged",
                                          [NB_LINEAR_ITERATION_LIMIT] = "iteration_limit",
                                          [NB_LINEAR_STAGNATED] = "stagnated",
                                          [NB_LINEAR_BREAKDOWN] = "breakdown",
                                          [NB_LINEAR_NON_FINITE] = "diverged",
                                          [NB_LINEAR_FAILED] = "breakdown"};
    result->ending = endings[report->ending];
    result->complete = report->ending < NB_LINEAR_NON_FINITE;
    if (!(result->errors.residual <= 1))
        result->ending = "diverged"; /* worse than where it started */
    snprintf(result->detail, sizeof result->detail, "%s", report->detail ? report->detail : "");
}

/* A solver's word is good for no result: neither that it converged, nor that it kept to its limit. */
static void check_claims(struct observation *seen, const struct nb_linear_report *report, int limit)
{
    struct nb_case_result *result = seen->result;
    char text[100];
    if (report->ending == NB_LINEAR_CONVERGED && result->errors.residual <= 1 &&
        !is_solved(seen->run, result->errors.residual, seen->run->lambda)) {
        result->ending = "stagnated";
        snprintf(result->detail, sizeof result->detail, "the solver says converged, at a residual of %.1e as judged",
                 result->errors.residual);
    }
    if (seen->last > (limit > 1 ? limit : 1)) { /* a factorisation takes one in any case */
        snprintf(text, sizeof text, "the solver made iteration %d of at most %d", seen->last, limit);
        nb_case_result_broken(result, text);
    }
}

enum nb_status nb_system_trace(struct nb_case_run *run, const struct nb_case_watcher *watcher,
                               struct nb_case_result *result, struct nb_error *error)
{
    struct observation seen = {.run = run, .result = result, .watcher = watcher};
    const struct nb_linear_observer observer = {&seen, observe};
    const int iterations = run->setting->options.linear_iterations;
    struct nb_linear_report report = {0};
    struct nb_run *counts = &result->counts;
    enum nb_status status = nb_trace_allocate(&result->trace, NB_METRIC_OF_SYSTEM, iterations + 2, error);
    if (status)
        return status;
    result->scope = NB_METRIC_OF_SYSTEM;
    result->rows = run->system.schur.rows;
    result->entries = run->system.schur.start[result->rows];
    result->dofs = run->system.jacobian.columns;
    result->contacts = nb_is_matrix_market(run->setting->problem_file) ? 0 : result->rows / 3;
    const double start = nb_seconds();
    if ((status = nb_linear_bench_run(run->bench, iterations, &observer, &report, counts, error)))
        return status;
    result->running = nb_seconds() - start - seen.judging;
    result->solving = run->setup + result->running;
    result->iterations = iterations;
    if (counts->operator_applications == 0)
        counts->product_bytes = 0;
    result->errors.residual = nb_system_residual(run);
    nb_case_run_expect(run, (struct nb_expected){result->errors.residual, counts->linear_iterations,
                                                 result->running});
    set_ending(result, &report);
    check_claims(&seen, &report, iterations);
    return system_compare(run, result, error);
}
