/* Preconditioned minimal residuals (Paige and Saunders 1975; Elman, Silvester and Wathen 2005,
 * algorithm 2.4): the Lanczos process and Givens rotations. In exact arithmetic its iterates are those
 * of conjugate residuals, but no scalar is divided by that indefinite or singular matrices bring to
 * zero. */
#include <string.h>

#include "solvers/linear/krylov/krylov.h"

/* The two last rotations, and the residual in the norm of P^-1 with its sign, which estimates that in the norm of
 * D^-1. */
struct rotations {
    nb_real c, c_last, s, s_last, eta;
};

/* Applies the rotations to a column (gamma, delta, next) of the Lanczos tridiagonal, and the new one:
 * out holds the entries above the diagonal, and on it, of the triangular factor. */
static void rotate(struct rotations *q, nb_real gamma, nb_real delta, nb_real next, nb_real out[3])
{
    const nb_real rest = q->c * delta - q->c_last * q->s * gamma;
    out[0] = q->s_last * gamma;
    out[1] = q->s * delta + q->c_last * q->c * gamma;
    out[2] = nb_sqrt(rest * rest + next * next);
    q->c_last = q->c;
    q->s_last = q->s;
    q->c = rest / out[2];
    q->s = next / out[2];
}

/* v_next = A z - delta/gamma v - gamma/gamma_last v_last, in place of v_last. */
static void lanczos(size_t n, const nb_real *az, const nb_real *v, nb_real a, nb_real b,
                    nb_real *v_last)
{
    for (size_t i = 0; i < n; ++i)
        v_last[i] = az[i] - a * v[i] - b * v_last[i];
}

static void swap(nb_real **a, nb_real **b)
{
    nb_real *const kept = *a;
    *a = *b;
    *b = kept;
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_operator *op = task->op;
    const size_t n = op->size;
    nb_real *v = self, *v_last = v + n, *z = v_last + n, *z_next = z + n, *az = z_next + n;
    nb_real *w = az + n, *w_last = w + n, *w_next = w_last + n;
    struct nb_krylov_monitor monitor;
    struct rotations q = {1, 1, 0, 0, 0};

    nb_krylov_start(&monitor, task, v, az);
    if (monitor.done)
        return monitor.report;
    memset(v_last, 0, n * sizeof *v_last);
    memset(w, 0, 2 * n * sizeof *w);
    nb_precond_apply(task, v, z);
    const nb_real square = (nb_real)nb_dot(n, v, z, op->threads);
    if (!nb_krylov_scalar(&monitor, square, "r^T P^-1 r" NB_NOT_POSITIVE))
        return monitor.report;
    nb_real gamma = nb_sqrt(square), gamma_last = 1;
    const nb_real weight = monitor.residual / gamma;
    monitor.other_norm = 1;
    q.eta = gamma;

    while (!monitor.done) {
        nb_real column[3];
        for (size_t i = 0; i < n; ++i)
            z[i] /= gamma;
        nb_operator_apply(op, z, az);
        const nb_real delta = (nb_real)nb_dot(n, az, z, op->threads);
        lanczos(n, az, v, delta / gamma, gamma / gamma_last, v_last);
        swap(&v, &v_last);
        nb_precond_apply(task, v, z_next);
        const nb_real next_square = (nb_real)nb_dot(n, v, z_next, op->threads);
        /* Zero is the end of the Krylov space; below it there is only the rounding of zero. */
        const nb_real next = next_square > 0 ? nb_sqrt(next_square) : 0;
        rotate(&q, gamma, delta, next, column);
        if (!nb_krylov_scalar(&monitor, column[2], "the Lanczos pivot" NB_NOT_POSITIVE))
            break;
        for (size_t i = 0; i < n; ++i) {
            w_next[i] = (z[i] - column[0] * w_last[i] - column[1] * w[i]) / column[2];
            task->x[i] += q.c * q.eta * w_next[i];
        }
        q.eta *= -q.s;
        swap(&w_last, &w);
        swap(&w, &w_next);
        swap(&z, &z_next);
        gamma_last = gamma;
        gamma = next;
        nb_krylov_advance_to(&monitor, weight * nb_abs(q.eta));
        if (!monitor.done && !nb_krylov_scalar(&monitor, gamma, "v^T P^-1 v" NB_NOT_POSITIVE))
            break;
    }
    return monitor.report;
}

const struct nb_linear NB(nb_linear_minres) = {
    .name = "minres",
    .title = "preconditioned minimal residuals",
    .source = "Paige and Saunders 1975; Elman, Silvester and Wathen 2005, algorithm 2.4",
    .preconditioned = 1,
    .products_only = 1,
    .vectors = 8,
    .solve = solve,
};
