/* The operator's matrix and the task as the CUDA code takes them. The solve's time contains copying b and
 * the start to the device and x back; copying the matrix is part of the update. */
#include "solvers/cuda/cuda_linear.h"

#include <stdlib.h>

#include "solvers/kernels/relaxation.h"

struct adapter {
    struct nb_cuda_pcr *pcr; /* NULL: the system is empty */
    nb_real *inverse;        /* [n] 1 / diag A */
};

void NB(nb_cuda_free)(void *self)
{
    struct adapter *adapter = self;
    if (!adapter)
        return;
    if (adapter->pcr)
        nb_cuda_pcr_free(adapter->pcr);
    free(adapter->inverse);
    free(adapter);
}

static enum nb_status create(struct adapter *adapter, const struct NB(nb_operator) *op,
                             enum nb_cuda_way way, struct nb_error *error)
{
    const struct nb_cuda_pattern pattern = {
        .single = sizeof(nb_real) == sizeof(float),
        .rows = op->matrix->rows,
        .start = op->matrix->start,
        .column = op->matrix->column,
    };
    adapter->inverse = malloc((op->size + 1) * sizeof *adapter->inverse);
    if (!adapter->inverse)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the diagonal");
    return op->size > 0 ? nb_cuda_pcr_create(&adapter->pcr, way, &pattern, error) : NB_OK;
}

enum nb_status NB(nb_cuda_setup)(void **self, const struct NB(nb_operator) *op,
                                 enum nb_cuda_way way, struct nb_error *error)
{
    *self = NULL;
    if (sizeof(nb_real) != sizeof(nb_matrix) ||
        (sizeof(nb_real) != sizeof(double) && sizeof(nb_real) != sizeof(float)))
        return nb_fail(error, NB_UNSUPPORTED, "CUDA solvers work in f64 and f32, not in %s",
                       NB_TEXT(NB_PRECISION));
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED, "CUDA solvers need the assembled operator");
    struct adapter *adapter = calloc(1, sizeof *adapter);
    if (!adapter)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a CUDA solver");
    const enum nb_status status = create(adapter, op, way, error);
    if (status) {
        NB(nb_cuda_free)(adapter);
        return status;
    }
    *self = adapter;
    return NB_OK;
}

enum nb_status NB(nb_cuda_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error)
{
    struct adapter *adapter = self;
    const enum nb_status status = NB(nb_check_diagonal)(op, error);
    if (status || !adapter->pcr)
        return status;
    for (size_t i = 0; i < op->size; ++i)
        adapter->inverse[i] = 1 / op->diagonal[i];
    return nb_cuda_pcr_update(adapter->pcr, op->matrix->value, adapter->inverse, error);
}

static void observe(void *context, int iteration, const void *x)
{
    const struct NB(nb_linear_task) *task = context;
    task->observe(task->observe_context, iteration, x);
}

struct nb_linear_report NB(nb_cuda_solve)(void *self, const struct NB(nb_linear_task) *task)
{
    const struct adapter *adapter = self;
    const struct nb_cuda_task cuda = {
        .b = task->b,
        .x = task->x,
        .iterations = task->iterations,
        .tolerance = (double)task->tolerance,
        .observe = task->observe ? observe : NULL,
        .context = (void *)task,
    };
    if (!adapter->pcr)
        return (struct nb_linear_report){NB_LINEAR_CONVERGED, 0, ""};
    return nb_cuda_pcr_solve(adapter->pcr, &cuda);
}
