/* Makes tasks of a spec's cases: once the problem files are checked, each case gets its key and those repeated are
 * dropped, and cases of one problem, NCP function, scaling and Newton form share a floor. */
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/spec.h"
#include "harness/sweep/sweep_private.h"

/* The task of that key, which is found by nb_plan_find from now on; whether it is new. */
static enum nb_status index_task(struct nb_plan *plan, const char *key, bool *new, struct nb_error *error)
{
    const int number = nb_index_add(&plan->keys, key, plan->count);
    *new = number == plan->count;
    return number < 0 ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a key") : NB_OK;
}

struct nb_task *nb_plan_find(const struct nb_plan *plan, const char *key)
{
    const int number = nb_index_find(&plan->keys, key);
    return number < 0 ? NULL : &plan->task[number];
}

static enum nb_status add_floors(struct nb_plan *plan, const struct nb_case *cases, int count,
                                 struct nb_error *error)
{
    char key[NB_KEY_SIZE];
    bool new = false;
    for (int i = 0; i < count; ++i) {
        if (cases[i].mode == NB_CASE_LINEAR_SYSTEM || cases[i].without_floor)
            continue;
        enum nb_status status = nb_floor_key(&cases[i], key, error);
        if (!status)
            status = index_task(plan, key, &new, error);
        if (status)
            return status;
        if (!new)
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
    bool new = false;
    enum nb_status status = nb_options_validate(&setting->options, error);
    if (!status)
        status = nb_case_key(setting, task->key, error);
    if (!status)
        status = index_task(plan, task->key, &new, error);
    if (status || !new)
        return status;
    task->setting = *setting;
    if (setting->mode == NB_CASE_STEP) {
        if ((status = nb_floor_key(setting, key, error)))
            return status;
        task->floor = nb_plan_find(plan, key);
    }
    task->strategies = nb_case_strategies(setting);
    if (!task->strategies)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a case");
    ++plan->count;
    return nb_timed_make(task, error);
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
static enum nb_status read_spec(const struct nb_sweep_request *request, const char *path, struct nb_case **cases,
                                int *count, struct nb_plan *plan, char name[64], struct nb_error *error)
{
    struct nb_spec spec;
    struct nb_case *added = NULL;
    int more = 0;
    enum nb_status status = nb_spec_read(path, &spec, error);
    if (status)
        return status;
    strcpy(name, spec.name);
    plan->across_groups |= spec.across_groups;
    spec.full = request->full;
    status = nb_spec_expand(&spec, request->progress, &added, &more, error);
    nb_spec_free(&spec);
    if (status)
        return status;
    if (!*count) {
        free(*cases);
        *cases = added;
        *count = more;
        return NB_OK;
    }
    struct nb_case *grown = realloc(*cases, ((size_t)*count + (size_t)more) * sizeof *grown);
    if (grown) {
        memcpy(grown + *count, added, (size_t)more * sizeof *grown);
        *cases = grown;
        *count += more;
    }
    free(added);
    return grown ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", more);
}

struct place {
    int problem, number; /* by first mention; of the case */
};

static int by_problem(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->problem != y->problem ? (x->problem > y->problem) - (x->problem < y->problem)
                                    : (x->number > y->number) - (x->number < y->number);
}

/* place [count] in the order of problems. */
static enum nb_status order_problems(const struct nb_case *cases, int count, struct place *place,
                                     struct nb_error *error)
{
    struct nb_index problems = {NULL};
    enum nb_status status = NB_OK;
    for (int i = 0; i < count && !status; ++i) {
        place[i] = (struct place){nb_index_add(&problems, cases[i].problem_hash, i), i};
        if (place[i].problem < 0)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to sort %d cases", count);
    }
    nb_index_free(&problems);
    qsort(place, (size_t)count, sizeof *place, by_problem);
    return status;
}

/* Brings the cases of each problem together; otherwise the order stays. */
static enum nb_status gather_problems(struct nb_case *cases, int count, struct nb_error *error)
{
    struct nb_case *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    struct place *place = malloc(((size_t)count + 1) * sizeof *place);
    enum nb_status status = sorted && place ? order_problems(cases, count, place, error)
                                            : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to sort %d cases", count);
    for (int i = 0; i < count && !status; ++i)
        sorted[i] = cases[place[i].number];
    if (!status)
        memcpy(cases, sorted, (size_t)count * sizeof *cases);
    free(sorted);
    free(place);
    return status;
}

/* Where a method reads no option of an axis, the axis makes one case of it. */
static void tell_merged(const struct nb_plan *plan, int count, FILE *notices)
{
    const int kept = plan->count - plan->floors;
    if (notices && kept < count)
        fprintf(notices, "merged: %d combinations are %d cases (a method that does not read an axis has one, "
                "and so have groups that overlap)\n", count, kept);
}

/* Second answers are a problem's, and looking for one takes several solves: the first case of each does it. */
static enum nb_status find_askers(struct nb_case *cases, int count, struct nb_error *error)
{
    struct nb_index problems = {NULL};
    enum nb_status status = NB_OK;
    for (int i = 0; i < count && !status; ++i) {
        char name[sizeof cases->problem_file + 1];
        snprintf(name, sizeof name, "%c%s", cases[i].linearized ? 'l' : 'n', cases[i].problem_file);
        const int first = nb_index_add(&problems, name, i);
        cases[i].without_second_answer = first != i;
        if (first < 0)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to sort %d cases", count);
    }
    nb_index_free(&problems);
    return status;
}

enum nb_status nb_plan_make(const struct nb_sweep_request *request, struct nb_plan *plan, char name[64],
                            struct nb_error *error)
{
    struct nb_case *cases = NULL;
    int count = 0;
    char unused[64];
    memset(plan, 0, sizeof *plan);
    enum nb_status status = read_spec(request, request->spec, &cases, &count, plan, name, error);
    if (!status && request->more)
        status = read_spec(request, request->more, &cases, &count, plan, unused, error);
    for (int i = 0; i < count && !status; ++i)
        nb_case_forget_unread(&cases[i]);
    if (!status)
        status = nb_plan_filter(request, cases, &count, error);
    if (!status)
        status = find_askers(cases, count, error);
    if (!status)
        status = nb_plan_shard(request, cases, &count, &plan->shards, error);
    if (!status)
        status = nb_plan_check_files(request, cases, &count, plan, error);
    if (!status && plan->across_groups)
        status = gather_problems(cases, count, error);
    if (!status)
        status = add_tasks(plan, cases, count, error);
    if (!status)
        status = nb_plan_limit(request, plan, error);
    if (!status)
        nb_plan_split(plan);
    if (!status)
        status = nb_plan_kinds(plan, error);
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
        cJSON_Delete(plan->task[i].strategies);
        cJSON_Delete(plan->task[i].trace);
        nb_timed_free(&plan->task[i]);
    }
    free(plan->task);
    nb_index_free(&plan->keys);
    memset(plan, 0, sizeof *plan);
}
