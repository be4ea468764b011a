/* Which records of a comparison belong together. */
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/filter.h"
#include "harness/records/grow.h"
#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/record.h"
#include "harness/report/axis.h"
#include "harness/report/compare_private.h"

enum { NAME = NB_COMPARE_NAME, VALUE = NB_COMPARE_VALUE };

/* Whether what --a, --b and --across name is in the records. */

/* The values that records have of a setting, as many as fit. */
static void list_values(const cJSON *records, const char *name, char *text, size_t size)
{
    struct nb_words met = {0};
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
    {
        char value[NB_WORD_SIZE];
        if (nb_record_is_case(record) && nb_record_text(record, name, value, sizeof value)[0])
            nb_words_add(&met, value);
    }
    nb_words_join(&met, text, size);
}

/* What is called by the name alone is any program: its whole command need not be typed. */
static bool is_any_external(const char *value, const char *text)
{
    return !strcmp(value, "external") && !strncmp(text, "external:", strlen("external:"));
}

/* Whether it has them; *reads: whether its method reads them all. */
static bool pairs_have(const cJSON *record, const struct nb_option_list *list, bool *reads)
{
    *reads = true;
    for (int i = 0; i < list->count; ++i) {
        char name[NAME], text[VALUE];
        const char *sign = strchr(list->item[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(sign - list->item[i]), list->item[i]);
        nb_record_text(record, name, text, sizeof text);
        if (strcmp(text, sign + 1) != 0 && !is_any_external(sign + 1, text))
            return false;
        *reads = *reads && nb_record_reads(record, name);
    }
    return true;
}

/* Refuses a list, of that option, with a setting that no record has, or a value. */
static enum nb_status pairs_check(const char *option, const struct nb_option_list *list, const cJSON *records,
                                  struct nb_error *error)
{
    for (int i = 0; i < list->count; ++i) {
        const struct nb_option_list item = {1, {list->item[i]}};
        char name[NB_COMPARE_NAME], values[300];
        const cJSON *record = NULL;
        bool found = !strchr(list->item[i], '='), reads;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list->item[i], "="), list->item[i]);
        if (!nb_records_know(records, name))
            return nb_fail(error, NB_BAD_INPUT, "--%s %s: no record has a setting %s", option,
                           list->item[i], name);
        cJSON_ArrayForEach(record, records)
            found = found || (nb_record_is_case(record) && pairs_have(record, &item, &reads));
        if (found)
            continue;
        list_values(records, name, values, sizeof values);
        return nb_fail(error, NB_BAD_INPUT, "--%s %s: no record has this value; values of %s: %s", option,
                       list->item[i], name, values);
    }
    return NB_OK;
}

/* The limit of iterations counts what is different things of different methods: 5000 of the default method, 1000 sweeps
 * of a Gauss-Seidel method, 1 of a program outside. Where two solvers are compared, each of which was run with one
 * limit, it need not agree; where one was run with several it tells its cases apart, and stays a setting as others. */

static const char limit[] = "newton_iters";

static bool is_solver(const struct nb_option_list *list)
{
    return list->count == 1 && !strncmp(list->item[0], "solver=", 7);
}

/* Whether the record has every NAME=VALUE of the list, and its method reads them all. */
static bool pairs_match(const cJSON *record, const struct nb_option_list *list)
{
    bool reads;
    return pairs_have(record, list, &reads) && reads;
}

/* Whether the cases of the list that have a limit all have the same; false: none has one. */
static bool has_one_limit(const struct nb_option_list *list, const cJSON *records)
{
    char found[NB_COMPARE_VALUE] = "", text[NB_COMPARE_VALUE];
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        if (!nb_record_is_case(record) || !pairs_match(record, list) ||
            !nb_record_text(record, limit, text, sizeof text)[0])
            continue;
        if (found[0] && strcmp(found, text))
            return false;
        strcpy(found, text);
    }
    return found[0];
}

/* The comparison, with newton_iters among `across` where it is of two solvers, each of which has one value of it: how
 * many iterations a method is allowed is its own, as by default, and what counts is the time to the tolerance. */
static struct nb_comparison pairs_except_limits(const struct nb_comparison *comparison, const cJSON *first,
                                                const cJSON *second)
{
    struct nb_comparison excepted = *comparison;
    struct nb_option_list *across = &excepted.across;
    const int room = (int)(sizeof across->item / sizeof *across->item);
    if (is_solver(&excepted.a) && is_solver(&excepted.b) && across->count < room &&
        has_one_limit(&excepted.a, first) && has_one_limit(&excepted.b, second))
        across->item[across->count++] = limit;
    return excepted;
}

/* The records among which A's and B's are; one array where both are among the same. */
struct sides {
    const cJSON *first, *second;
    const cJSON **record; /* [count] A's cases, of_first of them, then B's */
    int of_first, count;
    struct nb_axis bucket; /* of the cases: those that may pair, told apart by the values of these settings [names], */
    int names;             /* which must agree and which all cases have */
    const char *name[NB_CASE_SETTINGS_MOST];
};

static bool names(const struct nb_option_list *list, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < list->count; ++i)
        if (!strncmp(list->item[i], name, length) &&
            (list->item[i][length] == '=' || list->item[i][length] == '\0'))
            return true;
    return false;
}

/* The path of a problem does not matter, nor what the user excepts. */
bool nb_pairs_must_agree(const struct nb_comparison *comparison, const char *name)
{
    return strcmp(name, "problem_file") != 0 && !names(&comparison->a, name) &&
           !names(&comparison->b, name) && !names(&comparison->across, name);
}

bool nb_pairs_differ(const cJSON *a, const cJSON *b, const char *name)
{
    char first[VALUE], second[VALUE];
    return strcmp(nb_record_text(a, name, first, sizeof first),
                  nb_record_text(b, name, second, sizeof second)) != 0;
}

static bool machines_differ(const cJSON *a, const cJSON *b)
{
    return nb_provenance_other_machine(nb_json_member(a, "provenance"),
                                       nb_json_member(b, "provenance")) != NULL;
}

/* Most records are of other problems: told first, as it takes the least time. */
static bool problems_differ(const cJSON *a, const cJSON *b)
{
    const cJSON *first = nb_json_path(a, "settings", "problem"), *second = nb_json_path(b, "settings", "problem");
    return cJSON_IsString(first) && cJSON_IsString(second) && strcmp(first->valuestring, second->valuestring);
}

/* Whether records have to be the same in all that they hold, as to replace each other, or may differ in what one of
 * their methods does not read. */
enum likeness { ALIKE,
                SAME };

static bool keeps_apart(const struct nb_comparison *comparison, const cJSON *a, const cJSON *b, const char *name,
                        enum likeness likeness)
{
    return nb_pairs_must_agree(comparison, name) && nb_pairs_differ(a, b, name) &&
           (likeness == SAME || (nb_record_reads(a, name) && nb_record_reads(b, name)));
}

/* "machine", or the name of the first setting, in which two records differ and must not; NULL: none. */
static const char *obstacle(const struct nb_comparison *comparison, const cJSON *a, const cJSON *b,
                            enum likeness likeness)
{
    const cJSON *member = nb_json_member(a, "settings");
    if (nb_pairs_must_agree(comparison, "problem") && problems_differ(a, b))
        return "problem";
    if (nb_pairs_must_agree(comparison, "machine") && machines_differ(a, b))
        return "machine";
    for (member = member ? member->child : NULL; member; member = member->next)
        if (keeps_apart(comparison, a, b, member->string, likeness))
            return member->string;
    return NULL;
}

static int count_unread(const struct nb_option_list *list, const cJSON *records)
{
    const cJSON *record = NULL;
    int count = 0;
    cJSON_ArrayForEach(record, records) {
        bool reads;
        count += nb_record_is_case(record) && pairs_have(record, list, &reads) && !reads;
    }
    return count;
}

/* Whether both are one case, which is not compared with itself. */
static bool same_case(const struct sides *sides, const cJSON *a, const cJSON *b)
{
    return sides->first == sides->second && !nb_pairs_differ(a, b, "key");
}

/* Of the settings that must agree those that all cases have, and read; whatever else keeps two apart is found by
 * comparing them. */
static void find_names(const struct nb_comparison *comparison, struct sides *sides)
{
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_column(i)); ++i)
        if (nb_pairs_must_agree(comparison, row->name))
            sides->name[sides->names++] = row->name;
    for (int i = 0; i < sides->count; ++i) {
        int kept = 0;
        for (int k = 0; k < sides->names; ++k)
            if (nb_json_path(sides->record[i], "settings", sides->name[k]) &&
                nb_record_reads(sides->record[i], sides->name[k]))
                sides->name[kept++] = sides->name[k];
        sides->names = kept;
    }
}

/* Never empty. */
static void bucket_of(const void *context, int i, const char *name, char *text)
{
    const struct sides *sides = context;
    size_t used = 0;
    (void)name;
    text[used++] = '\n';
    for (int k = 0; k < sides->names && used + 2 < NB_AXIS_TEXT; ++k) {
        nb_record_text(sides->record[i], sides->name[k], text + used, NB_AXIS_TEXT - used - 1);
        used += strlen(text + used);
        text[used++] = '\n';
    }
    text[used] = '\0';
}

static void add_cases(const cJSON *records, const struct nb_option_list *list, struct sides *sides)
{
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
    {
        if (nb_record_is_case(record) && pairs_match(record, list))
            sides->record[sides->count++] = record;
    }
}

static enum nb_status fill_buckets(const struct nb_comparison *comparison, struct sides *sides, struct nb_error *error)
{
    const int most = cJSON_GetArraySize(sides->first) + cJSON_GetArraySize(sides->second);
    sides->record = malloc(((size_t)most + 1) * sizeof *sides->record);
    if (!sides->record)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to find pairs");
    add_cases(sides->first, &comparison->a, sides);
    sides->of_first = sides->count;
    add_cases(sides->second, &comparison->b, sides);
    find_names(comparison, sides);
    return nb_axis_fill(&sides->bucket, sides->count, bucket_of, sides, error);
}

static bool could_pair(const struct nb_comparison *comparison, const struct sides *sides, int i, int k)
{
    const cJSON *a = sides->record[i], *b = sides->record[k];
    return k >= sides->of_first && !obstacle(comparison, a, b, ALIKE) && !same_case(sides, a, b);
}

/* Whether B's k-th case is a partner of A's i-th: of those that are the same the last one is. */
static bool is_pair(const struct nb_comparison *comparison, const struct sides *sides, int i, int k)
{
    if (!could_pair(comparison, sides, i, k))
        return false;
    for (int later = sides->bucket.next[k]; later >= 0; later = sides->bucket.next[later])
        if (!obstacle(comparison, sides->record[k], sides->record[later], SAME) &&
            could_pair(comparison, sides, i, later))
            return false;
    return true;
}

/* Whether the i-th case of A's has a partner. */
static bool has_partner(const struct nb_comparison *comparison, const struct sides *sides, int i)
{
    int k = sides->bucket.next[i];
    while (k >= 0 && !could_pair(comparison, sides, i, k))
        k = sides->bucket.next[k];
    return k >= 0;
}

/* Whether only the machine keeps a from a partner. */
static bool has_partner_elsewhere(const struct nb_comparison *comparison, const struct sides *sides, int i)
{
    struct nb_comparison anywhere = *comparison;
    char machine[] = "machine";
    if (anywhere.across.count < (int)(sizeof anywhere.across.item / sizeof *anywhere.across.item))
        anywhere.across.item[anywhere.across.count++] = machine;
    return has_partner(&anywhere, sides, i);
}

static enum nb_status append(struct nb_comparison_result *result, int *room, const cJSON *a, const cJSON *b,
                             struct nb_error *error)
{
    if (!NB_GROW(result->pair, result->count, room))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d pairs", result->count + 1);
    result->pair[result->count++] = (struct nb_pair){.record = {a, b}};
    return NB_OK;
}

/* A later record of A with the same settings replaces the earlier one. */
static bool superseded(const struct nb_comparison *comparison, const struct sides *sides, int i)
{
    const int *next = sides->bucket.next;
    for (int later = next[i]; later >= 0 && later < sides->of_first; later = next[later])
        if (!obstacle(comparison, sides->record[i], sides->record[later], SAME))
            return true;
    return false;
}

static const char *problem_of(const cJSON *record)
{
    return nb_json_string(nb_json_member(record, "settings"), "problem");
}

/* The setting that keeps A's case from B's: the first other than the problem, if there is one. problems: B's. */
static const char *nearest_obstacle(const struct nb_comparison *comparison, const struct sides *sides, const cJSON *a,
                                    const struct nb_index *problems)
{
    const char *name = NULL;
    if (nb_pairs_must_agree(comparison, "problem") && nb_index_find(problems, problem_of(a)) < 0)
        return problems->tree ? "problem" : NULL;
    for (int k = sides->of_first; k < sides->count && (!name || !strcmp(name, "problem")); ++k)
        if (!same_case(sides, a, sides->record[k]))
            name = obstacle(comparison, a, sides->record[k], ALIKE);
    return name;
}

/* Says which setting keeps A and B apart: that of the pair that agrees longest. */
static enum nb_status no_pairs(const struct nb_comparison *comparison, const struct sides *sides, int unread,
                               struct nb_error *error)
{
    const int of_a = sides->of_first, of_b = sides->count - of_a;
    const char *name = NULL;
    struct nb_index problems = {NULL}; /* B's */
    for (int k = of_a; k < sides->count; ++k)
        nb_index_add(&problems, problem_of(sides->record[k]), 0);
    for (int i = 0; i < of_a && (!name || !strcmp(name, "problem")); ++i)
        name = nearest_obstacle(comparison, sides, sides->record[i], &problems);
    nb_index_free(&problems);
    char left_out[100] = "";
    if (unread)
        snprintf(left_out, sizeof left_out, ", %d left out, whose methods do not read what --a or "
                 "--b names", unread);
    return nb_fail(error, NB_BAD_INPUT, "nothing to compare: %d cases in A, %d in B%s%s%s%s", of_a,
                   of_b, left_out, name ? ", and none agree in all settings; nearest differ in " : "",
                   name ? name : "", !name ? "" : strcmp(name, "machine") ? " (--across NAME excepts a setting)"
                   : " (cpu, simd, host_threads or governor in their provenance; --across machine pairs them, "
                     "without a verdict on times)");
}

static void note_unpaired(struct nb_comparison_result *result, int side, const cJSON *record)
{
    if (!result->unpaired[side]++)
        nb_outcome_instance(record, result->alone[side], sizeof result->alone[side]);
}

/* Whether B's k-th case has a partner among A's. */
static bool is_wanted(const struct nb_comparison *comparison, const struct sides *sides, int k)
{
    const cJSON *b = sides->record[k];
    for (int i = sides->bucket.first[sides->bucket.of[k]]; i >= 0 && i < sides->of_first; i = sides->bucket.next[i])
        if (!obstacle(comparison, sides->record[i], b, ALIKE) && !same_case(sides, sides->record[i], b))
            return true;
    return false;
}

/* All other records would be without a partner if the side is not named. */
static bool is_named(const struct nb_comparison *comparison, const struct nb_option_list *side)
{
    return side->count || (!comparison->a.count && !comparison->b.count);
}

static void count_unwanted(const struct nb_comparison *comparison, const struct sides *sides,
                           struct nb_comparison_result *result)
{
    for (int k = sides->of_first; k < sides->count && is_named(comparison, &comparison->b); ++k)
        if (!is_wanted(comparison, sides, k))
            note_unpaired(result, NB_B, sides->record[k]);
}

/* With each of B's that it pairs with: of these there are several where A's method does not read what tells them
 * apart. */
static enum nb_status add_pairs(const struct nb_comparison *comparison, const struct sides *sides, int i, int *room,
                                struct nb_comparison_result *result, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int k = sides->bucket.next[i]; k >= 0 && !status; k = sides->bucket.next[k])
        if (is_pair(comparison, sides, i, k))
            status = append(result, room, sides->record[i], sides->record[k], error);
    return status;
}

static enum nb_status find_pairs(const struct nb_comparison *comparison, const struct sides *sides,
                                 struct nb_comparison_result *result, struct nb_error *error)
{
    int room = 0;
    for (int i = 0; i < sides->of_first; ++i) {
        if (superseded(comparison, sides, i))
            continue;
        if (add_pairs(comparison, sides, i, &room, result, error))
            return NB_OUT_OF_MEMORY;
        if (has_partner(comparison, sides, i))
            continue;
        result->elsewhere += has_partner_elsewhere(comparison, sides, i);
        if (is_named(comparison, &comparison->a))
            note_unpaired(result, NB_A, sides->record[i]);
    }
    count_unwanted(comparison, sides, result);
    return result->count ? NB_OK : no_pairs(comparison, sides, result->unread, error);
}

enum nb_status nb_pairs_find(const struct nb_comparison *asked, const cJSON *first,
                             const cJSON *second, struct nb_comparison_result *result, struct nb_error *error)
{
    struct sides sides = {.first = first, .second = second};
    const struct nb_comparison excepted = pairs_except_limits(asked, first, second), *comparison = &excepted;
    if (pairs_check("a", &comparison->a, first, error) || pairs_check("b", &comparison->b, second, error) ||
        pairs_check("across", &comparison->across, first, error))
        return NB_BAD_INPUT;
    result->unread = count_unread(&comparison->a, first) + count_unread(&comparison->b, second);
    enum nb_status status = fill_buckets(comparison, &sides, error);
    status = status ? status : find_pairs(comparison, &sides, result, error);
    free(sides.record);
    nb_axis_free(&sides.bucket);
    return status;
}
