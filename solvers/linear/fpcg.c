/* Flexible preconditioned conjugate gradients (Notay 2000): beta by Polak and Ribiere, which allows P to
 * change a little from one application to the next:
 *
 *     beta = (z, r - r_old) / (z_old, r_old) = -alpha (z, q) / rho */
#include <string.h>

#include "solvers/linear/krylov/krylov.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *r = self, *z = r + n, *p = z + n, *q = p + n, *best = q + n;
    struct nb_krylov_monitor monitor;
    struct nb_krylov_best kept;

    nb_krylov_start(&monitor, task, r);
    if (monitor.done)
        return monitor.report;
    nb_precond_apply(task, r, z);
    memcpy(p, z, n * sizeof *p);
    nb_real rho = (nb_real)nb_dot(n, r, z, op->threads);
    nb_krylov_best_start(&kept, &monitor, best);

    while (!monitor.done) {
        nb_operator_apply(op, p, q);
        const nb_real *x[] = {p, p}, *y[] = {q, r};
        nb_sum sum[2];
        nb_dots(n, 2, x, y, sum, op->threads);
        if (!nb_krylov_scalar(&monitor, rho, "r^T P^-1 r") ||
            !nb_krylov_scalar(&monitor, (nb_real)sum[0], "p^T A p"))
            break;
        const nb_real alpha = (nb_real)(sum[1] / sum[0]);
        for (size_t i = 0; i < n; ++i)
            r[i] -= alpha * q[i];
        const nb_real residual = nb_norm(n, r, op->threads);
        nb_krylov_best_step(&kept, task, residual, alpha, p, 0);
        for (size_t i = 0; i < n; ++i)
            task->x[i] += alpha * p[i];
        nb_krylov_advance_to(&monitor, residual);
        if (monitor.done)
            break;
        nb_precond_apply(task, r, z);
        const nb_real *u[] = {z, z}, *v[] = {r, q};
        nb_dots(n, 2, u, v, sum, op->threads);
        const nb_real beta = -alpha * (nb_real)sum[1] / rho;
        for (size_t i = 0; i < n; ++i)
            p[i] = z[i] + beta * p[i];
        rho = (nb_real)sum[0];
    }
    nb_krylov_best_restore(&kept, &monitor);
    return monitor.report;
}

const struct nb_linear NB(nb_linear_fpcg) = {
    .name = "fpcg",
    .title = "flexible conjugate gradients",
    .source = "Notay 2000",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = 5,
    .solve = solve,
};
