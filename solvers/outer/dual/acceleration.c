/* Nesterov's extrapolation with a restart where it points against the step, and the Chebyshev semi-iterative
 * method (Nesterov 1983; O'Donoghue and Candes 2015; Wang 2015). */
#include "solvers/outer/dual/acceleration.h"

#include <string.h>

enum { PLAIN_ITERATIONS = 10 };

void nb_acceleration_restart(struct nb_acceleration *acceleration, size_t n, const nb_real *x)
{
    acceleration->theta = 1;
    acceleration->omega = 1;
    acceleration->iterations = 0;
    memcpy(acceleration->before, x, n * sizeof *x);
}

static void nesterov(struct nb_acceleration *acceleration, size_t n, const nb_real *x, nb_real *y)
{
    nb_real *before = acceleration->before;
    nb_real next, beta = nb_nesterov_beta(acceleration->theta, &next);
    nb_sum against = 0;
    for (size_t i = 0; i < n; ++i)
        against += (nb_sum)((y[i] - x[i]) * (x[i] - before[i]));
    if (against > 0) {
        beta = 0;
        next = 1;
    }
    for (size_t i = 0; i < n; ++i)
        y[i] = x[i] + beta * (x[i] - before[i]);
    memcpy(before, x, n * sizeof *x);
    acceleration->theta = next;
}

static void chebyshev(struct nb_acceleration *acceleration, size_t n, const nb_real *x, nb_real *y)
{
    const nb_real square = acceleration->radius * acceleration->radius;
    if (++acceleration->iterations > PLAIN_ITERATIONS + 1)
        acceleration->omega = 4 / (4 - square * acceleration->omega);
    else if (acceleration->iterations > PLAIN_ITERATIONS)
        acceleration->omega = 2 / (2 - square);
    for (size_t i = 0; i < n; ++i) {
        const nb_real now = y[i], earlier = acceleration->before[i];
        y[i] = acceleration->omega * (x[i] - earlier) + earlier;
        acceleration->before[i] = now;
    }
}

void nb_extrapolate(struct nb_acceleration *acceleration, size_t n, const nb_real *x, nb_real *y)
{
    if (acceleration->kind == NB_MOMENTUM_NESTEROV)
        nesterov(acceleration, n, x, y);
    else if (acceleration->kind == NB_MOMENTUM_CHEBYSHEV)
        chebyshev(acceleration, n, x, y);
    else
        memcpy(y, x, n * sizeof *x);
}
