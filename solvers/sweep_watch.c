#include "solvers/sweep_watch.h"

#include <math.h>

int nb_sweep_pays(struct nb_sweep_watch *watch, double change)
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
    const double spent = watch->count * watch->sweep_price;
    if (watch->count >= NB_SWEEP_LIMIT && spent >= watch->newton_price)
        return 0;
    if (spent < NB_SWEEP_STAKE * watch->newton_price)
        return 1;
    const double rate = pow(change / before, 1.0 / NB_SWEEP_WINDOW);
    if (!(rate < 1))
        return 0;
    const double sweeps = log(watch->aim * watch->first / change) / log(rate);
    return sweeps * watch->sweep_price <= watch->newton_price;
}
