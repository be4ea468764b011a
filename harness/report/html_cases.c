/* The table of all cases, whose rows the page's script (report.js) sorts and filters: a column's key is its name in the
 * page's address, `data-choice` marks those that get a list of their values. Tags that HTML lets one leave out are left
 * out, since a sweep may have thousands of cases. And the endings, counted. */
#include <math.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/case/ending.h"
#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

/* "method" stands for settings that have columns of their own. */
static bool has_column(const struct nb_axis *axis)
{
    return strcmp(axis->name, "method") != 0;
}

static void print_heading(FILE *stream, const char *key, const char *words, const char *marks)
{
    nb_html_print(stream, "<th scope=col data-key=\"%s\"", key);
    nb_html_print(stream, "%s aria-sort=none><button type=button>%s</button>", marks, words);
}

static const struct {
    const char *key, *words;
} numbers[] = {
    {"error", "error"},
    {"time", "time to tol [ms]"},
    {"spread", "spread [%]"},
    {"setup", "set-up [ms]"},
    {"iterations", "iterations"},
    {"linear_iterations", "linear iterations"},
    {"whole", "whole run [ms]"},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void print_head(const struct nb_page_cases *cases, FILE *stream)
{
    fputs("<thead><tr>", stream);
    print_heading(stream, "problem", "problem", " data-choice");
    for (int a = 0; a < cases->axis_count; ++a)
        if (has_column(&cases->axis[a]))
            print_heading(stream, cases->axis[a].name, cases->axis[a].name, " data-choice");
    print_heading(stream, "ending", "ending", " data-choice");
    for (int i = 0; i < NUMBERS; ++i)
        print_heading(stream, numbers[i].key, numbers[i].words, " class=number");
    print_heading(stream, "detail", "detail", "");
    fputs("\n<tbody>\n", stream);
}

/* How far the repetitions lie apart, over their median; NaN below two. */
static double spread(const struct nb_outcome *outcome)
{
    double seconds[NB_OUTCOME_REPETITIONS], least = INFINITY, most = 0;
    const int count = nb_outcome_times(outcome, seconds);
    for (int i = 0; i < count; ++i) {
        least = fmin(least, seconds[i]);
        most = fmax(most, seconds[i]);
    }
    return count > 1 ? (most - least) / nb_median(seconds, count) : NAN;
}

/* In the order of `numbers`. */
static void print_numbers(const struct nb_page_case *item, FILE *stream)
{
    const struct nb_outcome *outcome = &item->outcome;
    const struct nb_effort effort = nb_outcome_effort(item->record, outcome);
    const double width = spread(outcome);
    nb_html_print(stream, "<td class=n>%s<td class=n>%s<td class=n>%s<td class=n>%s", nb_text_error(item->error),
                  nb_text_milliseconds(isfinite(item->time) ? item->time : NAN),
                  isnan(width) ? "–" : nb_text_ratio(100 * width),
                  nb_text_milliseconds(nb_json_path_number(item->record, "times", "setup")));
    nb_html_print(stream, "<td class=n>%s<td class=n>%s<td class=n>%s",
                  outcome->iterations ? nb_text_count(outcome->iterations) : "–",
                  nb_text_count(effort.linear_iterations),
                  nb_text_milliseconds(nb_json_path_number(item->record, "times", "median")));
}

static void print_case(const struct nb_page_cases *cases, int i, FILE *stream)
{
    const struct nb_page_case *item = &cases->item[i];
    nb_html_print(stream, "<tr><th scope=row>%s", cases->problem.value[cases->problem.of[i]]);
    for (int a = 0; a < cases->axis_count; ++a) {
        const struct nb_axis *axis = &cases->axis[a];
        if (has_column(axis))
            nb_html_print(stream, "<td>%s", axis->of[i] < 0 ? "–" : axis->value[axis->of[i]]);
    }
    nb_html_print(stream, "<td%s>%s", item->outcome.iterations ? "" : " class=bad", item->ending);
    print_numbers(item, stream);
    nb_html_print(stream, "<td>%s\n", nb_json_string(item->record, "detail"));
}

/* The one value that all cases have which read the setting; "" where there are several or none. */
static void common_value(const struct nb_page_cases *cases, const char *name, char *common)
{
    *common = '\0';
    for (int i = 0; i < cases->count; ++i) {
        char text[NB_PAGE_VALUE];
        const cJSON *record = cases->item[i].record, *item = nb_json_path(record, "settings", name);
        if (!item || cJSON_IsNull(item) || !nb_record_reads(record, name))
            continue;
        nb_record_text(record, name, text, sizeof text);
        if (*common && strcmp(common, text)) {
            *common = '\0';
            return;
        }
        snprintf(common, NB_PAGE_VALUE, "%s", text);
    }
}

static void print_common_settings(const struct nb_page_cases *cases, FILE *stream)
{
    const struct nb_case_setting *row;
    int printed = 0;
    for (int i = 0; (row = nb_case_column(i)); ++i) {
        char text[NB_PAGE_VALUE];
        common_value(cases, row->name, text);
        if (!*text || !strncmp(row->name, "problem", 7))
            continue;
        fputs(printed++ ? " · " : "<p class=note>The same in all cases that read it: ", stream);
        nb_html_print(stream, "%s <b>%s</b>", row->name, text);
    }
    if (printed)
        fputc('\n', stream);
}

void nb_html_cases(const struct nb_page_cases *cases, FILE *stream)
{
    nb_html_print(stream, "<section id=cases><h2>%s%d cases</h2>\n",
                  nb_page_is_cut(cases) ? "Of " : "All ", cases->count);
    nb_html_print(stream,
                  "<p class=note>Times are medians over the repetitions, to an error of %s; spread is what lies "
                  "between their least and their largest, over the median. Iterations and linear iterations are "
                  "those to that error. The headings sort.\n",
                  nb_text_error(cases->tolerance));
    print_common_settings(cases, stream);
    nb_html_note_cut(cases, stream);
    fputs("<form id=controls hidden></form>\n<div class=scroll tabindex=0 role=region aria-label=cases>"
          "<table id=case-table class=data>",
          stream);
    print_head(cases, stream);
    for (int i = 0, rows = 0; i < cases->count && rows < NB_PAGE_ROWS; ++i)
        if (cases->problem.of[i] < cases->shown) {
            print_case(cases, i, stream);
            ++rows;
        }
    fputs("</table></div></section>\n", stream);
}

static const struct {
    enum nb_ending ending;
    const char *meaning;
} endings[] = {
    {NB_ENDING_CONVERGED, "reached the tolerance of its own"},
    {NB_ENDING_ACCURACY_FLOOR, "reached what its arithmetic allows"},
    {NB_ENDING_ITERATION_LIMIT, "was still falling when the iterations ran out"},
    {NB_ENDING_STAGNATED, "the error stays where it is, creeps or wanders"},
    {NB_ENDING_CYCLING, "the error repeats itself"},
    {NB_ENDING_DIVERGED, "the error grew, or is no number"},
    {NB_ENDING_BREAKDOWN, "met a value that it could not use"},
    {NB_ENDING_TIMED_OUT, "took longer than allowed"},
    {NB_ENDING_OUT_OF_MEMORY, "needs more memory than allowed"},
    {NB_ENDING_UNSUPPORTED, "cannot run, for the reason in its detail"},
    {NB_ENDING_CRASHED, "its process died"},
    {NB_ENDING_INFEASIBLE, "the problem’s constraints contradict each other"},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

int nb_page_count_ending(const struct nb_page_cases *cases, const char *ending, int *reached)
{
    int count = 0;
    *reached = 0;
    for (int i = 0; i < cases->count; ++i)
        if (!strcmp(cases->item[i].ending, ending)) {
            ++count;
            *reached += cases->item[i].outcome.iterations > 0;
        }
    return count;
}

void nb_html_endings(const struct nb_page_cases *cases, FILE *stream)
{
    fputs("<section id=endings><h2>Endings</h2>\n<div class=scroll><table class=data><thead><tr><th scope=col>ending"
          "<th scope=col class=number>cases<th scope=col class=number>reach the tolerance"
          "<th scope=col>meaning\n<tbody>\n",
          stream);
    int others = cases->count;
    for (int e = 0; e < ENDINGS; ++e) {
        int reached;
        const char *name = nb_ending_name(endings[e].ending);
        const int count = nb_page_count_ending(cases, name, &reached);
        others -= count;
        if (count)
            nb_html_print(stream, "<tr><th scope=row><a href=\"#ending=%s\">%s</a><td class=n>%d<td class=n>%d<td>%s\n",
                          name, name, count, reached, endings[e].meaning);
    }
    if (others)
        nb_html_print(stream, "<tr><th scope=row>others<td class=n>%d<td><td>endings that this version does not know\n",
                      others);
    fputs("</table></div></section>\n", stream);
}
