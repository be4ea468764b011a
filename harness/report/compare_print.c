/* Prints a comparison: a line for each pair, named by its problem and the settings that differ between pairs, what
 * stands behind the times, means, notes and the verdict over all pairs. */
#include <math.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/report/compare_private.h"
#include "problems/base/emphasis.h"
#include "problems/base/numbers.h"

static void print_pair(const struct nb_pair *pair, int width, FILE *stream)
{
    char iterations[2][16] = {"-", "-"}, times[2][16] = {"-", "-"};
    const char *verdict = nb_pair_verdict_text(pair->verdict);
    for (int k = 0; k < 2; ++k) {
        const double time = 1e3 * nb_outcome_time(&pair->outcome[k]);
        if (pair->outcome[k].iterations)
            snprintf(iterations[k], sizeof iterations[k], "%d", pair->outcome[k].iterations);
        if (isfinite(time))
            snprintf(times[k], sizeof times[k], "%.4g", time);
    }
    fprintf(stream, "  %-*s %9.2e %7s %7s %11s %11s", width, pair->label, pair->tolerance,
            iterations[NB_A], iterations[NB_B], times[NB_A], times[NB_B]);
    if (!isfinite(pair->speed_up.value)) {
        fprintf(stream, "  %7s %16s  %s\n", "-", "", verdict);
        return;
    }
    const int repetitions = nb_pair_repetitions(pair);
    fprintf(stream, "  %7.3f [%6.3f,%7.3f]  %s", pair->speed_up.value, pair->speed_up.low,
            pair->speed_up.high, verdict);
    if (repetitions < NB_COMPARE_REPETITIONS)
        fprintf(stream, " (only %d repetition%s)", repetitions, repetitions == 1 ? "" : "s");
    fputc('\n', stream);
}

static int label_width(const struct nb_comparison_part *part)
{
    size_t width = strlen("problem");
    for (int i = 0; i < part->count; ++i) {
        const size_t length = strlen(part->pair[i].label);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_pairs(const struct nb_comparison_part *part, FILE *stream)
{
    const int width = label_width(part);
    fprintf(stream, "  %-*s %9s %7s %7s %11s %11s  %7s %16s  %s\n", width, "problem", "error",
            "it. A", "it. B", "A [ms]", "B [ms]", "A/B", "95 % interval", "B is");
    for (int i = 0; i < part->count; ++i)
        print_pair(&part->pair[i], width, stream);
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
            write_number(effort[NB_A].linear_iterations, "%.0f", text[0], sizeof text[0]),
            write_number(effort[NB_B].linear_iterations, "%.0f", text[1], sizeof text[1]),
            write_number(1e3 * effort[NB_A].setup, "%.4g", text[2], sizeof text[2]),
            write_number(1e3 * effort[NB_B].setup, "%.4g", text[3], sizeof text[3]),
            write_number(1e3 * effort[NB_A].application, "%.4g", text[4], sizeof text[4]),
            write_number(1e3 * effort[NB_B].application, "%.4g", text[5], sizeof text[5]));
}

static bool is_known(const struct nb_effort *effort)
{
    return !isnan(effort->linear_iterations) || !isnan(effort->setup) || !isnan(effort->application);
}

/* What stands behind the times; nothing where no record tells. */
static void print_efforts(const struct nb_comparison_part *part, FILE *stream)
{
    const int width = label_width(part);
    bool begun = false;
    for (int i = 0; i < part->count; ++i) {
        const struct nb_pair *pair = &part->pair[i];
        if (!is_known(&pair->effort[NB_A]) && !is_known(&pair->effort[NB_B]))
            continue;
        if (!begun)
            fprintf(stream, "what it took: linear iterations, set-up (factors, preconditioner), applying the "
                    "preconditioner\n  %-*s %9s %9s %11s %11s %11s %11s\n", width, "problem", "lin. A", "lin. B",
                    "set A [ms]", "set B [ms]", "app. A [ms]", "app. B [ms]");
        begun = true;
        fprintf(stream, "  %-*s", width, pair->label);
        print_effort(pair->effort, stream);
    }
}

static void print_mean(const char *what, int count, int problems, const struct nb_interval *mean, FILE *stream)
{
    char on[40] = "";
    if (problems < count)
        snprintf(on, sizeof on, " on %d problem%s", problems, problems == 1 ? "" : "s");
    if (count)
        fprintf(stream, "%s, geometric mean of %d%s: %.3f [%.3f, %.3f]\n", what, count, on, mean->value, mean->low,
                mean->high);
}

/* What the verdict does not rest on, or should not. */
static void print_cautions(const struct nb_tally *tally, int pairs, FILE *stream)
{
    if (tally->spent)
        fprintf(stream, "note: in %d of %d pairs most linear solves of A and of B spent their budget (linear_iters): "
                        "there a better preconditioner cannot show. Let linear solves end at a tolerance, within an "
                        "ample budget, as data/precond.sweep does\n",
                tally->spent, pairs);
    if (tally->apart)
        fprintf(stream, "note: no verdict on times in %d of %d pairs: %s; `sweep --anew` measures them together, and "
                        "`interleave = problem` in its spec all cases of a problem\n", tally->apart, pairs,
                tally->apart_reason);
    if (tally->one_process)
        fprintf(stream, "note: in %d of %d pairs the repetitions of a case were made in one process, as before every "
                        "one had its own: their interval knows nothing of what differs between processes, and is too "
                        "narrow\n",
                tally->one_process, tally->timed);
    if (tally->shared)
        fprintf(stream, "note: in %d of %d pairs a run went on beyond the error, and its time is taken in proportion "
                        "to its iterations, which may cost unlike amounts: `tol` in the sweep's spec measures it\n",
                tally->shared, tally->timed);
}

static void print_unpaired(const struct nb_comparison_result *result, FILE *stream)
{
    for (int k = 0; k < 2; ++k)
        if (result->unpaired[k])
            fprintf(stream, "note: %d cases of %s are in no pair, as %s has no record of them; first %s\n",
                    result->unpaired[k], k == NB_A ? "A" : "B", k == NB_A ? "B" : "A", result->alone[k]);
}

/* In how many pairs A and B are of different builds, hosts, kernels or libraries. */
static void print_provenance(const struct nb_comparison_part *part, FILE *stream)
{
    static const char *const names[] = {"fingerprint", "compiler", "flags", "blas", "host", "kernel"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        int count = 0;
        for (int i = 0; i < part->count; ++i) {
            const cJSON *a = nb_json_path(part->pair[i].record[NB_A], "provenance", names[k]);
            const cJSON *b = nb_json_path(part->pair[i].record[NB_B], "provenance", names[k]);
            count += a && b && !cJSON_Compare(a, b, true);
        }
        if (count)
            fprintf(stream, "note: A and B have different %s%s in %d of %d pairs\n", names[k],
                    k ? "" : " (of the build)", count, part->count);
    }
}

static void print_part(const struct nb_comparison_part *part, FILE *stream)
{
    const struct nb_tally *tally = &part->tally;
    print_pairs(part, stream);
    print_efforts(part, stream);
    fputs(part->both ? "\n" : "\nno pair in which both reach the tolerance\n", stream);
    print_mean("iterations A/B", part->both, part->problems, &part->iterations, stream);
    print_mean("speed-up", tally->timed, part->timed_problems, &part->speed_up, stream);
    print_cautions(tally, part->count, stream);
    fprintf(stream, "verdict: ");
    nb_print_emphasised(stream, NB_HEADING, part->sentence);
    fprintf(stream, "\n");
    if (tally->fails[NB_A] || tally->fails[NB_B])
        fprintf(stream, "not in the mean: B alone fails on %d, A alone on %d\n", tally->fails[NB_B],
                tally->fails[NB_A]);
    if (tally->copies)
        fprintf(stream, "note: %d of %d pairs are of copies of a problem that counts already (one problem_hash)\n",
                tally->copies, part->count);
    if (tally->few)
        fprintf(stream, "note: pairs with fewer than %d repetitions: %d\n", NB_COMPARE_REPETITIONS, tally->few);
    print_provenance(part, stream);
}

void nb_comparison_print(const struct nb_comparison_result *result, FILE *stream)
{
    NB_DECIMAL_POINT;
    const bool both = result->steps.count && result->systems.count;
    if (both)
        fputs("steps\n", stream);
    if (result->steps.count)
        print_part(&result->steps, stream);
    if (both)
        fputs("\nlinear systems\n", stream);
    if (result->systems.count)
        print_part(&result->systems, stream);
    nb_control_print(&result->control, "", stream);
    print_unpaired(result, stream);
    if (result->elsewhere)
        fprintf(stream, "note: cases left out, as their partners ran on another kind of machine (cpu, simd, "
                "host_threads or governor in their provenance): %d\n", result->elsewhere);
    if (result->unread)
        fprintf(stream, "note: cases left out, as their methods do not read what --a or --b names: %d\n",
                result->unread);
}
