/* Simulating until nothing moves any more, with progress (problems/base/status_line.h) on stderr and checkpoints. */
#ifndef NB_SETTLE_H
#define NB_SETTLE_H

#include <stdbool.h>

#include "harness/simulate/checkpoint.h"
#include "problems/problem.h"
#include "solvers/solve.h"

struct nb_settle {
    bool settled;        /* stop at rest; otherwise after the last step             */
    double speed;        /* at rest: the largest speed is below this [m/s]           */
    int steps;           /* ... for so many steps in a row                           */
    int limit;           /* steps at most                                            */
    const char *command; /* whose checkpoints it writes and reads,                   */
    const cJSON *settings; /* and the settings that they are of (checkpoint.h)       */
    struct nb_checkpoint checkpoint;
    /* Called with each step before it is done, and with the last one, which is not; or NULL. */
    enum nb_status (*each)(void *context, const struct nb_problem *problem, struct nb_error *error);
    void *context;
    /* Out. */
    bool reached;        /* the end came by rest                                     */
    double last_speed;   /* largest speed of the last step [m/s]; 0 without a step   */
};

/* The largest speed of any particle or body: of a body max(|v|, |omega| r), r = sqrt(tr(I)/(2 m))
 * the radius of gyration of a thin spherical shell of that inertia. u [nb_problem_dofs]. */
double nb_largest_speed(const struct nb_problem *problem, const double *u);

/* Runs a scene at its start, or on from its checkpoint, and leaves it prepared at the step after.
 * Not coming to rest is a result: NB_OK with reached = false. */
enum nb_status nb_settle_run(struct nb_settle *settle, struct nb_problem *problem,
                             const struct nb_options *options, struct nb_error *error);

#endif
