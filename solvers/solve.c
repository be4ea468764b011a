/* The public door: chooses the precision's driver, and hands it the step in units of its own (intrinsic_units.h) where
 * the method does not ask for those of the problem. What comes back is in the problem's again. */
#include "solvers/solve.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/numbers.h"
#include "rows.h"
#include "solvers/driver/driver.h"
#include "solvers/intrinsic_units.h"

#define DECLARE(kind, name) extern const struct nb_driver nb_driver_##name;
#define ENTRY(kind, name) &nb_driver_##name,
NB_ROWS_PRECISION(DECLARE)
static const struct nb_driver *const drivers[] = {NB_ROWS_PRECISION(ENTRY) NULL};

struct nb_solver {
    const struct nb_driver *driver;
    void *self;
    const struct nb_problem *problem; /* borrowed, in its own units */
    struct nb_options options;
    int changed;             /* the driver has the step in other units */
    struct nb_units there, back;
    struct nb_problem step;  /* in these                              */
    double *u, *lambda;      /* of one iterate, for the way           */
};

struct nb_linear_bench {
    const struct nb_driver *driver;
    void *self;
    size_t rows;
    int exponent; /* the driver's x times two to it is ours */
    double *wide; /* [rows] */
    const struct nb_linear_observer *observer; /* of the run */
};

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

/* The step in its intrinsic units; zero where it keeps its own, *status where there is no memory. */
static int change_units(struct nb_solver *solver, enum nb_status *status, struct nb_error *error)
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
static enum nb_status create_driver(struct nb_solver *solver, struct nb_error *error)
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
    status = create_driver(solver, error);
    if (status) {
        nb_solver_free(solver);
        return status;
    }
    if (!solver->changed)
        nb_problem_free(&solver->step);
    *out = solver;
    return NB_OK;
}

enum nb_status nb_solver_start(struct nb_solver *solver, const double *u, const double *lambda,
                               struct nb_error *error)
{
    if (!solver->changed)
        return solver->driver->start(solver->self, u, lambda, error);
    memcpy(solver->u, u, (size_t)nb_problem_dofs(solver->problem) * sizeof *u);
    memcpy(solver->lambda, lambda, (size_t)nb_problem_multipliers(solver->problem) * sizeof *lambda);
    nb_solution_change_units(solver->problem, &solver->there, solver->u, solver->lambda);
    return solver->driver->start(solver->self, solver->u, solver->lambda, error);
}

/* An observer between the driver and the one that asked. */
struct watch {
    struct nb_solver *solver;
    const struct nb_observer *observer;
};

static bool observe_back(void *context, int iteration, const double *u, const double *lambda,
                         const struct nb_linear_report *linear)
{
    const struct watch *watch = context;
    struct nb_solver *solver = watch->solver;
    memcpy(solver->u, u, (size_t)nb_problem_dofs(solver->problem) * sizeof *u);
    memcpy(solver->lambda, lambda, (size_t)nb_problem_multipliers(solver->problem) * sizeof *lambda);
    nb_solution_change_units(solver->problem, &solver->back, solver->u, solver->lambda);
    return watch->observer->observe(watch->observer->context, iteration, solver->u, solver->lambda, linear);
}

enum nb_status nb_solver_run(struct nb_solver *solver, int iterations,
                             const struct nb_observer *observer, struct nb_run *run,
                             struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct watch watch = {solver, observer};
    const struct nb_observer back = {&watch, observe_back};
    return solver->driver->run(solver->self, iterations, solver->changed && observer ? &back : observer, run, error);
}

void nb_solver_solution(const struct nb_solver *solver, double *u, double *lambda)
{
    solver->driver->solution(solver->self, u, lambda);
    if (solver->changed)
        nb_solution_change_units(solver->problem, &solver->back, u, lambda);
}

/* By a model of the problem itself where the solver has another one. */
enum nb_status nb_solver_system(struct nb_solver *solver, const double *u, const double *lambda,
                                struct nb_newton_system *system, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const struct nb_driver *driver = solver->driver;
    void *self = NULL;
    if (driver != nb_driver_find("f64"))
        return nb_fail(error, NB_UNSUPPORTED, "Newton systems are exported from f64 only");
    if (!solver->changed)
        return driver->system(solver->self, u, lambda, system, error);
    enum nb_status status = driver->create(&self, solver->problem, &solver->options, error);
    if (status)
        return status;
    status = driver->system(self, u, lambda, system, error);
    driver->free(self);
    return status;
}

void nb_solver_free(struct nb_solver *solver)
{
    if (!solver)
        return;
    solver->driver->free(solver->self);
    nb_problem_free(&solver->step);
    free(solver->u);
    free(solver);
}

/* Copies of A and b in units in which no square leaves the range of any precision, and their exponents. */
static enum nb_status scale_down(const struct nb_csr *matrix, const double *right_side, struct nb_csr *scaled,
                                 double **b, struct nb_linear_bench *bench, struct nb_error *error)
{
    const size_t rows = (size_t)matrix->rows, entries = (size_t)matrix->start[rows];
    const int of_matrix = nb_even_exponent(matrix->value, entries), of_b = nb_even_exponent(right_side, rows);
    bench->exponent = of_b - of_matrix;
    *scaled = *matrix;
    scaled->value = malloc((entries + 1) * sizeof *scaled->value);
    *b = malloc((rows + 1) * sizeof **b);
    bench->wide = malloc((rows + 1) * sizeof *bench->wide);
    bench->rows = rows;
    if (!scaled->value || !*b || !bench->wide)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a linear system");
    memcpy(scaled->value, matrix->value, entries * sizeof *scaled->value);
    memcpy(*b, right_side, rows * sizeof **b);
    nb_scale_down(scaled->value, entries, of_matrix);
    nb_scale_down(*b, rows, of_b);
    return NB_OK;
}

enum nb_status nb_linear_bench_create(struct nb_linear_bench **out, const struct nb_csr *matrix,
                                      const double *right_side, const struct nb_options *options,
                                      struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_csr scaled = {0};
    double *b = NULL;
    *out = NULL;
    enum nb_status status = nb_options_validate(options, error);
    if (status)
        return status;
    struct nb_linear_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a linear system");
    status = scale_down(matrix, right_side, &scaled, &b, bench, error);
    const struct nb_driver *driver = nb_driver_find(options->precision);
    if (!status)
        status = driver->bench_create(&bench->self, &scaled, b, options, NB_FULL, error);
    free(scaled.value);
    free(b);
    if (status) {
        free(bench->wide);
        free(bench);
        return status;
    }
    bench->driver = driver;
    *out = bench;
    return NB_OK;
}

static void observe_unscaled(void *context, int iteration, const double *x)
{
    const struct nb_linear_bench *bench = context;
    memcpy(bench->wide, x, bench->rows * sizeof *x);
    nb_scale_down(bench->wide, bench->rows, -bench->exponent);
    bench->observer->observe(bench->observer->context, iteration, bench->wide);
}

enum nb_status nb_linear_bench_run(struct nb_linear_bench *bench, int iterations,
                                   const struct nb_linear_observer *observer,
                                   struct nb_linear_report *report, struct nb_run *run,
                                   struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const struct nb_linear_observer unscaled = {bench, observe_unscaled};
    bench->observer = observer;
    bench->driver->bench_restart(bench->self);
    return bench->driver->bench_run(bench->self, iterations, observer && bench->exponent ? &unscaled : observer,
                                    report, run, error);
}

void nb_linear_bench_solution(const struct nb_linear_bench *bench, double *x)
{
    bench->driver->bench_solution(bench->self, x);
    nb_scale_down(x, bench->rows, -bench->exponent);
}

void nb_linear_bench_free(struct nb_linear_bench *bench)
{
    if (bench) {
        bench->driver->bench_free(bench->self);
        free(bench->wide);
    }
    free(bench);
}
