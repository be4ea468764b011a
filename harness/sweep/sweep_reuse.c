/* Takes from a results file, and from its journal, what earlier sweeps have done of the tasks of a plan: records, the
 * finished parts of unfinished cases, and how long a case took. */
#include <math.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/sweep/sweep_private.h"
#include "solvers/source.h"

bool nb_reuse_may_run_now(const cJSON *record)
{
    static const char reason[] = "no CUDA device"; /* what the driver says follows */
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(record, "retry")) ||
           (!strcmp(nb_json_string(record, "ending"), "unsupported") &&
           !strncmp(nb_json_string(record, "detail"), reason, sizeof reason - 1));
}

bool nb_task_same_strategies(const struct nb_task *task, const cJSON *json)
{
    const cJSON *strategies = cJSON_GetObjectItemCaseSensitive(json, "strategies");
    return !strategies || cJSON_Compare(strategies, task->strategies, true);
}

static bool of_this_build(const cJSON *json)
{
    return !strcmp(nb_json_string(json, "fingerprint"), nb_source_fingerprint());
}

/* Whether this build could not compute the floor within these limits or larger ones: it would not now. */
static bool floor_fails_again(const struct nb_task *task, const cJSON *record)
{
    return !task->other_build && nb_json_path_number(record, "limits", "time") >= task->setting.time_limit &&
           nb_json_path_number(record, "limits", "memory") >= task->setting.memory_limit;
}

/* A record of an earlier sweep. The last one of a key counts, as for who reads the file later. */
enum nb_status nb_reuse_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct nb_reuse *reuse = context;
    struct nb_task *task = nb_plan_find(reuse->plan, nb_json_string(record, "key"));
    const char *kind = nb_json_string(record, "kind");
    (void)error;
    if (!task || strcmp(kind, task->is_floor ? "floor" : "case"))
        return NB_OK;
    const cJSON *provenance = cJSON_GetObjectItemCaseSensitive(record, "provenance");
    task->other_build = !of_this_build(provenance);
    task->other_machine = nb_provenance_other_machine(provenance, reuse->provenance) != NULL;
    task->has_times = cJSON_IsNumber(nb_json_path(record, "times", "median"));
    task->recorded = nb_json_get(cJSON_GetObjectItemCaseSensitive(record, "times"), "wall");
    snprintf(task->run, sizeof task->run, "%s", cJSON_IsString(nb_json_path(record, "times", "run"))
                                                    ? nb_json_path(record, "times", "run")->valuestring : "");
    const bool other = task->other_build || (!task->is_floor && task->other_machine);
    const bool usable = nb_task_same_strategies(task, record) && !(reuse->anew && other);
    if (task->is_floor)
        task->has_reference = usable && nb_floor_from_json(record, &task->reference);
    task->complete = task->is_floor ? task->has_reference || (usable && floor_fails_again(task, record))
                                    : usable && !nb_reuse_may_run_now(record);
    return NB_OK;
}

void nb_reuse_count(const struct nb_plan *plan, struct nb_sweep_summary *summary)
{
    for (int i = plan->floors; i < plan->count; ++i) {
        summary->reused += plan->task[i].complete;
        summary->other_builds += plan->task[i].complete && plan->task[i].other_build;
        summary->other_machines += plan->task[i].complete && plan->task[i].other_machine;
    }
}

/* A finished part of an unfinished case; one record is not made of two builds. */
enum nb_status nb_reuse_part(void *context, const cJSON *part, struct nb_error *error)
{
    struct nb_reuse *reuse = context;
    struct nb_task *task = nb_plan_find(reuse->plan, nb_json_string(part, "key"));
    const char *name = nb_json_string(part, "part");
    const double seconds = nb_json_get(part, "seconds"), solves = nb_json_get(part, "solves");
    char machine[NB_MACHINE];
    nb_provenance_machine(reuse->provenance, machine, sizeof machine);
    if (!task || task->is_floor || task->complete || reuse->anew || !of_this_build(part) ||
        strcmp(nb_json_string(part, "machine"), machine) != 0 || !nb_task_same_strategies(task, part))
        return NB_OK;
    task->peak_memory = fmax(task->peak_memory, nb_json_get(part, "peak_memory"));
    snprintf(task->run, sizeof task->run, "%s", nb_json_string(part, "run"));
    task->spent = NAN; /* of which nothing tells how long it took */
    if (!strcmp(name, "trace") && !task->trace) {
        task->trace = cJSON_Duplicate(part, 1);
        if (!task->trace)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a journalled trace");
        cJSON_DeleteItemFromObjectCaseSensitive(task->trace, "key");
    } else if (!strcmp(name, "time") && task->trace && seconds > 0 && solves >= 1) {
        const bool control = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(part, "control"));
        struct nb_timed *timed = control ? &task->control : &task->timed;
        if (timed->done + 1 < timed->count) /* the last one is always made anew: it is what completes the record */
            nb_timed_add(timed, part);
        task->solves = (int)solves;
    }
    return NB_OK;
}
