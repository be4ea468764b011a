#include "solvers/cuda/newton_choices.h"

#include <string.h>

#include "solvers/linear/relaxation/relaxation_factor.h"
#include "solvers/model/newton_system.h"

enum { PARTS, STOP, FLOOR, THREADS, PLACED, BY, GEOMETRIC_STIFFNESS, COMPLIANCE, STORAGE, SETTINGS };
enum { BY_ROWS, NONE, DIAGONAL }; /* as newton's */

const struct nb_setting NB(nb_cuda_newton_settings)[] = {
    [PARTS] = {.name = "parts", .choices = "auto,whole,islands",
               .meaning = "the whole step as one system, or a block of threads an island; auto: islands "
                          "where they fit the shared memory"},
    [STOP] = {.name = "stop", .maximum = 1,
              .meaning = "end where the right-hand side has fallen to this fraction of its largest norm; 0: never"},
    [FLOOR] = {.name = "floor", .choices = "no,yes",
               .meaning = "end where the right-hand side is rounding: at most sqrt(u) of its largest norm, "
                          "and for three iterations not below its smallest"},
    [THREADS] = {.name = "threads", .maximum = 512, .whole = 1,
                 .meaning = "of a block, a multiple of 32; 0: 512, or 256 for islands"},
    [PLACED] = {.name = "placed", .choices = NB_CUDA_PLACES,
                .meaning = "a part's linear system: by the grid in global memory, or in the shared memory "
                           "of a block or of a cluster of blocks (pcr, pcg, jacobi, and sweeps by the matrix); auto: "
                           "the first that has room"},
    [BY] = {.name = "by", .choices = "launch,graph",
            .meaning = "all of the step in one launch, or in a graph of a kernel a stage; the latter "
                       "takes the step as one system in global memory"},
    [GEOMETRIC_STIFFNESS] = {.name = "geometric_stiffness", .choices = "rows,none,diagonal",
                             .meaning = "of deformable bodies, in the Newton matrix: rows of the elements' "
                                        "principal axes, nothing, or Broyden's diagonal of section 8.3"},
    [COMPLIANCE] = {.name = "compliance", .choices = "full,diagonal",
                    .meaning = "of elements: the inverse of the elastic Hessian, or of a diagonal bound"},
    [STORAGE] = {.name = "storage", .choices = "same,f16,bf16",
                 .meaning = "of the matrix on the device, or of L J; all else is in the run's precision"},
    [SETTINGS] = {.name = NULL},
};

void NB(nb_cuda_newton_elasticity)(const char *solver, struct nb_elasticity *out)
{
    double value[SETTINGS] = {0};
    nb_settings_read(NB(nb_cuda_newton_settings), solver, value, NULL);
    out->no_axis_rows = value[GEOMETRIC_STIFFNESS] > BY_ROWS;
    out->from_last_step = value[GEOMETRIC_STIFFNESS] >= DIAGONAL;
    out->diagonal_compliance = value[COMPLIANCE] > 0;
}

/* A linear solver of the device. */
struct device_linear {
    const char *name;
    enum nb_cuda_method method;
    struct nb_cuda_linear_cost cost;
    int clusters, factored; /* has it for a cluster of blocks, and where A is not assembled? */
    int refined;            /* in a lower precision within refinement, too?                  */
    int symmetric, relaxed; /* sweeps backward, too; by the factor omega, given or estimated  */
};
static const struct device_linear linears[] = {
    {"pcr", NB_CUDA_PCR, {1, 1, 0}, .clusters = 1, .factored = 1, .refined = 1},
    {"pcg", NB_CUDA_PCG, {1, 1, 0}, .clusters = 1, .factored = 1, .refined = 1},
    {"jacobi", NB_CUDA_JACOBI, {1, 1 + NB_POWER_ITERATIONS, 0}, .clusters = 1, .factored = 1},
    {"gauss_seidel", NB_CUDA_GAUSS_SEIDEL, {1, 2, 0}, .clusters = 1, .factored = 1},
    {"symmetric_gauss_seidel", NB_CUDA_GAUSS_SEIDEL, {2, 2, 0}, .clusters = 1, .factored = 1, .symmetric = 1},
    {"sor", NB_CUDA_GAUSS_SEIDEL, {1, 2, 0}, .clusters = 1, .factored = 1, .relaxed = 1},
    {"ssor", NB_CUDA_GAUSS_SEIDEL, {2, 2, 0}, .clusters = 1, .factored = 1, .symmetric = 1, .relaxed = 1},
    {"dense_cholesky", NB_CUDA_CHOLESKY, {0, 0, 0}, .refined = 1},
};

/* Of a refined solve: in each round the first product of the lower one, if it has any, and the residual after it. */
static struct nb_cuda_linear_cost refined_cost(const struct device_linear *linear)
{
    const int products = linear->cost.iteration;
    return (struct nb_cuda_linear_cost){products, 0, products + 1};
}

/* NULL: the device has it not. */
static const struct device_linear *find_linear(const char *name)
{
    for (size_t k = 0; k < sizeof linears / sizeof *linears; ++k)
        if (strcmp(linears[k].name, name) == 0)
            return linears + k;
    return NULL;
}

/* in=...: what goes with it. */
static enum nb_status check_refinement(const struct device_linear *linear,
                                       const struct NB(nb_cuda_step_options) *chosen, struct nb_error *error)
{
    if (!linear->refined)
        return nb_fail(error, NB_UNSUPPORTED, "cuda_newton: in= is for linear pcr, pcg and dense_cholesky, not for %s",
                       linear->name);
    if (chosen->storage)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: in= says how the matrix or L J of the linear solves is stored, the other one is "
                       "the run's own: storage=same");
    return NB_OK;
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
                       "cuda_newton has the linear solvers pcr, pcg, jacobi, gauss_seidel, symmetric_gauss_seidel, "
                       "sor, ssor and dense_cholesky, not %.60s", options->linear);
    if (!linear->factored && strcmp(options->operator_form, "factored") == 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: %s takes the matrix, which operator factored does not have: operator "
                       "assembled, or another linear solver", linear->name);
    if (out->place >= NB_CUDA_PLACE_CLUSTER && !linear->clusters)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: %s is not made for clusters of blocks: placed=auto, grid or block, "
                       "or linear pcr, pcg, jacobi or gauss_seidel", linear->name);
    if (out->place >= NB_CUDA_PLACE_CLUSTER && linear->method == NB_CUDA_GAUSS_SEIDEL &&
        strcmp(options->operator_form, "factored") == 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: by factors %s is not made for clusters of blocks: placed=auto, grid or block, "
                       "or operator assembled", linear->name);
    if (linear->method == NB_CUDA_CHOLESKY && out->storage)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: dense_cholesky factorises the matrix as it is: storage=same");
    if (value[NB_LINEAR_START] != 0 || value[NB_LINEAR_ISLANDS] != 0)
        return nb_fail(error, NB_UNSUPPORTED,
                       "cuda_newton: of the linear solver's settings it has tol and in, and parts=islands of its own");
    out->method = linear->method;
    out->symmetric = linear->symmetric;
    out->omega = linear->relaxed ? (nb_real)value[NB_LINEAR_COMMON] : 1;
    out->tolerance = (nb_real)value[NB_LINEAR_TOL];
    out->format = (enum nb_solve_format)value[NB_LINEAR_IN];
    *cost = out->format ? refined_cost(linear) : linear->cost;
    if (!(out->omega > 0))
        cost->solve += NB_SOR_LANCZOS_STEPS; /* a part of less than four blocks of rows takes fewer */
    return out->format ? check_refinement(linear, out, error) : NB_OK;
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
    out->place = (enum nb_cuda_place)value[PLACED];
    out->graph = value[BY] > 0;
    out->storage = (enum nb_cuda_storage)value[STORAGE];
    if (!status)
        status = choose(options, out, cost, error);
    if (status)
        return status;
    out->parts = (enum nb_cuda_parts)value[PARTS];
    out->stop = (nb_real)value[STOP];
    out->floor = value[FLOOR] > 0;
    out->diagonal_stiffness = value[GEOMETRIC_STIFFNESS] >= DIAGONAL;
    out->threads = (int)value[THREADS];
    out->true_form = strcmp(options->newton_form, "true") == 0;
    out->linear_iterations = options->linear_iterations;
    out->damping = (nb_real)options->damping;
    if (out->threads % 32)
        return nb_fail(error, NB_BAD_INPUT, "cuda_newton: threads=%d is not a multiple of 32",
                       out->threads);
    return NB_OK;
}
