/* ncpbench closest compares the closest-point methods (problems/distance/closest.h): on random elements beside a body
 * given by its distance (Macklin 2020, thesis, figure 48), or, of a problem file, by the contacts that they find at its
 * positions and what that takes (figure 49 and table 4).
 *
 * A random element is as long as half the width of the domain, which is twice as wide as the body's box, and lies
 * anywhere in it. Its error after an iteration is (phi - phi*)/length; phi* is the least of a dense sampling, refined
 * by golden-section search about its best point, and of all that any method finds.
 *
 * With --slide the elements are those outside the body whose nearest point is none of their corners. Each slides by
 * half of its first side, along that, in as many steps: told is the longest way of the point that is found in a step,
 * over the step. It is of the order of 1 where contacts move smoothly (figure 47). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "problems/base/clock.h"
#include "problems/base/random.h"
#include "problems/base/sorted.h"
#include "problems/base/vec3.h"
#include "problems/collide/collide.h"
#include "problems/distance/closest.h"
#include "problems/io/problem_file.h"
#include "problems/io/replace_file.h"
#include "problems/scenes/build/scene_field.h"
#include "problems/step.h"

enum { METHODS = 16, DENSE = 4096, QUANTILES = 3 };
static const double quantiles[QUANTILES] = {0.25, 0.5, 0.75};

struct request {
    const char *output, *element, *field, *table;
    int count, iterations, repetitions, grid, slide;
    double seed, descent;
};

/* By method: error [count x (iterations + 1)], jump [count], the seconds of all elements. */
struct study {
    const struct request *request;
    int methods, corners;
    const struct nb_closest_method *method[METHODS];
    struct nb_shape body;
    struct nb_element *element; /* [count] */
    double *error, *jump, seconds[METHODS], length;
};

static int kind_of(const char *name)
{
    int kind = 0;
    while (nb_distance_name(kind) && strcmp(nb_distance_name(kind), name))
        ++kind;
    return kind;
}

/* Unit vector, uniform on the sphere. */
static void random_direction(uint64_t *state, double *d)
{
    do
        for (int k = 0; k < 3; ++k)
            d[k] = nb_random_signed(state);
    while (nb_dot3(d, d) > 1 || nb_dot3(d, d) < 1e-6);
    nb_normalise3(d);
}

/* A segment, or an equilateral triangle, about a random middle. */
static void random_element(struct study *study, const double *lower, const double *upper, uint64_t *state,
                           struct nb_element *element)
{
    const double radius = study->corners == 2 ? study->length / 2 : study->length / sqrt(3);
    double middle[3], u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k)
        middle[k] = (lower[k] + upper[k]) / 2 + (upper[k] - lower[k]) * nb_random_signed(state);
    random_direction(state, u);
    random_direction(state, w);
    nb_cross3(u, w, v);
    nb_normalise3(v);
    *element = (struct nb_element){
        .field = &study->body.field, .corners = study->corners, .descent = study->request->descent};
    for (int k = 0; k < study->corners; ++k) {
        const double angle = 2 * M_PI * k / study->corners;
        for (int c = 0; c < 3; ++c)
            element->corner[3 * k + c] = middle[c] + radius * (cos(angle) * u[c] + sin(angle) * v[c]);
    }
}

/* Outside the body and nearest to it within a side or the face. */
static int lies_beside(const struct nb_element *element)
{
    struct nb_closest found;
    double most = 0;
    nb_closest_find(nb_closest_numbered(NB_CLOSEST_DEFAULT), element, NB_CLOSEST_ITERATIONS, &found, NULL);
    for (int k = 0; k < element->corners; ++k)
        most = fmax(most, found.weight[k]);
    return found.distance > 0 && most < 0.999;
}

/* Of those that may slide, the first one in TRIES. */
static enum nb_status place_elements(struct study *study, const double *lower, const double *upper,
                                     struct nb_error *error)
{
    enum { TRIES = 1000 };
    uint64_t state = (uint64_t)study->request->seed;
    for (int i = 0; i < study->request->count; ++i) {
        int tries = 0;
        do
            random_element(study, lower, upper, &state, &study->element[i]);
        while (study->request->slide && !lies_beside(&study->element[i]) && ++tries < TRIES);
        if (tries == TRIES)
            return nb_fail(error, NB_UNSUPPORTED, "closest: of %d elements none lies beside the body", TRIES);
    }
    return NB_OK;
}

static enum nb_status prepare(struct study *study, struct nb_error *error)
{
    static const double sizes[][4] = {
        [NB_DISTANCE_SPHERE] = {1}, [NB_DISTANCE_BOX] = {1, 0.6, 0.4}, [NB_DISTANCE_CAPSULE] = {0.4, 0.6},
        [NB_DISTANCE_TORUS] = {1, 0.3}, [NB_DISTANCE_CYLINDER] = {0.5, 1}, [NB_DISTANCE_CONE] = {0.8, 1.6},
        [NB_DISTANCE_SPOOL] = {0.4, 1, 0.4, 0.2}};
    const struct request *request = study->request;
    const int kind = kind_of(request->field);
    double lower[3], upper[3], width = 0;
    enum nb_status status = nb_shape_field(&study->body, (enum nb_distance_kind)kind, sizes[kind], 16, error);
    if (!status && request->grid > 0)
        status = nb_shape_grid(&study->body, request->grid, error);
    if (status)
        return status;
    study->corners = strcmp(request->element, "segment") ? 3 : 2;
    study->element = calloc((size_t)request->count, sizeof *study->element);
    study->error = malloc((size_t)study->methods * (size_t)request->count * ((size_t)request->iterations + 1) *
                          sizeof *study->error);
    study->jump = calloc((size_t)study->methods * (size_t)request->count, sizeof *study->jump);
    if (!study->element || !study->error || !study->jump)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d elements", request->count);
    nb_distance_bounds(&study->body.field, lower, upper);
    for (int k = 0; k < 3; ++k)
        width = fmax(width, 2 * (upper[k] - lower[k]));
    study->length = width / 2;
    return place_elements(study, lower, upper, error);
}

/* A segment's by many points, and golden-section search between the neighbours of the best; a triangle's on many
 * segments that cross it. */
static double least_of(const struct nb_element *element)
{
    struct nb_closest best = {.distance = INFINITY}, found;
    struct nb_element part = {.field = element->field, .corners = 2};
    double ends[2][3], x[3];
    const int triangle = element->corners == 3, lines = triangle ? 64 : 1, points = DENSE / lines;
    for (int line = 0; line < lines; ++line) {
        const double s = triangle ? (line + 0.5) / lines : 1;
        for (int i = 0; i <= points; ++i) {
            const double t = (double)i / points;
            const double weight[3] = {triangle ? 1 - s : 1 - t, triangle ? s * (1 - t) : t, s * t};
            nb_closest_look(element, weight, &best, NULL);
        }
    }
    if (triangle)
        return best.distance;
    for (int side = 0; side < 2; ++side) {
        const double t = fmax(0, fmin(1, best.weight[1] + (side ? 1. : -1.) / points));
        nb_subtract3(element->corner + 3, element->corner, x);
        nb_add_scaled3(element->corner, t, x, ends[side]);
    }
    memcpy(part.corner, ends, sizeof ends);
    nb_closest_find(nb_closest_numbered(NB_CLOSEST_DEFAULT), &part, 60, &found, NULL);
    return fmin(best.distance, found.distance);
}

static double *error_of(const struct study *study, int method, int element)
{
    const size_t entries = (size_t)study->request->iterations + 1;
    return study->error + ((size_t)method * (size_t)study->request->count + (size_t)element) * entries;
}

/* Entry 0 is the nearest corner, where all begin. */
static void search_all(struct study *study)
{
    const struct request *request = study->request;
    for (int i = 0; i < request->count; ++i) {
        double least = least_of(&study->element[i]);
        for (int m = 0; m < study->methods; ++m) {
            struct nb_closest start, found;
            double *trace = error_of(study, m, i);
            nb_closest_find(nb_closest_numbered(0), &study->element[i], 0, &start, NULL);
            nb_closest_find(study->method[m], &study->element[i], request->iterations, &found, trace + 1);
            trace[0] = start.distance;
            least = fmin(least, trace[request->iterations]);
        }
        for (int m = 0; m < study->methods; ++m)
            for (int k = 0; k <= request->iterations; ++k)
                error_of(study, m, i)[k] = (error_of(study, m, i)[k] - least) / study->length;
    }
}

static double jump_of(const struct study *study, const struct nb_closest_method *method, const struct nb_element *at)
{
    const struct request *request = study->request;
    struct nb_element element = *at;
    struct nb_closest found;
    double side[3], before[3] = {0}, x[3], way[3], jump = 0;
    nb_subtract3(at->corner + 3, at->corner, side);
    const double step = 0.5 / request->slide;
    for (int i = 0; i <= request->slide; ++i) {
        for (int k = 0; k < element.corners; ++k)
            nb_add_scaled3(at->corner + 3 * k, i * step, side, element.corner + 3 * k);
        nb_closest_find(method, &element, request->iterations, &found, NULL);
        nb_element_point(&element, found.weight, x);
        nb_subtract3(x, before, way);
        jump = i > 0 ? fmax(jump, nb_norm3(way) / (step * nb_norm3(side))) : 0;
        memcpy(before, x, sizeof before);
    }
    return jump;
}

static void slide_all(struct study *study)
{
    const int count = study->request->slide ? study->request->count : 0;
    for (int m = 0; m < study->methods; ++m)
        for (int i = 0; i < count; ++i)
            study->jump[m * count + i] = jump_of(study, study->method[m], &study->element[i]);
}

/* Corners and the distance by each method, to be compared with another program's. */
static int print_distances(FILE *stream, const void *context)
{
    const struct study *study = context;
    const struct request *request = study->request;
    for (int k = 0; k < 3 * study->corners; ++k)
        fprintf(stream, "%c%d,", "xyz"[k % 3], k / 3);
    for (int m = 0; m < study->methods; ++m)
        fprintf(stream, "%s%s", study->method[m]->name, m + 1 < study->methods ? "," : "\n");
    for (int i = 0; i < request->count; ++i) {
        for (int k = 0; k < 3 * study->corners; ++k)
            fprintf(stream, "%.17g,", study->element[i].corner[k]);
        for (int m = 0; m < study->methods; ++m) {
            struct nb_closest found;
            nb_closest_find(study->method[m], &study->element[i], request->iterations, &found, NULL);
            fprintf(stream, "%.17g%s", found.distance, m + 1 < study->methods ? "," : "\n");
        }
    }
    return 0;
}

/* The least of several repetitions, the methods in turn. */
static void time_all(struct study *study)
{
    const struct request *request = study->request;
    for (int m = 0; m < study->methods; ++m)
        study->seconds[m] = INFINITY;
    for (int run = 0; run < request->repetitions; ++run)
        for (int m = 0; m < study->methods; ++m) {
            const double begun = nb_seconds();
            struct nb_closest found;
            for (int i = 0; i < request->count; ++i)
                nb_closest_find(study->method[m], &study->element[i], request->iterations, &found, NULL);
            study->seconds[m] = fmin(study->seconds[m], (nb_seconds() - begun) / request->count);
        }
}

static cJSON *new_record(const struct study *study, int m, int q, const double *iteration, const double *error,
                         double jump)
{
    const struct request *request = study->request;
    const size_t entries = (size_t)request->iterations + 1;
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "kind", "closest", "version", NB_RECORD_VERSION);
    cJSON *settings = cJSON_AddObjectToObject(json, "settings");
    NB_JSON_ADD(settings, "method", study->method[m]->name, "element", request->element, "field", request->field,
                "grid", request->grid, "problems", request->count, "seed", request->seed, "descent", request->descent,
                "quantile", quantiles[q]);
    nb_json_number(json, "seconds", study->seconds[m]);
    if (request->slide) {
        NB_JSON_ADD(settings, "iterations", request->iterations, "slide", request->slide);
        nb_json_number(json, "jump", jump);
    }
    cJSON *trace = cJSON_AddObjectToObject(json, "trace");
    nb_json_numbers(trace, "iteration", iteration, entries);
    nb_json_numbers(trace, "excess", error, entries);
    cJSON_AddItemToObject(json, "provenance", nb_provenance());
    return json;
}

/* The quantiles of a method's errors after each iteration, rank ceil(q n) of n. */
static enum nb_status print_quantiles(const struct study *study, int m, struct nb_error *error)
{
    const struct request *request = study->request;
    const size_t entries = (size_t)request->iterations + 1;
    double *column = malloc((size_t)request->count * sizeof *column), *at = malloc(4 * entries * sizeof *at);
    double jump[QUANTILES];
    enum nb_status status = column && at ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for quartiles");
    for (size_t k = 0; !status && k < entries; ++k) {
        for (int i = 0; i < request->count; ++i)
            column[i] = error_of(study, m, i)[k];
        nb_sort_doubles(column, request->count);
        at[k] = (double)k;
        for (int q = 0; q < QUANTILES; ++q)
            at[(size_t)(q + 1) * entries + k] = column[(int)ceil(quantiles[q] * request->count) - 1];
    }
    if (!status) {
        nb_sort_doubles(study->jump + (size_t)m * (size_t)request->count, request->count);
        for (int q = 0; q < QUANTILES; ++q)
            jump[q] = study->jump[m * request->count + (int)ceil(quantiles[q] * request->count) - 1];
        printf("%-20s  %6d  %10.3g  %10.3g  %10.3g  %10.3g", study->method[m]->name, study->method[m]->number,
               at[2 * entries - 1], at[3 * entries - 1], at[4 * entries - 1], study->seconds[m]);
        if (request->slide)
            printf("  %10.3g", jump[1]);
        printf("\n");
    }
    for (int q = 0; !status && request->output && q < QUANTILES; ++q) {
        cJSON *record = new_record(study, m, q, at, at + (size_t)(q + 1) * entries, jump[q]);
        status = nb_records_append(request->output, &record, 1, error);
        cJSON_Delete(record);
    }
    free(column);
    free(at);
    return status;
}

static enum nb_status run_random(struct study *study, struct nb_error *error)
{
    enum nb_status status = prepare(study, error);
    if (!status) {
        search_all(study);
        time_all(study);
        slide_all(study);
        printf("%-20s  %6s  %10s  %10s  %10s  %10s%s\n", "method", "number", "1/4", "median", "3/4", "seconds",
               study->request->slide ? "        jump" : "");
    }
    for (int m = 0; !status && m < study->methods; ++m)
        status = print_quantiles(study, m, error);
    if (!status && study->request->table)
        status = nb_replace_text(study->request->table, print_distances, study, error);
    free(study->element);
    free(study->error);
    free(study->jump);
    nb_shape_free(&study->body);
    return status;
}

/* Sets a parameter of the problem, which may not have it yet. */
static enum nb_status set_parameter(struct nb_problem *problem, const char *name, double value, struct nb_error *error)
{
    int i = 0;
    while (i < problem->parameter_count && strcmp(problem->parameters[i].name, name))
        ++i;
    if (i == problem->parameter_count) {
        struct nb_parameter *grown = realloc(problem->parameters, ((size_t)i + 1) * sizeof *grown);
        if (!grown)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a parameter");
        problem->parameters = grown;
        problem->parameter_count++;
        snprintf(grown[i].name, sizeof grown[i].name, "%s", name);
    }
    problem->parameters[i].value = value;
    return NB_OK;
}

static cJSON *new_culling(const char *path, const struct nb_problem *problem, const char *method,
                          const struct nb_culling *found, double seconds)
{
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "kind", "culling", "version", NB_RECORD_VERSION);
    cJSON *settings = cJSON_AddObjectToObject(json, "settings");
    NB_JSON_ADD(settings, "scene", problem->name, "step", problem->step, "problem_file", path, "method", method);
    const int faces = nb_culling_faces(problem);
    NB_JSON_ADD(json, "faces", faces, "boxes", found->faces, "near", found->near, "contacts", found->contacts,
                "passing", faces ? (double)found->near / faces : 0, "seconds", seconds, "provenance", nb_provenance());
    return json;
}

static void write_numbers(FILE *stream, const double *values, int count)
{
    for (int k = 0; k < count; ++k)
        fprintf(stream, ",%.17g", values ? values[k] : 0);
}

/* The problem's contacts as they are, a line each with what problem.h has of it, and C_n. */
static int print_contacts(FILE *stream, const void *context)
{
    const struct nb_problem *problem = context;
    const struct nb_contacts *contacts = &problem->contacts;
    fprintf(stream, "body_a,body_b,ax,ay,az,bx,by,bz,radius_a,radius_b,nx,ny,nz,gap");
    for (int k = 0; k < 6; ++k)
        fprintf(stream, ",particle_%c%d,weight_%c%d", "ab"[k / 3], k % 3, "ab"[k / 3], k % 3);
    for (int i = 0; i < contacts->count; ++i) {
        const double gap = nb_contact_gap(problem, i);
        fprintf(stream, "\n%d,%d", contacts->body[2 * i], contacts->body[2 * i + 1]);
        write_numbers(stream, contacts->point + 6 * i, 6);
        write_numbers(stream, contacts->radius ? contacts->radius + 2 * i : NULL, 2);
        write_numbers(stream, contacts->frame + 9 * i, 3);
        write_numbers(stream, &gap, 1);
        for (int k = 6 * i; k < 6 * i + 6; ++k) {
            fprintf(stream, ",%d", contacts->particle ? contacts->particle[k] : -1);
            write_numbers(stream, contacts->particle ? contacts->weight + k : NULL, 1);
        }
    }
    fprintf(stream, "\n");
    return 0;
}

/* Those that scenes find if nothing is said. */
static enum nb_status find_contacts(const struct request *request, struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = set_parameter(problem, "search", NB_CLOSEST_DEFAULT, error);
    if (!status)
        status = nb_collide(problem, nb_step_margin(problem), error);
    return status ? status : nb_replace_text(request->table, print_contacts, problem, error);
}

/* At the problem's positions, the methods in turn. */
static enum nb_status run_problem(const struct study *study, const char *path, struct nb_error *error)
{
    const struct request *request = study->request;
    struct nb_problem problem;
    struct nb_culling found[METHODS];
    double seconds[METHODS];
    enum nb_status status = nb_problem_read(path, &problem, error);
    if (status)
        return status;
    if (problem.form != NB_NONLINEAR)
        status = nb_fail(error, NB_UNSUPPORTED, "%s: a linear step has no shapes that move", path);
    status = status ? status : set_parameter(&problem, "iterations", request->iterations, error);
    for (int run = 0; run < request->repetitions; ++run)
        for (int m = 0; !status && m < study->methods; ++m) {
            status = set_parameter(&problem, "search", study->method[m]->number, error);
            const double begun = nb_seconds();
            status = status ? status : nb_collide_counted(&problem, nb_step_margin(&problem), NULL, &found[m], error);
            const double passed = nb_seconds() - begun;
            seconds[m] = run ? fmin(seconds[m], passed) : passed;
        }
    if (!status)
        printf("%-20s  %8s  %8s  %8s  %8s  %10s\n", "method", "faces", "boxes", "near", "contacts", "seconds");
    for (int m = 0; !status && m < study->methods; ++m) {
        printf("%-20s  %8d  %8d  %8d  %8d  %10.3g\n", study->method[m]->name, nb_culling_faces(&problem),
               found[m].faces, found[m].near, found[m].contacts, seconds[m]);
        cJSON *record = request->output ? new_culling(path, &problem, study->method[m]->name, &found[m], seconds[m])
                                        : NULL;
        status = record ? nb_records_append(request->output, &record, 1, error) : NB_OK;
        cJSON_Delete(record);
    }
    if (!status && request->table)
        status = find_contacts(request, &problem, error);
    nb_problem_free(&problem);
    return status;
}

int nb_command_closest(int argc, char **argv)
{
    struct request request = {.element = "segment", .field = "spool", .count = 1000, .iterations = 32,
                              .repetitions = 5, .seed = 1, .descent = NB_CLOSEST_DESCENT};
    struct study study = {.request = &request};
    struct nb_error error;
    struct nb_command command = {
        .name = "closest", .arguments = "[PROBLEM.h5] [options]",
        .summary = "How near segments and triangles are to bodies given by their distance, by method.",
        .details = "Without a file: errors of random elements, quartiles after the last iteration, and seconds an "
                   "element. With one: of its skins and meshes beside its distance fields how many faces are "
                   "looked at, by box and by bounding sphere, the contacts, and the seconds of all contacts, which "
                   "--table writes as golden-section search finds them. The numbers are those that scenes take as "
                   "search.",
        .maximum_positionals = 1,
        .example = "ncpbench closest -o closest.jsonl && ncpbench plot figure48 closest.jsonl",
    };
    nb_command_add_word(&command, "element", &request.element, "segment,triangle", "ELEMENT", "what is random");
    nb_command_add_word(&command, "field", &request.field, "sphere,box,capsule,torus,cylinder,cone,spool", "BODY",
                        "the body");
    nb_command_add_count(&command, "grid", &request.grid, 0, NB_MOST_CELLS, "N",
                         "cells of a grid along its longest side; 0: closed form");
    nb_command_add_count(&command, "count", &request.count, 1, 100000, "N", "random elements");
    nb_command_add_count(&command, "iterations", &request.iterations, 1, 1000, "N", "of each method");
    nb_command_add_count(&command, "repetitions", &request.repetitions, 1, 1000, "N",
                         "the least time of these counts");
    nb_command_add_count(&command, "slide", &request.slide, 0, 100000, "N",
                         "steps in which elements slide: the median of the longest way of the nearest point in one");
    nb_command_add_number(&command, "seed", &request.seed, 0, 1e9, "S", "of the random elements");
    nb_command_add_number(&command, "descent", &request.descent, 1e-6, 10, "X",
                          "way of a step along a gradient at most, of the longest side");
    nb_command_add_file(&command, "table", &request.table, "FILE.csv",
                        "write corners and distances, or a file's contacts, to this file");
    nb_command_add_output(&command, &request.output, "FILE.jsonl", "append the records to this file");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    for (const struct nb_closest_method *const *each = nb_closest_methods(); *each && study.methods < METHODS; ++each)
        study.method[study.methods++] = *each;
    const char *path = command.positional[0];
    if (path ? run_problem(&study, path, &error) : run_random(&study, &error))
        return nb_command_fail(&command, &error);
    return NB_EXIT_OK;
}
