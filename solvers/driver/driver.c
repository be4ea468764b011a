/* Steps and their solution in the present precision, seen from outside in double. */
#include "solvers/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/arithmetic.h"
#include "solvers/linear/solve/linear_bench.h"
#include "solvers/model/model.h"
#include "solvers/model/system_export.h"
#include "solvers/driver/precond_probe.h"
#include "solvers/plugin.h"
#include "solvers/strategy.h"

struct solver {
    const struct nb_problem *problem;
    struct nb_options options;
    struct nb_model *model;
    const struct nb_solver_strategy *strategy;
    void *self;
    nb_real *u, *lambda;
    bool is_new; /* no run has begun with its set-up */
    nb_real *start; /* [3 nodes + 3 blocks] where runs begin; NULL: at rest */
    double *wide_u, *wide_lambda; /* for the observer */
    void *memory;   /* of the arrays but start */
};

static void release(void *self)
{
    struct solver *solver = self;
    if (!solver)
        return;
    if (solver->strategy && solver->strategy->free)
        solver->strategy->free(solver->self);
    nb_arithmetic_restore(); /* what comes is judged, or the next step */
    nb_model_free(solver->model);
    free(solver->memory);
    free(solver->start);
    free(solver);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct solver *solver = data;
    const struct nb_model *model = solver->model;
    NB_ARRAY(arena, solver->u, 3 * (size_t)model->nodes);
    NB_ARRAY(arena, solver->lambda, 3 * (size_t)model->blocks);
    NB_ARRAY(arena, solver->wide_u, model->dofs);
    NB_ARRAY(arena, solver->wide_lambda, nb_problem_multipliers(solver->problem));
}

static enum nb_status create_model(struct solver *solver, struct nb_error *error)
{
    const struct nb_options *options = &solver->options;
    struct nb_elasticity elasticity = {0};
    solver->strategy = nb_find_solver(options->solver);
    if (!solver->strategy)
        return nb_fail(error, NB_BAD_INPUT, "unknown solver %s", options->solver);
    if (solver->strategy->elasticity)
        solver->strategy->elasticity(options->solver, &elasticity);
    return nb_model_create_with(&solver->model, solver->problem, &elasticity, options->threads, error);
}

static enum nb_status set_up(struct solver *solver, struct nb_error *error)
{
    const struct nb_solver_strategy *strategy = solver->strategy;
    if (!strategy->setup)
        return NB_OK;
    return nb_fail_named(error, strategy->setup(&solver->self, solver->model, &solver->options, error), strategy->name);
}

static enum nb_status create(void **out, const struct nb_problem *problem,
                             const struct nb_options *options, struct nb_error *error)
{
    struct solver *solver = calloc(1, sizeof *solver);
    *out = NULL;
    if (error)
        error->text[0] = '\0';
    if (!solver)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solver");
    solver->problem = problem;
    solver->options = *options;
    const int folder = nb_plugin_keep_folder();
    enum nb_status status = create_model(solver, error);
    if (!status && !(solver->memory = nb_arena_allocate(lay_out, solver)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the unknowns");
    status = status ? status : set_up(solver, error);
    nb_arithmetic_restore();
    nb_plugin_restore_folder(folder);
    if (status) {
        release(solver);
        return status;
    }
    solver->is_new = true;
    *out = solver;
    return NB_OK;
}

/* Not for a method that sees to that itself. */
static enum nb_status renew(void *self, struct nb_error *error)
{
    struct solver *solver = self;
    const bool is_new = solver->is_new;
    solver->is_new = false;
    if (is_new || solver->strategy->fresh)
        return NB_OK;
    if (solver->strategy->free)
        solver->strategy->free(solver->self);
    solver->self = NULL;
    return set_up(solver, error);
}

static void solution(const void *self, double *u, double *lambda)
{
    const struct solver *solver = self;
    nb_model_widen_velocity(solver->model, solver->u, u);
    nb_model_widen_multiplier(solver->model, solver->lambda, lambda);
}

static int report_iterate(const struct nb_method_task *task, int iteration, const struct nb_linear_report *linear)
{
    static const struct nb_linear_report none = {NB_LINEAR_CONVERGED, 0, ""};
    const struct solver *solver = task->report_context;
    if (!task->observer)
        return 0;
    nb_arithmetic_restore(); /* what watches judges */
    solution(solver, solver->wide_u, solver->wide_lambda);
    return !task->observer->observe(task->observer->context, iteration, solver->wide_u,
                                    solver->wide_lambda, linear || !iteration ? linear : &none);
}

static enum nb_status set_start(void *self, const double *u, const double *lambda, struct nb_error *error)
{
    struct solver *solver = self;
    const size_t nodes = 3 * (size_t)solver->model->nodes, rows = 3 * (size_t)solver->model->blocks;
    if (!solver->strategy->warm)
        return nb_fail(error, NB_UNSUPPORTED, "%s has a start of its own: a warm start is for "
                       "proximal_newton, newton, nsgs, pgs and implicit_complementarity", solver->strategy->name);
    if (!solver->start)
        solver->start = calloc(nodes + rows + 1, sizeof *solver->start);
    if (!solver->start)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a start");
    nb_model_narrow_velocity(solver->model, u, solver->start);
    nb_model_narrow_multiplier(solver->model, lambda, solver->start + nodes);
    nb_model_settle_pads(solver->model, solver->start + nodes, solver->start);
    return NB_OK;
}

static void reset_unknowns(struct solver *solver)
{
    const size_t nodes = 3 * (size_t)solver->model->nodes, rows = 3 * (size_t)solver->model->blocks;
    memset(solver->u, 0, nodes * sizeof *solver->u);
    memset(solver->lambda, 0, rows * sizeof *solver->lambda);
    if (!solver->start)
        return;
    memcpy(solver->u, solver->start, nodes * sizeof *solver->u);
    memcpy(solver->lambda, solver->start + nodes, rows * sizeof *solver->lambda);
}

static enum nb_status run(void *self, int iterations, const struct nb_observer *observer,
                          struct nb_run *out, struct nb_error *error)
{
    struct solver *solver = self;
    double untimed = 0;
    reset_unknowns(solver);
    if (error)
        error->text[0] = '\0';
    memset(out, 0, sizeof *out);
    const struct nb_method_task task = {
        .model = solver->model,
        .options = &solver->options,
        .observer = observer,
        .iterations = iterations,
        .u = solver->u,
        .lambda = solver->lambda,
        .report = report_iterate,
        .report_context = solver,
        .run = out,
        .untimed = &untimed,
    };
    const int folder = observer ? nb_plugin_keep_folder() : -1;
    const enum nb_status status = nb_fail_named(error, solver->strategy->run(solver->self, &task, error),
                                                solver->strategy->name);
    const char *changed = nb_arithmetic_restore();
    nb_plugin_restore_folder(folder);
    if (changed && !out->detail[0])
        snprintf(out->detail, sizeof out->detail, "it left another arithmetic, which was put back: %s", changed);
    out->untimed_seconds = untimed; /* whatever a linear solver or another part of the method has written there */
    return status;
}

static enum nb_status system_at(void *self, const double *u, const double *lambda,
                                struct nb_newton_system *system, struct nb_error *error)
{
    struct solver *solver = self;
    return nb_system_export(solver->model, &solver->options, u, lambda, system, error);
}

const struct nb_driver NB(nb_driver) = {
    .name = NB_TEXT(NB_PRECISION),
    .title = NB_PRECISION_TITLE,
    .unit_roundoff = NB_UNIT_ROUNDOFF,
    .row = nb_slot_row,
    .linear_uses_precond = nb_linear_uses_precond,
    .solver_self_contained = nb_solver_self_contained,
    .solver_together = nb_solver_together,
    .solver_runs_beside = nb_solver_runs_beside,
    .solver_is_fresh = nb_solver_is_fresh,
    .solver_own_units = nb_solver_own_units,
    .settings = nb_strategy_settings,
    .solver_iterations = nb_solver_iterations,
    .check = nb_slot_check,
    .adopt = nb_slot_adopt,
    .probe = nb_precond_probe,
    .create = create,
    .start = set_start,
    .renew = renew,
    .run = run,
    .solution = solution,
    .system = system_at,
    .free = release,
    .bench_create = nb_bench_create,
    .bench_refill = nb_bench_refill,
    .bench_load = nb_bench_load,
    .bench_restart = nb_bench_restart,
    .bench_run = nb_bench_run,
    .bench_solution = nb_bench_solution,
    .bench_free = nb_bench_free,
};
