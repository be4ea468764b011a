/* Which values of a page's first axis are compared: each against a baseline, or with a candidate and no baseline the
 * candidate against each (harness/report/compare.h). */
#include <stdint.h>
#include <string.h>

#include "harness/report/page_private.h"

enum { TEXT = NB_PAGE_VALUE + 64 };

bool nb_page_add_record(cJSON *records, const cJSON *record)
{
    return cJSON_AddItemReferenceToArray(records, (cJSON *)(uintptr_t)record);
}

int nb_page_value_index(const struct nb_axis *axis, const char *value)
{
    for (int i = 0; value && i < axis->count; ++i)
        if (!strcmp(axis->value[i], value))
            return i;
    return -1;
}

enum nb_status nb_page_check_values(const struct nb_page_cases *cases, struct nb_error *error)
{
    const char *const asked[] = {cases->page->baseline, cases->page->candidate};
    for (int i = 0; i < 2; ++i)
        if (asked[i] && nb_page_value_index(&cases->axis[0], asked[i]) < 0)
            return nb_fail(error, NB_BAD_INPUT, "no case has %s=%s", cases->axis[0].name, asked[i]);
    return NB_OK;
}

int nb_page_matches(const struct nb_page_cases *cases, struct nb_page_match *match)
{
    const struct nb_axis *axis = &cases->axis[0];
    const int candidate = nb_page_value_index(axis, cases->page->candidate);
    const int baseline = nb_page_value_index(axis, cases->page->baseline);
    int count = 0;
    const int first = baseline < 0 ? 0 : baseline;
    const bool each_with_candidate = candidate >= 0 && baseline < 0;
    for (int v = 0; v < axis->count && count < NB_PAGE_METHODS; ++v) {
        if (each_with_candidate && v != candidate)
            match[count++] = (struct nb_page_match){v, candidate};
        else if (!each_with_candidate && (candidate < 0 || v == candidate) && v != first)
            match[count++] = (struct nb_page_match){first, v};
    }
    return count;
}

/* The cases that have the value, which share what they hold with the records; NULL where memory is short. A
 * comparison looks through all that it is given, again and again. */
static cJSON *cases_of(const struct nb_page_cases *cases, int value)
{
    cJSON *records = cJSON_CreateArray();
    bool complete = records;
    for (int i = 0; i < cases->count && complete; ++i)
        if (cases->axis[0].of[i] == value)
            complete = nb_page_add_record(records, cases->item[i].record);
    if (complete)
        return records;
    cJSON_Delete(records);
    return NULL;
}

enum nb_status nb_page_compare(const struct nb_page_cases *cases, struct nb_page_match match,
                               struct nb_page_comparison *made, struct nb_error *error)
{
    char a[TEXT], b[TEXT];
    const struct nb_axis *axis = &cases->axis[0];
    *made = (struct nb_page_comparison){.first = cases_of(cases, match.a), .second = cases_of(cases, match.b)};
    if (!made->first || !made->second)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the comparisons");
    snprintf(a, sizeof a, "%s=%s", axis->name, axis->value[match.a]);
    snprintf(b, sizeof b, "%s=%s", axis->name, axis->value[match.b]);
    const struct nb_comparison comparison = {.a = {1, {a}},
                                             .b = {1, {b}},
                                             .across = {cases->page->across != NULL, {cases->page->across}},
                                             .tolerance = cases->tolerance};
    return nb_compare_records(&comparison, made->first, made->second, &made->result, error);
}

void nb_page_comparison_free(struct nb_page_comparison *made)
{
    nb_comparison_free(&made->result);
    cJSON_Delete(made->first);
    cJSON_Delete(made->second);
}
