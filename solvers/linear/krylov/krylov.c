/* The iterations' bookkeeping: each one's residual, in the norm of D^-1, D = diag A, is weighed against the goal, the
 * budget and stagnation. Convergence is claimed only after b - A x has been computed anew where the gathered rounding
 * could matter (Greenbaum 1997), or where the method measures in another norm. */
#include "solvers/linear/krylov/krylov.h"

#include <string.h>

/* x may have overflowed while the residual, updated apart from it, stayed finite. */
static void end_solve(struct nb_krylov_monitor *monitor, enum nb_linear_ending ending, const char *detail)
{
    const struct nb_linear_task *task = monitor->task;
    if (ending != NB_LINEAR_CONVERGED && ending != NB_LINEAR_NON_FINITE &&
        !isfinite((double)nb_norm(task->op->size, task->x, task->op->threads))) {
        ending = NB_LINEAR_NON_FINITE;
        detail = "x";
    }
    monitor->done = 1;
    monitor->report.ending = ending;
    monitor->report.detail = detail;
}

/* Residuals below this are the round-off of b itself: nothing is left to reduce. */
static nb_real vanished(const struct nb_krylov_monitor *monitor)
{
    return NB_REAL(NB_UNIT_ROUNDOFF) * monitor->right_side;
}

/* Norms below this have squares that underflow: the next quotient of inner products would be noise, or
 * infinite. */
static nb_real smallest_norm(void)
{
    return 64 * nb_sqrt(NB_LEAST_NORMAL / NB_REAL(NB_UNIT_ROUNDOFF));
}

/* The rounding that may have gathered in the updated residual. D^-1/2 A D^-1/2 has ones on its diagonal, so that it is
 * of the size of x in the norm of D. */
static nb_real gathered_rounding(const struct nb_krylov_monitor *monitor)
{
    const struct nb_linear_task *task = monitor->task;
    const nb_real *d = task->op->diagonal;
    nb_sum square = 0;
    for (size_t i = 0; i < task->op->size; ++i)
        square += (nb_sum)(nb_abs(d[i]) * task->x[i] * task->x[i]);
    return 100 * NB_REAL(NB_UNIT_ROUNDOFF) *
           (monitor->right_side + monitor->most + nb_sqrt((nb_real)square));
}

/* b - A x, computed anew. */
static nb_real true_residual(const struct nb_krylov_monitor *monitor)
{
    const struct nb_linear_task *task = monitor->task;
    struct nb_operator *op = task->op;
    nb_real *r = monitor->scratch;
    nb_operator_apply(op, task->x, r);
    for (size_t i = 0; i < op->size; ++i)
        r[i] = task->b[i] - r[i];
    return nb_residual_norm(op->size, r, op->diagonal, op->threads);
}

/* The residual as it is updated may be believed: it is that of x, or no rounding that matters has gathered. */
static int is_believed(const struct nb_krylov_monitor *monitor, nb_real goal)
{
    return !monitor->report.iterations || (!monitor->other_norm && 100 * gathered_rounding(monitor) <= goal);
}

/* The updated residual says that the solve is done. Where b - A x says otherwise, the iterations go on, if they can and
 * as long as they bring b - A x nearer. */
static void end_if_converged(struct nb_krylov_monitor *monitor, int can_go_on)
{
    const nb_real tolerance = monitor->task->tolerance, goal = tolerance * monitor->right_side;
    if (is_believed(monitor, goal)) {
        end_solve(monitor, NB_LINEAR_CONVERGED, "");
        return;
    }
    const nb_real residual = true_residual(monitor);
    if (residual <= (tolerance > 0 ? goal : gathered_rounding(monitor))) {
        end_solve(monitor, NB_LINEAR_CONVERGED, "");
    } else if (can_go_on && tolerance > 0 && residual < monitor->checked && monitor->residual > 0) {
        monitor->factor *= residual / monitor->residual;
        monitor->least = monitor->checked = residual;
    } else {
        end_solve(monitor, NB_LINEAR_STAGNATED, "the updated residual strayed from b - A x");
    }
    monitor->residual = residual;
}

/* A tolerance that this many iterations bring no nearer is out of reach. Without a tolerance the
 * budget is spent as asked. */
enum { STALL_LIMIT = 200 };

static void decide_ending(struct nb_krylov_monitor *monitor)
{
    const struct nb_linear_task *task = monitor->task;
    const int better = monitor->report.iterations == 0 || monitor->residual < monitor->least;
    monitor->least = better ? monitor->residual : monitor->least;
    monitor->most = nb_max(monitor->most, monitor->residual);
    monitor->stalled = better ? 0 : monitor->stalled + 1;
    if (!isfinite((double)monitor->residual))
        end_solve(monitor, NB_LINEAR_NON_FINITE, "residual");
    else if (monitor->residual <= task->tolerance * monitor->right_side ||
             monitor->residual <= smallest_norm())
        end_if_converged(monitor, 1);
    if (monitor->done)
        return;
    if (monitor->report.iterations >= task->iterations)
        end_solve(monitor, NB_LINEAR_ITERATION_LIMIT, "");
    else if (task->tolerance > 0 && monitor->stalled >= STALL_LIMIT)
        end_solve(monitor, NB_LINEAR_STAGNATED, "");
}

/* r = b - A x; returns 0 where x = 0, and with it A x, which is then not asked for. */
static int start_residual(const struct nb_linear_task *task, nb_real *r)
{
    const size_t n = task->op->size;
    size_t zeros = 0;
    while (zeros < n && task->x[zeros] == 0)
        ++zeros;
    if (zeros == n) {
        memcpy(r, task->b, n * sizeof *r);
        return 0;
    }
    nb_operator_apply(task->op, task->x, r);
    for (size_t i = 0; i < n; ++i)
        r[i] = task->b[i] - r[i];
    return 1;
}

void nb_krylov_start(struct nb_krylov_monitor *monitor, const struct nb_linear_task *task, nb_real *r,
                     nb_real *scratch)
{
    struct nb_operator *op = task->op;
    memset(monitor, 0, sizeof *monitor);
    monitor->task = task;
    monitor->scratch = scratch;
    monitor->factor = 1;
    monitor->checked = NB_REAL(INFINITY);
    monitor->report.detail = "";
    monitor->right_side = nb_residual_norm(op->size, task->b, op->diagonal, op->threads);
    monitor->residual = start_residual(task, r) ? nb_residual_norm(op->size, r, op->diagonal, op->threads)
                                                : monitor->right_side;
    if (task->observe)
        task->observe(task->observe_context, 0, task->x);
    decide_ending(monitor);
}

void nb_krylov_advance(struct nb_krylov_monitor *monitor, const nb_real *r)
{
    const struct nb_operator *op = monitor->task->op;
    nb_krylov_advance_to(monitor, nb_residual_norm(op->size, r, op->diagonal, op->threads));
}

void nb_krylov_advance_to(struct nb_krylov_monitor *monitor, nb_real residual)
{
    const struct nb_linear_task *task = monitor->task;
    monitor->report.iterations++;
    monitor->residual = monitor->factor * residual;
    if (task->observe)
        task->observe(task->observe_context, monitor->report.iterations, task->x);
    decide_ending(monitor);
}

int nb_krylov_spent(struct nb_krylov_monitor *monitor, nb_real value)
{
    if (!(value > 0 && value <= NB_LEAST_NORMAL / NB_REAL(NB_UNIT_ROUNDOFF)))
        return 0;
    if (monitor->task->tolerance > 0)
        end_solve(monitor, NB_LINEAR_STAGNATED, "");
    else
        end_if_converged(monitor, 0);
    return 1;
}

int nb_krylov_scalar(struct nb_krylov_monitor *monitor, nb_real value, const char *words)
{
    if (value > 0 && isfinite((double)value))
        return 1;
    /* At round-off the scalars may overflow; the iterate, whose residual is finite, is still good. */
    if (!isfinite((double)value))
        end_solve(monitor, monitor->report.iterations > 0 ? NB_LINEAR_BREAKDOWN : NB_LINEAR_NON_FINITE, words);
    else if (monitor->residual <= vanished(monitor))
        end_if_converged(monitor, 0);
    else
        end_solve(monitor, NB_LINEAR_BREAKDOWN, words);
    return 0;
}

void nb_krylov_best_start(struct nb_krylov_best *best, const struct nb_krylov_monitor *monitor, nb_real *x)
{
    *best = (struct nb_krylov_best){.x = x, .least = monitor->residual,
                                    .previous = monitor->residual};
}

void nb_krylov_best_step(struct nb_krylov_best *best, const struct nb_linear_task *task,
                         nb_real residual, nb_real alpha, const nb_real *p, int moved)
{
    const nb_real back = moved ? alpha : 0;
    if (!(residual <= best->previous) && best->previous <= best->least) {
        for (size_t i = 0; i < task->op->size; ++i)
            best->x[i] = back != 0 ? task->x[i] - back * p[i] : task->x[i];
        best->least = best->previous;
        best->kept = 1;
    }
    best->previous = residual;
}

void nb_krylov_best_restore(const struct nb_krylov_best *best, const struct nb_krylov_monitor *monitor)
{
    const struct nb_linear_task *task = monitor->task;
    const enum nb_linear_ending ending = monitor->report.ending;
    if (ending != NB_LINEAR_CONVERGED && ending != NB_LINEAR_ITERATION_LIMIT && best->kept &&
        !(monitor->residual <= best->least))
        memcpy(task->x, best->x, task->op->size * sizeof *task->x);
}
