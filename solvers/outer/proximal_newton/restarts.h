/* Restart strategies, in the order in which they are tried: an attempt that stagnates away from a solution gives way
 * to the next. docs/notes/jammed_steps.md has what is lost without each; scripts/ablation.sh measures it. */
#ifndef NB_PROXIMAL_RESTARTS_H
#define NB_PROXIMAL_RESTARTS_H

#include "solvers/outer/proximal_newton/parameters.h"

struct nb_restart {
    double rate;   /* > 0: Newton's method from points of the homotopy from the convex relaxation, its rate    */
    double omega;  /* > 0: from points of the homotopy from the incumbent, its first proximal weight           */
    int softer;    /* from solutions of the step with softer distances                                         */
    int perturbed; /* by sweeps where it stagnates, on a linear step                                           */
};

/* Their names, as the setting `skip` has them; the first attempt is never left out. */
#define NB_RESTART_NAMES "none,softer,relaxation,incumbent,relaxation_slow,perturbed"

static const struct nb_restart nb_restarts[] = {
    {0},                            /* the method as it is                                                      */
    {.softer = 1},                  /* softer: cloth that buckles under pressure                                */
    {.rate = NB_RELAXATION_RATE},   /* relaxation: jammed fillings                                              */
    {.omega = NB_INCUMBENT_WEIGHT}, /* incumbent: piles at rest, redundant contacts with much friction          */
    {.rate = NB_SLOW_RATE},         /* relaxation_slow: steps of 35 and 100 grains                              */
    {.perturbed = 1},               /* perturbed: redundant contacts in single precision, which has no homotopy */
};
enum { NB_RESTARTS = sizeof nb_restarts / sizeof *nb_restarts };

static inline int nb_restart_uses_homotopy(const struct nb_restart *restart)
{
    return restart->rate > 0 || restart->omega > 0;
}

#endif
