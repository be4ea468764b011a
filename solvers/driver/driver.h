/* The door between a precision's own code and the rest of the program: one struct of functions whose
 * arguments are all double, exported as nb_driver_<precision>. */
#ifndef NB_DRIVER_H
#define NB_DRIVER_H

#include "solvers/block/half.h"
#include "solvers/linear_solve.h"
#include "solvers/registry.h"
#include "solvers/settings.h"
#include "solvers/solve.h"

struct nb_driver {
    const char *name, *title;
    double unit_roundoff;
    int (*row)(const char *kind, size_t index, struct nb_registry_row *row);
    int (*linear_uses_precond)(const char *linear);
    int (*solver_self_contained)(const char *solver);
    int (*solver_together)(const char *solver);
    int (*solver_runs_beside)(const char *solver);
    int (*solver_is_fresh)(const char *solver);
    int (*solver_own_units)(const struct nb_options *options);
    const struct nb_setting *(*settings)(const char *kind, const char *name);
    int (*solver_iterations)(const char *solver);
    enum nb_status (*check)(struct nb_error *error);

    /* Adds what a plugin provides for this precision; added [8] tells what, by kind and name. */
    enum nb_status (*adopt)(void *handle, const char *stem, const char *path,
                            struct nb_registry_row *added, int *count, struct nb_error *error);
    enum nb_status (*probe)(const char *precond, const struct nb_csr *matrix, struct nb_error *error);

    enum nb_status (*create)(void **self, const struct nb_problem *problem,
                             const struct nb_options *options, struct nb_error *error);
    enum nb_status (*start)(void *self, const double *u, const double *lambda,
                            struct nb_error *error);
    /* Before each run: all but the first have a set-up of their own, are timed with it, and find nothing that another
     * run has left. */
    enum nb_status (*renew)(void *self, struct nb_error *error);
    enum nb_status (*run)(void *self, int iterations, const struct nb_observer *observer,
                          struct nb_run *run, struct nb_error *error);
    void (*solution)(const void *self, double *u, double *lambda);
    enum nb_status (*system)(void *self, const double *u, const double *lambda,
                             struct nb_newton_system *system, struct nb_error *error);
    void (*free)(void *self);

    enum nb_status (*bench_create)(void **self, const struct nb_csr *matrix,
                                   const double *right_side, const struct nb_options *options,
                                   enum nb_storage storage, struct nb_error *error);
    enum nb_status (*bench_refill)(void *self, const struct nb_csr *matrix, struct nb_error *error);
    void (*bench_load)(void *self, const double *right_side);
    void (*bench_restart)(void *self);
    enum nb_status (*bench_run)(void *self, int iterations,
                                const struct nb_linear_observer *observer,
                                struct nb_linear_report *report, struct nb_run *run,
                                struct nb_error *error);
    void (*bench_solution)(const void *self, double *x);
    void (*bench_free)(void *self);
};

/* The driver of that precision, or NULL; by position, NULL past the end. */
const struct nb_driver *nb_driver_find(const char *precision);
const struct nb_driver *nb_driver_at(size_t index);

#endif
