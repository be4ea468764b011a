/* Makes tasks of a spec's cases: once the problem files are checked, each case gets its key and those repeated are
 * dropped, and cases of one problem, NCP function, scaling and Newton form share a floor. */
#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/record.h"
#include "harness/sweep/spec.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/suggest.h"
#include "solvers/source.h"

/* Leaves the cases that --where means, and finds those that have a time together. A filter sees of a case its
 * settings, by the names that they have in records, but those that its method does not read, and its group; a name
 * or a value that no case has is answered with what there is. */

static cJSON *as_record(const struct nb_case *setting)
{
    const struct nb_case_setting *row;
    cJSON *record = cJSON_CreateObject();
    cJSON *settings = record ? nb_case_settings(setting) : NULL;
    if (!settings || !cJSON_AddItemToObject(record, "settings", settings) ||
        !cJSON_AddStringToObject(record, "group", setting->group)) {
        cJSON_Delete(record);
        return NULL;
    }
    for (int i = 0; (row = nb_case_column(i)); ++i)
        if (!nb_case_setting_is_read(row, setting))
            cJSON_DeleteItemFromObjectCaseSensitive(settings, row->name);
    return record;
}

/* Finds of every case in turn whether it stays, the values that it has of the filter's name, and those of the filter's
 * that it has. */
static enum nb_status apply(const struct nb_filter *filter, struct nb_case *cases, int *count, struct nb_words *met,
                            unsigned *matched, struct nb_error *error)
{
    int kept = 0;
    for (int i = 0; i < *count; ++i) {
        char text[NB_WORD_SIZE];
        cJSON *record = as_record(&cases[i]);
        if (!record)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to filter %d cases", *count);
        nb_record_text(record, filter->name, text, sizeof text);
        if (*text)
            nb_words_add(met, text);
        *matched |= nb_words_matched(&filter->values, text);
        if (nb_filter_passes(filter, record))
            cases[kept++] = cases[i];
        cJSON_Delete(record);
    }
    *count = kept;
    return NB_OK;
}

static enum nb_status unknown_name(const char *name, struct nb_error *error)
{
    static const char *const others[] = {"group", "method", "linear_method", "arithmetic"};
    const char *known[NB_CASE_SETTINGS_MOST + 4];
    char hint[400];
    const struct nb_case_setting *row;
    size_t count = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        known[count++] = others[i];
    for (int i = 0; (row = nb_case_column(i)); ++i)
        known[count++] = row->name;
    nb_suggest_name(name, known, count, hint, sizeof hint);
    return nb_fail(error, NB_BAD_INPUT, "--where: no case has a setting \"%s\"; %s", name, hint);
}

/* A slip in one of several values, or in one that was to be left out. */
static void tell_unmet(const struct nb_filter *filter, unsigned matched, const struct nb_words *met, FILE *notices)
{
    char values[200];
    nb_words_join(met, values, sizeof values);
    for (int i = 0; i < filter->values.count && notices; ++i)
        if (!(matched >> i & 1))
            fprintf(notices, "--where: no case has %s=%s; there are %s\n", filter->name, filter->values.word[i],
                    values);
}

/* Notes which tasks have a time together. */
static enum nb_status plan_limit(const struct nb_sweep_request *request, struct nb_plan *plan, struct nb_error *error)
{
    for (int i = plan->floors; request->limited && i < plan->count; ++i) {
        cJSON *record = as_record(&plan->task[i].setting);
        if (!record)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to filter %d cases", plan->count);
        plan->task[i].limited = nb_filter_passes(request->limited, record);
        cJSON_Delete(record);
    }
    return NB_OK;
}

/* Leaves the cases [*count] that pass the request's filters. NB_BAD_INPUT where none does, or where a filter's name is
 * no setting. */
static enum nb_status plan_filter(const struct nb_sweep_request *request, struct nb_case *cases, int *count,
                                  struct nb_error *error)
{
    for (int i = 0; i < request->filter_count; ++i) {
        const struct nb_filter *filter = &request->filter[i];
        struct nb_words met = {0};
        const int before = *count;
        unsigned matched = 0;
        char wanted[150], values[200];
        const enum nb_status status = apply(filter, cases, count, &met, &matched, error);
        if (status)
            return status;
        if (!met.count)
            return unknown_name(filter->name, error);
        if (*count) {
            tell_unmet(filter, matched, &met, request->progress);
            continue;
        }
        nb_words_join(&filter->values, wanted, sizeof wanted);
        nb_words_join(&met, values, sizeof values);
        return nb_fail(error, NB_BAD_INPUT, "--where: no case has %s%s%s; the %d that pass the filters before it have "
                       "%s", filter->name, filter->equal ? "=" : "!=", wanted, before, values);
    }
    return NB_OK;
}

/* Takes from a results file, and from its journal, what earlier sweeps have done of the tasks of a plan: records, the
 * finished parts of unfinished cases, and how long a case took. */

bool nb_reuse_may_run_now(const cJSON *record)
{
    static const char reason[] = "no CUDA device"; /* what the driver says follows */
    return cJSON_IsTrue(nb_json_member(record, "retry")) ||
           (!strcmp(nb_json_string(record, "ending"), "unsupported") &&
            !strncmp(nb_json_string(record, "detail"), reason, sizeof reason - 1));
}

bool nb_task_same_strategies(const struct nb_task *task, const cJSON *json)
{
    const cJSON *strategies = nb_json_member(json, "strategies");
    return !strategies || cJSON_Compare(strategies, task->strategies, true);
}

static bool of_this_build(const cJSON *json)
{
    return !strcmp(nb_json_string(json, "fingerprint"), nb_source_fingerprint());
}

/* Whether this build could not compute the floor within these limits or larger ones: it would not now. */
static bool floor_fails_again(const struct nb_task *task, const cJSON *record)
{
    return !task->other_build && nb_json_path_number(record, "limits", "time") >= task->setting.time_limit &&
           nb_json_path_number(record, "limits", "memory") >= task->setting.memory_limit;
}

/* A record of an earlier sweep. The last one of a key counts, as for who reads the file later. */
enum nb_status nb_reuse_record(void *context, const cJSON *record, struct nb_error *error)
{
    struct nb_reuse *reuse = context;
    struct nb_task *task = nb_plan_find(reuse->plan, nb_json_string(record, "key"));
    const char *kind = nb_json_string(record, "kind");
    (void)error;
    if (!task || strcmp(kind, task->is_floor ? "floor" : "case"))
        return NB_OK;
    const cJSON *provenance = nb_json_member(record, "provenance");
    task->other_build = !of_this_build(provenance);
    task->other_machine = nb_provenance_other_machine(provenance, reuse->provenance) != NULL;
    task->has_times = cJSON_IsNumber(nb_json_path(record, "times", "median"));
    task->recorded = nb_json_get(nb_json_member(record, "times"), "wall");
    task->late = !strcmp(nb_json_string(record, "ending"), "timed_out") &&
                 !strncmp(nb_json_string(record, "detail"), NB_OVER_TIME_LIMIT, sizeof NB_OVER_TIME_LIMIT - 1) &&
                 !cJSON_IsNumber(nb_json_path(record, "errors", "step_error"));
    snprintf(task->run, sizeof task->run, "%s", cJSON_IsString(nb_json_path(record, "times", "run"))
                                                    ? nb_json_path(record, "times", "run")->valuestring : "");
    const bool other = task->other_build || (!task->is_floor && task->other_machine);
    const bool usable = nb_task_same_strategies(task, record) && !(reuse->anew && other);
    if (task->is_floor)
        task->has_reference = usable && nb_floor_from_json(record, &task->reference);
    task->complete = task->is_floor ? task->has_reference || (usable && floor_fails_again(task, record))
                                    : usable && !nb_reuse_may_run_now(record);
    return NB_OK;
}

void nb_reuse_count(const struct nb_plan *plan, struct nb_sweep_summary *summary)
{
    for (int i = plan->floors; i < plan->count; ++i) {
        summary->reused += plan->task[i].complete;
        summary->other_builds += plan->task[i].complete && plan->task[i].other_build;
        summary->other_machines += plan->task[i].complete && plan->task[i].other_machine;
    }
}

/* Times of a run that was given up for another one do not count: those of a record are of one. */
static void take_run(struct nb_task *task, const char *run)
{
    if (task->timed.done && strcmp(task->run, run) != 0)
        nb_timed_forget(task);
    snprintf(task->run, sizeof task->run, "%s", run);
}

/* A finished part of an unfinished case; one record is not made of two builds. */
enum nb_status nb_reuse_part(void *context, const cJSON *part, struct nb_error *error)
{
    struct nb_reuse *reuse = context;
    struct nb_task *task = nb_plan_find(reuse->plan, nb_json_string(part, "key"));
    const char *name = nb_json_string(part, "part");
    const double seconds = nb_json_get(part, "seconds"), solves = nb_json_get(part, "solves");
    char machine[NB_MACHINE];
    nb_provenance_machine(reuse->provenance, machine, sizeof machine);
    if (!task || task->is_floor || task->complete || !of_this_build(part) ||
        strcmp(nb_json_string(part, "machine"), machine) != 0 || !nb_task_same_strategies(task, part))
        return NB_OK;
    task->peak_memory = fmax(task->peak_memory, nb_json_get(part, "peak_memory"));
    take_run(task, nb_json_string(part, "run"));
    task->spent = NAN; /* of which nothing tells how long it took */
    if (!strcmp(name, "trace")) {
        cJSON_Delete(task->trace); /* of a run that was given up */
        task->trace = cJSON_Duplicate(part, 1);
        if (!task->trace)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a journalled trace");
        cJSON_DeleteItemFromObjectCaseSensitive(task->trace, "key");
    } else if (!strcmp(name, "time") && task->trace && seconds > 0 && solves >= 1) {
        const bool control = cJSON_IsTrue(nb_json_member(part, "control"));
        struct nb_timed *timed = control ? &task->control : &task->timed;
        /* The last one is always made anew: it is what completes the record. */
        if (timed->done + 1 < nb_timed_count(task, timed))
            nb_timed_add(timed, part);
        task->solves = (int)solves;
    }
    return NB_OK;
}

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
        status = status ? status : index_task(plan, key, &new, error);
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
    status = status ? status : nb_case_key(setting, task->key, error);
    status = status ? status : index_task(plan, task->key, &new, error);
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

/* Finds of each step's case whether one before it differs in nothing but a larger tolerance. */
static enum nb_status find_looser(struct nb_plan *plan, struct nb_error *error)
{
    struct nb_index indifferent = {NULL};
    enum nb_status status = NB_OK;
    int *last = calloc((size_t)plan->count + 1, sizeof *last);
    if (!last)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", plan->count);
    for (int i = plan->floors; i < plan->count && !status; ++i) {
        struct nb_task *task = &plan->task[i];
        struct nb_case setting = task->setting;
        char key[NB_KEY_SIZE];
        if (setting.mode != NB_CASE_STEP)
            continue;
        setting.tolerance = 0;
        if ((status = nb_case_key(&setting, key, error)))
            break;
        const int place = nb_index_add(&indifferent, key, i);
        if (place < 0) {
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a key");
        } else {
            if (place != i && plan->task[last[place]].setting.tolerance > task->setting.tolerance)
                task->looser = &plan->task[last[place]];
            last[place] = i;
        }
    }
    nb_index_free(&indifferent);
    free(last);
    return status;
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
    return status ? status : find_looser(plan, error);
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

/* If a method reads no option of an axis, the axis makes one case of it. */
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
    status = status ? status : plan_filter(request, cases, &count, error);
    status = status ? status : find_askers(cases, count, error);
    status = status ? status : nb_plan_shard(request, cases, &count, &plan->shards, error);
    status = status ? status : nb_plan_check_files(request, cases, &count, plan, error);
    if (!status && plan->across_groups)
        status = gather_problems(cases, count, error);
    status = status ? status : add_tasks(plan, cases, count, error);
    status = status ? status : plan_limit(request, plan, error);
    if (!status)
        nb_plan_split(plan);
    status = status ? status : nb_plan_kinds(plan, error);
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
