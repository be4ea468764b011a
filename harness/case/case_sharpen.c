/* An answer for use: where a step that has converged leaves velocities less sure than a hundred tolerances, its run
 * goes on (case_run.h, docs/theory/measure.md). The observed run is made once more, from its start, and watched for
 * longer; so costs and records of the way to the tolerance stay as they are, whatever a method keeps from one iteration
 * to the next. The answer is the iterate within the tolerance whose velocities are surest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_private.h"
#include "harness/case/island_judges.h"
#include "harness/judge/overlap.h"

/* Times the tolerance: a third of what is promised of velocities, since the condition is estimated from below. */
#define SURE 30.0

/* A run goes on as long as that halves, within so many iterations or half as many as it took to the tolerance. */
enum { LEAST = 10 };

struct progress {
    double least, halved; /* of what velocities are uncertain by; NaN: the tolerance was not reached */
    int reached, last;    /* iterations: at the tolerance, and at the last halving                   */
};

struct watch {
    struct nb_case_run *run;
    struct nb_step_condition condition;
    struct nb_island_judges islands;
    struct progress all, *island; /* [islands.count] */
    int iteration;                /* of the answer; -1: it is that of the first run */
};

/* Whether an iterate is the surest so far. */
static bool add(struct watch *watch, struct progress *progress, int iteration, const struct nb_metrics *errors)
{
    const double uncertain = nb_velocity_uncertainty(&watch->condition, errors);
    if (!(errors->step_error <= watch->run->setting->tolerance))
        return false;
    if (isnan(progress->halved)) {
        progress->reached = progress->last = iteration;
        progress->halved = uncertain;
    } else if (uncertain <= progress->halved / 2) {
        progress->last = iteration;
        progress->halved = uncertain;
    }
    if (!(uncertain < progress->least))
        return false;
    progress->least = uncertain;
    return true;
}

static bool goes_on(const struct watch *watch, const struct progress *progress, int iteration)
{
    const int patience = progress->reached / 2 > LEAST ? progress->reached / 2 : LEAST;
    return isnan(progress->halved) ||
           (progress->least > SURE * watch->run->setting->tolerance && iteration - progress->last < patience);
}

static bool observe(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear)
{
    struct watch *watch = context;
    struct nb_case_run *run = watch->run;
    struct nb_metrics errors;
    (void)linear;
    nb_judge_evaluate(run->judge, u, lambda, &errors);
    if (add(watch, &watch->all, iteration, &errors)) {
        memcpy(run->u, u, (size_t)nb_problem_dofs(&run->problem) * sizeof *u);
        memcpy(run->lambda, lambda, (size_t)nb_problem_multipliers(&run->problem) * sizeof *lambda);
        watch->iteration = iteration;
    }
    return isfinite(errors.step_error) && goes_on(watch, &watch->all, iteration);
}

/* An island's own velocities by the condition of the step. */
static bool observe_island(void *context, int island, int iteration, const double *u, const double *lambda)
{
    struct watch *watch = context;
    struct nb_metrics errors;
    if (!watch->islands.count)
        return true;
    nb_judge_evaluate(watch->islands.judge[island], u, lambda, &errors);
    add(watch, &watch->island[island], iteration, &errors);
    return isfinite(errors.step_error) && goes_on(watch, &watch->island[island], iteration);
}

static enum nb_status run_again(struct watch *watch, const struct nb_case_result *result, struct nb_error *error)
{
    const struct nb_case_run *run = watch->run;
    const struct nb_observer observer = {.context = watch, .observe = observe, .observe_island = observe_island};
    struct nb_run counts;
    enum nb_status status = nb_island_judges_create(&watch->islands, run->solver, error);
    watch->island = calloc((size_t)watch->islands.count + 1, sizeof *watch->island);
    if (!status && !watch->island)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to watch %d islands", watch->islands.count);
    for (int i = 0; i < watch->islands.count && !status; ++i)
        watch->island[i] = (struct progress){.least = INFINITY, .halved = NAN};
    nb_solver_limit(run->solver, NULL);
    if (!status)
        status = nb_solver_run(run->solver, nb_options_iterations(&run->setting->options), &observer, &counts, error);
    nb_solver_limit(run->solver, result->island_iterations);
    nb_island_judges_free(&watch->islands);
    free(watch->island);
    return status;
}

enum nb_status nb_case_run_sharpen(struct nb_case_run *run, struct nb_case_result *result, struct nb_error *error)
{
    const double before = nb_velocity_uncertainty(&result->condition, &result->errors);
    struct watch watch = {.run = run, .condition = result->condition, .iteration = -1};
    watch.all = (struct progress){.least = before, .halved = NAN};
    if (strcmp(result->ending, nb_ending_name(NB_ENDING_CONVERGED)) || !(before > SURE * run->setting->tolerance))
        return NB_OK;
    enum nb_status status = run_again(&watch, result, error);
    if (status || watch.iteration < 0)
        return status;
    result->further = watch.iteration - result->counts.newton_iterations;
    nb_judge_evaluate(run->judge, run->u, run->lambda, &result->errors);
    status = nb_overlap_add(&run->problem, run->u, &result->errors.penetration, error);
    return status ? status : nb_step_condition(run->judge, run->u, run->lambda, &result->condition, error);
}
