/* Tables of a report: of each problem the most accurate and the fastest configuration, the cases by ending, and
 * medians by solver. Failures never take part in a minimum or a median. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/record.h"
#include "harness/report/bootstrap.h"
#include "harness/report/report_private.h"

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

static bool same_problem(const struct nb_row *a, const struct nb_row *b)
{
    return !strcmp(a->problem, b->problem);
}

static bool same_group(const struct nb_row *a, const struct nb_row *b)
{
    return same_problem(a, b) && !strcmp(a->precision, b->precision) && a->system == b->system;
}

static bool same_solver(const struct nb_row *a, const struct nb_row *b)
{
    return same_group(a, b) && !strcmp(a->method, b->method) && !strcmp(a->linear, b->linear) &&
           !strcmp(a->precond, b->precond);
}

/* Whether no row before i is the same. */
static bool is_first(const struct nb_rows *rows, int i, bool (*same)(const struct nb_row *, const struct nb_row *))
{
    for (int j = 0; j < i; ++j)
        if (same(&rows->row[j], &rows->row[i]))
            return false;
    return true;
}

static void configuration(const struct nb_row *row, char *text, size_t size)
{
    const char *linearised = row->linearized ? " linearised" : "";
    if (row->self_contained) {
        snprintf(text, size, "%s %d%s", row->method, row->newton_iters, linearised);
        return;
    }
    const bool none = !row->precond[0] || !strcmp(row->precond, "none");
    snprintf(text, size, "%s %s/%s%s %s%s%s %s %dx%d%s", row->method, row->ncp, row->scaling,
             !strcmp(row->newton_form, "true") ? "/true" : "", row->linear, none ? "" : "+",
             none ? "" : row->precond, row->operator_form, row->newton_iters, row->linear_iters,
             linearised);
}

static void print_best(const struct nb_row *row, const char *criterion, int width, FILE *stream)
{
    char text[640], time[32];
    configuration(row, text, sizeof text);
    fprintf(stream, "  %-*s %-5s %-14s %-48s %10.2e %10.2e %10s\n", width, row->problem,
            row->precision, criterion, text, row->error, row->normal_error,
            write_time(row->time, time, sizeof time));
}

static double error_of(const struct nb_row *row)
{
    return row->error;
}

static double time_of(const struct nb_row *row)
{
    return row->time;
}

/* The row of i's group that takes part (NULL: all do) with the smallest value; NULL where there is none. */
static const struct nb_row *least(const struct nb_rows *rows, int i, double (*value)(const struct nb_row *),
                                  bool (*takes_part)(const struct nb_row *))
{
    const struct nb_row *best = NULL;
    for (int j = 0; j < rows->count; ++j) {
        const struct nb_row *row = &rows->row[j];
        if (!same_group(row, &rows->row[i]) || isnan(value(row)) || (takes_part && !takes_part(row)))
            continue;
        if (!best || value(row) < value(best))
            best = row;
    }
    return best;
}

/* Of a group in which every case failed: the nearest, with its ending. */
static void print_failed(const struct nb_rows *rows, int i, int width, FILE *stream)
{
    const struct nb_row *nearest = least(rows, i, error_of, NULL);
    if (nearest)
        print_best(nearest, nearest->ending, width, stream);
    else
        fprintf(stream, "  %-*s %-5s nothing was judged\n", width, rows->row[i].problem,
                rows->row[i].precision);
}

/* The second fastest of the group that reaches the tolerance; NULL: none. */
static const struct nb_row *runner_up(const struct nb_rows *rows, const struct nb_row *fastest)
{
    const struct nb_row *second = NULL;
    for (int i = 0; i < rows->count; ++i) {
        const struct nb_row *row = &rows->row[i];
        if (row != fastest && same_group(row, fastest) && nb_row_reaches(row) && !isnan(row->time) &&
            (!second || row->time < second->time))
            second = row;
    }
    return second;
}

/* How much slower the next one is; whether that can be said. */
static enum nb_status print_lead(const struct nb_rows *rows, const struct nb_row *fastest, int width, FILE *stream,
                                 struct nb_error *error)
{
    double first[NB_OUTCOME_REPETITIONS], next[NB_OUTCOME_REPETITIONS];
    struct nb_interval lead;
    char text[640];
    const struct nb_row *second = runner_up(rows, fastest);
    if (!second)
        return NB_OK;
    configuration(second, text, sizeof text);
    fprintf(stream, "  %-*s %-5s %-14s next: %s, ", width, fastest->problem, fastest->precision, "", text);
    const char *apart = nb_outcome_apart(fastest->record, second->record);
    if (apart) {
        fprintf(stream, "%.3g times as long, without an interval: %s\n", second->time / fastest->time, apart);
        return NB_OK;
    }
    const int count = nb_outcome_times(&fastest->outcome, first), others = nb_outcome_times(&second->outcome, next);
    const enum nb_status status = nb_bootstrap_ratio(next, others, first, count, &lead, error);
    if (!status)
        fprintf(stream, "%.3g [%.3g, %.3g] times as long%s\n", lead.value, lead.low, lead.high,
                lead.low > 1 ? "" : ": not distinguishable");
    return status;
}

enum nb_status nb_report_best(const struct nb_rows *rows, FILE *stream, struct nb_error *error)
{
    const int width = problem_width(rows);
    enum nb_status status = NB_OK;
    fprintf(stream,
            "best configurations: the most accurate, and the fastest to an error of %g, with how much longer the next "
            "takes\n(95 %% interval); where none gets there the nearest, with its ending\n"
            "  %-*s %-5s %-14s %-48s %10s %10s %10s\n",
            rows->tolerance, width, "problem", "", "", "configuration", "error", "normal [m]", "time [ms]");
    for (int i = 0; i < rows->count && !status; ++i) {
        if (rows->row[i].system || !is_first(rows, i, same_group))
            continue;
        const struct nb_row *accurate = least(rows, i, error_of, nb_row_reaches);
        const struct nb_row *fastest = least(rows, i, time_of, nb_row_reaches);
        if (accurate)
            print_best(accurate, "most accurate", width, stream);
        if (fastest) {
            print_best(fastest, "fastest", width, stream);
            status = print_lead(rows, fastest, width, stream, error);
        }
        if (!accurate)
            print_failed(rows, i, width, stream);
    }
    fprintf(stream, "\n");
    return status;
}

static const char *const endings[] = {"converged", "accuracy_floor", "iteration_limit",
                                      "stagnated", "cycling", "diverged", "breakdown",
                                      "timed_out", "out_of_memory", "unsupported", "crashed",
                                      "infeasible"};
enum { ENDINGS = sizeof endings / sizeof *endings };

static int count_ending(const struct nb_rows *rows, const char *problem, const char *ending)
{
    int count = 0;
    for (int i = 0; i < rows->count; ++i)
        count += (!problem || !strcmp(rows->row[i].problem, problem)) &&
                 !strcmp(rows->row[i].ending, ending);
    return count;
}

/* Columns only for endings that occurred. */
void nb_report_endings(const struct nb_rows *rows, FILE *stream)
{
    const int width = problem_width(rows);
    fprintf(stream, "cases by ending\n  %-*s", width, "problem");
    for (int e = 0; e < ENDINGS; ++e)
        if (count_ending(rows, NULL, endings[e]))
            fprintf(stream, " %15s", endings[e]);
    fprintf(stream, "\n");
    for (int i = 0; i < rows->count; ++i) {
        if (!is_first(rows, i, same_problem))
            continue;
        fprintf(stream, "  %-*s", width, rows->row[i].problem);
        for (int e = 0; e < ENDINGS; ++e)
            if (count_ending(rows, NULL, endings[e]))
                fprintf(stream, " %15d", count_ending(rows, rows->row[i].problem, endings[e]));
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

/* row NULL: the headings. */
static void print_names(const struct nb_rows *rows, const struct nb_row *row, FILE *stream)
{
    for (int k = 0; k < NAMES; ++k) {
        const char *text = row ? text_at(row, names[k].offset) : names[k].heading;
        fprintf(stream, "%s%-*s", k ? " " : "  ", widest(rows, names[k].offset, names[k].heading),
                row && !text[0] ? "-" : text);
        if (k == 0)
            fprintf(stream, " %-13s", !row ? "" : row->system ? "linear system" : "step");
    }
}

static void print_medians(const struct nb_rows *rows, int first, double *values, FILE *stream)
{
    const struct nb_row *kind = &rows->row[first];
    char text[32];
    int cases = 0, reaching = 0, timed = 0;
    for (int i = first; i < rows->count; ++i)
        if (same_solver(&rows->row[i], kind)) {
            ++cases;
            if (nb_row_reaches(&rows->row[i]))
                values[reaching++] = rows->row[i].error;
        }
    const double error = reaching ? nb_median_sorting(values, reaching) : NAN;
    for (int i = first; i < rows->count; ++i)
        if (same_solver(&rows->row[i], kind) && !isnan(rows->row[i].time))
            values[timed++] = rows->row[i].time;
    print_names(rows, kind, stream);
    fprintf(stream, " %6d %8d ", cases, reaching);
    if (reaching)
        fprintf(stream, "%12.2e %12s\n", error,
                write_time(timed ? nb_median_sorting(values, timed) : NAN, text, sizeof text));
    else
        fprintf(stream, "%12s %12s\n", "-", "-");
}

enum nb_status nb_report_medians(const struct nb_rows *rows, FILE *stream, struct nb_error *error)
{
    double *values = malloc((size_t)rows->count * sizeof *values);
    if (!values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the medians of %d cases", rows->count);
    fprintf(stream, "medians over the cases that reach an error of %g: the error at the end of the run, the time to that "
                    "error\n", rows->tolerance);
    print_names(rows, NULL, stream);
    fprintf(stream, " %6s %8s %12s %12s\n", "cases", "reach it", "error", "time [ms]");
    for (int i = 0; i < rows->count; ++i)
        if (is_first(rows, i, same_solver))
            print_medians(rows, i, values, stream);
    fprintf(stream, "\n");
    free(values);
    return NB_OK;
}
