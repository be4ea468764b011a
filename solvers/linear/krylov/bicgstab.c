/* Rounds of BiCGStab (van der Vorst 1992; Saad 2003, algorithm 7.7) with right preconditioning:
 *
 *     v = A P^-1 p,  alpha = rho / (r0, v),  s = r - alpha v,  t = A P^-1 s,  omega = (t, s) / (t, t),
 *     r = s - omega t,  beta = (rho_new / rho) (alpha / omega),  p = r + beta (p - omega v)
 *
 * A round ends where its recurrence has reached the tolerance or breaks down; then r = b - A x is computed anew, and
 * the next round begins from it as long as each at least halves it. */
#include "solvers/linear/krylov/bicgstab.h"

#include <math.h>
#include <string.h>

enum { VECTORS = 9 };
/* A round that leaves more than this of the true residual will not do better the next time. */
#define STALLED NB_REAL(0.5)

/* The parts of work, [n] each; x is the iterate of a round, least the best of it. */
struct vectors {
    nb_real *r, *shadow, *p, *v, *t, *z, *x, *least, *kept;
    nb_real smallest; /* residual of least */
};

size_t nb_bicgstab_room(size_t n)
{
    return VECTORS * n;
}

static struct vectors lay_out(const struct nb_bicgstab_task *task)
{
    nb_real *w = task->work;
    const size_t n = task->n;
    return (struct vectors){.r = w, .shadow = w + n, .p = w + 2 * n, .v = w + 3 * n, .t = w + 4 * n,
                            .z = w + 5 * n, .x = w + 6 * n, .least = w + 7 * n, .kept = w + 8 * n};
}

static nb_real dot(const struct nb_bicgstab_task *task, const nb_real *a, const nb_real *b)
{
    return (nb_real)nb_dot(task->n, a, b, task->threads);
}

/* x += a z, r -= a q; returns ||r|| and keeps x where that is the least. */
static nb_real update_iterate(const struct nb_bicgstab_task *task, struct vectors *w, nb_real a, const nb_real *q)
{
    for (size_t i = 0; i < task->n; ++i) {
        w->x[i] += a * w->z[i];
        w->r[i] -= a * q[i];
    }
    const nb_real norm = nb_norm(task->n, w->r, task->threads);
    if (norm < w->smallest) {
        w->smallest = norm;
        memcpy(w->least, w->x, task->n * sizeof *w->x);
    }
    return norm;
}

/* Whether `value`, an inner product of vectors of these lengths, holds no digit to divide by. */
static int vanishes(nb_real value, nb_real a, nb_real b)
{
    return !(nb_abs(value) > NB_REAL(NB_UNIT_ROUNDOFF) * a * b);
}

static void give_up(struct nb_linear_report *report, nb_real value, const char *what)
{
    report->ending = isfinite(value) ? NB_LINEAR_BREAKDOWN : NB_LINEAR_NON_FINITE;
    report->detail = what;
}

/* From r, of that norm, with its recurrences; ends with the best correction in least. */
static void run_round(const struct nb_bicgstab_task *task, struct vectors *w, nb_real norm,
                      nb_real tolerance, struct nb_linear_report *report)
{
    const size_t n = task->n;
    const nb_real shadow = norm;
    nb_real rho = norm * norm;
    memcpy(w->shadow, w->r, n * sizeof *w->r);
    memcpy(w->p, w->r, n * sizeof *w->r);
    memset(w->x, 0, n * sizeof *w->x);
    memset(w->least, 0, n * sizeof *w->least);
    w->smallest = norm;
    while (report->iterations + 2 <= task->iterations) {
        task->precondition(task->context, w->p, w->z);
        task->multiply(task->context, w->z, w->v);
        report->iterations += 2;
        const nb_real slope = dot(task, w->shadow, w->v);
        if (vanishes(slope, shadow, nb_norm(n, w->v, task->threads))) {
            give_up(report, slope, "r0^T A P^-1 p");
            return;
        }
        const nb_real alpha = rho / slope;
        if (update_iterate(task, w, alpha, w->v) <= tolerance)
            return;
        task->precondition(task->context, w->r, w->z);
        task->multiply(task->context, w->z, w->t);
        const nb_real square = dot(task, w->t, w->t), along = dot(task, w->t, w->r);
        if (!(square > 0) || vanishes(along, nb_sqrt(square), nb_norm(n, w->r, task->threads))) {
            give_up(report, square + along, "t^T s");
            return;
        }
        const nb_real omega = along / square;
        norm = update_iterate(task, w, omega, w->t);
        if (norm <= tolerance)
            return;
        const nb_real next = dot(task, w->shadow, w->r), beta = next / rho * (alpha / omega);
        if (vanishes(next, shadow, norm) || !isfinite(beta)) {
            give_up(report, next, "r0^T r");
            return;
        }
        for (size_t i = 0; i < n; ++i)
            w->p[i] = w->r[i] + beta * (w->p[i] - omega * w->v[i]);
        rho = next;
    }
}

/* x += least, r = b - A x; returns ||r||, and leaves x where that is no less than before. */
static nb_real accept(const struct nb_bicgstab_task *task, const struct vectors *w, const nb_real *b,
                      nb_real before, nb_real *x)
{
    const size_t n = task->n;
    memcpy(w->kept, x, n * sizeof *x);
    for (size_t i = 0; i < n; ++i)
        x[i] += w->least[i];
    task->multiply(task->context, x, w->r);
    for (size_t i = 0; i < n; ++i)
        w->r[i] = b[i] - w->r[i];
    const nb_real norm = nb_norm(n, w->r, task->threads);
    if (norm < before)
        return norm;
    memcpy(x, w->kept, n * sizeof *x);
    return before;
}

struct nb_linear_report nb_bicgstab(const struct nb_bicgstab_task *task, const nb_real *b,
                                    nb_real tolerance, nb_real *x, nb_real *residual)
{
    const size_t n = task->n;
    struct vectors w = lay_out(task);
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    memset(x, 0, n * sizeof *x);
    memcpy(w.r, b, n * sizeof *w.r);
    *residual = nb_norm(n, b, task->threads);
    if (!isfinite(*residual))
        report.ending = NB_LINEAR_NON_FINITE;
    while (report.ending == NB_LINEAR_ITERATION_LIMIT && *residual > tolerance &&
           report.iterations + 2 <= task->iterations) {
        const nb_real before = *residual;
        run_round(task, &w, before, tolerance, &report);
        *residual = accept(task, &w, b, before, x);
        if (report.ending == NB_LINEAR_ITERATION_LIMIT && *residual > tolerance &&
            *residual > STALLED * before)
            report.ending = report.iterations + 2 <= task->iterations ? NB_LINEAR_STAGNATED
                                                                        : NB_LINEAR_ITERATION_LIMIT;
    }
    if (*residual <= tolerance)
        report.ending = NB_LINEAR_CONVERGED;
    return report;
}
