/* The report in short, for a pull request's comment: the matrix of the setting in question, its comparisons, endings
 * and the machine. Names stand as code, in which nothing is a link or a mention. */
#include <math.h>

#include "harness/judge/ending.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/report/curve.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"

/* How a setting's values stand to the best (harness/report/curve.h); nothing of NULL. */
static void print_curve(const struct nb_curve *curve, FILE *stream)
{
    for (int p = 0; p < 2 && curve; ++p) {
        const struct nb_curve_part *part = &curve->part[p];
        if (!part->any)
            continue;
        fputs("\n| ", stream);
        nb_markdown_code(stream, curve->setting);
        fprintf(stream, ", on %s | against the best | solves | time / the best's | iterations | linear | why it fails "
                        "|\n|---|---|---:|---:|---:|---:|---|\n",
                nb_curve_part_name(p));
        for (int v = 0; v < curve->count; ++v) {
            const struct nb_curve_point *point = &part->point[v];
            char verdict[100];
            nb_curve_verdict(part, v, verdict, sizeof verdict);
            fputs("| ", stream);
            nb_markdown_code(stream, curve->value[v].text);
            fprintf(stream, " | %s | %d of %d | %s | %s | %s | ", verdict, point->solved, point->cases,
                    isfinite(point->time.value) ? nb_text_ratio(point->time.value) : "–",
                    isfinite(point->iterations) ? nb_text_ratio(point->iterations) : "–",
                    isfinite(point->linear) ? nb_text_ratio(point->linear) : "–");
            nb_markdown_text(stream, point->reason);
            fputs(" |\n", stream);
        }
        fputc('\n', stream);
        nb_markdown_text(stream, part->sentence);
        fputc('\n', stream);
    }
}

static void print_cell(const struct nb_cell *cell, FILE *stream)
{
    char text[64];
    nb_cell_text(cell, text, sizeof text);
    fputs(" | ", stream);
    if (cell->kind == NB_CELL_BEST)
        fprintf(stream, "**best** %s ms", nb_text_milliseconds(cell->item->time));
    else if (cell->kind == NB_CELL_FAILED)
        nb_markdown_text(stream, text);
    else
        fputs(text, stream);
}

static void print_sums(const struct nb_matrix *matrix, FILE *stream)
{
    fputs("| reach it", stream);
    for (int v = 0; v < matrix->axis->count; ++v) {
        const struct nb_matrix_summary summary = nb_matrix_summary(matrix, v);
        fprintf(stream, " | %d of %d", summary.reached, summary.tried);
    }
    fputs(" |\n| fastest", stream);
    for (int v = 0; v < matrix->axis->count; ++v) {
        const struct nb_matrix_summary summary = nb_matrix_summary(matrix, v);
        fprintf(stream, " | %d of %d", summary.fastest, summary.tried);
    }
    fputs(" |\n| median", stream);
    for (int v = 0; v < matrix->axis->count; ++v)
        fprintf(stream, " | %s", nb_text_ratio(nb_matrix_summary(matrix, v).slowdown));
    fputs(" |\n", stream);
}

static void print_matrix(const struct nb_matrix *matrix, FILE *stream)
{
    fprintf(stream, "| problem");
    for (int v = 0; v < matrix->axis->count; ++v) {
        fputs(" | ", stream);
        nb_markdown_code(stream, matrix->axis->value[v]);
    }
    fputs(" |\n|---", stream);
    for (int v = 0; v < matrix->axis->count; ++v)
        fputs("|---:", stream);
    fputs("|\n", stream);
    for (int p = 0; p < matrix->problem->count; ++p) {
        fputs("| ", stream);
        nb_markdown_code(stream, matrix->problem->value[p]);
        for (int v = 0; v < matrix->axis->count; ++v)
            print_cell(&matrix->cell[p * matrix->axis->count + v], stream);
        fputs(" |\n", stream);
    }
    print_sums(matrix, stream);
}

static enum nb_status print_verdicts(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    struct nb_matrix matrix;
    const enum nb_status status = nb_matrix_make(cases, &cases->axis[0], &matrix, error);
    if (status)
        return status;
    fprintf(stream,
            "Time to an error of %s over the least of the problem, by %s; ≈: the two cannot be told apart; in "
            "parentheses: not timed in turn; a failure stands with its ending.\n\n",
            nb_text_error(cases->tolerance), cases->axis[0].name);
    print_matrix(&matrix, stream);
    nb_matrix_free(&matrix);
    return NB_OK;
}

static void print_part(const struct nb_axis *axis, struct nb_page_match match,
                       const struct nb_comparison_part *part, FILE *stream)
{
    const struct nb_tally *tally = &part->tally;
    fputs("| ", stream);
    nb_markdown_code(stream, axis->value[match.b]);
    fputs(" against ", stream);
    nb_markdown_code(stream, axis->value[match.a]);
    fprintf(stream, ", %s | **%s** | %d of %d | %d | %d | %d, %d | ", nb_comparison_kind(part),
            nb_verdict_text(part->verdict), tally->better, part->count, tally->worse, tally->undecided,
            tally->fails[NB_B], tally->fails[NB_A]);
    if (isnan(part->speed_up.value))
        fputs("– |\n", stream);
    else
        fprintf(stream, "%s [%s, %s] |\n", nb_text_ratio(part->speed_up.value), nb_text_ratio(part->speed_up.low),
                nb_text_ratio(part->speed_up.high));
}

static enum nb_status print_comparisons(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    struct nb_page_match match[NB_PAGE_METHODS];
    const int count = nb_page_matches(cases, match);
    if (count)
        fputs("\n| comparison | verdict | better | worse | undecided | it, the other fails | speed-up |\n"
              "|---|---|---:|---:|---:|---:|---:|\n",
              stream);
    for (int i = 0; i < count; ++i) {
        struct nb_page_comparison made;
        const enum nb_status status = nb_page_compare(cases, match[i], &made, error);
        const struct nb_comparison_result *result = &made.result;
        if (!status && result->steps.count)
            print_part(&cases->axis[0], match[i], &result->steps, stream);
        if (!status && result->systems.count)
            print_part(&cases->axis[0], match[i], &result->systems, stream);
        nb_page_comparison_free(&made);
        if (status && status != NB_BAD_INPUT)
            return status;
    }
    return NB_OK;
}

static void print_reasons(const struct nb_page_cases *cases, FILE *stream)
{
    struct nb_reasons reasons = nb_page_reasons(cases);
    int rest;
    const int shown = nb_reasons_sort(&reasons, &rest);
    for (int i = 0; i < shown; ++i) {
        fprintf(stream, "%s%d failed to run: ", i ? "; " : "\n", reasons.reason[i].cases);
        nb_markdown_text(stream, reasons.reason[i].text);
    }
    if (rest)
        fprintf(stream, "; %d for other reasons", rest);
    fputs(shown ? ".\n" : "", stream);
    nb_reasons_free(&reasons);
}

static void print_endings(const struct nb_page_cases *cases, FILE *stream)
{
    int printed = 0;
    fputs("\nEndings: ", stream);
    for (int e = 0; e <= NB_ENDING_INFEASIBLE; ++e) {
        int reached;
        const char *name = nb_ending_name((enum nb_ending)e);
        const int count = nb_page_count_ending(cases, name, &reached);
        if (count)
            fprintf(stream, "%s%d `%s`", printed++ ? ", " : "", count, name);
    }
    fprintf(stream, "; %d cases in all.\n", cases->count);
    print_reasons(cases, stream);
}

static void machine_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    (void)name;
    nb_provenance_machine(nb_json_member(cases->item[i].record, "provenance"), text, NB_MACHINE);
}

static enum nb_status print_machines(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    const char *first, *last;
    struct nb_axis machine = {.name = "machine"};
    const enum nb_status status = nb_axis_fill(&machine, cases->count, machine_of, cases, error);
    for (int m = 0; m < machine.count; ++m) {
        fputs(m ? "; " : "\nMeasured on ", stream);
        nb_markdown_text(stream, machine.value[m]);
    }
    nb_page_dates(cases, &first, &last);
    if (*last) {
        fputs(machine.count ? ", " : "\nMeasured ", stream);
        nb_markdown_text(stream, nb_text_date(last));
    }
    fprintf(stream, "%s", machine.count || *last ? ".\n" : "");
    char line[NB_CONTROL_LINES][NB_CONTROL_TEXT];
    const int lines = nb_control_lines(&cases->control, line);
    for (int i = 0; i < lines; ++i) {
        fputs("\nTimes, ", stream);
        nb_markdown_text(stream, line[i]);
        fputs(".\n", stream);
    }
    nb_axis_free(&machine);
    return status;
}

static enum nb_status print_page(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    const struct nb_page *page = cases->page;
    fputs("### ", stream);
    nb_markdown_text(stream, nb_page_title(page));
    fputs("\n\n", stream);
    for (int i = 0; page->lead && page->lead[i]; ++i) {
        nb_markdown_text(stream, page->lead[i]);
        fputs("\n\n", stream);
    }
    enum nb_status status = print_verdicts(cases, stream, error);
    status = status ? status : print_comparisons(cases, stream, error);
    print_curve(page->curve, stream);
    if (!status) {
        print_endings(cases, stream);
        status = print_machines(cases, stream, error);
    }
    return status;
}

enum nb_status nb_report_markdown(const struct nb_page *page, const char *path, struct nb_error *error)
{
    return nb_page_write(page, print_page, path, error);
}
