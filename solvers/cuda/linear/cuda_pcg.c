/* Preconditioned conjugate gradients on a CUDA device, one kernel for all iterations (solvers/cuda/persistent.cu). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_PCG, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_pcg) = {
    .name = "cuda_pcg",
    .title = "PCG with its own preconditioner (CUDA)",
    .source = "Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1",
    .settings = NB(nb_cuda_pcg_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
