#include "solvers/outer/dual/momentum.h"

#include <string.h>

enum { PLAIN_ITERATIONS = 10 };

void NB(nb_momentum_restart)(struct NB(nb_momentum) *momentum, size_t n, const nb_real *x)
{
    momentum->theta = 1;
    momentum->omega = 1;
    momentum->iterations = 0;
    memcpy(momentum->before, x, n * sizeof *x);
}

static void nesterov(struct NB(nb_momentum) *momentum, size_t n, const nb_real *x, nb_real *y)
{
    nb_real *before = momentum->before;
    const nb_real theta = momentum->theta, square = theta * theta;
    nb_real next = (-square + theta * nb_sqrt(square + 4)) / 2;
    nb_real beta = theta * (1 - theta) / (square + next);
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
    momentum->theta = next;
}

static void chebyshev(struct NB(nb_momentum) *momentum, size_t n, const nb_real *x, nb_real *y)
{
    const nb_real square = momentum->radius * momentum->radius;
    if (++momentum->iterations > PLAIN_ITERATIONS + 1)
        momentum->omega = 4 / (4 - square * momentum->omega);
    else if (momentum->iterations > PLAIN_ITERATIONS)
        momentum->omega = 2 / (2 - square);
    for (size_t i = 0; i < n; ++i) {
        const nb_real now = y[i], earlier = momentum->before[i];
        y[i] = momentum->omega * (x[i] - earlier) + earlier;
        momentum->before[i] = now;
    }
}

void NB(nb_momentum_extrapolate)(struct NB(nb_momentum) *momentum, size_t n, const nb_real *x,
                                 nb_real *y)
{
    if (momentum->kind == NB_MOMENTUM_NESTEROV)
        nesterov(momentum, n, x, y);
    else if (momentum->kind == NB_MOMENTUM_CHEBYSHEV)
        chebyshev(momentum, n, x, y);
    else
        memcpy(y, x, n * sizeof *x);
}
