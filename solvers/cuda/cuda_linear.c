/* The operator's matrix, or its factors, and the task as the CUDA code takes them. The solve's time contains copying b
 * and the start to the device and x back; copying the matrix is part of the update. */
#include "solvers/cuda/cuda_linear.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/block/half.h"
#include "solvers/linear/relaxation/relaxation.h"
#include "solvers/model/model.h"

struct adapter {
    enum nb_cuda_method method;
    int wide;
    enum nb_cuda_storage storage;
    enum nb_cuda_by by;
    struct nb_cuda_linear *device; /* NULL: the system is empty                               */
    nb_real *inverse;        /* [n] 1 / diag A, or [3 n] where wide                         */
    nb_real *weight;         /* [n] 1 / diag A                                              */
    nb_real *work;           /* [2 n] for an estimate                                      */
    unsigned short *narrow;  /* [9 blocks] the values in 16 bits, or NULL                   */
    nb_real *scaled, *compliance; /* L J [9 Jacobian blocks] and C [9 rows]; NULL: A is assembled */
};

#define STORAGE_SETTING                                                                         \
    [NB_LINEAR_COMMON + NB_CUDA_STORAGE] = {                                                    \
        .name = "storage", .choices = "same,f16,bf16",                                          \
        .meaning = "of the matrix on the device, or of L J; sums are in the run's precision"}

#define BY_SETTING(more, library)                                                               \
    {.name = "by", .choices = "auto,grid,block" more,                                           \
     .meaning = "the grid, the system in global memory; one block that keeps it in its shared memory; auto: " \
                "the block if it has room" library}

#define PRECONDITIONER_SETTING                                                                  \
    {.name = "preconditioner", .choices = "jacobi,block_jacobi",                                \
     .meaning = "the solver's own: the diagonal, or its 3x3 blocks"}

const struct nb_setting NB(nb_cuda_pcr_settings)[] = {
    NB_LINEAR_COMMON_SETTINGS,
    STORAGE_SETTING,
    BY_SETTING(",library", "; library: cuSPARSE and cuBLAS in place of one kernel"),
    PRECONDITIONER_SETTING,
    {.name = NULL},
};

const struct nb_setting NB(nb_cuda_pcg_settings)[] = {
    NB_LINEAR_COMMON_SETTINGS,
    STORAGE_SETTING,
    BY_SETTING("", ""),
    PRECONDITIONER_SETTING,
    {.name = NULL},
};

const struct nb_setting NB(nb_cuda_relaxation_settings)[] = {
    NB_LINEAR_COMMON_SETTINGS,
    STORAGE_SETTING,
    BY_SETTING("", ""),
    {.name = NULL},
};

void NB(nb_cuda_free)(void *self)
{
    struct adapter *adapter = self;
    if (!adapter)
        return;
    if (adapter->device)
        nb_cuda_linear_free(adapter->device);
    free(adapter->inverse);
    free(adapter->weight);
    free(adapter->work);
    free(adapter->narrow);
    free(adapter->scaled);
    free(adapter->compliance);
    free(adapter);
}

static enum nb_status allocate(struct adapter *adapter, const struct NB(nb_operator) *op,
                               struct nb_error *error)
{
    const struct NB(nb_bsr) *pattern = op->matrix ? op->matrix : &op->model->jacobian;
    const size_t values = 9 * (size_t)pattern->start[pattern->rows];
    adapter->inverse = malloc((3 * op->size + 1) * sizeof *adapter->inverse);
    adapter->weight = malloc((op->size + 1) * sizeof *adapter->weight);
    adapter->work = malloc((2 * op->size + 1) * sizeof *adapter->work);
    if (adapter->storage)
        adapter->narrow = malloc((values + 1) * sizeof *adapter->narrow);
    if (!op->matrix) {
        adapter->scaled = malloc((values + 1) * sizeof *adapter->scaled);
        adapter->compliance = malloc((3 * op->size + 1) * sizeof *adapter->compliance);
    }
    return adapter->inverse && adapter->weight && adapter->work && (!adapter->storage || adapter->narrow) &&
                   (op->matrix || (adapter->scaled && adapter->compliance))
               ? NB_OK
               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the diagonal");
}

/* The Jacobian's blocks by nodes, and their rows. */
static enum nb_status create_factored(struct adapter *adapter, const struct NB(nb_model) *model,
                                      struct nb_cuda_pattern *pattern, struct nb_error *error)
{
    const int blocks = model->jacobian.start[model->blocks];
    int *row = malloc(((size_t)blocks + 1) * sizeof *row);
    if (!row)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Jacobian's rows");
    for (int k = 0; k < blocks; ++k)
        row[k] = model->block_row[model->node_block[k]];
    pattern->nodes = model->nodes;
    pattern->node_start = model->node_start;
    pattern->node_entry = model->node_block;
    pattern->node_row = row;
    const enum nb_status status =
        nb_cuda_linear_create(&adapter->device, adapter->method, pattern, error);
    free(row);
    return status;
}

static enum nb_status create(struct adapter *adapter, const struct NB(nb_operator) *op,
                             struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = op->matrix ? op->matrix : &op->model->jacobian;
    struct nb_cuda_pattern pattern = {
        .single = sizeof(nb_real) == sizeof(float),
        .wide = adapter->wide,
        .storage = adapter->storage,
        .by = adapter->by,
        .rows = matrix->rows,
        .start = matrix->start,
        .column = matrix->column,
    };
    const enum nb_status status = allocate(adapter, op, error);
    if (status || op->size == 0)
        return status;
    return op->matrix ? nb_cuda_linear_create(&adapter->device, adapter->method, &pattern, error)
                      : create_factored(adapter, op->model, &pattern, error);
}

enum nb_status NB(nb_cuda_setup)(void **self, const struct NB(nb_operator) *op,
                                 enum nb_cuda_method method, struct nb_error *error)
{
    *self = NULL;
    if (sizeof(nb_real) != sizeof(nb_matrix) || sizeof(nb_real) != sizeof(nb_sum))
        return nb_fail(error, NB_UNSUPPORTED, "CUDA solvers work in f64 and f32, not in %s",
                       NB_TEXT(NB_PRECISION));
    if (!op->matrix && op->model->inertia_kind != NB_INERTIA_BLOCKS)
        return nb_fail(error, NB_UNSUPPORTED,
                       "CUDA solvers take the factored operator with a mass in 3x3 blocks only");
    struct adapter *adapter = calloc(1, sizeof *adapter);
    if (!adapter)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a CUDA solver");
    adapter->method = method;
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX], *own = value + NB_LINEAR_COMMON;
    nb_settings_read(NB(nb_strategy_settings)("linear", op->options->linear), op->options->linear, value, NULL);
    adapter->storage = (enum nb_cuda_storage)own[NB_CUDA_STORAGE];
    adapter->by = (enum nb_cuda_by)own[NB_CUDA_BY];
    if (method == NB_CUDA_PCR || method == NB_CUDA_PCG)
        adapter->wide = own[NB_CUDA_PRECONDITIONER] > 0;
    const enum nb_status status = create(adapter, op, error);
    if (status) {
        NB(nb_cuda_free)(adapter);
        return status;
    }
    *self = adapter;
    return NB_OK;
}

/* L J and C. */
static void fill_factors(struct adapter *adapter, const struct NB(nb_operator) *op)
{
    const struct NB(nb_model) *model = op->model;
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    for (int i = 0; i < jacobian->rows; ++i) {
        const nb_real *scale = op->row_scale + 3 * (size_t)i;
        nb_real *own = adapter->compliance + 9 * (size_t)i;
        for (size_t k = 9 * (size_t)jacobian->start[i]; k < 9 * (size_t)jacobian->start[i + 1]; ++k)
            adapter->scaled[k] = scale[k % 9 / 3] * (nb_real)jacobian->value[k];
        for (size_t k = 0; k < 9; ++k)
            own[k] = k % 4 == 0                ? op->compliance[3 * (size_t)i + k / 4]
                     : i < model->bilateral_blocks ? model->bilateral_compliance[9 * (size_t)i + k]
                                                   : 0;
    }
}

/* The diagonal block of row i of A; after fill_factors. */
static void diagonal_block(const struct adapter *adapter, const struct NB(nb_operator) *op, int i,
                           nb_real *block)
{
    if (op->matrix) {
        NB(nb_bsr_diagonal_block)(op->matrix, i, block);
        return;
    }
    const struct NB(nb_bsr) *jacobian = &op->model->jacobian;
    memcpy(block, adapter->compliance + 9 * (size_t)i, 9 * sizeof *block);
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        const nb_real *mass = op->model->inverse_mass + 9 * (size_t)jacobian->column[k];
        const nb_real *own = adapter->scaled + 9 * (size_t)k;
        nb_real weighted[9];
        for (int e = 0; e < 9; ++e) {
            const nb_real *line = own + e / 3 * 3, *column = mass + e % 3;
            weighted[e] = line[0] * column[0] + line[1] * column[3] + line[2] * column[6];
        }
        for (int e = 0; e < 9; ++e)
            block[e] += NB(nb_dot3)(weighted + e / 3 * 3, own + e % 3 * 3);
    }
}

/* P^-1, or omega / diag A; and 1 / diag A. */
static enum nb_status invert(struct adapter *adapter, struct NB(nb_operator) *op,
                             struct nb_error *error)
{
    const nb_real omega =
        adapter->method == NB_CUDA_JACOBI
            ? 1 / NB(nb_largest_eigenvalue)(op, adapter->work, adapter->work + op->size)
            : 1;
    for (size_t i = 0; i < op->size; ++i)
        adapter->weight[i] = 1 / op->diagonal[i];
    for (size_t i = 0; i < op->size && !adapter->wide; ++i)
        adapter->inverse[i] = omega / op->diagonal[i];
    for (size_t row = 0; row < op->size / 3 && adapter->wide; ++row) {
        nb_real block[9];
        diagonal_block(adapter, op, (int)row, block);
        if (!NB(nb_block_invert_spd)(block, adapter->inverse + 9 * row))
            return nb_fail(error, NB_BREAKDOWN, "diagonal block %zu is not positive definite", row);
    }
    return NB_OK;
}

/* The blocks of A, or of G after fill_factors, as the device is to keep them. */
static const void *stored_values(struct adapter *adapter, const struct NB(nb_operator) *op)
{
    const struct NB(nb_bsr) *pattern = op->matrix ? op->matrix : &op->model->jacobian;
    const size_t count = 9 * (size_t)pattern->start[pattern->rows];
    if (adapter->storage == NB_CUDA_SAME)
        return op->matrix ? (const void *)op->matrix->value : (const void *)adapter->scaled;
    for (size_t i = 0; i < count; ++i) {
        const float value = op->matrix ? (float)op->matrix->value[i] : (float)adapter->scaled[i];
        adapter->narrow[i] = adapter->storage == NB_CUDA_F16 ? nb_f16_narrow(value) : nb_bf16_narrow(value);
    }
    return adapter->narrow;
}

enum nb_status NB(nb_cuda_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error)
{
    struct adapter *adapter = self;
    enum nb_status status = NB(nb_check_diagonal)(op, error);
    if (status || !adapter->device)
        return status;
    if (!op->matrix)
        fill_factors(adapter, op);
    status = invert(adapter, op, error);
    if (status)
        return status;
    const struct nb_cuda_values values = {
        .value = stored_values(adapter, op),
        .inverse = adapter->inverse,
        .weight = adapter->weight,
        .inverse_mass = op->matrix ? NULL : op->model->inverse_mass,
        .compliance = adapter->compliance,
    };
    return nb_cuda_linear_update(adapter->device, &values, error);
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
    if (!adapter->device)
        return (struct nb_linear_report){NB_LINEAR_CONVERGED, 0, ""};
    return nb_cuda_linear_solve(adapter->device, &cuda);
}
