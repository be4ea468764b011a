/* Splits a plan's tasks into batches, which does not depend on what is recorded already, and tells which of them have
 * times of one run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/records/json.h"
#include "harness/sweep/sweep_private.h"

enum {
    BATCH_ENOUGH = 12 /* a batch ends at the next change of linear solver or an earlier axis,
                         unless the spec wants all of a problem in one */
};

/* Whether b may be left to another batch than its predecessor a. */
static bool may_split(const struct nb_case *a, const struct nb_case *b)
{
    const struct nb_options *x = &a->options, *y = &b->options;
    return strcmp(x->linear, y->linear) || strcmp(x->scaling, y->scaling) ||
           strcmp(x->ncp, y->ncp) || strcmp(x->newton_form, y->newton_form);
}

/* Whether a task that follows `last`, the count-th of its batch, begins another one. */
static bool begins_batch(const struct nb_plan *plan, const struct nb_task *last, int count,
                         const struct nb_task *task)
{
    return last->is_floor || count == NB_BATCH_MOST ||
           strcmp(last->setting.problem_hash, task->setting.problem_hash) ||
           (count >= BATCH_ENOUGH && !plan->across_groups && may_split(&last->setting, &task->setting));
}

void nb_plan_split(struct nb_plan *plan)
{
    int count = 1;
    for (int i = 1; i < plan->count; ++i) {
        const bool begins = begins_batch(plan, &plan->task[i - 1], count, &plan->task[i]);
        plan->task[i].batch = plan->task[i - 1].batch + begins;
        count = begins ? 1 : count + 1;
    }
}

/* The task after the last one of the batch that begins with `first`. */
static int batch_end(const struct nb_plan *plan, int first)
{
    int end = first + 1;
    while (end < plan->count && plan->task[end].batch == plan->task[first].batch)
        ++end;
    return end;
}

/* Whether all is recorded, and all times are of one run. */
static bool timed_together(const struct nb_task *task, int count)
{
    const struct nb_task *timed = NULL;
    for (int i = 0; i < count; ++i) {
        if (!task[i].complete || (timed && task[i].has_times && strcmp(task[i].run, timed->run)))
            return false;
        timed = task[i].has_times ? &task[i] : timed;
    }
    return true;
}

void nb_plan_measure_together(struct nb_plan *plan)
{
    for (int first = plan->floors, end; first < plan->count; first = end) {
        end = batch_end(plan, first);
        if (!timed_together(&plan->task[first], end - first))
            for (int i = first; i < end; ++i)
                plan->task[i].complete = false;
    }
}

enum { CONTROL_EVERY = 8 }; /* whichever shard it is in */

static enum nb_status make_room(struct nb_timed *timed, int count, struct nb_error *error)
{
    timed->count = count;
    timed->seconds = calloc((size_t)count, sizeof *timed->seconds);
    timed->setups = calloc((size_t)count, sizeof *timed->setups);
    timed->waited = calloc((size_t)count, sizeof *timed->waited);
    return timed->seconds && timed->setups && timed->waited ? NB_OK
                                                            : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a case");
}

enum nb_status nb_timed_make(struct nb_task *task, struct nb_error *error)
{
    const enum nb_status status = make_room(&task->timed, task->setting.repetitions, error);
    const bool controlled = strtoull(task->key, NULL, 16) % CONTROL_EVERY == 0;
    return status || !controlled ? status : make_room(&task->control, task->setting.repetitions, error);
}

static void free_room(struct nb_timed *timed)
{
    free(timed->seconds);
    free(timed->setups);
    free(timed->waited);
}

void nb_timed_free(struct nb_task *task)
{
    free_room(&task->timed);
    free_room(&task->control);
}

void nb_timed_add(struct nb_timed *timed, const cJSON *part)
{
    timed->seconds[timed->done] = nb_json_get(part, "seconds");
    timed->waited[timed->done] = nb_json_get(part, "waited");
    timed->throttled += nb_json_get(part, "throttled"); /* NaN where one does not say */
    timed->setups[timed->done++] = nb_json_get(part, "setup");
}

struct nb_timed *nb_timed_next(struct nb_task *task)
{
    if (task->control.done < task->control.count && task->control.done < task->timed.done)
        return &task->control;
    return task->timed.done < task->timed.count ? &task->timed : NULL;
}

/* Of those that a killed sweep has timed already it says with which others: they keep it. */
void nb_batch_name_run(struct nb_task *const *batch, int count)
{
    struct timespec now;
    char run[NB_SHORT_HASH_SIZE];
    bool begun = false;
    clock_gettime(CLOCK_REALTIME, &now);
    const unsigned long long moment = 1000000000ull * (unsigned long long)now.tv_sec + (unsigned long long)now.tv_nsec;
    snprintf(run, sizeof run, "%016llx", moment + (unsigned long long)batch[0]->batch);
    for (int i = 0; i < count; ++i)
        begun = begun || batch[i]->timed.done;
    for (int i = 0; i < count; ++i)
        if (!begun || !batch[i]->trace || !batch[i]->run[0])
            strcpy(batch[i]->run, run);
}
