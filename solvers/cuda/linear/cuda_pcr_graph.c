/* Preconditioned conjugate residuals on a CUDA device, two fused kernels an iteration in CUDA
 * graphs (solvers/cuda/pcr_graph.cu). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_PCR, NB_CUDA_GRAPH, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_pcr_graph) = {
    .name = "cuda_pcr_graph",
    .title = "PCR with its own preconditioner (CUDA graph)",
    .source = "Saad 2003, algorithm 6.20; Macklin et al. 2019, section 8.2",
    .settings = NB(nb_cuda_krylov_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
