/* Whether a step has a second answer of other velocities: where there is friction a right answer need not be the only
 * one. Runs in float64, whichever method the case has, look for one: proximal_newton and nsgs from rest, and newton
 * from impulses that press every contact, since it goes to an answer nearby, and so to one that jams. An answer counts
 * where its step_error is within the tolerance, and it is another one where it is further away than the step's
 * condition allows answers of these errors to be. That none is found does not say that there is none. In a sweep the
 * first case of each problem looks for one. */
#include <math.h>
#include <stdlib.h>

#include "harness/case/case_private.h"
#include "harness/judge/velocity_gap.h"

#define DOUBT 10.0 /* times condition x error: the condition is estimated from below */
#define APART 1e-3 /* of V: nearer answers may be one in the making                  */
enum { ITERATIONS = 200 };

static const struct {
    const char *solver;
    double press; /* times speed / w; 0: from rest */
} runs[] = {{"proximal_newton", 0}, {"nsgs", 0}, {"newton", 1}, {"newton", 10}};
enum { RUNS = sizeof runs / sizeof *runs };

struct watch {
    struct nb_judge *judge;
    double tolerance, error;
};

static bool observe(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear)
{
    struct watch *watch = context;
    struct nb_metrics errors;
    (void)iteration;
    (void)linear;
    nb_judge_evaluate(watch->judge, u, lambda, &errors);
    watch->error = errors.step_error;
    return !(errors.step_error <= watch->tolerance) && isfinite(errors.step_error);
}

/* x [dofs + multipliers] becomes where run k ends; its error, NaN where the method cannot. */
static double run_again(const struct nb_case_run *run, int k, double *x)
{
    const int dofs = nb_problem_dofs(&run->problem);
    struct watch watch = {.judge = run->judge, .tolerance = run->setting->tolerance, .error = NAN};
    const struct nb_observer observer = {.context = &watch, .observe = observe};
    struct nb_options options = nb_options_default();
    struct nb_solver *again = NULL;
    struct nb_run counts;
    options.solver = runs[k].solver;
    for (int i = 0; i < dofs; ++i)
        x[i] = 0;
    nb_judge_press(run->judge, runs[k].press, x + dofs);
    if (nb_solver_create(&again, &run->problem, &options, NULL) ||
        (runs[k].press > 0 && nb_solver_start(again, x, x + dofs, NULL)) ||
        nb_solver_run(again, ITERATIONS, &observer, &counts, NULL) || counts.broke_down)
        watch.error = NAN;
    else
        nb_solver_solution(again, x, x + dofs);
    nb_solver_free(again);
    return watch.error;
}

static bool has_friction(const struct nb_problem *problem)
{
    const double *friction = problem->form == NB_NONLINEAR ? problem->contacts.friction : problem->linear.friction;
    const int count = problem->form == NB_NONLINEAR ? problem->contacts.count : problem->linear.contacts;
    for (int i = 0; i < count; ++i)
        if (friction[i] > 0)
            return true;
    return false;
}

void nb_case_second_answer(const struct nb_case_run *run, struct nb_case_result *result)
{
    const double tolerance = run->setting->tolerance;
    const int dofs = nb_problem_dofs(&run->problem), rows = nb_problem_multipliers(&run->problem);
    if (run->setting->without_second_answer || isnan(result->step_condition) ||
        !(result->errors.step_error <= tolerance) ||
        nb_problem_contacts(&run->problem) > NB_SECOND_ANSWER_CONTACTS || !has_friction(&run->problem))
        return;
    double *x = calloc((size_t)(dofs + rows) + 1, sizeof *x), gap;
    result->velocity_spread = x ? 0 : NAN;
    for (int k = 0; x && k < RUNS; ++k) {
        const double error = run_again(run, k, x);
        const double doubt = DOUBT * result->step_condition * (error + result->errors.step_error);
        if (error <= tolerance && !nb_velocity_gap(run->judge, run->u, run->lambda, x, x + dofs, &gap, NULL) &&
            gap > fmax(APART, doubt))
            result->velocity_spread = fmax(result->velocity_spread, gap);
    }
    free(x);
}
