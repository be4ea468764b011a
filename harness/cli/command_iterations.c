/* ncpbench iterations: how many iterations a method needs in the steps of a scene. Over several
 * runs with different seeds, as in table 1 of Todorov 2010: the median over the steps of a run
 * that have contacts, then the mean over the runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_record.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/judge/island_judges.h"
#include "harness/judge/metrics.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "harness/simulate/checkpoint.h"
#include "harness/simulate/warm_start.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/registry.h"

struct request {
    const struct nb_scene *scene;
    int steps, runs;
    double tolerance;
    bool linearized;
    const char *output;
    struct nb_option_list settings;
    struct nb_options options;
};

/* What is told of a run, and of all. */
enum { CONTACTS, ITERATIONS, SLOW, FIRST_TRY, SOLVED, STUCK, ON_EDGE, COLUMNS };
static const char *const column_names[COLUMNS] = {"contacts", "iterations", "slow",   "first_try",
                                                  "solved",   "stuck",      "on_edge"};

/* What is sometimes slow shows in the steps that take most: the tenth of them takes as many iterations at least. */
static const double slow_quantile = 0.9;

/* One run, and the sums over all. */
struct tally {
    double contacts;   /* of all steps                                           */
    double median;     /* of the iterations of the steps with contacts           */
    double slow;       /* their quantile                                         */
    long iterations;   /* all of them                                            */
    long first_tries;  /* those whose one linear iteration was enough            */
    long on_edge;      /* those that ended on an edge                            */
    int touching, solved, steps;
    int stuck;         /* with contacts, not solved, and ended before the limit  */
};

struct watch {
    struct nb_judge *judge;
    struct nb_island_judges islands;
    double tolerance;
    int iterations;
    long first_tries, on_edge;
    bool reached;
};

static bool observe(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear)
{
    struct watch *watch = context;
    struct nb_metrics metrics;
    nb_judge_evaluate(watch->judge, u, lambda, &metrics);
    watch->iterations = iteration;
    watch->first_tries += iteration > 0 && linear && linear->iterations == 1;
    watch->on_edge += iteration > 0 && linear && !strcmp(linear->detail, NB_LINEAR_ON_AN_EDGE);
    watch->reached = metrics.step_error <= watch->tolerance;
    return !watch->reached && isfinite(metrics.step_error);
}

static bool observe_island(void *context, int island, int iteration, const double *u, const double *lambda)
{
    const struct watch *watch = context;
    (void)iteration;
    return !watch->islands.count || nb_island_goes_on(&watch->islands, island, u, lambda, watch->tolerance);
}

/* The last iterate, and what the next step may begin with. */
struct solution {
    double *u, *lambda; /* [dofs], [multipliers of the step] */
    struct nb_warm_start warm;
};

/* Room for the multipliers of the posed problem; with a warm start u, too, is where the run begins. */
static enum nb_status begin(const struct request *request, const struct nb_problem *problem,
                            const struct nb_problem *posed, struct nb_solver *solver, struct solution *solution,
                            struct nb_error *error)
{
    free(solution->lambda);
    solution->lambda = calloc((size_t)nb_problem_multipliers(posed) + 1, sizeof *solution->lambda);
    if (!solution->lambda)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the forces");
    if (!request->options.warm_start)
        return NB_OK;
    nb_warm_start_guess(&solution->warm, problem, nb_step_margin(problem), solution->u, solution->lambda);
    return nb_solver_start(solver, solution->u, solution->lambda, error);
}

/* Solves the prepared step, or its linearisation. */
static enum nb_status solve(const struct request *request, const struct nb_problem *problem, struct watch *watch,
                            struct solution *solution, struct nb_error *error)
{
    const struct nb_observer observer = {.context = watch, .observe = observe, .observe_island = observe_island};
    struct nb_problem linear = {0};
    struct nb_solver *solver = NULL;
    struct nb_run run;
    enum nb_status status = NB_OK;
    const struct nb_problem *posed = problem;
    *watch = (struct watch){.tolerance = request->tolerance};
    if (request->linearized) {
        status = nb_problem_linearize_in(problem, nb_unit_roundoff(request->options.precision), &linear, error);
        posed = &linear;
    }
    status = status ? status : nb_judge_create(&watch->judge, posed, error);
    status = status ? status : nb_solver_create(&solver, posed, &request->options, error);
    status = status ? status : nb_island_judges_create(&watch->islands, solver, error);
    status = status ? status : begin(request, problem, posed, solver, solution, error);
    status = status ? status : nb_solver_run(solver, nb_options_iterations(&request->options), &observer, &run, error);
    if (!status)
        nb_solver_solution(solver, solution->u, solution->lambda);
    if (!status && request->options.warm_start)
        status = nb_warm_start_keep(&solution->warm, problem, solution->u, solution->lambda, error);
    nb_island_judges_free(&watch->islands);
    nb_solver_free(solver);
    nb_judge_free(watch->judge);
    nb_problem_free(&linear);
    return status;
}

static enum nb_status simulate(const struct request *request, struct nb_problem *problem, struct solution *solution,
                               double *count, struct tally *tally, struct nb_error *error)
{
    enum nb_status status = nb_step_prepare(problem, error);
    for (int step = 0; !status && step < request->steps; ++step) {
        struct watch watch;
        const int contacts = nb_problem_contacts(problem);
        status = solve(request, problem, &watch, solution, error);
        if (status)
            break;
        for (int i = 0; i < nb_problem_dofs(problem); ++i)
            if (!isfinite(solution->u[i]))
                return nb_fail(error, NB_BREAKDOWN, "step %d: the velocity is not finite", step);
        tally->contacts += contacts;
        tally->steps++;
        if (contacts > 0) {
            count[tally->touching++] = watch.iterations;
            tally->iterations += watch.iterations;
            tally->first_tries += watch.first_tries;
            tally->on_edge += watch.on_edge;
            tally->solved += watch.reached;
            tally->stuck += !watch.reached && watch.iterations < nb_options_iterations(&request->options);
        }
        nb_step_advance(problem, solution->u);
        status = nb_step_prepare(problem, error);
    }
    return status;
}

static int has_seed(const struct nb_scene *scene)
{
    for (int i = 0; i < NB_SCENE_PARAMETERS && scene->parameters[i].name; ++i)
        if (!strcmp(scene->parameters[i].name, "seed"))
            return 1;
    return 0;
}

/* The settings of all runs, which differ in their seeds. */
static cJSON *settings_json(const struct request *request, const struct nb_problem *problem)
{
    cJSON *json = nb_simulation_settings(&request->options, problem);
    if (request->runs > 1)
        cJSON_DeleteItemFromObjectCaseSensitive(nb_json_member(json, "parameters"), "seed");
    NB_JSON_ADD(json, "steps", request->steps, "runs", request->runs, "tol", request->tolerance,
                "linearized", (bool)request->linearized);
    return json;
}

/* Run `index`, counted from 1, is that of seed = index; *settings is made by the first. */
static enum nb_status run_one(const struct request *request, int index, struct tally *tally, cJSON **settings_of_all,
                              struct nb_error *error)
{
    const char *settings[65];
    char seed[32];
    struct nb_problem problem = {0};
    int count = request->settings.count;
    memcpy(settings, request->settings.item, (size_t)count * sizeof *settings);
    snprintf(seed, sizeof seed, "seed=%d", index);
    if (request->runs > 1)
        settings[count++] = seed;
    enum nb_status status =
        nb_scene_create(request->scene->name, count, settings, &problem, error);
    if (status)
        return status;
    if (index == 1)
        *settings_of_all = settings_json(request, &problem);
    struct solution solution = {.u = calloc((size_t)nb_problem_dofs(&problem) + 1, sizeof *solution.u)};
    double *counts = malloc(((size_t)request->steps + 1) * sizeof *counts);
    status = solution.u && counts ? simulate(request, &problem, &solution, counts, tally, error)
                                  : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d steps", request->steps);
    if (!status && tally->touching > 0) {
        tally->median = nb_median(counts, tally->touching); /* puts them in order */
        tally->slow = counts[(int)ceil(slow_quantile * tally->touching) - 1];
    }
    free(solution.u);
    free(solution.lambda);
    nb_warm_start_free(&solution.warm);
    free(counts);
    nb_problem_free(&problem);
    return status;
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 100;
}

/* Fills the columns of one run, or of the sums of `runs`. */
static void columns_of(const struct tally *tally, int runs, double *column)
{
    column[CONTACTS] = tally->steps > 0 ? tally->contacts / tally->steps : 0;
    column[ITERATIONS] = tally->median / runs;
    column[SLOW] = tally->slow / runs;
    column[FIRST_TRY] = share((double)tally->first_tries, (double)tally->iterations);
    column[SOLVED] = share(tally->solved, tally->touching);
    column[STUCK] = tally->touching > 0 ? 100. * tally->stuck / tally->touching : 0;
    column[ON_EDGE] = 100. * (double)tally->on_edge / (double)(tally->iterations - tally->first_tries); /* NaN: none */
}

static void print_row(const char *name, const double *column)
{
    printf("%8s  %9.1f  %11.1f  %8.1f  %12.1f  %8.1f  %8.1f  %8.1f\n", name, column[CONTACTS], column[ITERATIONS],
           column[SLOW], column[FIRST_TRY], column[SOLVED], column[STUCK], column[ON_EDGE]);
}

static void add_to(struct tally *all, const struct tally *tally)
{
    all->contacts += tally->contacts;
    all->median += tally->median;
    all->slow += tally->slow;
    all->iterations += tally->iterations;
    all->first_tries += tally->first_tries;
    all->on_edge += tally->on_edge;
    all->touching += tally->touching;
    all->solved += tally->solved;
    all->stuck += tally->stuck;
    all->steps += tally->steps;
}

/* of_run: COLUMNS arrays of one entry a run. Takes the settings. */
static enum nb_status write_record(const struct request *request, cJSON *settings, const double *of_all,
                                   const double *of_run, struct nb_error *error)
{
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "kind", "iterations", "version", NB_RECORD_VERSION, "scene", request->scene->name,
                "settings", settings);
    for (int c = 0; c < COLUMNS; ++c)
        nb_json_number(json, column_names[c], of_all[c]);
    cJSON *trace = cJSON_AddObjectToObject(json, "trace");
    for (int c = 0; c < COLUMNS; ++c)
        nb_json_numbers(trace, column_names[c], of_run + c * request->runs, (size_t)request->runs);
    cJSON_AddItemToObject(json, "provenance", nb_provenance());
    const enum nb_status status = nb_records_append(request->output, &json, 1, error);
    cJSON_Delete(json);
    return status;
}

/* All runs, each printed; into of_run their columns. */
static enum nb_status run_all(const struct request *request, double *of_run, cJSON **settings, double *of_all,
                              struct nb_error *error)
{
    struct tally all = {0};
    enum nb_status status = NB_OK;
    printf("%8s  %9s  %11s  %8s  %12s  %8s  %8s  %8s\n%8s  %9s  %11s  %8s  %12s  %8s  %8s  %8s\n", "run", "contacts",
           "iterations", "slow", "first try", "solved", "stuck", "on edge", "", "mean", "median", "90 %", "[%]", "[%]",
           "[%]", "[%]");
    for (int i = 1; i <= request->runs && !status; ++i) {
        struct tally tally = {0};
        double column[COLUMNS];
        char name[16];
        status = run_one(request, i, &tally, settings, error);
        if (status)
            break;
        snprintf(name, sizeof name, "%d", i);
        columns_of(&tally, 1, column);
        print_row(name, column);
        for (int c = 0; c < COLUMNS; ++c)
            of_run[c * request->runs + i - 1] = column[c];
        add_to(&all, &tally);
    }
    columns_of(&all, request->runs, of_all);
    if (!status)
        print_row("all", of_all);
    return status;
}

static enum nb_status run(const struct request *request, struct nb_error *error)
{
    cJSON *settings = NULL;
    double of_all[COLUMNS];
    if (request->runs > 1 && !has_seed(request->scene))
        return nb_fail(error, NB_BAD_INPUT, "--runs: %s has no parameter \"seed\"; 1 is allowed",
                       request->scene->name);
    enum nb_status status = nb_options_validate(&request->options, error);
    if (status)
        return status;
    double *of_run = calloc((size_t)request->runs * COLUMNS, sizeof *of_run);
    if (!of_run)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d runs", request->runs);
    status = run_all(request, of_run, &settings, of_all, error);
    if (!status && request->output)
        status = write_record(request, settings, of_all, of_run, error);
    else
        cJSON_Delete(settings);
    free(of_run);
    return status;
}

int nb_command_iterations(int argc, char **argv)
{
    struct request request = {.steps = 200, .runs = 1, .tolerance = 1e-8,
                              .options = nb_options_default()};
    struct nb_error error;
    struct nb_command command = {
        .name = "iterations", .arguments = "SCENE [options]",
        .summary = "Counts the iterations that each time step of a scene takes.",
        .details = "Of every run: the mean number of contacts, the median of the iterations over "
                   "the steps that have contacts and what a tenth of them takes at least, the share of "
                   "iterations that took one linear iteration (implicit_complementarity: the Newton point was "
                   "accepted), the share of steps that reached --tol, and of those that did not and ended "
                   "before the limit all the same, as in a local minimum; and of the iterations that took more than "
                   "one linear iteration the share that ended on an edge. The last row has the mean over the runs.",
        .example = "ncpbench iterations balls_in_cube --runs 10 --linearized "
                   "--solver implicit_complementarity",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"SCENE"},
    };
    nb_command_add_count(&command, "steps", &request.steps, 1, 1000000, "N", "time steps a run");
    nb_command_add_count(&command, "runs", &request.runs, 1, 10000, "R", "runs; more than one have seed = 1, 2, ...");
    nb_command_add_scene_settings(&command, &request.settings);
    nb_command_add_positive(&command, "tol", &request.tolerance, 1, "X",
                            "a step is solved where step_error reaches this");
    nb_command_add_flag(&command, "linearized", &request.linearized, "linearise every step at its start");
    nb_command_add_flag(&command, "warm-start", &request.options.warm_start,
                        "begin each step with the forces of the last one, as `simulate` does");
    nb_command_add_output(&command, &request.output, "FILE.jsonl", "append a record to this file");
    nb_command_add_solver(&command, &request.options, NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (nb_registry_check("", "scene", command.positional[0], &error))
        return nb_command_fail(&command, &error);
    request.scene = nb_scene_find(command.positional[0]);
    return run(&request, &error) ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}
