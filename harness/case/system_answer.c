/* The answer x* of a stored system (harness/floor/exact_linear.h), against which the error in the energy norm,
 * ||x - x*||_A / ||x*||_A, and the largest entry's are. It is the system's, not a case's, and often takes longer than a
 * case: one process finds it and lays it into memory that it shares with others (harness/sweep/sweep_worker.c). It is a
 * help, not a condition: without one the forward errors and the floors are unknown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_private.h"
#include "problems/base/numbers.h"

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
    if (!status)
        status = nb_exact_solve(exact, b, answer->x, &answer->report, error);
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

enum nb_status nb_system_compare(struct nb_case_run *run, struct nb_case_result *result, struct nb_error *error)
{
    struct nb_exact *scaled = NULL;
    enum nb_status status = NB_OK;
    if (!nb_case_run_answer_size(run))
        return NB_OK;
    if (!run->answer)
        status = find_own(run, error);
    if (!status)
        result->reference = run->answer->report;
    if (status || !result->reference.converged)
        return status;
    status = nb_exact_create(&scaled, &run->system.schur, error);
    if (status)
        return status;
    const double unit = nb_unit_roundoff(run->setting->options.precision), *x = run->answer->x;
    result->linear_floor = nb_floor_linear_times(&run->answer->floor, unit);
    const struct nb_error_linear left = nb_error_linear_of(scaled, run->system.right_side, x, run->lambda);
    result->errors.residual_max = left.residual;
    result->errors.forward_error = left.forward;
    result->errors.energy_error = energy_error(run, x);
    nb_exact_free(scaled);
    return NB_OK;
}
