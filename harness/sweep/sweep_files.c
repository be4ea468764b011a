/* Looks at the problem files of a sweep's cases before it starts: each is read and checked once, in a child process,
 * and its hash given to all of its cases. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/records/json.h"
#include "harness/sweep/probe.h"
#include "harness/sweep/sweep_private.h"

/* Splits a plan's tasks into batches, which does not depend on what is recorded already, and tells which of them have
 * times of one run. */

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

static bool is_timed(const struct nb_task *task)
{
    return task->complete ? task->has_times : task->timed.done > 0;
}

/* Whether all times are of one run, in which whatever is not recorded yet has been observed: a batch that was stopped
 * takes turns from there on, and one that is whole is left as it is. */
static bool is_of_one_run(const struct nb_task *task, int count)
{
    const struct nb_task *timed = NULL;
    for (int i = 0; i < count && !timed; ++i)
        timed = is_timed(&task[i]) ? &task[i] : NULL;
    for (int i = 0; i < count && timed; ++i) {
        const bool matters = is_timed(&task[i]) || !task[i].complete;
        if (matters && (strcmp(task[i].run, timed->run) != 0 || !(task[i].complete || task[i].trace)))
            return false;
    }
    return true;
}

static void forget(struct nb_task *task)
{
    cJSON_Delete(task->trace);
    task->trace = NULL;
    task->complete = false;
    task->spent = 0;
    nb_timed_forget(task);
}

void nb_plan_measure_together(struct nb_plan *plan)
{
    for (int first = plan->floors, end; first < plan->count; first = end) {
        end = batch_end(plan, first);
        const bool goes_on = is_of_one_run(&plan->task[first], end - first);
        for (int i = first; i < end && !goes_on; ++i)
            forget(&plan->task[i]);
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

void nb_timed_forget(struct nb_task *task)
{
    task->timed.done = task->control.done = 0;
    task->timed.throttled = task->control.throttled = 0;
}

static bool misses_tolerance(const struct nb_task *task)
{
    const char *error = task->setting.mode == NB_CASE_STEP ? "step_error" : "residual";
    return task->trace && task->setting.tolerance > 0 &&
           strcmp(nb_json_string(task->trace, "ending"), "infeasible") != 0 &&
           !(nb_json_path_number(task->trace, "errors", error) <= task->setting.tolerance);
}

int nb_timed_count(const struct nb_task *task, const struct nb_timed *timed)
{
    const int once = timed == &task->timed;
    return timed->count > once && misses_tolerance(task) ? once : timed->count;
}

struct nb_timed *nb_timed_next(struct nb_task *task)
{
    struct nb_timed *timed = &task->timed, *control = &task->control;
    if (control->done < nb_timed_count(task, control) && control->done < timed->done)
        return control;
    return timed->done < nb_timed_count(task, timed) ? timed : NULL;
}

/* A task that a killed sweep has timed already keeps what it says of the others that it was timed with. */
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

enum { MISSING = -1 }; /* in the place of a number of systems */

/* A time limit below this is meant for solvers, and does not refuse a file [s]. */
static const double least_limit = 10;

/* The problem files of a sweep's cases, each once. */
struct files {
    struct nb_index index;
    struct nb_case **first; /* [count] the first case of each */
    int *systems;           /* [count] how many it holds, or MISSING */
    int *of;                /* [cases] the file of each case */
    int count;
};

/* A dry run goes on, to tell of all. */
static enum nb_status miss_file(const struct nb_case *setting, struct nb_plan *plan,
                                const struct nb_sweep_request *request, struct nb_error *error)
{
    const char *path = setting->problem_file;
    if (!setting->optional_problem && !request->dry_run)
        return nb_fail(error, NB_BAD_FILE, "%s: %s; write it with `ncpbench export`", path, strerror(errno));
    if (!setting->optional_problem) {
        ++plan->lacking_problems;
        fprintf(request->dry_run, "missing: %s, for which the sweep is refused; write it with `ncpbench export`\n",
                path);
        return NB_OK;
    }
    ++plan->missing_problems;
    return NB_OK;
}

/* Which files there are, and the first case of each. */
static enum nb_status list_files(struct nb_case *cases, int count, struct files *files, struct nb_plan *plan,
                                 const struct nb_sweep_request *request, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const char *first = NULL; /* of the optional ones that do not exist */
    for (int i = 0; i < count && !status; ++i) {
        const int file = nb_index_add(&files->index, cases[i].problem_file, files->count);
        if (file < 0)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the list of problems");
        files->of[i] = file;
        if (file < files->count)
            continue;
        files->first[files->count] = &cases[i];
        files->systems[files->count++] = 0;
        if (access(cases[i].problem_file, F_OK)) {
            files->systems[file] = MISSING;
            status = miss_file(&cases[i], plan, request, error);
            first = first || !cases[i].optional_problem ? first : cases[i].problem_file;
        }
    }
    if (first && request->progress && plan->missing_problems == 1)
        fprintf(request->progress, "skipped: %s does not exist (optional)\n", first);
    else if (first && request->progress)
        fprintf(request->progress, "skipped: %s and %d others do not exist (optional)\n", first,
                plan->missing_problems - 1);
    return status;
}

static enum nb_status check_case(struct nb_case *setting, const struct files *files, int file,
                                 const struct nb_sweep_request *request, struct nb_error *error)
{
    const int systems = files->systems[file];
    struct nb_case *first = files->first[file];
    memmove(setting->problem_hash, first->problem_hash, sizeof setting->problem_hash);
    setting->unknowns = first->unknowns;
    if (setting->start == NB_START_PREVIOUS) {
        if (!first->previous_hash[0])
            nb_case_hash_previous(first);
        memmove(setting->previous_hash, first->previous_hash, sizeof setting->previous_hash);
    }
    if (systems == MISSING)
        return setting->optional_problem || request->dry_run
                   ? NB_OK : nb_fail(error, NB_BAD_FILE, "%s: no such file", setting->problem_file);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM && setting->system >= systems)
        return nb_fail(error, NB_BAD_INPUT, "system %d: %s holds %d Newton systems (export --newton-systems)",
                       setting->system, setting->problem_file, systems);
    return NB_OK;
}

/* Fills the hashes of all cases, then drops those of missing files. What is wrong with a file is said before the sweep
 * starts. */
static enum nb_status check_all(struct nb_case *cases, int *count, struct files *files, struct nb_plan *plan,
                                const struct nb_sweep_request *request, struct nb_error *error)
{
    int kept = 0;
    enum nb_status status = list_files(cases, *count, files, plan, request, error);
    status = status ? status : nb_examine_files(files->first, files->count, least_limit, files->systems, error);
    for (int i = 0; i < *count && !status; ++i)
        status = check_case(&cases[i], files, files->of[i], request, error);
    for (int i = 0; i < *count && !status; ++i)
        if (files->systems[files->of[i]] != MISSING)
            cases[kept++] = cases[i];
    *count = kept;
    return status;
}

enum nb_status nb_plan_check_files(const struct nb_sweep_request *request, struct nb_case *cases, int *count,
                                   struct nb_plan *plan, struct nb_error *error)
{
    const size_t room = (size_t)*count + 1;
    struct files files = {.first = malloc(room * sizeof *files.first), .systems = malloc(room * sizeof *files.systems),
                          .of = malloc(room * sizeof *files.of)};
    const enum nb_status status = files.first && files.systems && files.of
                                      ? check_all(cases, count, &files, plan, request, error)
                                      : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the list of problems");
    nb_index_free(&files.index);
    free(files.first);
    free(files.systems);
    free(files.of);
    return status;
}
