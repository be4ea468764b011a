/* The small languages of a claim: NAME:REDUCTION, and a note whose numbers are read from records. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/records/values.h"
#include "problems/base/numbers.h"

const char *nb_claim_value_read(const char *text, struct nb_claim_value *value)
{
    const char *colon = strchr(text, ':');
    char *end;
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (!length || length >= sizeof value->name || strchr(text, ' '))
        return "must be NAME or NAME:REDUCTION, in less than 64 characters";
    snprintf(value->name, sizeof value->name, "%.*s", (int)length, text);
    const int reduction = colon ? nb_choice_index(NB_CLAIM_REDUCTIONS, colon + 1) : NB_REDUCE_NONE;
    value->reduction = (enum nb_claim_reduction)reduction;
    if (reduction >= 0)
        return NULL;
    const long index = strtol(colon + 1, &end, 10);
    value->reduction = NB_REDUCE_ENTRY;
    value->index = (int)index;
    return end == colon + 1 || *end || index < 0 || index > 1000000
               ? "unknown reduction; allowed: " NB_CLAIM_REDUCTIONS ", or an index from 0 to 1000000"
               : NULL;
}

/* The range of the value that `name` reads of the records that pass, into text. */
static void fill(const struct nb_claim *claim, const cJSON *records, const char *name,
                 const struct nb_filters *instead, FILE *stream)
{
    struct nb_claim_value value = {0};
    double least = INFINITY, largest = -INFINITY;
    const cJSON *record = NULL;
    const char *wrong = nb_claim_value_read(name, &value);
    cJSON_ArrayForEach(record, records) {
        const double x = !wrong && nb_claim_passes(claim, instead, record) ? nb_claim_value_of(claim, record, &value)
                                                                           : NAN;
        if (isnan(x))
            continue;
        least = fmin(least, x);
        largest = fmax(largest, x);
    }
    char low[32], high[32];
    snprintf(low, sizeof low, "%.3g", least);
    snprintf(high, sizeof high, "%.3g", largest);
    if (wrong || least > largest)
        fprintf(stream, "(no record has %s)", name);
    else
        fprintf(stream, strcmp(low, high) ? "%s to %s" : "%s", low, high);
}

/* One {VALUE FILTER...}; returns what follows. */
static const char *fill_one(const struct nb_claim *claim, const cJSON *records, const char *at, FILE *stream)
{
    const char *end = strchr(at, '}');
    char inner[512], word[4 * NB_WORD_SIZE];
    struct nb_filters instead = {0};
    snprintf(inner, sizeof inner, "%.*s", (int)(end - at - 1), at + 1);
    char *blank = strchr(inner, ' ');
    if (blank)
        *blank = '\0';
    const char *wrong = blank ? nb_filters_read(blank + 1, &instead, word, sizeof word) : NULL;
    if (wrong)
        fprintf(stream, "(%s \"%s\")", wrong, word);
    else
        fill(claim, records, inner, &instead, stream);
    nb_filters_free(&instead);
    return end + 1;
}

enum nb_status nb_claim_fill_note(const struct nb_claim *claim, const cJSON *records, struct nb_claim_result *result,
                                  struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const char *note = claim->text[NB_CLAIM_NOTE];
    size_t size = 0;
    if (!note)
        return NB_OK;
    FILE *stream = open_memstream(&result->note, &size);
    for (const char *at = note; stream && *at;)
        if (*at == '{' && strchr(at, '}'))
            at = fill_one(claim, records, at, stream);
        else
            fputc(*at++, stream);
    if (!stream || fclose(stream))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the note of %s", claim->id);
    return NB_OK;
}
