/* Simulating until nothing moves any more, with progress on stderr. */
#ifndef NB_SETTLE_H
#define NB_SETTLE_H

#include <stdbool.h>

#include "problems/problem.h"
#include "solvers/solve.h"

struct nb_settle {
    bool settled;        /* stop at rest; otherwise after the last step             */
    double speed;        /* at rest: the largest speed is below this [m/s]           */
    int steps;           /* ... for so many steps in a row                           */
    int limit;           /* steps at most                                            */
    const char *command; /* in front of the progress                                 */
    /* Out. */
    bool reached;        /* the end came by rest                                     */
    double last_speed;   /* largest speed of the last step [m/s]; 0 without a step   */
};

/* The largest speed of any body: max(|v|, |omega| r), r = sqrt(tr(I)/(2 m)) the radius of gyration
 * of a thin spherical shell of that inertia; and of any particle. u [nb_problem_dofs]. */
double nb_largest_speed(const struct nb_problem *problem, const double *u);

/* Runs the problem on from where it is and leaves it prepared at the step after. Not coming to rest
 * is a result: NB_OK with reached = false. */
enum nb_status nb_settle_run(struct nb_settle *settle, struct nb_problem *problem,
                             const struct nb_options *options, struct nb_error *error);

#endif
