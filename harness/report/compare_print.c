/* Prints a comparison: a line for each pair, named by its problem and the settings that differ between pairs, and
 * the verdict over all pairs, in which failures weigh more than time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/record.h"
#include "harness/report/compare_private.h"

/* What nb_outcome_instance has said already. */
static bool names_the_problem(const char *setting)
{
    return !strncmp(setting, "problem", 7) || !strcmp(setting, "system") ||
           !strcmp(setting, "mode") || !strcmp(setting, "linearized");
}

/* The settings that tell pairs apart: A or B does not have the same value in all of them. */
struct varying {
    int count;
    const char *name[64];
};

static bool varies(const struct varying *varying, const char *name)
{
    for (int i = 0; i < varying->count; ++i)
        if (!strcmp(varying->name[i], name))
            return true;
    return false;
}

static struct varying find_varying(const struct nb_pairs *pairs)
{
    struct varying varying = {0};
    const int room = sizeof varying.name / sizeof *varying.name;
    for (int i = 1; i < pairs->count; ++i) {
        const struct nb_pair *pair = &pairs->pair[i];
        const cJSON *setting = NULL;
        cJSON_ArrayForEach(setting, cJSON_GetObjectItemCaseSensitive(pair->a, "settings"))
            if (!names_the_problem(setting->string) && !varies(&varying, setting->string) &&
                varying.count < room &&
                (nb_pairs_differ(pair->a, pairs->pair[0].a, setting->string) ||
                 nb_pairs_differ(pair->b, pairs->pair[0].b, setting->string)))
                varying.name[varying.count++] = setting->string;
    }
    return varying;
}

/* A value that both have, a number with its name; of a setting that need not agree, A's and B's. */
static void write_value(const struct nb_comparison *comparison, const struct nb_pair *pair,
                        const cJSON *setting, FILE *stream)
{
    char a[NB_COMPARE_VALUE], b[NB_COMPARE_VALUE];
    const char *name = setting->string;
    nb_record_text(pair->a, name, a, sizeof a);
    nb_record_text(pair->b, name, b, sizeof b);
    if (!nb_pairs_must_agree(comparison, name))
        fprintf(stream, " %s=%s/%s", name, a, b);
    else if (nb_record_reads(pair->a, name) && strcmp(a, "null") != 0)
        fprintf(stream, " %s%s%s", cJSON_IsString(setting) ? "" : name,
                cJSON_IsString(setting) ? "" : "=", a);
}

/* The problem, and the settings that are not the same in all pairs. */
static enum nb_status label(const struct nb_comparison *comparison, const struct varying *varying,
                            struct nb_pair *pair, struct nb_error *error)
{
    size_t size = 0;
    const cJSON *setting = NULL;
    FILE *stream = open_memstream(&pair->label, &size);
    if (!stream)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the name of a pair");
    fputs(pair->problem, stream);
    cJSON_ArrayForEach(setting, cJSON_GetObjectItemCaseSensitive(pair->a, "settings"))
        if (varies(varying, setting->string))
            write_value(comparison, pair, setting, stream);
    return fclose(stream) ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the name of a pair")
                          : NB_OK;
}

static int least_repetitions(const struct nb_pair *pair)
{
    const int a = pair->outcome_a.repetitions, b = pair->outcome_b.repetitions;
    return a < b ? a : b;
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

static void print_pair(const struct nb_pair *pair, int width, FILE *stream)
{
    char iterations[2][16] = {"-", "-"}, times[2][16] = {"-", "-"};
    const struct nb_outcome *outcome[2] = {&pair->outcome_a, &pair->outcome_b};
    for (int k = 0; k < 2; ++k) {
        const double time = 1e3 * nb_outcome_time(outcome[k]);
        if (outcome[k]->iterations)
            snprintf(iterations[k], sizeof iterations[k], "%d", outcome[k]->iterations);
        if (isfinite(time))
            snprintf(times[k], sizeof times[k], "%.4g", time);
    }
    fprintf(stream, "  %-*s %9.2e %7s %7s %11s %11s", width, pair->label, pair->tolerance,
            iterations[0], iterations[1], times[0], times[1]);
    if (!isfinite(pair->speed_up.value)) {
        fprintf(stream, "  %7s %16s  %s\n", "-", "", pair->verdict);
        return;
    }
    const int repetitions = least_repetitions(pair);
    fprintf(stream, "  %7.3f [%6.3f,%7.3f]  %s", pair->speed_up.value, pair->speed_up.low,
            pair->speed_up.high, pair->verdict);
    if (repetitions < NB_COMPARE_REPETITIONS)
        fprintf(stream, " (only %d repetition%s)", repetitions, plural(repetitions));
    fputc('\n', stream);
}

enum nb_status nb_pairs_print(const struct nb_comparison *comparison, struct nb_pairs *pairs,
                              FILE *stream, struct nb_error *error)
{
    const struct varying varying = find_varying(pairs);
    int width = (int)strlen("problem");
    for (int i = 0; i < pairs->count; ++i) {
        if (label(comparison, &varying, &pairs->pair[i], error))
            return NB_OUT_OF_MEMORY;
        const int length = (int)strlen(pairs->pair[i].label);
        width = length > width ? length : width;
    }
    fprintf(stream, "  %-*s %9s %7s %7s %11s %11s  %7s %16s  %s\n", width, "problem", "error",
            "it. A", "it. B", "A [ms]", "B [ms]", "A/B", "95 % interval", "B is");
    for (int i = 0; i < pairs->count; ++i)
        print_pair(&pairs->pair[i], width, stream);
    return NB_OK;
}

/* How often A and B reach the tolerance. */
struct tally {
    int by_a, by_b;        /* pairs in which A does, B does                     */
    int lost, won;         /* in which A alone does, B alone does               */
    int timed;             /* both do, and were timed                           */
    int least;             /* repetitions of the pair that was timed least often */
    int shared;            /* timed, with a share of a longer run's time        */
};

static struct tally count(const struct nb_pairs *pairs)
{
    struct tally tally = {.least = NB_OUTCOME_REPETITIONS};
    for (int i = 0; i < pairs->count; ++i) {
        const struct nb_pair *pair = &pairs->pair[i];
        const bool a = pair->outcome_a.iterations > 0, b = pair->outcome_b.iterations > 0;
        tally.by_a += a;
        tally.by_b += b;
        tally.lost += a && !b;
        tally.won += b && !a;
        if (!isfinite(pair->speed_up.value))
            continue;
        tally.timed++;
        tally.shared += pair->outcome_a.shared || pair->outcome_b.shared;
        const int repetitions = least_repetitions(pair);
        tally.least = repetitions < tally.least ? repetitions : tally.least;
    }
    return tally;
}

/* Failures weigh more than time: a method is not better where it fails more often. */
static const char *verdict_of(const struct tally *tally, const struct nb_interval *speed_up)
{
    if (tally->won < tally->lost)
        return speed_up->low > 1 ? "faster, but fails more often" : "worse";
    if (tally->won > tally->lost)
        return speed_up->high < 1 ? "slower, but fails less often" : "better";
    if (speed_up->low > 1)
        return "better";
    return speed_up->high < 1 ? "worse" : "not distinguishable on these runs";
}

static void print_failures(const struct tally *tally, FILE *stream)
{
    const char *mark = ":";
    if (tally->lost) {
        fprintf(stream, "%s it fails on %d of %d where A reaches the tolerance", mark, tally->lost,
                tally->by_a);
        mark = ", and";
    }
    if (tally->won)
        fprintf(stream, "%s A fails on %d of %d where B reaches it", mark, tally->won, tally->by_b);
}

void nb_pairs_print_verdict(const struct nb_pairs *pairs, const struct nb_interval *speed_up,
                            FILE *stream)
{
    const struct tally tally = count(pairs);
    if (tally.shared)
        fprintf(stream, "note: in %d of %d pairs a run went on beyond the error, and its time is taken in proportion "
                        "to its iterations, which may cost unlike amounts: `tol` in the sweep's spec measures it\n",
                tally.shared, tally.timed);
    const bool few = tally.timed && tally.least < NB_COMPARE_REPETITIONS;
    if (!tally.timed && !tally.lost && !tally.won) {
        fprintf(stream, "verdict: not decided: %s\n",
                tally.by_a ? "no pair was timed" : "neither reaches the tolerance in any pair");
        return;
    }
    if (few && tally.lost == tally.won)
        fprintf(stream, "verdict: not decided, with only %d repetition%s in a pair where %d are "
                        "needed; so far B is ", tally.least, plural(tally.least),
                NB_COMPARE_REPETITIONS);
    else
        fputs("verdict: B is ", stream);
    fputs(verdict_of(&tally, speed_up), stream);
    print_failures(&tally, stream);
    if (few && tally.lost != tally.won)
        fprintf(stream, " (times from only %d repetition%s)", tally.least, plural(tally.least));
    if (tally.timed && tally.timed < NB_COMPARE_REPETITIONS)
        fputs(" (few pairs: the interval is narrow by chance)", stream);
    fputc('\n', stream);
}
