/* The driver gets the step in units of its own (intrinsic_units.h) where the method does not ask for those of the
 * problem. What comes back is in the problem's again. */
#include "solvers/step_solver.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/driver/driver.h"
#include "solvers/intrinsic_units.h"

struct nb_step_solver {
    const struct nb_driver *driver;
    void *self;
    const struct nb_problem *problem; /* borrowed, in its own units */
    struct nb_options options;
    int changed; /* the driver has the step in other units */
    struct nb_units there, back;
    struct nb_problem step; /* in these                              */
    double *u, *lambda;     /* of one iterate, for the way           */
};

/* The step in its intrinsic units; zero where it keeps its own, *status where there is no memory. */
static int change_units(struct nb_step_solver *solver, enum nb_status *status, struct nb_error *error)
{
    const struct nb_problem *problem = solver->problem;
    const size_t dofs = (size_t)nb_problem_dofs(problem), rows = (size_t)nb_problem_multipliers(problem);
    const struct nb_units there = nb_intrinsic_units(problem);
    if (there.mass == 1 && there.length == 1 && there.time == 1)
        return 0;
    *status = nb_problem_copy(problem, &solver->step, error);
    if (*status)
        return 0;
    if (!nb_problem_change_units(&solver->step, there.mass, there.length, there.time))
        return 0;
    solver->u = malloc((dofs + rows + 1) * sizeof *solver->u);
    if (!solver->u) {
        *status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solver");
        return 0;
    }
    solver->lambda = solver->u + dofs;
    solver->there = there;
    solver->back = nb_units_inverse(&there);
    return 1;
}

/* A refusal names numbers of the step: it is had in the problem's units. */
static enum nb_status create_driver(struct nb_step_solver *solver, struct nb_error *error)
{
    const struct nb_driver *driver = solver->driver;
    enum nb_status status = NB_OK;
    if (!driver->solver_own_units(&solver->options))
        solver->changed = change_units(solver, &status, error);
    if (status)
        return status;
    if (solver->changed && driver->create(&solver->self, &solver->step, &solver->options, NULL) == NB_OK)
        return NB_OK;
    solver->changed = 0;
    return driver->create(&solver->self, solver->problem, &solver->options, error);
}

enum nb_status nb_step_solver_create(struct nb_step_solver **out, const struct nb_problem *problem,
                                     const struct nb_options *options, struct nb_error *error)
{
    struct nb_step_solver *solver = *out = calloc(1, sizeof *solver);
    if (!solver)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solver");
    solver->driver = nb_driver_find(options->precision);
    solver->problem = problem;
    solver->options = *options;
    const enum nb_status status = create_driver(solver, error);
    if (status) {
        nb_step_solver_free(solver);
        *out = NULL;
    } else if (!solver->changed) {
        nb_problem_free(&solver->step);
    }
    return status;
}

/* The iterate in other units, in the solver's own arrays. */
static void change_iterate(struct nb_step_solver *solver, const struct nb_units *factor, const double *u,
                           const double *lambda)
{
    memcpy(solver->u, u, (size_t)nb_problem_dofs(solver->problem) * sizeof *u);
    memcpy(solver->lambda, lambda, (size_t)nb_problem_multipliers(solver->problem) * sizeof *lambda);
    nb_solution_change_units(solver->problem, factor, solver->u, solver->lambda);
}

enum nb_status nb_step_solver_start(struct nb_step_solver *solver, const double *u, const double *lambda,
                                    struct nb_error *error)
{
    if (!solver->changed)
        return solver->driver->start(solver->self, u, lambda, error);
    change_iterate(solver, &solver->there, u, lambda);
    return solver->driver->start(solver->self, solver->u, solver->lambda, error);
}

/* An observer between the driver and the one that asked. */
struct watch {
    struct nb_step_solver *solver;
    const struct nb_observer *observer;
};

static bool observe_back(void *context, int iteration, const double *u, const double *lambda,
                         const struct nb_linear_report *linear)
{
    const struct watch *watch = context;
    struct nb_step_solver *solver = watch->solver;
    change_iterate(solver, &solver->back, u, lambda);
    return watch->observer->observe(watch->observer->context, iteration, solver->u, solver->lambda, linear);
}

enum nb_status nb_step_solver_renew(struct nb_step_solver *solver, struct nb_error *error)
{
    return solver->driver->renew(solver->self, error);
}

enum nb_status nb_step_solver_run(struct nb_step_solver *solver, int iterations, const struct nb_observer *observer,
                                  struct nb_run *run, struct nb_error *error)
{
    struct watch watch = {solver, observer};
    const struct nb_observer back = {.context = &watch, .observe = observe_back};
    return solver->driver->run(solver->self, iterations, solver->changed && observer ? &back : observer, run, error);
}

void nb_step_solver_solution(const struct nb_step_solver *solver, double *u, double *lambda)
{
    solver->driver->solution(solver->self, u, lambda);
    if (solver->changed)
        nb_solution_change_units(solver->problem, &solver->back, u, lambda);
}

void nb_step_solver_free(struct nb_step_solver *solver)
{
    if (!solver)
        return;
    if (solver->self)
        solver->driver->free(solver->self);
    nb_problem_free(&solver->step);
    free(solver->u);
    free(solver);
}
