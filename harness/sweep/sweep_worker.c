/* The child's side of a sweep. It reads the problems of its batch, each once, and runs none of their solvers: for each
 * order it forks a worker, which makes one observed run, one repetition or one floor and answers in lines of JSON. So
 * each repetition has a process of its own, with a solver of its own on a copy of the problem, in other pages and at
 * other addresses than the last one. When the worker has ended, the child says so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/case/reference.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/apart.h"

/* How long a sweep will take yet. A task takes what it has taken so far and what its repetitions are seen to take;
 * one that has not begun, what its last record says, or the mean of the tasks of its kind, a group on a problem, of
 * which one of both is known. The others' time is by the sizes of their problems. */

/* A floor's or a case's, of which problem and, of a case, which group. */
static void name_kind(const struct nb_task *task, char *text, size_t size)
{
    snprintf(text, size, "%d %s %s", task->is_floor, task->setting.problem_hash,
             task->is_floor ? "" : task->setting.group);
}

enum nb_status nb_plan_kinds(struct nb_plan *plan, struct nb_error *error)
{
    struct nb_index kinds = {NULL};
    enum nb_status status = NB_OK;
    for (int i = 0; i < plan->count && !status; ++i) {
        struct nb_task *task = &plan->task[i];
        char kind[NB_HASH_SIZE + 80];
        name_kind(task, kind, sizeof kind);
        task->kind = nb_index_add(&kinds, kind, plan->kinds);
        plan->kinds += task->kind == plan->kinds;
        task->recorded = task->traced = NAN;
        if (task->kind < 0)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the kinds of %d cases", plan->count);
    }
    nb_index_free(&kinds);
    return status;
}

/* In all, NaN where neither this sweep nor a record says. */
static double whole(const struct nb_task *task)
{
    if (task->complete && task->spent > 0)
        return task->spent;
    if (!task->complete && isfinite(task->traced))
        return task->traced + (nb_timed_count(task, &task->timed) + nb_timed_count(task, &task->control)) *
                                  task->repetition;
    return task->recorded;
}

/* Fitted to problems of data/records whose cases tell how long they took, on a quiet processor: eight in ten take 0.5
 * to 2.2 times as long, where no method goes on to its limit. tests/harness/sweep/test_time_left.c compares. */
double nb_run_seconds(int unknowns) { return 0.02 + 3e-5 * unknowns; }

/* By size, in all. */
static double sized(const struct nb_task *task)
{
    const int runs = 1 + (task->is_floor ? 0 : task->timed.count + task->control.count);
    return runs * fmin(nb_run_seconds(task->setting.unknowns), task->setting.time_limit);
}

/* sum, number [plan->kinds] of the times that are known; and these over those by size, 1 where none is. */
static double add_up(const struct nb_plan *plan, double *sum, int *number)
{
    double known = 0, by_size = 0;
    for (int i = 0; i < plan->count; ++i) {
        const double seconds = whole(&plan->task[i]);
        if (!isfinite(seconds))
            continue;
        sum[plan->task[i].kind] += seconds;
        ++number[plan->task[i].kind];
        known += seconds;
        by_size += sized(&plan->task[i]);
    }
    return known > 0 ? known / by_size : 1;
}

static void add_task(const struct nb_task *task, double mean, double ratio, struct nb_time_left *left)
{
    const double known = isfinite(whole(task)) ? whole(task) : mean, spent = isfinite(task->spent) ? task->spent : 0;
    if (isfinite(known)) {
        left->known_seconds += fmax(known - spent, 0);
        ++left->known;
    } else {
        left->sized_seconds += fmax(ratio * sized(task) - spent, 0);
        ++left->sized;
    }
}

struct nb_time_left nb_plan_time_left(const struct nb_plan *plan, int jobs)
{
    struct nb_time_left left = {0};
    double *sum = calloc((size_t)plan->kinds + 1, sizeof *sum);
    int *number = calloc((size_t)plan->kinds + 1, sizeof *number);
    const double ratio = sum && number ? add_up(plan, sum, number) : 1;
    for (int i = 0; i < plan->count; ++i) {
        const struct nb_task *task = &plan->task[i];
        if (!task->complete)
            add_task(task, sum && number && number[task->kind] ? sum[task->kind] / number[task->kind] : NAN, ratio,
                     &left);
        left.compared = left.compared || isfinite(whole(task));
    }
    left.known_seconds /= jobs;
    left.sized_seconds /= jobs;
    free(sum);
    free(number);
    return left;
}

static bool answer(int answers, cJSON *part)
{
    cJSON_AddNumberToObject(part, "peak_memory", nb_peak_memory());
    char *text = nb_json_print(part);
    const bool sent = text && nb_child_answer(answers, text);
    cJSON_free(text);
    cJSON_Delete(part);
    return sent;
}

const struct nb_floor *nb_task_floor(const struct nb_task *task, struct nb_floor *room)
{
    if (!task->floor || !task->floor->has_reference)
        return NULL;
    *room = nb_floor_at(&task->floor->reference, nb_unit_roundoff(task->setting.options.precision));
    return room;
}

static int work_on_floor(const struct nb_task *task, const struct nb_case *setting, int answers)
{
    struct nb_floor_reference reference;
    struct nb_error error = {""};
    double solving = 0;
    struct nb_problem step = {0};
    enum nb_status status = nb_case_read_step(setting, 0, &step, NULL, NULL, &error);
    status = status ? status : nb_reference_floor(&step, &task->setting.options, &reference, &solving, &error);
    nb_problem_free(&step);
    return !answer(answers, nb_part_floor(status ? NULL : &reference, solving, error.text));
}

/* Answers an order that came to nothing. */
static bool answer_failed(const struct nb_task *task, const struct nb_order *order, int answers, enum nb_status status,
                          const struct nb_error *error)
{
    struct nb_case_result result;
    if (order->repetition >= 0)
        return answer(answers, nb_part_failure(status, error->text));
    nb_case_result_failed(&result, &task->setting, status, error->text);
    return answer(answers, nb_part_trace(&result));
}

/* What a worker works on. */
struct work {
    const struct nb_task *task;
    const struct nb_case *setting;
    const struct nb_order *order;
    const int *islands; /* [order->islands] */
    struct nb_case_run *run;
    nb_sweep_hook *hook;
};

static int observe(const struct work *work, int answers)
{
    struct nb_case_result result;
    struct nb_error error = {""};
    struct nb_floor floor;
    const enum nb_status status =
        nb_case_run_trace(work->run, nb_task_floor(work->task, &floor), NULL, &result, &error);
    bool sent;
    if (status) {
        sent = answer_failed(work->task, work->order, answers, status, &error);
    } else if (!(sent = answer(answers, nb_part_trace(&result)))) { /* small enough to be sent still */
        nb_fail(&error, NB_OUT_OF_MEMORY, "no memory for the record");
        sent = answer_failed(work->task, work->order, answers, NB_OUT_OF_MEMORY, &error);
    }
    nb_case_result_free(&result);
    return !sent;
}

static int repeat(const struct work *work, int answers)
{
    const struct nb_order *order = work->order;
    struct nb_error error = {""};
    struct nb_repetition repetition = {0};
    const double before = nb_quota_throttled(NB_QUOTA_LIST, NB_QUOTA_FOLDER);
    nb_case_run_expect(work->run, order->expected);
    if (order->islands > 0)
        nb_case_run_expect_islands(work->run, work->islands, order->islands);
    const enum nb_status status =
        nb_case_run_repeat_apart(work->run, order->iterations, &repetition, &error);
    repetition.throttled = nb_quota_throttled(NB_QUOTA_LIST, NB_QUOTA_FOLDER) - before;
    return !answer(answers, status ? nb_part_failure(status, error.text) : nb_part_time(&repetition));
}

static int run_case(const struct work *work, int answers)
{
    struct nb_error error = {""};
    if (work->hook)
        work->hook(&work->task->setting, work->order->repetition);
    const enum nb_status status = nb_case_run_begin(work->run, work->setting, &error);
    if (status)
        return !answer_failed(work->task, work->order, answers, status, &error);
    return work->order->repetition < 0 ? observe(work, answers) : repeat(work, answers);
}

/* splitmix64 (Steele, Lea and Flood 2014): the same order has the same places. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Moves what is allocated from now on, and the stack: by up to 511 pages, 4 KiB of the heap and 4 KiB of the stack. */
static int work_elsewhere(void *context, int answers)
{
    const struct work *work = context;
    const struct nb_order *order = work->order;
    const uint64_t place = mix(0x9E3779B97F4A7C15u * (uint64_t)(order->number + 1));
    const size_t pages = place % 512, heap = place / 512 % 256, stack = place / 131072 % 256;
    volatile char *below = __builtin_alloca(16 * stack + 16);
    volatile char *before = malloc(16 * heap + 16); /* for as long as the process lives */
    below[0] = 0;
    if (before)
        before[0] = 0;
    if (pages)
        mmap(NULL, 4096 * pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (work->task->is_floor)
        return work_on_floor(work->task, work->setting, answers);
    return run_case(work, answers);
}

/* A problem that was read. */
struct loaded {
    struct nb_case setting;
    struct nb_case_run *run;
    size_t size; /* of address space */
    struct loaded *next;
};

/* Sets the path at which the worker reads the problem; the step before is found by the path that the spec has. */
static struct nb_case where_to_read(const struct nb_worker *worker, const struct nb_task *task)
{
    struct nb_case setting = task->setting;
    if (worker->scratch)
        nb_scratch_path(worker->scratch, &task->setting, setting.problem_file, NULL);
    setting.series_file = task->setting.problem_file;
    return setting;
}

static enum nb_status load(struct loaded **list, const struct nb_case *setting, struct loaded **found,
                           struct nb_error *error)
{
    for (*found = *list; *found; *found = (*found)->next)
        if (nb_case_run_serves((*found)->run, setting))
            return NB_OK;
    struct loaded *new = calloc(1, sizeof *new);
    if (!new)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a problem");
    const size_t before = nb_apart_address_space();
    new->setting = *setting;
    nb_apart_limit_memory(setting->memory_limit, 0);
    const enum nb_status status = nb_case_run_load(&new->run, &new->setting, error);
    nb_apart_limit_memory(0, 0);
    if (status) {
        free(new);
        return status;
    }
    const size_t after = nb_apart_address_space();
    new->size = after > before ? after - before : 0;
    new->next = *list;
    *found = *list = new;
    return NB_OK;
}

/* The answer of a linear system, which all its cases have in common, is found by a process of its own: the memory that
 * it takes is no case's, and no case can write to what is kept of it. */
struct finding {
    const struct nb_case_run *run;
    void *place;
};

static int find_answer(void *context, int answers)
{
    const struct finding *finding = context;
    (void)answers;
    return nb_case_run_find_answer(finding->run, finding->place, NULL) != NB_OK;
}

/* If it fails, each observed run tries for itself. */
static void share_answer(struct loaded *problem, int commands)
{
    const size_t size = nb_case_run_answer_size(problem->run);
    int ended = 0;
    if (!size || nb_case_run_knows_answer(problem->run))
        return;
    void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct finding finding = {problem->run, place};
    if (place == MAP_FAILED)
        return;
    if (nb_child_fork(commands, -1, problem->setting.memory_limit, problem->size, find_answer, &finding, &ended))
        nb_case_run_take_answer(problem->run, place, NULL);
    munmap(place, size);
}

static bool tell_end(int status, int answers)
{
    char line[128];
    snprintf(line, sizeof line, "{\"part\":\"ended\",\"status\":%d}", status);
    return nb_child_answer(answers, line);
}

/* false: nobody listens. */
static bool obey(const struct nb_worker *worker, const struct nb_order *order, const int *islands,
                 struct loaded **list, int commands, int answers)
{
    const struct nb_task *task = &worker->task[order->task];
    const struct nb_case setting = where_to_read(worker, task);
    struct loaded none = {.size = 0}, *problem = &none;
    struct nb_error error = {""};
    int ended = 0;
    const enum nb_status status = task->is_floor ? NB_OK : load(list, &setting, &problem, &error);
    struct work work = {task, &setting, order, islands, status ? NULL : problem->run, worker->hook};
    if (status)
        return answer_failed(task, order, answers, status, &error) && tell_end(0, answers);
    if (!task->is_floor && order->repetition < 0)
        share_answer(problem, commands);
    if (nb_child_fork(commands, answers, setting.memory_limit, problem->size, work_elsewhere, &work, &ended))
        return tell_end(ended, answers);
    nb_fail(&error, NB_OUT_OF_MEMORY, "cannot start a process");
    return answer_failed(task, order, answers, NB_OUT_OF_MEMORY, &error) && tell_end(0, answers);
}

int nb_worker_main(void *context, int commands, int answers)
{
    const struct nb_worker *worker = context;
    struct nb_order order;
    struct loaded *list = NULL;
    bool heard = true;
    while (heard && nb_child_wait(commands, &order, sizeof order)) {
        int *islands = malloc((size_t)order.islands * sizeof *islands + 1);
        heard = islands && nb_child_read(commands, islands, (size_t)order.islands * sizeof *islands) &&
                obey(worker, &order, islands, &list, commands, answers);
        free(islands);
    }
    while (list) {
        struct loaded *next = list->next;
        nb_case_run_close(list->run);
        free(list);
        list = next;
    }
    return 0;
}
