/* The semi-iteration (Saad 2003, algorithm 12.1) on the interval that the given number of iterations can flatten. */
#include "solvers/linear/krylov/chebyshev.h"

#include "solvers/linear/krylov/krylov.h"

struct nb_spectrum nb_chebyshev_interval(struct nb_spectrum spectrum, int iterations)
{
    const nb_real root = 4 / (nb_real)(iterations > 1 ? iterations : 1);
    const nb_real reach = nb_max(root * root, 4 * NB_REAL(NB_UNIT_ROUNDOFF));
    spectrum.low = spectrum.high * nb_min(nb_max(spectrum.low / spectrum.high, reach), NB_REAL(0.9));
    return spectrum;
}

/*  d = sigma' sigma d + (2 sigma' / half) P^-1 r,  x += d,  with sigma' = 1 / (2 middle/half - sigma) */
struct nb_linear_report nb_chebyshev_solve(const struct nb_linear_task *task, nb_lanczos_precond *precond,
                                           const void *context,
                                           struct nb_spectrum spectrum, nb_real *work)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *r = work, *z = r + n, *d = z + n, *q = d + n;
    struct nb_krylov_monitor monitor;

    nb_krylov_start(&monitor, task, r, q);
    if (monitor.done || !nb_krylov_scalar(&monitor, spectrum.high, "the largest eigenvalue" NB_NOT_POSITIVE))
        return monitor.report;
    spectrum = nb_chebyshev_interval(spectrum, task->iterations);
    const nb_real middle = (spectrum.high + spectrum.low) / 2;
    const nb_real half = (spectrum.high - spectrum.low) / 2;
    nb_real sigma = half / middle;
    precond(context, r, z);
    for (size_t i = 0; i < n; ++i)
        d[i] = z[i] / middle;
    while (!monitor.done) {
        nb_operator_apply(op, d, q);
        for (size_t i = 0; i < n; ++i) {
            task->x[i] += d[i];
            r[i] -= q[i];
        }
        nb_krylov_advance(&monitor, r);
        if (monitor.done)
            break;
        precond(context, r, z);
        const nb_real next = 1 / (2 * middle / half - sigma);
        for (size_t i = 0; i < n; ++i)
            d[i] = next * sigma * d[i] + 2 * next / half * z[i];
        sigma = next;
    }
    return monitor.report;
}
