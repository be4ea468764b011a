/* Prints a comparison: a line for each pair, named by its problem and the settings that differ between pairs, what
 * stands behind the times, means, notes and the verdict over all pairs. */
#include <math.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/sheet.h"
#include "harness/report/compare_private.h"
#include "harness/report/html_text.h"
#include "problems/base/emphasis.h"
#include "problems/base/numbers.h"

/* A comparison as one JSON object; its members are described in docs/reference/output.md. */

/* pairs: over how many, of so many problems, it is taken; 0: not of pairs. */
static void add_interval(cJSON *object, const char *name, const struct nb_interval *interval, int pairs, int problems)
{
    cJSON *added = nb_interval_add(object, name, interval);
    if (added && pairs) {
        NB_JSON_ADD(added, "pairs", pairs, "problems", problems);
    }
}

static void add_side(cJSON *object, const char *name, const struct nb_pair *pair, int side)
{
    const struct nb_outcome *outcome = &pair->outcome[side];
    const struct nb_effort *effort = &pair->effort[side];
    const cJSON *record = pair->record[side];
    cJSON *added = cJSON_AddObjectToObject(object, name);
    NB_JSON_ADD(added, "key", nb_json_string(record, "key"), "ending", nb_json_string(record, "ending"),
                "smallest_error", outcome->best, "iterations", outcome->iterations ? outcome->iterations : NAN,
                "time", nb_outcome_time(outcome), "repetitions", outcome->repetitions,
                "linear_iterations", effort->linear_iterations, "setup", effort->setup);
    NB_JSON_ADD(added, "applications", effort->applications, "application", effort->application);
}

static void add_pair(cJSON *pairs, const struct nb_pair *pair)
{
    cJSON *added = nb_json_append(pairs);
    NB_JSON_ADD(added, "problem", pair->problem, "label", pair->label, "error", pair->tolerance,
                "verdict", nb_pair_verdict_name(pair->verdict));
    if (pair->verdict == NB_PAIR_TIMED_APART)
        cJSON_AddStringToObject(added, "reason", pair->not_interleaved);
    else
        cJSON_AddNullToObject(added, "reason");
    add_interval(added, "speed_up", &pair->speed_up, 0, 0);
    cJSON_AddBoolToObject(added, "spent_budget", pair->at_budget);
    add_side(added, "a", pair, NB_A);
    add_side(added, "b", pair, NB_B);
}

static void add_tally(cJSON *object, const struct nb_comparison_part *part)
{
    const struct nb_tally *tally = &part->tally;
    const struct {
        const char *name;
        int count;
    } rows[] = {
        {"pairs", part->count},
        {"better", tally->better},
        {"worse", tally->worse},
        {"undecided", tally->undecided},
        {"a_fails", tally->fails[NB_A]},
        {"b_fails", tally->fails[NB_B]},
        {"neither", tally->neither},
        {"timed", tally->timed},
        {"timed_apart", tally->not_interleaved},
        {"few_repetitions", tally->few},
        {"share_of_longer_run", tally->prorated},
        {"spent_budget", tally->at_budget},
        {"one_process", tally->one_process},
        {"copies", tally->copies},
    };
    cJSON *added = cJSON_AddObjectToObject(object, "tally");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        cJSON_AddNumberToObject(added, rows[i].name, rows[i].count);
}

/* The pairs as JSON has them, for cJSON_Delete. */
static cJSON *comparison_pairs(const struct nb_comparison_part *part)
{
    cJSON *pairs = cJSON_CreateArray();
    for (int i = 0; i < part->count; ++i)
        add_pair(pairs, &part->pair[i]);
    return pairs;
}

/* null where there are no such pairs. */
static void add_part(cJSON *object, const char *name, const struct nb_comparison_part *part)
{
    if (!part->count) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    cJSON *added = cJSON_AddObjectToObject(object, name);
    NB_JSON_ADD(added, "verdict", nb_verdict_name(part->verdict), "so_far", nb_verdict_name(part->so_far),
                "sentence", part->sentence);
    add_tally(added, part);
    add_interval(added, "iterations", &part->iterations, part->both, part->problems);
    add_interval(added, "speed_up", &part->speed_up, part->tally.timed, part->timed_problems);
    cJSON_AddItemToObject(added, "pairs", comparison_pairs(part));
}

static void add_list(cJSON *object, const char *name, const struct nb_option_list *list)
{
    cJSON *added = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < list->count; ++i)
        cJSON_AddItemToArray(added, cJSON_CreateString(list->item[i]));
}

cJSON *nb_comparison_json(const struct nb_comparison *comparison, const struct nb_comparison_result *result)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "command", "compare");
    add_list(object, "a", &comparison->a);
    add_list(object, "b", &comparison->b);
    add_list(object, "across", &comparison->across);
    nb_json_number(object, "tolerance", comparison->tolerance > 0 ? comparison->tolerance : NAN);
    cJSON *left_out = cJSON_AddObjectToObject(object, "left_out");
    NB_JSON_ADD(left_out, "other_machine", result->elsewhere, "unread", result->unread,
                "a_without_b", result->unpaired[NB_A], "b_without_a", result->unpaired[NB_B]);
    nb_control_add_json(object, &result->control);
    add_part(object, "steps", &result->steps);
    add_part(object, "linear_systems", &result->systems);
    return object;
}

/* Three decimals, of a small one three digits: a program that is slower a thousand times is not 0 times as fast. */
static const char *ratio_text(double ratio, char text[NB_NUMBER])
{
    if (fabs(ratio) < 0.01 && ratio != 0)
        snprintf(text, NB_NUMBER, "%.2e", ratio);
    else
        snprintf(text, NB_NUMBER, "%.3f", ratio);
    return text;
}

static void write_speed_up(const cJSON *row, char *text)
{
    const double value = nb_json_path_number(row, "speed_up", "value");
    char number[NB_NUMBER];
    snprintf(text, NB_SHEET_CELL, "%s", isnan(value) ? "-" : ratio_text(value, number));
}

static void write_interval(const cJSON *row, char *text)
{
    char low[NB_NUMBER], high[NB_NUMBER];
    const cJSON *speed_up = nb_json_member(row, "speed_up");
    if (cJSON_IsObject(speed_up))
        snprintf(text, NB_SHEET_CELL, "[%6s,%7s]", ratio_text(nb_json_get(speed_up, "low"), low),
                 ratio_text(nb_json_get(speed_up, "high"), high));
}

/* Writes the verdict behind a second blank; a timed pair of few repetitions says so. */
static void write_verdict(const cJSON *row, char *text)
{
    const double a = nb_json_path_number(row, "a", "repetitions"), b = nb_json_path_number(row, "b", "repetitions");
    const double repetitions = fmin(a, b);
    const int used = snprintf(text, NB_SHEET_CELL, " %s", nb_pair_verdict_text(nb_pair_verdict_of(row)));
    if (repetitions < NB_COMPARE_REPETITIONS && cJSON_IsObject(nb_json_member(row, "speed_up")))
        snprintf(text + used, NB_SHEET_CELL - (size_t)used, " (only %.0f repetition%s)", repetitions,
                 repetitions == 1 ? "" : "s");
}

static void print_pairs(const cJSON *pairs, FILE *stream)
{
    static const struct nb_sheet_column columns[] = {
        {"problem", "label", .width = -1, .widest = true},
        {"error", "error", .width = 9, .format = "%.2e"},
        {"it. A", "a.iterations", .width = 7, .format = "%.0f"},
        {"it. B", "b.iterations", .width = 7, .format = "%.0f"},
        {"A [ms]", "a.time", .width = 11, .format = "%.4g", .factor = 1e3},
        {"B [ms]", "b.time", .width = 11, .format = "%.4g", .factor = 1e3},
        {"A/B", .width = 8, .write = write_speed_up},
        {"95 % interval", .width = 16, .write = write_interval},
        {" B is", .width = -1, .write = write_verdict},
    };
    struct nb_sheet sheet = NB_SHEET("  ", columns);
    nb_sheet_texts(&sheet, pairs, stream);
}

/* Prints what the times are made of, if a record tells. */
static void print_efforts(const cJSON *pairs, FILE *stream)
{
    static const struct nb_sheet_column columns[] = {
        {"problem", "label", .width = -1, .widest = true},
        {"lin. A", "a.linear_iterations", .width = 9, .format = "%.0f"},
        {"lin. B", "b.linear_iterations", .width = 9, .format = "%.0f"},
        {"set A [ms]", "a.setup", .width = 11, .format = "%.4g", .factor = 1e3},
        {"set B [ms]", "b.setup", .width = 11, .format = "%.4g", .factor = 1e3},
        {"app. A [ms]", "a.application", .width = 11, .format = "%.4g", .factor = 1e3},
        {"app. B [ms]", "b.application", .width = 11, .format = "%.4g", .factor = 1e3},
    };
    struct nb_sheet sheet = NB_SHEET("  ", columns);
    const cJSON *pair = NULL;
    bool begun = false;
    nb_sheet_fit(&sheet, pairs);
    cJSON_ArrayForEach(pair, pairs)
    {
        bool known = false;
        for (size_t c = 1; c < sizeof columns / sizeof *columns; ++c)
            known = known || cJSON_IsNumber(nb_sheet_value(pair, columns[c].path));
        if (!known)
            continue;
        if (!begun)
            fputs("what it took: linear iterations, set-up (factors, preconditioner), applying the preconditioner\n",
                  stream);
        if (!begun)
            nb_sheet_text(&sheet, NULL, stream);
        begun = true;
        nb_sheet_text(&sheet, pair, stream);
    }
}

static void print_mean(const char *what, int count, int problems, const struct nb_interval *mean, FILE *stream)
{
    char on[40] = "", value[NB_NUMBER], low[NB_NUMBER], high[NB_NUMBER];
    if (problems < count)
        snprintf(on, sizeof on, " on %d problem%s", problems, problems == 1 ? "" : "s");
    if (count)
        fprintf(stream, "%s, geometric mean of %d%s: %s [%s, %s]\n", what, count, on, ratio_text(mean->value, value),
                ratio_text(mean->low, low), ratio_text(mean->high, high));
}

/* What the verdict does not rest on, or should not. */
static void print_cautions(const struct nb_tally *tally, int pairs, FILE *stream)
{
    if (tally->at_budget)
        fprintf(stream, "note: in %d of %d pairs most linear solves of A and of B spent their budget (linear_iters): "
                        "there a better preconditioner cannot show. Let linear solves end at a tolerance, within an "
                        "ample budget, as data/precond.sweep does\n",
                tally->at_budget, pairs);
    if (tally->not_interleaved)
        fprintf(stream, "note: no verdict on times in %d of %d pairs: %s; `sweep --anew` measures them together, and "
                        "`interleave = problem` in its spec all cases of a problem\n",
                tally->not_interleaved, pairs,
                tally->not_interleaved_reason);
    if (tally->one_process)
        fprintf(stream, "note: in %d of %d pairs the repetitions of a case were made in one process, as before every "
                        "one had its own: their interval knows nothing of what differs between processes, and is too "
                        "narrow\n",
                tally->one_process, tally->timed);
    if (tally->prorated)
        fprintf(stream, "note: in %d of %d pairs a run went on beyond the error, and its time is taken in proportion "
                        "to its iterations, which may cost unlike amounts: `tol` in the sweep's spec measures it\n",
                tally->prorated, tally->timed);
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
    cJSON *pairs = comparison_pairs(part);
    print_pairs(pairs, stream);
    print_efforts(pairs, stream);
    cJSON_Delete(pairs);
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
