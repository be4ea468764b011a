/* Each copy is simulated by itself and becomes a linear step; they are joined to one, which then says in its parameters
 * and its source what it is and what it lacks (problems/import/import.h). */
#include "problems/import/import.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/import/simulator.h"
#include "problems/islands.h"
#include "problems/join.h"

void nb_import_report_free(struct nb_import_report *report)
{
    free(report->pair);
    memset(report, 0, sizeof *report);
}

/* So far is looked for a first contact, to name it [steps]. */
enum { LOOK_AHEAD = 2000 };

static const struct {
    const char *name;
    size_t place; /* in struct nb_import_report */
} counts[] = {
#define COUNT(member) {#member, offsetof(struct nb_import_report, member)}
    COUNT(bodies),
    COUNT(joints),
    COUNT(contacts),
    COUNT(limits),
    COUNT(equality_rows),
    COUNT(islands),
    COUNT(largest_island),
    COUNT(torsional_dropped),
    COUNT(rolling_dropped),
    COUNT(anisotropic),
    COUNT(dry_friction_dropped),
    COUNT(empty_rows_dropped),
    COUNT(still_dropped),
    COUNT(hopeless_dropped),
    COUNT(shapes_dropped),
};
enum { COUNTS = sizeof counts / sizeof *counts, ALWAYS = 7, PARAMETERS = COUNTS + 4 }; /* the first: also where 0 */

static void add_parameter(struct nb_problem *problem, const char *name, double value)
{
    struct nb_parameter *parameter = &problem->parameters[problem->parameter_count++];
    snprintf(parameter->name, sizeof parameter->name, "%s", name);
    parameter->value = value;
}

static enum nb_status add_parameters(const struct nb_import *request, const struct nb_import_report *report,
                                     struct nb_problem *problem, struct nb_error *error)
{
    free(problem->parameters);
    problem->parameter_count = 0;
    problem->parameters = calloc(PARAMETERS, sizeof *problem->parameters);
    if (!problem->parameters)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its parameters", request->model);
    add_parameter(problem, "copies", request->copies);
    add_parameter(problem, "random_controls", request->random);
    if (request->random)
        add_parameter(problem, "seed", request->seed);
    for (int i = 0; i < COUNTS; ++i) {
        const int count = *(const int *)((const char *)report + counts[i].place);
        if (count > 0 || i < ALWAYS)
            add_parameter(problem, counts[i].name, count);
    }
    add_parameter(problem, "deepest_penetration", report->deepest);
    return NB_OK;
}

/* The file's name without folder and suffix, and where the step comes from. */
static void add_origin(const struct nb_import *request, const struct nb_import_report *report,
                       struct nb_problem *problem)
{
    const char *slash = strrchr(request->model, '/'), *base = slash ? slash + 1 : request->model;
    const char *dot = strrchr(base, '.');
    const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    const int dropped = report->torsional_dropped + report->rolling_dropped + report->dry_friction_dropped;
    snprintf(problem->name, sizeof problem->name, "%.*s", length, base);
    snprintf(problem->source, sizeof problem->source,
             "%.40s%s%.30s by MuJoCo %.8s, in generalised velocities, contacts, limits and equalities hard instead of "
             "soft%s",
             base, report->key[0] ? " from its key frame " : "", report->key, nb_import_version(),
             dropped ? "; without torsional, rolling and joints' dry friction" : "");
    nb_clean_text(problem->name);
    nb_clean_text(problem->source);
}

/* Islands, and the most contacts of one, limits apart. */
static enum nb_status find_islands(const struct nb_problem *problem, struct nb_import_report *report,
                                   struct nb_error *error)
{
    struct nb_problem touching = *problem; /* borrows all arrays */
    int ignored;
    touching.linear.contacts = problem->drawing.count;
    touching.linear.contact_jacobian.rows = 3 * problem->drawing.count;
    const enum nb_status status = nb_linear_islands(problem, &report->islands, &ignored, error);
    return status ? status : nb_linear_islands(&touching, &ignored, &report->largest_island, error);
}

/* What a step without contact is answered with: where there is one. */
static enum nb_status refuse_untouched(const struct nb_import *request, struct nb_simulator *simulator,
                                       struct nb_error *error)
{
    const int first = nb_simulator_first_touch(simulator, LOOK_AHEAD);
    if (first >= 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: nothing touches at step %d, and no joint is at a limit; at step %d "
                       "something is: --step %d", request->model, request->step, first, first);
    return nb_fail(error, NB_BAD_INPUT, "%s: nothing touches at step %d, and no joint is at a limit, nor in %d steps "
                   "from there", request->model, request->step, LOOK_AHEAD);
}

static enum nb_status make_copies(const struct nb_import *request, struct nb_simulator *simulator,
                                  struct nb_problem *parts, struct nb_import_report *report, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int k = 0; k < request->copies && !status; ++k)
        status = nb_simulator_step(simulator, request->step, request->seed + k, request->random, &parts[k], report,
                                   error);
    if (!status && report->contacts + report->limits + report->still_dropped == 0)
        status = refuse_untouched(request, simulator, error);
    report->bodies *= request->copies;
    report->joints *= request->copies;
    return status;
}

static enum nb_status import(const struct nb_import *request, struct nb_simulator *simulator,
                             struct nb_problem *problem, struct nb_import_report *report, struct nb_error *error)
{
    struct nb_problem *parts = calloc((size_t)request->copies, sizeof *parts);
    enum nb_status status =
        parts ? make_copies(request, simulator, parts, report, error)
              : nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for %d copies", request->model, request->copies);
    if (!status)
        status = nb_problem_join(parts, request->copies, problem, error);
    if (!status && request->check)
        status = request->check(request->context, problem, report, error);
    if (!status)
        status = find_islands(problem, report, error);
    if (!status)
        status = add_parameters(request, report, problem, error);
    if (!status) {
        add_origin(request, report, problem);
        problem->step = request->step;
    }
    for (int k = 0; parts && k < request->copies; ++k)
        nb_problem_free(&parts[k]);
    free(parts);
    return status;
}

enum nb_status nb_import_model(const struct nb_import *request, struct nb_problem *problem,
                               struct nb_import_report *report, struct nb_error *error)
{
    struct nb_simulator *simulator;
    memset(problem, 0, sizeof *problem);
    memset(report, 0, sizeof *report);
    if (!nb_simulator_open)
        return nb_fail(error, NB_UNSUPPORTED, "%s: this program was built without MuJoCo, which reads models: install "
                                              "libmujoco-dev (scripts/install_deps.sh --import) and run make again",
                       request->model);
    enum nb_status status = nb_simulator_open(&simulator, request, report, error);
    if (!status && request->opened)
        request->opened(request->context);
    if (!status)
        status = import(request, simulator, problem, report, error);
    nb_simulator_free(simulator);
    if (status)
        nb_problem_free(problem);
    return status;
}

const char *nb_import_version(void)
{
    return nb_simulator_version ? nb_simulator_version() : NULL;
}
