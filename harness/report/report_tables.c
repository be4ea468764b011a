/* Prints the tables of a report: of each problem the most accurate and the fastest configuration, the cases by ending,
 * and medians by solver (harness/report/report.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/ending.h"
#include "harness/records/interval.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/problem_name.h"
#include "harness/records/reasons.h"
#include "harness/records/record.h"
#include "harness/records/sheet.h"
#include "harness/report/report_private.h"
#include "problems/base/emphasis.h"

/* Linear systems: time of an iteration with the bandwidth that it takes, and time to an accuracy, ours
 * beside other libraries'; ratios with their bootstrap intervals. */

enum { TOLERANCES = 2 };
static const double tolerance[TOLERANCES] = {1e-6, 1e-10};

/* Seconds of every repetition; none where it was not timed or did not get there. */
struct sample {
    int count;
    double median, seconds[NB_OUTCOME_REPETITIONS];
};

struct system_row {
    const struct nb_rows *rows;
    const struct nb_row *row;
    const cJSON *record;
    const char *linear, *precond, *precision; /* the record's own */
    char problem[NB_PROBLEM_NAME + 64]; /* its name, and what is solved of it */
    struct sample iteration;     /* of one iteration                          */
    int reached[TOLERANCES];     /* iterations; 0: never                      */
    struct sample time[TOLERANCES]; /* set-up and solve                       */
    double spread;                  /* of the machine (harness/report/control.h) */
};

struct systems {
    struct system_row *row;
    int count;
    struct nb_axis problem;
};

static void fill(const struct nb_rows *rows, const struct nb_row *row, struct system_row *system)
{
    const cJSON *settings = nb_json_member(row->record, "settings");
    system->rows = rows;
    system->row = row;
    system->record = row->record;
    system->linear = nb_json_string(settings, "linear");
    system->precond = nb_json_string(settings, "precond");
    system->precision = row->precision;
    nb_outcome_instance(row->record, system->problem, sizeof system->problem);
    for (int t = 0; t < TOLERANCES; ++t) {
        struct nb_outcome outcome;
        nb_outcome_read(row->record, tolerance[t], &outcome);
        system->reached[t] = outcome.iterations;
        system->time[t].count = nb_outcome_times(&outcome, system->time[t].seconds);
        system->iteration.count = nb_outcome_iteration_times(&outcome, system->iteration.seconds);
        system->time[t].median = nb_median(system->time[t].seconds, system->time[t].count);
    }
    system->iteration.median = nb_median(system->iteration.seconds, system->iteration.count);
}

/* Rows of other libraries (solvers/peers/). */
static bool is_peer(const struct system_row *row)
{
    static const char *const libraries[] = {"petsc", "eigen", "hypre", "cholmod_plain"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i)
        if (!strncmp(row->linear, libraries[i], strlen(libraries[i])))
            return true;
    return false;
}

/* What the times of a problem's other rows are given over: the first of ours that was timed. Those that
 * failed were recorded before all others. */
static const struct system_row *reference_of(const struct systems *rows, int first)
{
    for (int i = first; i >= 0; i = rows->problem.next[i])
        if (!is_peer(&rows->row[i]) && rows->row[i].iteration.count)
            return &rows->row[i];
    return NULL;
}

/* What one pass over the matrix, as it is stored, and two vectors moves, in GB/s: other libraries keep a
 * 32-bit column for each entry. */
static double bandwidth(const struct system_row *row)
{
    const double word = !strcmp(row->precision, "f64") ? 8 : 4;
    const double known = nb_json_path_number(row->record, "sizes", "product_bytes"); /* that one product reads */
    const double entries = nb_json_path_number(row->record, "sizes", "entries");
    const double bytes = isnan(known) ? entries * (word + 4) : known;
    return 1e-9 * (bytes + 2 * word * nb_json_path_number(row->record, "sizes", "rows")) / row->iteration.median;
}

/* a over b; NaN where one is not known. */
static struct nb_interval ratio_of(const struct sample *a, const struct sample *b, double spread)
{
    struct nb_interval ratio = {NAN, NAN, NAN};
    if (a->count && b->count)
        ratio = nb_interval_ratio(a->seconds, a->count, b->seconds, b->count);
    nb_interval_widen(&ratio, spread);
    return ratio;
}

static void write_interval(const struct nb_interval *ratio, char *text)
{
    if (!isnan(ratio->value))
        snprintf(text, NB_SHEET_CELL, "%.2f [%.2f, %.2f]", ratio->value, ratio->low, ratio->high);
}

/* The fastest to a tolerance, ours or another library's; NULL: none. Failures never take part. */
static const struct system_row *fastest(const struct systems *rows, int first, int t, bool peer)
{
    const struct system_row *best = NULL;
    for (int i = first; i >= 0; i = rows->problem.next[i]) {
        const struct system_row *row = &rows->row[i];
        if (is_peer(row) != peer || !row->time[t].count)
            continue;
        if (!best || row->time[t].median < best->time[t].median)
            best = row;
    }
    return best;
}

static void print_winner(const struct systems *rows, int first, int t, FILE *stream)
{
    const struct system_row *ours = fastest(rows, first, t, false);
    const struct system_row *theirs = fastest(rows, first, t, true);
    char text[NB_SHEET_CELL] = "";
    if (!ours || !theirs)
        return;
    const struct nb_interval ratio = ratio_of(&theirs->time[t], &ours->time[t], ours->spread);
    write_interval(&ratio, text);
    fprintf(stream, "    to %.0e: ours %s+%s %s %.4g ms, %s %.4g ms: %s times\n", tolerance[t],
            ours->linear, ours->precond, ours->precision, 1e3 * ours->time[t].median, theirs->linear,
            1e3 * theirs->time[t].median, text);
}

/* A floor is met within this factor. */
static const double near = 10;

static void print_floor(const cJSON *record, const char *error_name, const char *norm_name,
                        const char *component_name, FILE *stream)
{
    const double error = nb_json_path_number(record, "errors", error_name);
    const double norm = nb_json_path_number(record, "floor", norm_name);
    const double component = nb_json_path_number(record, "floor", component_name);
    const bool meets_norm = error <= near * norm, meets_component = error <= near * component;
    fprintf(stream, "  %8.1e %8.1e %8.1e %-9s", error, norm, component,
            meets_component && meets_norm ? "both" : meets_component ? "component" : meets_norm ? "norm" : "-");
}

static void print_floors(const struct system_row *row, FILE *stream)
{
    char arithmetic[64];
    fprintf(stream, "    %-24s %-24s %-16s",
            nb_record_text(row->record, "arithmetic", arithmetic, sizeof arithmetic), row->linear, row->precond);
    if (isnan(nb_json_path_number(row->record, "floor", "residual"))) {
        fputs("  -\n", stream);
        return;
    }
    print_floor(row->record, "residual_max", "residual", "component_residual", stream);
    print_floor(row->record, "forward_error", "forward", "component_forward", stream);
    fputc('\n', stream);
}

/* What was reached, beside what precision allows. */
static void print_accuracy(const struct systems *rows, FILE *stream)
{
    nb_print_emphasised(stream, NB_HEADING, "linear systems");
    fprintf(stream, ": reached errors, norm-wise and component-wise floors, and which floor is "
                    "met within a factor of %g\n    %-24s %-24s %-16s  %-37s  forward error\n", near,
            "arithmetic", "linear solver", "preconditioner", "residual");
    for (int p = 0; p < rows->problem.count; ++p) {
        const int first = rows->problem.first[p];
        fprintf(stream, "  %s\n", rows->row[first].problem);
        for (int j = first; j >= 0; j = rows->problem.next[j])
            print_floors(&rows->row[j], stream);
    }
    fprintf(stream, "\n");
}

static void add_reached(const struct system_row *row, cJSON *array)
{
    for (int t = 0; t < TOLERANCES; ++t) {
        cJSON *added = nb_json_append(array);
        NB_JSON_ADD(added, "error", tolerance[t], "iterations", row->reached[t] ? row->reached[t] : NAN,
                    "time", row->time[t].median);
    }
}

static void add_system(const struct system_row *row, const struct system_row *reference, cJSON *array)
{
    struct nb_interval ratio = {NAN, NAN, NAN};
    cJSON *added = nb_json_append(array);
    NB_JSON_ADD(added, "key", nb_json_string(row->record, "key"), "linear", row->linear, "precond", row->precond,
                "precision", row->precision, "threads", nb_json_path_number(row->record, "settings", "threads"));
    nb_row_add_others(row->rows, row->row, added);
    NB_JSON_ADD(added, "iteration_time", row->iteration.median, "bandwidth", 1e9 * bandwidth(row));
    if (reference && row != reference)
        ratio = ratio_of(&row->iteration, &reference->iteration, row->spread);
    nb_interval_add(added, "over_first", &ratio);
    add_reached(row, cJSON_AddArrayToObject(added, "reached"));
    nb_json_number(added, "residual_max", nb_json_path_number(row->record, "errors", "residual_max"));
    nb_json_number(added, "forward_error", nb_json_path_number(row->record, "errors", "forward_error"));
    const cJSON *floor = nb_json_member(row->record, "floor");
    cJSON_AddItemToObject(added, "floor", floor ? cJSON_Duplicate(floor, true) : cJSON_CreateNull());
}

static void add_systems(const struct systems *systems, cJSON *array)
{
    for (int p = 0; p < systems->problem.count; ++p) {
        const int first = systems->problem.first[p];
        const struct system_row *row = &systems->row[first], *reference = reference_of(systems, first);
        const cJSON *sized = (reference ? reference : row)->record;
        cJSON *added = nb_json_append(array);
        NB_JSON_ADD(added, "problem", row->problem, "rows", nb_json_path_number(sized, "sizes", "rows"),
                    "entries", nb_json_path_number(sized, "sizes", "entries"));
        cJSON *cases = cJSON_AddArrayToObject(added, "cases");
        for (int j = first; j >= 0; j = systems->problem.next[j])
            add_system(&systems->row[j], reference, cases);
    }
}

static void write_precond(const cJSON *row, char *text)
{
    const char *precond = nb_json_string(row, "precond");
    strcpy(text, strcmp(precond, "none") ? precond : "");
}

static void write_threads(const cJSON *row, char *text)
{
    const double threads = nb_json_get(row, "threads");
    if (!isnan(threads))
        snprintf(text, NB_SHEET_CELL, "%.15g", threads);
}

static void write_ratio(const cJSON *row, char *text)
{
    const cJSON *over = nb_json_member(row, "over_first");
    write_interval(&(struct nb_interval){nb_json_get(over, "value"), nb_json_get(over, "low"),
                                         nb_json_get(over, "high")},
                   text);
}

static void write_others(const cJSON *row, char *text)
{
    const cJSON *setting = NULL;
    size_t used = 0;
    cJSON_ArrayForEach(setting, nb_json_member(row, "settings"))
    {
        if (used < NB_SHEET_CELL)
            used += (size_t)snprintf(text + used, NB_SHEET_CELL - used, " %s=%s", setting->string,
                                     setting->valuestring);
    }
}

static void print_systems(const struct systems *rows, FILE *stream)
{
    static const struct nb_sheet_column columns[] = {
        {"linear solver", "linear", .width = -24},
        {"preconditioner", .width = -16, .write = write_precond},
        {"", "precision", .width = -5},
        {"threads", .width = 7, .write = write_threads},
        {"[us]", "iteration_time", .width = 12, .format = "%.3f", .factor = 1e6},
        {"[GB/s]", "bandwidth", .width = 8, .format = "%.2f", .factor = 1e-9},
        {"over the first", .width = 20, .write = write_ratio},
        {"it.", "reached.0.iterations", .width = 7},
        {"1e-06 [ms]", "reached.0.time", .width = 11, .format = "%.4g", .factor = 1e3},
        {"it.", "reached.1.iterations", .width = 7},
        {"1e-10 [ms]", "reached.1.time", .width = 11, .format = "%.4g", .factor = 1e3},
        {"", .width = -1, .write = write_others},
    };
    const struct nb_sheet sheet = NB_SHEET("    ", columns);
    cJSON *systems = cJSON_CreateArray();
    const cJSON *system = NULL, *row = NULL;
    int p = 0;
    add_systems(rows, systems);
    nb_print_emphasised(stream, NB_HEADING, "linear systems");
    fprintf(stream, " (one iteration, what one pass over matrix and two vectors takes, and the "
                    "time over that of our first row\nwith its 95 %% interval; time to an error with set-up)\n");
    nb_sheet_text(&sheet, NULL, stream);
    cJSON_ArrayForEach(system, systems)
    {
        fprintf(stream, "  %s: %.0f rows, %.0f entries\n", nb_json_string(system, "problem"),
                nb_json_get(system, "rows"), nb_json_get(system, "entries"));
        cJSON_ArrayForEach(row, nb_json_member(system, "cases"))
            nb_sheet_text(&sheet, row, stream);
        for (int t = 0; t < TOLERANCES; ++t)
            print_winner(rows, rows->problem.first[p], t, stream);
        ++p;
    }
    cJSON_Delete(systems);
    fprintf(stream, "\n");
    print_accuracy(rows, stream);
}

/* Never empty. */
static void problem_of(const void *context, int i, const char *name, char *text)
{
    (void)name;
    snprintf(text, NB_AXIS_TEXT, "%s\n", ((const struct systems *)context)->row[i].problem);
}

static void free_systems(struct systems *systems)
{
    free(systems->row);
    nb_axis_free(&systems->problem);
}

static enum nb_status read_systems(const struct nb_rows *rows, struct systems *systems, struct nb_error *error)
{
    *systems = (struct systems){.row = calloc((size_t)rows->count + 1, sizeof *systems->row)};
    if (!systems->row)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d linear systems", rows->count);
    for (int i = 0; i < rows->count; ++i)
        if (rows->row[i].system) {
            systems->row[systems->count].spread = nb_control_spread(&rows->control);
            fill(rows, &rows->row[i], &systems->row[systems->count++]);
        }
    return nb_axis_fill(&systems->problem, systems->count, problem_of, systems, error);
}

enum nb_status nb_report_linear(const struct nb_rows *rows, FILE *stream, struct nb_error *error)
{
    struct systems systems;
    const enum nb_status status = read_systems(rows, &systems, error);
    if (!status && systems.count)
        print_systems(&systems, stream);
    free_systems(&systems);
    return status;
}

enum nb_status nb_report_add_linear(const struct nb_rows *rows, cJSON *object, struct nb_error *error)
{
    struct systems systems;
    const enum nb_status status = read_systems(rows, &systems, error);
    if (!status)
        add_systems(&systems, cJSON_AddArrayToObject(object, "linear_systems"));
    free_systems(&systems);
    return status;
}

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
    const char *start = nb_json_string(nb_json_member(row->record, "settings"), "start");
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

void nb_report_best(const struct nb_rows *rows, FILE *stream)
{
    const int width = problem_width(rows);
    nb_print_emphasised(stream, NB_HEADING, "best configurations");
    fprintf(stream,
            ": the most accurate, and the fastest to an error of %g, with how much longer the next "
            "takes\n(95 %% interval); where none gets there the nearest, with its ending\n"
            "  %-*s %-8s %-17s %10s %10s %10s  %s\n",
            rows->tolerance, width, "problem", "", "", "error", "normal [m]", "time [ms]", "configuration");
    for (int i = 0; i < rows->count; ++i) {
        if (rows->row[i].system || !nb_axis_is_first(&rows->set[NB_SAME_GROUP], i))
            continue;
        const struct nb_best best = nb_rows_best(rows, i);
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
}

static void print_reasons(const struct nb_rows *rows, FILE *stream)
{
    struct nb_reasons reasons = {0};
    for (int i = 0; i < rows->count; ++i)
        nb_reasons_add(&reasons, rows->row[i].record);
    if (reasons.count)
        fputs("  why some of them failed to run:\n", stream);
    nb_reasons_print(&reasons, stream);
    nb_reasons_free(&reasons);
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
    print_reasons(rows, stream);
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

void nb_report_medians(const struct nb_rows *rows, FILE *stream)
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
    cJSON *medians = nb_report_list_medians(rows);
    nb_print_emphasised(stream, NB_HEADING, "medians");
    fprintf(stream, " over the cases that reach an error of %g: the error at the end of the run, the time to that "
                    "error\n", rows->tolerance);
    nb_sheet_texts(&sheet, medians, stream);
    fputc('\n', stream);
    cJSON_Delete(medians);
}
