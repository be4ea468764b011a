/* The settings of cuda_newton, and which linear solvers, preconditioners and NCP functions the device has. */
#include "solvers/cuda/newton_choices.h"

#include <string.h>

#include "solvers/linear/relaxation/relaxation_factor.h"
#include "solvers/model/newton_system.h"

enum { TEAM, THREADS, STORAGE, GEOMETRIC_STIFFNESS, COMPLIANCE, SETTINGS };

const struct nb_setting NB(nb_cuda_newton_settings)[] = {
    [TEAM] = {.name = "by", .choices = "auto,grid,block,islands",
              .meaning = "the whole step by the grid, its linear system in global memory, or by one block that keeps "
                         "it in shared memory, or a block each island; auto: islands if all fit, else the grid"},
    [THREADS] = {.name = "threads", .maximum = 512, .whole = 1,
                 .meaning = "of a block, a multiple of 32; 0: 512, or 256 for islands"},
    [STORAGE] = {.name = "storage", .choices = "same,f16,bf16",
                 .meaning = "of the matrix on the device, or of L J; all else is in the run's precision"},
    [GEOMETRIC_STIFFNESS] = {.name = "geometric_stiffness", .choices = "rows,none",
                             .meaning = "of deformable bodies, in the Newton matrix: rows of the elements' "
                                        "principal axes, or nothing"},
    [COMPLIANCE] = {.name = "compliance", .choices = "full,diagonal",
                    .meaning = "of elements: the inverse of the elastic Hessian, or of a diagonal bound"},
    [SETTINGS] = {.name = NULL},
};

void NB(nb_cuda_newton_elasticity)(const char *solver, struct nb_elasticity *out)
{
    double value[SETTINGS] = {0};
    nb_settings_read(NB(nb_cuda_newton_settings), solver, value, NULL);
    out->no_axis_rows = value[GEOMETRIC_STIFFNESS] > 0;
    out->diagonal_compliance = value[COMPLIANCE] > 0;
}

/* A linear solver of the device. */
struct device_linear {
    const char *name;
    enum nb_cuda_method method;
    struct nb_cuda_linear_cost cost;
};
static const struct device_linear linears[] = {
    {"pcr", NB_CUDA_PCR, {1, 1}},
    {"pcg", NB_CUDA_PCG, {1, 1}},
    {"jacobi", NB_CUDA_JACOBI, {1, 1 + NB_POWER_ITERATIONS}},
    {"gauss_seidel", NB_CUDA_GAUSS_SEIDEL, {1, 2}},
};

/* NULL: the device has it not. */
static const struct device_linear *find_linear(const char *name)
{
    for (size_t k = 0; k < sizeof linears / sizeof *linears; ++k)
        if (strcmp(linears[k].name, name) == 0)
            return linears + k;
    return NULL;
}

static enum nb_status choose_linear(const struct nb_options *options, struct NB(nb_cuda_step_options) *out,
                                    struct nb_cuda_linear_cost *cost, struct nb_error *error)
{
    const struct device_linear *linear = find_linear(NB(nb_find_linear)(options->linear)->name);
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX] = {0};
    enum nb_status status = nb_settings_read(NB(nb_strategy_settings)("linear", options->linear),
                                             options->linear, value, error);
    if (status)
        return status;
    if (!linear)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton has the linear solvers pcr, pcg, jacobi and gauss_seidel, not %.60s",
                       options->linear);
    if (strcmp(options->operator_form, "stiffness") == 0)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton has the operators assembled and factored, not stiffness");
    if (linear->method == NB_CUDA_GAUSS_SEIDEL && strcmp(options->operator_form, "factored") == 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: gauss_seidel takes single rows of the matrix, which operator factored does not "
                       "have: operator assembled, or another linear solver");
    if (value[NB_LINEAR_START] != 0 || value[NB_LINEAR_ISLANDS] != 0 || value[NB_LINEAR_IN] != 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: of the linear solver's settings it has tol only; by=islands and storage= are its "
                       "own");
    out->method = linear->method;
    out->tolerance = (nb_real)value[NB_LINEAR_TOL];
    *cost = linear->cost;
    return NB_OK;
}

/* The strategies that the device has. */
static enum nb_status choose(const struct nb_options *options, struct NB(nb_cuda_step_options) *out,
                             struct nb_cuda_linear_cost *cost, struct nb_error *error)
{
    const struct NB(nb_ncp) *ncp = NB(nb_find_ncp)(options->ncp);
    const int preconditioned = NB(nb_linear_uses_precond)(options->linear);
    const enum nb_status status = choose_linear(options, out, cost, error);
    if (status)
        return status;
    out->minimum = strcmp(ncp->name, "min") == 0;
    out->wide = preconditioned && strcmp(options->precond, "block_jacobi") == 0;
    if (preconditioned && !out->wide && strcmp(options->precond, "jacobi") != 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton has the preconditioners jacobi and block_jacobi");
    if (!out->minimum && strcmp(ncp->name, "fb") != 0)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton has the NCP functions fb and min");
    return NB_OK;
}

enum nb_status NB(nb_cuda_newton_choose)(const struct nb_options *options, struct NB(nb_cuda_step_options) *out,
                                         struct nb_cuda_linear_cost *cost, struct nb_error *error)
{
    double value[SETTINGS] = {0};
    enum nb_status status = nb_settings_read(NB(nb_cuda_newton_settings), options->solver, value, error);
    if (!status)
        status = choose(options, out, cost, error);
    if (status)
        return status;
    out->by = (enum nb_cuda_step_by)value[TEAM];
    out->storage = (enum nb_cuda_storage)value[STORAGE];
    out->threads = (int)value[THREADS];
    out->true_form = strcmp(options->newton_form, "true") == 0;
    out->linear_iterations = options->linear_iterations;
    out->damping = (nb_real)options->damping;
    if (out->threads % 32)
        return nb_fail(error, NB_BAD_INPUT, "cuda_newton: threads=%d is not a multiple of 32",
                       out->threads);
    return NB_OK;
}
