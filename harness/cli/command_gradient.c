/* ncpbench gradient tells how velocities after a step answer to what the step is made of (harness/gradient/gradient.h),
 * in words or as one JSON document. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/gradient/gradient_check.h"
#include "harness/judge/metrics.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"

enum { LARGEST = 3, NAME = 32, PATH = 1100 };
static const char *const components[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

struct request {
    struct nb_options options;
    struct nb_option_list of, to;
    const char *system;
    bool stored, check, json;
};

/* One run: the step, its solution and its system. */
struct work {
    const struct request *request;
    struct nb_problem problem;
    struct nb_gradient *gradient;
    double *u, *lambda, *weight, *slope;
    bool wanted[NB_GRADIENT_KINDS];
    cJSON *document, *gradients;
};

/* The velocity that a text such as b0.vx, p12.vz or u7 names. */
static enum nb_status parse_velocity(const struct nb_problem *problem, const char *text, int *dof,
                                     struct nb_error *error)
{
    const int bodies = problem->form == NB_NONLINEAR ? problem->bodies.count : 0;
    const int particles = problem->form == NB_NONLINEAR ? problem->particles.count : 0;
    const int count = *text == 'b' ? bodies : *text == 'p' ? particles : *text == 'u' ? nb_problem_dofs(problem) : 0;
    char *end = NULL;
    const long index = *text && text[1] >= '0' && text[1] <= '9' ? strtol(text + 1, &end, 10) : -1;
    if (index >= 0 && index < count && *text == 'u' && !*end) {
        *dof = (int)index;
        return NB_OK;
    }
    for (int k = 0; k < (*text == 'b' ? 6 : 3) && index >= 0 && index < count && *end == '.'; ++k)
        if (!strcmp(end + 1, components[k])) {
            *dof = *text == 'b' ? 6 * (int)index + k : 6 * bodies + 3 * (int)index + k;
            return NB_OK;
        }
    return nb_fail(error, NB_BAD_INPUT,
                   "--of: \"%.40s\" names no velocity of %s: there are bB.vx to bB.vz and bB.wx to bB.wz of bodies B "
                   "below %d, pP.vx to pP.vz of particles P below %d, and uN, N below %d",
                   text, problem->name, bodies, particles, nb_problem_dofs(problem));
}

static const char *name_velocity(const struct nb_problem *problem, int dof, char *name)
{
    const int bodies = problem->form == NB_NONLINEAR ? problem->bodies.count : 0;
    if (problem->form != NB_NONLINEAR)
        snprintf(name, NAME, "u%d", dof);
    else if (dof < 6 * bodies)
        snprintf(name, NAME, "b%d.%s", dof / 6, components[dof % 6]);
    else
        snprintf(name, NAME, "p%d.%s", (dof - 6 * bodies) / 3, components[(dof - 6 * bodies) % 3]);
    return name;
}

/* What entry i of a kind is called. */
static const char *name_entry(const struct nb_problem *problem, enum nb_gradient_to to, int i, char *name)
{
    const int bodies = problem->bodies.count;
    const int plain = nb_gradient_size(problem, to) - nb_problem_contacts(problem);
    if (to == NB_GRADIENT_velocity || to == NB_GRADIENT_force)
        return name_velocity(problem, i, name);
    if (to == NB_GRADIENT_position)
        snprintf(name, NAME, "%c%d.%c", i < 3 * bodies ? 'b' : 'p', i < 3 * bodies ? i / 3 : i / 3 - bodies,
                 'x' + i % 3);
    else if (to == NB_GRADIENT_mass)
        snprintf(name, NAME, "%c%d", i < bodies ? 'b' : 'p', i < bodies ? i : i - bodies);
    else if (to == NB_GRADIENT_compliance && i < plain)
        snprintf(name, NAME, "row %d", i);
    else
        snprintf(name, NAME, "%s %d", to == NB_GRADIENT_modulus ? "tetrahedron" : "contact",
                 to == NB_GRADIENT_compliance ? i - plain : i);
    return name;
}

/* The solution is the solver's, or that of the file. */
static enum nb_status find_solution(struct work *w, const char *path, struct nb_error *error)
{
    const size_t dofs = (size_t)nb_problem_dofs(&w->problem), rows = (size_t)nb_problem_multipliers(&w->problem);
    if (w->request->stored) {
        const enum nb_status status = nb_solution_read(path, &w->problem, &w->u, &w->lambda, error);
        if (status || (w->u && w->lambda))
            return status;
        return nb_fail(error, NB_BAD_INPUT, "%s: holds no solution for --stored", path);
    }
    w->u = calloc(dofs + 1, sizeof *w->u);
    w->lambda = calloc(rows + 1, sizeof *w->lambda);
    if (!w->u || !w->lambda)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solution of %zu velocities", dofs);
    return nb_gradient_answer(&w->problem, &w->request->options, w->u, w->lambda, error);
}

/* A gradient is one at a solution. */
static enum nb_status judge(const struct work *w, double *step_error, struct nb_error *error)
{
    struct nb_judge *judge = NULL;
    struct nb_metrics metrics;
    const enum nb_status status = nb_judge_create(&judge, &w->problem, error);
    if (status)
        return status;
    nb_judge_evaluate(judge, w->u, w->lambda, &metrics);
    nb_judge_free(judge);
    *step_error = metrics.step_error;
    return metrics.step_error <= NB_GRADIENT_MARGIN
               ? NB_OK
               : nb_fail(error, NB_BREAKDOWN,
                         "%s: no gradient, the step is not solved (step_error %.2g, must be at most %.2g)",
                         w->problem.name, metrics.step_error, NB_GRADIENT_MARGIN);
}

static void describe(const struct work *w, double step_error)
{
    static const char *const names[] = {"open", "sticks", "slides"};
    int counts[3] = {0}, contact;
    for (int i = 0; i < nb_problem_contacts(&w->problem); ++i)
        counts[nb_gradient_state(w->gradient, i)]++;
    const double margin = nb_gradient_margin(w->gradient, &contact);
    cJSON *contacts = cJSON_AddObjectToObject(w->document, "contacts");
    for (int k = 0; k < 3; ++k)
        cJSON_AddNumberToObject(contacts, names[k], counts[k]);
    nb_json_number(w->document, "margin", margin);
    if (contact >= 0)
        cJSON_AddNumberToObject(w->document, "margin_contact", contact);
    else
        cJSON_AddNullToObject(w->document, "margin_contact");
    NB_JSON_ADD(w->document, "redundant", nb_gradient_redundant(w->gradient), "step_error", step_error);
    if (w->request->json)
        return;
    printf("%s: of the contacts %d are open, %d stick, %d slide; redundant rows: %d\n", w->problem.name, counts[0],
           counts[1], counts[2], nb_gradient_redundant(w->gradient));
    if (contact >= 0)
        printf("contact %d is the nearest to another state, by %.3g of the largest velocity\n", contact, margin);
}

/* The largest entries in size of a kind, in words. */
static void print_largest(const struct work *w, enum nb_gradient_to to, int size)
{
    double limit = INFINITY;
    char name[NAME];
    int unknown = 0;
    printf("  %-11s", nb_gradient_name(to));
    for (int i = 0; i < size; ++i)
        unknown += isnan(w->slope[i]);
    for (int shown = 0, at = -1; shown < LARGEST; ++shown) {
        int next = -1;
        for (int i = 0; i < size; ++i) {
            const double x = fabs(w->slope[i]);
            if (x > 0 && (x < limit || (x == limit && i > at)) && (next < 0 || x > fabs(w->slope[next])))
                next = i;
        }
        if (next < 0)
            break;
        printf("%s%s %.9g", shown ? ", " : " ", name_entry(&w->problem, to, next, name), w->slope[next]);
        limit = fabs(w->slope[next]);
        at = next;
    }
    if (limit == INFINITY)
        printf(" 0");
    printf(unknown ? " (of %d; %d not determined)" : " (of %d)", size, unknown);
}

static enum nb_status take(const struct work *w, enum nb_gradient_to to, cJSON *slopes, struct nb_error *error)
{
    cJSON *slope = cJSON_CreateObject();
    const int size = nb_gradient_size(&w->problem, to);
    double difference = NAN;
    enum nb_status status = NB_OK;
    nb_gradient_take(w->gradient, to, w->slope);
    cJSON_AddItemToArray(slopes, slope);
    cJSON_AddStringToObject(slope, "name", nb_gradient_name(to));
    nb_json_numbers(slope, "gradient", w->slope, (size_t)size);
    if (!w->request->json)
        print_largest(w, to, size);
    if (w->request->check) {
        status = nb_gradient_check(w->gradient, &w->problem, &w->request->options, w->weight, w->u, w->lambda, to,
                                   &difference, error);
        nb_json_number(slope, "difference", difference);
        if (!w->request->json && !status)
            printf(isnan(difference) ? "; no differences: contacts change their state"
                                     : "; differences: %.2g", difference);
    }
    if (!w->request->json)
        printf("\n");
    return status;
}

static enum nb_status write_system(const struct work *w, struct nb_error *error)
{
    const double *right_side;
    const struct nb_csr *matrix = nb_gradient_system(w->gradient, &right_side);
    struct nb_new_file files[2] = {{0}, {0}};
    char path[2][PATH];
    snprintf(path[0], sizeof path[0], "%s.A.mtx", w->request->system);
    snprintf(path[1], sizeof path[1], "%s.b.mtx", w->request->system);
    enum nb_status status = nb_matrix_market_begin(&files[0], path[0], matrix, error);
    status = status ? status : nb_matrix_market_begin_vector(&files[1], path[1], right_side, matrix->rows, error);
    return nb_new_files_place(files, 2, status, error);
}

static enum nb_status take_all(struct work *w, const char *of, struct nb_error *error)
{
    int dof = 0;
    enum nb_status status = parse_velocity(&w->problem, of, &dof, error);
    if (status)
        return status;
    memset(w->weight, 0, (size_t)nb_problem_dofs(&w->problem) * sizeof *w->weight);
    w->weight[dof] = 1;
    if ((status = nb_gradient_solve(w->gradient, w->weight, error)))
        return status;
    cJSON *gradient = nb_json_append(w->gradients);
    NB_JSON_ADD(gradient, "of", of, "value", w->u[dof], "residual", nb_gradient_residual(w->gradient));
    cJSON *slopes = cJSON_AddArrayToObject(gradient, "to");
    const double left = nb_gradient_residual(w->gradient);
    if (!w->request->json && left > NB_GRADIENT_MARGIN)
        printf("%s = %.12g, its gradient, of which %.1g is not determined, to\n", of, w->u[dof], left);
    else if (!w->request->json)
        printf("%s = %.12g, its gradient to\n", of, w->u[dof]);
    for (int to = 0; to < NB_GRADIENT_KINDS && !status; ++to)
        if (w->wanted[to] && nb_gradient_size(&w->problem, (enum nb_gradient_to)to) > 0)
            status = take(w, (enum nb_gradient_to)to, slopes, error);
    return status;
}

static enum nb_status choose(struct work *w, struct nb_error *error)
{
    const struct nb_option_list *to = &w->request->to;
    for (int k = 0; k < NB_GRADIENT_KINDS; ++k)
        w->wanted[k] = to->count == 0;
    for (int i = 0; i < to->count; ++i) {
        const int k = nb_choice_index(NB_GRADIENT_NAMES, to->item[i]);
        if (k < 0)
            return nb_fail(error, NB_BAD_INPUT, "--to: there is no \"%.40s\": " NB_GRADIENT_NAMES, to->item[i]);
        if (nb_gradient_size(&w->problem, (enum nb_gradient_to)k) == 0)
            return nb_fail(error, NB_UNSUPPORTED, "--to %s: %s has none%s", to->item[i], w->problem.name,
                           w->problem.form == NB_NONLINEAR ? "" : ", being a linear step");
        w->wanted[k] = true;
    }
    return NB_OK;
}

static enum nb_status allocate(struct work *w, struct nb_error *error)
{
    int most = nb_problem_dofs(&w->problem);
    for (int k = 0; k < NB_GRADIENT_KINDS; ++k) {
        const int size = nb_gradient_size(&w->problem, (enum nb_gradient_to)k);
        most = size > most ? size : most;
    }
    w->weight = calloc((size_t)most + 1, sizeof *w->weight);
    w->slope = calloc((size_t)most + 1, sizeof *w->slope);
    return w->weight && w->slope ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a gradient");
}

static enum nb_status run(struct work *w, const char *path, struct nb_error *error)
{
    double step_error = 0;
    int ignored;
    enum nb_status status = nb_problem_read(path, &w->problem, error);
    if (status)
        return status;
    for (int i = 0; i < w->request->of.count && !status; ++i)
        status = parse_velocity(&w->problem, w->request->of.item[i], &ignored, error);
    if (status || (status = choose(w, error)) || (status = allocate(w, error)) ||
        (status = find_solution(w, path, error)) || (status = judge(w, &step_error, error)) ||
        (status = nb_gradient_create(&w->gradient, &w->problem, w->u, w->lambda, error)))
        return status;
    NB_JSON_ADD(w->document, "command", "gradient", "file", path, "problem_hash", w->problem.hash);
    describe(w, step_error);
    w->gradients = cJSON_AddArrayToObject(w->document, "gradients");
    for (int i = 0; i < w->request->of.count && !status; ++i)
        status = take_all(w, w->request->of.item[i], error);
    if (!status && w->request->system)
        status = write_system(w, error);
    return status;
}

int nb_command_gradient(int argc, char **argv)
{
    struct request request = {.options = nb_options_default()};
    struct nb_error error;
    struct nb_command command = {
        .name = "gradient",
        .arguments = "FILE --of VELOCITY [options]",
        .summary = "How a velocity after the step answers to velocities, places, masses, friction, forces, compliance.",
        .details = "The step is solved, and its transposed derivative at the solution, in which no contact changes its "
                   "state (docs/guide/gradients.md). Exit code: 0 fine, 1 there is no gradient or the step is not "
                   "solved.",
        .example = "ncpbench gradient box.h5 --of b0.vx --to mass --to friction --check",
        .minimum_positionals = 1,
        .maximum_positionals = 1,
        .positional_name = {"FILE"},
    };
    nb_command_add_list(&command, "of", &request.of, "VELOCITY",
                        "b0.vx to b0.wz of a body, p0.vx of a particle, u0 of any; may be repeated");
    nb_command_add_list(&command, "to", &request.to, "WHAT",
                        NB_GRADIENT_NAMES " (of tetrahedra); may be repeated; all of them without");
    nb_command_add_flag(&command, "check", &request.check, "compare with central differences of the step");
    nb_command_add_flag(&command, "stored", &request.stored, "at the solution that the file holds");
    nb_command_add(&command, (struct nb_option){.name = "system", .type = NB_OPTION_PREFIX, .target = &request.system,
                                                .argument = "PREFIX",
                                                .meaning = "write the transposed system of the last velocity as "
                                                           "PREFIX.A.mtx and PREFIX.b.mtx"});
    nb_command_add_flag(&command, "json", &request.json, "print one JSON document (docs/reference/output.md)");
    nb_command_add_solver(&command, &request.options, NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (request.of.count == 0)
        return nb_command_refuse(&command, "--of is missing: the velocity, such as b0.vx");
    struct work work = {.request = &request, .document = cJSON_CreateObject()};
    enum nb_status status = run(&work, command.positional[0], &error);
    if (!status && request.json)
        status = nb_json_put(work.document, nb_output(), &error);
    else
        cJSON_Delete(work.document);
    nb_gradient_free(work.gradient);
    nb_problem_free(&work.problem);
    free(work.u);
    free(work.lambda);
    free(work.weight);
    free(work.slope);
    if (!status)
        return NB_EXIT_OK;
    const int failed = nb_command_fail(&command, &error);
    return status == NB_UNSUPPORTED || status == NB_BREAKDOWN ? NB_EXIT_NOT_CONVERGED : failed;
}
