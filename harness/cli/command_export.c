/* ncpbench export simulates a scene to a step, or until its bodies are at rest, and writes that step, or each of a
 * range, as a problem file, with Newton systems of it where asked. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/case/judged_vtkhdf.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/provenance.h"
#include "harness/simulate/settle.h"
#include "problems/base/numbers.h"
#include "problems/copies.h"
#include "problems/io/problem_file.h"
#include "problems/problem.h"
#include "problems/scene.h"
#include "solvers/registry.h"
#include "solvers/solve.h"

/* Writes one step as files: the problem in HDF5, with the Newton systems at the iterates of a run if asked for,
 * these systems as Matrix Market text, and the judged solution for ParaView. */

struct nb_export {
    const char *path;          /* of the problem file                      */
    const char *vtkhdf;        /* of the drawing, or NULL                  */
    const char *matrix_market; /* prefix of the files, or NULL             */
    bool newton_systems, uncompressed;
    int system;    /* the only Newton iteration whose system is kept; -1: the first ten */
    bool numbered; /* the step's number goes before the suffixes: arch-0042.h5 */
    struct nb_options options; /* of the solver that takes the systems and solves for the drawing */
};

/* Systems of one step, at most. */
enum { SYSTEMS = 10 };

/* Iterates of one run, [room] of each, from iteration `first` on. */
struct iterates {
    size_t dofs, rows;
    double *u, *lambda;
    int first, room, count;
};

static bool keep_iterate(void *context, int iteration, const double *u, const double *lambda,
                         const struct nb_linear_report *linear)
{
    struct iterates *kept = context;
    (void)linear;
    if (iteration < kept->first)
        return true;
    memcpy(kept->u + (size_t)kept->count * kept->dofs, u, kept->dofs * sizeof *u);
    memcpy(kept->lambda + (size_t)kept->count * kept->rows, lambda, kept->rows * sizeof *lambda);
    return ++kept->count < kept->room;
}

/* The systems of the wanted iterations, taken at their iterates. */
static enum nb_status make_systems(const struct nb_export *request,
                                   const struct nb_problem *problem,
                                   struct nb_newton_system *systems, int *count,
                                   struct nb_error *error)
{
    const struct nb_options *options = &request->options;
    struct nb_solver *solver = NULL;
    struct nb_run run;
    struct iterates kept = {.dofs = (size_t)nb_problem_dofs(problem),
                            .rows = (size_t)nb_problem_multipliers(problem),
                            .first = request->system > 0 ? request->system : 0,
                            .room = request->system < 0 ? SYSTEMS : 1};
    const struct nb_observer observer = {.context = &kept, .observe = keep_iterate};
    enum nb_status status;
    kept.u = calloc((size_t)kept.room * kept.dofs + 1, sizeof *kept.u);
    kept.lambda = calloc((size_t)kept.room * kept.rows + 1, sizeof *kept.lambda);
    if (!kept.u || !kept.lambda) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the iterates of %s",
                         problem->name);
        goto cleanup;
    }
    if ((status = nb_solver_create(&solver, problem, options, error)))
        goto cleanup;
    if ((status = nb_solver_run(solver, nb_options_iterations(options), &observer, &run, error)))
        goto cleanup;
    for (*count = 0; *count < kept.count && !status; ++*count) {
        status = nb_solver_system(solver, kept.u + (size_t)*count * kept.dofs,
                                  kept.lambda + (size_t)*count * kept.rows, &systems[*count],
                                  error);
        systems[*count].iteration = kept.first + *count;
    }
    if (!status && kept.count == 0)
        status = nb_fail(error, NB_BAD_INPUT, "--system %d: the run of %s ends before that Newton "
                         "iteration", request->system, problem->name);
cleanup:
    nb_solver_free(solver);
    free(kept.u);
    free(kept.lambda);
    return status;
}

static void describe(const struct nb_options *options, char *text, size_t size)
{
    snprintf(text, size,
             "solver=%s ncp=%s scaling=%s newton_form=%s linear=%s precond=%s operator=%s precision=%s "
             "linear_iters=%d damping=%g shift=%g",
             options->solver, options->ncp, options->scaling, options->newton_form, options->linear,
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
        status = status ? status : nb_matrix_market_write_vector(path, systems[k].right_side, systems[k].schur.rows,
                                                                 error);
    }
    if (!status)
        printf("%s.K.A.mtx, %s.K.b.mtx: %d Newton systems\n", prefix, prefix, count);
    return status;
}

/* "arch.h5" becomes "arch-0042.h5" where steps are numbered; the suffix is what follows the last
 * dot of the name. */
static enum nb_status name_file(const struct nb_export *request, const char *path, int step,
                                char *name, size_t size, struct nb_error *error)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    const int length = request->numbered
                           ? snprintf(name, size, "%.*s-%04d%s", (int)stem, path, step, path + stem)
                           : snprintf(name, size, "%s", path);
    if (length < 0 || (size_t)length >= size)
        return nb_fail(error, NB_BAD_INPUT, "%.64s...: the name is longer than %zu bytes", path,
                       size - 1);
    return NB_OK;
}

static enum nb_status write_problem(const struct nb_export *request,
                                    const struct nb_problem *problem,
                                    const struct nb_newton_system *systems, int count,
                                    struct nb_error *error)
{
    char settings[1024], path[4096];
    const struct nb_problem_extras extras = {.system_count = request->newton_systems ? count : 0,
                                             .systems = systems,
                                             .settings = settings,
                                             .uncompressed = request->uncompressed};
    describe(&request->options, settings, sizeof settings);
    enum nb_status status =
        name_file(request, request->path, problem->step, path, sizeof path, error);
    status = status ? status : nb_problem_write(path, problem, &extras, error);
    if (!status)
        printf("%s: %s, step %d: %d dofs, %d contacts, %d Newton systems\n", path, problem->name,
               problem->step, nb_problem_dofs(problem), nb_problem_contacts(problem), extras.system_count);
    return status;
}

static enum nb_status write_drawing(const struct nb_export *request,
                                    const struct nb_problem *problem, struct nb_error *error)
{
    char path[4096];
    enum nb_status status =
        name_file(request, request->vtkhdf, problem->step, path, sizeof path, error);
    status = status ? status : nb_solved_vtkhdf_write(path, problem, &request->options, error);
    if (!status)
        printf("%s: %s, step %d, for ParaView\n", path, problem->name, problem->step);
    return status;
}

/* Writes the prepared step and says so on stdout. */
static enum nb_status export_step(const struct nb_export *request, const struct nb_problem *problem,
                                  struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_newton_system systems[SYSTEMS];
    enum nb_status status = NB_OK;
    int count = 0;
    memset(systems, 0, sizeof systems);
    if (request->newton_systems || request->matrix_market)
        status = make_systems(request, problem, systems, &count, error);
    status = status ? status : write_problem(request, problem, systems, count, error);
    if (!status && request->matrix_market)
        status = write_matrix_market(request->matrix_market, systems, count, error);
    if (!status && request->vtkhdf)
        status = write_drawing(request, problem, error);
    for (int i = 0; i < SYSTEMS; ++i)
        nb_newton_system_free(&systems[i]);
    return status;
}

enum { MOST_STEPS = 10000000 };

struct request {
    const char *scene, *range; /* range: --steps, or NULL */
    int step, first, stride;   /* the last, the first and the distance of the steps to write */
    int copies;
    struct nb_settle settle;
    struct nb_option_list settings;
    struct nb_export export;
};

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

/* The step, or so many copies of it. */
static enum nb_status write_step(const struct request *request, const struct nb_problem *problem,
                                 struct nb_error *error)
{
    struct nb_problem many;
    if (request->copies == 1)
        return export_step(&request->export, problem, error);
    enum nb_status status = nb_problem_repeat(problem, request->copies, &many, error);
    status = status ? status : export_step(&request->export, &many, error);
    nb_problem_free(&many);
    return status;
}

/* Each step of --steps as the simulation comes to it. */
static enum nb_status write_each(void *context, const struct nb_problem *problem,
                                 struct nb_error *error)
{
    const struct request *request = context;
    const bool wanted = problem->step >= request->first && (problem->step - request->first) % request->stride == 0;
    return wanted ? write_step(request, problem, error) : NB_OK;
}

/* A name with a dot or a slash is a problem file's: its step, as it is. */
static bool is_file(const char *name) { return strpbrk(name, "./") != NULL; }

static enum nb_status make_problem(const struct request *request, struct nb_problem *problem,
                                   struct nb_error *error)
{
    const int simulated = request->step > 0 || request->range || request->settle.settled ||
                          request->settings.count > 0;
    if (is_file(request->scene) && simulated)
        return nb_fail(error, NB_BAD_INPUT, "%s is one step: --step, --steps, --settled and --set go "
                       "with a scene", request->scene);
    if (is_file(request->scene))
        return nb_problem_read(request->scene, problem, error);
    const enum nb_status status = nb_registry_check("", "scene", request->scene, error);
    return status ? status
                  : nb_scene_create(request->scene, request->settings.count,
                                    request->settings.item, problem, error);
}

static enum nb_status run(struct request *request, struct nb_error *error)
{
    struct nb_problem problem = {0};
    enum nb_status status = nb_options_validate(&request->export.options, error);
    status = status ? status : make_problem(request, &problem, error);
    if (!status && !is_file(request->scene)) {
        snprintf(problem.generator, sizeof problem.generator, "%s", nb_provenance_generator());
        cJSON *settings = nb_simulation_settings(&request->export.options, &problem);
        request->settle.settings = settings;
        status = nb_settle_run(&request->settle, &problem, &request->export.options, error);
        cJSON_Delete(settings);
    }
    if (!status && !request->range)
        status = write_step(request, &problem, error);
    if (!status && request->settle.settled)
        report_settled(&request->settle, &problem);
    nb_problem_free(&problem);
    return status;
}

/* FIRST:LAST, or FIRST:LAST:STRIDE. */
static enum nb_status read_range(struct request *request, struct nb_error *error)
{
    char text[64], *place = NULL, *part[3] = {0};
    int count = 0;
    if (snprintf(text, sizeof text, "%s", request->range) < (int)sizeof text)
        for (char *at = strtok_r(text, ":", &place); at; at = strtok_r(NULL, ":", &place))
            part[count < 3 ? count : 2] = at, ++count;
    if (count != 2 && count != 3)
        return nb_fail(error, NB_BAD_INPUT, "--steps: \"%.64s\": expected FIRST:LAST or FIRST:LAST:STRIDE",
                       request->range);
    enum nb_status status = nb_parse_integer("--steps", part[0], 0, MOST_STEPS, &request->first, error);
    status = status ? status : nb_parse_integer("--steps", part[1], request->first, MOST_STEPS, &request->step, error);
    if (!status && count == 3)
        status = nb_parse_integer("--steps", part[2], 1, MOST_STEPS, &request->stride, error);
    return status;
}

/* What the options say together. */
static enum nb_status check(const struct nb_command *command, struct request *request,
                            struct nb_error *error)
{
    static const char *const of_settled[] = {"rest-speed", "step-limit"};
    struct nb_settle *settle = &request->settle;
    for (size_t i = 0; i < sizeof of_settled / sizeof *of_settled; ++i)
        if (!settle->settled && nb_command_given(command, of_settled[i]))
            return nb_fail(error, NB_BAD_INPUT, "--%s goes with --settled, which is not given",
                           of_settled[i]);
    if (!request->export.path)
        return nb_fail(error, NB_BAD_INPUT, "-o FILE.h5 is missing");
    if (settle->settled && (request->step > 0 || request->range))
        return nb_fail(error, NB_BAD_INPUT, "--step%s and --settled cannot both be given",
                       request->range ? "s" : "");
    if (request->range && request->step > 0)
        return nb_fail(error, NB_BAD_INPUT, "--step and --steps cannot both be given");
    if (request->range && request->export.matrix_market)
        return nb_fail(error, NB_BAD_INPUT, "--matrix-market is of one step: not with --steps");
    if (request->range && read_range(request, error))
        return NB_BAD_INPUT;
    if (request->range) {
        request->export.numbered = true;
        settle->each = write_each;
        settle->context = request;
    }
    if (!settle->settled)
        settle->limit = request->step;
    return NB_OK;
}

static void add_options(struct nb_command *command, struct request *request)
{
    nb_command_add_output(command, &request->export.path, "FILE.h5", "the file to write");
    nb_command_add_count(command, "step", &request->step, 0, MOST_STEPS, "N", "steps to simulate before");
    nb_command_add_text(command, "steps", &request->range, "FIRST:LAST[:STRIDE]",
                        "write each of these steps, or of each STRIDE of them the first, as FILE-0000.h5");
    nb_command_add_flag(command, "settled", &request->settle.settled, "simulate until the bodies are at rest");
    nb_command_add_positive(command, "rest-speed", &request->settle.speed, 1000, "V", "with --settled: below it [m/s]");
    nb_command_add_count(command, "step-limit", &request->settle.limit, 1, MOST_STEPS, "N",
                         "with --settled: steps at most");
    nb_command_add_scene_settings(command, &request->settings);
    nb_command_add_count(command, "copies", &request->copies, 1, 1000000, "N",
                         "write so many copies of the step side by side, as one step");
    nb_command_add_flag(command, "newton-systems", &request->export.newton_systems,
                        "store Newton systems of the step")
        ->of_newton = true;
    nb_command_add_count(command, "system", &request->export.system, -1, 10000, "K",
                         "only the system of that Newton iteration; -1: the first ten");
    nb_command_add_flag(command, "uncompressed", &request->export.uncompressed,
                        "store arrays plain: a large system takes four times the room and a third of the time to read");
    nb_command_add(command, (struct nb_option){.name = "matrix-market", .of_newton = true,
                   .type = NB_OPTION_PREFIX, .target = &request->export.matrix_market,
                   .argument = "PREFIX",
                   .meaning = "write those systems as PREFIX.K.A.mtx and PREFIX.K.b.mtx"});
    nb_command_add_file(command, "vtkhdf", &request->export.vtkhdf, "FILE.vtkhdf",
                        "write the solved step for ParaView too");
    nb_command_add_checkpoint(command, &request->settle.checkpoint);
    nb_command_add_solver(command, &request->export.options,
                          NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
}

int nb_command_export(int argc, char **argv)
{
    struct request request = {.copies = 1, .stride = 1, .export = {.options = nb_options_default(), .system = -1},
                              .settle = {.speed = 1e-3, .steps = 20, .limit = 5000,
                                         .command = "export"}};
    struct nb_error error;
    struct nb_command command = {
        .name = "export", .arguments = "SCENE -o FILE.h5 [options]",
        .summary = "Simulates a scene to a step and writes that step as a problem file.",
        .details = "The solver options are those of the simulation that leads to the step. "
                   "`ncpbench list scene` names the scenes. --settled ends where the largest "
                   "speed of any body stays below --rest-speed for 20 steps; exit 1 tells that "
                   "it did not within --step-limit, and the file is written. --newton-systems "
                   "stores the systems of the first ten Newton iterations of that step with the "
                   "same options. A problem file, ours or FCLIB's, in place of SCENE is one step.",
        .example = "ncpbench export heavy_stack -o heavy_stack.h5 --step 120 --newton-systems",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"SCENE"},
    };
    add_options(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.scene = command.positional[0];
    if (check(&command, &request, &error))
        return nb_command_fail(&command, &error);
    if (run(&request, &error))
        return nb_command_fail(&command, &error);
    return request.settle.settled && !request.settle.reached ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}
