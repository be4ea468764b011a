/* Preconditioned conjugate gradients on a CUDA device, three fused kernels an iteration in CUDA
 * graphs (solvers/cuda/pcg_stages.cuh). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_PCG, NB_CUDA_GRAPH, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_pcg_graph) = {
    .name = "cuda_pcg_graph",
    .title = "PCG with its own preconditioner (CUDA graph)",
    .source = "Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1",
    .settings = NB(nb_cuda_krylov_settings),
    .foreign = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
