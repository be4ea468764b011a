/* The matrices of verdicts as tables. Each setting that varies has one; radio buttons choose which is shown, by style
 * sheet alone. The longer of problems and values runs down. A cell says its verdict in words and numbers, its shade
 * repeats it; it leads to the cases that it was made of. */
#include <math.h>
#include <string.h>

#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

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
