/* Each value of the setting in question against a baseline, as `ncpbench compare` does it (harness/report/compare.h):
 * a row a comparison, steps and linear systems apart, with the pairs that it was made of folded below. With a candidate
 * and no baseline the candidate stands against every other value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/figure.h"
#include "harness/figures/profile.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

/* The figures of a page, as SVG within it (harness/figures/figure.h): how the error fell in the very cases that the
 * first matrix of verdicts shows, and profiles where there are enough problems for one; steps and linear systems
 * apart. Of many values those are drawn that come off best, of many problems the first. Where gnuplot is missing the
 * page says so and goes without. */

enum { CURVES = 9, PANELS = 6 };

/* What is drawn of the first axis in one mode. */
struct choice {
    const struct nb_page_cases *cases;
    const struct nb_matrix *matrix;
    bool system;
    bool drawn[NB_PAGE_VALUES]; /* by value */
    int curves, problems;       /* problems: of this mode */
};

static bool is_of(const struct choice *choice, const struct nb_page_case *item)
{
    return item && nb_outcome_is_system(item->record) == choice->system;
}

static bool comes_before(const struct nb_matrix_summary *a, const struct nb_matrix_summary *b)
{
    return a->slowdown != b->slowdown ? a->slowdown < b->slowdown : a->reached > b->reached;
}

/* The values that come off best over all problems. */
static void choose_values(struct choice *choice)
{
    const int count = choice->matrix->axis->count;
    while (choice->curves < CURVES && choice->curves < count) {
        int best = -1;
        struct nb_matrix_summary least = {0};
        for (int v = 0; v < count && v < NB_PAGE_VALUES; ++v) {
            const struct nb_matrix_summary summary = nb_matrix_summary(choice->matrix, v);
            if (!choice->drawn[v] && (best < 0 || comes_before(&summary, &least))) {
                best = v;
                least = summary;
            }
        }
        if (best < 0)
            return;
        choice->drawn[best] = true;
        ++choice->curves;
    }
}

/* All cases of this mode that have a chosen value; NULL where memory is short. */
static cJSON *collect_all(struct choice *choice)
{
    const struct nb_page_cases *cases = choice->cases;
    const struct nb_axis *axis = choice->matrix->axis;
    cJSON *records = cJSON_CreateArray();
    bool complete = records;
    for (int i = 0; i < cases->count && complete; ++i)
        if (is_of(choice, &cases->item[i]) && axis->of[i] >= 0 && choice->drawn[axis->of[i]])
            complete = nb_page_add_record(records, cases->item[i].record);
    if (complete)
        return records;
    cJSON_Delete(records);
    return NULL;
}

/* The problem's first case of this mode; NULL: none. */
static const cJSON *first_case(const struct choice *choice, int problem)
{
    const struct nb_page_cases *cases = choice->cases;
    for (int i = cases->problem.first[problem]; i >= 0; i = cases->problem.next[i])
        if (is_of(choice, &cases->item[i]))
            return cases->item[i].record;
    return NULL;
}

/* Whether an earlier problem has the same name, of which this is another stored system. */
static bool has_panel(const struct choice *choice, int problem)
{
    char name[NB_PAGE_TEXT], other[NB_PAGE_TEXT];
    nb_page_problem_name(first_case(choice, problem), name);
    for (int p = 0; p < problem; ++p) {
        const cJSON *record = first_case(choice, p);
        if (record)
            nb_page_problem_name(record, other);
        if (record && !strcmp(name, other))
            return true;
    }
    return false;
}

/* The matrix's cases of the first problems, *panels of them; NULL where memory is short. */
static cJSON *collect_shown(struct choice *choice, int *panels)
{
    const struct nb_matrix *matrix = choice->matrix;
    cJSON *records = cJSON_CreateArray();
    bool complete = records;
    *panels = 0;
    for (int p = 0; p < matrix->problem->count && complete && *panels < PANELS; ++p) {
        if (!first_case(choice, p) || has_panel(choice, p))
            continue;
        ++*panels;
        for (int v = 0; v < matrix->axis->count && complete; ++v) {
            const struct nb_page_case *item = matrix->cell[p * matrix->axis->count + v].item;
            if (is_of(choice, item) && v < NB_PAGE_VALUES && choice->drawn[v])
                complete = nb_page_add_record(records, item->record);
        }
    }
    if (complete)
        return records;
    cJSON_Delete(records);
    return NULL;
}

/* What gnuplot cannot draw is told in the picture's place; notes go to `notes`. */
static enum nb_status print_figure(const struct nb_figure_request *request, cJSON *records, FILE *notes, FILE *stream,
                                   struct nb_error *error)
{
    char *svg = NULL;
    if (!records)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the figures");
    struct nb_error why = {""};
    const enum nb_status status = nb_figure_svg(request, records, "the records", notes, &svg, &why);
    nb_html_print(stream, "<figure id=\"%s\">", request->name);
    if (status)
        nb_html_print(stream, "<p class=note>No figure: %s\n", why.text);
    else
        fputs(svg, stream);
    free(svg);
    return status == NB_OUT_OF_MEMORY ? nb_fail(error, status, "%s", why.text) : NB_OK;
}

static enum nb_status print_convergence(struct choice *choice, FILE *notes, FILE *stream, struct nb_error *error)
{
    int panels;
    cJSON *records = collect_shown(choice, &panels);
    const struct nb_axis *axis = choice->matrix->axis;
    const struct nb_figure_request request = {.kind = "convergence",
                                              .curves = axis->name,
                                              .panels = "problem",
                                              .name = choice->system ? "convergence_systems" : "convergence_steps"};
    const enum nb_status status = print_figure(&request, records, notes, stream, error);
    nb_html_print(stream,
                  "<figcaption>How the error fell, of the cases that the verdicts by %s show, with the accuracy "
                  "floors of those that have one. ",
                  axis->name);
    if (panels < choice->problems)
        nb_html_print(stream, "Shown are %d of %d %s. ", panels, choice->problems,
                      choice->system ? "linear systems" : "steps");
    if (choice->curves < axis->count)
        nb_html_print(stream, "Of %d values the %d that come off best are drawn.", axis->count, choice->curves);
    fputs("</figcaption></figure>\n", stream);
    cJSON_Delete(records);
    return status;
}

static enum nb_status print_profile(struct choice *choice, FILE *notes, FILE *stream, struct nb_error *error)
{
    cJSON *records = collect_all(choice);
    const struct nb_axis *axis = choice->matrix->axis;
    const struct nb_figure_request request = {.kind = "profile",
                                              .curves = axis->name,
                                              .panels = strcmp(axis->name, "precision") ? "precision: f64 f32" : "mode",
                                              .tolerance = choice->cases->tolerance,
                                              .name = choice->system ? "profile_systems" : "profile_steps"};
    const enum nb_status status = print_figure(&request, records, notes, stream, error);
    nb_html_print(stream,
                  "<figcaption>Over %d %s: the share that a %s solves to the tolerance within so many times the "
                  "least time of the problem, and within a time.</figcaption></figure>\n",
                  choice->problems, choice->system ? "linear systems" : "steps", axis->name);
    cJSON_Delete(records);
    return status;
}

static enum nb_status print_mode(struct choice *choice, FILE *notes, FILE *stream, struct nb_error *error)
{
    for (int p = 0; p < choice->matrix->problem->count; ++p)
        choice->problems += first_case(choice, p) != NULL;
    if (!choice->problems)
        return NB_OK;
    choose_values(choice);
    enum nb_status status = print_convergence(choice, notes, stream, error);
    if (!status && choice->problems >= NB_PROFILE_LEAST)
        status = print_profile(choice, notes, stream, error);
    return status;
}

static enum nb_status print_modes(const struct nb_page_cases *cases, FILE *notes, FILE *stream, struct nb_error *error)
{
    struct nb_matrix matrix;
    enum nb_status status = nb_matrix_make(cases, &cases->axis[0], &matrix, error);
    if (status)
        return status;
    for (int mode = 0; mode < 2 && !status; ++mode)
        status = print_mode(&(struct choice){.cases = cases, .matrix = &matrix, .system = mode}, notes, stream, error);
    nb_matrix_free(&matrix);
    return status;
}

enum nb_status nb_html_figures(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *notes = open_memstream(&text, &size);
    if (!notes)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the figures");
    fputs("<section id=figures><h2>Figures</h2>\n<div class=figures>\n", stream);
    enum nb_status status = print_modes(cases, notes, stream, error);
    fputs("</div>\n", stream);
    if (fclose(notes) && !status)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the figures");
    if (!status && *text)
        nb_html_print(stream, "<details><summary>Notes on the figures</summary><pre><code>%s</code></pre></details>\n",
                      text);
    fputs("</section>\n", stream);
    free(text);
    return status;
}

static void print_interval(const struct nb_interval *interval, FILE *stream)
{
    if (isnan(interval->value))
        fputs("<td class=n>–", stream);
    else
        nb_html_print(stream, "<td class=n>%s <small>[%s, %s]</small>", nb_text_ratio(interval->value),
                      nb_text_ratio(interval->low), nb_text_ratio(interval->high));
}

static const char *verdict_shade(enum nb_verdict verdict)
{
    switch (verdict) {
    case NB_VERDICT_BETTER: return "good";
    case NB_VERDICT_WORSE: return "bad";
    default: return "open";
    }
}

static void print_part(const char *kind, const struct nb_comparison_part *part, FILE *stream)
{
    const struct nb_tally *tally = &part->tally;
    nb_html_print(stream, "<td>%s<td class=\"verdict %s\">%s<td class=n>%d<td class=n>%d<td class=n>%d<td class=n>%d",
                  kind, verdict_shade(part->verdict), nb_verdict_text(part->verdict), part->count, tally->better,
                  tally->worse, tally->undecided);
    nb_html_print(stream, "<td class=n>%d<td class=n>%d<td class=n>%d", tally->fails[NB_A], tally->fails[NB_B],
                  tally->neither);
    print_interval(&part->speed_up, stream);
    print_interval(&part->iterations, stream);
    fputc('\n', stream);
}

static const char headings[] =
    "<thead><tr><th scope=col>A<th scope=col>B<th scope=col>of<th scope=col>verdict on B"
    "<th scope=col class=number>pairs<th scope=col class=number>B better<th scope=col class=number>worse"
    "<th scope=col class=number>undecided<th scope=col class=number>only A fails<th scope=col class=number>only B fails"
    "<th scope=col class=number>both<th scope=col class=number>speed-up A/B"
    "<th scope=col class=number>iterations A/B\n<tbody>\n";

/* A comparison that the page makes. */
struct comparison {
    const char *a, *b;
    struct nb_page_comparison made;
    enum nb_status status; /* NB_BAD_INPUT: there are no pairs, for the reason in error */
    struct nb_error error;
};

static void print_comparison(const struct comparison *comparison, FILE *stream)
{
    const struct nb_comparison_result *result = &comparison->made.result;
    const struct nb_comparison_part *const parts[] = {&result->steps, &result->systems};
    const char *a = comparison->a, *b = comparison->b;
    if (comparison->status)
        nb_html_print(stream, "<tr><th scope=row>%s<th>%s<td colspan=11 class=open>%s\n", a, b, comparison->error.text);
    for (int i = 0; i < 2 && !comparison->status; ++i)
        if (parts[i]->count) {
            nb_html_print(stream, "<tr><th scope=row>%s<th>%s", a, b);
            print_part(nb_comparison_kind(parts[i]), parts[i], stream);
        }
}

static const char pair_headings[] =
    "<thead><tr><th scope=col>pair<th scope=col>verdict<th scope=col class=number>speed-up A/B"
    "<th scope=col class=number>A [ms]<th scope=col class=number>B [ms]<th scope=col class=number>A iterations"
    "<th scope=col class=number>B<th scope=col class=number>A linear iterations<th scope=col class=number>B"
    "<th scope=col class=number>A set-up [ms]<th scope=col class=number>B<th scope=col class=number>A applying [ms]"
    "<th scope=col class=number>B\n<tbody>\n";

static void print_pair(const struct nb_pair *pair, FILE *stream)
{
    const struct nb_outcome *outcome = pair->outcome;
    const struct nb_effort *effort = pair->effort;
    nb_html_print(stream, "<tr><th scope=row>%s<td>%s", pair->label ? pair->label : pair->problem,
                  nb_pair_verdict_text(pair->verdict));
    print_interval(&pair->speed_up, stream);
    for (int s = 0; s < 2; ++s) {
        const double time = nb_outcome_time(&outcome[s]);
        nb_html_print(stream, "<td class=n>%s", nb_text_milliseconds(isfinite(time) ? time : NAN));
    }
    for (int s = 0; s < 2; ++s)
        nb_html_print(stream, "<td class=n>%s", nb_text_count(outcome[s].iterations ? outcome[s].iterations : NAN));
    for (int s = 0; s < 2; ++s)
        nb_html_print(stream, "<td class=n>%s", nb_text_count(effort[s].linear_iterations));
    for (int s = 0; s < 2; ++s)
        nb_html_print(stream, "<td class=n>%s", nb_text_milliseconds(effort[s].setup));
    for (int s = 0; s < 2; ++s)
        nb_html_print(stream, "<td class=n>%s", nb_text_milliseconds(effort[s].application));
    fputc('\n', stream);
}

static void print_pairs(const struct nb_page_cases *cases, const struct comparison *comparison, FILE *stream)
{
    const struct nb_comparison_result *result = &comparison->made.result;
    nb_html_print(stream,
                  "<details><summary>%s against %s: %d pairs</summary><div class=scroll tabindex=0 role=region "
                  "aria-label=pairs><table class=data>",
                  comparison->b, comparison->a, result->count);
    fputs(pair_headings, stream);
    for (int i = 0, rows = 0; i < result->count && rows < NB_PAGE_ROWS; ++i)
        if (nb_index_find(&cases->problem.index, result->pair[i].problem) < cases->shown) {
            print_pair(&result->pair[i], stream);
            ++rows;
        }
    fputs("</table></div></details>\n", stream);
}

static const char explanation[] =
    "<p class=note>Cases are paired that agree in all other settings. B is better on a pair where the whole 95 % "
    "interval of the ratio of times lies above 1. Means are geometric, over the pairs in which both reach the "
    "tolerance, with the interval over such problems; a failure is in no mean, so that it stands in a column of its "
    "own.\n";

static void print_comparisons(const struct nb_page_cases *cases, const struct comparison *comparisons, int count,
                              FILE *stream)
{
    nb_html_print(stream, "<section id=comparisons><h2>Comparisons by %s</h2>\n", cases->axis[0].name);
    fputs(explanation, stream);
    if (count == NB_PAGE_METHODS)
        nb_html_print(stream, "<p class=note>Those of the first %d values.\n", count);
    fputs("<div class=scroll tabindex=0 role=region aria-label=comparisons><table class=data>", stream);
    fputs(headings, stream);
    for (int i = 0; i < count; ++i)
        print_comparison(&comparisons[i], stream);
    fputs("</table></div>\n", stream);
    nb_html_note_cut(cases, stream);
    for (int i = 0; i < count; ++i)
        if (!comparisons[i].status)
            print_pairs(cases, &comparisons[i], stream);
    fputs("</section>\n", stream);
}

enum nb_status nb_html_pairs(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    struct nb_page_match match[NB_PAGE_METHODS];
    const int count = nb_page_matches(cases, match);
    const struct nb_axis *axis = &cases->axis[0];
    struct comparison *comparisons = calloc((size_t)count + 1, sizeof *comparisons);
    enum nb_status status =
        comparisons ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d comparisons", count);
    for (int i = 0; i < count && !status; ++i) {
        struct comparison *made = &comparisons[i];
        made->a = axis->value[match[i].a];
        made->b = axis->value[match[i].b];
        made->status = nb_page_compare(cases, match[i], &made->made, &made->error);
        if (made->status && made->status != NB_BAD_INPUT)
            status = nb_fail(error, made->status, "%s", made->error.text);
    }
    if (!status && count)
        print_comparisons(cases, comparisons, count, stream);
    for (int i = 0; comparisons && i < count; ++i)
        nb_page_comparison_free(&comparisons[i].made);
    free(comparisons);
    return status;
}
