/* ncpbench functions evaluates the NCP functions over their arguments, by scaling (figures 6 and 9 of Macklin et al.
 * 2019), those of plugins among them, in float64:
 *
 *     normal          phi(c(lambda), r_n lambda) with c = lambda/4 - 1/8, so that lambda = 1/2 [N] is the solution: a
 *                     particle of 0.25 kg, 1/8 m deep in the ground, h = 0.25 s. And from each lambda, the iterations
 *                     that Newton's method takes to the solution;
 *     compliance      Gamma, of a contact that slides at 0.5 m/s with mu lambda_n = 5 N, over |lambda_f| [N]: a
 *                     particle of 0.1 kg, h = 0.0083 s;
 *     friction_error  0.5 m/s - Gamma |lambda_f|, which is zero at the cone's limit.
 *
 * A scaling that refines the diagonal by bilateral rows has none to see here, and is left out. */
#include "solvers/precision/f64.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/case/case.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "solvers/registry.h"
#include "solvers/strategy.h"

enum { POINTS = 201, NORMAL = 0, COMPLIANCE, FRICTION_ERROR, QUANTITIES, MOST = 50 };
static const char *const quantity_names[QUANTITIES] = {"normal", "compliance", "friction_error"};
#define SLIP 0.5   /* [m/s] */
#define LIMIT 5.0  /* mu lambda_n [N] */
#define SOLVED 1e-12 /* of phi [m]: some hundred roundings of its terms */

struct curve {
    double r, force[POINTS], value[POINTS], newton[POINTS];
};

/* The scaling of one particle's contact. */
static void scale(const struct nb_scaling *scaling, double mass, double h, double *r_normal, double *r_friction)
{
    const double diagonal[3] = {1 / mass, 1 / mass, 1 / mass};
    const struct nb_scaling_input input = {1, h, diagonal};
    scaling->compute(&input, r_normal, r_friction);
}

static double phi(const struct nb_ncp *ncp, double r, double force, double *slope)
{
    const double gap = force / 4 - 1. / 8, b = r * force;
    double value, da, db;
    ncp->normal(1, &gap, &b, &value, &da, &db);
    *slope = da / 4 + db * r;
    return value;
}

/* NaN: not within MOST. */
static double newton_iterations(const struct nb_ncp *ncp, double r, double force)
{
    for (int k = 0; k <= MOST; ++k) {
        double slope;
        const double value = phi(ncp, r, force, &slope);
        if (fabs(value) <= SOLVED)
            return k;
        force -= value / slope;
    }
    return NAN;
}

static void draw_normal(const struct nb_ncp *ncp, const struct nb_scaling *scaling, struct curve *curve)
{
    double r_friction, slope;
    scale(scaling, 0.25, 0.25, &curve->r, &r_friction);
    for (int i = 0; i < POINTS; ++i) {
        curve->force[i] = -0.5 + 2. * i / (POINTS - 1);
        curve->value[i] = phi(ncp, curve->r, curve->force[i], &slope);
        curve->newton[i] = newton_iterations(ncp, curve->r, curve->force[i]);
    }
}

static void draw_friction(const struct nb_ncp *ncp, const struct nb_scaling *scaling, int quantity,
                          struct curve *curve)
{
    const double slip = SLIP, limit = LIMIT;
    double r_normal;
    scale(scaling, 0.1, 0.0083, &r_normal, &curve->r);
    for (int i = 0; i < POINTS; ++i) {
        curve->force[i] = 2 * limit * i / (POINTS - 1);
        ncp->friction(1, &slip, &curve->force[i], &limit, &curve->r, &curve->value[i]);
        if (quantity == FRICTION_ERROR)
            curve->value[i] = slip - curve->value[i] * curve->force[i];
    }
}

static cJSON *new_record(const struct nb_ncp *ncp, const struct nb_scaling *scaling, int quantity,
                         const struct curve *curve)
{
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "kind", "function", "version", NB_RECORD_VERSION);
    cJSON *settings = cJSON_AddObjectToObject(json, "settings");
    NB_JSON_ADD(settings, "quantity", quantity_names[quantity], "ncp", ncp->name, "scaling", scaling->name);
    nb_json_number(json, "r", curve->r);
    cJSON *trace = cJSON_AddObjectToObject(json, "trace");
    nb_json_numbers(trace, "force", curve->force, POINTS);
    nb_json_numbers(trace, "value", curve->value, POINTS);
    if (quantity == NORMAL)
        nb_json_numbers(trace, "newton", curve->newton, POINTS);
    cJSON_AddItemToObject(json, "provenance", nb_provenance());
    return json;
}

static void print_newton(const struct nb_ncp *ncp, const struct nb_scaling *scaling, const struct curve *curve)
{
    double most = 0;
    int lost = 0;
    for (int i = 0; i < POINTS; ++i) {
        most = fmax(most, curve->newton[i]); /* which passes over NaN */
        lost += isnan(curve->newton[i]);
    }
    printf("%-16s  %-16s  %10.4g  %10g  %10d\n", ncp->name, scaling->name, curve->r, most, lost);
}

static enum nb_status run(const char *output, struct nb_error *error)
{
    struct nb_registry_row row;
    enum nb_status status = NB_OK;
    printf("%-16s  %-16s  %10s  %10s  %10s\n", "NCP function", "scaling", "r_n [m/N]", "iterations", "lost");
    for (size_t n = 0; nb_slot_row("ncp", n, &row); ++n) {
        const struct nb_ncp *ncp = nb_find_ncp(row.name);
        for (size_t s = 0; nb_slot_row("scaling", s, &row); ++s) {
            const struct nb_scaling *scaling = nb_find_scaling(row.name);
            for (int quantity = 0; quantity < QUANTITIES && !status && !scaling->refine; ++quantity) {
                static struct curve curve;
                if (quantity == NORMAL)
                    draw_normal(ncp, scaling, &curve);
                else
                    draw_friction(ncp, scaling, quantity, &curve);
                if (quantity == NORMAL)
                    print_newton(ncp, scaling, &curve);
                cJSON *record = output ? new_record(ncp, scaling, quantity, &curve) : NULL;
                status = record ? nb_records_append(output, &record, 1, error) : NB_OK;
                cJSON_Delete(record);
            }
        }
    }
    return status;
}

int nb_command_functions(int argc, char **argv)
{
    const char *output = NULL;
    struct nb_error error;
    struct nb_command command = {
        .name = "functions", .arguments = "[options]",
        .summary = "NCP functions and friction's compliance over their arguments.",
        .details = "Of each NCP function by each scaling, plugins' too, on one contact. Printed is the largest number "
                   "of iterations that Newton's method takes from any start, and how many starts it is lost from.",
        .example = "ncpbench functions -o functions.jsonl && ncpbench plot figure9 functions.jsonl",
    };
    nb_command_add_output(&command, &output, "FILE.jsonl", "append the records to this file");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    return run(output, &error) ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}
