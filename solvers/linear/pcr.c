/* Preconditioned conjugate residuals (Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2):
 * one product and one preconditioning an iteration, and ||r|| falls monotonically in the norm of
 * P^-1, so that stopping early never leaves a worse iterate.
 *
 *     z = P^-1 r,  q = A p,  alpha = (z, A z) / (q, P^-1 q),  beta = (z, A z)_new / (z, A z)_old */
#include <stdlib.h>
#include <string.h>

#include "solvers/kernels/krylov.h"

enum { VECTORS = 6 };

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_krylov_allocate)(self, op, VECTORS, error);
}

static struct nb_linear_report solve(void *self, const struct NB(nb_linear_task) *task)
{
    struct NB(nb_operator) *op = task->op;
    const size_t n = op->size;
    nb_real *r = self, *z = r + n, *w = z + n, *p = w + n, *q = p + n, *y = q + n;
    struct NB(nb_krylov_monitor) monitor;

    NB(nb_krylov_start)(&monitor, task, r);
    if (monitor.done)
        return monitor.report;
    NB(nb_precond_apply)(task, r, z);
    NB(nb_operator_apply)(op, z, w);
    memcpy(p, z, n * sizeof *p);
    memcpy(q, w, n * sizeof *q);
    nb_real rho = (nb_real)NB(nb_dot)(n, z, w, op->threads);

    while (!monitor.done) {
        NB(nb_precond_apply)(task, q, y);
        const nb_real gamma = (nb_real)NB(nb_dot)(n, q, y, op->threads);
        if (NB(nb_krylov_spent)(&monitor, rho) ||
            !NB(nb_krylov_scalar)(&monitor, rho, "z^T A z") ||
            !NB(nb_krylov_scalar)(&monitor, gamma, "q^T P^-1 q"))
            break;
        const nb_real alpha = rho / gamma;
        for (size_t i = 0; i < n; ++i) {
            task->x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            z[i] -= alpha * y[i];
        }
        NB(nb_krylov_advance)(&monitor, r);
        if (monitor.done)
            break;
        NB(nb_operator_apply)(op, z, w);
        const nb_real next = (nb_real)NB(nb_dot)(n, z, w, op->threads);
        const nb_real beta = next / rho;
        for (size_t i = 0; i < n; ++i) {
            p[i] = z[i] + beta * p[i];
            q[i] = w[i] + beta * q[i];
        }
        rho = next;
    }
    return monitor.report;
}

const struct NB(nb_linear) NB(nb_linear_pcr) = {
    .name = "pcr",
    .title = "preconditioned conjugate residuals",
    .source = "Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2",
    .preconditioned = 1,
    .setup = setup,
    .solve = solve,
    .free = free,
};
