/* Each value of the setting in question against a baseline, as `ncpbench compare` does it (harness/report/compare.h):
 * a row a comparison, steps and linear systems apart, with the pairs that it was made of folded below. With a candidate
 * and no baseline the candidate stands against every other value. */
#include <math.h>
#include <stdlib.h>

#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

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
