/* Decides which task runs when. A lane is a set of cores with one batch of tasks, of which one works at a time, and a
 * child that has their problems and is given an order after the other: the observed runs first, then repetitions in
 * turn, in another sequence each round. Of one lane's batch others, its observers, may take observed runs over, until
 * the first repetition. The parent polls what the children say, has their answers taken and stops one whose order is
 * over its time limit. */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/apart.h"
#include "problems/base/clock.h"
#include "problems/base/processors.h"
#include "solvers/source.h"

/* What the workers of a sweep answer: an observed run, a repetition or a floor, which the journal keeps until a case is
 * done and goes into the results file; or a failure, which is a result as well. */

enum { NB_LANES_MOST = 256 };

struct nb_lane {
    struct nb_task **batch;
    int count;              /* 0: idle */
    struct nb_child child;  /* in which they run; that of the batch before ended with it */
    bool observer;          /* of the first lane's batch */
    bool beside;            /* whether another worked on the batch during the order */
    struct nb_task *active; /* NULL: none works */
    struct nb_timed *timed; /* what it repeats; NULL: its observed run, or a floor */
    int orders;             /* given so far */
    cJSON *answer;          /* to the order, NULL: none yet; and whether there was something else */
    bool garbled;
    double since, deadline; /* by the watch */
    struct nb_child_limits limits;
};

struct nb_schedule {
    struct nb_plan *plan;
    const struct nb_sweep_request *request;
    struct nb_store *store;
    const cJSON *provenance;
    struct nb_progress *progress;
    double solving;
    double limited_left; /* of the time of all limited tasks together [s] */
    struct nb_watch watch; /* time in which the sweep was stopped belongs to no task */
    int next;            /* first task that no batch has taken */
    int lane_count;
    struct nb_lane lane[NB_LANES_MOST];
    struct nb_task *room[NB_LANES_MOST][NB_BATCH_MOST];
};

static enum nb_status append_record(struct nb_schedule *schedule, cJSON *record, struct nb_error *error)
{
    if (!record)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a record");
    const enum nb_status status = nb_store_append(schedule->store, record, error);
    cJSON_Delete(record);
    return status;
}

/* Records a case whose observed run is done, with the repetitions that it has. */
static enum nb_status schedule_finish(struct nb_schedule *schedule, struct nb_task *task, struct nb_error *error)
{
    struct nb_floor room;
    const struct nb_timing timing = {task->timed.done, task->solves, task->timed.seconds, task->timed.setups,
                                     task->timed.waited, task->run, task->peak_memory, task->spent, task->timed.done,
                                     task->timed.throttled, &task->control};
    cJSON *record = nb_record_case(&task->setting, task->key, task->trace, &timing, nb_task_floor(task, &room),
                                   schedule->provenance);
    if (record)
        nb_control_add(&schedule->progress->control, record);
    if (schedule->progress->reasons)
        nb_reasons_add(schedule->progress->reasons, record);
    const enum nb_status status = append_record(schedule, record, error);
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

/* Records a task that ended from outside. What its observed run found is kept. */
static enum nb_status schedule_fail(struct nb_schedule *schedule, struct nb_task *task,
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
    return schedule_finish(schedule, task, error);
}

static enum nb_status journal(struct nb_schedule *schedule, const struct nb_task *task, cJSON *part,
                              struct nb_error *error)
{
    char machine[NB_MACHINE];
    NB_JSON_ADD(part, "key", task->key, "strategies", cJSON_Duplicate(task->strategies, true),
                "fingerprint", nb_source_fingerprint());
    nb_provenance_machine(schedule->provenance, machine, sizeof machine);
    NB_JSON_ADD(part, "machine", machine, "run", task->run);
    return nb_store_append_journal(schedule->store, part, error);
}

static enum nb_status take_trace(struct nb_schedule *schedule, struct nb_task *task, cJSON *part,
                                 struct nb_error *error)
{
    const bool complete = cJSON_IsTrue(nb_json_member(part, "complete"));
    task->trace = part;
    task->traced = task->spent;
    task->repetition = fmax(nb_json_get(part, "solving"), NB_REPETITION_LEAST);
    if (!complete || !task->setting.repetitions)
        return schedule_finish(schedule, task, error);
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
    return status || nb_timed_next(task) ? status : schedule_finish(schedule, task, error);
}

/* Takes the part over that the worker of the lane's order has answered: it is journalled, and a case that is done
 * recorded. */
static enum nb_status schedule_take(struct nb_schedule *schedule, struct nb_lane *lane, cJSON *part,
                                    struct nb_error *error)
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
        status = schedule_fail(schedule, task, nb_json_string(part, "ending"), nb_json_string(part, "detail"),
                               error);
    else if (!strcmp(name, "floor") && task->is_floor)
        status = finish_floor(schedule, task, part, error);
    else
        status = schedule_fail(schedule, task, "crashed", "a garbled answer", error);
    cJSON_Delete(part);
    return status;
}

static void stop_child(struct nb_lane *lane)
{
    char text[64];
    nb_child_stop(&lane->child, text, sizeof text);
}

/* What the observed run of a step or a system says of the runs to be timed. */
static struct nb_expected expected_of(const struct nb_task *task)
{
    const bool step = task->setting.mode == NB_CASE_STEP;
    const cJSON *trace = task->trace;
    return (struct nb_expected){nb_json_path_number(trace, "errors", step ? "step_error" : "residual"),
                                (long)nb_json_path_number(trace, "counts", step ? "newton" : "linear"),
                                nb_json_get(trace, "solving") - nb_json_path_number(trace, "times", "setup")};
}

/* The iterations that each island took in the observed run, of those that are solved apart. */
static void send_islands(struct nb_child *child, const cJSON *islands)
{
    for (const cJSON *island = islands ? islands->child : NULL; island; island = island->next)
        if (!nb_child_send(child, &island->valueint, sizeof island->valueint))
            return;
}

/* Tells the lane's child, which is started where there is none. One that is already gone is found out when its answer
 * is read. */
static enum nb_status give_order(struct nb_schedule *schedule, struct nb_lane *lane, const struct nb_task *task,
                                 struct nb_error *error)
{
    struct nb_worker worker = {schedule->plan->task, schedule->request->scratch, schedule->request->hook};
    struct nb_order order = {.number = ++lane->orders, .task = (int)(task - schedule->plan->task), .repetition = -1};
    const cJSON *islands = NULL;
    if (!lane->child.pid && nb_child_start(&lane->child, &lane->limits, nb_worker_main, &worker, error))
        return NB_BAD_FILE;
    if (lane->timed) {
        order.repetition = lane->timed->done;
        order.iterations = (int)nb_json_get(task->trace, "iterations");
        order.expected = expected_of(task);
        islands = nb_json_member(nb_json_member(task->trace, "counts"), "islands");
        order.islands = cJSON_GetArraySize(islands);
    }
    if (nb_child_command(&lane->child, &order, sizeof order))
        send_islands(&lane->child, islands);
    return NB_OK;
}

/* What is left of the limited tasks once their time is over: one that has returned once is recorded with the
 * repetitions that it has. */
static enum nb_status leave_out(struct nb_schedule *schedule, struct nb_task *task, struct nb_error *error)
{
    ++schedule->progress->left_out;
    task->complete = true;
    return task->trace ? schedule_finish(schedule, task, error) : NB_OK;
}

/* Where it stands in the sequence of that round, another each time: what comes before a case differs, and how long ago
 * it had its turn. In the last round it is the plan's, and so is that of the records. */
static unsigned turn(const struct nb_task *task, const struct nb_timed *timed)
{
    unsigned z = (unsigned)strtoull(task->key, NULL, 16) + (timed == &task->control) +
                 (unsigned)timed->done * 0x85EBCA6Bu;
    z = (z ^ (z >> 16)) * 0x7FEB352Du;
    z = (z ^ (z >> 15)) * 0x846CA68Bu;
    return timed->done + 1 < nb_timed_count(task, timed) ? z ^ (z >> 16) : 0;
}

/* Whether it is another lane, and works on this one's batch. */
static bool works_beside(const struct nb_lane *other, const struct nb_lane *lane)
{
    return other != lane && other->batch == lane->batch && other->active;
}

/* Whether another lane works on a task of this one's batch: on that task, or, NULL, on any. */
static bool is_shared(const struct nb_schedule *schedule, const struct nb_lane *lane, const struct nb_task *task)
{
    for (int i = 0; i < schedule->lane_count; ++i)
        if (works_beside(&schedule->lane[i], lane) && (!task || schedule->lane[i].active == task))
            return true;
    return false;
}

/* The next observed run or floor that no lane has begun. What was over its time limit beside others is made again, last
 * and by itself. */
static struct nb_task *choose_observed(const struct nb_schedule *schedule, const struct nb_lane *lane)
{
    struct nb_task *again = NULL;
    for (int i = 0; i < lane->count; ++i) {
        struct nb_task *task = lane->batch[i];
        if (task->complete || (task->trace && !task->is_floor) || is_shared(schedule, lane, task))
            continue;
        if (!task->alone)
            return task;
        again = again ? again : task;
    }
    return lane->observer || is_shared(schedule, lane, NULL) ? NULL : again;
}

/* The incomplete task that comes next, and what it repeats: first all observed runs, then what has the fewest
 * repetitions. NULL: none, or none yet. */
static struct nb_task *choose_task(const struct nb_schedule *schedule, const struct nb_lane *lane,
                                   struct nb_timed **timed)
{
    struct nb_task *chosen = choose_observed(schedule, lane);
    *timed = NULL;
    if (chosen || lane->observer || is_shared(schedule, lane, NULL))
        return chosen;
    for (int i = 0; i < lane->count; ++i) {
        struct nb_task *task = lane->batch[i];
        struct nb_timed *next = task->complete ? NULL : nb_timed_next(task);
        if (!next)
            continue;
        if (!chosen || next->done < (*timed)->done ||
            (next->done == (*timed)->done && turn(task, next) < turn(chosen, *timed))) {
            chosen = task;
            *timed = next;
        }
    }
    return chosen;
}

/* Nothing comes of a case that was too slow at a larger tolerance: a run that meets a smaller one has met the larger
 * before. */
static bool is_hopeless(const struct nb_task *task)
{
    return !task->trace && task->looser && task->looser->late;
}

static enum nb_status give_up(struct nb_schedule *schedule, struct nb_task *task, struct nb_error *error)
{
    char text[100];
    snprintf(text, sizeof text, NB_OVER_TIME_LIMIT " at tol=%g already", task->looser->setting.tolerance);
    task->late = true;
    return schedule_fail(schedule, task, "timed_out", text, error);
}

static void meet_others(struct nb_schedule *schedule, struct nb_lane *lane)
{
    lane->beside = false;
    for (int i = 0; i < schedule->lane_count; ++i)
        if (works_beside(&schedule->lane[i], lane))
            lane->beside = schedule->lane[i].beside = true;
}

/* Sets the lane's next task to work; an idle lane results where the batch is complete, or waits for its observers. */
static enum nb_status start_next_task(struct nb_schedule *schedule, struct nb_lane *lane, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    lane->active = NULL;
    struct nb_task *task = choose_task(schedule, lane, &lane->timed);
    for (; task && !status; task = choose_task(schedule, lane, &lane->timed))
        if (is_hopeless(task))
            status = give_up(schedule, task, error);
        else if (task->limited && schedule->limited_left <= 0)
            status = leave_out(schedule, task, error);
        else
            break;
    lane->active = task;
    if (!task && !status && !lane->observer && is_shared(schedule, lane, NULL))
        return NB_OK;
    if (!task || status) {
        lane->count = 0;
        stop_child(lane);
        return status;
    }
    meet_others(schedule, lane);
    status = give_order(schedule, lane, task, error);
    lane->since = schedule->watch.seconds;
    lane->deadline = lane->since + task->setting.time_limit;
    if (task->limited)
        lane->deadline = fmin(lane->deadline, lane->since + schedule->limited_left);
    return status;
}

static bool floors_running(const struct nb_schedule *schedule)
{
    for (int i = 0; i < schedule->lane_count; ++i)
        if (schedule->lane[i].count && schedule->lane[i].batch[0]->is_floor)
            return true;
    return false;
}

/* Fills an idle lane with what is missing of the next batch, if there is one to be had now. Cases wait for
 * all floors. */
static void take_batch(struct nb_schedule *schedule, struct nb_lane *lane)
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

/* The worker is gone, by that signal or, 0, as the text says. A signal that users and systems send makes one new
 * attempt. */
static enum nb_status finish_dead(struct nb_schedule *schedule, struct nb_task *task, int number, const char *text,
                                  struct nb_error *error)
{
    const bool from_outside = number == SIGKILL || number == SIGTERM || number == SIGINT ||
                              number == SIGHUP;
    if (from_outside && !task->restarts++)
        return NB_OK;
    return schedule_fail(schedule, task, "crashed", text, error);
}

static void forget_answer(struct nb_lane *lane)
{
    cJSON_Delete(lane->answer);
    lane->answer = NULL;
    lane->garbled = false;
}

/* The order's worker has ended: its answer counts where it ended well and said nothing else. */
static enum nb_status take_end(struct nb_schedule *schedule, struct nb_lane *lane, int ending, struct nb_error *error)
{
    char text[64];
    const bool garbled = lane->garbled;
    cJSON *part = ending || garbled ? NULL : lane->answer;
    lane->answer = part ? NULL : lane->answer;
    forget_answer(lane);
    if (part)
        return schedule_take(schedule, lane, part, error);
    if (garbled && !ending)
        return schedule_fail(schedule, lane->active, "crashed", "a garbled answer", error);
    const int number = nb_apart_ending(ending, text, sizeof text);
    return finish_dead(schedule, lane->active, number, text, error);
}

/* Reads what the child says to its order, until it says that the worker has ended, in *ending; false: not yet. */
static bool has_ended(struct nb_lane *lane, int *ending)
{
    char *line;
    bool ended = false;
    while (!ended && (line = nb_child_take_line(&lane->child))) {
        cJSON *part = cJSON_Parse(line);
        free(line);
        ended = part && !strcmp(nb_json_string(part, "part"), "ended");
        *ending = ended ? (int)nb_json_get(part, "status") : 0;
        lane->garbled = lane->garbled || !part || (!ended && lane->answer);
        if (ended || lane->answer)
            cJSON_Delete(part);
        else
            lane->answer = part;
    }
    return ended;
}

/* One that is over its own time limit has failed. When the time of all limited ones ends, one has failed that has not
 * returned once, or that hangs: in a repetition, far longer than in its observed run. Another one was only too slow for
 * all its repetitions. */
static enum nb_status finish_late(struct nb_schedule *schedule, struct nb_lane *lane, double working,
                                  struct nb_error *error)
{
    const double far = 3, startled = 1; /* a repetition and its warm-up are two solves; [s] of a busy machine */
    struct nb_task *task = lane->active;
    stop_child(lane);
    forget_answer(lane);
    if (lane->beside && !task->limited) {
        task->alone = true;
        return NB_OK;
    }
    const bool all = task->limited && schedule->limited_left <= 0;
    task->late = !all && !task->trace;
    if (!all || !task->trace || working > far * task->traced + startled)
        return schedule_fail(schedule, task, "timed_out",
                             all ? "over the time that all its cases have together" : NB_OVER_TIME_LIMIT, error);
    return leave_out(schedule, task, error);
}

/* What a lane's active task has taken by now. At the end of the time that all limited ones have together nothing is
 * left of it, whatever rounding says. */
static void count_time(struct nb_schedule *schedule, struct nb_lane *lane, double now)
{
    const double worked = now - lane->since, left = schedule->limited_left;
    lane->active->spent += worked;
    if (lane->active->limited)
        schedule->limited_left = now >= lane->since + left ? 0 : left - worked;
}

/* One look at a lane's active task. */
static enum nb_status serve_lane(struct nb_schedule *schedule, struct nb_lane *lane, struct nb_error *error)
{
    struct nb_task *task = lane->active;
    char text[64];
    int ending;
    const bool alive = nb_child_receive(&lane->child), ended = has_ended(lane, &ending);
    const double now = schedule->watch.seconds;
    enum nb_status status;
    if (!ended && alive && now < lane->deadline)
        return NB_OK;
    count_time(schedule, lane, now);
    if (ended) {
        status = take_end(schedule, lane, ending, error);
    } else if (!alive) {
        const int number = nb_child_stop(&lane->child, text, sizeof text);
        forget_answer(lane);
        status = finish_dead(schedule, task, number, text, error);
    } else {
        status = finish_late(schedule, lane, now - lane->since, error);
    }
    return status ? status : start_next_task(schedule, lane, error);
}

static enum nb_status fill_lanes(struct nb_schedule *schedule, int *busy, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    *busy = 0;
    for (int i = 0; i < schedule->lane_count && !status; ++i) {
        struct nb_lane *lane = &schedule->lane[i];
        if (lane->observer)
            lane->count = schedule->lane[0].count;
        else if (!lane->count)
            take_batch(schedule, lane);
        if (lane->count && !lane->active)
            status = start_next_task(schedule, lane, error);
        *busy += lane->count > 0;
    }
    return status;
}

static void wait_for_any(struct nb_schedule *schedule)
{
    struct pollfd polled[NB_LANES_MOST];
    nfds_t count = 0;
    double wait = 1;
    const double now = schedule->watch.seconds;
    for (int i = 0; i < schedule->lane_count; ++i) {
        const struct nb_lane *lane = &schedule->lane[i];
        if (!lane->active)
            continue;
        nb_progress_show(schedule->progress, lane->active);
        polled[count++] = (struct pollfd){.fd = lane->child.from, .events = POLLIN};
        wait = fmin(wait, lane->deadline - now);
    }
    poll(polled, count, nb_watch_plan(&schedule->watch, wait));
    nb_watch_look(&schedule->watch);
}

static enum nb_status run_lanes(struct nb_schedule *schedule, struct nb_error *error)
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

/* Lanes of cores of their own; or one, and its observers on any. */
static void set_lanes(struct nb_schedule *schedule)
{
    const int jobs = schedule->request->jobs, cores = nb_processors() / jobs;
    const int wanted = jobs > 1 ? jobs : 1 + schedule->request->observers;
    schedule->lane_count = wanted < NB_LANES_MOST ? wanted : NB_LANES_MOST;
    for (int i = 0; i < schedule->lane_count; ++i) {
        struct nb_lane *lane = &schedule->lane[i];
        lane->observer = jobs == 1 && i > 0;
        lane->batch = schedule->room[lane->observer ? 0 : i];
        if (jobs > 1)
            lane->limits = (struct nb_child_limits){0, i * cores, cores};
    }
}

enum nb_status nb_schedule_run(struct nb_plan *plan, const struct nb_sweep_request *request,
                               struct nb_store *store, const cJSON *provenance,
                               struct nb_progress *progress, double *solving,
                               struct nb_error *error)
{
    struct nb_schedule *schedule = calloc(1, sizeof *schedule);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    if (!schedule)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a schedule");
    schedule->plan = plan;
    schedule->request = request;
    schedule->store = store;
    schedule->provenance = provenance;
    schedule->progress = progress;
    schedule->limited_left = request->limited_time;
    set_lanes(schedule);
    /* The sweep goes on if nobody reads the progress any more. */
    sigaction(SIGPIPE, &ignore, &before);
    const enum nb_status status = run_lanes(schedule, error);
    sigaction(SIGPIPE, &before, NULL);
    *solving = schedule->solving;
    for (int i = 0; i < schedule->lane_count; ++i)
        forget_answer(&schedule->lane[i]);
    for (int i = 0; i < schedule->lane_count; ++i)
        stop_child(&schedule->lane[i]);
    free(schedule);
    return status;
}
