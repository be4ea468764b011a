/* The gate of a comparison, for a script that is to stop where B is worse: by failures, by the mean of all pairs, or by
 * any one pair. Times count where the interval as a whole lies beyond what is allowed.
 *
 * The interval of a mean over pairs is how much the pairs differ, which of few pairs is little by chance, of one
 * nothing. Here it is at least as wide as the noise of the pairs makes it: of independent pairs the root of the sum of
 * squares of the widths log(high/value), over their number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/report/compare_private.h"
#include "problems/base/numbers.h"

enum { MOST_PERCENT = 1000 };

static enum nb_status refuse(const char *text, struct nb_error *error)
{
    return nb_fail(error, NB_BAD_INPUT, "--fail-if: \"%.80s\" is not fails, worse, worse:P%%, mixed or mixed:P%%, "
                   "with P from 0 to %d, as in worse:5%%", text, MOST_PERCENT);
}

enum nb_status nb_gate_read(const char *text, struct nb_gate *gate, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    static const char *const words[] = {[NB_GATE_FAILS] = "fails", [NB_GATE_WORSE] = "worse",
                                        [NB_GATE_MIXED] = "mixed"};
    const size_t length = strcspn(text, ":");
    *gate = (struct nb_gate){NB_GATE_NONE, 0};
    for (int k = NB_GATE_FAILS; k <= NB_GATE_MIXED; ++k)
        if (strlen(words[k]) == length && !strncmp(words[k], text, length))
            gate->kind = (enum nb_gate_kind)k;
    if (gate->kind == NB_GATE_NONE || (text[length] && gate->kind == NB_GATE_FAILS))
        return refuse(text, error);
    if (!text[length])
        return NB_OK;
    const char *number = text + length + 1;
    char *end;
    const double percent = strtod(number, &end);
    if (end == number || end != number + strspn(number, "0123456789.") || strcmp(end, "%") != 0 ||
        percent > MOST_PERCENT)
        return refuse(text, error);
    gate->slower = percent / 100;
    return NB_OK;
}

/* The inverse of a speed-up: B's time over A's. */
static struct nb_interval slowdown(const struct nb_interval *speed_up)
{
    return (struct nb_interval){1 / speed_up->value, 1 / speed_up->high, 1 / speed_up->low};
}

static bool is_solved(const cJSON *record)
{
    const char *ending = nb_json_string(record, "ending");
    return !strcmp(ending, "converged") || !strcmp(ending, "accuracy_floor");
}

/* Whether B alone fails. Without a tolerance pairs are compared at what both reach, and the runs' endings tell. */
static bool b_fails(const struct nb_comparison *comparison, const struct nb_pair *pair)
{
    return pair->verdict == NB_PAIR_B_FAILS ||
           (!(comparison->tolerance > 0) && is_solved(pair->record[NB_A]) && !is_solved(pair->record[NB_B]));
}

struct finding {
    const struct nb_gate *gate;
    const struct nb_comparison *comparison;
    struct nb_gate_result *result;
    bool judged;    /* something was there to be judged */
    double closest; /* least slowdown of the mean that the reason names */
};

static bool is_beyond(const struct finding *finding, const struct nb_interval *times)
{
    return times->low > 1 + finding->gate->slower;
}

static void give_reason(const struct finding *finding, const char *what, const struct nb_interval *times)
{
    struct nb_gate_result *result = finding->result;
    snprintf(result->reason, sizeof result->reason, "%.200s: B takes %.4g [%.4g, %.4g] times as long as A, %s %.4g",
             what,
             times->value, times->low, times->high, is_beyond(finding, times) ? "with its interval above"
             : "not with its whole interval above", 1 + finding->gate->slower);
}

static void judge_failures(struct finding *finding, const struct nb_comparison_part *part)
{
    const bool reached = part->tally.reached[NB_A] || part->tally.reached[NB_B];
    struct nb_gate_result *result = finding->result;
    const char *first = NULL;
    int count = 0;
    finding->judged |= reached && (finding->gate->kind == NB_GATE_FAILS || !part->both);
    for (int i = part->count - 1; i >= 0; --i)
        if (b_fails(finding->comparison, &part->pair[i])) {
            first = part->pair[i].label;
            ++count;
        }
    if (count && !result->failed)
        snprintf(result->reason, sizeof result->reason, "B alone fails in %d of %d pairs, first %.150s", count,
                 part->count, first);
    result->failed |= count > 0;
}

/* The reason is that of the mean which is closest to failing. */
static void judge_mean(struct finding *finding, const struct nb_comparison_part *part, const char *what)
{
    if (!part->tally.timed || part->tally.least < NB_COMPARE_REPETITIONS || finding->result->failed)
        return;
    const struct nb_interval times = slowdown(&part->speed_up);
    if (!finding->judged || times.low > finding->closest) {
        give_reason(finding, what, &times);
        finding->closest = times.low;
    }
    finding->judged = true;
    finding->result->failed = is_beyond(finding, &times);
}

static void judge_pairs(struct finding *finding, const struct nb_comparison_part *part)
{
    for (int i = 0; i < part->count && !finding->result->failed; ++i) {
        const struct nb_pair *pair = &part->pair[i];
        if (!isfinite(pair->speed_up.value) || nb_pair_repetitions(pair) < NB_COMPARE_REPETITIONS)
            continue;
        const struct nb_interval times = slowdown(&pair->speed_up);
        finding->judged = true;
        finding->result->failed = is_beyond(finding, &times);
        if (finding->result->failed)
            give_reason(finding, pair->label, &times);
    }
}

enum nb_status nb_gate_judge(const struct nb_gate *gate, const struct nb_comparison *comparison,
                             const struct nb_comparison_result *found, struct nb_gate_result *result,
                             struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct finding finding = {.gate = gate, .comparison = comparison, .result = result};
    const struct nb_comparison_part *parts[] = {&found->steps, &found->systems};
    static const char *const means[] = {"mean of the steps", "mean of the linear systems"};
    *result = (struct nb_gate_result){0};
    for (int k = 0; k < 2; ++k)
        judge_failures(&finding, parts[k]);
    for (int k = 0; k < 2 && gate->kind >= NB_GATE_WORSE; ++k)
        judge_mean(&finding, parts[k], means[k]);
    for (int k = 0; k < 2 && gate->kind >= NB_GATE_MIXED; ++k)
        judge_pairs(&finding, parts[k]);
    if (result->failed)
        return NB_OK;
    for (int k = 0; k < 2; ++k)
        if (found->unpaired[k])
            return nb_fail(error, NB_BAD_INPUT, "--fail-if: not decided: %d cases of %s have no record of %s, first "
                           "%.150s", found->unpaired[k], k == NB_A ? "A" : "B", k == NB_A ? "B" : "A",
                           found->alone[k]);
    if (finding.judged)
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "--fail-if: nothing to be judged: %s", gate->kind == NB_GATE_FAILS
                   ? "neither reaches the tolerance in any pair" : "no pair in which both reach the tolerance has "
                   "times of five repetitions, taken in turn in one sweep (fails judges without times)");
}
