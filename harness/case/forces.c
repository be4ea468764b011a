/* The record of a solution's contact forces: normal and friction force and, on a rigid body, where it acts. */
#include "harness/case/forces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/case/case_settings.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "problems/base/rotation.h"
#include "solvers/registry.h"

enum { CONTACT, NORMAL, FRICTION, X, Y, Z, COLUMNS };
static const char *const column_name[COLUMNS] = {"contact", "normal_force", "friction_force",
                                                 "x", "y", "z"};

/* The contact's point on a rigid body in the world at q-; left as it is where there is none, or where the
 * form does not tell. */
static void contact_point(const struct nb_problem *problem, int contact, double *out)
{
    const struct nb_contacts *contacts = &problem->contacts;
    if (problem->form != NB_NONLINEAR)
        return;
    for (int side = 0; side < 2; ++side) {
        const int place = 2 * contact + side, body = contacts->body[place];
        if (body < 0)
            continue;
        double matrix[9], turned[3];
        nb_quaternion_matrix(problem->bodies.orientation + 4 * body, matrix);
        nb_rotate(matrix, contacts->point + 3 * place, turned);
        for (int k = 0; k < 3; ++k)
            out[k] = problem->bodies.position[3 * body + k] + turned[k];
        return;
    }
}

static void fill_columns(const struct nb_problem *problem, const double *lambda, int count, double *value)
{
    const double *force = lambda + nb_problem_bilaterals(problem);
    for (int i = 0; i < count; ++i) {
        double point[3] = {NAN, NAN, NAN};
        contact_point(problem, i, point);
        const double row[COLUMNS] = {i, force[3 * i], hypot(force[3 * i + 1], force[3 * i + 2]),
                                     point[0], point[1], point[2]};
        for (int c = 0; c < COLUMNS; ++c)
            value[c * count + i] = row[c];
    }
}

enum nb_status nb_forces_append(const char *path, const struct nb_case *setting,
                                const struct nb_problem *problem, const double *lambda,
                                struct nb_error *error)
{
    const int count = nb_problem_contacts(problem);
    double *value = malloc(((size_t)count * COLUMNS + 1) * sizeof *value);
    if (!value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the forces of %d contacts", count);
    fill_columns(problem, lambda, count, value);
    cJSON *record = cJSON_CreateObject();
    cJSON_AddStringToObject(record, "kind", "forces");
    cJSON_AddNumberToObject(record, "version", NB_RECORD_VERSION);
    cJSON_AddItemToObject(record, "settings", nb_case_settings(setting));
    char method[160];
    const bool alone = nb_registry_self_contained(setting->options.solver);
    snprintf(method, sizeof method, "%.100s%s%.40s", setting->options.solver, alone ? "" : "_",
             alone ? "" : setting->options.ncp);
    cJSON_AddStringToObject(record, "method", method);
    cJSON *trace = cJSON_AddObjectToObject(record, "trace");
    for (int c = 0; c < COLUMNS; ++c)
        nb_json_numbers(trace, column_name[c], value + c * count, (size_t)count);
    cJSON_AddItemToObject(record, "provenance", nb_provenance());
    const enum nb_status status = nb_records_append(path, &record, 1, error);
    cJSON_Delete(record);
    free(value);
    return status;
}
