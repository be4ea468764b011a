/* Whether what --a, --b and --across name is in the records. */
#include <string.h>

#include "harness/records/filter.h"
#include "harness/records/record.h"
#include "harness/report/compare_private.h"

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

enum nb_status nb_pairs_check(const char *option, const struct nb_option_list *list, const cJSON *records,
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
            found = found || (nb_record_is_case(record) && nb_pairs_have(record, &item, &reads));
        if (found)
            continue;
        list_values(records, name, values, sizeof values);
        return nb_fail(error, NB_BAD_INPUT, "--%s %s: no record has this value; values of %s: %s", option,
                       list->item[i], name, values);
    }
    return NB_OK;
}
