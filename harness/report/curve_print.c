/* A curve as a table, as JSON, and as a figure: that is drawn as any other, from records of kind "curve", one of all
 * problems together and one of each, whose traces go over the setting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/plot.h"
#include "harness/records/json.h"
#include "harness/report/curve.h"
#include "problems/base/emphasis.h"

void nb_curve_verdict(const struct nb_curve_part *part, int value, char *text, size_t size)
{
    const struct nb_curve_point *point = &part->point[value];
    if (value == part->best)
        snprintf(text, size, "the best");
    else if (!point->cases)
        snprintf(text, size, "not tried");
    else if (part->best < 0)
        snprintf(text, size, "solves none");
    else
        nb_verdict_phrase(point->verdict, "it", text, size);
}

static void write_ratio(double ratio, char *text, size_t size)
{
    if (isfinite(ratio))
        snprintf(text, size, "%.3g", ratio);
    else
        snprintf(text, size, "-");
}

static void print_point(const struct nb_curve *curve, const struct nb_curve_part *part, int v, int width, FILE *stream)
{
    const struct nb_curve_point *point = &part->point[v];
    char time[64], iterations[16], linear[16], solved[32], verdict[100];
    if (isfinite(point->time.value) && v != part->best)
        snprintf(time, sizeof time, "%.3g [%.3g, %.3g]", point->time.value, point->time.low, point->time.high);
    else
        write_ratio(point->time.value, time, sizeof time);
    write_ratio(point->iterations, iterations, sizeof iterations);
    write_ratio(point->linear, linear, sizeof linear);
    snprintf(solved, sizeof solved, "%d of %d", point->solved, point->cases);
    nb_curve_verdict(part, v, verdict, sizeof verdict);
    fprintf(stream, "%-*s  %9s  %-27s %10s %7s  ", width, curve->value[v].text, solved, time, iterations, linear);
    nb_print_emphasised(stream, v == part->best || point->same ? NB_GOOD : NB_PLAIN, verdict);
    fprintf(stream, "%s%s\n", *point->reason ? "; " : "", point->reason);
}

void nb_curve_print(const struct nb_curve *curve, FILE *stream)
{
    int width = (int)strlen(curve->setting);
    for (int v = 0; v < curve->count; ++v)
        width = (int)strlen(curve->value[v].text) > width ? (int)strlen(curve->value[v].text) : width;
    for (int p = 0; p < 2; ++p) {
        const struct nb_curve_part *part = &curve->part[p];
        if (!part->any)
            continue;
        fprintf(stream, "Over %s of %s, on %s:\n", curve->setting, curve->of, nb_curve_part_name(p));
        fprintf(stream, "%-*s  %9s  %-27s %10s %7s  against the best\n", width, curve->setting, "solves",
                "time / the best's [95 %]", "iterations", "linear");
        for (int v = 0; v < curve->count; ++v)
            print_point(curve, part, v, width, stream);
        fprintf(stream, "%s\n", part->sentence);
    }
}

static void add_point(cJSON *points, const struct nb_curve *curve, const struct nb_curve_part *part, int v)
{
    const struct nb_curve_point *point = &part->point[v];
    char words[100];
    cJSON *object = nb_json_append(points);
    NB_JSON_ADD(object, "value", curve->value[v].text, "number", curve->value[v].number,
                "usual", (bool)curve->value[v].usual, "cases", point->cases, "solved", point->solved);
    nb_interval_add(object, "time", &point->time);
    NB_JSON_ADD(object, "iterations", point->iterations, "linear_iterations", point->linear,
                "verdict", v == part->best ? "best" : nb_verdict_name(point->verdict));
    nb_curve_verdict(part, v, words, sizeof words);
    NB_JSON_ADD(object, "words", words, "not_told_from_the_best", (bool)(v == part->best || point->same));
    nb_json_text(object, "reason", point->reason);
}

static void add_part(cJSON *object, const char *name, const struct nb_curve *curve, const struct nb_curve_part *part)
{
    if (!part->any) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    cJSON *added = cJSON_AddObjectToObject(object, name);
    nb_json_text(added, "best", part->best < 0 ? "" : curve->value[part->best].text);
    cJSON_AddStringToObject(added, "sentence", part->sentence);
    cJSON *points = cJSON_AddArrayToObject(added, "points");
    for (int v = 0; v < curve->count; ++v)
        add_point(points, curve, part, v);
}

cJSON *nb_curve_json(const struct nb_curve *curve)
{
    cJSON *object = cJSON_CreateObject();
    NB_JSON_ADD(object, "setting", curve->setting, "of", curve->of);
    add_part(object, "steps", curve, &curve->part[0]);
    add_part(object, "linear_systems", curve, &curve->part[1]);
    return object;
}

/* The traces of a record: of all problems together, problem -1, or of one. The `verdict` on a point: 0 it is
 * the best, 1 it cannot be told from the best, 2 otherwise. */
static void add_traces(cJSON *trace, const struct nb_curve *curve, const struct nb_curve_part *part, int problem)
{
    double column[6][NB_CURVE_VALUES];
    static const char *const names[] = {NULL, "time", "low", "high", "verdict", "iterations"};
    bool linear = false;
    for (int v = 0; v < curve->count; ++v)
        linear = linear || isfinite(part->point[v].linear);
    for (int v = 0; v < curve->count; ++v) {
        const struct nb_curve_point *point = &part->point[v];
        const bool all = problem < 0;
        column[0][v] = curve->value[v].number;
        column[1][v] = all ? point->time.value : point->of_problem[problem];
        column[2][v] = all ? point->time.low : NAN;
        column[3][v] = all ? point->time.high : NAN;
        column[4][v] = v == part->best ? 0 : point->same ? 1
                                                         : 2;
        column[5][v] = !all ? NAN : linear ? point->linear
                                           : point->iterations;
    }
    for (int k = 0; k < 6; ++k)
        nb_json_numbers(trace, k ? names[k] : curve->setting, column[k], (size_t)curve->count);
}

static void add_record(cJSON *records, const struct nb_curve *curve, int p, int problem)
{
    const struct nb_curve_part *part = &curve->part[p];
    cJSON *record = nb_json_append(records);
    cJSON_AddStringToObject(record, "kind", "curve");
    cJSON *settings = cJSON_AddObjectToObject(record, "settings");
    cJSON_AddStringToObject(settings, "on", nb_curve_part_name(p));
    cJSON_AddStringToObject(settings, "problem", problem < 0 ? "all problems" : part->problem[problem]);
    add_traces(cJSON_AddObjectToObject(record, "trace"), curve, part, problem);
}

static cJSON *records_of(const struct nb_curve *curve)
{
    cJSON *records = cJSON_CreateArray();
    for (int p = 0; p < 2; ++p)
        for (int problem = -1; problem < curve->part[p].problems && curve->part[p].best >= 0; ++problem)
            if (problem < 0 || curve->part[p].problems > 1)
                add_record(records, curve, p, problem);
    return records;
}

enum nb_status nb_curve_draw(const struct nb_curve *curve, const char *folder, const char *name, FILE *notes,
                             struct nb_error *error)
{
    char x[NB_CURVE_TEXT + 8], output[NB_CURVE_TEXT + 16];
    char *const changes[] = {x, output};
    for (int v = 0; v < curve->count; ++v)
        if (!isfinite(curve->value[v].number))
            return nb_fail(error, NB_UNSUPPORTED, "no figure: values of %s are words", curve->setting);
    if (curve->part[0].best < 0 && curve->part[1].best < 0)
        return nb_fail(error, NB_UNSUPPORTED, "no figure: nothing is solved");
    snprintf(x, sizeof x, "x %s", curve->setting);
    snprintf(output, sizeof output, "name %s", name);
    const struct nb_plot_request request = {.figure = "over",
                                            .changes = changes,
                                            .change_count = 2,
                                            .formats = "pdf,png,svg",
                                            .directory = folder,
                                            .report = notes};
    cJSON *records = records_of(curve);
    const enum nb_status status = nb_plot_records(&request, records, "the curve", error);
    cJSON_Delete(records);
    return status;
}
