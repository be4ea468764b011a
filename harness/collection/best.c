/* Records are read one after the other, without their traces; of each problem the smallest error so far is kept. */
#include "harness/collection/best.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "harness/records/store.h"
#include "problems/base/hash.h"

/* A file of stored systems may hold a step, too. */
static const char *name_problem(const char *hash, bool system, char name[static NB_HASH_SIZE + 8])
{
    snprintf(name, NB_HASH_SIZE + 8, "%s%.*s", system ? "system " : "", NB_HASH_SIZE - 1, hash);
    return name;
}

static bool is_wanted(void *none, const char *outer, const char *inner)
{
    (void)none;
    (void)inner;
    return !strcmp(outer, "kind") || !strcmp(outer, "settings") || !strcmp(outer, "errors");
}

/* The problem's entry, made where there is none; NULL without memory. */
static struct nb_best *entry_of(struct nb_best_list *list, const char *name)
{
    struct nb_best *grown = nb_grow(list->best, sizeof *grown, list->count, &list->room);
    if (!grown)
        return NULL;
    list->best = grown;
    const int number = nb_index_add(&list->problems, name, list->count);
    if (number == list->count)
        list->best[list->count++] = (struct nb_best){.error = INFINITY};
    return number < 0 ? NULL : &list->best[number];
}

/* The solver, the linear solver in it if it has one, and the arithmetic. */
static void describe_method(const cJSON *record, char *text, size_t size)
{
    char solver[96], linear[64], arithmetic[32];
    const bool inner = !nb_outcome_is_system(record) && nb_record_reads(record, "linear");
    snprintf(text, size, "%s%s%s %s", nb_record_text(record, "method", solver, sizeof solver), inner ? " " : "",
             inner ? nb_record_text(record, "linear_method", linear, sizeof linear) : "",
             nb_record_text(record, "arithmetic", arithmetic, sizeof arithmetic));
}

static enum nb_status take(void *context, const cJSON *record, struct nb_error *error)
{
    struct nb_best_list *list = context;
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const char *hash = nb_json_string(settings, "problem_hash");
    const double accuracy = nb_outcome_accuracy(record);
    char name[NB_HASH_SIZE + 8];
    if (!nb_record_is_case(record) || !*hash || !isfinite(accuracy) ||
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(settings, "linearized")))
        return NB_OK;
    struct nb_best *best = entry_of(list, name_problem(hash, nb_outcome_is_system(record), name));
    if (!best)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the best of more than %d problems", list->count);
    if (accuracy < best->error) {
        best->error = accuracy;
        describe_method(record, best->method, sizeof best->method);
    }
    return NB_OK;
}

enum nb_status nb_best_read(struct nb_best_list *list, const char *path, struct nb_error *error)
{
    struct nb_store_reading reading = {.wanted = is_wanted};
    return nb_store_read_parts(path, take, list, &reading, error);
}

const struct nb_best *nb_best_find(const struct nb_best_list *list, const char *hash, bool system)
{
    char name[NB_HASH_SIZE + 8];
    const int number = nb_index_find(&list->problems, name_problem(hash, system, name));
    return number < 0 ? NULL : &list->best[number];
}

void nb_best_free(struct nb_best_list *list)
{
    nb_index_free(&list->problems);
    free(list->best);
    *list = (struct nb_best_list){{NULL}, NULL, 0, 0};
}
