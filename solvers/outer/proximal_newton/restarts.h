/* Restart strategies, in the order in which they are tried: an attempt that stagnates away from a solution gives way
 * to the next. Each is needed: docs/jammed_steps.md has what is lost without it (data/restarts.sweep). */
#ifndef NB_PROXIMAL_RESTARTS_H
#define NB_PROXIMAL_RESTARTS_H

struct nb_restart {
    double fade;   /* of the proximal weight after a success; 0: by how easy it was                            */
    double rate;   /* > 0: Newton's method from points of the homotopy from the convex relaxation, its rate    */
    double omega;  /* > 0: from points of the homotopy from the incumbent, its first proximal weight           */
    int perturbed; /* by sweeps where it stagnates                                                             */
    int linear;    /* of linear steps alone                                                                    */
};

/* Their names, as the setting `skip` has them; the first attempt is left out by nothing. */
#define NB_RESTART_NAMES "none,slow_fade,relaxation,incumbent,incumbent_far,relaxation_slow,perturbed"

static const struct nb_restart nb_restarts[] = {
    {0},                          /* the method as it is                                                       */
    {.fade = 0.5, .linear = 1},   /* slow_fade: RockPile_tob1, random redundant problems                       */
    {.rate = 0.5},                /* relaxation: jammed fillings                                               */
    {.omega = 0.01},              /* incumbent: piles at rest                                                  */
    {.omega = 0.1},               /* incumbent_far: piles at rest, where the curve from 0.01 is lost           */
    {.rate = 0.35},               /* relaxation_slow: steps of 35 and 100 grains                               */
    {.perturbed = 1, .linear = 1}, /* perturbed: redundant problems in single precision, which has no homotopy */
};
enum { NB_RESTARTS = sizeof nb_restarts / sizeof *nb_restarts };

static inline int nb_restart_uses_homotopy(const struct nb_restart *restart)
{
    return restart->rate > 0 || restart->omega > 0;
}

#endif
