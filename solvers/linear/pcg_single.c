/* Conjugate gradients with a single reduction an iteration (Chronopoulos and Gear 1989; Saad 2003,
 * section 11.3): the three inner products are taken together, after the product, so that threads or
 * processes meet once instead of three times.
 *
 *     z = P^-1 r,  w = A z,  gamma = (r, z),  delta = (w, z)
 *     beta = gamma / gamma_old,  alpha = gamma / (delta - beta gamma / alpha_old)
 *     p = z + beta p,  q = w + beta q,  x += alpha p,  r -= alpha q */
#include <string.h>

#include "solvers/linear/krylov/krylov.h"

/* sum = (r, z), (w, z), (r, D^-1 r) */
static void inner_products(const struct nb_operator *op, const nb_real *r, const nb_real *z,
                           const nb_real *w, nb_sum *sum)
{
    const nb_real *x[] = {r, w}, *y[] = {z, z};
    nb_dots_and_residual(op->size, 2, x, y, r, op->diagonal, sum, op->threads);
}

static void update_vectors(size_t n, nb_real alpha, nb_real beta, nb_real *const *v, nb_real *x)
{
    nb_real *restrict r = v[0], *restrict z = v[1], *restrict w = v[2], *restrict p = v[3],
            *restrict q = v[4];
    for (size_t i = 0; i < n; ++i) {
        p[i] = z[i] + beta * p[i];
        q[i] = w[i] + beta * q[i];
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *r = self, *z = r + n, *w = z + n, *p = w + n, *q = p + n;
    nb_real *const v[] = {r, z, w, p, q};
    struct nb_krylov_monitor monitor;
    struct nb_krylov_best kept;
    nb_sum sum[3];

    nb_krylov_start(&monitor, task, r, q + 2 * n);
    if (monitor.done)
        return monitor.report;
    nb_krylov_best_start(&kept, &monitor, q + n);
    nb_precond_apply(task, r, z);
    nb_operator_apply(op, z, w);
    inner_products(op, r, z, w, sum);
    memset(p, 0, 2 * n * sizeof *p);
    nb_real gamma = (nb_real)sum[0], pivot = (nb_real)sum[1], beta = 0;
    while (!monitor.done) {
        if (!nb_krylov_scalar(&monitor, gamma, "r^T P^-1 r" NB_NOT_POSITIVE) ||
            !nb_krylov_scalar(&monitor, pivot, "p^T A p" NB_NOT_POSITIVE))
            break;
        const nb_real alpha = gamma / pivot;
        update_vectors(n, alpha, beta, v, task->x);
        nb_precond_apply(task, r, z);
        nb_operator_apply(op, z, w);
        inner_products(op, r, z, w, sum);
        const nb_real residual = nb_sqrt((nb_real)sum[2]);
        nb_krylov_best_step(&kept, task, residual, alpha, p, 1);
        nb_krylov_advance_to(&monitor, residual);
        beta = (nb_real)sum[0] / gamma;
        gamma = (nb_real)sum[0];
        pivot = (nb_real)sum[1] - beta * gamma / alpha;
    }
    nb_krylov_best_restore(&kept, &monitor);
    return monitor.report;
}

const struct nb_linear NB(nb_linear_pcg_single) = {
    .name = "pcg_single",
    .title = "conjugate gradients, single reduction",
    .source = "Chronopoulos and Gear 1989",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = 7,
    .solve = solve,
};
