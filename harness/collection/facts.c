/* Gathers what a problem file holds, as one JSON document: where it is from, its sizes and ranges of values, islands,
 * features and classes, the symmetry of its matrices, and what is stored beside the step, a solution with our own
 * judgement. Of a linear system there are the name, the sizes and the matrix. */
#include "harness/collection/facts.h"

#include <math.h>
#include <stdlib.h>

#include "harness/case/case_record.h"
#include "harness/judge/features.h"
#include "harness/judge/metrics.h"
#include "harness/records/json.h"
#include "harness/records/problem_class.h"
#include "problems/io/matrix_market.h"
#include "problems/islands.h"

static void add_sizes(cJSON *facts, int dofs, int contacts, int bilaterals, int multipliers)
{
    cJSON *sizes = cJSON_AddObjectToObject(facts, "sizes");
    cJSON_AddNumberToObject(sizes, "dofs", dofs);
    cJSON_AddNumberToObject(sizes, "contacts", contacts);
    cJSON_AddNumberToObject(sizes, "bilaterals", bilaterals);
    cJSON_AddNumberToObject(sizes, "multipliers", multipliers);
}

static void add_origin(cJSON *facts, const char *path, const struct nb_problem *problem)
{
    static const char *const forms[] = {
        [NB_NONLINEAR] = "nonlinear", [NB_LINEAR_GLOBAL] = "linear_global", [NB_LINEAR_LOCAL] = "linear_local"};
    cJSON_AddStringToObject(facts, "command", "info");
    cJSON_AddStringToObject(facts, "file", path);
    cJSON_AddStringToObject(facts, "problem_hash", problem->hash);
    cJSON_AddStringToObject(facts, "name", problem->name);
    cJSON_AddStringToObject(facts, "form", forms[problem->form]);
    cJSON_AddStringToObject(facts, "source", problem->source);
    cJSON_AddStringToObject(facts, "generator", problem->generator);
    cJSON_AddNumberToObject(facts, "step", problem->step);
    nb_json_number(facts, "time_step", problem->time_step);
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
        cJSON_AddNumberToObject(object, "contacts", islands.contacts[largest]);
        cJSON_AddNumberToObject(object, "bodies", islands.bodies[largest]);
        cJSON_AddNumberToObject(object, "particles", islands.particles[largest]);
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
    cJSON_AddNumberToObject(added, "particles", problem->particles.count);
    cJSON_AddNumberToObject(added, "attachments", problem->attachments.count);
    cJSON_AddNumberToObject(added, "distances", problem->distances.count);
    cJSON_AddNumberToObject(added, "tetrahedra_hooke", tetrahedra->count - neo_hookean);
    cJSON_AddNumberToObject(added, "tetrahedra_neo_hookean", neo_hookean);
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
    cJSON_AddNumberToObject(facts, "bodies", problem->bodies.count);
    cJSON_AddNumberToObject(facts, "shapes", problem->shape_count);
    cJSON_AddNumberToObject(facts, "limits", problem->limits.count);
    add_range(facts, "masses", problem->bodies.mass, problem->bodies.count, 1);
    add_deformables(facts, problem);
    add_range(facts, "friction", problem->contacts.friction, problem->contacts.count, 1);
    return add_islands(facts, problem, error);
}

static cJSON *add_matrix(cJSON *matrices, const char *name, const struct nb_csr *matrix)
{
    cJSON *added = cJSON_AddObjectToObject(matrices, name);
    cJSON_AddNumberToObject(added, "rows", matrix->rows);
    cJSON_AddNumberToObject(added, "columns", matrix->columns);
    cJSON_AddNumberToObject(added, "entries", matrix->start[matrix->rows]);
    return added;
}

static void add_symmetry(cJSON *matrices, const char *name, const struct nb_csr *matrix)
{
    int at[2];
    const double asymmetry = nb_csr_asymmetry(matrix, &at[0], &at[1]);
    cJSON *added = add_matrix(matrices, name, matrix);
    nb_json_number(added, "asymmetry", asymmetry);
    cJSON_AddItemToObject(added, "at", asymmetry == 0 ? cJSON_CreateNull() : cJSON_CreateIntArray(at, 2));
    cJSON_AddStringToObject(added, "symmetry", asymmetry == 0 ? "exact" : asymmetry <= NB_SYMMETRIC_WITHIN
                            ? "to_rounding" : "none");
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
    if (!status)
        status = nb_solution_read(path, problem, &u, &lambda, error);
    if (!status) {
        cJSON *stored = cJSON_AddObjectToObject(facts, "stored");
        cJSON_AddNumberToObject(stored, "newton_systems", systems);
        cJSON_AddBoolToObject(stored, "solution", u != NULL);
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
    if (!status)
        status = add_stored(facts, path, &problem, error);
    nb_problem_free(&problem);
    return status;
}

static enum nb_status add_system(cJSON *facts, const char *path, struct nb_error *error)
{
    struct nb_newton_system system;
    struct nb_case named;
    enum nb_status status = nb_case_set_problem(&named, path, error);
    if (!status)
        status = nb_matrix_market_read(path, NULL, &system, error);
    if (status)
        return status;
    cJSON_AddStringToObject(facts, "command", "info");
    cJSON_AddStringToObject(facts, "file", path);
    cJSON_AddStringToObject(facts, "problem_hash", system.hash);
    cJSON_AddStringToObject(facts, "name", named.problem);
    cJSON_AddStringToObject(facts, "form", "linear_system");
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
