/* The verdicts as text for a terminal, and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/records/json.h"
#include "harness/records/values.h"
#include "problems/base/numbers.h"

/* The small languages of a claim: NAME:REDUCTION, and a note whose numbers are read from records. */

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

/* The range of the value that `name` reads of the records that pass, into text; lacks where none has one. */
static enum nb_status fill(const struct nb_claim *claim, struct nb_claim_records *records, const char *name,
                           const struct nb_filters *instead, FILE *stream, bool *lacks, struct nb_error *error)
{
    struct nb_claim_value value = {0};
    double least = INFINITY, largest = -INFINITY;
    const char *wrong = nb_claim_value_read(name, &value);
    bool *chosen = nb_claim_choose(claim, false, instead, records, error);
    if (!chosen)
        return NB_OUT_OF_MEMORY;
    for (int i = 0; i < records->count; ++i) {
        const double x = !wrong && chosen[i] ? nb_claim_value_of(claim, records->record[i], &value) : NAN;
        if (isnan(x))
            continue;
        least = fmin(least, x);
        largest = fmax(largest, x);
    }
    char low[32], high[32];
    snprintf(low, sizeof low, "%.3g", least);
    snprintf(high, sizeof high, "%.3g", largest);
    const bool none = wrong || least > largest;
    *lacks |= none;
    if (none)
        fprintf(stream, "(no record has %s)", name);
    else
        fprintf(stream, strcmp(low, high) ? "%s to %s" : "%s", low, high);
    free(chosen);
    return NB_OK;
}

/* One {VALUE FILTER...}; *at becomes what follows. */
static enum nb_status fill_one(const struct nb_claim *claim, struct nb_claim_records *records, const char **at,
                               FILE *stream, bool *lacks, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const char *end = strchr(*at, '}');
    char inner[512], word[4 * NB_WORD_SIZE];
    struct nb_filters instead = {0};
    snprintf(inner, sizeof inner, "%.*s", (int)(end - *at - 1), *at + 1);
    char *blank = strchr(inner, ' ');
    if (blank)
        *blank = '\0';
    const char *wrong = blank ? nb_filters_read(blank + 1, &instead, word, sizeof word) : NULL;
    *lacks |= wrong != NULL;
    if (wrong)
        fprintf(stream, "(%s \"%s\")", wrong, word);
    else
        status = fill(claim, records, inner, &instead, stream, lacks, error);
    nb_filters_free(&instead);
    *at = end + 1;
    return status;
}

enum nb_status nb_claim_fill_note(const struct nb_claim *claim, struct nb_claim_records *records,
                                  struct nb_claim_result *result, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const char *note = claim->text[NB_CLAIM_NOTE];
    size_t size = 0;
    if (!note)
        return NB_OK;
    FILE *stream = open_memstream(&result->note, &size);
    enum nb_status status = NB_OK;
    for (const char *at = note; stream && *at && !status;)
        if (*at == '{' && strchr(at, '}'))
            status = fill_one(claim, records, &at, stream, &result->note_lacks, error);
        else
            fputc(*at++, stream);
    if (!stream || fclose(stream))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the note of %s", claim->id);
    return status;
}

const char *const nb_claim_verdict_texts[NB_CLAIM_VERDICTS] = {"holds", "does not hold", "depends",
                                                               "not decided", "not testable"};
const char *const nb_claim_verdict_names[NB_CLAIM_VERDICTS] = {"holds", "does_not_hold", "depends",
                                                               "not_decided", "not_testable"};
static const char *const check_names[NB_CHECKS] = {NULL, "fine", "cannot_turn", "control_alike", "no_control",
                                                   "several_builds", "leaves_out", "leaves_none_out", "note_lacks"};
static const char *const predicate_names[] = {"at_most", "at_least", "equals"};

const char *nb_claim_demand(const struct nb_claim *claim, char *text, size_t size)
{
    NB_DECIMAL_POINT;
    static const char *const signs[] = {"<= ", ">= ", ""};
    int used = snprintf(text, size, "%s%.4g", signs[claim->predicate], claim->printed);
    if (claim->tolerance && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " within %.3g %%", 100 * claim->tolerance);
    if (claim->share < 1 && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " of %.3g %%", 100 * claim->share);
    return text;
}

/* The work that a section is of: its source up to the first comma. */
static size_t work_length(const struct nb_claim *claim)
{
    return strcspn(claim->text[NB_CLAIM_SOURCE], ",");
}

static bool same_work(const struct nb_claim *a, const struct nb_claim *b)
{
    const size_t length = work_length(a);
    return length == work_length(b) && !strncmp(a->text[NB_CLAIM_SOURCE], b->text[NB_CLAIM_SOURCE], length);
}

/* Whether it is the first of its kind and work. */
static bool first_of_work(const struct nb_claims *claims, int index)
{
    const struct nb_claim *claim = &claims->claim[index];
    for (int i = 0; i < index; ++i)
        if (claims->claim[i].system == claim->system && same_work(&claims->claim[i], claim))
            return false;
    return true;
}

/* How many claims of the work of this one there are, by verdict too: of those that match the pattern and are shown. */
static int count_work(const struct nb_claims *claims, const struct nb_claim_result *results, int index,
                      const char *pattern, int *count)
{
    int all = 0;
    for (int i = index; i < claims->count; ++i)
        if (same_work(&claims->claim[index], &claims->claim[i]) && nb_claim_chosen(&claims->claim[i], pattern) &&
            !results[i].hidden) {
            ++count[results[i].verdict];
            ++all;
        }
    return all;
}

/* A line for each source: how many of its chosen claims have which verdict. */
static void print_works(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                        FILE *stream)
{
    fprintf(stream, "%-28s %6s %6s %12s %7s %12s %13s\n", "source", "claims", "hold", "do not hold", "depend",
            "not decided", "not testable");
    for (int i = 0; i < claims->count; ++i) {
        const struct nb_claim *claim = &claims->claim[i];
        int count[NB_CLAIM_VERDICTS] = {0};
        if (claim->system || !first_of_work(claims, i))
            continue;
        const int all = count_work(claims, results, i, pattern, count);
        if (all)
            fprintf(stream, "%-28.*s %6d %6d %12d %7d %12d %13d\n", (int)work_length(claim),
                    claim->text[NB_CLAIM_SOURCE], all, count[0], count[1], count[2], count[3], count[4]);
    }
    fputc('\n', stream);
}

static void print_claim(const struct nb_claim *claim, const struct nb_claim_result *result, FILE *stream)
{
    char demand[80];
    fprintf(stream, "%-13s %s: %s%s\n", nb_claim_verdict_texts[result->verdict], claim->id,
            claim->text[NB_CLAIM_SOURCE], result->differs ? "; DIFFERS from what is expected" : "");
    fprintf(stream, "%13s %s\n", "", claim->text[NB_CLAIM_SAYS]);
    if (result->verdict == NB_CLAIM_UNTESTABLE) {
        fprintf(stream, "%13s why: %s\n", "", claim->text[NB_CLAIM_NOT_TESTABLE]);
        return;
    }
    fprintf(stream, "%13s demanded %s", "", nb_claim_demand(claim, demand, sizeof demand));
    if (claim->text[NB_CLAIM_PRINTED])
        fprintf(stream, " (printed: %s)", claim->text[NB_CLAIM_PRINTED]);
    if (result->verdict == NB_CLAIM_NOT_DECIDED)
        fprintf(stream, "; %s", result->reason);
    else
        fprintf(stream, ", here %.4g%s%s; %d of %d fulfil it", result->number, result->count > 1 ? " decides" : "",
                nb_claim_narrow(claim, result) ? ", narrowly" : "", result->fulfil, result->count);
    if (result->values)
        fprintf(stream, "; %d of %d values of %s", result->hold, result->values, claim->text[NB_CLAIM_VARIES]);
    if (result->differs)
        fprintf(stream, "; expected: %s", nb_claim_verdict_texts[claim->expected]);
    fprintf(stream, "\n%13s ", "");
    if (claim->text[NB_CLAIM_FIGURE])
        fprintf(stream, "figure %s; ", claim->text[NB_CLAIM_FIGURE]);
    fprintf(stream, "%s\n", claim->text[NB_CLAIM_COMMAND]);
    if (claim->text[NB_CLAIM_DEPARTS])
        fprintf(stream, "%13s departs: %s\n", "", claim->text[NB_CLAIM_DEPARTS]);
    if (claim->text[NB_CLAIM_LEAVES_OUT])
        fprintf(stream, "%13s leaves out by %s\n", "", claim->text[NB_CLAIM_LEAVES_OUT]);
    if (result->note)
        fprintf(stream, "%13s note: %s\n", "", result->note);
}

/* How many of each verdict there are, and how many differ. */
static int count_verdicts(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                          int *count, int *differ)
{
    int all = 0;
    *differ = 0;
    for (int i = 0; i < claims->count; ++i)
        if (nb_claim_chosen(&claims->claim[i], pattern) && !results[i].hidden) {
            ++count[results[i].verdict];
            *differ += results[i].differs;
            ++all;
        }
    return all;
}

void nb_claims_print(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                     FILE *stream)
{
    NB_DECIMAL_POINT;
    int count[NB_CLAIM_VERDICTS] = {0}, differ;
    print_works(claims, results, pattern, stream);
    for (int i = 0; i < claims->count; ++i)
        if (nb_claim_chosen(&claims->claim[i], pattern) && !results[i].hidden)
            print_claim(&claims->claim[i], &results[i], stream);
    const int all = count_verdicts(claims, results, pattern, count, &differ);
    fprintf(stream, "%d claims: %d hold, %d do not hold, %d depend, %d are not decided, %d are not testable; ", all,
            count[NB_CLAIM_HOLDS], count[NB_CLAIM_DOES_NOT_HOLD], count[NB_CLAIM_DEPENDS],
            count[NB_CLAIM_NOT_DECIDED], count[NB_CLAIM_UNTESTABLE]);
    if (differ)
        fprintf(stream, "%d differ from what %s expects\n", differ, claims->path);
    else
        fprintf(stream, "none differs from what %s expects\n", claims->path);
}

static cJSON *claim_json(const struct nb_claim *claim, const struct nb_claim_result *result)
{
    cJSON *json = cJSON_CreateObject();
    const bool testable = result->verdict != NB_CLAIM_UNTESTABLE;
    cJSON_AddStringToObject(json, "id", claim->id);
    nb_json_text(json, "source", claim->text[NB_CLAIM_SOURCE]);
    nb_json_text(json, "says", claim->text[NB_CLAIM_SAYS]);
    cJSON_AddStringToObject(json, "verdict", nb_claim_verdict_names[result->verdict]);
    nb_json_text(json, "expected", nb_claim_verdict_names[testable ? claim->expected : NB_CLAIM_UNTESTABLE]);
    NB_JSON_ADD(json, "differs", (bool)result->differs, "number", result->number);
    nb_json_text(json, "predicate", testable ? predicate_names[claim->predicate] : NULL);
    NB_JSON_ADD(json, "demanded", testable ? claim->printed : NAN, "tolerance", testable ? claim->tolerance : NAN,
                "share", testable ? claim->share : NAN);
    nb_json_text(json, "printed", claim->text[NB_CLAIM_PRINTED]);
    nb_json_text(json, "departs", claim->text[NB_CLAIM_DEPARTS]);
    nb_json_text(json, "leaves_out", claim->text[NB_CLAIM_LEAVES_OUT]);
    NB_JSON_ADD(json, "margin", result->margin, "narrow", (bool)(testable && nb_claim_narrow(claim, result)));
    nb_json_text(json, "check", check_names[result->check]);
    nb_json_text(json, "builds", result->builds ? result->build : NULL);
    nb_json_text(json, "varies", claim->text[NB_CLAIM_VARIES]);
    NB_JSON_ADD(json, "values", result->values, "values_hold", result->hold, "count", result->count,
                "fulfil", result->fulfil);
    nb_json_text(json, "reason", testable ? result->reason : claim->text[NB_CLAIM_NOT_TESTABLE]);
    nb_json_text(json, "figure", claim->text[NB_CLAIM_FIGURE]);
    nb_json_text(json, "command", claim->text[NB_CLAIM_COMMAND]);
    nb_json_text(json, "note", result->note);
    return json;
}

cJSON *nb_claims_json(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern)
{
    int count[NB_CLAIM_VERDICTS] = {0}, differ;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "command", "claims");
    cJSON *list = cJSON_AddArrayToObject(json, "claims");
    for (int i = 0; i < claims->count; ++i)
        if (nb_claim_chosen(&claims->claim[i], pattern) && !results[i].hidden)
            cJSON_AddItemToArray(list, claim_json(&claims->claim[i], &results[i]));
    count_verdicts(claims, results, pattern, count, &differ);
    for (int v = 0; v < NB_CLAIM_VERDICTS; ++v)
        cJSON_AddNumberToObject(json, nb_claim_verdict_names[v], count[v]);
    cJSON_AddNumberToObject(json, "differ", differ);
    return json;
}
