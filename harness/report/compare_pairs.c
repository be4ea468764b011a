/* Which records of a comparison belong together. */
#include <stdlib.h>
#include <string.h>

#include "harness/figures/plot.h"
#include "harness/figures/plot_groups.h"
#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/record.h"
#include "harness/report/compare_private.h"

enum { NAME = NB_COMPARE_NAME, VALUE = NB_COMPARE_VALUE };

/* The records among which A's and B's are; one array where both are among the same. */
struct sides {
    const cJSON *first, *second;
};

/* Whether the record has every NAME=VALUE of the list; *reads: whether its method reads them all. */
static bool has_values(const cJSON *record, const struct nb_option_list *list, bool *reads)
{
    *reads = true;
    for (int i = 0; i < list->count; ++i) {
        char name[NAME], text[VALUE];
        const char *sign = strchr(list->item[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(sign - list->item[i]), list->item[i]);
        if (strcmp(nb_record_text(record, name, text, sizeof text), sign + 1) != 0)
            return false;
        *reads = *reads && nb_record_reads(record, name);
    }
    return true;
}

static bool matches(const cJSON *record, const struct nb_option_list *list)
{
    bool reads;
    return has_values(record, list, &reads) && reads;
}

static bool names(const struct nb_option_list *list, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < list->count; ++i)
        if (!strncmp(list->item[i], name, length) &&
            (list->item[i][length] == '=' || list->item[i][length] == '\0'))
            return true;
    return false;
}

/* Where a problem lies does not matter, nor what the user excepts. */
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
    return nb_provenance_other_machine(cJSON_GetObjectItemCaseSensitive(a, "provenance"),
                                       cJSON_GetObjectItemCaseSensitive(b, "provenance")) != NULL;
}

/* Most records are of other problems: told first, as it takes the least time. */
static bool problems_differ(const cJSON *a, const cJSON *b)
{
    const cJSON *first = nb_json_path(a, "settings", "problem"), *second = nb_json_path(b, "settings", "problem");
    return cJSON_IsString(first) && cJSON_IsString(second) && strcmp(first->valuestring, second->valuestring);
}

/* "machine", or the name of the first setting, in which two records differ and must not; NULL: none. */
static const char *obstacle(const struct nb_comparison *comparison, const cJSON *a, const cJSON *b)
{
    const cJSON *member = NULL;
    if (nb_pairs_must_agree(comparison, "problem") && problems_differ(a, b))
        return "problem";
    if (nb_pairs_must_agree(comparison, "machine") && machines_differ(a, b))
        return "machine";
    cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(a, "settings"))
        if (nb_pairs_must_agree(comparison, member->string) &&
            nb_pairs_differ(a, b, member->string))
            return member->string;
    return NULL;
}

static int count_unread(const struct nb_option_list *list, const cJSON *records)
{
    const cJSON *record = NULL;
    int count = 0;
    cJSON_ArrayForEach(record, records) {
        bool reads;
        count += nb_record_is_case(record) && has_values(record, list, &reads) && !reads;
    }
    return count;
}

/* Of one set of records: a case is not compared with itself. */
static bool same_case(const struct sides *sides, const cJSON *a, const cJSON *b)
{
    return sides->first == sides->second && !nb_pairs_differ(a, b, "key");
}

/* The last of B's records that pairs with a. */
static const cJSON *partner(const struct nb_comparison *comparison, const struct sides *sides, const cJSON *a)
{
    const cJSON *record = NULL, *found = NULL;
    cJSON_ArrayForEach(record, sides->second)
        if (nb_record_is_case(record) && !obstacle(comparison, a, record) && !same_case(sides, a, record) &&
            matches(record, &comparison->b))
            found = record;
    return found;
}

/* Whether only the machine keeps a from a partner. */
static bool has_partner_elsewhere(const struct nb_comparison *comparison, const struct sides *sides, const cJSON *a)
{
    struct nb_comparison anywhere = *comparison;
    char machine[] = "machine";
    if (anywhere.across.count < (int)(sizeof anywhere.across.item / sizeof *anywhere.across.item))
        anywhere.across.item[anywhere.across.count++] = machine;
    return partner(&anywhere, sides, a) != NULL;
}

static enum nb_status append(struct nb_comparison_result *result, int *room, const cJSON *a, const cJSON *b,
                             struct nb_error *error)
{
    struct nb_pair *grown = nb_grow(result->pair, sizeof *grown, result->count, room);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d pairs", result->count + 1);
    result->pair = grown;
    result->pair[result->count++] = (struct nb_pair){.record = {a, b}};
    return NB_OK;
}

/* A later record of A with the same settings replaces the earlier one. */
static bool superseded(const struct nb_comparison *comparison, const cJSON *record)
{
    for (const cJSON *later = record->next; later; later = later->next)
        if (nb_record_is_case(later) && !obstacle(comparison, record, later) && matches(later, &comparison->a))
            return true;
    return false;
}

/* The values that records have of a setting, as many as fit. */
static void list_values(const cJSON *records, const char *name, char *text, size_t size)
{
    struct nb_words met = {0};
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        char value[NB_PLOT_NAME];
        if (nb_record_is_case(record) && nb_record_text(record, name, value, sizeof value)[0])
            nb_words_add(&met, value);
    }
    nb_words_join(&met, text, size);
}

/* Whether some record has each setting of the list, and the value where one is named. */
static enum nb_status check_settings(const char *option, const struct nb_option_list *list,
                                     const cJSON *records, struct nb_error *error)
{
    for (int i = 0; i < list->count; ++i) {
        const struct nb_option_list item = {1, {list->item[i]}};
        char name[NAME], values[300];
        const cJSON *record = NULL;
        bool found = !strchr(list->item[i], '='), reads;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list->item[i], "="), list->item[i]);
        if (!nb_records_know(records, name))
            return nb_fail(error, NB_BAD_INPUT, "--%s %s: no record has a setting %s", option,
                           list->item[i], name);
        cJSON_ArrayForEach(record, records)
            found = found || (nb_record_is_case(record) && has_values(record, &item, &reads));
        if (found)
            continue;
        list_values(records, name, values, sizeof values);
        return nb_fail(error, NB_BAD_INPUT, "--%s %s: no record has this value; values of %s: %s", option,
                       list->item[i], name, values);
    }
    return NB_OK;
}

/* Says which setting keeps A and B apart: that of the pair that agrees longest. */
static enum nb_status no_pairs(const struct nb_comparison *comparison, const struct sides *sides, int unread,
                               struct nb_error *error)
{
    const cJSON *a = NULL, *b = NULL;
    int of_a = 0, of_b = 0;
    const char *name = NULL;
    cJSON_ArrayForEach(a, sides->first) {
        if (!nb_record_is_case(a) || !matches(a, &comparison->a))
            continue;
        ++of_a;
        cJSON_ArrayForEach(b, sides->second)
            if (nb_record_is_case(b) && !same_case(sides, a, b) && matches(b, &comparison->b)) {
                const char *in_the_way = obstacle(comparison, a, b);
                name = !name || strcmp(name, "problem") == 0 ? in_the_way : name;
            }
    }
    cJSON_ArrayForEach(b, sides->second)
        of_b += nb_record_is_case(b) && matches(b, &comparison->b);
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

enum nb_status nb_pairs_find(const struct nb_comparison *comparison, const cJSON *first,
                             const cJSON *second, struct nb_comparison_result *result, struct nb_error *error)
{
    const struct sides sides = {first, second};
    const cJSON *record = NULL;
    int room = 0;
    if (check_settings("a", &comparison->a, first, error) || check_settings("b", &comparison->b, second, error) ||
        check_settings("across", &comparison->across, first, error))
        return NB_BAD_INPUT;
    result->unread = count_unread(&comparison->a, first) + count_unread(&comparison->b, second);
    cJSON_ArrayForEach(record, first) {
        if (!nb_record_is_case(record) || !matches(record, &comparison->a) || superseded(comparison, record))
            continue;
        const cJSON *other = partner(comparison, &sides, record);
        result->elsewhere += !other && has_partner_elsewhere(comparison, &sides, record);
        if (other && append(result, &room, record, other, error))
            return NB_OUT_OF_MEMORY;
    }
    return result->count ? NB_OK : no_pairs(comparison, &sides, result->unread, error);
}
