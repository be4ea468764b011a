/* Preconditioned conjugate residuals on a CUDA device: one kernel for all iterations (solvers/cuda/persistent.cu), or
 * cuSPARSE and cuBLAS (solvers/cuda/library.cu). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_PCR, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_pcr) = {
    .name = "cuda_pcr",
    .title = "PCR with its own preconditioner (CUDA)",
    .source = "Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2",
    .settings = NB(nb_cuda_pcr_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
