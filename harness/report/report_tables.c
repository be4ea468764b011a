/* Prints the tables of a report: of each problem the most accurate and the fastest configuration, the cases by ending,
 * and medians by solver (harness/report/report_best.c). */
#include <math.h>
#include <string.h>

#include "harness/case/ending.h"
#include "harness/records/json.h"
#include "harness/records/sheet.h"
#include "harness/report/report_private.h"
#include "problems/base/emphasis.h"

static int problem_width(const struct nb_rows *rows)
{
    size_t width = strlen("problem");
    for (int i = 0; i < rows->count; ++i) {
        const size_t length = strlen(rows->row[i].problem);
        width = length > width ? length : width;
    }
    return (int)width;
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
    char text[960], time[NB_SHEET_CELL];
    configuration(rows, row, text, sizeof text);
    nb_sheet_milliseconds(row->time, time);
    fprintf(stream, "  %-*s %-8s %-17s %10.2e %10.2e %10s  %s\n", width, row->problem, row->precision, criterion,
            row->error, row->normal_error, time, text);
}

/* In a group every case of which failed the nearest stands, with its ending. */
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
    if (best->not_interleaved)
        fprintf(stream, "%.3g times as long, without an interval: %s\n", lead->value, best->not_interleaved);
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
    struct nb_sheet_column columns[1 + NB_ENDINGS] = {{"problem", "problem", .width = -1, .widest = true}};
    cJSON *endings = nb_report_list_endings(rows);
    int count = 1;
    for (int e = 0; e < NB_ENDINGS; ++e) {
        const char *name = nb_ending_name((enum nb_ending)e);
        const cJSON *row = NULL;
        double all = 0;
        cJSON_ArrayForEach(row, endings)
            all += nb_json_get(row, name);
        if (all > 0)
            columns[count++] = (struct nb_sheet_column){.title = name, .path = name, .width = 15};
    }
    struct nb_sheet sheet = nb_sheet_of("  ", columns, count);
    nb_print_emphasised(stream, NB_HEADING, "cases by ending");
    fputc('\n', stream);
    nb_sheet_texts(&sheet, endings, stream);
    fputc('\n', stream);
    cJSON_Delete(endings);
}

static void write_mode(const cJSON *row, char *text)
{
    strcpy(text, strcmp(nb_json_string(row, "mode"), "step") ? "linear system" : "step");
}

static void write_time(const cJSON *row, char *text)
{
    nb_sheet_milliseconds(nb_json_get(row, "time"), text);
}

enum nb_status nb_report_medians(const struct nb_rows *rows, FILE *stream, struct nb_error *error)
{
    static const struct nb_sheet_column columns[] = {
        {"problem", "problem", .width = -1, .widest = true},
        {"", .width = -13, .write = write_mode},
        {"method", "solver", .width = -1, .widest = true},
        {"linear solver", "linear", .width = -1, .widest = true},
        {"preconditioner", "precond", .width = -1, .widest = true},
        {"", "precision", .width = -1, .widest = true},
        {"cases", "cases", .width = 6},
        {"reach it", "reached", .width = 8},
        {"error", "error", .width = 12, .format = "%.2e"},
        {"time [ms]", .width = 12, .write = write_time},
    };
    struct nb_sheet sheet = NB_SHEET("  ", columns);
    cJSON *medians;
    const enum nb_status status = nb_report_list_medians(rows, &medians, error);
    if (status)
        return status;
    nb_print_emphasised(stream, NB_HEADING, "medians");
    fprintf(stream, " over the cases that reach an error of %g: the error at the end of the run, the time to that "
                    "error\n", rows->tolerance);
    nb_sheet_texts(&sheet, medians, stream);
    fputc('\n', stream);
    cJSON_Delete(medians);
    return NB_OK;
}
