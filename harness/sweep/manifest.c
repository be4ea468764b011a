/* Plans the sweep again, without running it, and looks for the key of each case among the records. A case that left out
 * a repetition or failed has a record, and how it ended is for others to judge. */
#include "harness/sweep/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/sweep/sweep_private.h"

static void mark(const struct nb_plan *plan, const cJSON *records, bool *there)
{
    for (const cJSON *record = records ? records->child : NULL; record; record = record->next) {
        const struct nb_task *task = nb_plan_find(plan, nb_json_string(record, "key"));
        if (task)
            there[task - plan->task] = true;
    }
}

static void count_missing(const struct nb_plan *plan, const bool *there, struct nb_manifest *manifest)
{
    for (int i = plan->floors; i < plan->count; ++i) {
        ++manifest->cases;
        if (!there[i] && !manifest->missing++)
            nb_case_label(&plan->task[i].setting, manifest->first, sizeof manifest->first);
    }
}

enum nb_status nb_manifest_read(const char *const *specs, int count, const cJSON *const *records, int arrays,
                                struct nb_manifest *manifest, struct nb_error *error)
{
    struct nb_sweep_request sweep = {.spec = specs[0], .more = count > 1 ? specs[1] : NULL, .jobs = 1};
    struct nb_plan plan = {0};
    char name[64];
    *manifest = (struct nb_manifest){0};
    if (count > 2)
        return nb_fail(error, NB_BAD_INPUT, "--spec: %d given; at most 2, as `sweep` takes", count);
    enum nb_status status = nb_plan_make(&sweep, &plan, name, error);
    bool *there = status ? NULL : calloc((size_t)plan.count + 1, sizeof *there);
    if (!status && !there)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", plan.count);
    for (int i = 0; i < arrays && !status; ++i)
        mark(&plan, records[i], there);
    if (!status)
        count_missing(&plan, there, manifest);
    free(there);
    nb_plan_free(&plan);
    return status;
}
