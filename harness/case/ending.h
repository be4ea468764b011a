/* How a run ended, told from its judged trace alone (docs/design.md, section 6).
 *
 * The judge's errors decide, never the solver's own figures. In this order, the first that holds:
 *
 *   converged        a tolerance is given and the last natural-map error does not exceed it; but see
 *                    nb_violation_stays, for this one and for accuracy_floor.
 *   breakdown        the solver met a value it could not use.
 *   diverged         a value of the trace is not finite, or the last constraint or momentum error
 *                    is over 1e3 times the largest of iterations 0 and 1; the momentum only where
 *                    the natural map, if given, has not fallen to half of its start: a method may
 *                    balance momentum exactly before it begins. The start alone does not
 *                    serve: a scene at rest satisfies the constraints at u = 0, lambda = 0.
 *   accuracy_floor   the run reached what its arithmetic allows and has stopped falling: the
 *                    natural map, a relative error, was at most 1e3 units of roundoff, or 10 times
 *                    its own floor, in the last third of the trace and has kept half its digits
 *                    since, with a floor only where the last two constraint errors lie within 100
 *                    times the component-wise one, or 10 roundings of the terms whose sums they
 *                    are (velocity_terms, floor.h); or
 *                    the last two constraint errors lie within 10 times the component-wise floor
 *                    of the constraint rows, and the momentum errors within 10 times the norm-wise
 *                    floor. (The component-wise one does not bound the momentum: Newton's form
 *                    `scaled` turns rounding of alpha into force, which A* leaves out.) Stopped
 *                    falling means: not each of the last three iterations gained a tenth. At 16
 *                    units of roundoff there is nothing left to gain.
 *   iteration_limit  the best error of the last third of the trace is below half the best before
 *                    it (a tenth less per iteration, where the third is short): more iterations
 *                    would have helped. Of a method that ended by itself they would not: stagnated.
 *   cycling          the trace repeats with a period of 2 to 8 iterations, to 1e-3, over its last
 *                    three periods, while it changes by more than 1e-2 within one.
 *   stagnated        none of these: the error stays where it is, creeps, or wanders.
 *
 * The error in question is the natural map where it is given, for it sees both the constraints
 * and the momentum; otherwise the constraint error. The other endings (timed_out, out_of_memory,
 * unsupported, crashed) are observed from outside and never returned by nb_classify. */
#ifndef NB_ENDING_H
#define NB_ENDING_H

#include "harness/floor/floor.h"

enum nb_ending {
    NB_ENDING_CONVERGED,
    NB_ENDING_ACCURACY_FLOOR,
    NB_ENDING_STAGNATED,
    NB_ENDING_CYCLING,
    NB_ENDING_DIVERGED,
    NB_ENDING_BREAKDOWN,
    NB_ENDING_TIMED_OUT,
    NB_ENDING_OUT_OF_MEMORY,
    NB_ENDING_UNSUPPORTED,
    NB_ENDING_CRASHED,
    NB_ENDING_ITERATION_LIMIT
};

struct nb_ending_input {
    int count;                      /* entries of each trace: iterations + 1; at least 1 */
    const double *constraint_error; /* [count] [m/s]                          */
    const double *bilateral;        /* [count] of it, that of bilateral rows [m/s], or NULL */
    const double *momentum_error;   /* [count] [N s], or NULL                 */
    const double *natural_map;      /* [count] relative, or NULL              */
    double tolerance;               /* on the natural map; <= 0: none         */
    double unit_roundoff;           /* of the run's precision: 2^-53, 2^-24   */
    const struct nb_floor *floor;   /* at that precision, or NULL             */
    int broke_down;                 /* nb_run.broke_down                      */
    int gave_up;                    /* ended before its limit, and was not told to */
};

enum nb_ending nb_classify(const struct nb_ending_input *input);

/* Whether it is NB_ENDING_CONVERGED. */
int nb_tolerance_reached(const struct nb_ending_input *input);

/* Constraint errors [m/s]: of all rows, and of bilateral ones; 0 where there are none or it is not known. */
struct nb_violation {
    double all, bilateral;
};

/* The natural map is relative to the forces: where they grow without bound, as between constraints that
 * contradict each other, it falls by that alone. It means nothing where the last violation is over half of the
 * first, the larger of iterations 0 and 1, and over the tolerance and the root of the unit of roundoff. So
 * for all rows; and for bilateral ones, which contacts that were freed would hide, where what they began
 * with is a thousandth of all or more. */
int nb_violation_stays(const struct nb_violation *first, const struct nb_violation *last, double tolerance,
                       double unit_roundoff);

/* "converged", "accuracy_floor", ...; "unknown" for a value outside the enum. */
const char *nb_ending_name(enum nb_ending ending);

#endif
