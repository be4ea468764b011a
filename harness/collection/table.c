/* Rows are JSON objects, of which a sheet (harness/records/sheet.h) prints the columns. */
#include "harness/collection/table.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_record.h"
#include "harness/judge/features.h"
#include "harness/judge/metrics.h"
#include "harness/query/query.h"
#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/sheet.h"
#include "problems/base/hash.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"
#include "problems/islands.h"

/* Gathers what a problem file holds, as one JSON document: where it is from, its sizes and ranges of values, islands,
 * features and classes, the symmetry of its matrices, and what is stored beside the step, a solution with our own
 * judgement. Of a linear system there are the name, the sizes and the matrix. */

static void add_sizes(cJSON *facts, int dofs, int contacts, int bilaterals, int multipliers)
{
    cJSON *sizes = cJSON_AddObjectToObject(facts, "sizes");
    NB_JSON_ADD(sizes, "dofs", dofs, "contacts", contacts, "bilaterals", bilaterals, "multipliers", multipliers);
}

static void add_origin(cJSON *facts, const char *path, const struct nb_problem *problem)
{
    static const char *const forms[] = {
        [NB_NONLINEAR] = "nonlinear", [NB_LINEAR_GLOBAL] = "linear_global", [NB_LINEAR_LOCAL] = "linear_local"};
    NB_JSON_ADD(facts, "command", "info", "file", path, "problem_hash", problem->hash, "name", problem->name,
                "form", forms[problem->form], "source", problem->source, "generator", problem->generator,
                "step", problem->step);
    NB_JSON_ADD(facts, "time_step", problem->time_step);
    cJSON *parameters = cJSON_AddObjectToObject(facts, "parameters");
    for (int i = 0; i < problem->parameter_count; ++i)
        nb_json_number(parameters, problem->parameters[i].name, problem->parameters[i].value);
    add_sizes(facts, nb_problem_dofs(problem), nb_problem_contacts(problem), nb_problem_bilaterals(problem),
              nb_problem_multipliers(problem));
}

static void add_classes(cJSON *facts, const struct nb_problem *problem)
{
    struct nb_features features;
    nb_features(problem, &features);
    nb_problem_class_add(cJSON_AddObjectToObject(facts, "classes"), nb_features_add(facts, &features));
}

/* [smallest, largest] of count values, null of none. */
static void add_range(cJSON *facts, const char *name, const double *values, int count, int stride)
{
    double range[2] = {INFINITY, -INFINITY};
    for (int i = 0; i < count; ++i) {
        range[0] = fmin(range[0], values[(size_t)i * (size_t)stride]);
        range[1] = fmax(range[1], values[(size_t)i * (size_t)stride]);
    }
    if (count)
        nb_json_numbers(facts, name, range, 2);
    else
        cJSON_AddNullToObject(facts, name);
}

/* Islands, and of them the one with the most contacts. */
static enum nb_status add_islands(cJSON *facts, const struct nb_problem *problem, struct nb_error *error)
{
    struct nb_islands islands;
    const enum nb_status status = nb_islands_find(&islands, problem, error);
    const int largest = status ? -1 : nb_islands_largest(&islands);
    cJSON *added = cJSON_AddObjectToObject(facts, "islands");
    cJSON_AddNumberToObject(added, "count", status ? 0 : islands.count);
    if (largest >= 0) {
        cJSON *object = cJSON_AddObjectToObject(added, "largest");
        NB_JSON_ADD(object, "contacts", islands.contacts[largest], "bodies", islands.bodies[largest],
                    "particles", islands.particles[largest]);
    } else {
        cJSON_AddNullToObject(added, "largest");
    }
    nb_islands_free(&islands);
    return status;
}

/* null of a step without particles. */
static void add_deformables(cJSON *facts, const struct nb_problem *problem)
{
    const struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    int neo_hookean = 0;
    if (problem->particles.count == 0) {
        cJSON_AddNullToObject(facts, "deformable");
        return;
    }
    for (int i = 0; i < tetrahedra->count; ++i)
        neo_hookean += tetrahedra->material[i] == NB_MATERIAL_NEO_HOOKEAN;
    cJSON *added = cJSON_AddObjectToObject(facts, "deformable");
    NB_JSON_ADD(added, "particles", problem->particles.count, "attachments", problem->attachments.count,
                "distances", problem->distances.count, "ties", problem->ties.count,
                "tetrahedra_hooke", tetrahedra->count - neo_hookean, "tetrahedra_neo_hookean", neo_hookean);
    add_range(added, "masses", problem->particles.mass, problem->particles.count, 1);
    add_range(added, "lambda", tetrahedra->lame, tetrahedra->count, 2);
    add_range(added, "mu", tetrahedra->count ? tetrahedra->lame + 1 : NULL, tetrahedra->count, 2);
    add_range(added, "inflation", tetrahedra->inflation, tetrahedra->count, 1);
}

static enum nb_status add_nonlinear(cJSON *facts, const struct nb_problem *problem, struct nb_error *error)
{
    /* Scenes have -g downwards, which without gravity is -0; plus 0 it is 0. */
    const double gravity[] = {problem->gravity[0] + 0, problem->gravity[1] + 0, problem->gravity[2] + 0};
    nb_json_numbers(facts, "gravity", gravity, 3);
    NB_JSON_ADD(facts, "bodies", problem->bodies.count, "shapes", problem->shape_count,
                "limits", problem->limits.count);
    add_range(facts, "masses", problem->bodies.mass, problem->bodies.count, 1);
    add_deformables(facts, problem);
    add_range(facts, "friction", problem->contacts.friction, problem->contacts.count, 1);
    return add_islands(facts, problem, error);
}

static cJSON *add_matrix(cJSON *matrices, const char *name, const struct nb_csr *matrix)
{
    cJSON *added = cJSON_AddObjectToObject(matrices, name);
    NB_JSON_ADD(added, "rows", matrix->rows, "columns", matrix->columns, "entries", matrix->start[matrix->rows]);
    return added;
}

static void add_symmetry(cJSON *matrices, const char *name, const struct nb_csr *matrix)
{
    int at[2];
    const double asymmetry = nb_csr_asymmetry(matrix, &at[0], &at[1]);
    cJSON *added = add_matrix(matrices, name, matrix);
    NB_JSON_ADD(added, "asymmetry", asymmetry, "at", asymmetry == 0 ? cJSON_CreateNull() : cJSON_CreateIntArray(at, 2),
                "symmetry", asymmetry == 0 ? "exact" : asymmetry <= NB_SYMMETRIC_WITHIN ? "to_rounding" : "none");
}

static enum nb_status add_linear(cJSON *facts, const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_linear_step *linear = &problem->linear;
    int count, largest;
    cJSON *matrices = cJSON_AddObjectToObject(facts, "matrices");
    if (problem->form == NB_LINEAR_LOCAL) {
        add_symmetry(matrices, "W", &linear->delassus);
    } else {
        add_symmetry(matrices, "M", &linear->mass);
        add_matrix(matrices, "H^T", &linear->contact_jacobian);
    }
    add_range(facts, "friction", linear->friction, linear->contacts, 1);
    const enum nb_status status = nb_linear_islands(problem, &count, &largest, error);
    cJSON *islands = cJSON_AddObjectToObject(facts, "islands");
    cJSON_AddNumberToObject(islands, "count", count);
    if (count > 0)
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(islands, "largest"), "contacts", largest);
    else
        cJSON_AddNullToObject(islands, "largest");
    return status;
}

/* The step error of a solution (docs/theory/measure.md), null of none. */
static enum nb_status add_judgement(cJSON *stored, const struct nb_problem *problem, const double *u,
                                    const double *lambda, struct nb_error *error)
{
    struct nb_metrics errors = nb_metrics_unknown();
    struct nb_judge *judge = NULL;
    const enum nb_status status = u ? nb_judge_create(&judge, problem, error) : NB_OK;
    if (judge)
        nb_judge_evaluate(judge, u, lambda, &errors);
    nb_judge_free(judge);
    nb_json_number(stored, "step_error", errors.step_error);
    return status;
}

static enum nb_status add_stored(cJSON *facts, const char *path, const struct nb_problem *problem,
                                 struct nb_error *error)
{
    double *u = NULL, *lambda = NULL;
    int systems;
    enum nb_status status = nb_newton_system_count(path, &systems, error);
    status = status ? status : nb_solution_read(path, problem, &u, &lambda, error);
    if (!status) {
        cJSON *stored = cJSON_AddObjectToObject(facts, "stored");
        NB_JSON_ADD(stored, "newton_systems", systems, "solution", (bool)(u != NULL));
        status = add_judgement(stored, problem, u, lambda, error);
    }
    free(u);
    free(lambda);
    return status;
}

static enum nb_status add_step(cJSON *facts, const char *path, struct nb_error *error)
{
    struct nb_problem problem;
    struct nb_notes notes = {0};
    enum nb_status status = nb_is_market_step(path) ? nb_problem_convert_read(path, &problem, &notes, error)
                                                    : nb_problem_read(path, &problem, error);
    if (status)
        return status;
    add_origin(facts, path, &problem);
    add_classes(facts, &problem);
    status = problem.form == NB_NONLINEAR ? add_nonlinear(facts, &problem, error) : add_linear(facts, &problem, error);
    status = status ? status : add_stored(facts, path, &problem, error);
    nb_problem_free(&problem);
    return status;
}

static enum nb_status add_system(cJSON *facts, const char *path, struct nb_error *error)
{
    struct nb_newton_system system;
    struct nb_case named;
    enum nb_status status = nb_case_set_problem(&named, path, error);
    status = status ? status : nb_matrix_market_read(path, NULL, &system, error);
    if (status)
        return status;
    NB_JSON_ADD(facts, "command", "info", "file", path, "problem_hash", system.hash, "name", named.problem,
                "form", "linear_system");
    system.schur.rows -= system.padding;
    system.schur.columns -= system.padding;
    add_sizes(facts, 0, 0, 0, system.schur.rows);
    add_symmetry(cJSON_AddObjectToObject(facts, "matrices"), "A", &system.schur);
    nb_newton_system_free(&system);
    return NB_OK;
}

enum nb_status nb_problem_facts(const char *path, cJSON **facts, struct nb_error *error)
{
    cJSON *object = cJSON_CreateObject();
    const bool system = nb_is_matrix_market(path) && !nb_is_market_step(path);
    enum nb_status status = system ? add_system(object, path, error) : add_step(object, path, error);
    *facts = NULL;
    if (!status && (!object || nb_json_starved()))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory to describe it", path);
    if (status)
        cJSON_Delete(object);
    else
        *facts = object;
    return status;
}

/* The child reads without a trial and answers each path by one line: the facts, or why there are none. It answers for
 * what it could read: where it ends, or takes long, the file is read with a trial, as if there were no child, which
 * bounds the time that HDF5 can take and says what is wrong. */

enum { LIMIT = 10 }; /* [s] */

static const char refusal[] = "refusal"; /* a member that no facts have: a status */

/* cJSON prints what differs by a unit of roundoff as one number; here all digits pass. */
static bool keep_digits(cJSON *item)
{
    enum { DIGITS = 32 };
    bool kept = true;
    for (; item && kept; item = item->next) {
        kept = keep_digits(item->child);
        if (!cJSON_IsNumber(item))
            continue;
        item->valuestring = cJSON_malloc(DIGITS);
        kept = kept && item->valuestring && snprintf(item->valuestring, DIGITS, "%.17g", item->valuedouble) < DIGITS;
        item->type = cJSON_Raw;
    }
    return kept;
}

static bool send_facts(const char *path, int answers)
{
    struct nb_error error = {""};
    cJSON *facts = NULL;
    const enum nb_status status = nb_problem_facts(path, &facts, &error);
    if (status && (facts = cJSON_CreateObject())) {
        NB_JSON_ADD(facts, refusal, status, "message", error.text);
    }
    char *text = facts && keep_digits(facts) ? nb_json_print(facts) : NULL;
    const bool sent = text && nb_child_answer(answers, text);
    cJSON_free(text);
    cJSON_Delete(facts);
    return sent;
}

static int answer(void *context, int commands, int answers)
{
    size_t length;
    bool sent = true;
    (void)context;
    nb_problem_read_at_once();
    while (sent && nb_child_wait(commands, &length, sizeof length)) {
        char *path = calloc(length + 1, 1);
        sent = path && nb_child_read(commands, path, length) && send_facts(path, answers);
        free(path);
    }
    return !sent;
}

/* Asks the child for the line of a path, which the caller frees; NULL: no line came. */
static char *ask(struct nb_reader_apart *reader, const char *path)
{
    const struct nb_child_limits limits = {0};
    const size_t length = strlen(path);
    struct nb_error error;
    bool late;
    if (!reader->child.pid && nb_child_start(&reader->child, &limits, answer, NULL, &error))
        return NULL;
    const bool sent = nb_child_command(&reader->child, &length, sizeof length) &&
                      nb_child_send(&reader->child, path, length);
    char *line = sent ? nb_child_await(&reader->child, LIMIT, &late) : NULL;
    if (!line)
        nb_reader_apart_end(reader);
    return line;
}

/* As nb_problem_facts, with the same answers. */
static enum nb_status facts_read_apart(struct nb_reader_apart *reader, const char *path, cJSON **facts,
                                       struct nb_error *error)
{
    char *line = ask(reader, path);
    cJSON *said = line ? cJSON_Parse(line) : NULL;
    const double refused = nb_json_get(said, refusal);
    free(line);
    *facts = NULL;
    if (!said)
        return nb_problem_facts(path, facts, error);
    if (refused > NB_OK) {
        nb_fail(error, (enum nb_status)refused, "%s", nb_json_string(said, "message"));
        cJSON_Delete(said);
        return (enum nb_status)refused;
    }
    *facts = said;
    return NB_OK;
}

void nb_reader_apart_end(struct nb_reader_apart *reader)
{
    char ending[64];
    nb_child_stop(&reader->child, ending, sizeof ending);
}

/* One query to the records: of each problem the case with the smallest error. */

/* A file of stored systems may hold a step, too. */
static const char *name_problem(const char *hash, bool system, char name[static NB_HASH_SIZE + 8])
{
    snprintf(name, NB_HASH_SIZE + 8, "%s%.*s", system ? "system " : "", NB_HASH_SIZE - 1, hash);
    return name;
}

/* The case of each problem that is the most accurate at its end, the first of equal ones: its method is the solver, the
 * linear solver in it if it reads one, and the arithmetic. */
static const char statement[] =
    "select problem_hash, mode = 'linear_system', accuracy, method || iif(mode = 'step' and linear is not null, "
    "' ' || linear_method, '') || ' ' || arithmetic from (select *, row_number() over "
    "(partition by problem_hash, mode order by accuracy, id) as place from (select *, iif(mode = 'linear_system', "
    "residual, step_error) as accuracy from cases) where problem_hash <> '' and accuracy is not null "
    "and coalesce(linearized, 0) = 0) where place = 1 order by id";

static enum nb_status take(void *context, sqlite3_stmt *row, struct nb_error *error)
{
    struct nb_best_list *list = context;
    char name[NB_HASH_SIZE + 8];
    const char *hash = (const char *)sqlite3_column_text(row, 0);
    const int number = hash ? nb_index_entry(&list->problems, name_problem(hash, sqlite3_column_int(row, 1), name),
                                             &list->best, sizeof *list->best, &list->count, &list->room)
                            : -1;
    if (number < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the best of more than %d problems", list->count);
    struct nb_best *best = &list->best[number];
    best->error = sqlite3_column_double(row, 2);
    snprintf(best->method, sizeof best->method, "%s", (const char *)sqlite3_column_text(row, 3));
    return NB_OK;
}

enum nb_status nb_best_read(struct nb_best_list *list, const char *const *paths, int count, struct nb_error *error)
{
    return nb_query_each(paths, count, statement, take, list, error);
}

/* The best record of the problem with this hash, a step or a linear system; NULL: no record is of it. */
static const struct nb_best *best_find(const struct nb_best_list *list, const char *hash, bool system)
{
    char name[NB_HASH_SIZE + 8];
    const int number = nb_index_find(&list->problems, name_problem(hash, system, name));
    return number < 0 ? NULL : &list->best[number];
}

void nb_best_free(struct nb_best_list *list)
{
    nb_index_free(&list->problems);
    free(list->best);
    *list = (struct nb_best_list){{NULL}, NULL, 0, 0};
}

static const struct nb_sheet_column columns[] = {
    {"name", "name", .width = -24},
    {"form", "form", .width = -13},
    {"dofs", "sizes.dofs", .width = 7},
    {"contacts", "sizes.contacts", .width = 8},
    {"bilaterals", "sizes.bilaterals", .width = 10},
    {"multipliers", "sizes.multipliers", .width = 11},
    {"islands", "islands.count", .width = 7},
    {"rank", "features.rank", .width = 6},
    {"rank_deficiency", "features.rank_deficiency", .width = 15},
    {"mass_ratio", "features.mass_ratio", .width = 10},
    {"friction_min", "friction.0", .width = 12},
    {"friction_max", "friction.1", .width = 12},
    {"elasticity", "classes.elasticity", .width = 0},
    {"contact_density", "classes.contact_density", .width = 0},
    {"rank_class", "classes.rank_deficiency", .width = 0},
    {"mass_class", "classes.mass_ratio", .width = 0},
    {"problem_hash", "problem_hash", .width = 0},
    {"best_error", "best.error", .width = 10},
    {"best_method", "best.method", .width = -24},
    {"file", "file", .width = -1},
    {"error", "error", .width = 0},
};

/* The smaller error, of the file's own solution or of the records, or null. */
static void add_best(cJSON *row, const struct nb_best_list *list)
{
    const bool system = !strcmp(nb_json_string(row, "form"), "linear_system");
    const struct nb_best *known = best_find(list, nb_json_string(row, "problem_hash"), system);
    const double stored = nb_json_path_number(row, "stored", "step_error");
    const bool own = isfinite(stored) && !(known && known->error < stored);
    if (!own && !known) {
        cJSON_AddNullToObject(row, "best");
        return;
    }
    cJSON *best = cJSON_AddObjectToObject(row, "best");
    NB_JSON_ADD(best, "error", own ? stored : known->error, "method", own ? "/solution of the file" : known->method);
}

cJSON *nb_collection_row(struct nb_reader_apart *reader, const char *path, const char *reason,
                         const struct nb_best_list *best)
{
    struct nb_error error;
    cJSON *row = NULL;
    if (reason)
        nb_fail(&error, NB_BAD_FILE, "%.300s: %s", path, reason);
    if (!reason && !facts_read_apart(reader, path, &row, &error)) {
        cJSON_DeleteItemFromObjectCaseSensitive(row, "command");
        add_best(row, best);
        cJSON_AddNullToObject(row, "error");
    } else if ((row = cJSON_CreateObject())) {
        NB_JSON_ADD(row, "file", path, "error", error.text);
    }
    nb_json_without_controls(row);
    return row;
}

void nb_collection_begin(enum nb_collection_format format, FILE *stream)
{
    const struct nb_sheet sheet = NB_SHEET("", columns);
    if (format == NB_COLLECTION_JSON)
        fprintf(stream, "{\"command\":\"index\",\"problems\":[");
    else
        (format == NB_COLLECTION_CSV ? nb_sheet_csv : nb_sheet_text)(&sheet, NULL, stream);
    if (format == NB_COLLECTION_CSV)
        fputc('\n', stream);
}

void nb_collection_print(cJSON *row, int number, enum nb_collection_format format, FILE *stream)
{
    const struct nb_sheet sheet = NB_SHEET("", columns);
    const char *error = nb_json_string(row, "error");
    if (format == NB_COLLECTION_CSV) {
        nb_sheet_csv(&sheet, row, stream);
        fputc('\n', stream);
    } else if (format == NB_COLLECTION_JSON) {
        char *text = nb_json_print(row);
        fprintf(stream, "%s%s", number ? "," : "", text ? text : "null");
        cJSON_free(text);
    } else if (*error) {
        fprintf(stream, "%s\n", error);
    } else {
        nb_sheet_text(&sheet, row, stream);
    }
}

void nb_collection_end(enum nb_collection_format format, int failed, FILE *stream)
{
    if (format == NB_COLLECTION_JSON)
        fprintf(stream, "],\"failed\":%d}\n", failed);
}
