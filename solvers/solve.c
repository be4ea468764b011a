/* The public door: a step is taken apart into its islands (problems/split.h), and each is solved by itself, to its own
 * end, in units of its own (step_solver.h). What the method sees of the others is nothing: an island takes the same
 * iterates as alone. A step of one island, or one that is to be solved together, is one such island as it is.
 *
 * Watched, the islands run one after the other and their iterates are kept (iterates.h); then the observer is shown
 * the whole step, iteration k being every island's k-th iterate, or its last. Unwatched, they run on all threads: those
 * that are more than a thread's share of the step one by one, each on all threads, then the others side by side. */
#include "solvers/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/numbers.h"
#include "rows.h"
#include "solvers/solve_private.h"

#define DECLARE(kind, name) extern const struct nb_driver nb_driver_##name;
#define ENTRY(kind, name) &nb_driver_##name,
NB_ROWS_PRECISION(DECLARE)
static const struct nb_driver *const drivers[] = {NB_ROWS_PRECISION(ENTRY) NULL};

const struct nb_driver *nb_driver_at(size_t index)
{
    return index < sizeof drivers / sizeof drivers[0] ? drivers[index] : NULL;
}

const struct nb_driver *nb_driver_find(const char *precision)
{
    for (size_t i = 0; drivers[i]; ++i)
        if (strcmp(drivers[i]->name, precision) == 0)
            return drivers[i];
    return NULL;
}

double nb_unit_roundoff(const char *precision)
{
    const struct nb_driver *driver = nb_driver_find(precision);
    return driver ? driver->unit_roundoff : 0;
}

/* ---- set-up ---- */

static void free_islands(struct nb_solver *solver)
{
    for (int i = 0; solver->island && i < solver->count; ++i) {
        nb_step_solver_free(solver->island[i].solver);
        nb_iterates_free(&solver->island[i].iterates);
        free(solver->island[i].u);
    }
    free(solver->island);
    free(solver->u);
    nb_split_free(&solver->split);
    solver->island = NULL;
    solver->u = NULL;
    solver->count = 0;
}

static enum nb_status create_island(struct nb_solver *solver, struct nb_solver_island *island, struct nb_error *error)
{
    struct nb_options options = solver->options;
    const size_t own = nb_solver_unknowns(island->problem), all = nb_solver_unknowns(solver->problem);
    const int small = island->part && own * (size_t)options.threads <= all &&
                      solver->driver->solver_runs_beside(options.solver);
    options.threads = island->threads = small ? 1 : options.threads;
    island->limit = NB_OWN_ITERATIONS;
    if (island->part) {
        island->u = malloc((own + 1) * sizeof *island->u);
        if (!island->u)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an island");
        island->lambda = island->u + island->part->dofs;
    }
    return nb_step_solver_create(&island->solver, island->problem, &options, error);
}

/* The parts of the split, or where it has none the whole step. */
static enum nb_status create_islands(struct nb_solver *solver, struct nb_error *error)
{
    const int parts = solver->split.count;
    enum nb_status status = NB_OK;
    solver->count = parts ? parts : 1;
    solver->island = calloc((size_t)solver->count, sizeof *solver->island);
    solver->u = parts ? calloc(nb_solver_unknowns(solver->problem) + 1, sizeof *solver->u) : NULL;
    if (!solver->island || (parts && !solver->u))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", solver->count);
    if (parts && solver->u)
        solver->lambda = solver->u + nb_problem_dofs(solver->problem);
    for (int i = 0; i < solver->count && !status; ++i) {
        struct nb_solver_island *island = &solver->island[i];
        island->part = parts ? &solver->split.part[i] : NULL;
        island->problem = parts ? &solver->split.part[i].problem : solver->problem;
        status = create_island(solver, island, error);
    }
    if (status)
        free_islands(solver);
    return status;
}

/* What the method refuses of an island it is asked to solve together; a refusal then names the step's numbers. */
static enum nb_status set_up(struct nb_solver *solver, struct nb_error *error)
{
    if (nb_options_islands(&solver->options) == NB_ISLANDS_APART) {
        enum nb_status status = nb_problem_split(solver->problem, &solver->split, error);
        if (status)
            return status;
        if (solver->split.count > 0 && create_islands(solver, NULL) == NB_OK)
            return NB_OK;
    }
    nb_split_free(&solver->split);
    return create_islands(solver, error);
}

enum nb_status nb_solver_create(struct nb_solver **out, const struct nb_problem *problem,
                                const struct nb_options *options, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    *out = NULL;
    enum nb_status status = nb_options_validate(options, error);
    if (status)
        return status;
    struct nb_solver *solver = calloc(1, sizeof *solver);
    if (!solver)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solver");
    solver->driver = nb_driver_find(options->precision);
    solver->problem = problem;
    solver->options = *options;
    status = set_up(solver, error);
    if (status) {
        nb_solver_free(solver);
        return status;
    }
    *out = solver;
    return NB_OK;
}

void nb_solver_free(struct nb_solver *solver)
{
    if (solver)
        free_islands(solver);
    free(solver);
}

/* ---- islands, from outside ---- */

int nb_solver_islands(const struct nb_solver *solver)
{
    return solver->count;
}

const struct nb_problem *nb_solver_island(const struct nb_solver *solver, int island)
{
    return solver->island[island].problem;
}

void nb_solver_taken(const struct nb_solver *solver, int *iterations)
{
    for (int i = 0; i < solver->count; ++i)
        iterations[i] = solver->island[i].taken;
}

void nb_solver_limit(struct nb_solver *solver, const int *iterations)
{
    for (int i = 0; i < solver->count; ++i)
        solver->island[i].limit = iterations ? iterations[i] : NB_OWN_ITERATIONS;
}

/* The entries of an island among those of the whole step. */
static void gather(const int *map, int count, const double *whole, double *own)
{
    for (int i = 0; i < count; ++i)
        own[i] = whole[map[i]];
}

enum nb_status nb_solver_start(struct nb_solver *solver, const double *u, const double *lambda,
                               struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0; i < solver->count && !status; ++i) {
        const struct nb_solver_island *island = &solver->island[i];
        if (!island->part)
            return nb_step_solver_start(island->solver, u, lambda, error);
        gather(island->part->dof, island->part->dofs, u, island->u);
        gather(island->part->multiplier, island->part->multipliers, lambda, island->lambda);
        status = nb_step_solver_start(island->solver, island->u, island->lambda, error);
    }
    return status;
}

void nb_solver_solution(const struct nb_solver *solver, double *u, double *lambda)
{
    for (int i = 0; i < solver->count; ++i) {
        const struct nb_solver_island *island = &solver->island[i];
        const double *own = island->u;
        if (!island->part) {
            nb_step_solver_solution(island->solver, u, lambda);
            return;
        }
        if (island->cut)
            own = island->iterates.value + (size_t)island->place * island->iterates.size;
        else
            nb_step_solver_solution(island->solver, island->u, island->lambda);
        nb_solver_scatter(island->part->dof, island->part->dofs, own, u);
        nb_solver_scatter(island->part->multiplier, island->part->multipliers, own + island->part->dofs, lambda);
    }
}

/* ---- runs ---- */

void nb_solver_run_island(struct nb_solver_island *island, int iterations, const struct nb_observer *observer)
{
    const int most = island->limit == NB_OWN_ITERATIONS || island->limit > iterations ? iterations : island->limit;
    island->cut = false;
    island->status = nb_step_solver_run(island->solver, most, observer, &island->run, &island->error);
}

static void run_unwatched(struct nb_solver *solver, int iterations)
{
    const int threads = solver->options.threads;
    for (int i = 0; i < solver->count; ++i)
        if (solver->island[i].threads == threads)
            nb_solver_run_island(&solver->island[i], iterations, NULL);
    if (threads == 1)
        return;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < solver->count; ++i)
        if (solver->island[i].threads != threads)
            nb_solver_run_island(&solver->island[i], iterations, NULL);
}

/* Counts are those of the island that took most, as if all went on at once; times are added up. */
static void add_run(const struct nb_run *of, struct nb_run *run)
{
    run->newton_iterations = of->newton_iterations > run->newton_iterations ? of->newton_iterations
                                                                            : run->newton_iterations;
    run->linear_iterations = of->linear_iterations > run->linear_iterations ? of->linear_iterations
                                                                            : run->linear_iterations;
    run->operator_applications = of->operator_applications > run->operator_applications ? of->operator_applications
                                                                                        : run->operator_applications;
    nb_run_add_applications(run, of);
    run->assembly_seconds += of->assembly_seconds;
    run->preparation_seconds += of->preparation_seconds;
    run->linear_seconds += of->linear_seconds;
    run->untimed_seconds += of->untimed_seconds;
}

static enum nb_status sum_up(const struct nb_solver *solver, struct nb_run *run, struct nb_error *error)
{
    *run = (struct nb_run){0};
    for (int i = 0; i < solver->count; ++i) {
        const struct nb_solver_island *island = &solver->island[i];
        if (island->status)
            return nb_fail(error, island->status, "island %d of %d: %.400s", i + 1, solver->count, island->error.text);
        add_run(&island->run, run);
        if (island->run.detail[0] && (!run->detail[0] || (island->run.broke_down && !run->broke_down)))
            snprintf(run->detail, sizeof run->detail, "island %d of %d: %.110s", i + 1, solver->count,
                     island->run.detail);
        run->broke_down |= island->run.broke_down;
    }
    return NB_OK;
}

/* One after the other: METIS, which orders their matrices, has one sequence of random numbers for all threads. */
enum nb_status nb_solver_renew(struct nb_solver *solver, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0; i < solver->count && !status; ++i)
        status = nb_step_solver_renew(solver->island[i].solver, error);
    return status;
}

enum nb_status nb_solver_run(struct nb_solver *solver, int iterations,
                             const struct nb_observer *observer, struct nb_run *run,
                             struct nb_error *error)
{
    NB_DECIMAL_POINT;
    enum nb_status status = nb_solver_renew(solver, error);
    if (status)
        return status;
    if (!solver->split.count)
        return nb_step_solver_run(solver->island[0].solver, iterations, observer, run, error);
    if (observer)
        status = nb_solver_run_watched(solver, iterations, observer, error);
    else
        run_unwatched(solver, iterations);
    if (!status && (status = sum_up(solver, run, error)) == NB_OK && observer) {
        nb_solver_show(solver, observer);
        status = sum_up(solver, run, error);
    }
    return status;
}

/* By a model of the whole problem itself. */
enum nb_status nb_solver_system(struct nb_solver *solver, const double *u, const double *lambda,
                                struct nb_newton_system *system, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const struct nb_driver *driver = solver->driver;
    void *self = NULL;
    if (driver != nb_driver_find("f64"))
        return nb_fail(error, NB_UNSUPPORTED, "Newton systems are exported from f64 only");
    enum nb_status status = driver->create(&self, solver->problem, &solver->options, error);
    if (status)
        return status;
    status = driver->system(self, u, lambda, system, error);
    driver->free(self);
    return status;
}
