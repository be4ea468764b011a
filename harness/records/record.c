/* Reads a results file as reports and figures see it: the last record of each key, members as text, and which of its
 * settings a record's method read. */
#include "harness/records/record.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/compact.h"
#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "problems/base/clean_text.h"
#include "problems/base/numbers.h"
#include "problems/base/sorted.h"
#include "solvers/newton_options.h"
#include "solvers/registry.h"

/* Records one after the other, of each key the last: the first pass notes where that one stands. */

struct each {
    struct nb_index keys;
    int *last;        /* [keys] the number of the last record of each */
    int count, room;  /* of keys */
    int number;       /* of the record that is read */
    nb_store_callback *callback;
    void *context;
};

static enum nb_status note(void *context, const cJSON *record, struct nb_error *error)
{
    struct each *each = context;
    char text[NB_RECORD_IDENTITY];
    const int number = each->number++;
    if (!nb_record_identity(record, text))
        return NB_OK;
    const int key = nb_index_entry(&each->keys, text, &each->last, sizeof *each->last, &each->count, &each->room);
    if (key < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the keys of the records");
    each->last[key] = number;
    return NB_OK;
}

/* Hands on the last record of each key, and all that have no key. */
static enum nb_status hand_on(void *context, const cJSON *record, struct nb_error *error)
{
    struct each *each = context;
    char text[NB_RECORD_IDENTITY];
    const int key = nb_record_identity(record, text) ? nb_index_find(&each->keys, text) : -1, number = each->number++;
    return key < 0 || each->last[key] == number ? each->callback(each->context, record, error) : NB_OK;
}

static bool names_record(void *none, const char *outer, const char *inner)
{
    (void)none;
    (void)inner;
    return !strcmp(outer, "kind") || !strcmp(outer, "key");
}

static enum nb_status pass(struct each *each, const char *const *paths, int count, nb_json_keep *wanted,
                           nb_store_callback *callback, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    each->number = 0;
    for (int i = 0; i < count && !status; ++i) {
        struct nb_store_reading reading = {.wanted = wanted, .quiet = callback == note};
        const int before = each->number;
        status = nb_store_read_parts(paths[i], callback, each, &reading, error);
        if (!status && each->number == before)
            status = nb_fail(error, NB_BAD_INPUT, "%s: holds no record", paths[i]);
    }
    return status;
}

enum nb_status nb_records_each(const char *const *paths, int count, nb_json_keep *wanted, nb_store_callback *callback,
                               void *context, struct nb_error *error)
{
    struct each each = {.callback = callback, .context = context};
    enum nb_status status = pass(&each, paths, count, names_record, note, error);
    status = status ? status : pass(&each, paths, count, wanted, hand_on, error);
    nb_index_free(&each.keys);
    free(each.last);
    return status;
}

/* What a file's records are appended to. */
struct appending {
    cJSON *list;
    bool compact;
    struct nb_store_reading reading;
};

static enum nb_status append(void *context, const cJSON *record, struct nb_error *error)
{
    struct appending *appending = context;
    if ((appending->compact && !nb_compact((cJSON *)record)) ||
        !cJSON_AddItemToArray(appending->list, (cJSON *)record))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records");
    appending->reading.taken = true;
    return NB_OK;
}

bool nb_record_identity(const cJSON *record, char *text)
{
    const char *key = nb_json_string(record, "key");
    snprintf(text, NB_RECORD_IDENTITY, "%.31s %.95s", nb_json_string(record, "kind"), key);
    return *key != '\0';
}

/* Leaves the last record of each kind and key: a case that was measured anew, as after an edit of its strategy,
 * would be judged by the better of both. */
static enum nb_status drop_replaced(cJSON *list, struct nb_error *error)
{
    struct nb_index keys = {NULL};
    int count = 0, number = 0;
    cJSON **last = malloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof *last), *next;
    for (cJSON *record = list->child; record && last && number >= 0; record = next) {
        char text[NB_RECORD_IDENTITY];
        next = record->next;
        if (!nb_record_identity(record, text))
            continue;
        number = nb_index_add(&keys, text, count);
        if (number == count)
            ++count;
        else if (number >= 0)
            cJSON_Delete(cJSON_DetachItemViaPointer(list, last[number]));
        if (number >= 0)
            last[number] = record;
    }
    const bool held = last && number >= 0;
    nb_index_free(&keys);
    free(last);
    return held ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the keys of the records");
}

static enum nb_status append_file(const char *path, struct appending *appending, struct nb_error *error)
{
    const int before = cJSON_GetArraySize(appending->list);
    const enum nb_status status = nb_store_read_parts(path, append, appending, &appending->reading, error);
    if (!status && cJSON_GetArraySize(appending->list) == before)
        return nb_fail(error, NB_BAD_INPUT, "%s: holds no record", path);
    return status;
}

static enum nb_status read_files(const char *const *paths, int count, struct appending appending, cJSON **records,
                                 struct nb_error *error)
{
    *records = NULL;
    cJSON *list = appending.list = cJSON_CreateArray();
    enum nb_status status = list ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory", paths[0]);
    for (int i = 0; i < count && !status; ++i)
        status = append_file(paths[i], &appending, error);
    status = status ? status : drop_replaced(list, error);
    if (status) {
        cJSON_Delete(list);
        return status;
    }
    *records = list;
    return NB_OK;
}

enum nb_status nb_records_read_files(const char *const *paths, int count, cJSON **records, struct nb_error *error)
{
    return read_files(paths, count, (struct appending){0}, records, error);
}

enum nb_status nb_records_read_outcomes(const char *const *paths, int count, cJSON **records, struct nb_error *error)
{
    return nb_records_read_packed(paths, count, nb_compact_keep, NULL, records, error);
}

enum nb_status nb_records_read_packed(const char *const *paths, int count, nb_json_keep *wanted, void *context,
                                      cJSON **records, struct nb_error *error)
{
    const struct appending packed = {.compact = true, .reading = {.wanted = wanted, .context = context}};
    return read_files(paths, count, packed, records, error);
}

enum nb_status nb_records_read(const char *path, cJSON **records, struct nb_error *error)
{
    return nb_records_read_files(&path, 1, records, error);
}

/* What a linear system is solved in, as in f64 or, where that refines solves in another, f64:in=f16. */
static void arithmetic(const cJSON *record, char *text, size_t size)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const char *precision = nb_json_string(settings, "precision");
    const char *in = strstr(nb_json_string(settings, "linear"), ":in=");
    if (in && strncmp(in, ":in=same", 8) != 0)
        snprintf(text, size, "%s%.*s", precision, (int)(1 + strcspn(in + 1, ":")), in);
    else
        snprintf(text, size, "%s", precision);
}

/* Linear solver and preconditioner, as in pcr+ic0, or cholesky, which takes no preconditioner. */
static void linear_method(const cJSON *record, char *text, size_t size)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const char *precond = nb_json_string(settings, "precond");
    const bool none = strcmp(precond, "none") == 0;
    snprintf(text, size, "%s%s%s", nb_json_string(settings, "linear"), none ? "" : "+", none ? "" : precond);
}

/* What the record is about: a nonlinear method, or that of a linear system. */
static void method(const cJSON *record, char *text, size_t size)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const cJSON *solver = nb_json_member(settings, "solver");
    if (cJSON_IsString(solver))
        snprintf(text, size, "%s", solver->valuestring);
    else
        linear_method(record, text, size);
}

bool nb_records_know(const cJSON *records, const char *name)
{
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        char text[8]; /* a letter, at least */
        if (nb_record_text(record, name, text, sizeof text)[0])
            return true;
    }
    return false;
}

const char *nb_record_text(const cJSON *record, const char *name, char *text, size_t size)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const cJSON *member = nb_json_member(settings, name);
    if (!member)
        member = nb_json_member(nb_json_member(settings, "parameters"), name);
    if (!member)
        member = nb_json_member(record, name);
    if (!member && strcmp(name, "machine") == 0)
        nb_provenance_machine(nb_json_member(record, "provenance"), text, size);
    else if (!member && strcmp(name, "arithmetic") == 0)
        arithmetic(record, text, size);
    else if (!member && strcmp(name, "linear_method") == 0)
        linear_method(record, text, size);
    else if (!member && strcmp(name, "method") == 0)
        method(record, text, size);
    else if (!member && strcmp(name, "start") == 0 && !strcmp(nb_json_string(settings, "mode"), "step"))
        snprintf(text, size, "rest"); /* of before a solve could begin elsewhere */
    else if (!member && strcmp(name, "islands") == 0 && !strcmp(nb_json_string(settings, "mode"), "step"))
        snprintf(text, size, "own"); /* of before they could be solved apart */
    else if (cJSON_IsString(member))
        nb_copy_text(text, size, member->valuestring);
    else if (cJSON_IsNumber(member)) {
        NB_DECIMAL_POINT;
        snprintf(text, size, "%.15g", member->valuedouble);
    } else if (cJSON_IsBool(member))
        snprintf(text, size, "%s", cJSON_IsTrue(member) ? "true" : "false");
    else
        snprintf(text, size, "%s", cJSON_IsNull(member) ? "null" : "");
    return text;
}

bool nb_record_is_case(const cJSON *record)
{
    return !strcmp(nb_json_string(record, "kind"), "case");
}

/* The part of the method that a name of harness/records/record.h speaks about. */
static const char *part_of(const char *name)
{
    return strcmp(name, "linear_method") ? name : "linear";
}

bool nb_record_reads(const cJSON *record, const char *name)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const char *part = part_of(name);
    if (!nb_is_newton_option(part))
        return true;
    if (nb_registry_self_contained(nb_json_string(settings, "solver")) ||
        cJSON_IsNull(nb_json_member(settings, part)))
        return false;
    const char *linear = nb_json_string(settings, "linear");
    return strcmp(part, "precond") || !nb_registry_find("linear", linear) ||
           nb_registry_uses_precond(linear);
}

const char *nb_record_setting(const cJSON *record, const char *name, char *text, size_t size)
{
    *text = '\0';
    if (!cJSON_IsNull(nb_json_path(record, "settings", name)) && nb_record_reads(record, name))
        nb_record_text(record, name, text, size);
    return text;
}

double nb_median_sorting(double *values, int count)
{
    nb_sort_doubles(values, count);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double nb_median(const double *values, int count)
{
    double *sorted = count > 0 ? malloc((size_t)count * sizeof *sorted) : NULL;
    if (!sorted)
        return NAN;
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    const double median = nb_median_sorting(sorted, count);
    free(sorted);
    return median;
}
