/* Linear systems: time of an iteration with the bandwidth that it takes, and time to an accuracy, ours
 * beside other libraries'; ratios with their bootstrap intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "harness/report/bootstrap.h"
#include "harness/report/report_private.h"

enum { TOLERANCES = 2, KEY = 20 };
static const double tolerance[TOLERANCES] = {1e-6, 1e-10};

/* Seconds of every repetition; none where it was not timed or did not get there. */
struct sample {
    int count;
    double median, seconds[NB_OUTCOME_REPETITIONS];
};

struct system_row {
    char key[KEY], name[NB_PROBLEM_NAME], hash[NB_PROBLEM_HASH]; /* of the problem */
    char problem[NB_PROBLEM_NAME + 64]; /* its name, and what is solved of it */
    char linear[NB_WORD], precond[NB_WORD], precision[NB_WORD];
    int threads;
    double rows, entries, bytes; /* of A that one product reads                 */
    struct sample iteration;     /* of one iteration                          */
    int reached[TOLERANCES];     /* iterations; 0: never                      */
    struct sample time[TOLERANCES]; /* set-up and solve                       */
    char arithmetic[NB_WORD];
    double error[2], norm[2], component[2]; /* residual and forward error, and their floors; NaN */
};

struct nb_linear_rows {
    struct system_row *row;
    int count, room;
};

void nb_linear_rows_free(struct nb_linear_rows *rows)
{
    if (rows)
        free(rows->row);
    free(rows);
}

static double number(const cJSON *record, const char *outer, const char *inner)
{
    const cJSON *item = nb_json_path(record, outer, inner);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static void fill(const cJSON *record, struct system_row *row)
{
    char threads[16];
    memset(row, 0, sizeof *row);
    nb_record_text(record, "key", row->key, sizeof row->key);
    nb_record_text(record, "problem", row->name, sizeof row->name);
    nb_record_text(record, "problem_hash", row->hash, sizeof row->hash);
    nb_outcome_instance(record, row->problem, sizeof row->problem);
    nb_record_text(record, "linear", row->linear, sizeof row->linear);
    nb_record_text(record, "precond", row->precond, sizeof row->precond);
    nb_record_text(record, "precision", row->precision, sizeof row->precision);
    row->threads = atoi(nb_record_text(record, "threads", threads, sizeof threads));
    row->rows = number(record, "sizes", "rows");
    row->entries = number(record, "sizes", "entries");
    row->bytes = number(record, "sizes", "product_bytes");
    nb_record_text(record, "arithmetic", row->arithmetic, sizeof row->arithmetic);
    for (int k = 0; k < 2; ++k) {
        row->error[k] = number(record, "errors", k ? "forward_error" : "residual_max");
        row->norm[k] = number(record, "floor", k ? "forward" : "residual");
        row->component[k] = number(record, "floor", k ? "component_forward" : "component_residual");
    }
    for (int t = 0; t < TOLERANCES; ++t) {
        struct nb_outcome outcome;
        nb_outcome_read(record, tolerance[t], &outcome);
        row->reached[t] = outcome.iterations;
        row->time[t].count = nb_outcome_times(&outcome, row->time[t].seconds);
        row->iteration.count = nb_outcome_iteration_times(&outcome, row->iteration.seconds);
        row->time[t].median = nb_median(row->time[t].seconds, row->time[t].count);
    }
    row->iteration.median = nb_median(row->iteration.seconds, row->iteration.count);
}

enum nb_status nb_linear_rows_add(struct nb_linear_rows **out, const cJSON *record,
                                  struct nb_error *error)
{
    char mode[32];
    if (strcmp(nb_record_text(record, "mode", mode, sizeof mode), "linear_system") != 0)
        return NB_OK;
    struct nb_linear_rows *rows = *out ? *out : calloc(1, sizeof *rows);
    *out = rows;
    if (!rows)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the records");
    struct system_row row;
    fill(record, &row);
    for (int i = 0; i < rows->count; ++i)
        if (!strcmp(rows->row[i].key, row.key)) {
            rows->row[i] = row;
            return NB_OK;
        }
    struct system_row *grown = nb_grow(rows->row, sizeof *grown, rows->count, &rows->room);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d records", rows->count + 1);
    rows->row = grown;
    rows->row[rows->count++] = row;
    return NB_OK;
}

void nb_linear_rows_name(struct nb_linear_rows *rows, const struct nb_problem_names *names)
{
    for (int i = 0; rows && i < rows->count; ++i) {
        struct system_row *row = &rows->row[i];
        char label[NB_PROBLEM_NAME + NB_PROBLEM_HASH], rest[40];
        nb_problem_label(names, row->name, row->hash, label, sizeof label);
        snprintf(rest, sizeof rest, "%s", row->problem + strlen(row->name));
        snprintf(row->problem, sizeof row->problem, "%s%s", label, rest);
    }
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
static const struct system_row *reference_of(const struct nb_linear_rows *rows, const char *problem)
{
    for (int i = 0; i < rows->count; ++i)
        if (!strcmp(rows->row[i].problem, problem) && !is_peer(&rows->row[i]) &&
            rows->row[i].iteration.count)
            return &rows->row[i];
    return NULL;
}

static bool first_of_problem(const struct nb_linear_rows *rows, int i)
{
    for (int j = 0; j < i; ++j)
        if (!strcmp(rows->row[j].problem, rows->row[i].problem))
            return false;
    return true;
}

/* What one pass over the matrix, as it is stored, and two vectors moves, in GB/s: other libraries keep a
 * 32-bit column for each entry. */
static double bandwidth(const struct system_row *row)
{
    const double word = !strcmp(row->precision, "f64") ? 8 : 4;
    const double bytes = isnan(row->bytes) ? row->entries * (word + 4) : row->bytes;
    return 1e-9 * (bytes + 2 * word * row->rows) / row->iteration.median;
}

/* "2.31 [2.25, 2.40]": a over b; empty where one is not known. */
static void write_ratio(const struct sample *a, const struct sample *b, char *text, size_t size)
{
    struct nb_interval ratio;
    *text = 0;
    if (a->count && b->count &&
        !nb_bootstrap_ratio(a->seconds, a->count, b->seconds, b->count, &ratio, NULL))
        snprintf(text, size, "%.2f [%.2f, %.2f]", ratio.value, ratio.low, ratio.high);
}

static void print_row(const struct system_row *row, const struct system_row *reference, FILE *stream)
{
    char ratio[64] = "";
    fprintf(stream, "    %-24s %-16s %-5s %7d", row->linear,
            strcmp(row->precond, "none") ? row->precond : "", row->precision, row->threads);
    if (reference && row != reference)
        write_ratio(&row->iteration, &reference->iteration, ratio, sizeof ratio);
    if (!row->iteration.count)
        fprintf(stream, " %12s %8s %20s", "-", "-", "");
    else
        fprintf(stream, " %12.3f %8.2f %20s", 1e6 * row->iteration.median, bandwidth(row), ratio);
    for (int t = 0; t < TOLERANCES; ++t)
        if (row->reached[t])
            fprintf(stream, " %7d %11.4g", row->reached[t], 1e3 * row->time[t].median);
        else
            fprintf(stream, " %7s %11s", "-", "-");
    fprintf(stream, "\n");
}

/* The fastest to a tolerance, ours or another library's; NULL: none. Failures never take part. */
static const struct system_row *fastest(const struct nb_linear_rows *rows, const char *problem,
                                        int t, bool peer)
{
    const struct system_row *best = NULL;
    for (int i = 0; i < rows->count; ++i) {
        const struct system_row *row = &rows->row[i];
        if (strcmp(row->problem, problem) || is_peer(row) != peer || !row->time[t].count)
            continue;
        if (!best || row->time[t].median < best->time[t].median)
            best = row;
    }
    return best;
}

static void print_winner(const struct nb_linear_rows *rows, const char *problem, int t,
                         FILE *stream)
{
    const struct system_row *ours = fastest(rows, problem, t, false);
    const struct system_row *theirs = fastest(rows, problem, t, true);
    char ratio[64];
    if (!ours || !theirs)
        return;
    write_ratio(&theirs->time[t], &ours->time[t], ratio, sizeof ratio);
    fprintf(stream, "    to %.0e: ours %s+%s %s %.4g ms, %s %.4g ms: %s times\n", tolerance[t],
            ours->linear, ours->precond, ours->precision, 1e3 * ours->time[t].median, theirs->linear,
            1e3 * theirs->time[t].median, ratio);
}

/* A floor is met within this factor. */
static const double near = 10;

static void print_floor(const struct system_row *row, int k, FILE *stream)
{
    const bool norm = row->error[k] <= near * row->norm[k];
    const bool component = row->error[k] <= near * row->component[k];
    fprintf(stream, "  %8.1e %8.1e %8.1e %-9s", row->error[k], row->norm[k], row->component[k],
            component && norm ? "both" : component ? "component" : norm ? "norm" : "-");
}

/* What was reached, beside what precision allows. */
static void print_accuracy(const struct nb_linear_rows *rows, FILE *stream)
{
    fprintf(stream, "linear systems: reached errors, norm-wise and component-wise floors, and which floor is "
                    "met within a factor of %g\n    %-24s %-24s %-16s  %-37s  forward error\n", near,
            "arithmetic", "linear solver", "preconditioner", "residual");
    for (int i = 0; i < rows->count; ++i) {
        if (!first_of_problem(rows, i))
            continue;
        fprintf(stream, "  %s\n", rows->row[i].problem);
        for (int j = i; j < rows->count; ++j) {
            const struct system_row *row = &rows->row[j];
            if (strcmp(row->problem, rows->row[i].problem))
                continue;
            fprintf(stream, "    %-24s %-24s %-16s", row->arithmetic, row->linear, row->precond);
            for (int k = 0; k < 2 && !isnan(row->norm[0]); ++k)
                print_floor(row, k, stream);
            fputs(isnan(row->norm[0]) ? "  -\n" : "\n", stream);
        }
    }
    fprintf(stream, "\n");
}

void nb_report_linear(const struct nb_linear_rows *rows, FILE *stream)
{
    if (!rows)
        return;
    fprintf(stream, "linear systems (one iteration, what one pass over matrix and two vectors takes, and the "
                    "time over that of our first row\nwith its 95 %% interval; time to an error with "
                    "set-up)\n    %-24s %-16s %-5s %7s %12s %8s %20s",
            "linear solver", "preconditioner", "", "threads", "[us]", "[GB/s]", "over the first");
    for (int t = 0; t < TOLERANCES; ++t)
        fprintf(stream, " %7s %6.0e [ms]", "it.", tolerance[t]);
    fprintf(stream, "\n");
    for (int i = 0; i < rows->count; ++i) {
        if (!first_of_problem(rows, i))
            continue;
        const struct system_row *reference = reference_of(rows, rows->row[i].problem);
        const struct system_row *sized = reference ? reference : &rows->row[i];
        fprintf(stream, "  %s: %.0f rows, %.0f entries\n", sized->problem, sized->rows, sized->entries);
        for (int j = i; j < rows->count; ++j)
            if (!strcmp(rows->row[j].problem, rows->row[i].problem))
                print_row(&rows->row[j], reference, stream);
        for (int t = 0; t < TOLERANCES; ++t)
            print_winner(rows, rows->row[i].problem, t, stream);
    }
    fprintf(stream, "\n");
    print_accuracy(rows, stream);
}
