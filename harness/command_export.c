/* ncpbench export: a scene, simulated to a step, written as a problem file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands.h"
#include "harness/options.h"
#include "harness/provenance.h"
#include "harness/settle.h"
#include "problems/io/problem_file.h"
#include "problems/simulate.h"
#include "solvers/registry.h"

enum { SYSTEMS = 10 };

struct request {
    const char *scene, *path;
    const char *matrix_market; /* prefix of the files, or NULL */
    int step;
    struct nb_settle settle;
    bool newton_systems;
    struct nb_option_list settings;
    struct nb_options options;
};

/* Iterates of one run, [SYSTEMS] of each. */
struct iterates {
    size_t dofs, rows;
    double *u, *lambda;
    int count;
};

static bool keep_iterate(void *context, int iteration, const double *u, const double *lambda,
                         const struct nb_linear_report *linear)
{
    struct iterates *kept = context;
    (void)linear;
    (void)iteration;
    memcpy(kept->u + (size_t)kept->count * kept->dofs, u, kept->dofs * sizeof *u);
    memcpy(kept->lambda + (size_t)kept->count * kept->rows, lambda, kept->rows * sizeof *lambda);
    return ++kept->count < SYSTEMS;
}

/* The systems of the first iterations, taken at their iterates. */
static enum nb_status make_systems(const struct nb_problem *problem,
                                   const struct nb_options *options,
                                   struct nb_newton_system *systems, int *count,
                                   struct nb_error *error)
{
    struct nb_solver *solver = NULL;
    struct nb_run run;
    struct iterates kept = {.dofs = (size_t)nb_problem_dofs(problem),
                            .rows = (size_t)nb_problem_multipliers(problem)};
    const struct nb_observer observer = {&kept, keep_iterate};
    enum nb_status status;
    kept.u = calloc(SYSTEMS * kept.dofs + 1, sizeof *kept.u);
    kept.lambda = calloc(SYSTEMS * kept.rows + 1, sizeof *kept.lambda);
    if (!kept.u || !kept.lambda) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the iterates of %s",
                         problem->name);
        goto cleanup;
    }
    if ((status = nb_solver_create(&solver, problem, options, error)))
        goto cleanup;
    if ((status = nb_solver_run(solver, options->newton_iterations, &observer, &run, error)))
        goto cleanup;
    for (*count = 0; *count < kept.count && !status; ++*count) {
        status = nb_solver_system(solver, kept.u + (size_t)*count * kept.dofs,
                                  kept.lambda + (size_t)*count * kept.rows, &systems[*count],
                                  error);
        systems[*count].iteration = *count;
    }
cleanup:
    nb_solver_free(solver);
    free(kept.u);
    free(kept.lambda);
    return status;
}

static void describe(const struct nb_options *options, char *text, size_t size)
{
    snprintf(text, size,
             "ncp=%s scaling=%s newton_form=%s linear=%s precond=%s operator=%s precision=%s "
             "linear_iters=%d damping=%g shift=%g",
             options->ncp, options->scaling, options->newton_form, options->linear,
             options->precond, options->operator_form, options->precision,
             options->linear_iterations, options->damping, options->shift);
}

/* PREFIX.K.A.mtx and PREFIX.K.b.mtx of each system. */
static enum nb_status write_matrix_market(const char *prefix,
                                          const struct nb_newton_system *systems, int count,
                                          struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int k = 0; k < count && !status; ++k) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%d.A.mtx", prefix, k);
        status = nb_matrix_market_write(path, &systems[k].schur, error);
        snprintf(path, sizeof path, "%s.%d.b.mtx", prefix, k);
        if (!status)
            status = nb_matrix_market_write_vector(path, systems[k].right_side,
                                                   systems[k].schur.rows, error);
    }
    if (!status)
        printf("%s.K.A.mtx, %s.K.b.mtx: %d Newton systems\n", prefix, prefix, count);
    return status;
}

static enum nb_status write_step(const struct request *request, struct nb_problem *problem,
                                 struct nb_error *error)
{
    struct nb_newton_system systems[SYSTEMS];
    char settings[320];
    struct nb_problem_extras extras = {.systems = systems, .settings = settings};
    enum nb_status status = NB_OK;
    memset(systems, 0, sizeof systems);
    describe(&request->options, settings, sizeof settings);
    snprintf(problem->generator, sizeof problem->generator, "%s", nb_provenance_generator());
    int count = 0;
    if (request->newton_systems || request->matrix_market)
        status = make_systems(problem, &request->options, systems, &count, error);
    extras.system_count = request->newton_systems ? count : 0;
    if (!status)
        status = nb_problem_write(request->path, problem,
                                  request->newton_systems ? &extras : NULL, error);
    if (!status)
        printf("%s: %s, step %d: %d dofs, %d contacts, %d Newton systems\n", request->path,
               problem->name, problem->step, nb_problem_dofs(problem),
               nb_problem_contacts(problem), extras.system_count);
    if (!status && request->matrix_market)
        status = write_matrix_market(request->matrix_market, systems, count, error);
    for (int i = 0; i < SYSTEMS; ++i)
        nb_newton_system_free(&systems[i]);
    return status;
}

/* Says on stderr where a settled run ended. */
static void report_settled(const struct nb_settle *settle, const struct nb_problem *problem)
{
    if (settle->reached)
        fprintf(stderr, "ncpbench export: %s is at rest at step %d: largest speed %.3g m/s\n",
                problem->name, problem->step, settle->last_speed);
    else
        fprintf(stderr, "ncpbench export: %s is not at rest after %d steps: largest speed %.3g m/s, "
                "wanted below %.3g m/s for %d steps\n", problem->name, problem->step,
                settle->last_speed, settle->speed, settle->steps);
}

static enum nb_status run(struct request *request, struct nb_error *error)
{
    struct nb_problem problem = {0};
    enum nb_status status = nb_registry_check("", "scene", request->scene, error);
    if (!status)
        status = nb_options_validate(&request->options, error);
    if (!status)
        status = nb_scene_create(request->scene, request->settings.count, request->settings.item,
                                 &problem, error);
    if (!status)
        status = nb_settle_run(&request->settle, &problem, &request->options, error);
    if (!status)
        status = write_step(request, &problem, error);
    if (!status && request->settle.settled)
        report_settled(&request->settle, &problem);
    nb_problem_free(&problem);
    return status;
}

int nb_command_export(int argc, char **argv)
{
    struct request request = {.options = nb_options_default(),
                              .settle = {.speed = 1e-3, .steps = 20, .limit = 5000,
                                         .command = "export"}};
    struct nb_error error;
    struct nb_command command = {
        .name = "export", .arguments = "SCENE -o FILE.h5 [options]",
        .summary = "Simulates a scene to a step and writes that step as a problem file.",
        .details = "The solver options are those of the simulation that leads to the step. "
                   "`ncpbench list scene`\nnames the scenes. --settled ends where the largest speed of any body "
                   "stays below --rest-speed\nfor 20 steps; exit 1 tells that it did not within "
                   "--step-limit, and the file is written.\n--newton-systems stores the systems "
                   "of the first ten Newton iterations\nof that step with the same options.",
        .example = "ncpbench export heavy_stack -o heavy_stack.h5 --step 120 --newton-systems",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"SCENE"},
    };
    nb_command_add(&command, (struct nb_option){.name = "output", .letter = 'o',
                   .type = NB_OPTION_TEXT, .target = &request.path, .argument = "FILE.h5",
                   .meaning = "the file to write"});
    nb_command_add(&command, (struct nb_option){.name = "step", .type = NB_OPTION_INTEGER,
                   .target = &request.step, .minimum = 0, .maximum = 10000000, .argument = "N",
                   .meaning = "steps to simulate before"});
    nb_command_add(&command, (struct nb_option){.name = "settled", .type = NB_OPTION_FLAG,
                   .target = &request.settle.settled,
                   .meaning = "simulate until the bodies are at rest"});
    nb_command_add(&command, (struct nb_option){.name = "rest-speed", .type = NB_OPTION_NUMBER,
                   .target = &request.settle.speed, .minimum = 0, .above_minimum = true,
                   .maximum = 1000, .argument = "V", .meaning = "with --settled: below it [m/s]"});
    nb_command_add(&command, (struct nb_option){.name = "step-limit", .type = NB_OPTION_INTEGER,
                   .target = &request.settle.limit, .minimum = 1, .maximum = 10000000,
                   .argument = "N", .meaning = "with --settled: steps at most"});
    nb_command_add(&command, (struct nb_option){.name = "set", .type = NB_OPTION_LIST,
                   .target = &request.settings, .argument = "KEY=VALUE",
                   .meaning = "a parameter of the scene; may be repeated"});
    nb_command_add(&command, (struct nb_option){.name = "newton-systems", .type = NB_OPTION_FLAG,
                   .target = &request.newton_systems,
                   .meaning = "store Newton systems of the step"});
    nb_command_add(&command, (struct nb_option){.name = "matrix-market",
                   .type = NB_OPTION_TEXT, .target = &request.matrix_market, .argument = "PREFIX",
                   .meaning = "write those systems as PREFIX.K.A.mtx and PREFIX.K.b.mtx"});
    nb_command_add_solver(&command, &request.options, NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.scene = command.positional[0];
    if (!request.path) {
        nb_fail(&error, NB_BAD_INPUT, "-o FILE.h5 is missing");
        return nb_command_fail(&command, &error);
    }
    if (request.settle.settled && request.step > 0) {
        nb_fail(&error, NB_BAD_INPUT, "--step and --settled cannot both be given");
        return nb_command_fail(&command, &error);
    }
    if (!request.settle.settled)
        request.settle.limit = request.step;
    if (run(&request, &error))
        return nb_command_fail(&command, &error);
    return request.settle.settled && !request.settle.reached ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}
