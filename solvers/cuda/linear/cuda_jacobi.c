/* Jacobi, as the row jacobi, on a CUDA device, one kernel for all iterations (solvers/cuda/persistent.cu). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_JACOBI, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_jacobi) = {
    .name = "cuda_jacobi",
    .title = "Jacobi (CUDA)",
    .source = "Saad 2003, section 4.1; under-relaxed by a power estimate",
    .settings = NB(nb_cuda_relaxation_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
