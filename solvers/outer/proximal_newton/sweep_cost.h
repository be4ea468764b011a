/* Whether another Gauss-Seidel sweep is worth its cost, or a Newton method is to take over. A sweep's
 * change c_k is what the residual was, and falls by a rate of
 *
 *     theta = (c_k / c_(k-m))^(1/m),
 *
 * so that ln(aim c_1 / c_k) / ln theta more sweeps are wanted; they pay as long as they cost no more
 * than the Newton steps that would do the same. A prediction may fail. After a number of sweeps they end
 * when they have cost as much; and none is listened to before an eighth of that is spent, since changes lie
 * still for a while, or grow, where contacts begin to slide, and a Newton step may cost a hundred sweeps.
 * Counted in operations, never in clock time. */
#ifndef NB_SWEEP_COST_H
#define NB_SWEEP_COST_H

#include <math.h>

#include "solvers/outer/proximal_newton/parameters.h"

struct nb_sweep_cost {
    double sweep_cost, newton_cost; /* of one sweep, of all Newton steps           */
    double aim;                       /* relative change at which sweeps have done   */
    double first, change[NB_SWEEP_WINDOW]; /* c_1, and the last ones in a ring       */
    int count;
};

/* Call it after each sweep with its change >= 0; zero where that was the last. */
static inline int nb_sweeps_are_worthwhile(struct nb_sweep_cost *watch, double change)
{
    const int at = watch->count++ % NB_SWEEP_WINDOW;
    const double before = watch->change[at];
    watch->change[at] = change;
    if (at == 0 && watch->count == 1)
        watch->first = change;
    if (!(change > watch->aim * watch->first) || !isfinite(change))
        return 0;
    if (watch->count <= NB_SWEEP_WINDOW)
        return 1;
    const double spent = watch->count * watch->sweep_cost;
    if (watch->count >= NB_SWEEP_LIMIT && spent >= watch->newton_cost)
        return 0;
    if (spent < NB_SWEEP_TRIAL_SHARE * watch->newton_cost)
        return 1;
    const double rate = pow(change / before, 1.0 / NB_SWEEP_WINDOW);
    if (!(rate < 1))
        return 0;
    const double sweeps = log(watch->aim * watch->first / change) / log(rate);
    return sweeps * watch->sweep_cost <= watch->newton_cost;
}

#endif
