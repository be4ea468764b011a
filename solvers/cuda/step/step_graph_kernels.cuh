// The kernels of a step's graph (step_graph.cuh), each a stage of graph_stages.cuh or refine_graph.cuh.
#ifndef NB_CUDA_STEP_GRAPH_KERNELS_CUH
#define NB_CUDA_STEP_GRAPH_KERNELS_CUH

#include "solvers/cuda/graph_chain.cuh"
#include "solvers/cuda/pcr_host.cuh"
#include "solvers/cuda/step/refine_graph.cuh"

namespace {

enum { STAGE_THREADS = 256 };

template <int stage>
__global__ void __launch_bounds__(STAGE_THREADS)
    stage_kernel(const __grid_constant__ step_system s, const step_progress *progress)
{
    const step_team team = {0, (int)(blockIdx.x * blockDim.x + threadIdx.x),
                            (int)(gridDim.x * blockDim.x)};
    step_run_stage((step_stage)stage, s, team, progress);
}

__global__ void __launch_bounds__(STAGE_THREADS)
    gather_kernel(const __grid_constant__ step_system s, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_MOST_WARPS];
    const step_team team = {0, (int)(blockIdx.x * blockDim.x + threadIdx.x),
                            (int)(gridDim.x * blockDim.x)};
    step_run_gather(s, team, progress, scratch);
}

template <class Method, int number>
__global__ void __launch_bounds__(PCR_THREADS)
    krylov_kernel(const __grid_constant__ step_system s, bool start, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_SCRATCH];
    step_run_krylov<Method>(s, number, start, progress, scratch);
}

template <class Method, int number>
__global__ void __launch_bounds__(PCR_THREADS)
    lower_kernel(const __grid_constant__ step_system s, bool start, const step_progress *progress)
{
    __shared__ float scratch[PCR_SCRATCH];
    step_run_lower<Method>(s, number, start, progress, scratch);
}

__global__ void __launch_bounds__(PCR_THREADS)
    refine_kernel(const __grid_constant__ step_system s, refine_stage stage, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_SCRATCH];
    const step_team team = {0, (int)(blockIdx.x * blockDim.x + threadIdx.x),
                            (int)(gridDim.x * blockDim.x)};
    step_run_refine(s, stage, team, progress, scratch);
}

__global__ void __launch_bounds__(PCR_THREADS)
    turn_kernel(const __grid_constant__ step_system s, int turn, const step_progress *progress)
{
    step_run_turn(s, turn, progress);
}

__global__ void __launch_bounds__(PCR_THREADS)
    lanczos_kernel(const __grid_constant__ step_system s, int turn, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_SCRATCH];
    step_run_lanczos(s, turn, progress, scratch);
}

__global__ void __launch_bounds__(PCR_THREADS)
    dense_kernel(const __grid_constant__ step_system s, step_dense_stage stage, int tile, const step_progress *progress)
{
    __shared__ nb_real scratch[DENSE_SCRATCH];
    step_run_dense(s, stage, tile, progress, scratch);
}

__global__ void __launch_bounds__(PCR_THREADS)
    lower_dense_kernel(const __grid_constant__ step_system s, step_dense_stage stage, int tile,
                       const step_progress *progress)
{
    __shared__ float scratch[DENSE_SCRATCH];
    step_run_lower_dense(s, stage, tile, progress, scratch);
}

template <class Method, int number>
__global__ void __launch_bounds__(PCR_THREADS)
    response_kernel(const __grid_constant__ step_system s, const step_progress *progress)
{
    step_run_response<Method>(s, number, progress);
}

template <class Method, int number>
__global__ void __launch_bounds__(PCR_THREADS)
    lower_response_kernel(const __grid_constant__ step_system s, const step_progress *progress)
{
    step_run_lower_response<Method>(s, number, progress);
}

__global__ void solving_kernel(const __grid_constant__ step_system s, const step_progress *progress,
                               graph_loop loop)
{
    loop.set(step_solving(s, progress));
}

__global__ void solving_lower_kernel(const __grid_constant__ step_system s, const step_progress *progress,
                                     graph_loop loop)
{
    loop.set(step_solving_lower(s, progress));
}

__global__ void refining_kernel(const __grid_constant__ step_system s, const step_progress *progress,
                                graph_loop loop)
{
    loop.set(step_refining(s, progress));
}

__global__ void advance_kernel(const __grid_constant__ step_system s, step_progress *progress,
                               graph_loop loop)
{
    loop.set(step_advance(s, progress));
}

} // namespace

#endif
