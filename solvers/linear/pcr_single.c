/* Conjugate residuals with a single reduction an iteration, after Chronopoulos and Gear's conjugate
 * gradients (1989) and pipelined conjugate residuals (Ghysels and Vanroose 2014). With
 * m = P^-1 w, w = A z the direction's product y = P^-1 q follows by recurrence, and
 *
 *     rho = (z, w),  delta = (w, m),  beta = rho / rho_old
 *     gamma = (q, P^-1 q) = delta - beta^2 gamma_old,  alpha = rho / gamma
 *     p = z + beta p,  q = w + beta q,  y = m + beta y,  x += alpha p,  r -= alpha q,  z -= alpha y */
#include <string.h>

#include "solvers/linear/krylov/krylov.h"

enum { VECTORS = 8 };

/* w = A z, m = P^-1 w; sum = (z, w), (w, m), (r, D^-1 r) */
static void inner_products(const struct nb_linear_task *task, nb_real *const *v, nb_sum *sum)
{
    const nb_real *x[] = {v[1], v[2]}, *y[] = {v[2], v[3]};
    nb_operator_apply(task->op, v[1], v[2]);
    nb_precond_apply(task, v[2], v[3]);
    nb_dots_and_residual(task->op->size, 2, x, y, v[0], task->op->diagonal, sum, task->op->threads);
}

static void update_vectors(size_t n, nb_real alpha, nb_real beta, nb_real *const *v, nb_real *x)
{
    nb_real *restrict r = v[0], *restrict z = v[1], *restrict w = v[2], *restrict m = v[3],
            *restrict p = v[4], *restrict q = v[5], *restrict y = v[6];
    for (size_t i = 0; i < n; ++i) {
        p[i] = z[i] + beta * p[i];
        q[i] = w[i] + beta * q[i];
        y[i] = m[i] + beta * y[i];
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        z[i] -= alpha * y[i];
    }
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *v[VECTORS];
    struct nb_krylov_monitor monitor;
    nb_sum sum[3];
    for (size_t k = 0; k < VECTORS; ++k)
        v[k] = (nb_real *)self + k * n;

    nb_krylov_start(&monitor, task, v[0], v[7]);
    if (monitor.done)
        return monitor.report;
    nb_precond_apply(task, v[0], v[1]);
    inner_products(task, v, sum);
    memset(v[4], 0, 3 * n * sizeof *v[4]);
    nb_real rho = (nb_real)sum[0], gamma = (nb_real)sum[1], beta = 0;
    while (!monitor.done) {
        if (nb_krylov_spent(&monitor, rho) || !nb_krylov_scalar(&monitor, rho, "z^T A z" NB_NOT_POSITIVE) ||
            !nb_krylov_scalar(&monitor, gamma, "q^T P^-1 q" NB_NOT_POSITIVE))
            break;
        update_vectors(n, rho / gamma, beta, v, task->x);
        inner_products(task, v, sum);
        nb_krylov_advance_to(&monitor, nb_sqrt((nb_real)sum[2]));
        beta = (nb_real)sum[0] / rho;
        rho = (nb_real)sum[0];
        gamma = (nb_real)sum[1] - beta * beta * gamma;
    }
    return monitor.report;
}

const struct nb_linear NB(nb_linear_pcr_single) = {
    .name = "pcr_single",
    .title = "conjugate residuals, single reduction",
    .source = "Ghysels and Vanroose 2014, after Chronopoulos and Gear 1989",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = VECTORS,
    .solve = solve,
};
