/* What the workers of a sweep answer: an observed run, a repetition or a floor, which the journal keeps until a case is
 * done and goes into the results file; or a failure, which is a result as well. */
#include <math.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/sweep/schedule.h"
#include "solvers/source.h"

static const double repetition_aim = 0.01; /* [s], as in harness/case/case_time.c */

static enum nb_status append_record(struct nb_schedule *schedule, cJSON *record, struct nb_error *error)
{
    if (!record)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a record");
    const enum nb_status status = nb_store_append(schedule->store, record, error);
    cJSON_Delete(record);
    return status;
}

enum nb_status nb_schedule_finish(struct nb_schedule *schedule, struct nb_task *task, struct nb_error *error)
{
    struct nb_floor room;
    const struct nb_timing timing = {task->timed.done, task->solves, task->timed.seconds, task->timed.setups,
                                     task->timed.waited, task->run, task->peak_memory, task->spent, task->timed.done,
                                     task->timed.throttled, &task->control};
    cJSON *record = nb_record_case(&task->setting, task->key, task->trace, &timing, nb_task_floor(task, &room),
                                   schedule->provenance);
    enum nb_status status = record ? nb_control_add(&schedule->progress->control, record, error) : NB_OK;
    if (!status)
        status = append_record(schedule, record, error);
    else
        cJSON_Delete(record);
    task->complete = true;
    ++schedule->progress->endings[nb_ending_find(nb_json_string(task->trace, "ending"))];
    cJSON_Delete(task->trace); /* recorded: a long sweep need not keep it */
    task->trace = NULL;
    ++schedule->progress->done;
    return status;
}

static enum nb_status finish_floor(struct nb_schedule *schedule, struct nb_task *task,
                                   const cJSON *part, struct nb_error *error)
{
    task->has_reference = nb_floor_from_json(part, &task->reference);
    task->complete = true;
    return append_record(schedule,
                         nb_record_floor(&task->setting, task->key, part, schedule->provenance), error);
}

enum nb_status nb_schedule_fail(struct nb_schedule *schedule, struct nb_task *task,
                                const char *ending, const char *detail,
                                struct nb_error *error)
{
    char text[400];
    snprintf(text, sizeof text, "%s, %s", detail,
             task->trace ? "in a timed repetition" : "in the observed run");
    if (task->is_floor) {
        cJSON *part = nb_part_floor(NULL, 0, detail);
        const enum nb_status status = finish_floor(schedule, task, part, error);
        cJSON_Delete(part);
        return status;
    }
    if (!task->trace) {
        struct nb_case_result result;
        nb_case_result_failed(&result, &task->setting, NB_BAD_INPUT, text);
        task->trace = nb_part_trace(&result);
    }
    cJSON_ReplaceItemInObjectCaseSensitive(task->trace, "ending", cJSON_CreateString(ending));
    cJSON_ReplaceItemInObjectCaseSensitive(task->trace, "detail", cJSON_CreateString(text));
    return nb_schedule_finish(schedule, task, error);
}

static enum nb_status journal(struct nb_schedule *schedule, const struct nb_task *task, cJSON *part,
                              struct nb_error *error)
{
    char machine[NB_MACHINE];
    cJSON_AddStringToObject(part, "key", task->key);
    cJSON_AddItemToObject(part, "strategies", cJSON_Duplicate(task->strategies, true));
    cJSON_AddStringToObject(part, "fingerprint", nb_source_fingerprint());
    nb_provenance_machine(schedule->provenance, machine, sizeof machine);
    cJSON_AddStringToObject(part, "machine", machine);
    cJSON_AddStringToObject(part, "run", task->run);
    return nb_store_append_journal(schedule->store, part, error);
}

static enum nb_status take_trace(struct nb_schedule *schedule, struct nb_task *task, cJSON *part,
                                 struct nb_error *error)
{
    const bool complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(part, "complete"));
    task->trace = part;
    task->traced = task->spent;
    task->repetition = fmax(nb_json_get(part, "solving"), repetition_aim);
    if (!complete)
        return nb_schedule_finish(schedule, task, error);
    return journal(schedule, task, part, error);
}

static enum nb_status take_time(struct nb_schedule *schedule, struct nb_task *task, struct nb_timed *timed, cJSON *part,
                                struct nb_error *error)
{
    nb_timed_add(timed, part);
    if (isfinite(task->traced)) /* not begun by a sweep that was stopped */
        task->repetition = (task->spent - task->traced) / (task->timed.done + task->control.done);
    task->solves = (int)nb_json_get(part, "solves");
    if (timed == &task->control)
        cJSON_AddTrueToObject(part, "control");
    const enum nb_status status = journal(schedule, task, part, error);
    return status || nb_timed_next(task) ? status : nb_schedule_finish(schedule, task, error);
}

enum nb_status nb_schedule_take(struct nb_schedule *schedule, struct nb_lane *lane, cJSON *part, struct nb_error *error)
{
    struct nb_task *task = lane->active;
    const char *name = nb_json_string(part, "part");
    const double solving = nb_json_get(part, "solving");
    enum nb_status status;
    schedule->solving += isfinite(solving) ? solving : 0;
    task->peak_memory = fmax(task->peak_memory, nb_json_get(part, "peak_memory"));
    if (!strcmp(name, "trace") && !task->trace && !task->is_floor)
        return take_trace(schedule, task, part, error);
    if (!strcmp(name, "time") && lane->timed)
        status = take_time(schedule, task, lane->timed, part, error);
    else if (!strcmp(name, "failure") && task->trace)
        status = nb_schedule_fail(schedule, task, nb_json_string(part, "ending"), nb_json_string(part, "detail"),
                                  error);
    else if (!strcmp(name, "floor") && task->is_floor)
        status = finish_floor(schedule, task, part, error);
    else
        status = nb_schedule_fail(schedule, task, "crashed", "a garbled answer", error);
    cJSON_Delete(part);
    return status;
}
