/* Which records pass a claim's filters. Claims share their filters, so whether a record passes one is found once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"

enum { PASSES = 1,
       FAILS = 2 }; /* 0: nobody has asked yet */

enum nb_status nb_claim_records_open(const cJSON *list, struct nb_claim_records *records, struct nb_error *error)
{
    const cJSON *record = NULL;
    *records = (struct nb_claim_records){.record = malloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof record)};
    if (!records->record)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of claims");
    cJSON_ArrayForEach(record, list)
        records->record[records->count++] = record;
    return NB_OK;
}

void nb_claim_records_close(struct nb_claim_records *records)
{
    for (int i = 0; i < records->filters; ++i)
        free(records->known[i]);
    free(records->known);
    free(records->record);
    nb_index_free(&records->texts);
}

/* What is known of each record and this filter; NULL where memory is short. */
static unsigned char *known_of(struct nb_claim_records *records, const struct nb_filter *filter)
{
    char text[sizeof *filter];
    int used = snprintf(text, sizeof text, "%s%s=", filter->name, filter->equal ? "" : "!");
    for (int i = 0; i < filter->values.count; ++i)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s,", filter->values.word[i]);
    const int number = nb_index_entry(&records->texts, text, &records->known, sizeof *records->known,
                                      &records->filters, &records->room);
    if (number >= 0 && !records->known[number])
        records->known[number] = calloc((size_t)records->count + 1, 1);
    return number < 0 ? NULL : records->known[number];
}

/* Leaves those that pass the filters, but for those of a name in `but`; with `only` those of a name in it alone. */
static bool narrow(struct nb_claim_records *records, const struct nb_filters *filters, const struct nb_filters *but,
                   const struct nb_filters *only, bool *chosen)
{
    for (int k = 0; k < filters->count; ++k) {
        const struct nb_filter *filter = &filters->filter[k];
        if ((but && nb_filters_name(but, filter->name)) || (only && !nb_filters_name(only, filter->name)))
            continue;
        unsigned char *known = known_of(records, filter);
        if (!known)
            return false;
        for (int i = 0; i < records->count; ++i) {
            if (chosen[i] && !known[i])
                known[i] = nb_filter_passes(filter, records->record[i]) ? PASSES : FAILS;
            chosen[i] &= known[i] == PASSES;
        }
    }
    return true;
}

bool *nb_claim_choose(const struct nb_claim *claim, bool of_b, const struct nb_filters *instead,
                      struct nb_claim_records *records, struct nb_error *error)
{
    bool *chosen = malloc((size_t)records->count + 1);
    bool held = chosen;
    if (held)
        memset(chosen, !of_b || claim->b.count, (size_t)records->count);
    held = held && narrow(records, &claim->where, instead, NULL, chosen) &&
           narrow(records, of_b ? &claim->b : &claim->a, of_b ? NULL : instead, NULL, chosen) &&
           (!instead || narrow(records, instead, NULL, of_b ? &claim->where : NULL, chosen));
    if (held)
        return chosen;
    free(chosen);
    nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of %s", claim->id);
    return NULL;
}
