/* Counts texts in a table of so many; later ones share a count. */
#include "harness/records/reasons.h"

#include <string.h>

#include "harness/records/json.h"
#include "harness/records/outcome.h"

void nb_reasons_add(struct nb_reasons *reasons, const cJSON *record)
{
    char text[NB_REASON];
    int i = 0;
    const char *detail = nb_json_string(record, "detail");
    if (!*detail || !nb_outcome_failed_to_run(record))
        return;
    snprintf(text, sizeof text, "%s", detail);
    while (i < reasons->count && strcmp(reasons->text[i], text))
        ++i;
    if (i == NB_REASONS) {
        ++reasons->others;
        return;
    }
    if (i == reasons->count)
        strcpy(reasons->text[reasons->count++], text);
    ++reasons->cases[i];
}

static void exchange(struct nb_reasons *reasons, int i, int k)
{
    char text[NB_REASON];
    const int cases = reasons->cases[i];
    strcpy(text, reasons->text[i]);
    strcpy(reasons->text[i], reasons->text[k]);
    strcpy(reasons->text[k], text);
    reasons->cases[i] = reasons->cases[k];
    reasons->cases[k] = cases;
}

int nb_reasons_sort(struct nb_reasons *reasons, int *rest)
{
    for (int i = 1; i < reasons->count; ++i)
        for (int k = i; k > 0 && reasons->cases[k] > reasons->cases[k - 1]; --k)
            exchange(reasons, k, k - 1);
    const int shown = reasons->count < NB_REASONS_SHOWN ? reasons->count : NB_REASONS_SHOWN;
    *rest = reasons->others;
    for (int i = shown; i < reasons->count; ++i)
        *rest += reasons->cases[i];
    return shown;
}

void nb_reasons_print(struct nb_reasons *reasons, FILE *stream)
{
    int rest;
    const int shown = nb_reasons_sort(reasons, &rest);
    for (int i = 0; i < shown; ++i)
        fprintf(stream, "  %d of them: %s\n", reasons->cases[i], reasons->text[i]);
    if (rest)
        fprintf(stream, "  %d for other reasons, in `detail` of their records\n", rest);
}
