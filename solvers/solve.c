/* The public door: chooses the precision's driver. */
#include "solvers/solve.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/numbers.h"
#include "rows.h"
#include "solvers/driver/driver.h"

#define DECLARE(kind, name) extern const struct nb_driver nb_driver_##name;
#define ENTRY(kind, name) &nb_driver_##name,
NB_ROWS_PRECISION(DECLARE)
static const struct nb_driver *const drivers[] = {NB_ROWS_PRECISION(ENTRY) NULL};

struct nb_solver {
    const struct nb_driver *driver;
    void *self;
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
    status = solver->driver->create(&solver->self, problem, options, error);
    if (status) {
        free(solver);
        return status;
    }
    *out = solver;
    return NB_OK;
}

enum nb_status nb_solver_start(struct nb_solver *solver, const double *u, const double *lambda,
                               struct nb_error *error)
{
    return solver->driver->start(solver->self, u, lambda, error);
}

enum nb_status nb_solver_run(struct nb_solver *solver, int iterations,
                             const struct nb_observer *observer, struct nb_run *run,
                             struct nb_error *error)
{
    NB_DECIMAL_POINT;
    return solver->driver->run(solver->self, iterations, observer, run, error);
}

void nb_solver_solution(const struct nb_solver *solver, double *u, double *lambda)
{
    solver->driver->solution(solver->self, u, lambda);
}

enum nb_status nb_solver_system(struct nb_solver *solver, const double *u, const double *lambda,
                                struct nb_newton_system *system, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    if (solver->driver != nb_driver_find("f64"))
        return nb_fail(error, NB_UNSUPPORTED, "Newton systems are exported from f64 only");
    return solver->driver->system(solver->self, u, lambda, system, error);
}

void nb_solver_free(struct nb_solver *solver)
{
    if (solver)
        solver->driver->free(solver->self);
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
