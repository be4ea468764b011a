/* Runs a sweep: makes the plan, takes from the results file and its journal what earlier sweeps have done, has the
 * schedule run the rest, or a dry run tell of it, and sums up. */
#include "harness/sweep/sweep.h"

#include <string.h>
#include <unistd.h>

#include "harness/records/provenance.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/numbers.h"

static enum nb_status check_jobs(const struct nb_sweep_request *request,
                                 const struct nb_plan *plan, struct nb_error *error)
{
    const int cores = nb_child_cores();
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

static enum nb_status run(const struct nb_sweep_request *request, struct nb_plan *plan,
                          struct nb_store *store, const cJSON *provenance, struct nb_sweep_summary *summary,
                          struct nb_error *error)
{
    struct nb_progress progress;
    if (request->scratch && nb_scratch_fill(request->scratch, plan, error))
        return NB_BAD_FILE;
    nb_progress_start(&progress, request, plan, summary->reused);
    enum nb_status status = nb_schedule_run(plan, request, store, provenance, &progress,
                                            &summary->solving, error);
    nb_progress_end(&progress);
    summary->run = progress.done;
    summary->left_out = progress.left_out;
    summary->control = progress.control;
    memcpy(summary->endings, progress.endings, sizeof summary->endings);
    if (!status)
        status = nb_store_finish(store, error);
    return status;
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
    if (!status)
        status = open_results(request, &reuse, &store, error);
    if (!status && request->anew)
        nb_plan_measure_together(plan);
    nb_reuse_count(plan, summary);
    list_keys(plan, request->keys);
    if (!status && request->dry_run)
        nb_plan_print(plan, request, summary, request->dry_run);
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
