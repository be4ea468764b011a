/* Runs a sweep: makes the plan, takes from the results file and its journal what earlier sweeps have done, has the
 * schedule run the rest, or a dry run tell of it, and sums up. */
#include "harness/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/records/provenance.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/duration.h"
#include "problems/base/numbers.h"
#include "problems/base/processors.h"

/* What a dry run tells of a plan: the cases of each group, how many are recorded, and how long the others take, by
 * records of the same cases, groups and problems, or by the sizes of their problems. */

struct group {
    const char *name;
    int cases, reused;
};

/* The groups in the order of their cases, group [at least as many]; how many. */
static int list_groups(const struct nb_plan *plan, struct group *group)
{
    struct nb_index names = {NULL};
    int count = 0;
    for (int i = plan->floors; i < plan->count; ++i) {
        const char *name = plan->task[i].setting.group;
        const int place = nb_index_add(&names, name, count);
        if (place < 0)
            continue;
        if (place == count)
            group[count++] = (struct group){.name = name};
        ++group[place].cases;
        group[place].reused += plan->task[i].complete;
    }
    nb_index_free(&names);
    return count;
}

static void print_groups(const struct nb_plan *plan, FILE *stream)
{
    struct group *group = malloc(((size_t)plan->count + 1) * sizeof *group);
    const int count = group ? list_groups(plan, group) : 0;
    fprintf(stream, "%10s  %10s  %10s  %s\n", "cases", "reused", "to run", "group");
    for (int i = 0; i < count; ++i)
        fprintf(stream, "%10d  %10d  %10d  %s\n", group[i].cases, group[i].reused, group[i].cases - group[i].reused,
                group[i].name);
    free(group);
}

/* Tells the cases of all shards, whichever is asked for. */
static void print_shards(const struct nb_plan *plan, const struct nb_sweep_request *request, FILE *stream)
{
    const struct nb_shards *shards = &plan->shards;
    char text[40];
    if (!shards->count)
        return;
    fprintf(stream, "shard %d of %d: the shards have %d to %d of %d combinations, on at most %d of %d problems; the "
            "most expensive is expected to cost %.2f times the mean (runs times size of file), and none takes longer "
            "than %s by the time limits\n", request->shard, shards->count, shards->least_cases, shards->most_cases,
            shards->cases,
            shards->most_problems, shards->problems, shards->imbalance,
            nb_duration(shards->bound / request->jobs, text, sizeof text));
}

static int count_floors(const struct nb_plan *plan)
{
    int count = 0;
    for (int i = 0; i < plan->floors; ++i)
        count += !plan->task[i].complete;
    return count;
}

static void print_time(const struct nb_plan *plan, int jobs, FILE *stream)
{
    char text[40];
    const struct nb_time_left left = nb_plan_time_left(plan, jobs);
    if (!left.known && !left.sized)
        fprintf(stream, "time: nothing is left to run\n");
    if (left.known)
        fprintf(stream, "time: about %s for %d of them, by records of the same cases or of their group on the "
                "problem\n", nb_duration(left.known_seconds, text, sizeof text), left.known);
    if (left.sized)
        fprintf(stream, "time: about %s for %d of them, by the sizes of their problems%s\n",
                nb_duration(left.sized_seconds, text, sizeof text), left.sized,
                left.compared ? " beside those that are recorded"
                              : ", of none of which there is a record yet: of ten kept problems eight take 0.5 to 2.2 "
                                "times as long; the sweep tells what is left from its first runs on");
}

/* What a dry run tells. */
static void plan_print(const struct nb_plan *plan, const struct nb_sweep_request *request,
                       const struct nb_sweep_summary *summary, FILE *stream)
{
    const int floors = count_floors(plan);
    print_groups(plan, stream);
    print_shards(plan, request, stream);
    fprintf(stream, "%s: %d cases, %d to run, %d reused", summary->name, summary->cases,
            summary->cases - summary->reused, summary->reused);
    if (floors)
        fprintf(stream, "; %d accuracy floors to compute", floors);
    fprintf(stream, "; nothing was run or written\n");
    print_time(plan, request->jobs, stream);
}

/* Shows how far a sweep is: cases done and in all, the time left where it is known (sweep_worker.c), and the case that
 * runs. */

static void progress_start(struct nb_progress *progress, const struct nb_sweep_request *request,
                           const struct nb_plan *plan, int reused)
{
    *progress = (struct nb_progress){.plan = plan,
                                     .total = plan->count - plan->floors,
                                     .reused = reused,
                                     .reasons = request->reasons,
                                     .jobs = request->jobs};
    nb_status_line_begin(&progress->line, request->progress);
}

/* ", about 3 min left"; "" where nothing is known yet. */
static void time_left(const struct nb_progress *progress, char *text, size_t size)
{
    char duration[40];
    const struct nb_time_left left = nb_plan_time_left(progress->plan, progress->jobs);
    text[0] = '\0';
    if (left.compared)
        snprintf(text, size, ", about %s left",
                 nb_duration(left.known_seconds + left.sized_seconds, duration, sizeof duration));
}

void nb_progress_show(struct nb_progress *progress, const struct nb_task *running)
{
    char label[160], left[64], text[300];
    if (!nb_status_line_is_due(&progress->line))
        return;
    if (running->is_floor)
        snprintf(label, sizeof label, "accuracy floor of %s %s/%s", running->setting.problem,
                 running->setting.options.ncp, running->setting.options.scaling);
    else
        nb_case_label(&running->setting, label, sizeof label);
    time_left(progress, left, sizeof left);
    snprintf(text, sizeof text, "%d of %d%s: %s", progress->reused + progress->done, progress->total, left, label);
    nb_status_line_show(&progress->line, text);
}

void nb_progress_end(struct nb_progress *progress) { nb_status_line_end(&progress->line); }

static enum nb_status check_jobs(const struct nb_sweep_request *request,
                                 const struct nb_plan *plan, struct nb_error *error)
{
    const int cores = nb_processors();
    if (request->jobs < 1 || request->jobs > cores)
        return nb_fail(error, NB_BAD_INPUT, "--jobs: %d is out of range; allowed: 1 to %d, the "
                       "cores of this machine", request->jobs, cores);
    for (int i = 0; i < plan->count; ++i)
        if (request->jobs > 1 && plan->task[i].setting.options.threads > cores / request->jobs)
            return nb_fail(error, NB_BAD_INPUT, "--jobs: %d leave %d cores to each, and a case of "
                           "the spec uses %d threads", request->jobs, cores / request->jobs,
                           plan->task[i].setting.options.threads);
    return NB_OK;
}

static void tell_waiting(const struct nb_plan *plan, FILE *notices)
{
    char waiting[80];
    int most = 0;
    for (int i = plan->floors; i < plan->count; ++i)
        if (plan->task[i].setting.options.threads > most)
            most = plan->task[i].setting.options.threads;
    if (notices && nb_waiting_threads(most, waiting, sizeof waiting))
        fprintf(notices, "note: %s\n", waiting);
}

static enum nb_status run(const struct nb_sweep_request *request, struct nb_plan *plan,
                          struct nb_store *store, const cJSON *provenance, struct nb_sweep_summary *summary,
                          struct nb_error *error)
{
    struct nb_progress progress;
    if (request->scratch && nb_scratch_fill(request->scratch, plan, error))
        return NB_BAD_FILE;
    progress_start(&progress, request, plan, summary->reused);
    enum nb_status status = nb_schedule_run(plan, request, store, provenance, &progress,
                                            &summary->solving, error);
    nb_progress_end(&progress);
    summary->run = progress.done;
    summary->left_out = progress.left_out;
    summary->control = progress.control;
    memcpy(summary->endings, progress.endings, sizeof summary->endings);
    return status ? status : nb_store_finish(store, error);
}

/* Traces and what was judged take most of a record, and say nothing of whether it is reused. */
static bool wanted(void *context, const char *outer, const char *inner)
{
    static const char *const left_out[] = {"trace", "errors", "best", "features", "counts", NULL};
    (void)context;
    (void)inner;
    return !nb_is_one_of(outer, left_out);
}

/* What is recorded; a dry run only reads it. */
static enum nb_status open_results(const struct nb_sweep_request *request, struct nb_reuse *reuse,
                                   struct nb_store **store, struct nb_error *error)
{
    if (!request->dry_run)
        return nb_store_open_parts(store, request->results, request->shards > 0, wanted, nb_reuse_record, nb_reuse_part,
                                   reuse, error);
    if (!request->results || access(request->results, F_OK))
        return NB_OK;
    struct nb_store_reading reading = {.wanted = wanted};
    return nb_store_read_parts(request->results, nb_reuse_record, reuse, &reading, error);
}

static void list_keys(const struct nb_plan *plan, cJSON *keys)
{
    for (int i = plan->floors; keys && i < plan->count; ++i)
        cJSON_AddTrueToObject(keys, plan->task[i].key);
}

static enum nb_status run_plan(const struct nb_sweep_request *request, struct nb_plan *plan,
                               struct nb_sweep_summary *summary, struct nb_error *error)
{
    struct nb_store *store = NULL;
    cJSON *provenance = nb_provenance();
    struct nb_reuse reuse = {plan, provenance, request->anew};
    enum nb_status status = provenance ? check_jobs(request, plan, error)
                                       : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the provenance");
    status = status ? status : open_results(request, &reuse, &store, error);
    if (!status && request->anew)
        nb_plan_measure_together(plan);
    nb_reuse_count(plan, summary);
    list_keys(plan, request->keys);
    tell_waiting(plan, request->progress);
    if (!status && request->dry_run)
        plan_print(plan, request, summary, request->dry_run);
    else if (!status)
        status = run(request, plan, store, provenance, summary, error);
    nb_store_close(store);
    cJSON_Delete(provenance);
    return status;
}

enum nb_status nb_sweep_run(const struct nb_sweep_request *request,
                            struct nb_sweep_summary *summary, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_plan plan;
    const double start = nb_seconds();
    memset(summary, 0, sizeof *summary);
    summary->jobs = request->jobs;
    enum nb_status status = nb_plan_make(request, &plan, summary->name, error);
    if (status)
        return status;
    summary->cases = plan.count - plan.floors;
    summary->missing_problems = plan.missing_problems;
    summary->lacking_problems = plan.lacking_problems;
    status = run_plan(request, &plan, summary, error);
    nb_plan_free(&plan);
    summary->wall = nb_seconds() - start;
    return status;
}
