/* Makes tasks of a spec's cases: every problem file is read and checked once, each case gets its key and those
 * repeated are dropped, and cases of one problem, NCP function, scaling and Newton form share a floor. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/sweep/examine.h"
#include "harness/sweep/spec.h"
#include "harness/sweep/sweep_private.h"

enum { MISSING = -1 }; /* in the place of a number of systems */

/* A time limit below this is meant for solvers: it is no reason to refuse a file [s]. */
static const double least_limit = 10;

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
    if (request->progress)
        fprintf(request->progress, "skipped: %s does not exist (optional)\n", path);
    return NB_OK;
}

/* Of the first case of a file: its hash, and how many systems it holds. What is wrong with a file is said before the
 * sweep starts. */
static enum nb_status examine(struct nb_case *setting, int *systems, struct nb_plan *plan,
                              const struct nb_sweep_request *request, struct nb_error *error)
{
    const char *path = setting->problem_file;
    if (access(path, F_OK)) {
        *systems = MISSING;
        return miss_file(setting, plan, request, error);
    }
    return nb_examine_files(setting, fmax(setting->time_limit, least_limit), systems, error);
}

/* Case i, after those before it; systems [i + 1] of the files of all. */
static enum nb_status check_file(struct nb_case *cases, int i, int *systems, struct nb_plan *plan,
                                 const struct nb_sweep_request *request, struct nb_error *error)
{
    struct nb_case *setting = &cases[i];
    int same = i - 1;
    while (same >= 0 && strcmp(cases[same].problem_file, setting->problem_file))
        --same;
    if (same < 0) {
        const enum nb_status status = examine(setting, &systems[i], plan, request, error);
        if (status)
            return status;
    } else {
        systems[i] = systems[same];
        strcpy(setting->problem_hash, cases[same].problem_hash);
    }
    if (systems[i] == MISSING)
        return setting->optional_problem || request->dry_run
                   ? NB_OK : nb_fail(error, NB_BAD_FILE, "%s: no such file", setting->problem_file);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM && setting->system >= systems[i])
        return nb_fail(error, NB_BAD_INPUT, "system %d: %s holds %d Newton systems (export --newton-systems)",
                       setting->system, setting->problem_file, systems[i]);
    return NB_OK;
}

/* Drops cases of missing files and fills the hashes of the others. */
static enum nb_status check_files(struct nb_case *cases, int *count, struct nb_plan *plan,
                                  const struct nb_sweep_request *request, struct nb_error *error)
{
    int kept = 0, *systems = calloc((size_t)*count + 1, sizeof *systems);
    enum nb_status status = systems ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the list of problems");
    for (int i = 0; i < *count && !status; ++i)
        status = check_file(cases, i, systems, plan, request, error);
    for (int i = 0; i < *count && !status; ++i)
        if (systems[i] != MISSING)
            cases[kept++] = cases[i];
    *count = kept;
    free(systems);
    return status;
}

static const struct nb_task *find_key(const struct nb_task *tasks, int count, const char *key)
{
    for (int i = 0; i < count; ++i)
        if (!strcmp(tasks[i].key, key))
            return &tasks[i];
    return NULL;
}

static enum nb_status add_floors(struct nb_plan *plan, const struct nb_case *cases, int count,
                                 struct nb_error *error)
{
    char key[NB_KEY_SIZE];
    for (int i = 0; i < count; ++i) {
        if (cases[i].mode == NB_CASE_LINEAR_SYSTEM || cases[i].without_floor)
            continue;
        const enum nb_status status = nb_floor_key(&cases[i], key, error);
        if (status)
            return status;
        if (find_key(plan->task, plan->count, key))
            continue;
        struct nb_task *task = &plan->task[plan->count++];
        task->strategies = nb_floor_strategies(&cases[i]);
        if (!task->strategies)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a floor");
        task->is_floor = true;
        task->setting = cases[i];
        task->setting.options.threads = 1;
        strcpy(task->key, key);
    }
    plan->floors = plan->count;
    return NB_OK;
}

static enum nb_status add_case(struct nb_plan *plan, struct nb_case *setting, struct nb_error *error)
{
    struct nb_task *task = &plan->task[plan->count];
    char key[NB_KEY_SIZE];
    enum nb_status status = nb_options_validate(&setting->options, error);
    if (status || (status = nb_case_key(setting, task->key, error)))
        return status;
    if (find_key(plan->task + plan->floors, plan->count - plan->floors, task->key))
        return NB_OK;
    task->setting = *setting;
    if (setting->mode == NB_CASE_STEP) {
        if ((status = nb_floor_key(setting, key, error)))
            return status;
        task->floor = find_key(plan->task, plan->floors, key);
    }
    task->strategies = nb_case_strategies(setting);
    task->seconds = calloc((size_t)setting->repetitions, sizeof *task->seconds);
    task->setups = calloc((size_t)setting->repetitions, sizeof *task->setups);
    if (!task->strategies || !task->seconds || !task->setups)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a case");
    ++plan->count;
    return NB_OK;
}

static enum nb_status add_tasks(struct nb_plan *plan, struct nb_case *cases, int count,
                                struct nb_error *error)
{
    plan->task = calloc(2 * (size_t)count + 1, sizeof *plan->task);
    if (!plan->task)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", count);
    enum nb_status status = add_floors(plan, cases, count, error);
    for (int i = 0; i < count && !status; ++i)
        status = add_case(plan, &cases[i], error);
    return status;
}

/* Appends the cases of one spec. */
static enum nb_status read_spec(const char *path, struct nb_case **cases, int *count,
                                struct nb_plan *plan, char name[64], struct nb_error *error)
{
    struct nb_spec spec;
    struct nb_case *added = NULL;
    int more = 0;
    enum nb_status status = nb_spec_read(path, &spec, error);
    if (status)
        return status;
    strcpy(name, spec.name);
    plan->across_groups |= spec.across_groups;
    status = nb_spec_expand(&spec, &added, &more, error);
    nb_spec_free(&spec);
    if (status)
        return status;
    struct nb_case *grown = realloc(*cases, ((size_t)*count + (size_t)more) * sizeof *grown);
    if (grown) {
        memcpy(grown + *count, added, (size_t)more * sizeof *grown);
        *cases = grown;
        *count += more;
    }
    free(added);
    return grown ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", more);
}

/* Brings the cases of each problem together; otherwise the order stays. */
static enum nb_status gather_problems(struct nb_case *cases, int count, struct nb_error *error)
{
    struct nb_case *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    int done = 0;
    if (!sorted)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to sort %d cases", count);
    for (int i = 0; i < count; ++i) {
        if (!cases[i].problem_hash[0])
            continue; /* taken by an earlier one */
        const struct nb_case first = cases[i];
        for (int j = i; j < count; ++j)
            if (!strcmp(cases[j].problem_hash, first.problem_hash)) {
                sorted[done++] = cases[j];
                cases[j].problem_hash[0] = 0;
            }
    }
    memcpy(cases, sorted, (size_t)count * sizeof *cases);
    free(sorted);
    return NB_OK;
}

/* Where a method reads no option of an axis, the axis makes one case of it. */
static void tell_merged(const struct nb_plan *plan, int count, FILE *notices)
{
    const int kept = plan->count - plan->floors;
    if (notices && kept < count)
        fprintf(notices, "merged: %d combinations are %d cases (a method that does not read an axis has one, "
                "and so have groups that overlap)\n", count, kept);
}

enum nb_status nb_plan_make(const struct nb_sweep_request *request, struct nb_plan *plan, char name[64],
                            struct nb_error *error)
{
    struct nb_case *cases = NULL;
    int count = 0;
    char unused[64];
    memset(plan, 0, sizeof *plan);
    enum nb_status status = read_spec(request->spec, &cases, &count, plan, name, error);
    if (!status && request->more)
        status = read_spec(request->more, &cases, &count, plan, unused, error);
    for (int i = 0; i < count && !status; ++i)
        nb_case_forget_unread(&cases[i]);
    if (!status)
        status = nb_plan_filter(request, cases, &count, error);
    if (!status)
        status = check_files(cases, &count, plan, request, error);
    if (!status && plan->across_groups)
        status = gather_problems(cases, count, error);
    if (!status)
        status = add_tasks(plan, cases, count, error);
    if (!status)
        nb_plan_split(plan);
    if (!status)
        nb_plan_kinds(plan);
    if (!status)
        tell_merged(plan, count, request->progress);
    free(cases);
    if (status)
        nb_plan_free(plan);
    return status;
}

void nb_plan_free(struct nb_plan *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < plan->count; ++i) {
        char text[64];
        nb_child_stop(&plan->task[i].child, text, sizeof text);
        cJSON_Delete(plan->task[i].strategies);
        cJSON_Delete(plan->task[i].trace);
        free(plan->task[i].seconds);
        free(plan->task[i].setups);
    }
    free(plan->task);
    memset(plan, 0, sizeof *plan);
}
