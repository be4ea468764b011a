/* What the pairs of one kind say together: how often A and B reach the tolerance and which is faster, and the verdict
 * that follows by the rules of compare_words.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/report/compare_private.h"
#include "problems/base/numbers.h"

/* The gate of a comparison, for a script that is to stop where B is worse: by failures, by the mean of all pairs, or by
 * any one pair. Times count where the interval as a whole lies beyond what is allowed.
 *
 * The interval of a mean over pairs is how much the pairs differ, which of few pairs is little by chance, of one
 * nothing. Here it is at least as wide as the noise of the pairs makes it: of independent pairs the root of the sum of
 * squares of the widths log(high/value), over their number. */

enum { MOST_PERCENT = 1000 };

static enum nb_status refuse(const char *text, struct nb_error *error)
{
    return nb_fail(error, NB_BAD_INPUT, "--fail-if: \"%.80s\" is not fails, iterations:P%%, worse:P%% or mixed:P%%, "
                   "with P from 0 to %d, which may be left out, as in worse:5%%", text, MOST_PERCENT);
}

enum nb_status nb_gate_read(const char *text, struct nb_gate *gate, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    static const char *const words[] = {[NB_GATE_FAILS] = "fails", [NB_GATE_ITERATIONS] = "iterations",
                                        [NB_GATE_WORSE] = "worse", [NB_GATE_MIXED] = "mixed"};
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

static bool is_solved(const struct nb_pair *pair, int side)
{
    return nb_outcome_is_solved(pair->record[side]) && isfinite(pair->outcome[side].best);
}

/* Whether B alone fails. Without a tolerance pairs are compared at what both reach, and the runs' endings tell. */
static bool b_fails(const struct nb_comparison *comparison, const struct nb_pair *pair)
{
    return pair->verdict == NB_PAIR_B_FAILS ||
           (!(comparison->tolerance > 0) && is_solved(pair, NB_A) && !is_solved(pair, NB_B));
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

/* Iterations of a side until the tolerance, of the method or of its linear solver; NaN where they are not known. */
static double iterations_of(const struct nb_pair *pair, int side, bool linear)
{
    const double count = linear ? pair->effort[side].linear_iterations : pair->outcome[side].iterations;
    return count > 0 ? count : NAN;
}

/* The geometric mean over the problems of B's iterations over A's; NaN where there are none. */
static double iteration_ratio(const struct nb_comparison_part *part, bool linear)
{
    double sum = 0, problems = 0;
    for (int i = 0; i < part->count; ++i) {
        const struct nb_pair *pair = &part->pair[i];
        const double ratio = iterations_of(pair, NB_B, linear) / iterations_of(pair, NB_A, linear);
        int alike = 0;
        for (int k = 0; k < part->count && !pair->copy && !isnan(ratio); ++k)
            alike += !part->pair[k].copy && !strcmp(part->pair[k].problem, pair->problem) &&
                     !isnan(iterations_of(&part->pair[k], NB_A, linear) + iterations_of(&part->pair[k], NB_B, linear));
        if (alike) {
            sum += log(ratio) / alike;
            problems += 1. / alike;
        }
    }
    return exp(sum / problems);
}

/* Iterations do not depend on the machine's load, so that they may be of two runs. */
static void judge_iterations(struct finding *finding, const struct nb_comparison_part *part, const char *what)
{
    struct nb_gate_result *result = finding->result;
    for (int linear = 0; linear < 2 && !result->failed; ++linear) {
        const double ratio = iteration_ratio(part, linear);
        if (isnan(ratio))
            continue;
        result->failed = ratio > 1 + finding->gate->slower;
        if (!finding->judged || ratio > finding->closest || result->failed) {
            snprintf(result->reason, sizeof result->reason, "%s: B takes %.4g times as many %siterations as A, %s %.4g",
                     what, ratio, linear ? "linear " : "", result->failed ? "above" : "not above",
                     1 + finding->gate->slower);
            finding->closest = ratio;
        }
        finding->judged = true;
    }
}

/* Pairs in which both reach the tolerance and that no mean has, since A or B has no time there that counts. */
static int count_untimed(const struct nb_comparison_part *part, const char **first)
{
    int count = 0;
    for (int i = part->count - 1; i >= 0; --i) {
        const struct nb_pair *pair = &part->pair[i];
        if (!pair->copy && !isfinite(pair->speed_up.value) && pair->outcome[NB_A].iterations > 0 &&
            pair->outcome[NB_B].iterations > 0) {
            *first = pair->label;
            ++count;
        }
    }
    return count;
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
    for (int k = 0; k < 2 && gate->kind == NB_GATE_ITERATIONS; ++k)
        judge_iterations(&finding, parts[k], means[k]);
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
    const char *first = "";
    const int untimed = count_untimed(&found->systems, &first) + count_untimed(&found->steps, &first);
    if (finding.judged && untimed && gate->kind >= NB_GATE_WORSE)
        return nb_fail(error, NB_BAD_INPUT, "--fail-if: not decided: %d pairs have no times of both, taken in turn in "
                       "one sweep, first %.150s (fails judges without times)", untimed, first);
    if (finding.judged)
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "--fail-if: nothing to be judged: %s", gate->kind < NB_GATE_WORSE
                   ? "neither reaches the tolerance in any pair" : "no pair in which both reach the tolerance has "
                   "times of five repetitions, taken in turn in one sweep (fails judges without times)");
}

int nb_pair_repetitions(const struct nb_pair *pair)
{
    const int a = pair->outcome[NB_A].repetitions, b = pair->outcome[NB_B].repetitions;
    return a < b ? a : b;
}

static void count_verdict(struct nb_tally *tally, enum nb_pair_verdict verdict)
{
    switch (verdict) {
    case NB_PAIR_BETTER:
        tally->better++;
        break;
    case NB_PAIR_WORSE:
        tally->worse++;
        break;
    case NB_PAIR_NOT_DISTINGUISHABLE:
    case NB_PAIR_NOT_TIMED:
    case NB_PAIR_TIMED_APART:
        tally->undecided++;
        break;
    case NB_PAIR_A_FAILS:
        tally->fails[NB_A]++;
        break;
    case NB_PAIR_B_FAILS:
        tally->fails[NB_B]++;
        break;
    case NB_PAIR_NEITHER:
        tally->neither++;
        break;
    }
}

static bool has_times(const struct nb_pair *pair)
{
    return isfinite(nb_outcome_time(&pair->outcome[NB_A])) && isfinite(nb_outcome_time(&pair->outcome[NB_B]));
}

static void count_times(struct nb_tally *tally, const struct nb_pair *pair)
{
    const int repetitions = nb_pair_repetitions(pair);
    tally->few += repetitions < NB_COMPARE_REPETITIONS;
    if (pair->not_interleaved && has_times(pair) && !tally->not_interleaved++)
        tally->not_interleaved_reason = pair->not_interleaved;
    if (!isfinite(pair->speed_up.value))
        return;
    tally->timed++;
    tally->one_process += pair->one_process;
    tally->clear[NB_B] += pair->speed_up.low > pow(pair->speed_up.high / pair->speed_up.low, 0.5);
    tally->clear[NB_A] += pair->speed_up.high < pow(pair->speed_up.low / pair->speed_up.high, 0.5);
    tally->prorated += pair->outcome[NB_A].prorated || pair->outcome[NB_B].prorated;
    tally->least = repetitions < tally->least ? repetitions : tally->least;
}

static struct nb_tally count(const struct nb_comparison_part *part)
{
    struct nb_tally tally = {.least = NB_OUTCOME_REPETITIONS};
    for (int i = 0; i < part->count; ++i) {
        const struct nb_pair *pair = &part->pair[i];
        tally.copies += pair->copy;
        if (pair->copy)
            continue;
        for (int k = 0; k < 2; ++k)
            tally.reached[k] += pair->outcome[k].iterations > 0;
        tally.at_budget += pair->at_budget;
        count_verdict(&tally, pair->verdict);
        count_times(&tally, pair);
    }
    return tally;
}

static bool is_at_fixed_budget(const struct nb_comparison_part *part)
{
    return part->tally.at_budget == part->count;
}

const char *nb_comparison_kind(const struct nb_comparison_part *part)
{
    if (part->pair[0].system)
        return "linear systems";
    return is_at_fixed_budget(part) ? "steps, at a fixed linear budget" : "steps";
}

static void print_failures(const struct nb_tally *tally, const char *mark, FILE *stream)
{
    if (tally->fails[NB_B]) {
        fprintf(stream, "%s it fails on %d of %d where A reaches the tolerance", mark, tally->fails[NB_B],
                tally->reached[NB_A]);
        mark = ", and";
    }
    if (tally->fails[NB_A])
        fprintf(stream, "%s A fails on %d of %d where B reaches it", mark, tally->fails[NB_A], tally->reached[NB_B]);
}

/* No pair decides anything. */
static const char *why_undecided(const struct nb_tally *tally)
{
    if (!tally->reached[NB_A])
        return "neither reaches the tolerance in any pair";
    return tally->not_interleaved ? "A and B were timed apart" : "no pair was timed";
}

static void print_sentence(const struct nb_comparison_part *part, bool few, FILE *stream)
{
    const struct nb_tally *tally = &part->tally;
    const char *mark = ":", *plural = tally->least == 1 ? "" : "s";
    if (part->verdict == NB_VERDICT_NOT_DECIDED)
        fprintf(stream, "not decided, with only %d repetition%s in a pair where %d are needed; so far B is %s",
                tally->least, plural, NB_COMPARE_REPETITIONS, nb_verdict_text(part->so_far));
    else
        fprintf(stream, "B is %s", nb_verdict_text(part->verdict));
    if (part->so_far == NB_VERDICT_MIXED && tally->timed) {
        fprintf(stream, ": faster in %d, slower in %d of %d pairs", tally->better, tally->worse, tally->timed);
        mark = ";";
    }
    print_failures(tally, mark, stream);
    if (few && part->verdict != NB_VERDICT_NOT_DECIDED)
        fprintf(stream, " (times from only %d repetition%s)", tally->least, plural);
    if (is_at_fixed_budget(part))
        fputs(" (at a fixed linear budget)", stream);
    if (tally->timed && part->timed_problems < NB_COMPARE_REPETITIONS)
        fputs(" (few problems: others may lie outside the interval)", stream);
}

enum nb_status nb_comparison_judge(struct nb_comparison_part *part, struct nb_error *error)
{
    const struct nb_tally tally = part->tally = count(part);
    const bool few = tally.timed && tally.least < NB_COMPARE_REPETITIONS;
    const bool decides = tally.timed || tally.fails[NB_A] || tally.fails[NB_B];
    size_t size;
    part->so_far = nb_verdict_rule(&tally, &part->speed_up, true);
    part->verdict = nb_verdict_rule(&tally, &part->speed_up, false);
    FILE *stream = open_memstream(&part->sentence, &size);
    if (stream && decides)
        print_sentence(part, few, stream);
    else if (stream)
        fprintf(stream, "not decided: %s", why_undecided(&tally));
    return stream && !fclose(stream) ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a verdict");
}
