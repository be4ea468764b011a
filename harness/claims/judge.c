/* Judges a claim: collects its records, forms the number of each pair, and lets the one decide that a share of at
 * least `share` of them is as good as; with `varies` once for each value (harness/claims/claims.h). A number that
 * nobody knows is NaN, and decides neither way: that of a run that broke down, which is counted apart, a ratio of times
 * that scatter by more than what it would take to turn it, or infinite over infinite, as neither side got to what is
 * asked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "problems/base/sorted.h"

/* Records of one side, in the order of the file. */
struct side {
    const cJSON **record;
    int count;
};

struct numbers {
    double *x;
    int count, room;
    int missing; /* records that have no such value */
    int broken;  /* those of x that are of runs that broke down, NaN */
    int scatter; /* those that are ratios of times which scatter too much, NaN */
    bool exchanged;
};

/* What one verdict comes of. */
struct judgement {
    const struct nb_claim *claim;
    const struct nb_filters *instead; /* or NULL */
    bool exchanged;
    const char *varied; /* the value of `varies` that is judged; NULL: all */
    struct side a, b;
    struct numbers numbers;
    int unconverged;
};

/* b's filters may name the setting themselves: what all values are compared with. */
static bool is_varied(const struct judgement *judgement, bool of_b, const cJSON *record)
{
    char text[NB_WORD_SIZE];
    const char *name = judgement->claim->text[NB_CLAIM_VARIES];
    return !judgement->varied || (of_b && nb_filters_name(&judgement->claim->b, name)) ||
           !strcmp(nb_record_text(record, name, text, sizeof text), judgement->varied);
}

static enum nb_status collect(struct judgement *judgement, bool of_b, struct nb_claim_records *records,
                              struct nb_error *error)
{
    const struct nb_claim *claim = judgement->claim;
    struct side *side = of_b ? &judgement->b : &judgement->a;
    bool *chosen = nb_claim_choose(claim, of_b, judgement->instead, records, error);
    side->record = malloc(((size_t)records->count + 1) * sizeof *side->record);
    if (!side->record || !chosen) {
        free(chosen);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records of %s", claim->id);
    }
    for (int i = 0; i < records->count; ++i) {
        const cJSON *record = records->record[i];
        if (!chosen[i] || !is_varied(judgement, of_b, record))
            continue;
        side->record[side->count++] = record;
        if (claim->converged.name[0] && (nb_claim_broke_down(claim, record, &claim->converged) ||
                                         !(nb_claim_value_of(claim, record, &claim->converged) <= claim->converged_at)))
            ++judgement->unconverged;
    }
    free(chosen);
    return NB_OK;
}

bool nb_claim_agree(const struct nb_words *names, const cJSON *a, const cJSON *b)
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
    if (!NB_GROW(numbers->x, numbers->count, &numbers->room))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the numbers of a claim");
    numbers->x[numbers->count++] = x;
    return NB_OK;
}

static enum nb_status add_scattered(struct numbers *numbers, struct nb_error *error)
{
    ++numbers->scatter;
    return add(numbers, NAN, error);
}

struct quotient {
    double x, over; /* value / over, and over, 1 without one */
    bool missing, broken;
};

/* value(record), over over(record) where there is one. Over something infinite, a bound that bounds nothing, there is
 * no number: 0 would fulfil any. */
static struct quotient divide(const struct nb_claim *claim, const struct nb_claim_value *value, const cJSON *record)
{
    const bool has_over = claim->over.name[0];
    const double top = nb_claim_value_of(claim, record, value);
    const double over = has_over ? nb_claim_value_of(claim, record, &claim->over) : 1;
    return (struct quotient){.x = top == 0 && over == 0 ? 1 : top / over,
                             .over = over,
                             .missing = isnan(top) || !isfinite(over),
                             .broken = nb_claim_broke_down(claim, record, value) ||
                                       (has_over && nb_claim_broke_down(claim, record, &claim->over))};
}

static int times_over(const struct nb_claim *claim, const struct nb_claim_value *value, const cJSON *record,
                      double over, double *seconds)
{
    const int count = nb_claim_times(claim, record, value, seconds);
    for (int i = 0; i < count; ++i)
        seconds[i] /= over;
    return count;
}

/* The quotient of a over that of b; with b NULL, that of a. */
static enum nb_status add_pair(const struct nb_claim *claim, const struct nb_claim_value *value, const cJSON *a,
                               const cJSON *b, struct numbers *numbers, struct nb_error *error)
{
    const struct quotient top = divide(claim, value, a);
    const struct quotient bottom = b ? divide(claim, value, b) : (struct quotient){.x = 1};
    if (top.missing || bottom.missing) {
        ++numbers->missing;
        return NB_OK;
    }
    if (top.broken || bottom.broken) {
        ++numbers->broken;
        return add(numbers, NAN, error);
    }
    /* A cost is infinite where the error is not reached, and a median of times where nothing was repeated. */
    const bool finite = isfinite(top.x) && isfinite(bottom.x);
    if (b && nb_claim_is_time(claim) && (finite || isnan(claim->accuracy))) {
        double first[NB_OUTCOME_REPETITIONS], second[NB_OUTCOME_REPETITIONS];
        const int count = times_over(claim, value, a, top.over, first);
        const int others = times_over(claim, value, b, bottom.over, second);
        if (nb_claim_scatters(claim, first, count, second, others, numbers->exchanged))
            return add_scattered(numbers, error);
    }
    return add(numbers, top.x == 0 && bottom.x == 0 ? 1 : top.x / bottom.x, error);
}

static enum nb_status add_pairs(struct judgement *judgement, const struct nb_claim_value *value,
                                struct nb_error *error)
{
    const struct nb_claim *claim = judgement->claim;
    const struct side *a = &judgement->a, *b = &judgement->b;
    enum nb_status status = NB_OK;
    for (int i = 0; i < a->count && !status; ++i) {
        if (!claim->b.count)
            status = add_pair(claim, value, a->record[i], NULL, &judgement->numbers, error);
        for (int j = 0; claim->b.count && j < b->count && !status; ++j)
            if (a->record[i] != b->record[j] && nb_claim_agree(&claim->each, a->record[i], b->record[j]))
                status = add_pair(claim, value, a->record[i], b->record[j], &judgement->numbers, error);
    }
    return status;
}

/* A side's values, in ascending order. A run that broke down has not reached `reaches`, and lies above the median. */
static enum nb_status find_values(const struct nb_claim *claim, const struct nb_claim_value *value,
                                  const struct side *side, struct numbers *values, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0; i < side->count && !status; ++i)
        status = add_pair(claim, value, side->record[i], NULL, values, error);
    for (int i = 0; i < values->count; ++i)
        values->x[i] = isnan(values->x[i]) ? INFINITY : values->x[i];
    nb_sort(values->x, values->count, sizeof *values->x, nb_compare_doubles);
    return status;
}

/* The share of them that are at most `reaches`, or their median; NaN where there is no value. */
static double pool(const struct nb_claim *claim, const struct numbers *values)
{
    const int n = values->count;
    int reached = 0;
    for (int i = 0; i < n; ++i)
        reached += values->x[i] <= claim->reaches;
    if (!n)
        return NAN;
    return claim->medians ? (values->x[(n - 1) / 2] + values->x[n / 2]) / 2 : (double)reached / n;
}

/* Whether the medians are of times that scatter too much; of more than an interval is of nobody asks. */
static bool medians_scatter(const struct judgement *judgement, const struct numbers *a, const struct numbers *b)
{
    const int most = NB_OUTCOME_REPETITIONS;
    return judgement->claim->medians && nb_claim_is_time(judgement->claim) && a->count <= most && b->count <= most &&
           isfinite(a->x[a->count - 1]) && isfinite(b->x[b->count - 1]) &&
           nb_claim_scatters(judgement->claim, a->x, a->count, b->x, b->count, judgement->exchanged);
}

static enum nb_status add_pooled(struct judgement *judgement, const struct nb_claim_value *value,
                                 struct nb_error *error)
{
    const struct nb_claim *claim = judgement->claim;
    struct numbers a = {0}, b = {0}, *numbers = &judgement->numbers;
    enum nb_status status = find_values(claim, value, &judgement->a, &a, error);
    if (!status && claim->b.count)
        status = find_values(claim, value, &judgement->b, &b, error);
    const double top = pool(claim, &a), bottom = claim->b.count ? pool(claim, &b) : 1;
    numbers->missing += a.missing + b.missing;
    if (!status && !isnan(top) && !isnan(bottom))
        status = b.count && medians_scatter(judgement, &a, &b)
                     ? add_scattered(numbers, error)
                     : add(numbers, top == 0 && bottom == 0 ? 1 : top / bottom, error);
    free(a.x);
    free(b.x);
    return status;
}

/* All x, at each index of `along` if it is given. */
static enum nb_status find_numbers(struct judgement *judgement, struct nb_error *error)
{
    const struct nb_claim *claim = judgement->claim;
    struct nb_claim_value value = claim->value;
    enum nb_status status = NB_OK;
    judgement->numbers.exchanged = judgement->exchanged;
    for (int k = claim->along[0]; k <= claim->along[1] && !status; ++k) {
        if (k >= 0) {
            value.reduction = NB_REDUCE_ENTRY;
            value.index = k;
        }
        status = claim->medians || !isnan(claim->reaches) ? add_pooled(judgement, &value, error)
                                                          : add_pairs(judgement, &value, error);
    }
    for (int i = 0; judgement->exchanged && i < judgement->numbers.count; ++i)
        judgement->numbers.x[i] = 1 / judgement->numbers.x[i];
    return status;
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

/* Says which numbers leave the claim undecided, and whether it is for want of those of broken runs alone, or of times
 * alone. */
static void say_unknown(const struct numbers *numbers, int unknown, int lacking, struct nb_claim_result *result)
{
    const int counts[] = {numbers->broken, numbers->scatter, unknown - numbers->broken - numbers->scatter};
    static const char *const whys[] = {"are of runs that broke down", "are of times that scatter by more",
                                       "are infinite over infinite"};
    size_t used = 0;
    for (int i = 0; i < 3; ++i)
        if (counts[i] && used < sizeof result->reason)
            used += (size_t)snprintf(result->reason + used, sizeof result->reason - used, "%s%d of %d numbers %s",
                                     used ? ", " : "", counts[i], numbers->count, whys[i]);
    if (used < sizeof result->reason)
        snprintf(result->reason + used, sizeof result->reason - used, ", and could turn it");
    result->verdict = NB_CLAIM_NOT_DECIDED;
    result->broke_down = unknown - numbers->broken < lacking;
    result->scatters = unknown - numbers->scatter < lacking;
}

/* The claim holds where enough numbers fulfil the predicate, and does not where too few would if all that are unknown
 * did; the number that decides is of the others. One that is not finite decides nothing. */
static void decide(const struct nb_claim *claim, struct numbers *numbers, struct nb_claim_result *result)
{
    const int needed = (int)ceil(claim->share * numbers->count - 1e-9), least = needed > 0 ? needed : 1;
    int unknown = 0;
    for (int i = 0; i < numbers->count; ++i) {
        result->fulfil += fulfils(claim, numbers->x[i]);
        unknown += isnan(numbers->x[i]);
    }
    const bool holds = result->fulfil >= least;
    result->count = numbers->count;
    if (!holds && result->fulfil + unknown >= least) {
        say_unknown(numbers, unknown, least - result->fulfil, result);
        return;
    }
    result->number = select_rank(claim, numbers, least - 1 - (holds ? 0 : unknown));
    result->verdict = holds ? NB_CLAIM_HOLDS : NB_CLAIM_DOES_NOT_HOLD;
    result->margin = nb_claim_margin(claim, result->number);
    if (isfinite(result->number))
        return;
    result->verdict = NB_CLAIM_NOT_DECIDED;
    snprintf(result->reason, sizeof result->reason, "the number that decides is not finite");
}

/* Why the claim cannot be decided; false: it can. */
static bool lacks(const struct judgement *judgement, struct nb_claim_result *result)
{
    const struct nb_claim *claim = judgement->claim;
    const struct side *a = &judgement->a, *b = &judgement->b;
    const struct numbers *numbers = &judgement->numbers;
    const char *own = claim->text[a->count ? NB_CLAIM_B : NB_CLAIM_A];
    result->lacks = true;
    if (a->count == 0 || (claim->b.count && b->count == 0))
        snprintf(result->reason, sizeof result->reason, "no record passes %s%s%s", claim->text[NB_CLAIM_WHERE],
                 own ? " " : "", own ? own : "");
    else if (numbers->count == 0 && numbers->missing)
        snprintf(result->reason, sizeof result->reason, "none of %d records has %s", a->count + b->count,
                 claim->text[NB_CLAIM_VALUE]);
    else if (numbers->count < claim->needs)
        snprintf(result->reason, sizeof result->reason, "needs %d numbers, and there are %d", claim->needs,
                 numbers->count);
    else
        result->lacks = false;
    if (!result->lacks && judgement->unconverged)
        snprintf(result->reason, sizeof result->reason, "%d of %d runs have not converged: %s %.3g",
                 judgement->unconverged, a->count + b->count, "their error stays above", claim->converged_at);
    return result->reason[0];
}

/* One verdict, of all values of `varies` or of one. */
static enum nb_status judge_once(struct judgement *judgement, struct nb_claim_records *records,
                                 struct nb_claim_result *result, struct nb_error *error)
{
    const struct nb_claim *claim = judgement->claim;
    *result = (struct nb_claim_result){.number = NAN, .margin = NAN};
    enum nb_status status = collect(judgement, false, records, error);
    if (!status && claim->b.count)
        status = collect(judgement, true, records, error);
    status = status ? status : find_numbers(judgement, error);
    if (!status && lacks(judgement, result))
        result->verdict = NB_CLAIM_NOT_DECIDED;
    else if (!status)
        decide(claim, &judgement->numbers, result);
    free(judgement->a.record);
    free(judgement->b.record);
    free(judgement->numbers.x);
    return status;
}

/* The values of `varies` that a's records have. */
static enum nb_status find_varied(const struct judgement *judgement, struct nb_claim_records *records,
                                  struct nb_words *values, struct nb_error *error)
{
    char text[NB_WORD_SIZE];
    const char *name = judgement->claim->text[NB_CLAIM_VARIES];
    bool *chosen = nb_claim_choose(judgement->claim, false, judgement->instead, records, error);
    for (int i = 0; chosen && i < records->count; ++i)
        if (chosen[i])
            nb_words_add(values, nb_record_text(records->record[i], name, text, sizeof text));
    free(chosen);
    return chosen ? NB_OK : NB_OUT_OF_MEMORY;
}

/* Takes one value's verdict into that of all. The nearest change is of the value that is nearest to turning; but if
 * they differ it takes all those that hold, or all that do not, to make them one. */
static void merge(const struct nb_claim_result *one, struct nb_claim_result *all, double *farthest)
{
    const bool first = all->values == 0, holds = one->verdict == NB_CLAIM_HOLDS;
    if (!first && all->verdict == NB_CLAIM_NOT_DECIDED)
        return;
    if (first || one->verdict == NB_CLAIM_NOT_DECIDED || one->margin < all->margin) {
        const struct nb_claim_result before = *all;
        *all = *one;
        all->values = before.values;
        all->hold = before.hold;
        all->count = before.count + one->count;
        all->fulfil = before.fulfil + one->fulfil;
    } else {
        all->count += one->count;
        all->fulfil += one->fulfil;
    }
    all->values += 1;
    all->hold += holds;
    farthest[holds] = fmax(farthest[holds], one->margin);
}

static enum nb_status judge_values(const struct judgement *each, struct nb_claim_records *records,
                                   struct nb_claim_result *all, struct nb_error *error)
{
    const struct nb_claim *claim = each->claim;
    double farthest[2] = {1, 1}; /* of the values that do not hold, and of those that do */
    struct nb_words *values = calloc(1, sizeof *values);
    if (!values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the values of a claim");
    enum nb_status status = find_varied(each, records, values, error);
    for (int i = 0; i < values->count && !status; ++i) {
        struct judgement judgement = *each;
        struct nb_claim_result one;
        judgement.varied = values->word[i];
        status = judge_once(&judgement, records, &one, error);
        if (!status)
            merge(&one, all, farthest);
    }
    const bool decided = all->values && all->verdict != NB_CLAIM_NOT_DECIDED;
    if (!status && values->count < NB_CLAIM_VARIED && (decided || !values->count)) {
        all->verdict = NB_CLAIM_NOT_DECIDED;
        all->lacks = true;
        snprintf(all->reason, sizeof all->reason, "needs %d values of %s, and there are %d", NB_CLAIM_VARIED,
                 claim->text[NB_CLAIM_VARIES], values->count);
    } else if (decided && all->hold && all->hold < all->values) {
        all->verdict = NB_CLAIM_DEPENDS;
        all->margin = fmin(farthest[0], farthest[1]);
    }
    free(values);
    return status;
}

enum nb_status nb_claim_judge_as(const struct nb_claim *claim, struct nb_claim_records *records,
                                 const struct nb_filters *instead, bool exchanged, struct nb_claim_result *result,
                                 struct nb_error *error)
{
    struct judgement judgement = {.claim = claim, .instead = instead, .exchanged = exchanged};
    *result = (struct nb_claim_result){.number = NAN, .margin = NAN};
    return claim->text[NB_CLAIM_VARIES] ? judge_values(&judgement, records, result, error)
                                        : judge_once(&judgement, records, result, error);
}

/* The commits of the program that made the claim's records. */
static enum nb_status find_builds(const struct nb_claim *claim, struct nb_claim_records *records,
                                  struct nb_claim_result *result, struct nb_error *error)
{
    bool *of_a = nb_claim_choose(claim, false, NULL, records, error);
    bool *of_b = nb_claim_choose(claim, true, NULL, records, error);
    struct nb_words *builds = calloc(1, sizeof *builds);
    const bool held = of_a && of_b && builds;
    for (int i = 0; held && i < records->count; ++i) {
        const bool chosen = of_a[i] || of_b[i];
        const cJSON *commit = chosen ? nb_json_path(records->record[i], "provenance", "commit") : NULL;
        if (cJSON_IsString(commit))
            nb_words_add(builds, commit->valuestring);
    }
    if (held) {
        result->builds = builds->count;
        nb_words_join(builds, result->build, sizeof result->build);
    }
    free(of_a);
    free(of_b);
    free(builds);
    return held ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the builds of a claim");
}

/* A time that another machine does not decide, or decides alone, contradicts no verdict. */
static bool is_of_machine(const struct nb_claim *claim, const struct nb_claim_result *result)
{
    return result->scatters || (nb_claim_is_time(claim) && claim->expected == NB_CLAIM_NOT_DECIDED);
}

enum nb_status nb_claim_judge(const struct nb_claim *claim, struct nb_claim_records *records, bool complete,
                              struct nb_claim_result *result, struct nb_error *error)
{
    *result = (struct nb_claim_result){.verdict = NB_CLAIM_UNTESTABLE, .number = NAN, .margin = NAN};
    if (claim->text[NB_CLAIM_NOT_TESTABLE])
        return NB_OK;
    enum nb_status status = nb_claim_judge_as(claim, records, NULL, false, result, error);
    const bool counts = complete || !is_of_machine(claim, result);
    result->differs = result->lacks ? complete : counts && result->verdict != claim->expected;
    status = status ? status : find_builds(claim, records, result, error);
    return status ? status : nb_claim_fill_note(claim, records, result, error);
}

void nb_claim_results_free(struct nb_claim_result *results, int count)
{
    for (int i = 0; results && i < count; ++i)
        free(results[i].note);
    free(results);
}
