/* How long a sweep will take yet. A task takes what it has taken so far and what its repetitions are seen to take;
 * one that has not begun, what its last record says, or the mean of the tasks of its kind, a group on a problem, of
 * which one of both is known. Nothing is said of the others but their time limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/sweep/sweep_private.h"

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
        return task->traced + (task->timed.count + task->control.count) * task->repetition;
    return task->recorded;
}

static double bound(const struct nb_task *task)
{
    const int timed = task->timed.count + task->control.count - task->timed.done - task->control.done;
    const int runs = task->is_floor ? 1 : (task->trace ? 0 : 1) + timed;
    return runs * task->setting.time_limit;
}

/* sum, number [plan->kinds] of the times that are known. */
static void add_up(const struct nb_plan *plan, double *sum, int *number)
{
    for (int i = 0; i < plan->count; ++i) {
        const double seconds = whole(&plan->task[i]);
        if (!isfinite(seconds))
            continue;
        sum[plan->task[i].kind] += seconds;
        ++number[plan->task[i].kind];
    }
}

struct nb_time_left nb_plan_time_left(const struct nb_plan *plan, int jobs)
{
    struct nb_time_left left = {0};
    double *sum = calloc((size_t)plan->kinds + 1, sizeof *sum);
    int *number = calloc((size_t)plan->kinds + 1, sizeof *number);
    if (sum && number)
        add_up(plan, sum, number);
    for (int i = 0; i < plan->count; ++i) {
        const struct nb_task *task = &plan->task[i];
        double seconds = whole(task);
        if (task->complete)
            continue;
        if (!isfinite(seconds) && sum && number && number[task->kind])
            seconds = sum[task->kind] / number[task->kind];
        if (isfinite(seconds))
            left.seconds += fmax(seconds - (isfinite(task->spent) ? task->spent : 0), 0) / jobs;
        else
            left.bound += bound(task) / jobs;
        left.known += isfinite(seconds);
        left.unknown += !isfinite(seconds);
    }
    free(sum);
    free(number);
    return left;
}
