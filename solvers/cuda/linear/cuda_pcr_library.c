/* Conjugate residuals on a CUDA device, preconditioned by Jacobi or its blocks, with cuSPARSE and cuBLAS, as a user
 * would first write it (solvers/cuda/pcr_library.cu). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_PCR, NB_CUDA_LIBRARY, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_pcr_library) = {
    .name = "cuda_pcr_library",
    .title = "PCR with its own preconditioner (CUDA, cuSPARSE and cuBLAS)",
    .source = "Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2",
    .settings = NB(nb_cuda_krylov_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
