/* Linear systems: time of an iteration with the bandwidth that it takes, and time to an accuracy, ours
 * beside other libraries'; ratios with their bootstrap intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"
#include "harness/records/interval.h"
#include "harness/report/report_private.h"
#include "problems/base/emphasis.h"

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
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(row->record, "settings");
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
    if (a->count && b->count && !nb_interval_ratio(a->seconds, a->count, b->seconds, b->count, &ratio, NULL))
        nb_interval_widen(&ratio, spread);
    return ratio;
}

/* "2.31 [2.25, 2.40]", or empty. */
static void write_ratio(const struct sample *a, const struct sample *b, double spread, char *text, size_t size)
{
    const struct nb_interval ratio = ratio_of(a, b, spread);
    *text = 0;
    if (!isnan(ratio.value))
        snprintf(text, size, "%.2f [%.2f, %.2f]", ratio.value, ratio.low, ratio.high);
}

static void print_row(const struct system_row *row, const struct system_row *reference, FILE *stream)
{
    char ratio[64] = "", threads[16], others[256];
    fprintf(stream, "    %-24s %-16s %-5s %7s", row->linear,
            strcmp(row->precond, "none") ? row->precond : "", row->precision,
            nb_record_text(row->record, "threads", threads, sizeof threads));
    if (reference && row != reference)
        write_ratio(&row->iteration, &reference->iteration, row->spread, ratio, sizeof ratio);
    if (!row->iteration.count)
        fprintf(stream, " %12s %8s %20s", "-", "-", "");
    else
        fprintf(stream, " %12.3f %8.2f %20s", 1e6 * row->iteration.median, bandwidth(row), ratio);
    for (int t = 0; t < TOLERANCES; ++t)
        if (row->reached[t])
            fprintf(stream, " %7d %11.4g", row->reached[t], 1e3 * row->time[t].median);
        else
            fprintf(stream, " %7s %11s", "-", "-");
    nb_row_others(row->rows, row->row, others, sizeof others);
    fprintf(stream, "%s%s\n", *others ? " " : "", others);
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
    char ratio[64];
    if (!ours || !theirs)
        return;
    write_ratio(&theirs->time[t], &ours->time[t], ours->spread, ratio, sizeof ratio);
    fprintf(stream, "    to %.0e: ours %s+%s %s %.4g ms, %s %.4g ms: %s times\n", tolerance[t],
            ours->linear, ours->precond, ours->precision, 1e3 * ours->time[t].median, theirs->linear,
            1e3 * theirs->time[t].median, ratio);
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

static void print_systems(const struct systems *rows, FILE *stream)
{
    nb_print_emphasised(stream, NB_HEADING, "linear systems");
    fprintf(stream, " (one iteration, what one pass over matrix and two vectors takes, and the "
                    "time over that of our first row\nwith its 95 %% interval; time to an error with "
                    "set-up)\n    %-24s %-16s %-5s %7s %12s %8s %20s",
            "linear solver", "preconditioner", "", "threads", "[us]", "[GB/s]", "over the first");
    for (int t = 0; t < TOLERANCES; ++t)
        fprintf(stream, " %7s %6.0e [ms]", "it.", tolerance[t]);
    fprintf(stream, "\n");
    for (int p = 0; p < rows->problem.count; ++p) {
        const int first = rows->problem.first[p];
        const struct system_row *reference = reference_of(rows, first);
        const struct system_row *sized = reference ? reference : &rows->row[first];
        fprintf(stream, "  %s: %.0f rows, %.0f entries\n", sized->problem,
                nb_json_path_number(sized->record, "sizes", "rows"),
                nb_json_path_number(sized->record, "sizes", "entries"));
        for (int j = first; j >= 0; j = rows->problem.next[j])
            print_row(&rows->row[j], reference, stream);
        for (int t = 0; t < TOLERANCES; ++t)
            print_winner(rows, first, t, stream);
    }
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

static void add_reached(const struct system_row *row, cJSON *array)
{
    for (int t = 0; t < TOLERANCES; ++t) {
        cJSON *added = cJSON_CreateObject();
        cJSON_AddItemToArray(array, added);
        cJSON_AddNumberToObject(added, "error", tolerance[t]);
        nb_json_number(added, "iterations", row->reached[t] ? row->reached[t] : NAN);
        nb_json_number(added, "time", row->time[t].median);
    }
}

static void add_system(const struct system_row *row, const struct system_row *reference, cJSON *array)
{
    struct nb_interval ratio = {NAN, NAN, NAN};
    cJSON *added = cJSON_CreateObject();
    cJSON_AddItemToArray(array, added);
    cJSON_AddStringToObject(added, "key", nb_json_string(row->record, "key"));
    cJSON_AddStringToObject(added, "linear", row->linear);
    cJSON_AddStringToObject(added, "precond", row->precond);
    cJSON_AddStringToObject(added, "precision", row->precision);
    nb_json_number(added, "threads", nb_json_path_number(row->record, "settings", "threads"));
    nb_row_add_others(row->rows, row->row, added);
    nb_json_number(added, "iteration_time", row->iteration.median);
    nb_json_number(added, "bandwidth", 1e9 * bandwidth(row));
    if (reference && row != reference)
        ratio = ratio_of(&row->iteration, &reference->iteration, row->spread);
    nb_interval_add(added, "over_first", &ratio);
    add_reached(row, cJSON_AddArrayToObject(added, "reached"));
    nb_json_number(added, "residual_max", nb_json_path_number(row->record, "errors", "residual_max"));
    nb_json_number(added, "forward_error", nb_json_path_number(row->record, "errors", "forward_error"));
    const cJSON *floor = cJSON_GetObjectItemCaseSensitive(row->record, "floor");
    cJSON_AddItemToObject(added, "floor", floor ? cJSON_Duplicate(floor, true) : cJSON_CreateNull());
}

static void add_systems(const struct systems *systems, cJSON *array)
{
    for (int p = 0; p < systems->problem.count; ++p) {
        const int first = systems->problem.first[p];
        const struct system_row *row = &systems->row[first], *reference = reference_of(systems, first);
        const cJSON *sized = (reference ? reference : row)->record;
        cJSON *added = cJSON_CreateObject();
        cJSON_AddItemToArray(array, added);
        cJSON_AddStringToObject(added, "problem", row->problem);
        nb_json_number(added, "rows", nb_json_path_number(sized, "sizes", "rows"));
        nb_json_number(added, "entries", nb_json_path_number(sized, "sizes", "entries"));
        cJSON *cases = cJSON_AddArrayToObject(added, "cases");
        for (int j = first; j >= 0; j = systems->problem.next[j])
            add_system(&systems->row[j], reference, cases);
    }
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
