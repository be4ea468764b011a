#include "harness/case/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "problems/io/matrix_market.h"
#include "problems/io/regular_file.h"
#include "solvers/registry.h"
#include "solvers/settings.h"

struct nb_case nb_case_default(void)
{
    return (struct nb_case){.mode = NB_CASE_STEP,
                            .options = nb_options_default(),
                            .tolerance = NAN,
                            .repetitions = 5,
                            .time_limit = 60,
                            .memory_limit = 4096};
}

enum nb_status nb_case_set_problem(struct nb_case *setting, const char *path,
                                   struct nb_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    if (!length || length >= sizeof setting->problem ||
        strlen(path) >= sizeof setting->problem_file)
        return nb_fail(error, NB_BAD_INPUT,
                       "%s: a problem file's name has 1 to %zu characters before its suffix", path,
                       sizeof setting->problem - 1);
    memcpy(setting->problem, name, length);
    setting->problem[length] = 0;
    strcpy(setting->problem_file, path);
    return NB_OK;
}

static void add_step_settings(cJSON *json, const struct nb_case *setting)
{
    const struct nb_options *options = &setting->options;
    cJSON_AddNullToObject(json, "system");
    cJSON_AddStringToObject(json, "solver", options->solver);
    cJSON_AddStringToObject(json, "ncp", options->ncp);
    cJSON_AddStringToObject(json, "scaling", options->scaling);
    cJSON_AddStringToObject(json, "newton_form", options->newton_form);
    cJSON_AddStringToObject(json, "operator", options->operator_form);
    cJSON_AddNumberToObject(json, "newton_iters", nb_options_iterations(options));
    cJSON_AddNumberToObject(json, "damping", options->damping);
    cJSON_AddBoolToObject(json, "linearized", setting->linearized);
    nb_json_number(json, "tol", setting->tolerance);
}

/* What the stored system has already decided is null. */
static void add_system_settings(cJSON *json, const struct nb_case *setting)
{
    static const char *const decided[] = {"solver",  "ncp",        "scaling", "newton_form",
                                          "operator", "newton_iters", "damping", "linearized",
                                          "tol"};
    cJSON_AddNumberToObject(json, "system", setting->system);
    for (size_t i = 0; i < sizeof decided / sizeof *decided; ++i)
        cJSON_AddNullToObject(json, decided[i]);
}

static void add_strategy(cJSON *json, const char *kind, const char *name)
{
    const char *hash = nb_registry_source(kind, name);
    if (hash)
        cJSON_AddStringToObject(json, kind, hash);
}

cJSON *nb_case_strategies(const struct nb_case *setting)
{
    const struct nb_options *options = &setting->options;
    const bool step = setting->mode == NB_CASE_STEP;
    cJSON *json = cJSON_CreateObject();
    add_strategy(json, "precision", options->precision);
    if (step)
        add_strategy(json, "solver", options->solver);
    if (step && nb_registry_self_contained(options->solver))
        return json;
    if (step) {
        add_strategy(json, "ncp", options->ncp);
        add_strategy(json, "scaling", options->scaling);
    }
    /* A stored system is a matrix already. */
    add_strategy(json, "operator", step ? options->operator_form : "assembled");
    add_strategy(json, "linear", options->linear);
    if (nb_registry_uses_precond(options->linear))
        add_strategy(json, "precond", options->precond);
    return json;
}

cJSON *nb_floor_strategies(const struct nb_case *setting)
{
    cJSON *json = cJSON_CreateObject();
    add_strategy(json, "ncp", setting->options.ncp);
    add_strategy(json, "scaling", setting->options.scaling);
    return json;
}

cJSON *nb_case_settings(const struct nb_case *setting)
{
    const struct nb_options *options = &setting->options;
    cJSON *json = cJSON_CreateObject();
    if (!json)
        return NULL;
    cJSON_AddStringToObject(json, "problem", setting->problem);
    cJSON_AddStringToObject(json, "problem_file", setting->problem_file);
    cJSON_AddStringToObject(json, "problem_hash", setting->problem_hash);
    cJSON_AddStringToObject(json, "mode",
                            setting->mode == NB_CASE_STEP ? "step" : "linear_system");
    if (setting->mode == NB_CASE_STEP)
        add_step_settings(json, setting);
    else
        add_system_settings(json, setting);
    cJSON_AddStringToObject(json, "linear", options->linear);
    cJSON_AddStringToObject(json, "precond", options->precond);
    cJSON_AddStringToObject(json, "precision", options->precision);
    cJSON_AddNumberToObject(json, "linear_iters", options->linear_iterations);
    cJSON_AddNumberToObject(json, "shift", options->shift);
    cJSON_AddNumberToObject(json, "threads", options->threads);
    cJSON_AddNumberToObject(json, "repetitions", setting->repetitions);
    nb_json_number(json, "time_limit", setting->time_limit);
    cJSON_AddNumberToObject(json, "memory_limit", setting->memory_limit);
    return json;
}

enum nb_status nb_case_key(const struct nb_case *setting, char key[NB_KEY_SIZE],
                           struct nb_error *error)
{
    char *text = NULL;
    cJSON *json = nb_case_settings(setting);
    if (json) {
        cJSON_DeleteItemFromObjectCaseSensitive(json, "problem_file");
        text = nb_json_print(json);
    }
    cJSON_Delete(json);
    if (!text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the key of a case");
    nb_hash_print(nb_hash(NB_HASH_START, text, strlen(text)), key);
    cJSON_free(text);
    return NB_OK;
}

void nb_case_label(const struct nb_case *setting, char *text, size_t size)
{
    const struct nb_options *options = &setting->options;
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        snprintf(text, size, "%s system %d %s+%s %s %d", setting->problem, setting->system,
                 options->linear, options->precond, options->precision,
                 options->linear_iterations);
    else if (nb_registry_self_contained(options->solver))
        snprintf(text, size, "%s %s %s %d", setting->problem, options->solver, options->precision,
                 nb_options_iterations(options));
    else
        snprintf(text, size, "%s %s%s%s/%s %s+%s %s %s %dx%d", setting->problem,
                 strchr(options->solver, ':') ? options->solver : "",
                 strchr(options->solver, ':') ? " " : "", options->ncp,
                 options->scaling, options->linear, options->precond, options->operator_form,
                 options->precision, nb_options_iterations(options), options->linear_iterations);
}

enum nb_status nb_case_hash_problem(struct nb_case *setting, struct nb_error *error)
{
    uint64_t value = NB_HASH_START;
    char companion[sizeof setting->problem_file];
    const char *right_side = setting->right_side_file;
    if (!right_side[0] &&
        nb_matrix_market_companion(setting->problem_file, companion, sizeof companion))
        right_side = companion;
    enum nb_status status = nb_check_readable(setting->problem_file, error); /* a device has no end */
    if (!status && right_side[0])
        status = nb_check_readable(right_side, error);
    if (!status)
        status = nb_hash_file(setting->problem_file, &value, error);
    if (!status && right_side[0])
        status = nb_hash_file(right_side, &value, error);
    nb_hash_print(value, setting->problem_hash);
    return status;
}

double nb_case_linear_tolerance(const struct nb_case *setting)
{
    const char *linear = setting->options.linear;
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX] = {0};
    const struct nb_setting *known = nb_registry_settings("linear", linear);
    return nb_settings_read(known, linear, value, NULL) ? 0 : value[NB_LINEAR_TOL];
}
