/* The operator's matrix and the task as the CUDA code takes them. The solve's time contains copying b and
 * the start to the device and x back; copying the matrix is part of the update. */
#include "solvers/cuda/cuda_linear.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/block3.h"
#include "solvers/kernels/relaxation.h"

struct adapter {
    enum nb_cuda_method method;
    int wide;
    enum nb_cuda_storage storage;
    enum nb_cuda_place place;
    struct nb_cuda_pcr *pcr; /* NULL: the system is empty                                  */
    nb_real *inverse;        /* [n] 1 / diag A, or [3 n] where wide                         */
    nb_real *work;           /* [2 n] for an estimate                                      */
    unsigned short *narrow;  /* [9 blocks] the values in 16 bits, or NULL                   */
};

#define STORAGE_SETTING                                                                         \
    [NB_LINEAR_COMMON + NB_CUDA_STORAGE] = {                                                    \
        .name = "storage", .choices = "same,f16,bf16",                                          \
        .meaning = "of the matrix on the device; sums are in the run's precision"}

#define PRECONDITIONER_SETTING                                                                  \
    {.name = "preconditioner", .choices = "jacobi,block_jacobi",                                \
     .meaning = "the solver's own: the diagonal, or its 3x3 blocks"}

const struct nb_setting NB(nb_cuda_krylov_settings)[] = {
    NB_LINEAR_COMMON_SETTINGS,
    STORAGE_SETTING,
    PRECONDITIONER_SETTING,
    {.name = NULL},
};

const struct nb_setting NB(nb_cuda_persistent_settings)[] = {
    NB_LINEAR_COMMON_SETTINGS,
    STORAGE_SETTING,
    PRECONDITIONER_SETTING,
    {.name = "placed", .choices = NB_CUDA_PLACES,
     .meaning = "the system: by the grid in global memory, or in the shared memory of a block or of a "
                "cluster of blocks; auto: the first of block, cluster, grid that has room"},
    {.name = NULL},
};

const struct nb_setting NB(nb_cuda_sweep_settings)[] = {
    NB_LINEAR_COMMON_SETTINGS,
    STORAGE_SETTING,
    {.name = NULL},
};

void NB(nb_cuda_free)(void *self)
{
    struct adapter *adapter = self;
    if (!adapter)
        return;
    if (adapter->pcr)
        nb_cuda_pcr_free(adapter->pcr);
    free(adapter->inverse);
    free(adapter->work);
    free(adapter->narrow);
    free(adapter);
}

static enum nb_status create(struct adapter *adapter, const struct NB(nb_operator) *op,
                             enum nb_cuda_way way, struct nb_error *error)
{
    const struct nb_cuda_pattern pattern = {
        .single = sizeof(nb_real) == sizeof(float),
        .wide = adapter->wide,
        .storage = adapter->storage,
        .place = adapter->place,
        .rows = op->matrix->rows,
        .start = op->matrix->start,
        .column = op->matrix->column,
    };
    const size_t blocks = (size_t)op->matrix->start[op->matrix->rows];
    adapter->inverse = malloc((3 * op->size + 1) * sizeof *adapter->inverse);
    adapter->work = malloc((2 * op->size + 1) * sizeof *adapter->work);
    if (adapter->storage)
        adapter->narrow = malloc((9 * blocks + 1) * sizeof *adapter->narrow);
    if (!adapter->inverse || !adapter->work || (adapter->storage && !adapter->narrow))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the diagonal");
    return op->size > 0 ? nb_cuda_pcr_create(&adapter->pcr, adapter->method, way, &pattern, error)
                        : NB_OK;
}

enum nb_status NB(nb_cuda_setup)(void **self, const struct NB(nb_operator) *op,
                                 enum nb_cuda_method method, enum nb_cuda_way way,
                                 struct nb_error *error)
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
    adapter->method = method;
    if (method != NB_CUDA_CHOLESKY)
        adapter->storage = (enum nb_cuda_storage)op->linear_setting[NB_CUDA_STORAGE];
    if (method == NB_CUDA_PCR || method == NB_CUDA_PCG)
        adapter->wide = op->linear_setting[NB_CUDA_PRECONDITIONER] > 0;
    if (way == NB_CUDA_PERSISTENT && (method == NB_CUDA_PCR || method == NB_CUDA_PCG))
        adapter->place = (enum nb_cuda_place)op->linear_setting[NB_CUDA_PLACED];
    const enum nb_status status = create(adapter, op, way, error);
    if (status) {
        NB(nb_cuda_free)(adapter);
        return status;
    }
    *self = adapter;
    return NB_OK;
}

/* P^-1, or omega / diag A. */
static enum nb_status invert(struct adapter *adapter, struct NB(nb_operator) *op,
                             struct nb_error *error)
{
    const nb_real omega =
        adapter->method == NB_CUDA_JACOBI
            ? 1 / NB(nb_largest_eigenvalue)(op, adapter->work, adapter->work + op->size)
            : 1;
    for (size_t i = 0; i < op->size && !adapter->wide; ++i)
        adapter->inverse[i] = omega / op->diagonal[i];
    for (size_t row = 0; row < op->size / 3 && adapter->wide; ++row) {
        nb_real block[9];
        NB(nb_bsr_diagonal_block)(op->matrix, (int)row, block);
        if (!NB(nb_block_invert_spd)(block, adapter->inverse + 9 * row))
            return nb_fail(error, NB_BREAKDOWN, "diagonal block %zu is not positive definite", row);
    }
    return NB_OK;
}

/* Rounded to nearest, ties to even. */
static unsigned short to_bf16(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite((double)value))
        return (unsigned short)(bits >> 16 | (isnan((double)value) ? 1u : 0u));
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static unsigned short to_f16(float value)
{
    const _Float16 half = (_Float16)value;
    unsigned short bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static const void *stored_values(struct adapter *adapter, const struct NB(nb_bsr) *matrix)
{
    const size_t count = 9 * (size_t)matrix->start[matrix->rows];
    if (adapter->storage == NB_CUDA_SAME)
        return matrix->value;
    for (size_t i = 0; i < count; ++i)
        adapter->narrow[i] = adapter->storage == NB_CUDA_F16 ? to_f16((float)matrix->value[i])
                                                             : to_bf16((float)matrix->value[i]);
    return adapter->narrow;
}

enum nb_status NB(nb_cuda_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error)
{
    struct adapter *adapter = self;
    enum nb_status status = NB(nb_check_diagonal)(op, error);
    if (status || !adapter->pcr)
        return status;
    status = invert(adapter, op, error);
    return status ? status
                  : nb_cuda_pcr_update(adapter->pcr, stored_values(adapter, op->matrix),
                                       adapter->inverse, error);
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
