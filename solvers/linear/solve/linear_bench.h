/* One linear system in the present precision; see solvers/linear_solve.h. */
#ifndef NB_LINEAR_BENCH_H
#define NB_LINEAR_BENCH_H

#include "solvers/block/half.h"
#include "solvers/linear_solve.h"
#include "solvers/precision.h"

#define nb_bench_create NB(nb_bench_create)
#define nb_bench_free NB(nb_bench_free)
#define nb_bench_load NB(nb_bench_load)
#define nb_bench_refill NB(nb_bench_refill)
#define nb_bench_restart NB(nb_bench_restart)
#define nb_bench_run NB(nb_bench_run)
#define nb_bench_solution NB(nb_bench_solution)

/* storage: how products keep the matrix; in 16 bits, it must hold such numbers only, but for its diagonal. */
enum nb_status nb_bench_create(void **self, const struct nb_csr *matrix,
                               const double *right_side, const struct nb_options *options,
                               enum nb_storage storage, struct nb_error *error);
enum nb_status nb_bench_refill(void *self, const struct nb_csr *matrix, struct nb_error *error);
void nb_bench_load(void *self, const double *right_side);
/* Forgets the runs before: to be called before each that is to be like the first. */
void nb_bench_restart(void *self);
enum nb_status nb_bench_run(void *self, int iterations, const struct nb_linear_observer *observer,
                            struct nb_linear_report *report, struct nb_run *run,
                            struct nb_error *error);
void nb_bench_solution(const void *self, double *x);
void nb_bench_free(void *self);

#endif
