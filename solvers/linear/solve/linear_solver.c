/* Setting up: the strategies are found, their settings read, the operator's product laid out, then preconditioner and
 * solver set up; islands and other precisions go to island_solver.h instead. An update refills the product,
 * then updates preconditioner and solver; a solve starts from zero or from the last solution. */
#include "solvers/linear/solve/linear_solver.h"
#include "solvers/application.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "problems/base/large.h"
#include "solvers/block/product.h"
#include "solvers/linear/solve/island_solver.h"

struct nb_linear_solver {
    struct nb_operator *op; /* borrowed */
    const struct nb_linear *linear;
    const struct nb_precond *precond;
    void *linear_self, *precond_self;
    void *vectors; /* the linear solver's, where it has no set-up of its own */
    nb_real tolerance;
    double preparing; /* [s] spent in updates since the last solve */
    struct nb_product *product; /* of an iterative solver on an assembled operator; else NULL */
    struct NB(nb_island_solver) *islands; /* NULL: the whole system, in the run's precision */
    int refined;                    /* islands are solved in another precision */
    nb_real *last; /* [n] the last solution, zero before the first; NULL: every solve starts from zero */
};

void nb_linear_solver_free(struct nb_linear_solver *solver)
{
    if (!solver)
        return;
    if (solver->linear && solver->linear->free && !solver->islands)
        solver->linear->free(solver->linear_self);
    if (solver->precond && solver->precond->free && !solver->islands)
        solver->precond->free(solver->precond_self);
    nb_island_solver_free(solver->islands);
    nb_product_free(solver->product);
    free(solver->vectors);
    free(solver->last);
    free(solver);
}

static enum nb_status read_settings(struct nb_linear_solver *solver, const struct nb_options *options,
                                    double *value, struct nb_error *error)
{
    struct nb_operator *op = solver->op;
    const enum nb_status status = nb_settings_read(nb_strategy_settings("linear", options->linear),
                                                   options->linear, value, error);
    if (status)
        return status;
    solver->tolerance = (nb_real)value[NB_LINEAR_TOL];
    solver->refined = value[NB_LINEAR_IN] != 0;
    if (value[NB_LINEAR_START] == 0)
        return NB_OK;
    solver->last = calloc(op->size + 1, sizeof *solver->last);
    return solver->last ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the last solution");
}

static int wants_product(const struct nb_linear_solver *solver)
{
    const struct nb_operator *op = solver->op;
    return op->matrix && !op->strategy->own_product && !solver->linear->direct && !solver->linear->foreign;
}

/* Whether the operator has what the strategies need. */
static enum nb_status check_needs(const struct nb_linear_solver *solver, struct nb_error *error)
{
    const struct nb_operator *op = solver->op;
    const struct nb_linear *linear = solver->linear;
    const struct nb_precond *precond = solver->precond;
    const char *reason = linear->relaxes && op->strategy->cannot_relax ? op->strategy->cannot_relax(op) : NULL;
    if (reason)
        return nb_fail(error, NB_UNSUPPORTED, "%s: %s", linear->name, reason);
    if (!op->matrix && (precond->needs_matrix || linear->needs_matrix))
        return nb_fail(error, NB_UNSUPPORTED, "%s needs the assembled operator",
                       precond->needs_matrix ? precond->name : linear->name);
    return NB_OK;
}

static enum nb_status set_up_linear(struct nb_linear_solver *solver, struct nb_error *error)
{
    const struct nb_linear *linear = solver->linear;
    const size_t bytes = (size_t)linear->vectors * solver->op->size * sizeof(nb_real);
    if (linear->setup)
        return nb_fail_named(error, linear->setup(&solver->linear_self, solver->op, error), linear->name);
    if (linear->vectors == 0)
        return NB_OK;
    solver->vectors = solver->linear_self = nb_large_allocate(bytes);
    if (!solver->vectors)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d vectors of %zu", linear->vectors,
                       solver->op->size);
    memset(solver->vectors, 0, bytes);
    return NB_OK;
}

static enum nb_status set_up(struct nb_linear_solver *solver, const struct nb_options *options,
                             struct nb_error *error)
{
    solver->linear = nb_find_linear(options->linear);
    solver->precond = nb_find_precond(options->precond);
    if (!solver->linear || !solver->precond)
        return nb_fail(error, NB_BAD_INPUT, "an unknown strategy was asked for");
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX] = {0};
    enum nb_status status = read_settings(solver, options, value, error);
    if (!status && (value[NB_LINEAR_ISLANDS] != 0 || value[NB_LINEAR_IN] != 0))
        return nb_island_solver_create(&solver->islands, solver->op, options, value, error);
    if (!status)
        status = check_needs(solver, error);
    if (!status && wants_product(solver))
        status = nb_product_create(&solver->product, solver->op->matrix, solver->op->storage,
                                   solver->op->threads, error);
    if (!status && solver->precond->setup)
        status = nb_fail_named(error, solver->precond->setup(&solver->precond_self, solver->op, error),
                               solver->precond->name);
    return status ? status : set_up_linear(solver, error);
}

enum nb_status nb_linear_solver_create(struct nb_linear_solver **out, struct nb_operator *op,
                                    const struct nb_options *options, struct nb_error *error)
{
    struct nb_linear_solver *solver = calloc(1, sizeof *solver);
    *out = NULL;
    if (error)
        error->text[0] = '\0';
    if (!solver)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a linear solver");
    solver->op = op;
    op->options = options;
    const enum nb_status status = set_up(solver, options, error);
    op->options = NULL;
    if (status) {
        nb_linear_solver_free(solver);
        return status;
    }
    *out = solver;
    return NB_OK;
}

struct nb_product *nb_linear_solver_product(const struct nb_linear_solver *solver)
{
    const int products_only = solver->linear->products_only && solver->precond->products_only;
    return products_only ? solver->product : NULL;
}

int nb_linear_solver_trusts_a_factor(const struct nb_linear_solver *solver)
{
    return solver->linear->direct && !solver->refined;
}

/* An infinite pivot leaves zeros and a finite x behind it, which a factor cannot tell from a solution. */
static enum nb_status check_finite(const struct nb_operator *op, struct nb_error *error)
{
    const struct nb_bsr *matrix = op->matrix;
    const size_t blocks = matrix ? (size_t)matrix->start[matrix->rows] : 0;
    for (size_t k = 0; k < 9 * blocks; ++k)
        if (!isfinite((double)matrix->value[k]))
            return nb_fail(error, NB_BREAKDOWN, "an entry of the operator is %g", (double)matrix->value[k]);
    return NB_OK;
}

enum nb_status nb_linear_solver_update(struct nb_linear_solver *solver, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const double begin = nb_seconds();
    if (error)
        error->text[0] = '\0';
    if (solver->islands) {
        status = nb_island_solver_update(solver->islands, error);
        solver->preparing += nb_seconds() - begin;
        return status;
    }
    if (solver->product && solver->op->product != solver->product) {
        nb_product_refill(solver->product, solver->op->matrix);
        solver->op->product = solver->product;
    }
    if (solver->linear->direct)
        status = check_finite(solver->op, error);
    if (!status && solver->precond->update)
        status = nb_fail_named(error, solver->precond->update(solver->precond_self, solver->op, error),
                               solver->precond->name);
    if (!status && solver->linear->update)
        status = nb_fail_named(error, solver->linear->update(solver->linear_self, solver->op, error),
                               solver->linear->name);
    solver->preparing += nb_seconds() - begin;
    return status;
}

void nb_linear_solver_restart(struct nb_linear_solver *solver)
{
    if (solver->last)
        memset(solver->last, 0, solver->op->size * sizeof *solver->last);
    if (solver->islands)
        nb_island_solver_restart(solver->islands);
    else if (solver->precond->restart)
        solver->precond->restart(solver->precond_self);
}

struct nb_linear_report nb_linear_solver_solve(struct nb_linear_solver *solver,
                                            const struct nb_linear_solver_task *given)
{
    const size_t bytes = solver->op->size * sizeof *given->x;
    const struct nb_linear_task task = {
        .op = solver->op,
        .precond = solver->precond,
        .precond_self = solver->precond_self,
        .run = given->run,
        .b = given->b,
        .x = given->x,
        .iterations = given->iterations,
        .tolerance = solver->tolerance,
        .observe = given->observe,
        .observe_context = given->observe_context,
    };
    if (solver->last)
        memcpy(given->x, solver->last, bytes);
    else
        memset(given->x, 0, bytes);
    given->run->preparation_seconds += solver->preparing;
    solver->preparing = 0;
    const struct nb_linear_report report =
        solver->islands ? nb_island_solver_solve(solver->islands, &task)
                      : solver->linear->solve(solver->linear_self, &task);
    if (solver->last && report.ending < NB_LINEAR_NON_FINITE)
        memcpy(solver->last, given->x, bytes);
    return report;
}

void nb_operator_multiply(const struct nb_operator *op, const nb_real *x, nb_real *y)
{
    if (op->product)
        nb_product_multiply(op->product, x, y);
    else
        nb_bsr_multiply(op->matrix, x, y, op->threads);
}

void nb_operator_sweep(struct nb_operator *op, const nb_real *b, nb_real *x, nb_real omega, int backward)
{
    nb_bsr_relax(op->matrix, op->diagonal, b, x, omega, backward);
}

void nb_operator_apply(struct nb_operator *op, const nb_real *x, nb_real *y)
{
    op->applications++;
    op->strategy->apply(op, x, y);
}

void nb_precond_apply(const struct nb_linear_task *task, const nb_real *r, nb_real *z)
{
    const bool timed = nb_application_begins(task->run);
    const double begin = timed ? nb_seconds() : 0;
    task->precond->apply(task->precond_self, task->op, r, z);
    if (timed)
        nb_application_took(task->run, nb_seconds() - begin);
}
