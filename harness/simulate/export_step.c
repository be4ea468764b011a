/* Writes one step as files: the problem in HDF5, with the Newton systems at the iterates of a run if asked for,
 * these systems as Matrix Market text, and the judged solution for ParaView. */
#include "harness/simulate/export_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/judged_vtkhdf.h"
#include "problems/base/numbers.h"
#include "problems/io/problem_file.h"

/* Of one step at most. */
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
        if (!status)
            status = nb_matrix_market_write_vector(path, systems[k].right_side,
                                                   systems[k].schur.rows, error);
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
    const struct nb_problem_extras extras = {.system_count = count, .systems = systems,
                                             .settings = settings};
    describe(&request->options, settings, sizeof settings);
    enum nb_status status =
        name_file(request, request->path, problem->step, path, sizeof path, error);
    if (!status)
        status = nb_problem_write(path, problem, request->newton_systems ? &extras : NULL, error);
    if (!status)
        printf("%s: %s, step %d: %d dofs, %d contacts, %d Newton systems\n", path, problem->name,
               problem->step, nb_problem_dofs(problem), nb_problem_contacts(problem),
               request->newton_systems ? count : 0);
    return status;
}

static enum nb_status write_drawing(const struct nb_export *request,
                                    const struct nb_problem *problem, struct nb_error *error)
{
    char path[4096];
    enum nb_status status =
        name_file(request, request->vtkhdf, problem->step, path, sizeof path, error);
    if (!status)
        status = nb_solved_vtkhdf_write(path, problem, &request->options, error);
    if (!status)
        printf("%s: %s, step %d, for ParaView\n", path, problem->name, problem->step);
    return status;
}

enum nb_status nb_export_step(const struct nb_export *request, const struct nb_problem *problem,
                              struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_newton_system systems[SYSTEMS];
    enum nb_status status = NB_OK;
    int count = 0;
    memset(systems, 0, sizeof systems);
    if (request->newton_systems || request->matrix_market)
        status = make_systems(request, problem, systems, &count, error);
    if (!status)
        status = write_problem(request, problem, systems, count, error);
    if (!status && request->matrix_market)
        status = write_matrix_market(request->matrix_market, systems, count, error);
    if (!status && request->vtkhdf)
        status = write_drawing(request, problem, error);
    for (int i = 0; i < SYSTEMS; ++i)
        nb_newton_system_free(&systems[i]);
    return status;
}
