/* What solve.c, the public door, and solve_observed.c, which runs islands under the eyes of an observer, share. */
#ifndef NB_SOLVE_PRIVATE_H
#define NB_SOLVE_PRIVATE_H

#include "problems/split.h"
#include "solvers/driver/driver.h"
#include "solvers/iterates.h"
#include "solvers/step_solver.h"

struct nb_solver_island {
    const struct nb_problem *problem; /* borrowed: a part of the split, or the whole step */
    const struct nb_split_part *part; /* NULL: the whole step                             */
    struct nb_step_solver *solver;
    int threads, limit; /* of a run's iterations                            */
    struct nb_run run;
    enum nb_status status;
    struct nb_error error;
    double *u, *lambda; /* of a part: one iterate, on its way               */
    /* Of the last observed run. */
    struct nb_iterates iterates;
    int taken, place; /* the last iteration; the iterate that is shown    */
    bool told, cut;   /* to stop; ended before its last iterate           */
};

struct nb_solver {
    const struct nb_driver *driver;
    const struct nb_problem *problem; /* borrowed */
    struct nb_options options;
    struct nb_split split;
    int count;
    struct nb_solver_island *island; /* [count] */
    double *u, *lambda;              /* of the whole step, as it is shown */
};

/* How many velocities and multipliers the step has. */
static inline size_t nb_solver_unknowns(const struct nb_problem *problem)
{
    return (size_t)nb_problem_dofs(problem) + (size_t)nb_problem_multipliers(problem);
}

/* The entries of an island to their places among those of the whole step. */
static inline void nb_solver_scatter(const int *map, int count, const double *own, double *whole)
{
    for (int i = 0; i < count; ++i)
        whole[map[i]] = own[i];
}

/* Into island->run and its status. */
void nb_solver_run_island(struct nb_solver_island *island, int iterations, const struct nb_observer *observer);

/* Islands one after the other, each as long as the observer's observe_island wants it; their iterates are kept. */
enum nb_status nb_solver_run_watched(struct nb_solver *solver, int iterations, const struct nb_observer *observer,
                                     struct nb_error *error);

/* Then the observer is shown the whole step; where it has seen enough, islands that went on end there. */
void nb_solver_show(struct nb_solver *solver, const struct nb_observer *observer);

#endif
