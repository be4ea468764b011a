/* Another library's linear solver as a row: A as scalar compressed rows, and, where the library does not show its
 * iterates, a run for each number of iterations while it is observed. */
#include "solvers/peers/peer_linear.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/peers/peer_system.h"

void nb_peer_free(void *self)
{
    if (self)
        nb_peer_release(self);
    free(self);
}

enum nb_status nb_peer_setup(void **self, const struct nb_operator *op, const struct nb_peer *peer,
                             const struct nb_setting *settings, struct nb_error *error)
{
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX];
    enum nb_status status = NB_OK;
    if (settings)
        status = nb_settings_read(settings, op->options->linear, value, error);
    if (status)
        return status;
    *self = calloc(1, sizeof(struct nb_peer_holder));
    return *self ? nb_peer_hold(*self, op, peer, value + NB_LINEAR_COMMON, error)
                 : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for another library's solver");
}

enum nb_status nb_peer_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    return nb_peer_refill(self, op, error);
}

static void observe(void *context, int iteration, const double *x)
{
    const struct nb_linear_task *task = context;
    const void *same = x; /* nb_real is double here */
    task->observe(task->observe_context, iteration, same);
}

/* A library that does not show its iterates is run again, one iteration longer each time. */
static struct nb_linear_report repeat(struct nb_peer_holder *holder, struct nb_peer_task *task, size_t n)
{
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    const int most = task->iterations;
    observe(task->context, 0, task->x);
    for (int k = 1; k <= most && report.ending == NB_LINEAR_ITERATION_LIMIT; ++k) {
        memset(task->x, 0, n * sizeof *task->x);
        task->iterations = k;
        report = holder->peer->solve(holder->self, task);
        observe(task->context, k, task->x);
    }
    return report;
}

struct nb_linear_report nb_peer_solve(void *self, const struct nb_linear_task *task)
{
    struct nb_peer_holder *holder = self;
    const void *b = task->b;
    void *x = task->x;
    struct nb_peer_task peer = {.b = b, .x = x, .iterations = task->iterations,
                                .tolerance = (double)task->tolerance, .context = (void *)task};
    const size_t n = task->op->size;
    if (!holder->self)
        return (struct nb_linear_report){NB_LINEAR_CONVERGED, 0, ""};
    memset(x, 0, n * sizeof(double));
    if (!task->observe)
        return holder->peer->solve(holder->self, &peer);
    if (!holder->peer->observes)
        return repeat(holder, &peer, n);
    peer.observe = observe;
    return holder->peer->solve(holder->self, &peer);
}
