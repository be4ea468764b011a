/* Preconditioned conjugate residuals (Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2):
 * one product and one preconditioning an iteration, and ||r|| falls monotonically in the norm of
 * P^-1, so that stopping early never leaves a worse iterate.
 *
 *     z = P^-1 r,  q = A p,  alpha = (z, A z) / (q, P^-1 q),  beta = (z, A z)_new / (z, A z)_old */
#include <string.h>

#include "solvers/block/vectors.h"
#include "solvers/linear/krylov/krylov.h"

struct vectors {
    nb_real *x, *r, *z, *w, *p, *q, *y;
    const nb_real *matrix_diagonal;
    const nb_real *inverse; /* diagonal of P^-1; NULL: P is not diagonal, and y holds P^-1 q */
    nb_real alpha, beta;
};

/* p = z + beta p, q = w + beta q; the sum is (q, P^-1 q) where P is diagonal, else 0 */
static void update_directions(const void *context, size_t begin, size_t end, nb_sum *sum)
{
    const struct vectors *v = context;
    const nb_real *restrict z = v->z, *restrict w = v->w, beta = v->beta;
    nb_real *restrict p = v->p, *restrict q = v->q;
    nb_real y[NB_PIECE];
    for (size_t i = begin; i < end; ++i) {
        p[i] = z[i] + beta * p[i];
        q[i] = w[i] + beta * q[i];
    }
    sum[0] = 0;
    if (!v->inverse)
        return;
    for (size_t i = begin; i < end; ++i)
        y[i - begin] = v->inverse[i] * q[i];
    sum[0] = nb_piece_dot(end - begin, q + begin, y);
}

/* x += alpha p, r -= alpha q, z -= alpha P^-1 q; the sum is (r, D^-1 r) */
static void update_iterate(const void *context, size_t begin, size_t end, nb_sum *sum)
{
    const struct vectors *v = context;
    const nb_real *restrict p = v->p, *restrict q = v->q, *restrict y = v->y, alpha = v->alpha;
    const nb_real *restrict inverse = v->inverse;
    nb_real *restrict x = v->x, *restrict r = v->r, *restrict z = v->z;
    for (size_t i = begin; i < end; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
    if (inverse)
        for (size_t i = begin; i < end; ++i)
            z[i] -= alpha * (inverse[i] * q[i]);
    else
        for (size_t i = begin; i < end; ++i)
            z[i] -= alpha * y[i];
    sum[0] = nb_piece_residual_square(end - begin, r + begin, v->matrix_diagonal + begin);
}

/* The new direction; returns (q, P^-1 q). */
static nb_real find_direction(const struct nb_linear_task *task, const struct vectors *v)
{
    const struct nb_operator *op = task->op;
    nb_sum gamma;
    nb_pass_over(op->size, 1, update_directions, v, &gamma, op->threads);
    if (v->inverse) {
        task->run->preconditioner_applications++;
        return (nb_real)gamma;
    }
    nb_precond_apply(task, v->q, v->y);
    return (nb_real)nb_dot(op->size, v->q, v->y, op->threads);
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *r = self, *z = r + n, *w = z + n, *p = w + n, *q = p + n, *y = q + n;
    struct vectors v = {.x = task->x, .r = r, .z = z, .w = w, .p = p, .q = q, .y = y,
                        .matrix_diagonal = op->diagonal};
    struct nb_krylov_monitor monitor;

    nb_krylov_start(&monitor, task, r, w);
    if (monitor.done)
        return monitor.report;
    v.inverse = task->precond->diagonal ? task->precond->diagonal(task->precond_self) : NULL;
    nb_precond_apply(task, r, z);
    nb_operator_apply(op, z, w);
    memset(p, 0, 2 * n * sizeof *p);
    nb_real rho = (nb_real)nb_dot(n, z, w, op->threads);

    while (!monitor.done) {
        const nb_real gamma = find_direction(task, &v);
        if (nb_krylov_spent(&monitor, rho) || !nb_krylov_scalar(&monitor, rho, "z^T A z" NB_NOT_POSITIVE) ||
            !nb_krylov_scalar(&monitor, gamma, "q^T P^-1 q" NB_NOT_POSITIVE))
            break;
        nb_sum square;
        v.alpha = rho / gamma;
        nb_pass_over(n, 1, update_iterate, &v, &square, op->threads);
        nb_krylov_advance_to(&monitor, nb_sqrt((nb_real)square));
        if (monitor.done)
            break;
        nb_operator_apply(op, z, w);
        const nb_real next = (nb_real)nb_dot(n, z, w, op->threads);
        v.beta = next / rho;
        rho = next;
    }
    return monitor.report;
}

const struct nb_linear NB(nb_linear_pcr) = {
    .name = "pcr",
    .title = "preconditioned conjugate residuals",
    .source = "Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = 6,
    .solve = solve,
};
