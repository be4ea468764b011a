// A whole solve, or a part of one, by threads that a barrier keeps together: of the grid, or of a block.
#ifndef NB_CUDA_ITERATE_CUH
#define NB_CUDA_ITERATE_CUH

#include "solvers/cuda/place.cuh"
#include "solvers/cuda/sweep_stages.cuh"

// What a product by factors needs before; nothing where A is assembled.
template <class T, class Barrier>
__device__ void pcr_prepare_product(const pcr_system<T> &system, const T *operand, Barrier barrier)
{
    if (!system.factored)
        return;
    pcr_respond(system, operand, pcr_thread(system) / PCR_WARP, pcr_threads(system) / PCR_WARP,
                (int)threadIdx.x % PCR_WARP);
    barrier();
    if (system.ranks) {
        pcr_receive(system);
        __syncthreads();
    }
}

// One stage and the barrier after it.
template <class Method, class T, class Barrier>
__device__ void pcr_run_stage(const pcr_system<T> &system, int number, bool start, T *scratch,
                              Barrier barrier)
{
    const T *operand = Method::operand(system, number);
    if (operand)
        pcr_prepare_product(system, operand, barrier);
    Method::stage(system, number, start, scratch);
    barrier();
}

// Where start: begins. Then `count` iterations, or fewer if a verdict falls.
template <class Method, class T, class Barrier>
__device__ void pcr_iterate(const pcr_system<T> &system, bool start, int count, T *scratch,
                            Barrier barrier)
{
    for (int number = 0; start && number <= Method::last; number += number ? 1 : 2)
        pcr_run_stage<Method>(system, number, true, scratch, barrier);
    // The verdict is the same in all threads: it is next written in the last stage, a barrier later.
    for (int k = 0; k < count && !system.state->after_iteration; ++k) {
        if constexpr (Method::coloured) {
            for (int turn = 0; turn < gauss_seidel_turns(system); ++turn) {
                gauss_seidel_turn(system, turn);
                barrier();
            }
        } else {
            pcr_run_stage<Method>(system, 1, false, scratch, barrier);
        }
        for (int number = 2; number <= Method::last; ++number)
            pcr_run_stage<Method>(system, number, false, scratch, barrier);
    }
}

#endif
