// What launches have in common: barriers, shared memory, and how large they may be on this device.
#ifndef NB_CUDA_LAUNCH_CUH
#define NB_CUDA_LAUNCH_CUH

#include <cooperative_groups.h>

#include "solvers/cuda/check.cuh"

// What keeps the threads of a persistent kernel together.
struct grid_barrier {
    __device__ void operator()() const { cooperative_groups::this_grid().sync(); }
};
struct block_barrier {
    __device__ void operator()() const { __syncthreads(); }
};

#ifdef __CUDACC__ // tests have their own
// The block's dynamic shared memory.
__device__ inline char *shared_memory()
{
    extern __shared__ __align__(16) char memory[];
    return memory;
}
#endif

// How many blocks of `threads` threads, with that many bytes of shared memory each, a cooperative launch is to have for
// `rows` block rows: a warp a row, and no more than run at the same time. NB_UNSUPPORTED where none can.
nb_status nb_cuda_fit_grid(const void *kernel, int threads, size_t shared, int rows, int *blocks,
                           nb_error *error);

// Shared memory that a block can get beside the kernel's own [bytes]; tells CUDA that it will ask for it.
nb_status nb_cuda_ask_shared_memory(const void *kernel, size_t *bytes, nb_error *error);

#endif
