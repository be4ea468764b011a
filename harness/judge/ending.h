/* How a run ended, told from the trace of its judged error alone: step_error of a step, the relative residual of a
 * linear system (docs/theory/measure.md).
 *
 * The judge's error decides, never the solver's own figures. In this order, the first that holds:
 *
 *   converged        a tolerance is given and the last error does not exceed it.
 *   breakdown        the solver met a value it could not use.
 *   diverged         a value of the trace is not finite, or the last one is over 1e3 times the larger of those of
 *                    iterations 0 and 1.
 *   accuracy_floor   the run reached what its arithmetic allows and has stopped falling: its last error is at most 10
 *                    times its floor (floor.h), which the record prints. Stopped falling means: not each of the last
 *                    three iterations gained a tenth; since the floor was reached the last third neither halved the
 *                    error nor fell in each iteration (of five at least); and the last halving, of five iterations or
 *                    more, did not come at the pace of the one before; or the method ended by itself. At 16 units of
 *                    roundoff there is nothing left to gain; without a floor that alone counts.
 *   iteration_limit  the best error of the last third of the trace is below half the best before
 *                    it (a tenth less per iteration, where the third is short): more iterations
 *                    would have helped. Of a method that ended by itself they would not: stagnated.
 *   cycling          the trace repeats with a period of 2 to 8 iterations, to 1e-3, over its last
 *                    three periods, while it changes by more than 1e-2 within one.
 *   stagnated        none of these: the error stays where it is, creeps, or wanders.
 *
 * A run that did not converge is infeasible instead, whatever else it did, where the constraints of its linear step are
 * proven to contradict each other (harness/judge/infeasibility.h). That and the other endings (timed_out,
 * out_of_memory, unsupported, crashed) are observed from outside and never returned by nb_classify. */
#ifndef NB_ENDING_H
#define NB_ENDING_H

#include <stdbool.h>

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
    NB_ENDING_ITERATION_LIMIT,
    NB_ENDING_INFEASIBLE,
    NB_ENDING_COUNT
};

struct nb_ending_input {
    int count;            /* entries of the trace: iterations + 1; at least 1 */
    const double *error;  /* [count] relative                                 */
    double tolerance;     /* on it; <= 0: none                                */
    double unit_roundoff; /* of the run's precision: 2^-53, 2^-24             */
    double floor;         /* of the error at that precision; NaN: not known   */
    int broke_down;       /* nb_run.broke_down                                */
    int gave_up;          /* ended before its limit, and was not told to      */
};

enum nb_ending nb_classify(const struct nb_ending_input *input);

/* Whether it is NB_ENDING_CONVERGED. */
int nb_tolerance_reached(const struct nb_ending_input *input);

/* "converged", "accuracy_floor", ...; "unknown" for a value outside the enum. nb_ending_find: the other way,
 * NB_ENDING_COUNT where there is none of that name. */
const char *nb_ending_name(enum nb_ending ending);
enum nb_ending nb_ending_find(const char *name);

/* Whether what a run of that ending leaves is something to work with. */
bool nb_ending_is_usable(enum nb_ending ending);

#endif
