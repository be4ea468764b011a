/* ncpbench conditioning computes the condition numbers of a scene's primal and dual systems over one of its
 * parameters, in equal ratios (figure 28 of Macklin's thesis; harness/judge/conditioning.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/judge/conditioning.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/registry.h"

enum { SETTINGS = 64, LENGTH = 96, POINTS = 1000, PRIMAL = 0, DUAL = 1 };

struct request {
    const char *scene, *vary, *axis, *output;
    double from, to;
    int points;
    struct nb_option_list settings;
};

struct curves {
    double value[POINTS], condition[2][POINTS];
};

/* The first step of the scene with its parameter at value. On failure *problem is cleared. */
static enum nb_status create(const struct request *request, double value,
                             struct nb_problem *problem, struct nb_error *error)
{
    const char *settings[SETTINGS];
    char last[LENGTH];
    int count = 0;
    if (request->settings.count >= SETTINGS)
        return nb_fail(error, NB_BAD_INPUT, "more than %d --set", SETTINGS - 1);
    for (; count < request->settings.count; ++count)
        settings[count] = request->settings.item[count];
    snprintf(last, sizeof last, "%.60s=%.17g", request->vary, value);
    settings[count++] = last;
    enum nb_status status = nb_scene_create(request->scene, count, settings, problem, error);
    if (!status && (status = nb_step_prepare(problem, error)))
        nb_problem_free(problem);
    return status;
}

static cJSON *new_record(const struct request *request, const struct nb_problem *problem,
                         const struct curves *curves, int system)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", "conditioning");
    cJSON_AddNumberToObject(json, "version", NB_RECORD_VERSION);
    cJSON *settings = cJSON_AddObjectToObject(json, "settings");
    cJSON_AddStringToObject(settings, "scene", request->scene);
    cJSON_AddStringToObject(settings, "vary", request->vary);
    cJSON_AddStringToObject(settings, "axis", request->axis);
    cJSON_AddStringToObject(settings, "system", system == PRIMAL ? "primal" : "dual");
    cJSON *parameters = cJSON_AddObjectToObject(settings, "parameters");
    for (int i = 0; i < problem->parameter_count; ++i)
        if (strcmp(problem->parameters[i].name, request->vary) != 0)
            nb_json_number(parameters, problem->parameters[i].name, problem->parameters[i].value);
    cJSON *trace = cJSON_AddObjectToObject(json, "trace");
    nb_json_numbers(trace, "value", curves->value, (size_t)request->points);
    nb_json_numbers(trace, "condition", curves->condition[system], (size_t)request->points);
    cJSON_AddItemToObject(json, "provenance", nb_provenance());
    return json;
}

static enum nb_status write_records(const struct request *request,
                                    const struct nb_problem *problem, const struct curves *curves,
                                    struct nb_error *error)
{
    cJSON *records[] = {new_record(request, problem, curves, PRIMAL), new_record(request, problem, curves, DUAL)};
    const enum nb_status status = nb_records_append(request->output, records, 2, error);
    for (int system = PRIMAL; system <= DUAL; ++system)
        cJSON_Delete(records[system]);
    return status;
}

static enum nb_status run(const struct request *request, struct nb_error *error)
{
    static struct curves curves;
    const double step = request->points > 1
                            ? log(request->to / request->from) / (request->points - 1) : 0;
    enum nb_status status = NB_OK;
    for (int i = 0; i < request->points && !status; ++i) {
        struct nb_problem problem;
        curves.value[i] = request->from * exp(step * i);
        if ((status = create(request, curves.value[i], &problem, error)))
            break;
        status = nb_conditioning(&problem, (enum nb_axis_kept)nb_choice_index("x,y,z,all",
                                                                              request->axis),
                                 &curves.condition[PRIMAL][i], &curves.condition[DUAL][i], error);
        if (!status && i == 0)
            printf("%16s  %16s  %16s\n", request->vary, "primal", "dual");
        if (!status)
            printf("%16.6g  %16.6g  %16.6g\n", curves.value[i], curves.condition[PRIMAL][i],
                   curves.condition[DUAL][i]);
        if (!status && request->output && i + 1 == request->points)
            status = write_records(request, &problem, &curves, error);
        nb_problem_free(&problem);
    }
    return status;
}

/* The scene, and that it has the parameter: --vary has a default, which not every scene knows. */
static enum nb_status check(const struct request *request, struct nb_error *error)
{
    const char *known[NB_SCENE_PARAMETERS + 1] = {NULL};
    char hint[400];
    const enum nb_status status = nb_registry_check("", "scene", request->scene, error);
    if (status)
        return status;
    const struct nb_scene_parameter *parameters = nb_scene_find(request->scene)->parameters;
    for (int i = 0; parameters[i].name; ++i) {
        known[i] = parameters[i].name;
        if (!strcmp(known[i], request->vary))
            return NB_OK;
    }
    nb_suggest(known, request->vary, hint, sizeof hint);
    return nb_fail(error, NB_BAD_INPUT, "--vary: %s has no parameter \"%.60s\"; %s", request->scene,
                   request->vary, hint);
}

int nb_command_conditioning(int argc, char **argv)
{
    struct request request = {.axis = "all", .vary = "ratio", .from = 1, .to = 1e4, .points = 17};
    struct nb_error error;
    struct nb_command command = {
        .name = "conditioning", .arguments = "SCENE [options]",
        .summary = "Condition numbers of the primal and dual systems of a scene's joints.",
        .details = "M + h^2 J^T K J and h^2 J M^-1 J^T + K^-1 at the scene's first step, over one "
                   "of its parameters, in equal ratios. All joints need a compliance.",
        .example = "ncpbench conditioning particle_chain --set compliance=1e-8 --axis z",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"SCENE"},
    };
    nb_command_add_text(&command, "vary", &request.vary, "NAME", "the parameter");
    nb_command_add_positive(&command, "from", &request.from, INFINITY, "X", "its first value");
    nb_command_add_positive(&command, "to", &request.to, INFINITY, "X", "its last value");
    nb_command_add_count(&command, "points", &request.points, 1, POINTS, "N", "values");
    nb_command_add_word(&command, "axis", &request.axis, "x,y,z,all", "AXIS",
                        "only translations along it, and rows that meet no other");
    nb_command_add_output(&command, &request.output, "FILE.jsonl", "append two records to this file");
    nb_command_add_scene_settings(&command, &request.settings);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.scene = command.positional[0];
    if (check(&request, &error) || run(&request, &error))
        return nb_command_fail(&command, &error);
    return NB_EXIT_OK;
}
