/* Makes tasks of a spec's cases: every problem file is read and checked once, each case gets its key and those
 * repeated are dropped, and cases of one problem, NCP function, scaling and Newton form share a floor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/sweep/spec.h"
#include "harness/sweep/sweep_private.h"
#include "problems/io/matrix_market.h"

/* What is known of one problem file. */
struct file {
    const char *path; /* borrowed from a case */
    char hash[NB_KEY_SIZE];
    bool missing;
    int systems;
};

struct files {
    struct file *file;
    int count;
};

/* Reads the file, so that what is wrong with it is said before the sweep starts. */
static enum nb_status count_systems(struct file *file, struct nb_error *error)
{
    struct nb_problem problem;
    struct nb_newton_system system;
    const int market = nb_is_matrix_market(file->path);
    enum nb_status status = market ? nb_matrix_market_read(file->path, NULL, &system, error)
                                   : nb_problem_read(file->path, &problem, error);
    if (status)
        return status;
    file->systems = 1;
    if (market) {
        nb_newton_system_free(&system);
        return NB_OK;
    }
    nb_problem_free(&problem);
    return nb_newton_system_count(file->path, &file->systems, error);
}

static enum nb_status examine(const struct nb_case *setting, struct file *file,
                              struct nb_error *error)
{
    *file = (struct file){.path = setting->problem_file};
    if (access(file->path, F_OK)) {
        file->missing = true;
        if (setting->optional_problem)
            return NB_OK;
        return nb_fail(error, NB_BAD_FILE, "%s: %s; write it with `ncpbench export`", file->path,
                       strerror(errno));
    }
    struct nb_case hashed = *setting;
    enum nb_status status = count_systems(file, error);
    if (!status)
        status = nb_case_hash_problem(&hashed, error);
    memcpy(file->hash, hashed.problem_hash, sizeof file->hash);
    return status;
}

static enum nb_status find_file(struct files *files, const struct nb_case *setting,
                                const struct file **found, struct nb_error *error)
{
    for (int i = 0; i < files->count; ++i)
        if (!strcmp(files->file[i].path, setting->problem_file)) {
            *found = &files->file[i];
            if (files->file[i].missing && !setting->optional_problem)
                return nb_fail(error, NB_BAD_FILE, "%s: no such file", setting->problem_file);
            return NB_OK;
        }
    struct file *grown = realloc(files->file, ((size_t)files->count + 1) * sizeof *grown);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the list of problems");
    files->file = grown;
    const enum nb_status status = examine(setting, &grown[files->count], error);
    *found = &grown[files->count++];
    return status;
}

static void tell_missing(const struct files *files, struct nb_plan *plan, FILE *notices)
{
    for (int i = 0; i < files->count; ++i)
        if (files->file[i].missing) {
            ++plan->missing_problems;
            if (notices)
                fprintf(notices, "skipped: %s does not exist (optional)\n", files->file[i].path);
        }
}

/* Drops cases of missing files and fills the hashes of the others. */
static enum nb_status check_files(struct nb_case *cases, int *count, struct nb_plan *plan,
                                  FILE *notices, struct nb_error *error)
{
    struct files files = {0};
    int kept = 0;
    enum nb_status status = NB_OK;
    /* Paths are borrowed from the cases, so these are moved only afterwards. */
    for (int i = 0; i < *count && !status; ++i) {
        const struct file *file = NULL;
        if ((status = find_file(&files, &cases[i], &file, error)) || !file)
            break;
        if (cases[i].mode == NB_CASE_LINEAR_SYSTEM && !file->missing &&
            cases[i].system >= file->systems)
            status = nb_fail(error, NB_BAD_INPUT,
                             "system %d: %s holds %d Newton systems (export --newton-systems)",
                             cases[i].system, file->path, file->systems);
        strcpy(cases[i].problem_hash, file->hash);
    }
    if (!status)
        tell_missing(&files, plan, notices);
    for (int i = 0; i < *count && !status; ++i)
        if (cases[i].problem_hash[0])
            cases[kept++] = cases[i];
    *count = kept;
    free(files.file);
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
    for (int i = 0; i < count; ++i)
        nb_case_forget_unread(&cases[i]);
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

enum nb_status nb_plan_make(const char *path, const char *more, struct nb_plan *plan, char name[64],
                            FILE *notices, struct nb_error *error)
{
    struct nb_case *cases = NULL;
    int count = 0;
    char unused[64];
    memset(plan, 0, sizeof *plan);
    enum nb_status status = read_spec(path, &cases, &count, plan, name, error);
    if (!status && more)
        status = read_spec(more, &cases, &count, plan, unused, error);
    if (!status)
        status = check_files(cases, &count, plan, notices, error);
    if (!status && plan->across_groups)
        status = gather_problems(cases, count, error);
    if (!status)
        status = add_tasks(plan, cases, count, error);
    if (!status)
        tell_merged(plan, count, notices);
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
