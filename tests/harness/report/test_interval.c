/* The intervals of 95 %: the ranks of Mann and Whitney's test against a count of all arrangements, and, of processes
 * that each have their luck, how often verdicts are false where nothing differs, and how often they are right. */
#include "harness/report/compare_private.h"
#include "problems/base/sorted.h"
#include "tests/support/support.h"

#include <math.h>

TEST(what_does_not_vary_is_exact)
{
    const double constant[3] = {6, 6, 6}, other[2] = {2, 2};
    struct nb_interval ratio = nb_interval_ratio(constant, 3, other, 2);
    assert_true(ratio.value == 3 && ratio.low == 3 && ratio.high == 3);
    nb_interval_widen(&ratio, 0);
    assert_true(ratio.low == 3 && ratio.high == 3);
    nb_interval_widen(&ratio, 0.1);
    assert_true(fabs(ratio.high / 3 - exp(0.196)) < 1e-4 && fabs(ratio.high * ratio.low - 9) < 1e-12);
}

/* In how many of all arrangements of a A's among n values at most u pairs have B before A: by bits. */
static double share_up_to(int a, int b, int u)
{
    double all = 0, within = 0;
    for (unsigned set = 0; set < 1u << (a + b); ++set) {
        int seen = 0, before = 0, count = 0;
        for (int i = 0; i < a + b; ++i) {
            if (set >> i & 1) {
                ++count;
                before += seen;
            } else {
                ++seen;
            }
        }
        all += count == a;
        within += count == a && before <= u;
    }
    return within / all;
}

/* The ends are the u-th ratios from below and from above, for the least u that more than 2.5 % do not exceed. */
TEST(the_ends_are_those_of_the_rank_test)
{
    static const double a[9] = {1.31, 1.02, 1.18, 1.07, 1.12, 1.5, 0.9, 1.25, 1.09};
    static const double b[7] = {0.97, 1.24, 1.01, 1.09, 1.4, 0.93, 1.13};
    static const int counts[][2] = {{5, 5}, {9, 7}, {5, 4}, {4, 7}, {3, 3}, {1, 5}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        const int of_a = counts[k][0], of_b = counts[k][1], count = of_a * of_b;
        double ratio[63];
        struct nb_interval interval;
        int u = 0;
        for (int i = 0; i < count; ++i)
            ratio[i] = a[i / of_b] / b[i % of_b];
        nb_sort_doubles(ratio, count);
        while (share_up_to(of_a, of_b, u) <= 0.025)
            ++u;
        interval = nb_interval_ratio(a, of_a, b, of_b);
        assert_true(interval.low == ratio[u ? u - 1 : 0]);
        assert_true(interval.high == ratio[count - (u ? u : 1)]);
    }
}

/* With many values U is normal: of n A's and n B's the ends are n sqrt((2 n + 1)/12) 1.96 ranks from the middle. */
TEST(the_ends_of_many_values_are_those_of_the_normal_limit)
{
    static double a[64], b[64], ratio[64 * 64];
    struct nb_interval interval;
    for (int i = 0; i < 64; ++i) {
        a[i] = exp(0.001 * i * i);
        b[i] = exp(0.0007 * i * i + 1e-5 * i);
    }
    for (int i = 0; i < 64 * 64; ++i)
        ratio[i] = a[i / 64] / b[i % 64];
    nb_sort_doubles(ratio, 64 * 64);
    interval = nb_interval_ratio(a, 64, b, 64);
    const int rank = (int)(2048 - 1.96 * 64 * sqrt(129 / 12.0));
    assert_true(ratio[rank - 3] <= interval.low && interval.low <= ratio[rank + 1]);
}

OWNER(cJSON_Delete)

static uint64_t seed;

static double uniform(void)
{
    uint64_t z = (seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform()); }

/* What a sweep is like: processes, their luck (standard deviation), the share of those that something disturbed by a
 * third, on average, of their time. */
struct machine {
    int problems, settings, processes;
    double luck, disturbed;
};

/* Pairs that were decided, and the verdict over them; B is so many times as slow. */
static enum nb_verdict run_sweep(const struct machine *machine, double slower, int *decided)
{
    struct nb_pair pair[32] = {0};
    struct nb_effect effect[32];
    const int count = machine->problems * machine->settings;
    struct nb_comparison_part part = {.pair = pair, .count = count};
    for (int i = 0; i < count; ++i) {
        double times[2][16];
        for (int k = 0; k < 2; ++k)
            for (int p = 0; p < machine->processes; ++p) {
                times[k][p] = (k ? slower : 1) * exp(machine->luck * normal());
                times[k][p] *= uniform() < machine->disturbed ? 1 - log(uniform()) / 3 : 1;
                pair[i].outcome[k].repetitions = machine->processes;
                pair[i].outcome[k].iterations = pair[i].outcome[k].total_iterations = 1;
                pair[i].outcome[k].seconds[p] = times[k][p];
            }
        pair[i].speed_up = nb_interval_ratio(times[NB_A], machine->processes, times[NB_B], machine->processes);
        effect[i] = nb_interval_effect(&pair[i].speed_up, machine->processes, machine->processes,
                                       i / machine->settings);
        pair[i].verdict = pair[i].speed_up.low > 1    ? NB_PAIR_BETTER
                          : pair[i].speed_up.high < 1 ? NB_PAIR_WORSE
                                                      : NB_PAIR_NOT_DISTINGUISHABLE;
        *decided += pair[i].verdict != NB_PAIR_NOT_DISTINGUISHABLE;
    }
    part.timed_problems = machine->problems;
    part.speed_up = nb_interval_mean(effect, count);
    assert_ok(nb_comparison_judge(&part, &why));
    free(part.sentence);
    return part.verdict;
}

/* At most 5 % of the pairs and 2 % of the verdicts are false, `mixed` counted, with three standard deviations of the
 * number of trials; and 10 % is found by 9 sweeps in 10 of the size of a try. */
TEST(verdicts_are_false_as_seldom_as_they_say)
{
    static const struct machine machines[] = {
        {7, 2, 11, 0.015, 0},
        {7, 2, 11, 0.08, 0},
        {7, 2, 11, 0.03, 0.15},
        {4, 3, 5, 0.03, 0},
        {4, 3, 5, 0.03, 0.15},
        {1, 1, 5, 0.03, 0},
        {11, 1, 5, 0.015, 0.1},
        {2, 2, 11, 0.015, 0},
        {6, 1, 11, 0.15, 0},
    };
    enum { TRIALS = 400 };
    seed = 1;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; ++m) {
        const int pairs = TRIALS * machines[m].problems * machines[m].settings;
        int decided = 0, verdicts = 0;
        for (int trial = 0; trial < TRIALS; ++trial)
            verdicts += run_sweep(&machines[m], 1, &decided) != NB_VERDICT_NOT_DISTINGUISHABLE;
        printf("%d x %d, %d processes, luck %g, disturbed %g: %.1f %% of pairs, %.1f %% of verdicts are false\n",
               machines[m].problems, machines[m].settings, machines[m].processes, machines[m].luck,
               machines[m].disturbed, 100.0 * decided / pairs, 100.0 * verdicts / TRIALS);
        assert_true(decided <= 0.05 * pairs + 3 * sqrt(0.05 * pairs));
        assert_true(verdicts <= 0.02 * TRIALS + 3 * sqrt(0.02 * TRIALS));
    }
}

TEST(ten_percent_are_found)
{
    static const struct machine machines[] = {
        {7, 2, 11, 0.015, 0}, {7, 2, 11, 0.08, 0}, {7, 2, 11, 0.045, 0.15}, {6, 1, 11, 0.12, 0}};
    enum { TRIALS = 100 };
    seed = 2;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; ++m) {
        int found = 0, decided = 0;
        for (int trial = 0; trial < TRIALS; ++trial)
            found += run_sweep(&machines[m], 1.1, &decided) == NB_VERDICT_WORSE;
        printf("luck %g, disturbed %g: %d of %d find 10 %%\n", machines[m].luck, machines[m].disturbed, found, TRIALS);
        assert_true(found >= 0.9 * TRIALS);
    }
}

/* Of eleven settings on one problem and one on another each problem counts once; exact ratios have no error of their
 * own, and two problems no more than their own range. */
TEST(a_mean_is_over_problems)
{
    struct nb_effect effect[12];
    struct nb_interval mean;
    for (int i = 0; i < 12; ++i)
        effect[i] = (struct nb_effect){log(i == 4 ? 0.73 : 1.9), 0, 1, i == 4};
    mean = nb_interval_mean(effect, 12);
    assert_true(fabs(mean.value - sqrt(0.73 * 1.9)) < 1e-12);
    assert_true(fabs(mean.low - 0.73) < 1e-12 && fabs(mean.high - 1.9) < 1e-12);
}

/* Of one problem the interval of the mean is that of its pair, but for the number of resamples. */
TEST(a_mean_of_one_has_the_interval_of_its_pair)
{
    const struct nb_interval pair = {1.2, 1.2 / 1.1, 1.2 * 1.1};
    struct nb_effect effect = nb_interval_effect(&pair, 5, 5, 0);
    const struct nb_interval mean = nb_interval_mean(&effect, 1);
    assert_true(fabs(log(mean.low / pair.low)) < 0.02 && fabs(log(mean.high / pair.high)) < 0.02);
}

TEST(binomials_are_summed)
{
    assert_true(fabs(nb_binomial_tail(3, 2, 0.5) - 0.5) < 1e-12);
    assert_true(fabs(nb_binomial_tail(20, 0, 0.05) - 1) < 1e-12);
    assert_true(fabs(nb_binomial_tail(2, 2, 0.05) - 0.0025) < 1e-12);
}

/* A control of cases that differ from themselves by 3 %, each process by 0.1 %: its spread is found and added. */
TEST(a_control_that_is_off_gives_what_the_machine_varies)
{
    struct nb_control control = {0};
    seed = 3;
    for (int i = 0; i < 40; ++i) {
        const double luck = exp(0.03 * normal());
        OWNS(cJSON_Delete_at)
        cJSON *record = cJSON_Parse("{\"times\":{\"solve\":[],\"control\":{\"solve\":[]}}}");
        cJSON *times = cJSON_GetObjectItem(record, "times"), *other = cJSON_GetObjectItem(times, "control");
        for (int p = 0; p < 5; ++p) {
            cJSON_AddItemToArray(cJSON_GetObjectItem(times, "solve"), cJSON_CreateNumber(exp(0.001 * normal())));
            cJSON_AddItemToArray(cJSON_GetObjectItem(other, "solve"), cJSON_CreateNumber(luck * exp(0.001 * normal())));
        }
        nb_control_add(&control, record);
    }
    assert_int_equal(control.pairs, 40);
    assert_true(nb_control_is_off(&control) && control.different > 30);
    assert_true(nb_control_spread(&control) > 0.02 && nb_control_spread(&control) < 0.04);
    control.different = 3; /* of 40, which chance gives */
    assert_true(!nb_control_is_off(&control) && nb_control_spread(&control) == 0);
}

/* Two solves of 3 s in each repetition, of which others took another second each: a quarter of the clock. */
TEST(what_others_took_is_said_beside_the_times)
{
    struct nb_control control = {0};
    char line[NB_CONTROL_LINES][NB_CONTROL_TEXT];
    OWNS(cJSON_Delete_at)
    cJSON *record = cJSON_Parse("{\"times\":{\"solve\":[3,3,3],\"waited\":[1,1,1]}}");
    OWNS(cJSON_Delete_at)
    cJSON *older = cJSON_Parse("{\"times\":{\"solve\":[100,100,100],\"solves_per_repetition\":2}}");
    cJSON_AddNumberToObject(cJSON_GetObjectItem(record, "times"), "solves_per_repetition", 2);
    assert_true(isnan(nb_control_waited(&control)) && nb_control_lines(&control, line) == 0);
    nb_control_add(&control, record);
    nb_control_add(&control, older);
    assert_true(nb_control_waited(&control) == 0.25);
    assert_int_equal(nb_control_lines(&control, line), 1);
    assert_string_equal(line[0], "waiting: 25 % of the clock in timed runs went to other programs or to a quota, and "
                                 "is not in the times");
    cJSON_AddNumberToObject(cJSON_GetObjectItem(record, "times"), "throttled", 4);
    nb_control_add(&control, record);
    assert_int_equal(nb_control_lines(&control, line), 1);
    assert_non_null(strstr(line[0], "; the container's quota stopped it for 4 s"));
}
