/* ncpbench spectrum computes the fill and the eigenvalues of a step's Delassus matrix W (figures 6 and 7 of
 * Silcowitz, Niebe and Erleben 2009; harness/judge/delassus_dense.h). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/judge/delassus_dense.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "problems/io/problem_file.h"

struct request {
    const char *output;
    double zero;
};

static cJSON *new_record(const char *kind, const struct nb_problem *problem, const char *path)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", kind);
    cJSON_AddNumberToObject(json, "version", NB_RECORD_VERSION);
    cJSON *settings = cJSON_AddObjectToObject(json, "settings");
    cJSON_AddStringToObject(settings, "problem", problem->name);
    cJSON_AddStringToObject(settings, "problem_file", path);
    return json;
}

/* Nonzero entries: at least the unit roundoff times the largest. */
static enum nb_status add_fill(cJSON *record, const double *matrix, int rows, double largest,
                               struct nb_error *error)
{
    const size_t n = (size_t)rows, all = n * n;
    double *values = malloc((3 * all + 1) * sizeof *values);
    size_t count = 0;
    if (!values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu entries", all);
    double *row = values, *column = values + all, *magnitude = values + 2 * all;
    for (size_t k = 0; k < all; ++k)
        if (fabs(matrix[k]) > DBL_EPSILON * largest) {
            row[count] = (double)(k / n);
            column[count] = (double)(k % n);
            magnitude[count++] = fabs(matrix[k]) / largest;
        }
    cJSON *trace = cJSON_AddObjectToObject(record, "trace");
    nb_json_numbers(trace, "row", row, count);
    nb_json_numbers(trace, "column", column, count);
    nb_json_numbers(trace, "magnitude", magnitude, count);
    cJSON_AddNumberToObject(record, "rows", rows);
    cJSON_AddNumberToObject(record, "fill", all > 0 ? (double)count / (double)all : 0);
    free(values);
    return NB_OK;
}

static void add_spectrum(cJSON *record, const double *values, int rows, double zero)
{
    double *index = malloc(((size_t)rows + 1) * sizeof *index);
    const double largest = rows > 0 ? values[rows - 1] : 0;
    int zeros = 0;
    for (int i = 0; i < rows; ++i) {
        zeros += fabs(values[i]) <= zero * largest;
        if (index)
            index[i] = i + 1;
    }
    cJSON *trace = cJSON_AddObjectToObject(record, "trace");
    if (index)
        nb_json_numbers(trace, "index", index, (size_t)rows);
    nb_json_numbers(trace, "eigenvalue", values, (size_t)rows);
    cJSON_AddNumberToObject(record, "rows", rows);
    cJSON_AddNumberToObject(record, "zeros", zeros);
    free(index);
}

static double largest_entry(const double *matrix, int rows)
{
    double largest = 0;
    for (size_t k = 0; k < (size_t)rows * (size_t)rows; ++k)
        largest = fmax(largest, fabs(matrix[k]));
    return largest;
}

static enum nb_status run(const struct request *request, const char *path, struct nb_error *error)
{
    struct nb_problem problem;
    double *matrix = NULL, *values = NULL;
    cJSON *record[2] = {NULL, NULL};
    int rows = 0;
    enum nb_status status = nb_problem_read(path, &problem, error);
    if (status)
        return status;
    record[0] = new_record("fill", &problem, path);
    record[1] = new_record("spectrum", &problem, path);
    status = nb_delassus_dense(&problem, &matrix, &rows, error);
    if (!status)
        status = add_fill(record[0], matrix, rows, largest_entry(matrix, rows), error);
    if (!status) {
        values = malloc(((size_t)rows + 1) * sizeof *values);
        status = values ? nb_eigenvalues(matrix, rows, values, error)
                        : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d eigenvalues", rows);
    }
    if (!status) {
        add_spectrum(record[1], values, rows, request->zero);
        for (int i = 0; i < 2; ++i)
            cJSON_AddItemToObject(record[i], "provenance", nb_provenance());
        status = request->output ? nb_records_append(request->output, record, 2, error) : NB_OK;
    }
    if (!status) {
        const int zeros = cJSON_GetObjectItemCaseSensitive(record[1], "zeros")->valueint;
        printf("%s: %d rows, fill %.1f %%, %d eigenvalues are zero (%.1f %%), largest %.6g 1/kg\n",
               problem.name, rows,
               100 * cJSON_GetObjectItemCaseSensitive(record[0], "fill")->valuedouble, zeros,
               rows > 0 ? 100. * zeros / rows : 0, rows > 0 ? values[rows - 1] : 0);
    }
    free(matrix);
    free(values);
    cJSON_Delete(record[0]);
    cJSON_Delete(record[1]);
    nb_problem_free(&problem);
    return status;
}

int nb_command_spectrum(int argc, char **argv)
{
    struct request request = {.zero = 1e-10};
    struct nb_error error;
    struct nb_command command = {
        .name = "spectrum", .arguments = "FILE [options]",
        .summary = "Fill and eigenvalues of the contacts' Delassus matrix J M^-1 J^T.",
        .details = "The step is linearised, compliant rows and elements folded into M; up to 6000 rows.",
        .example = "ncpbench spectrum arch.h5 -o spectra.jsonl",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE"},
    };
    nb_command_add_number(&command, "zero", &request.zero, 0, 1, "X",
                          "eigenvalues up to this share of the largest count as zero");
    nb_command_add_output(&command, &request.output, "FILE.jsonl", "append the records fill and spectrum to this file");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (run(&request, command.positional[0], &error))
        return nb_command_fail(&command, &error);
    return NB_EXIT_OK;
}
