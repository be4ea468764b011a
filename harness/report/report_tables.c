/* Prints the tables of a report: of each problem the most accurate and the fastest configuration, the cases by ending,
 * and medians by solver (harness/report/report_best.c). */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/ending.h"
#include "harness/records/json.h"
#include "harness/report/report_private.h"
#include "problems/base/emphasis.h"

/* The text of a row at that offset. */
static const char *text_at(const struct nb_row *row, size_t offset)
{
    return *(const char *const *)((const char *)row + offset);
}

/* The width of a column: its heading's, or that of the longest text. */
static int widest(const struct nb_rows *rows, size_t offset, const char *heading)
{
    size_t width = strlen(heading);
    for (int i = 0; i < rows->count; ++i) {
        const size_t length = strlen(text_at(&rows->row[i], offset));
        width = length > width ? length : width;
    }
    return (int)width;
}

static int problem_width(const struct nb_rows *rows)
{
    return widest(rows, offsetof(struct nb_row, problem), "problem");
}

/* Milliseconds with at least three digits that count; "-": none. */
static const char *write_time(double seconds, char *text, size_t size)
{
    const double time = 1e3 * seconds;
    if (isnan(time))
        snprintf(text, size, "-");
    else
        snprintf(text, size, time < 1 ? "%#.3g" : "%.3f", time);
    return text;
}

static void configuration(const struct nb_rows *rows, const struct nb_row *row, char *text, size_t size)
{
    char how[384], others[256];
    const char *start = nb_json_string(cJSON_GetObjectItemCaseSensitive(row->record, "settings"), "start");
    const bool rest = !*start || !strcmp(start, "rest");
    nb_row_others(rows, row, others, sizeof others);
    snprintf(how, sizeof how, "%s%s%.30s%s", row->linearized ? " linearised" : "", rest ? "" : " from ",
             rest ? "" : start, others);
    if (row->self_contained) {
        snprintf(text, size, "%s %d%s", row->method, row->newton_iters, how);
        return;
    }
    const bool none = !row->precond[0] || !strcmp(row->precond, "none");
    snprintf(text, size, "%s %s/%s%s %s%s%s %s %dx%d%s", row->method, row->ncp, row->scaling,
             !strcmp(row->newton_form, "true") ? "/true" : "", row->linear, none ? "" : "+",
             none ? "" : row->precond, row->operator_form, row->newton_iters, row->linear_iters,
             how);
}

static void print_best(const struct nb_rows *rows, const struct nb_row *row, const char *criterion, int width,
                       FILE *stream)
{
    char text[960], time[32];
    configuration(rows, row, text, sizeof text);
    fprintf(stream, "  %-*s %-8s %-17s %10.2e %10.2e %10s  %s\n", width, row->problem, row->precision, criterion,
            row->error, row->normal_error, write_time(row->time, time, sizeof time), text);
}

/* Of a group in which every case failed: the nearest, with its ending. */
static void print_failed(const struct nb_rows *rows, const struct nb_row *row, const struct nb_row *nearest, int width,
                         FILE *stream)
{
    if (nearest)
        print_best(rows, nearest, nearest->ending, width, stream);
    else
        fprintf(stream, "  %-*s %-8s nothing was judged\n", width, row->problem, row->precision);
}

/* How much slower the next one is; whether that can be said. */
static void print_lead(const struct nb_rows *rows, const struct nb_best *best, int width, FILE *stream)
{
    const struct nb_interval *lead = &best->lead;
    char text[960];
    if (!best->next)
        return;
    configuration(rows, best->next, text, sizeof text);
    fprintf(stream, "  %-*s %-8s %-17s next: %s, ", width, best->fastest->problem, best->fastest->precision, "", text);
    if (best->apart)
        fprintf(stream, "%.3g times as long, without an interval: %s\n", lead->value, best->apart);
    else
        fprintf(stream, "%.3g [%.3g, %.3g] times as long%s\n", lead->value, lead->low, lead->high,
                lead->low > 1 ? "" : ": not distinguishable");
}

enum nb_status nb_report_best(const struct nb_rows *rows, FILE *stream, struct nb_error *error)
{
    const int width = problem_width(rows);
    enum nb_status status = NB_OK;
    nb_print_emphasised(stream, NB_HEADING, "best configurations");
    fprintf(stream,
            ": the most accurate, and the fastest to an error of %g, with how much longer the next "
            "takes\n(95 %% interval); where none gets there the nearest, with its ending\n"
            "  %-*s %-8s %-17s %10s %10s %10s  %s\n",
            rows->tolerance, width, "problem", "", "", "error", "normal [m]", "time [ms]", "configuration");
    for (int i = 0; i < rows->count && !status; ++i) {
        struct nb_best best;
        if (rows->row[i].system || !nb_axis_is_first(&rows->set[NB_SAME_GROUP], i))
            continue;
        status = nb_rows_best(rows, i, &best, error);
        if (status)
            break;
        const bool both = best.accurate && best.accurate == best.fastest;
        if (best.accurate)
            print_best(rows, best.accurate, both ? "best in both" : "most accurate", width, stream);
        if (best.fastest && !both)
            print_best(rows, best.fastest, "fastest", width, stream);
        print_lead(rows, &best, width, stream);
        if (!best.accurate)
            print_failed(rows, &rows->row[i], best.nearest, width, stream);
    }
    fprintf(stream, "\n");
    return status;
}

/* Columns only for endings that occurred. */
void nb_report_endings(const struct nb_rows *rows, FILE *stream)
{
    const int width = problem_width(rows);
    int all[NB_ENDINGS], count[NB_ENDINGS];
    nb_rows_endings(rows, -1, all);
    nb_print_emphasised(stream, NB_HEADING, "cases by ending");
    fprintf(stream, "\n  %-*s", width, "problem");
    for (int e = 0; e < NB_ENDINGS; ++e)
        if (all[e])
            fprintf(stream, " %15s", nb_ending_name((enum nb_ending)e));
    fprintf(stream, "\n");
    for (int i = 0; i < rows->count; ++i) {
        if (!nb_axis_is_first(&rows->set[NB_SAME_PROBLEM], i))
            continue;
        nb_rows_endings(rows, i, count);
        fprintf(stream, "  %-*s", width, rows->row[i].problem);
        for (int e = 0; e < NB_ENDINGS; ++e)
            if (all[e])
                fprintf(stream, " %15d", count[e]);
        fprintf(stream, "\n");
    }
    fprintf(stream, "\n");
}

/* The columns of the medians that take their width from what they hold. */
static const struct {
    const char *heading;
    size_t offset;
} names[] = {{"problem", offsetof(struct nb_row, problem)},
             {"method", offsetof(struct nb_row, method)},
             {"linear solver", offsetof(struct nb_row, linear)},
             {"preconditioner", offsetof(struct nb_row, precond)},
             {"", offsetof(struct nb_row, precision)}};
enum { NAMES = sizeof names / sizeof *names };

/* row NULL: the headings; width [NAMES]. */
static void print_names(const int *width, const struct nb_row *row, FILE *stream)
{
    for (int k = 0; k < NAMES; ++k) {
        const char *text = row ? text_at(row, names[k].offset) : names[k].heading;
        fprintf(stream, "%s%-*s", k ? " " : "  ", width[k], row && !text[0] ? "-" : text);
        if (k == 0)
            fprintf(stream, " %-13s", !row ? "" : row->system ? "linear system" : "step");
    }
}

static void print_medians(const struct nb_rows *rows, int first, const int *width, double *values, FILE *stream)
{
    struct nb_row_medians medians;
    char text[32];
    nb_rows_medians(rows, first, values, &medians);
    print_names(width, &rows->row[first], stream);
    fprintf(stream, " %6d %8d ", medians.cases, medians.reaching);
    if (medians.reaching)
        fprintf(stream, "%12.2e %12s\n", medians.error, write_time(medians.time, text, sizeof text));
    else
        fprintf(stream, "%12s %12s\n", "-", "-");
}

enum nb_status nb_report_medians(const struct nb_rows *rows, FILE *stream, struct nb_error *error)
{
    int width[NAMES];
    double *values = malloc((size_t)rows->count * sizeof *values);
    for (int k = 0; k < NAMES; ++k)
        width[k] = widest(rows, names[k].offset, names[k].heading);
    if (!values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the medians of %d cases", rows->count);
    nb_print_emphasised(stream, NB_HEADING, "medians");
    fprintf(stream, " over the cases that reach an error of %g: the error at the end of the run, the time to that "
                    "error\n", rows->tolerance);
    print_names(width, NULL, stream);
    fprintf(stream, " %6s %8s %12s %12s\n", "cases", "reach it", "error", "time [ms]");
    for (int i = 0; i < rows->count; ++i)
        if (nb_axis_is_first(&rows->set[NB_SAME_SOLVER], i))
            print_medians(rows, i, width, values, stream);
    fprintf(stream, "\n");
    free(values);
    return NB_OK;
}
