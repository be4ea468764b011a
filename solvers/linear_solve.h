/* Solve one symmetric linear system A x = b with any registered linear solver, preconditioner and
 * precision: the bench behind figure 11 (Macklin et al. 2019). A is given in float64 and narrowed
 * to the precision of the run; the operator is the assembled one. */
#ifndef NB_LINEAR_SOLVE_H
#define NB_LINEAR_SOLVE_H

#include "solvers/solve.h"

struct nb_linear_bench; /* opaque */

/* Called after every iteration, and once before the first, with x [rows] widened to double. */
struct nb_linear_observer {
    void *context;
    void (*observe)(void *context, int iteration, const double *x);
};

/* matrix [rows x rows] with a full diagonal, rows a multiple of 3; right_side [rows]. Uses
 * options->linear, precond, precision and threads; the matrix is taken as it
 * is, without a shift. Both are copied. */
enum nb_status nb_linear_bench_create(struct nb_linear_bench **bench, const struct nb_csr *matrix,
                                      const double *right_side, const struct nb_options *options,
                                      struct nb_error *error);

/* At most `iterations` iterations from x = 0. Fills run's linear counts. A breakdown is a result. That a direct
 * solver's x leaves b - A x small is looked at where there is an observer, so that timed runs are left alone. */
enum nb_status nb_linear_bench_run(struct nb_linear_bench *bench, int iterations,
                                   const struct nb_linear_observer *observer,
                                   struct nb_linear_report *report, struct nb_run *run,
                                   struct nb_error *error);

/* x [rows], widened to double. */
void nb_linear_bench_solution(const struct nb_linear_bench *bench, double *x);

void nb_linear_bench_free(struct nb_linear_bench *bench);

#endif
