/* A case's record, made of what its observed run found (the part "trace"), its times and its floor; and the parts that
 * a sweep's children answer with and its journal keeps. */
#include "harness/case/case_record.h"

#include <math.h>
#include <stddef.h>

#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

static const struct nb_json_member step_floor[] = {
    NB_JSON_MEMBER(nb_floor, residual), NB_JSON_MEMBER(nb_floor, step),
    NB_JSON_MEMBER(nb_floor, component_all), NB_JSON_MEMBER(nb_floor, component_constraint),
    NB_JSON_MEMBER(nb_floor, velocity_terms), NB_JSON_MEMBER(nb_floor, step_error), {NULL, 0}};

static const struct nb_json_member system_floor[] = {
    NB_JSON_MEMBER(nb_floor_linear, residual), NB_JSON_MEMBER(nb_floor_linear, forward),
    NB_JSON_MEMBER(nb_floor_linear, component_residual), NB_JSON_MEMBER(nb_floor_linear, component_forward),
    NB_JSON_MEMBER(nb_floor_linear, component_norm),
    {NULL, 0}};

static const struct nb_json_member floor_reference[] = {
    NB_JSON_MEMBER(nb_floor_reference, matrix_norm),
    NB_JSON_MEMBER(nb_floor_reference, inverse_norm),
    NB_JSON_MEMBER(nb_floor_reference, solution_norm),
    NB_JSON_MEMBER(nb_floor_reference, residual_norm),
    NB_JSON_MEMBER(nb_floor_reference, component_all),
    NB_JSON_MEMBER(nb_floor_reference, component_constraint),
    NB_JSON_MEMBER(nb_floor_reference, velocity_terms),
    NB_JSON_MEMBER(nb_floor_reference, step_error),
    NB_JSON_MEMBER(nb_floor_reference, step_error_double),
    {NULL, 0},
};

/* null where nothing was judged. */
static void add_errors(cJSON *json, const struct nb_case_result *result)
{
    cJSON *errors = cJSON_AddObjectToObject(json, "errors");
    for (int m = 0; m < NB_METRICS; ++m)
        if (nb_metrics[m].scope == result->scope)
            nb_json_number(errors, nb_metrics[m].name, nb_metric_value(&result->errors, m));
}

/* Adds where x* of a linear system came from, and what precision allows. */
static void add_reference(cJSON *json, const struct nb_case_result *result)
{
    const struct nb_exact_report *reference = &result->reference;
    if (!reference->method)
        return;
    cJSON *object = cJSON_AddObjectToObject(json, "reference");
    NB_JSON_ADD(object, "method", reference->method, "converged", (bool)reference->converged,
                "refinements", reference->refinements, "change", reference->change, "condition", reference->condition);
    if (!reference->converged)
        return;
    nb_json_add_members(json, "floor", system_floor, &result->linear_floor);
}

static void add_trace(cJSON *json, const struct nb_case_result *result)
{
    const struct nb_trace *trace = &result->trace;
    const size_t count = (size_t)trace->count;
    cJSON *columns = cJSON_AddObjectToObject(json, "trace");
    nb_json_numbers(columns, "iteration", trace->column[NB_TRACE_ITERATION], count);
    for (int place = 1, m; (m = nb_metric_traced(result->scope, place)) >= 0; ++place)
        nb_json_numbers(columns, nb_metrics[m].name, trace->column[m], count);
    if (result->scope == NB_METRIC_OF_SYSTEM)
        return;
    nb_json_numbers(columns, "step_size", trace->column[NB_TRACE_STEP], count);
    nb_json_numbers(columns, "linear_iterations", trace->column[NB_TRACE_LINEAR], count);
}

static void add_counts(cJSON *json, const struct nb_case_result *result)
{
    cJSON *sizes = cJSON_AddObjectToObject(json, "sizes");
    NB_JSON_ADD(sizes, "dofs", result->dofs, "contacts", result->contacts, "bilaterals", result->bilaterals,
                "rows", result->rows);
    if (result->largest_island > 0)
        cJSON_AddNumberToObject(sizes, "largest_island", result->largest_island);
    if (result->entries)
        cJSON_AddNumberToObject(sizes, "entries", result->entries);
    if (result->counts.product_bytes)
        cJSON_AddNumberToObject(sizes, "product_bytes", (double)result->counts.product_bytes);
    cJSON *counts = cJSON_AddObjectToObject(json, "counts");
    NB_JSON_ADD(counts, "newton", result->counts.newton_iterations, "linear", (double)result->counts.linear_iterations,
                "operator", (double)result->counts.operator_applications,
                "precond", (double)result->counts.preconditioner_applications);
    if (result->further > 0)
        cJSON_AddNumberToObject(counts, "further", result->further);
    if (result->islands > 0)
        cJSON_AddItemToObject(counts, "islands", cJSON_CreateIntArray(result->island_iterations, result->islands));
}

cJSON *nb_features_add(cJSON *json, const struct nb_features *features)
{
    cJSON *members = cJSON_AddObjectToObject(json, "features");
    if (features->elastic < 0)
        cJSON_AddNullToObject(members, "elastic");
    else
        cJSON_AddBoolToObject(members, "elastic", features->elastic);
    if (features->scene)
        cJSON_AddStringToObject(members, "scene", features->scene);
    NB_JSON_ADD(members, "contacts_per_body", features->contacts_per_body, "neighbours", features->neighbours,
                "redundancy", features->redundancy, "rank", features->rank < 0 ? (double)NAN : features->rank,
                "rank_deficiency", features->rank_deficiency, "mass_ratio", features->mass_ratio);
    return members;
}

static void add_previous(cJSON *json, const struct nb_previous_step *previous)
{
    if (!previous->ending)
        return;
    cJSON *members = cJSON_AddObjectToObject(json, "previous");
    NB_JSON_ADD(members, "problem_hash", previous->hash, "ending", previous->ending, "iterations", previous->iterations,
                "step_error", previous->error, "contacts_found", previous->found);
}

cJSON *nb_part_trace(const struct nb_case_result *result)
{
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "part", "trace", "ending", result->ending, "detail", result->detail);
    if (result->retry)
        cJSON_AddTrueToObject(json, "retry");
    NB_JSON_ADD(json, "complete", (bool)result->complete, "iterations", result->iterations, "solving", result->solving);
    add_counts(json, result);
    nb_features_add(json, &result->features);
    cJSON *times = cJSON_AddObjectToObject(json, "times");
    NB_JSON_ADD(times, "load", result->load, "setup", result->setup);
    if (!isnan(result->start))
        nb_json_number(times, "start", result->start);
    NB_JSON_ADD(times, "assembly", result->counts.assembly_seconds, "preparation", result->counts.preparation_seconds,
                "linear", result->counts.linear_seconds, "application", nb_run_application(&result->counts));
    add_previous(json, &result->previous);
    add_errors(json, result);
    add_reference(json, result);
    cJSON *best = cJSON_AddObjectToObject(json, "best");
    nb_json_number(best, "iteration", result->best_iteration < 0 ? NAN : result->best_iteration);
    nb_json_number(best, "step_error", result->best_error);
    NB_JSON_ADD(json, "step_condition", result->condition.all, "velocity_spread", result->velocity_spread);
    add_trace(json, result);
    return json;
}

cJSON *nb_part_time(const struct nb_repetition *repetition)
{
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "part", "time", "seconds", repetition->seconds, "waited", repetition->waited);
    if (!isnan(repetition->throttled))
        nb_json_number(json, "throttled", repetition->throttled);
    if (!isnan(repetition->setup))
        nb_json_number(json, "setup", repetition->setup);
    NB_JSON_ADD(json, "solves", repetition->solves, "solving", repetition->spent);
    return json;
}

cJSON *nb_part_failure(enum nb_status status, const char *detail)
{
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "part", "failure", "ending", nb_case_ending_of(status), "detail", detail);
    return json;
}

cJSON *nb_part_floor(const struct nb_floor_reference *reference, double solving,
                     const char *detail)
{
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "part", "floor", "detail", detail, "solving", solving);
    if (!reference) {
        cJSON_AddNullToObject(json, "reference");
        return json;
    }
    cJSON *members = nb_json_add_members(json, "reference", floor_reference, reference);
    cJSON_AddNumberToObject(members, "inverse_exact", reference->inverse_exact);
    return json;
}

bool nb_floor_from_json(const cJSON *json, struct nb_floor_reference *reference)
{
    const cJSON *members = nb_json_member(json, "reference");
    if (!cJSON_IsObject(members))
        return false;
    nb_json_get_members(members, floor_reference, reference);
    if (isnan(reference->step_error_double)) /* of an older record */
        reference->step_error_double = reference->step_error;
    reference->inverse_exact = nb_json_get(members, "inverse_exact") > 0;
    return true;
}

cJSON *nb_record_floor(const struct nb_case *setting, const char *key, const cJSON *part,
                       const cJSON *provenance)
{
    const cJSON *reference = nb_json_member(part, "reference");
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "kind", "floor", "version", NB_RECORD_VERSION, "key", key, "settings", nb_floor_settings(setting),
                "strategies", nb_floor_strategies(setting),
                "reference", reference ? cJSON_Duplicate(reference, 1) : cJSON_CreateNull(),
                "detail", nb_json_string(part, "detail"));
    cJSON *limits = cJSON_AddObjectToObject(json, "limits");
    NB_JSON_ADD(limits, "time", setting->time_limit, "memory", setting->memory_limit);
    cJSON_AddItemToObject(json, "provenance", cJSON_Duplicate(provenance, 1));
    return json;
}

static void copy_member(cJSON *to, const cJSON *from, const char *name)
{
    const cJSON *item = nb_json_member(from, name);
    cJSON_AddItemToObject(to, name, item ? cJSON_Duplicate(item, 1) : cJSON_CreateNull());
}

static void add_control(cJSON *times, const struct nb_timed *control)
{
    if (!control || !control->done)
        return;
    cJSON *members = cJSON_AddObjectToObject(times, "control");
    if (!isnan(control->setups[0]))
        nb_json_numbers(members, "setups", control->setups, (size_t)control->done);
    nb_json_numbers(members, "solve", control->seconds, (size_t)control->done);
}

static void add_times(cJSON *record, const cJSON *trace, const struct nb_timing *timing)
{
    const cJSON *measured = nb_json_member(trace, "times");
    cJSON *times = cJSON_AddObjectToObject(record, "times");
    const bool repeated = timing->count && timing->setups && !isnan(timing->setups[0]);
    NB_JSON_ADD(times, "load", nb_json_get(measured, "load"),
                "setup", repeated ? nb_median(timing->setups, timing->count) : nb_json_get(measured, "setup"));
    if (cJSON_HasObjectItem(measured, "start"))
        copy_member(times, measured, "start");
    if (repeated)
        nb_json_numbers(times, "setups", timing->setups, (size_t)timing->count);
    nb_json_numbers(times, "solve", timing->seconds, (size_t)timing->count);
    if (timing->waited)
        nb_json_numbers(times, "waited", timing->waited, (size_t)timing->count);
    if (timing->waited && !isnan(timing->throttled))
        cJSON_AddNumberToObject(times, "throttled", timing->throttled);
    NB_JSON_ADD(times, "solves_per_repetition", timing->solves, "assembly", nb_json_get(measured, "assembly"),
                "preparation", nb_json_get(measured, "preparation"), "linear", nb_json_get(measured, "linear"),
                "application", nb_json_get(measured, "application"),
                "median", nb_median(timing->seconds, timing->count),
                "wall", timing->wall > 0 ? timing->wall : (double)NAN);
    if (timing->run)
        cJSON_AddStringToObject(times, "run", timing->run);
    if (timing->processes)
        cJSON_AddNumberToObject(times, "processes", timing->processes);
    add_control(times, timing->control);
}

/* A linear system brings its own. */
static void add_floor(cJSON *record, const struct nb_floor *floor, const cJSON *trace)
{
    const cJSON *reference = nb_json_member(trace, "reference");
    if (reference)
        copy_member(record, trace, "reference");
    if (floor)
        nb_json_add_members(record, "floor", step_floor, floor);
    else
        copy_member(record, trace, "floor");
}

/* What the trial of a plugin's preconditioner has found. */
static void add_finding(cJSON *record, const struct nb_case *setting)
{
    const char *precond = setting->options.precond;
    const char *finding = nb_registry_uses_precond(setting->options.linear) ? nb_plugin_finding(precond) : NULL;
    if (finding)
        cJSON_AddStringToObject(record, "probe", finding);
}

cJSON *nb_record_case(const struct nb_case *setting, const char *key, const cJSON *trace,
                      const struct nb_timing *timing, const struct nb_floor *floor,
                      const cJSON *provenance)
{
    static const char *const copied[] = {"ending", "detail", "retry", "sizes", "counts", "features"};
    cJSON *record = cJSON_CreateObject();
    NB_JSON_ADD(record, "kind", "case", "version", NB_RECORD_VERSION, "key", key, "settings", nb_case_settings(setting),
                "strategies", nb_case_strategies(setting));
    add_finding(record, setting);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; ++i)
        copy_member(record, trace, copied[i]);
    nb_json_number(record, "peak_memory", timing->peak_memory > 0 ? timing->peak_memory : (double)NAN);
    add_times(record, trace, timing);
    copy_member(record, trace, "errors");
    copy_member(record, trace, "best");
    copy_member(record, trace, "step_condition");
    copy_member(record, trace, "velocity_spread");
    if (cJSON_HasObjectItem(trace, "previous"))
        copy_member(record, trace, "previous");
    add_floor(record, floor, trace);
    copy_member(record, trace, "trace");
    cJSON_AddItemToObject(record, "provenance", nb_provenance_now(provenance));
    return record;
}
