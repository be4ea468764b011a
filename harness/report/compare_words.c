/* When a comparison says which word: two tables of rules, of a pair and of all pairs, of which the first that holds
 * decides. Each says in words when that is; docs/theory/comparisons.md has them from here (scripts/docs.py). */
#include <math.h>
#include <string.h>

#include "harness/records/interval.h"
#include "harness/records/json.h"
#include "harness/report/compare_private.h"

/* What tables show, what JSON has, and what is said of B against a rival. */
struct words {
    const char *text, *name, *phrase;
};

static const struct words of_pair[] = {
    [NB_PAIR_BETTER] = {"better", "better", NULL},
    [NB_PAIR_WORSE] = {"worse", "worse", NULL},
    [NB_PAIR_NOT_DISTINGUISHABLE] = {"not distinguishable", "not_distinguishable", NULL},
    [NB_PAIR_NOT_TIMED] = {"not timed", "not_timed", NULL},
    [NB_PAIR_TIMED_APART] = {"timed apart", "timed_apart", NULL},
    [NB_PAIR_A_FAILS] = {"better: A fails", "a_fails", NULL},
    [NB_PAIR_B_FAILS] = {"worse: B fails", "b_fails", NULL},
    [NB_PAIR_NEITHER] = {"neither reaches it", "neither", NULL},
};

static const struct words of_all[] = {
    [NB_VERDICT_BETTER] = {"better", "better", "better than %s"},
    [NB_VERDICT_WORSE] = {"worse", "worse", "worse than %s"},
    [NB_VERDICT_FASTER_FAILS_MORE] = {"faster, but fails more often", "faster_fails_more",
                                      "faster than %s, but fails more often"},
    [NB_VERDICT_SLOWER_FAILS_LESS] = {"slower, but fails less often", "slower_fails_less",
                                      "slower than %s, but fails less often"},
    [NB_VERDICT_MIXED] = {"mixed", "mixed", "mixed against %s"},
    [NB_VERDICT_NOT_DISTINGUISHABLE] = {"not distinguishable on these runs", "not_distinguishable",
                                        "not to be told from %s"},
    [NB_VERDICT_NOT_DECIDED] = {"not decided", "not_decided", "not decided against %s"},
};

const char *nb_pair_verdict_text(enum nb_pair_verdict verdict)
{
    return of_pair[verdict].text;
}

const char *nb_pair_verdict_name(enum nb_pair_verdict verdict)
{
    return of_pair[verdict].name;
}

enum nb_pair_verdict nb_pair_verdict_of(const cJSON *pair)
{
    int verdict = 0;
    while (verdict < NB_PAIR_NEITHER && strcmp(of_pair[verdict].name, nb_json_string(pair, "verdict")))
        ++verdict;
    return (enum nb_pair_verdict)verdict;
}

const char *nb_verdict_text(enum nb_verdict verdict)
{
    return of_all[verdict].text;
}

const char *nb_verdict_name(enum nb_verdict verdict)
{
    return of_all[verdict].name;
}

void nb_verdict_phrase(enum nb_verdict verdict, const char *rival, char *text, size_t size)
{
    const char *phrase = of_all[verdict].phrase, *place = strstr(phrase, "%s");
    snprintf(text, size, "%.*s%s%s", (int)(place - phrase), phrase, rival, place + 2);
}

/* The rules of a pair. */

static bool neither_reaches(const struct nb_pair *pair)
{
    return !pair->outcome[NB_A].iterations && !pair->outcome[NB_B].iterations;
}

static bool a_fails(const struct nb_pair *pair)
{
    return !pair->outcome[NB_A].iterations;
}

static bool b_fails(const struct nb_pair *pair)
{
    return !pair->outcome[NB_B].iterations;
}

static bool lacks_repetitions(const struct nb_pair *pair)
{
    return !nb_pair_repetitions(pair);
}

static bool is_timed_apart(const struct nb_pair *pair)
{
    return pair->not_interleaved;
}

static bool lacks_times(const struct nb_pair *pair)
{
    return isnan(pair->speed_up.value);
}

static bool is_faster(const struct nb_pair *pair)
{
    return pair->speed_up.low > 1;
}

static bool is_slower(const struct nb_pair *pair)
{
    return pair->speed_up.high < 1;
}

static bool is_any_pair(const struct nb_pair *pair)
{
    (void)pair;
    return true;
}

static const struct {
    enum nb_pair_verdict verdict;
    const char *when;
    bool (*holds)(const struct nb_pair *pair);
} pair_rules[] = {
    {NB_PAIR_NEITHER, "neither reaches the tolerance", neither_reaches},
    {NB_PAIR_A_FAILS, "A does not reach the tolerance", a_fails},
    {NB_PAIR_B_FAILS, "B does not reach the tolerance", b_fails},
    {NB_PAIR_NOT_TIMED, "one of the two has no timed repetition", lacks_repetitions},
    {NB_PAIR_TIMED_APART, "the two were not timed in turn, in one run of a sweep", is_timed_apart},
    {NB_PAIR_NOT_TIMED, "a time to the tolerance is not known", lacks_times},
    {NB_PAIR_BETTER, "the whole interval of the speed-up lies above 1", is_faster},
    {NB_PAIR_WORSE, "the whole interval of the speed-up lies below 1", is_slower},
    {NB_PAIR_NOT_DISTINGUISHABLE, "the interval of the speed-up holds 1", is_any_pair},
};

enum nb_pair_verdict nb_pair_rule(const struct nb_pair *pair)
{
    int rule = 0;
    while (!pair_rules[rule].holds(pair))
        ++rule;
    return pair_rules[rule].verdict;
}

/* The rules of all pairs, in which failures weigh more than time: a method is not better where it fails more often. And
 * it is better only where it wins more pairs than it loses. */

static int failures(const struct nb_tally *tally) /* of B, beyond those of A */
{
    return tally->fails[NB_B] - tally->fails[NB_A];
}

static int wins(const struct nb_tally *tally)
{
    return tally->fails[NB_A] + tally->better;
}

static int losses(const struct nb_tally *tally)
{
    return tally->fails[NB_B] + tally->worse;
}

static bool is_of_few(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    (void)speed_up;
    return tally->timed && tally->least < NB_COMPARE_REPETITIONS && !failures(tally);
}

static bool has_nothing(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    (void)speed_up;
    return !tally->timed && !tally->fails[NB_A] && !tally->fails[NB_B];
}

static bool is_faster_and_fails(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    return failures(tally) > 0 && speed_up->low > 1 && tally->better > tally->worse;
}

static bool is_slower_and_holds(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    return failures(tally) < 0 && speed_up->high < 1 && tally->worse > tally->better;
}

static bool is_better(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    return (failures(tally) < 0 || (!failures(tally) && speed_up->low > 1)) && wins(tally) > losses(tally);
}

static bool is_worse(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    return (failures(tally) > 0 || (!failures(tally) && speed_up->high < 1)) && losses(tally) > wins(tally);
}

/* Of twenty pairs without a difference one is decided. A clear one never is by chance. */
static bool is_mixed(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    (void)speed_up;
    const bool sure_win = tally->fails[NB_A] || tally->clear[NB_B];
    const bool sure_loss = tally->fails[NB_B] || tally->clear[NB_A];
    if (!wins(tally) || !losses(tally) || (sure_win && sure_loss))
        return wins(tally) && losses(tally);
    return nb_binomial_tail(tally->timed, tally->better + tally->worse, 0.05) <= 0.02;
}

static bool is_any(const struct nb_tally *tally, const struct nb_interval *speed_up)
{
    (void)tally;
    (void)speed_up;
    return true;
}

/* The first is not asked for what is said "so far". */
static const struct {
    enum nb_verdict verdict;
    const char *when;
    bool (*holds)(const struct nb_tally *tally, const struct nb_interval *speed_up);
} rules[] = {
    {NB_VERDICT_NOT_DECIDED, "a pair has fewer than five repetitions, and A and B fail alike often", is_of_few},
    {NB_VERDICT_NOT_DECIDED, "no pair was timed in turn, and in none one fails alone", has_nothing},
    {NB_VERDICT_FASTER_FAILS_MORE, "B fails more often, is faster on the whole, and faster in more pairs than slower",
     is_faster_and_fails},
    {NB_VERDICT_SLOWER_FAILS_LESS,
     "A fails more often, B is slower on the whole, and slower in more pairs than faster",
     is_slower_and_holds},
    {NB_VERDICT_BETTER,
     "A fails more often, or both alike and B is faster on the whole; B wins more pairs than it loses",
     is_better},
    {NB_VERDICT_WORSE,
     "B fails more often, or both alike and B is slower on the whole; B loses more pairs than it wins",
     is_worse},
    {NB_VERDICT_MIXED, "B wins and loses pairs, one of each clearly, or more than chance decides in 2 of 100 tables",
     is_mixed},
    {NB_VERDICT_NOT_DISTINGUISHABLE, "otherwise", is_any},
};
enum { RULES = sizeof rules / sizeof *rules,
       PAIR_RULES = sizeof pair_rules / sizeof *pair_rules };

enum nb_verdict nb_verdict_rule(const struct nb_tally *tally, const struct nb_interval *speed_up, bool so_far)
{
    int rule = so_far;
    while (!rules[rule].holds(tally, speed_up))
        ++rule;
    return rules[rule].verdict;
}

void nb_comparison_print_rules(FILE *stream)
{
    fputs("| B is, in a pair | where, the first that holds |\n|---|---|\n", stream);
    for (int r = 0; r < PAIR_RULES; ++r)
        fprintf(stream, "| %s | %s |\n", of_pair[pair_rules[r].verdict].text, pair_rules[r].when);
    fputs("\n| B is, over all pairs | where, the first that holds |\n|---|---|\n", stream);
    for (int r = 0; r < RULES; ++r)
        fprintf(stream, "| %s | %s |\n", of_all[rules[r].verdict].text, rules[r].when);
}
