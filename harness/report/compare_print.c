/* Prints a comparison: a line for each pair, named by its problem and the settings that differ between pairs, and
 * the verdict over all pairs, in which failures weigh more than time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
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

static const char *write_number(double value, const char *format, char *text, size_t size)
{
    if (isnan(value))
        return "-";
    snprintf(text, size, format, value);
    return text;
}

static void print_effort(const struct nb_effort effort[2], FILE *stream)
{
    char text[6][16];
    fprintf(stream, " %9s %9s %11s %11s %11s %11s\n",
            write_number(effort[0].linear_iterations, "%.0f", text[0], sizeof text[0]),
            write_number(effort[1].linear_iterations, "%.0f", text[1], sizeof text[1]),
            write_number(1e3 * effort[0].setup, "%.4g", text[2], sizeof text[2]),
            write_number(1e3 * effort[1].setup, "%.4g", text[3], sizeof text[3]),
            write_number(1e3 * effort[0].application, "%.4g", text[4], sizeof text[4]),
            write_number(1e3 * effort[1].application, "%.4g", text[5], sizeof text[5]));
}

static bool is_known(const struct nb_effort *effort)
{
    return !isnan(effort->linear_iterations) || !isnan(effort->setup) || !isnan(effort->application);
}

void nb_pairs_print_effort(const struct nb_pairs *pairs, FILE *stream)
{
    bool begun = false;
    int width = (int)strlen("problem");
    for (int i = 0; i < pairs->count; ++i)
        width = (int)strlen(pairs->pair[i].label) > width ? (int)strlen(pairs->pair[i].label) : width;
    for (int i = 0; i < pairs->count; ++i) {
        const struct nb_pair *pair = &pairs->pair[i];
        const struct nb_effort effort[2] = {nb_outcome_effort(pair->a, &pair->outcome_a),
                                            nb_outcome_effort(pair->b, &pair->outcome_b)};
        if (!is_known(&effort[0]) && !is_known(&effort[1]))
            continue;
        if (!begun)
            fprintf(stream, "what it took: linear iterations, set-up (factors, preconditioner), applying the preconditioner\n"
                    "  %-*s %9s %9s %11s %11s %11s %11s\n", width, "problem", "lin. A", "lin. B", "set A [ms]",
                    "set B [ms]", "app. A [ms]", "app. B [ms]");
        begun = true;
        fprintf(stream, "  %-*s", width, pair->label);
        print_effort(effort, stream);
    }
}

void nb_pairs_print_provenance(const struct nb_pairs *pairs, FILE *stream)
{
    static const char *const names[] = {"fingerprint", "compiler", "flags", "blas", "host", "kernel"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        int count = 0;
        for (int i = 0; i < pairs->count; ++i) {
            const cJSON *a = nb_json_path(pairs->pair[i].a, "provenance", names[k]);
            const cJSON *b = nb_json_path(pairs->pair[i].b, "provenance", names[k]);
            count += a && b && !cJSON_Compare(a, b, true);
        }
        if (count)
            fprintf(stream, "note: A and B have different %s%s in %d of %d pairs\n", names[k],
                    k ? "" : " (of the build)", count, pairs->count);
    }
}

/* How often A and B reach the tolerance, and which is faster. */
struct tally {
    int by_a, by_b;        /* pairs in which A does, B does                     */
    int lost, won;         /* in which A alone does, B alone does               */
    int slower, faster;    /* both do, and the interval says so of B            */
    int timed;             /* both do, and were timed in turn                   */
    int apart;             /* both do, and were timed apart                     */
    int least;             /* repetitions of the pair that was timed least often */
    int shared;            /* timed, with a share of a longer run's time        */
    int spent;             /* of steps, every linear solve of both spent its budget */
    const char *reason;    /* of the first pair that was timed apart */
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
        tally.spent += pair->spent;
        if (a && b && pair->apart && isfinite(nb_outcome_time(&pair->outcome_a)) &&
            isfinite(nb_outcome_time(&pair->outcome_b)) && !tally.apart++)
            tally.reason = pair->apart;
        if (!isfinite(pair->speed_up.value))
            continue;
        tally.timed++;
        tally.faster += pair->speed_up.low > 1;
        tally.slower += pair->speed_up.high < 1;
        tally.shared += pair->outcome_a.shared || pair->outcome_b.shared;
        const int repetitions = least_repetitions(pair);
        tally.least = repetitions < tally.least ? repetitions : tally.least;
    }
    return tally;
}

/* Failures weigh more than time: a method is not better where it fails more often. And it is better only where it
 * wins more pairs than it loses. */
static const char *verdict_of(const struct tally *tally, const struct nb_interval *speed_up)
{
    const int wins = tally->won + tally->faster, losses = tally->lost + tally->slower;
    if (tally->won < tally->lost && speed_up->low > 1 && tally->faster > tally->slower)
        return "faster, but fails more often";
    if (tally->won > tally->lost && speed_up->high < 1 && tally->slower > tally->faster)
        return "slower, but fails less often";
    const bool better = tally->won > tally->lost || (tally->won == tally->lost && speed_up->low > 1);
    const bool worse = tally->won < tally->lost || (tally->won == tally->lost && speed_up->high < 1);
    if (better && wins > losses)
        return "better";
    if (worse && losses > wins)
        return "worse";
    return wins && losses ? "mixed" : "not distinguishable on these runs";
}

static void print_failures(const struct tally *tally, const char *mark, FILE *stream)
{
    if (tally->lost) {
        fprintf(stream, "%s it fails on %d of %d where A reaches the tolerance", mark, tally->lost,
                tally->by_a);
        mark = ", and";
    }
    if (tally->won)
        fprintf(stream, "%s A fails on %d of %d where B reaches it", mark, tally->won, tally->by_b);
}

/* What the verdict does not rest on, or should not. */
static void print_cautions(const struct tally *tally, int pairs, FILE *stream)
{
    if (tally->spent)
        fprintf(stream, "note: in %d of %d pairs every linear solve of A and of B spent its budget (linear_iters): there a "
                        "better preconditioner cannot show. Let linear solves end at a tolerance, within an ample budget, as "
                        "data/precond.sweep does\n", tally->spent, pairs);
    if (tally->apart)
        fprintf(stream, "note: no verdict on times in %d of %d pairs: %s; `sweep --anew` measures them together, and "
                        "`interleave = problem` in its spec all cases of a problem\n", tally->apart, pairs, tally->reason);
    if (tally->shared)
        fprintf(stream, "note: in %d of %d pairs a run went on beyond the error, and its time is taken in proportion "
                        "to its iterations, which may cost unlike amounts: `tol` in the sweep's spec measures it\n",
                tally->shared, tally->timed);
}

/* No pair decides anything. */
static const char *why_undecided(const struct tally *tally)
{
    if (!tally->by_a)
        return "neither reaches the tolerance in any pair";
    return tally->apart ? "A and B were timed apart" : "no pair was timed";
}

void nb_pairs_print_verdict(const struct nb_pairs *pairs, const struct nb_interval *speed_up,
                            FILE *stream)
{
    const struct tally tally = count(pairs);
    const bool few = tally.timed && tally.least < NB_COMPARE_REPETITIONS;
    print_cautions(&tally, pairs->count, stream);
    if (!tally.timed && !tally.lost && !tally.won) {
        fprintf(stream, "verdict: not decided: %s\n", why_undecided(&tally));
        return;
    }
    if (few && tally.lost == tally.won)
        fprintf(stream, "verdict: not decided, with only %d repetition%s in a pair where %d are "
                        "needed; so far B is ", tally.least, plural(tally.least),
                NB_COMPARE_REPETITIONS);
    else
        fputs("verdict: B is ", stream);
    const char *verdict = verdict_of(&tally, speed_up), *mark = ":";
    fputs(verdict, stream);
    if (!strcmp(verdict, "mixed") && tally.timed) {
        fprintf(stream, ": faster in %d, slower in %d of %d pairs", tally.faster, tally.slower, tally.timed);
        mark = ";";
    }
    print_failures(&tally, mark, stream);
    if (few && tally.lost != tally.won)
        fprintf(stream, " (times from only %d repetition%s)", tally.least, plural(tally.least));
    if (tally.spent == pairs->count)
        fputs(" (at a fixed linear budget)", stream);
    if (tally.timed && tally.timed < NB_COMPARE_REPETITIONS)
        fputs(" (few pairs: the interval is narrow by chance)", stream);
    fputc('\n', stream);
}
