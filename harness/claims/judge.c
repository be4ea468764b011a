/* Judges a claim: collects its records, forms the number of each pair, and lets the one decide that a share of at
 * least `share` of them is as good as (harness/claims/claims.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/records/grow.h"
#include "harness/records/record.h"

/* Records of one side, in the order of the file. */
struct side {
    const cJSON **record;
    int count, room;
};

struct numbers {
    double *x;
    int count, room, missing; /* missing: records that have no such value */
};

static bool passes(const struct nb_filters *filters, const cJSON *record)
{
    for (int i = 0; i < filters->count; ++i)
        if (!nb_filter_passes(&filters->filter[i], record))
            return false;
    return true;
}

static enum nb_status collect(const struct nb_claim *claim, const struct nb_filters *own, const cJSON *records,
                              struct side *side, struct nb_error *error)
{
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        if (!passes(&claim->where, record) || !passes(own, record))
            continue;
        const cJSON **grown = nb_grow(side->record, sizeof *grown, side->count, &side->room);
        if (!grown)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of %s", claim->id);
        side->record = grown;
        side->record[side->count++] = record;
    }
    return NB_OK;
}

static bool agree(const struct nb_words *names, const cJSON *a, const cJSON *b)
{
    char first[NB_WORD_SIZE], second[NB_WORD_SIZE];
    for (int i = 0; i < names->count; ++i)
        if (strcmp(nb_record_text(a, names->word[i], first, sizeof first),
                   nb_record_text(b, names->word[i], second, sizeof second)))
            return false;
    return true;
}

static enum nb_status add(struct numbers *numbers, double x, struct nb_error *error)
{
    double *grown = nb_grow(numbers->x, sizeof *grown, numbers->count, &numbers->room);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the numbers of a claim");
    numbers->x = grown;
    numbers->x[numbers->count++] = x;
    return NB_OK;
}

/* value(a) / over(b); with b NULL, value(a), over over(a) where there is one. */
static enum nb_status add_pair(const struct nb_claim *claim, const cJSON *a, const cJSON *b, struct numbers *numbers,
                               struct nb_error *error)
{
    const bool over = claim->over.name[0];
    const double top = nb_claim_value_of(claim, a, &claim->value);
    double bottom = 1;
    if (b || over)
        bottom = nb_claim_value_of(claim, b ? b : a, over ? &claim->over : &claim->value);
    if (isnan(top) || isnan(bottom)) {
        ++numbers->missing;
        return NB_OK;
    }
    return add(numbers, top == 0 && bottom == 0 ? 1 : top / bottom, error);
}

static enum nb_status add_pairs(const struct nb_claim *claim, const struct side *a, const struct side *b,
                                struct numbers *numbers, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0; i < a->count && !status; ++i) {
        if (!claim->b.count)
            status = add_pair(claim, a->record[i], NULL, numbers, error);
        for (int j = 0; claim->b.count && j < b->count && !status; ++j)
            if (a->record[i] != b->record[j] && agree(&claim->each, a->record[i], b->record[j]))
                status = add_pair(claim, a->record[i], b->record[j], numbers, error);
    }
    return status;
}

/* The share of a side's values that are at most `reaches`; NaN where there is no value. */
static enum nb_status share_of(const struct nb_claim *claim, const struct side *side, double *share,
                               struct numbers *all, struct nb_error *error)
{
    struct numbers numbers = {0};
    enum nb_status status = NB_OK;
    int reached = 0;
    for (int i = 0; i < side->count && !status; ++i)
        status = add_pair(claim, side->record[i], NULL, &numbers, error);
    for (int i = 0; i < numbers.count; ++i)
        reached += numbers.x[i] <= claim->reaches;
    *share = numbers.count ? (double)reached / numbers.count : NAN;
    all->missing += numbers.missing;
    free(numbers.x);
    return status;
}

static enum nb_status add_shares(const struct nb_claim *claim, const struct side *a, const struct side *b,
                                 struct numbers *numbers, struct nb_error *error)
{
    double top = NAN, bottom = 1;
    enum nb_status status = share_of(claim, a, &top, numbers, error);
    if (!status && claim->b.count)
        status = share_of(claim, b, &bottom, numbers, error);
    return status || isnan(top) || isnan(bottom) ? status : add(numbers, top / bottom, error);
}

/* The smaller, the better x fulfils the predicate; NaN fulfils none. */
static double badness(const struct nb_claim *claim, double x)
{
    const double badness = claim->predicate == NB_PREDICATE_AT_MOST    ? x
                           : claim->predicate == NB_PREDICATE_AT_LEAST ? -x
                                                                       : fabs(x - claim->printed);
    return isnan(badness) ? INFINITY : badness;
}

static bool fulfils(const struct nb_claim *claim, double x)
{
    switch (claim->predicate) {
    case NB_PREDICATE_AT_MOST:
        return x <= (1 + claim->tolerance) * claim->printed;
    case NB_PREDICATE_AT_LEAST:
        return x >= (1 - claim->tolerance) * claim->printed;
    default:
        return fabs(x - claim->printed) <= claim->tolerance * (claim->printed == 0 ? 1 : fabs(claim->printed));
    }
}

/* The x of which `rank` others are better; x is put in order on the way. */
static double select_rank(const struct nb_claim *claim, struct numbers *numbers, int rank)
{
    for (int i = 0; i <= rank; ++i) {
        int best = i;
        for (int j = i + 1; j < numbers->count; ++j)
            if (badness(claim, numbers->x[j]) < badness(claim, numbers->x[best]))
                best = j;
        const double x = numbers->x[best];
        numbers->x[best] = numbers->x[i];
        numbers->x[i] = x;
    }
    return numbers->x[rank];
}

static void decide(const struct nb_claim *claim, struct numbers *numbers, struct nb_claim_result *result)
{
    const int least = (int)ceil(claim->share * numbers->count - 1e-9);
    for (int i = 0; i < numbers->count; ++i)
        result->fulfil += fulfils(claim, numbers->x[i]);
    result->count = numbers->count;
    result->number = select_rank(claim, numbers, least > 0 ? least - 1 : 0);
    result->verdict = result->fulfil >= least ? NB_CLAIM_HOLDS : NB_CLAIM_DOES_NOT_HOLD;
}

/* Why the claim cannot be decided; false: it can. */
static bool lacks(const struct nb_claim *claim, const struct side *a, const struct side *b,
                  const struct numbers *numbers, struct nb_claim_result *result)
{
    const char *own = claim->text[a->count ? NB_CLAIM_B : NB_CLAIM_A];
    if (a->count == 0 || (claim->b.count && b->count == 0))
        snprintf(result->reason, sizeof result->reason, "no record passes %s%s%s", claim->text[NB_CLAIM_WHERE],
                 own ? " " : "", own ? own : "");
    else if (numbers->count == 0 && numbers->missing)
        snprintf(result->reason, sizeof result->reason, "none of %d records has %s", a->count + b->count,
                 claim->text[NB_CLAIM_VALUE]);
    else if (numbers->count < claim->needs)
        snprintf(result->reason, sizeof result->reason, "needs %d numbers, and there are %d", claim->needs,
                 numbers->count);
    return result->reason[0];
}

enum nb_status nb_claim_judge(const struct nb_claim *claim, const cJSON *records, bool complete,
                              struct nb_claim_result *result, struct nb_error *error)
{
    struct side a = {0}, b = {0};
    struct numbers numbers = {0};
    *result = (struct nb_claim_result){.verdict = NB_CLAIM_UNTESTABLE, .number = NAN};
    if (claim->text[NB_CLAIM_NOT_TESTABLE])
        return NB_OK;
    enum nb_status status = collect(claim, &claim->a, records, &a, error);
    if (!status && claim->b.count)
        status = collect(claim, &claim->b, records, &b, error);
    if (!status)
        status = isnan(claim->reaches) ? add_pairs(claim, &a, &b, &numbers, error)
                                       : add_shares(claim, &a, &b, &numbers, error);
    if (!status && lacks(claim, &a, &b, &numbers, result))
        result->verdict = NB_CLAIM_NOT_DECIDED;
    else if (!status)
        decide(claim, &numbers, result);
    result->differs = result->verdict == NB_CLAIM_NOT_DECIDED ? complete : result->verdict != claim->expected;
    free(a.record);
    free(b.record);
    free(numbers.x);
    return status;
}
