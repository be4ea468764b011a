/* The matrices of verdicts as tables. Each setting that varies has one; radio buttons choose which is shown, by style
 * sheet alone. The longer of problems and values runs down. A cell says its verdict in words and numbers, its shade
 * repeats it; it leads to the cases that it was made of. */
#include <math.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/case/ending.h"
#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

/* The table of all cases, whose rows the page's script (report.js) sorts and filters: a column's key is its name in the
 * page's address, `data-choice` marks those that get a list of their values. Tags that HTML lets one leave out are left
 * out, since a sweep may have thousands of cases. And the endings, counted. */

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

static void print_case_head(const struct nb_page_cases *cases, FILE *stream)
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
    print_case_head(cases, stream);
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

/* How a table is laid out: problems down and values across, or the other way round. */
struct layout {
    const struct nb_page_cases *cases;
    const struct nb_matrix *matrix;
    bool flipped;
    FILE *stream;
};

enum summary { REACHED, FASTEST, SLOWDOWN, SUMMARIES };
static const char *const summary_names[SUMMARIES] = {"reach it", "fastest", "median"};

static const char *shade(const struct nb_cell *cell)
{
    const double ratio = cell->ratio.value;
    switch (cell->kind) {
    case NB_CELL_BEST: return "best";
    case NB_CELL_SAME: return "same";
    case NB_CELL_FAILED: return "fail";
    case NB_CELL_SLOWER: return ratio <= 1.5 ? "w1" : ratio <= 3 ? "w2" : ratio <= 10 ? "w3" : "w4";
    default: return "none";
    }
}

/* What stands behind the cell. */
static void print_tooltip(const struct layout *layout, const struct nb_cell *cell)
{
    FILE *stream = layout->stream;
    const struct nb_page_cases *cases = layout->cases;
    const long i = cell->item - cases->item;
    for (int a = 0; a < cases->axis_count; ++a) {
        const struct nb_axis *axis = &cases->axis[a];
        if (strcmp(axis->name, "method") && axis->of[i] >= 0)
            nb_html_print(stream, "%s %s\n", axis->name, axis->value[axis->of[i]]);
    }
    nb_html_print(stream, "%s, error %s", cell->item->ending, nb_text_error(cell->item->error));
    if (cell->kind == NB_CELL_SAME || (cell->kind == NB_CELL_SLOWER && !isnan(cell->ratio.low)))
        nb_html_print(stream, "\n%s [%s, %s] times the best time", nb_text_ratio(cell->ratio.value),
                      nb_text_ratio(cell->ratio.low), nb_text_ratio(cell->ratio.high));
    else if (cell->kind == NB_CELL_SLOWER)
        nb_html_print(stream, "\nno interval: not timed in turn with the best");
}

/* The arithmetic of a case that is not in the first one's: a cell may be of another than its neighbours. */
static const char *other_precision(const struct nb_page_cases *cases, const struct nb_matrix *matrix, long item)
{
    const struct nb_axis *axis = nb_page_axis(cases, "precision");
    return axis && axis != matrix->axis && axis->of[item] > 0 ? axis->value[axis->of[item]] : "";
}

static void print_cell(const struct layout *layout, int problem, int value)
{
    char text[64];
    FILE *stream = layout->stream;
    const struct nb_matrix *matrix = layout->matrix;
    const struct nb_cell *cell = &matrix->cell[problem * matrix->axis->count + value];
    if (cell->kind == NB_CELL_EMPTY) {
        fputs("<td class=none>", stream);
        return;
    }
    nb_cell_text(cell, text, sizeof text);
    nb_html_print(stream, "<td class=%s title=\"", shade(cell));
    print_tooltip(layout, cell);
    fputs("\"><a href=\"#problem=", stream);
    nb_html_fragment(stream, matrix->problem->value[problem]);
    if (strcmp(matrix->axis->name, "method")) {
        nb_html_print(stream, "&amp;%s=", matrix->axis->name);
        nb_html_fragment(stream, matrix->axis->value[value]);
    }
    nb_html_print(stream, "\">%s</a>", text);
    const char *other = other_precision(layout->cases, matrix, cell->item - layout->cases->item);
    if (isfinite(cell->item->time))
        nb_html_print(stream, "<small>%s ms%s%s</small>", nb_text_milliseconds(cell->item->time), *other ? ", " : "",
                      other);
    else
        nb_html_print(stream, "<small>error %s</small>", nb_text_error(cell->item->error));
}

static void print_summary(const struct layout *layout, int value, int which)
{
    const struct nb_matrix_summary summary = nb_matrix_summary(layout->matrix, value);
    if (which == SLOWDOWN)
        nb_html_print(layout->stream, "<td>%s%s", nb_text_ratio(summary.slowdown),
                      isfinite(summary.slowdown) ? " ×" : "");
    else
        nb_html_print(layout->stream, "<td>%d of %d", which == REACHED ? summary.reached : summary.fastest,
                      summary.tried);
}

/* How many run across, or down; only problems that have rows are counted. */
static int count_of(const struct layout *layout, const struct nb_axis *axis)
{
    return axis == layout->matrix->problem ? layout->cases->shown : axis->count;
}

static void print_head(const struct layout *layout)
{
    const struct nb_axis *across = layout->flipped ? layout->matrix->problem : layout->matrix->axis;
    const struct nb_axis *down = layout->flipped ? layout->matrix->axis : layout->matrix->problem;
    nb_html_print(layout->stream, "<thead><tr><th scope=col>%s", down->name);
    for (int i = 0; i < count_of(layout, across); ++i)
        nb_html_print(layout->stream, "<th scope=col>%s", across->value[i]);
    for (int s = 0; layout->flipped && s < SUMMARIES; ++s)
        nb_html_print(layout->stream, "<th scope=col class=sum>%s", summary_names[s]);
    fputs("\n<tbody>", layout->stream);
}

static void print_rows(const struct layout *layout)
{
    const struct nb_matrix *matrix = layout->matrix;
    const struct nb_axis *across = layout->flipped ? matrix->problem : matrix->axis;
    const struct nb_axis *down = layout->flipped ? matrix->axis : matrix->problem;
    for (int row = 0; row < count_of(layout, down); ++row) {
        nb_html_print(layout->stream, "<tr><th scope=row>%s", down->value[row]);
        for (int i = 0; i < count_of(layout, across); ++i)
            print_cell(layout, layout->flipped ? i : row, layout->flipped ? row : i);
        for (int s = 0; layout->flipped && s < SUMMARIES; ++s)
            print_summary(layout, row, s);
        fputc('\n', layout->stream);
    }
    if (layout->flipped)
        return;
    fputs("<tfoot>", layout->stream);
    for (int s = 0; s < SUMMARIES; ++s) {
        nb_html_print(layout->stream, "<tr><th scope=row>%s", summary_names[s]);
        for (int v = 0; v < matrix->axis->count; ++v)
            print_summary(layout, v, s);
        fputc('\n', layout->stream);
    }
}

/* The verdict in one sentence. */
static void print_sentence(const struct nb_matrix *matrix, FILE *stream)
{
    const int best = nb_matrix_best(matrix);
    const struct nb_matrix_summary summary = nb_matrix_summary(matrix, best);
    if (!summary.fastest || matrix->axis->count < 2)
        return;
    nb_html_print(stream,
                  "<p class=verdict><strong>%s</strong> is the fastest, or cannot be told from it, on %d of %d "
                  "problems, and reaches the tolerance on %d; over them its median time is %s times the best.\n",
                  matrix->axis->value[best], summary.fastest, summary.tried, summary.reached,
                  nb_text_ratio(summary.slowdown));
}

static enum nb_status print_matrix(const struct nb_page_cases *cases, int index, FILE *stream, struct nb_error *error)
{
    const struct nb_axis *axis = &cases->axis[index];
    struct nb_matrix matrix;
    const enum nb_status status = nb_matrix_make(cases, axis, &matrix, error);
    if (status)
        return status;
    const bool flipped = axis->count > 8 && axis->count > cases->problem.count;
    const struct layout layout = {cases, &matrix, flipped, stream};
    nb_html_print(stream, "<div class=\"matrix m%d\">", index);
    print_sentence(&matrix, stream);
    nb_html_note_cut(cases, stream);
    nb_html_print(stream,
                  "<div class=scroll tabindex=0 role=region aria-label=\"verdicts by %s\"><table class=verdicts>",
                  axis->name);
    print_head(&layout);
    print_rows(&layout);
    fputs("</table></div></div>\n", stream);
    nb_matrix_free(&matrix);
    return NB_OK;
}

static const char explanation[] =
    "<p class=note>The cells of a problem agree in all other settings that they read: of several such families the one "
    "with the most values. A cell has its time to the tolerance over that of the fastest among them, and that time. "
    "“nothing alike”: it was not tried at these settings, and counts nowhere. “≈”: the "
    "95 % interval of the ratio holds 1, so that the two cannot be told apart; in parentheses: they were not timed in "
    "turn, so that there is no interval. What does not reach the tolerance stands with its ending and the error that "
    "was left. In the median over the problems a failure is infinitely slow. A cell leads to its cases.\n"
    "<p class=legend aria-hidden=true><span class=best>best</span> <span class=same>≈</span> "
    "<span class=w1>to 1.5 ×</span> <span class=w2>to 3 ×</span> <span class=w3>to 10 ×</span> "
    "<span class=w4>above</span> <span class=fail>failed</span>\n";

/* The buttons stand before the matrices, as their siblings: so the style sheet shows what is chosen. */
static void print_choices(const struct nb_page_cases *cases, FILE *stream)
{
    fputs("<style>", stream);
    for (int a = 0; a < cases->axis_count; ++a)
        nb_html_print(stream, "%s#axis%d:checked~.m%d", a ? "," : "", a, a);
    fputs("{display:block}</style>\n", stream);
    for (int a = 0; a < cases->axis_count; ++a)
        nb_html_print(stream, "<input type=radio name=axis id=axis%d value=\"%s\"%s><label for=axis%d>%s</label>\n", a,
                      cases->axis[a].name, a ? "" : " checked", a, cases->axis[a].name);
}

enum nb_status nb_html_verdicts(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    fputs("<section id=verdicts><h2>Verdicts</h2>\n", stream);
    print_choices(cases, stream);
    for (int a = 0; a < cases->axis_count && !status; ++a)
        status = print_matrix(cases, a, stream, error);
    fputs(explanation, stream);
    fputs("</section>\n", stream);
    return status;
}
