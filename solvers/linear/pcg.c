/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1). The
 * residual is not monotone: the best iterate is kept aside whenever the residual is about to rise,
 * and handed back on breakdown. */
#include <string.h>

#include "solvers/linear/krylov/krylov.h"

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *r = self, *z = r + n, *p = z + n, *q = p + n, *best = q + n;
    struct nb_krylov_monitor monitor;

    nb_krylov_start(&monitor, task, r);
    if (monitor.done)
        return monitor.report;
    nb_precond_apply(task, r, z);
    memcpy(p, z, n * sizeof *p);
    nb_real rho = (nb_real)nb_dot(n, r, z, op->threads);
    struct nb_krylov_best kept;
    nb_krylov_best_start(&kept, &monitor, best);

    while (!monitor.done) {
        nb_operator_apply(op, p, q);
        const nb_real gamma = (nb_real)nb_dot(n, p, q, op->threads);
        if (!nb_krylov_scalar(&monitor, rho, "r^T P^-1 r") || !nb_krylov_scalar(&monitor, gamma, "p^T A p"))
            break;
        const nb_real alpha = rho / gamma;
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
        const nb_real next = (nb_real)nb_dot(n, r, z, op->threads);
        const nb_real beta = next / rho;
        for (size_t i = 0; i < n; ++i)
            p[i] = z[i] + beta * p[i];
        rho = next;
    }
    nb_krylov_best_restore(&kept, &monitor);
    return monitor.report;
}

const struct nb_linear NB(nb_linear_pcg) = {
    .name = "pcg",
    .title = "preconditioned conjugate gradients",
    .source = "Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = 5,
    .solve = solve,
};
