/* The best solution of a step that float64 gives, and the floors around it.
 *
 * The proximal Newton method, then the damped one with Cholesky, then with PCR, until one reaches
 * rounding level; the best iterate is the one with the smallest step_error, judged independently.
 * One that is not below the root of the unit roundoff is not a reference: NB_BREAKDOWN; but for floors it is where
 * its errors are no more than ten of the floors that it has by itself. (Of a step of
 * 1e-6 s step_error is large where positions are known to the last digit.) */
#ifndef NB_REFERENCE_H
#define NB_REFERENCE_H

#include "harness/case/case.h"
#include "harness/floor/floor.h"

struct nb_reference {
    double *u, *lambda;  /* sizes as in problems/problem.h */
    double step_error;   /* of this iterate                */
    double constraint_error, momentum_error; /* likewise, as struct nb_metrics has them */
    int iteration;
    const char *method;  /* the nonlinear method that found it */
    double solving;      /* [s] spent in solvers            */
};

/* Only ncp, scaling, newton_form and shift of the options matter. The caller frees. */
enum nb_status nb_reference_compute(const struct nb_problem *problem,
                                    const struct nb_options *options,
                                    struct nb_reference *reference, struct nb_error *error);
void nb_reference_free(struct nb_reference *reference);

/* The floor around the step's solution; *solving: seconds spent in solvers. */
enum nb_status nb_reference_floor(const struct nb_problem *problem, const struct nb_options *options,
                                  struct nb_floor_reference *floor, double *solving, struct nb_error *error);

#endif
