/* Preconditioned conjugate residuals on a CUDA device, one kernel for all iterations
 * (solvers/cuda/persistent.cuh). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_PCR, NB_CUDA_PERSISTENT, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_pcr_persistent) = {
    .name = "cuda_pcr_persistent",
    .title = "PCR with its own preconditioner (CUDA, one kernel)",
    .source = "Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2",
    .settings = NB(nb_cuda_persistent_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
