/* Decides which task runs when. A lane is a set of cores with one batch of tasks, of which one works at a time; the
 * others have made their observed run and wait to be told to repeat. The parent polls the children's answers,
 * journals and records what they say, and stops one that is over its time limit. */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/sweep/sweep_private.h"
#include "solvers/source.h"

enum { LANES_MOST = 256 };
static const double repetition_aim = 0.01; /* [s], as in harness/case/case_time.c */

struct lane {
    struct nb_task **batch;
    int count;               /* 0: idle */
    struct nb_task *active;  /* NULL: none works */
    double since, deadline;
    struct nb_child_limits limits;
};

struct schedule {
    struct nb_plan *plan;
    const struct nb_sweep_request *request;
    struct nb_store *store;
    const cJSON *provenance;
    struct nb_progress *progress;
    double solving;
    double limited_left;     /* of the time of all limited tasks together [s] */
    int next;                /* first task that no batch has taken */
    int lane_count;
    struct lane lane[LANES_MOST];
    struct nb_task *room[LANES_MOST][NB_BATCH_MOST];
};

/* --- records --- */

static enum nb_status append_record(struct schedule *schedule, cJSON *record, struct nb_error *error)
{
    if (!record)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a record");
    const enum nb_status status = nb_store_append(schedule->store, record, error);
    cJSON_Delete(record);
    return status;
}

static void stop_child(struct nb_task *task)
{
    char text[64];
    nb_child_stop(&task->child, text, sizeof text);
}

static enum nb_status finish_case(struct schedule *schedule, struct nb_task *task,
                                  struct nb_error *error)
{
    struct nb_floor room;
    const struct nb_timing timing = {task->done, task->solves, task->seconds, task->setups, task->run,
                                     task->peak_memory, task->spent};
    const enum nb_status status =
        append_record(schedule, nb_record_case(&task->setting, task->key, task->trace, &timing,
                                               nb_task_floor(task, &room), schedule->provenance), error);
    stop_child(task);
    task->complete = true;
    ++schedule->progress->endings[nb_ending_find(nb_json_string(task->trace, "ending"))];
    cJSON_Delete(task->trace); /* recorded: a long sweep need not keep it */
    task->trace = NULL;
    ++schedule->progress->done;
    return status;
}

static enum nb_status finish_floor(struct schedule *schedule, struct nb_task *task,
                                   const cJSON *part, struct nb_error *error)
{
    task->has_reference = nb_floor_from_json(part, &task->reference);
    stop_child(task);
    task->complete = true;
    return append_record(schedule,
                  nb_record_floor(&task->setting, task->key, part, schedule->provenance), error);
}

/* A task that ended from outside. What its observed run found is kept. */
static enum nb_status finish_failed(struct schedule *schedule, struct nb_task *task,
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
    return finish_case(schedule, task, error);
}

/* --- what a child says --- */

static enum nb_status journal(struct schedule *schedule, const struct nb_task *task, cJSON *part,
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

static enum nb_status take_trace(struct schedule *schedule, struct nb_task *task, cJSON *part,
                                 struct nb_error *error)
{
    const bool complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(part, "complete"));
    task->trace = part;
    task->traced = task->spent;
    task->repetition = fmax(nb_json_get(part, "solving"), repetition_aim);
    if (!complete)
        return finish_case(schedule, task, error);
    return journal(schedule, task, part, error);
}

static enum nb_status take_time(struct schedule *schedule, struct nb_task *task, cJSON *part,
                                struct nb_error *error)
{
    task->setups[task->done] = nb_json_get(part, "setup");
    task->seconds[task->done++] = nb_json_get(part, "seconds");
    if (isfinite(task->traced)) /* not begun by a sweep that was stopped */
        task->repetition = (task->spent - task->traced) / task->done;
    task->solves = (int)nb_json_get(part, "solves");
    const enum nb_status status = journal(schedule, task, part, error);
    if (status || task->done < task->setting.repetitions)
        return status;
    return finish_case(schedule, task, error);
}

/* Takes part over. */
static enum nb_status take_part(struct schedule *schedule, struct nb_task *task, cJSON *part,
                                struct nb_error *error)
{
    const char *name = nb_json_string(part, "part");
    const double solving = nb_json_get(part, "solving");
    enum nb_status status;
    schedule->solving += isfinite(solving) ? solving : 0;
    task->peak_memory = fmax(task->peak_memory, nb_json_get(part, "peak_memory"));
    if (!strcmp(name, "trace") && !task->trace && !task->is_floor)
        return take_trace(schedule, task, part, error);
    if (!strcmp(name, "time") && task->trace && task->done < task->setting.repetitions)
        status = take_time(schedule, task, part, error);
    else if (!strcmp(name, "failure") && task->trace)
        status = finish_failed(schedule, task, nb_json_string(part, "ending"), nb_json_string(part, "detail"),
                               error);
    else if (!strcmp(name, "floor") && task->is_floor)
        status = finish_floor(schedule, task, part, error);
    else
        status = finish_failed(schedule, task, "crashed", "a garbled answer", error);
    cJSON_Delete(part);
    return status;
}

/* --- lanes --- */

static enum nb_status start_child(struct schedule *schedule, struct lane *lane, struct nb_task *task,
                            struct nb_error *error)
{
    struct nb_worker worker = {task, schedule->request->scratch, schedule->request->hook};
    lane->limits.memory = task->setting.memory_limit;
    return nb_child_start(&task->child, &lane->limits, nb_worker_main, &worker, error);
}

/* What is left of the limited tasks once their time is over. */
static void leave_out(struct schedule *schedule, struct nb_task *task)
{
    stop_child(task);
    task->complete = true;
    ++schedule->progress->left_out;
}

/* The incomplete task that comes next: first all observed runs, then the one with the fewest
 * repetitions. */
static struct nb_task *choose_task(const struct lane *lane)
{
    struct nb_task *chosen = NULL;
    for (int i = 0; i < lane->count; ++i) {
        struct nb_task *task = lane->batch[i];
        if (!task->complete && (task->is_floor || !task->trace))
            return task;
        if (!task->complete && (!chosen || task->done < chosen->done))
            chosen = task;
    }
    return chosen;
}

/* Sets the lane's next task to work; an idle lane results where the batch is complete. */
static enum nb_status start_next_task(struct schedule *schedule, struct lane *lane, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    struct nb_task *task = choose_task(lane);
    for (; task && task->limited && schedule->limited_left <= 0; task = choose_task(lane))
        leave_out(schedule, task);
    lane->active = task;
    if (!task) {
        lane->count = 0;
        return NB_OK;
    }
    if (!task->child.pid)
        status = start_child(schedule, lane, task, error);
    /* A child that is already gone is found out when its answer is read. */
    if (!status && task->trace)
        nb_child_command(&task->child, 'g');
    lane->since = nb_seconds();
    lane->deadline = lane->since + task->setting.time_limit;
    if (task->limited)
        lane->deadline = fmin(lane->deadline, lane->since + schedule->limited_left);
    return status;
}

static bool floors_running(const struct schedule *schedule)
{
    for (int i = 0; i < schedule->lane_count; ++i)
        if (schedule->lane[i].count && schedule->lane[i].batch[0]->is_floor)
            return true;
    return false;
}

/* Fills an idle lane with what is missing of the next batch, if there is one to be had now. Cases wait for
 * all floors. */
static void take_batch(struct schedule *schedule, struct lane *lane)
{
    struct nb_plan *plan = schedule->plan;
    lane->count = 0;
    for (; schedule->next < plan->count; ++schedule->next) {
        struct nb_task *task = &plan->task[schedule->next];
        if (task->complete)
            continue;
        if ((!task->is_floor && floors_running(schedule)) ||
            (lane->count && task->batch != lane->batch[0]->batch))
            break;
        lane->batch[lane->count++] = task;
    }
    if (lane->count)
        nb_batch_name_run(lane->batch, lane->count);
}

/* The child is gone. A signal that users and systems send makes one new attempt. */
static enum nb_status finish_dead_child(struct schedule *schedule, struct nb_task *task, struct nb_error *error)
{
    char text[64];
    const int number = nb_child_stop(&task->child, text, sizeof text);
    const bool from_outside = number == SIGKILL || number == SIGTERM || number == SIGINT ||
                              number == SIGHUP;
    if (from_outside && !task->restarts++)
        return NB_OK;
    return finish_failed(schedule, task, "crashed", text, error);
}

static enum nb_status take_answer(struct schedule *schedule, struct nb_task *task, char *line,
                                  struct nb_error *error)
{
    cJSON *part = cJSON_Parse(line);
    free(line);
    if (part)
        return take_part(schedule, task, part, error);
    return finish_failed(schedule, task, "crashed", "a garbled answer", error);
}

/* One that is over its own time limit has failed, as has one that has not returned once when the time of all limited
 * ones ends; another one was only too late for its repetitions. */
static enum nb_status finish_late(struct schedule *schedule, struct nb_task *task, struct nb_error *error)
{
    const bool all = task->limited && schedule->limited_left <= 0;
    if (!all || !task->trace)
        return finish_failed(schedule, task, "timed_out",
                             all ? "over the time that all its cases have together" : "over the time limit", error);
    leave_out(schedule, task);
    return NB_OK;
}

/* One look at a lane's active task. */
static enum nb_status serve_lane(struct schedule *schedule, struct lane *lane, struct nb_error *error)
{
    struct nb_task *task = lane->active;
    const bool alive = nb_child_receive(&task->child);
    char *line = nb_child_take_line(&task->child);
    const double now = nb_seconds();
    enum nb_status status;
    if (!line && alive && now <= lane->deadline)
        return NB_OK;
    task->spent += now - lane->since;
    if (task->limited)
        schedule->limited_left -= now - lane->since;
    if (line)
        status = take_answer(schedule, task, line, error);
    else if (!alive)
        status = finish_dead_child(schedule, task, error);
    else
        status = finish_late(schedule, task, error);
    return status ? status : start_next_task(schedule, lane, error);
}

static enum nb_status fill_lanes(struct schedule *schedule, int *busy, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    *busy = 0;
    for (int i = 0; i < schedule->lane_count && !status; ++i) {
        struct lane *lane = &schedule->lane[i];
        if (!lane->count) {
            take_batch(schedule, lane);
            if (lane->count)
                status = start_next_task(schedule, lane, error);
        }
        *busy += lane->count > 0;
    }
    return status;
}

static void wait_for_any(struct schedule *schedule)
{
    struct pollfd polled[LANES_MOST];
    nfds_t count = 0;
    double wait = 1;
    const double now = nb_seconds();
    for (int i = 0; i < schedule->lane_count; ++i) {
        const struct lane *lane = &schedule->lane[i];
        if (!lane->active)
            continue;
        nb_progress_show(schedule->progress, lane->active);
        polled[count++] = (struct pollfd){.fd = lane->active->child.from, .events = POLLIN};
        wait = fmin(wait, lane->deadline - now);
    }
    poll(polled, count, wait > 0 ? (int)(1000 * wait) + 1 : 0);
}

static enum nb_status run_lanes(struct schedule *schedule, struct nb_error *error)
{
    enum nb_status status;
    int busy;
    while (!(status = fill_lanes(schedule, &busy, error)) && busy) {
        wait_for_any(schedule);
        for (int i = 0; i < schedule->lane_count && !status; ++i)
            if (schedule->lane[i].active)
                status = serve_lane(schedule, &schedule->lane[i], error);
        if (status)
            break;
    }
    return status;
}

enum nb_status nb_schedule_run(struct nb_plan *plan, const struct nb_sweep_request *request,
                               struct nb_store *store, const cJSON *provenance,
                               struct nb_progress *progress, double *solving,
                               struct nb_error *error)
{
    struct schedule *schedule = calloc(1, sizeof *schedule);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    if (!schedule)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a schedule");
    schedule->plan = plan;
    schedule->request = request;
    schedule->store = store;
    schedule->provenance = provenance;
    schedule->progress = progress;
    schedule->limited_left = request->limited_time;
    schedule->lane_count = request->jobs < LANES_MOST ? request->jobs : LANES_MOST;
    const int cores = nb_child_cores() / schedule->lane_count;
    for (int i = 0; i < schedule->lane_count; ++i) {
        schedule->lane[i].batch = schedule->room[i];
        if (schedule->lane_count > 1)
            schedule->lane[i].limits = (struct nb_child_limits){0, i * cores, cores};
    }
    /* Writing to a child that has just died is answered by its end of file. */
    sigaction(SIGPIPE, &ignore, &before);
    const enum nb_status status = run_lanes(schedule, error);
    sigaction(SIGPIPE, &before, NULL);
    *solving = schedule->solving;
    free(schedule);
    return status;
}
