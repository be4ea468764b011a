/* Runs methods in float64, the most robust first, and keeps the best iterate that the judge sees; the accuracy floor is
 * that of the system at this point (harness/case/reference.h). */
#include "harness/case/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_private.h"
#include "harness/case/case_run.h"
#include "harness/judge/metrics.h"
#include "harness/judge/velocity_gap.h"
#include "problems/base/numbers.h"

/* Whether a step has a second answer of other velocities: where there is friction a right answer need not be the only
 * one. Runs in float64, whichever method the case has, look for one: proximal_newton and nsgs from rest, and newton
 * from impulses that press every contact, since it goes to an answer nearby, and so to one that jams. An answer counts
 * where its step_error is within the tolerance, and it is another one where it is further away than the step's
 * condition allows answers of these errors to be. That none is found does not say that there is none. In a sweep the
 * first case of each problem looks for one. */

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

static bool stop_at_tolerance(void *context, int iteration, const double *u, const double *lambda,
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
    const struct nb_observer observer = {.context = &watch, .observe = stop_at_tolerance};
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
    if (run->setting->without_second_answer || isnan(result->condition.all) ||
        !(result->errors.step_error <= tolerance) ||
        nb_problem_contacts(&run->problem) > NB_SECOND_ANSWER_CONTACTS || !has_friction(&run->problem))
        return;
    double *x = calloc((size_t)(dofs + rows) + 1, sizeof *x), gap;
    result->velocity_spread = x ? 0 : NAN;
    for (int k = 0; x && k < RUNS; ++k) {
        const double error = run_again(run, k, x);
        const double doubt = DOUBT * result->condition.all * (error + result->errors.step_error);
        if (error <= tolerance && !nb_velocity_gap(run->judge, run->u, run->lambda, x, x + dofs, &gap, NULL) &&
            gap > fmax(APART, doubt))
            result->velocity_spread = fmax(result->velocity_spread, gap);
    }
    free(x);
}

/* What is tried in turn until a solution is exact to round-off. With the default damping of 0.75 the
 * error of the damped method falls by 4 an iteration: 60 are plenty. */
static const struct attempt {
    const char *solver, *linear, *precond;
    int newton_iterations;
} attempts[] = {
    {"proximal_newton", "cholesky", "none", 120},
    {"newton", "kkt", "none", 60},
    {"newton", "pcr", "jacobi", 60},
};

enum { KRYLOV_ITERATIONS = 400 };

/* An attempt's options; NCP function, scaling, Newton form and shift are the case's. */
static struct nb_options options_of(const struct attempt *attempt, const struct nb_options *given)
{
    struct nb_options options = nb_options_default();
    options.ncp = given->ncp;
    options.scaling = given->scaling;
    options.newton_form = given->newton_form;
    options.shift = given->shift;
    options.precision = "f64";
    options.operator_form = "assembled";
    options.solver = attempt->solver;
    options.linear = attempt->linear;
    options.precond = attempt->precond;
    options.newton_iterations = attempt->newton_iterations;
    options.linear_iterations = KRYLOV_ITERATIONS;
    return options;
}

struct search {
    struct nb_judge *judge;
    struct nb_reference *best;
    const char *method;
    size_t dofs, rows;
    double judging;
    bool rough;    /* six digits are enough                                   */
    int halved;    /* the iteration of this run that last halved the error... */
    double at;     /* ... and that error                                      */
};

/* A floor is an estimate of an order of magnitude, and takes of the solution the sizes of its numbers: six digits are
 * plenty, as redundant contacts leave them. Where they are there, a run goes on as long as it soon halves the error. */
#define ENOUGH 1e-6
enum { PATIENCE = 5 };

static bool is_enough(const struct search *search)
{
    return search->rough && search->best->step_error <= ENOUGH;
}

static bool observe(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear)
{
    struct search *search = context;
    struct nb_metrics errors;
    const double start = nb_seconds();
    (void)linear;
    nb_judge_evaluate(search->judge, u, lambda, &errors);
    if (errors.step_error < search->best->step_error) {
        memcpy(search->best->u, u, search->dofs * sizeof *u);
        memcpy(search->best->lambda, lambda, search->rows * sizeof *lambda);
        search->best->step_error = errors.step_error;
        search->best->constraint_error = errors.constraint_error;
        search->best->momentum_error = errors.momentum_error;
        search->best->iteration = iteration;
        search->best->method = search->method;
    }
    if (errors.step_error <= search->at / 2) {
        search->halved = iteration;
        search->at = errors.step_error;
    }
    search->judging += nb_seconds() - start;
    return isfinite(errors.step_error) && !(is_enough(search) && iteration - search->halved >= PATIENCE);
}

/* A run that cannot be made or breaks down leaves the best iterate so far. */
static enum nb_status run_with(const struct nb_problem *problem, struct nb_options options,
                               struct search *search, struct nb_error *error)
{
    struct nb_solver *solver = NULL;
    struct nb_run counts;
    const struct nb_observer observer = {.context = search, .observe = observe};
    const double start = nb_seconds();
    search->judging = 0;
    search->halved = 0;
    search->at = INFINITY;
    search->method = options.solver;
    enum nb_status status = nb_solver_create(&solver, problem, &options, error);
    status = status ? status : nb_solver_run(solver, options.newton_iterations, &observer, &counts, error);
    nb_solver_free(solver);
    search->best->solving += nb_seconds() - start - search->judging;
    return status;
}

/* Two digits above the unit of roundoff. */
static bool good(const struct nb_reference *reference)
{
    return reference->step_error < 100 * nb_unit_roundoff("f64");
}

static enum nb_status find(const struct nb_problem *problem, const struct nb_options *given, bool rough,
                           struct nb_reference *reference, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct search search = {.best = reference,
                            .rough = rough,
                            .dofs = (size_t)nb_problem_dofs(problem),
                            .rows = (size_t)nb_problem_multipliers(problem)};
    enum nb_status status;
    *reference = (struct nb_reference){.step_error = INFINITY, .method = "none"};
    reference->u = calloc(search.dofs + 1, sizeof *reference->u);
    reference->lambda = calloc(search.rows + 1, sizeof *reference->lambda);
    if (!reference->u || !reference->lambda)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a reference solution");
    if ((status = nb_judge_create(&search.judge, problem, error)))
        return status;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts && !good(reference) && !is_enough(&search); ++i)
        status = run_with(problem, options_of(&attempts[i], given), &search, error);
    nb_judge_free(search.judge);
    if (reference->step_error < sqrt(nb_unit_roundoff("f64")))
        return NB_OK; /* whatever a run that was tried on the way said */
    return status ? status
                  : nb_fail(error, NB_BREAKDOWN,
                            "no reference solution: every method tried stays above an error "
                            "of %.1e", reference->step_error);
}

enum nb_status nb_reference_compute(const struct nb_problem *problem, const struct nb_options *options,
                                    struct nb_reference *reference, struct nb_error *error)
{
    return find(problem, options, false, reference, error);
}

void nb_reference_free(struct nb_reference *reference)
{
    if (!reference)
        return;
    free(reference->u);
    free(reference->lambda);
    memset(reference, 0, sizeof *reference);
}

static bool within(const struct nb_reference *reference, const struct nb_floor_reference *of_itself)
{
    const double factor = 10; /* floors are estimates of an order of magnitude */
    const struct nb_floor floor = nb_floor_at(of_itself, nb_unit_roundoff("f64"));
    return reference->constraint_error <= factor * floor.component_constraint &&
           reference->momentum_error <= factor * fmin(floor.residual, floor.component_all);
}

enum nb_status nb_reference_floor(const struct nb_problem *problem, const struct nb_options *options,
                                  struct nb_floor_reference *floor, double *solving, struct nb_error *error)
{
    struct nb_reference reference;
    enum nb_status status = find(problem, options, true, &reference, error);
    const bool doubtful = status == NB_BREAKDOWN && isfinite(reference.step_error);
    if (!status || doubtful) {
        struct nb_error *said = doubtful ? NULL : error;
        const enum nb_status computed = nb_floor_reference_compute(problem, options, reference.u, reference.lambda,
                                                                   floor, said);
        if (!doubtful || (!computed && (reference.step_error <= ENOUGH || within(&reference, floor))))
            status = computed;
        if (doubtful && !status && error)
            error->text[0] = '\0';
    }
    *solving = reference.solving;
    nb_reference_free(&reference);
    return status;
}
