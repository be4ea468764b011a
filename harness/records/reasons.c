/* Counts texts, of which an index knows where they are. */
#include "harness/records/reasons.h"

#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/outcome.h"

void nb_reasons_add(struct nb_reasons *reasons, const cJSON *record)
{
    const char *detail = nb_json_string(record, "detail");
    if (*detail && nb_outcome_failed_to_run(record))
        nb_reasons_count(reasons, detail);
}

void nb_reasons_count(struct nb_reasons *reasons, const char *given)
{
    char text[NB_REASON];
    snprintf(text, sizeof text, "%s", given);
    const int i = nb_index_entry(&reasons->known, text, &reasons->reason, sizeof *reasons->reason, &reasons->count,
                                 &reasons->room);
    if (i < 0) {
        ++reasons->others;
        return;
    }
    struct nb_reason *reason = &reasons->reason[i];
    strcpy(reason->text, text);
    reason->first = i;
    ++reason->cases;
}

/* Those of most cases first, of as many the one that came first. */
static int by_cases(const void *a, const void *b)
{
    const struct nb_reason *x = a, *y = b;
    return x->cases == y->cases ? x->first - y->first : y->cases - x->cases;
}

int nb_reasons_sort(struct nb_reasons *reasons, int *rest)
{
    if (reasons->count)
        qsort(reasons->reason, (size_t)reasons->count, sizeof *reasons->reason, by_cases);
    /* One more is told in the line that would say that it is left out. */
    const bool all = reasons->count <= NB_REASONS_SHOWN + !reasons->others;
    const int shown = all ? reasons->count : NB_REASONS_SHOWN;
    *rest = reasons->others;
    for (int i = shown; i < reasons->count; ++i)
        *rest += reasons->reason[i].cases;
    return shown;
}

void nb_reasons_print(struct nb_reasons *reasons, FILE *stream)
{
    int rest;
    const int shown = nb_reasons_sort(reasons, &rest);
    for (int i = 0; i < shown; ++i)
        fprintf(stream, "  %d of them: %s\n", reasons->reason[i].cases, reasons->reason[i].text);
    if (rest)
        fprintf(stream, "  %d for other reasons, in `detail` of their records\n", rest);
}

void nb_reasons_free(struct nb_reasons *reasons)
{
    nb_index_free(&reasons->known);
    free(reasons->reason);
    *reasons = (struct nb_reasons){0};
}
