// The kernels that take a whole step in one launch: a cooperative grid on all of it, or a block or a cluster of
// blocks a part. See step_stages.cuh.
#ifndef NB_CUDA_STEP_KERNELS_CUH
#define NB_CUDA_STEP_KERNELS_CUH

#include <cooperative_groups.h>

#include "solvers/cuda/cluster.cuh"
#include "solvers/cuda/step/step_direct.cuh"
#include "solvers/cuda/step/step_refined.cuh"

namespace {

enum { MOST_THREADS = 512, ISLAND_THREADS = 256 };
enum step_place { STEP_BY_GRID, STEP_BY_BLOCKS };

struct grid_barrier {
    __device__ void operator()() const { cooperative_groups::this_grid().sync(); }
};
struct block_barrier {
    __device__ void operator()() const { __syncthreads(); }
};

template <class Solver>
__global__ void __launch_bounds__(MOST_THREADS) grid_kernel(const __grid_constant__ step_system s,
                                                            int first, int end)
{
    __shared__ nb_real scratch[Solver::SCRATCH];
    step_iterate<Solver>(s, step_grid_team(), first, end, nullptr, scratch, grid_barrier());
}

template <class Solver>
__global__ void __launch_bounds__(MOST_THREADS) block_kernel(const __grid_constant__ step_system s,
                                                             int first, int end)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ nb_real scratch[Solver::SCRATCH];
    const step_team team = {(int)blockIdx.x, (int)threadIdx.x, (int)blockDim.x};
    step_iterate<Solver>(s, team, first, end, s.room ? memory : nullptr, scratch, block_barrier());
}

template <class Solver>
__global__ void __launch_bounds__(MOST_THREADS) cluster_kernel(const __grid_constant__ step_system s,
                                                               int first, int end)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ nb_real scratch[Solver::SCRATCH];
    const int part = (int)blockIdx.x / s.ranks, rank = (int)blockIdx.x % s.ranks;
    const step_team team = {part, rank * (int)blockDim.x + (int)threadIdx.x,
                            s.ranks * (int)blockDim.x};
    step_iterate<Solver>(s, team, first, end, memory, scratch, cluster_barrier());
    cluster_barrier()(); // no block ends while another may still look for it
}

// The kernels of the linear solver's family.
template <class Solver> const void *kernel_in(step_place place)
{
    return place == STEP_BY_GRID ? (const void *)grid_kernel<Solver> : (const void *)block_kernel<Solver>;
}

// What decides on the family.
struct step_choice {
    int method, format; // enum nb_cuda_method, enum nb_solve_format
    bool estimates;     // omega
};

const void *kernel_of(step_place place, const step_choice &choice)
{
    const int format = choice.format;
    switch (choice.method) {
    case NB_CUDA_JACOBI: return kernel_in<step_jacobi>(place);
    case NB_CUDA_GAUSS_SEIDEL:
        return choice.estimates ? kernel_in<step_sweeps<true>>(place) : kernel_in<step_sweeps<false>>(place);
    case NB_CUDA_CHOLESKY:
        return format ? kernel_in<step_refined<lower_direct>>(place) : kernel_in<step_direct>(place);
    case NB_CUDA_PCG:
        return format ? kernel_in<step_refined<lower_krylov<pcg_method>>>(place) : kernel_in<step_krylov>(place);
    default:
        return format ? kernel_in<step_refined<lower_krylov<pcr_method>>>(place) : kernel_in<step_krylov>(place);
    }
}
const void *kernel_of_grid(const step_choice &choice)
{
    return kernel_of(STEP_BY_GRID, choice);
}
const void *kernel_of_blocks(const step_choice &choice)
{
    return kernel_of(STEP_BY_BLOCKS, choice);
}
const void *kernel_of_clusters(const step_choice &choice)
{
    if (choice.method == NB_CUDA_JACOBI)
        return (const void *)cluster_kernel<step_jacobi>;
    if (choice.method == NB_CUDA_GAUSS_SEIDEL)
        return choice.estimates ? (const void *)cluster_kernel<step_sweeps<true>>
                                : (const void *)cluster_kernel<step_sweeps<false>>;
    if (!choice.format)
        return (const void *)cluster_kernel<step_krylov>;
    return choice.method == NB_CUDA_PCG ? (const void *)cluster_kernel<step_refined<lower_krylov<pcg_method>>>
                                        : (const void *)cluster_kernel<step_refined<lower_krylov<pcr_method>>>;
}

} // namespace

#endif
