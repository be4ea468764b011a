/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1), z = P^-1 r:
 *
 *     q = A p,  alpha = rho / (p, q),  x += alpha p,  r -= alpha q
 *     rho = (r, z),  beta = rho / rho_old,  p = z + beta p
 *
 * and their flexible form for a P that changes a little from one application to the next (Notay 2000):
 *
 *     alpha = (p, r) / (p, q),   beta = (z, r - r_old) / (z_old, r_old) = -alpha (z, q) / rho_old
 *
 * The residual is not monotone: the best iterate is kept aside whenever the residual is about to rise, and handed back
 * on breakdown. */
#include <string.h>

#include "solvers/linear/krylov/krylov.h"

struct nb_linear_report nb_conjugate_gradients(nb_real *vectors, const struct nb_linear_task *task, int flexible)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *r = vectors, *z = r + n, *p = z + n, *q = p + n, *best = q + n;
    const nb_real *const first[] = {p, p}, *const second[] = {q, r}; /* (p, q), (p, r) */
    const nb_real *const third[] = {z, z}, *const fourth[] = {r, q}; /* (z, r), (z, q) */
    const int sums = flexible ? 2 : 1;
    struct nb_krylov_monitor monitor;
    struct nb_krylov_best kept;
    nb_sum sum[2];

    nb_krylov_start(&monitor, task, r, z);
    if (monitor.done)
        return monitor.report;
    nb_precond_apply(task, r, z);
    memcpy(p, z, n * sizeof *p);
    nb_real rho = (nb_real)nb_dot(n, r, z, op->threads);
    nb_krylov_best_start(&kept, &monitor, best);

    while (!monitor.done) {
        nb_operator_apply(op, p, q);
        nb_dots(n, sums, first, second, sum, op->threads);
        if (!nb_krylov_scalar(&monitor, rho, "r^T P^-1 r" NB_NOT_POSITIVE) ||
            !nb_krylov_scalar(&monitor, (nb_real)sum[0], "p^T A p" NB_NOT_POSITIVE))
            break;
        const nb_real alpha = flexible ? (nb_real)(sum[1] / sum[0]) : rho / (nb_real)sum[0];
        for (size_t i = 0; i < n; ++i)
            r[i] -= alpha * q[i];
        const nb_real residual = nb_residual_norm(n, r, op->diagonal, op->threads);
        nb_krylov_best_step(&kept, task, residual, alpha, p, 0);
        for (size_t i = 0; i < n; ++i)
            task->x[i] += alpha * p[i];
        nb_krylov_advance_to(&monitor, residual);
        if (monitor.done)
            break;
        nb_precond_apply(task, r, z);
        nb_dots(n, sums, third, fourth, sum, op->threads);
        const nb_real beta = flexible ? -alpha * (nb_real)sum[1] / rho : (nb_real)sum[0] / rho;
        for (size_t i = 0; i < n; ++i)
            p[i] = z[i] + beta * p[i];
        rho = (nb_real)sum[0];
    }
    nb_krylov_best_restore(&kept, &monitor);
    return monitor.report;
}
