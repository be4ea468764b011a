/* Linear systems as the program sees them: in the precision's driver, and in units in which no square leaves the range
 * of any precision. */
#include "solvers/linear_solve.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/large.h"
#include "problems/base/numbers.h"
#include "solvers/driver/driver.h"

struct nb_linear_bench {
    const struct nb_driver *driver;
    void *self;
    size_t rows;
    int exponent;                              /* the driver's x times two to it is ours */
    double *wide;                              /* [rows] */
    const struct nb_linear_observer *observer; /* of the run */
};

/* A and a copy of b in units in which no square leaves the range of any precision, and their exponents. A is copied
 * only where its units are others. */
static enum nb_status scale_down(const struct nb_csr *matrix, const double *right_side, struct nb_csr *scaled,
                                 double **b, struct nb_linear_bench *bench, struct nb_error *error)
{
    const size_t rows = (size_t)matrix->rows, entries = (size_t)matrix->start[rows];
    const int of_matrix = nb_even_exponent(matrix->value, entries), of_b = nb_even_exponent(right_side, rows);
    bench->exponent = of_b - of_matrix;
    *scaled = *matrix;
    if (of_matrix)
        scaled->value = nb_large_allocate((entries + 1) * sizeof *scaled->value);
    *b = malloc((rows + 1) * sizeof **b);
    bench->wide = malloc((rows + 1) * sizeof *bench->wide);
    bench->rows = rows;
    if ((of_matrix && !scaled->value) || !*b || !bench->wide)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a linear system");
    memcpy(*b, right_side, rows * sizeof **b);
    if (of_matrix)
        memcpy(scaled->value, matrix->value, entries * sizeof *scaled->value);
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
    if (scaled.value != matrix->value)
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
