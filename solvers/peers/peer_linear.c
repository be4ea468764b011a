/* Another library's linear solver as a row: A as scalar compressed rows, and, where the library does not show its
 * iterates, a run for each number of iterations while it is observed. */
#include "solvers/peers/peer_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/block/block_factor.h"

struct adapter {
    const struct nb_peer *peer;
    struct nb_peer_system system;
    void *self;
    const struct nb_linear_task *task;
};

void nb_peer_free(void *self)
{
    struct adapter *adapter = self;
    if (!adapter)
        return;
    if (adapter->self)
        adapter->peer->free(adapter->self);
    free(adapter->system.start);
    free(adapter->system.column);
    free(adapter->system.value);
    free(adapter);
}

static void fill_values(struct nb_peer_system *system, const struct nb_bsr *matrix)
{
    double *value = system->value;
    for (int i = 0; i < matrix->rows; ++i)
        for (int r = 0; r < 3; ++r)
            for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c)
                    *value++ = (double)matrix->value[9 * (size_t)k + (size_t)(3 * r + c)];
}

enum nb_status nb_peer_setup(void **self, const struct nb_operator *op, const struct nb_peer *peer,
                             const struct nb_setting *settings, struct nb_error *error)
{
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX];
    enum nb_status status = NB_OK;
    *self = NULL;
    if (settings)
        status = nb_settings_read(settings, op->options->linear, value, error);
    if (status)
        return status;
    if (sizeof(nb_real) != sizeof(double) || sizeof(nb_matrix) != sizeof(double))
        return nb_fail(error, NB_UNSUPPORTED, "this library works in double here, not in %s",
                       NB_TEXT(NB_PRECISION));
    const size_t entries = 9 * (size_t)op->matrix->start[op->matrix->rows];
    if (entries > 2000000000)
        return nb_fail(error, NB_UNSUPPORTED, "more than 2e9 entries");
    struct adapter *adapter = calloc(1, sizeof *adapter);
    if (!adapter)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for another library's matrix");
    adapter->peer = peer;
    adapter->system.rows = (int)op->size;
    adapter->system.start = malloc((op->size + 1) * sizeof(int));
    adapter->system.column = malloc((entries + 1) * sizeof(int));
    adapter->system.value = calloc(entries + 1, sizeof(double));
    if (!adapter->system.start || !adapter->system.column || !adapter->system.value)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for another library's matrix");
    if (!status) {
        nb_scalar_pattern(op->matrix, adapter->system.start, adapter->system.column);
        if (op->size > 0) /* not all libraries know empty systems */
            status = peer->create(&adapter->self, &adapter->system, value + NB_LINEAR_COMMON, error);
    }
    if (status) {
        nb_peer_free(adapter);
        return status;
    }
    *self = adapter;
    return NB_OK;
}

enum nb_status nb_peer_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    struct adapter *adapter = self;
    fill_values(&adapter->system, op->matrix);
    return adapter->self ? adapter->peer->update(adapter->self, error) : NB_OK;
}

static void observe(void *context, int iteration, const double *x)
{
    const struct nb_linear_task *task = context;
    const void *same = x; /* nb_real is double here */
    task->observe(task->observe_context, iteration, same);
}

/* A library that does not show its iterates is run again, one iteration longer each time. */
static struct nb_linear_report repeat(struct adapter *adapter, struct nb_peer_task *task, size_t n)
{
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    const int most = task->iterations;
    observe(task->context, 0, task->x);
    for (int k = 1; k <= most && report.ending == NB_LINEAR_ITERATION_LIMIT; ++k) {
        memset(task->x, 0, n * sizeof *task->x);
        task->iterations = k;
        report = adapter->peer->solve(adapter->self, task);
        observe(task->context, k, task->x);
    }
    return report;
}

struct nb_linear_report nb_peer_solve(void *self, const struct nb_linear_task *task)
{
    struct adapter *adapter = self;
    const void *b = task->b;
    void *x = task->x;
    struct nb_peer_task peer = {.b = b, .x = x, .iterations = task->iterations,
                                .tolerance = (double)task->tolerance, .context = (void *)task};
    const size_t n = task->op->size;
    if (!adapter->self)
        return (struct nb_linear_report){NB_LINEAR_CONVERGED, 0, ""};
    memset(x, 0, n * sizeof(double));
    if (!task->observe)
        return adapter->peer->solve(adapter->self, &peer);
    if (!adapter->peer->observes)
        return repeat(adapter, &peer, n);
    peer.observe = observe;
    return adapter->peer->solve(adapter->self, &peer);
}
