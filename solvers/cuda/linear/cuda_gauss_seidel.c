/* Gauss-Seidel on a CUDA device, block rows colour by colour, one kernel for all iterations
 * (solvers/cuda/relaxation_stages.cuh). Its order differs from gauss_seidel, and so do its iterates. */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_GAUSS_SEIDEL, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_gauss_seidel) = {
    .name = "cuda_gauss_seidel",
    .title = "Gauss-Seidel by colours (CUDA)",
    .source = "Saad 2003, sections 4.1 and 12.4",
    .settings = NB(nb_cuda_relaxation_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
