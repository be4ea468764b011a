// A whole solve, or some iterations of one, by threads that a barrier keeps together: of the grid, or of a block.
#ifndef NB_CUDA_ITERATIONS_CUH
#define NB_CUDA_ITERATIONS_CUH

#include "solvers/cuda/pcg_stages.cuh"
#include "solvers/cuda/relaxation_stages.cuh"

// Where start: begins. Then `count` iterations, or fewer if a verdict falls, which is the same in all threads: it is
// next written in the last stage, a barrier later.
template <class Method, class T, class Barrier>
__device__ void iterate(const linear_system<T> &system, bool start, int count, T *scratch, Barrier barrier)
{
    if (start)
        Method::begin(system, scratch, barrier);
    for (int k = 0; k < count && !system.state->after_iteration; ++k)
        Method::iteration(system, scratch, barrier);
}

#endif
