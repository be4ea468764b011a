/* ncpbench simulate: a scene over time, with its observable. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/commands.h"
#include "harness/json.h"
#include "harness/metrics.h"
#include "harness/options.h"
#include "harness/provenance.h"
#include "harness/store.h"
#include "problems/scene.h"
#include "problems/simulate.h"
#include "solvers/registry.h"

enum { TIME, OBSERVABLE, PENETRATION, ENERGY, CONTACTS, COLUMNS };
static const char *const column_name[COLUMNS] = {"time", "observable", "penetration",
                                                 "kinetic_energy", "contacts"};
enum { ROWS_SHOWN = 40 };

struct request {
    const struct nb_scene *scene;
    double time;
    int steps;
    bool json;
    const char *output;
    struct nb_option_list settings;
    struct nb_options options;
};

struct recording {
    const struct request *request;
    int count, steps;
    double *column[COLUMNS]; /* [steps] */
    enum nb_status status;
    struct nb_error error;
};

static void print_row(const struct recording *recording, int row)
{
    printf("%8d  %9.4f  %16.9g  %11.3e  %14.6e  %8d\n", row + 1, recording->column[TIME][row],
           recording->column[OBSERVABLE][row], recording->column[PENETRATION][row],
           recording->column[ENERGY][row], (int)recording->column[CONTACTS][row]);
}

/* The step's problem is judged anew: its contacts are those of this step. */
static int record_step(void *context, const struct nb_problem *problem, const double *u,
                       const double *lambda)
{
    struct recording *recording = context;
    struct nb_judge *judge = NULL;
    struct nb_metrics metrics;
    const int row = recording->count;
    recording->status = nb_judge_create(&judge, problem, &recording->error);
    if (recording->status)
        return 1;
    nb_judge_evaluate(judge, u, lambda, &metrics);
    nb_judge_free(judge);
    recording->column[TIME][row] = (problem->step + 1) * problem->time_step;
    recording->column[OBSERVABLE][row] = recording->request->scene->observe(problem);
    recording->column[PENETRATION][row] = metrics.penetration;
    recording->column[ENERGY][row] = metrics.kinetic_energy;
    recording->column[CONTACTS][row] = nb_problem_contacts(problem);
    ++recording->count;
    const int every = (recording->steps + ROWS_SHOWN - 1) / ROWS_SHOWN;
    if (!recording->request->json && (row % every == 0 || row + 1 == recording->steps))
        print_row(recording, row);
    return 0;
}

static cJSON *settings_json(const struct request *request, const struct nb_problem *problem)
{
    const struct nb_options *options = &request->options;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "solver", options->solver);
    cJSON_AddStringToObject(json, "ncp", options->ncp);
    cJSON_AddStringToObject(json, "scaling", options->scaling);
    cJSON_AddStringToObject(json, "newton_form", options->newton_form);
    cJSON_AddStringToObject(json, "linear", options->linear);
    cJSON_AddStringToObject(json, "precond", options->precond);
    cJSON_AddStringToObject(json, "operator", options->operator_form);
    cJSON_AddStringToObject(json, "precision", options->precision);
    cJSON_AddNumberToObject(json, "newton_iters", options->newton_iterations);
    cJSON_AddNumberToObject(json, "linear_iters", options->linear_iterations);
    cJSON_AddNumberToObject(json, "damping", options->damping);
    cJSON_AddNumberToObject(json, "shift", options->shift);
    cJSON_AddNumberToObject(json, "threads", options->threads);
    nb_json_number(json, "time_step", problem->time_step);
    cJSON *parameters = cJSON_AddObjectToObject(json, "parameters");
    for (int i = 0; i < problem->parameter_count; ++i)
        nb_json_number(parameters, problem->parameters[i].name, problem->parameters[i].value);
    return json;
}

/* breakdown: why the run ended before its time, or NULL. */
static cJSON *record_json(const struct recording *recording, const struct nb_problem *problem,
                          const char *breakdown)
{
    const struct nb_scene *scene = recording->request->scene;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", "simulation");
    cJSON_AddNumberToObject(json, "version", 1);
    cJSON_AddStringToObject(json, "scene", scene->name);
    cJSON_AddItemToObject(json, "settings", settings_json(recording->request, problem));
    cJSON_AddStringToObject(json, "observable", scene->observable);
    cJSON_AddStringToObject(json, "observable_unit", scene->observable_unit);
    cJSON_AddStringToObject(json, "ending", breakdown ? "breakdown" : "completed");
    cJSON_AddStringToObject(json, "detail", breakdown ? breakdown : "");
    cJSON *trace = cJSON_AddObjectToObject(json, "trace");
    for (int c = 0; c < COLUMNS; ++c)
        nb_json_numbers(trace, column_name[c], recording->column[c], (size_t)recording->count);
    cJSON_AddItemToObject(json, "provenance", nb_provenance());
    return json;
}

static enum nb_status ignore_record(void *context, const cJSON *record, struct nb_error *error)
{
    (void)context;
    (void)record;
    (void)error;
    return NB_OK;
}

static enum nb_status append(const char *path, const cJSON *record, struct nb_error *error)
{
    struct nb_store *store;
    enum nb_status status = nb_store_open(&store, path, ignore_record, NULL, NULL, error);
    if (!status)
        status = nb_store_append(store, record, error);
    nb_store_close(store);
    return status;
}

static enum nb_status report(const struct recording *recording, const struct nb_problem *problem,
                             const char *breakdown, struct nb_error *error)
{
    const struct request *request = recording->request;
    enum nb_status status = NB_OK;
    cJSON *record = record_json(recording, problem, breakdown);
    char *text = request->json ? cJSON_PrintUnformatted(record) : NULL;
    if (request->json && !text)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the record");
    if (text)
        printf("%s\n", text);
    if (!status && request->output)
        status = append(request->output, record, error);
    cJSON_free(text);
    cJSON_Delete(record);
    return status;
}

static enum nb_status allocate(struct recording *recording, struct nb_error *error)
{
    const size_t room = (size_t)recording->steps + 1;
    double *values = calloc(COLUMNS * room, sizeof *values);
    if (!values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d steps", recording->steps);
    for (int c = 0; c < COLUMNS; ++c)
        recording->column[c] = values + (size_t)c * room;
    return NB_OK;
}

static int step_count(const struct request *request, double time_step)
{
    if (request->steps >= 0)
        return request->steps;
    const double steps = ceil(request->time / time_step - 1e-9);
    return steps < 1e7 ? (int)steps : 10000000;
}

/* A breakdown on the way is a result: what came before it is reported, and *broke_down set. */
static enum nb_status run(const struct request *request, int *broke_down, struct nb_error *error)
{
    struct nb_problem problem = {0};
    struct recording recording = {.request = request};
    enum nb_status status = nb_options_validate(&request->options, error);
    if (!status)
        status = nb_scene_create(request->scene->name, request->settings.count,
                                 request->settings.item, &problem, error);
    if (status)
        goto cleanup;
    recording.steps = step_count(request, problem.time_step);
    if ((status = allocate(&recording, error)))
        goto cleanup;
    if (!request->json)
        printf("%s: %s\n%8s  %9s  %16s  %11s  %14s  %8s\n%8s  %9s  %16s  %11s  %14s\n",
               request->scene->name, request->scene->title, "step", "time [s]",
               request->scene->observable, "penetration", "kinetic energy", "contacts", "", "",
               request->scene->observable_unit, "[m]", "[J]");
    status = nb_simulate(&problem, recording.steps, &request->options, record_step, &recording,
                         error);
    if (recording.status) {
        status = recording.status;
        *error = recording.error;
    }
    *broke_down = status == NB_BREAKDOWN;
    if (*broke_down)
        fprintf(stderr, "ncpbench simulate: stopped at %s\n", error->text);
    if (!status || *broke_down) {
        const struct nb_error reason = *error;
        status = report(&recording, &problem, *broke_down ? reason.text : NULL, error);
    }
cleanup:
    free(recording.column[0]);
    nb_problem_free(&problem);
    return status;
}

int nb_command_simulate(int argc, char **argv)
{
    struct request request = {.time = 1, .steps = INT_MIN, .options = nb_options_default()};
    struct nb_error error;
    struct nb_command command = {
        .name = "simulate", .arguments = "SCENE [options]",
        .summary = "Runs a scene over time and prints its observable, penetration, energy.",
        .example = "ncpbench simulate arch --time 10 --newton-iters 6 --linear-iters 20",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"SCENE"},
    };
    nb_command_add(&command, (struct nb_option){.name = "time", .type = NB_OPTION_NUMBER,
                   .target = &request.time, .minimum = 0, .maximum = 1e6, .argument = "T",
                   .meaning = "simulated time [s]"});
    nb_command_add(&command, (struct nb_option){.name = "steps", .type = NB_OPTION_INTEGER,
                   .target = &request.steps, .minimum = 0, .maximum = 10000000, .argument = "N",
                   .meaning = "steps, instead of a time"});
    nb_command_add(&command, (struct nb_option){.name = "set", .type = NB_OPTION_LIST,
                   .target = &request.settings, .argument = "KEY=VALUE",
                   .meaning = "a parameter of the scene; may be repeated"});
    nb_command_add(&command, (struct nb_option){.name = "output", .letter = 'o',
                   .type = NB_OPTION_TEXT, .target = &request.output, .argument = "TRACE.jsonl",
                   .meaning = "append the record to this file"});
    nb_command_add(&command, (struct nb_option){.name = "json", .type = NB_OPTION_FLAG,
                   .target = &request.json, .meaning = "print the record, no table"});
    nb_command_add_solver(&command, &request.options, NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (nb_registry_check("", "scene", command.positional[0], &error))
        return nb_command_fail(&command, &error);
    request.scene = nb_scene_find(command.positional[0]);
    int broke_down = 0;
    if (run(&request, &broke_down, &error))
        return nb_command_fail(&command, &error);
    return broke_down ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}
