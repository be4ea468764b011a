// A whole solve, or a part of one, by threads that a barrier keeps together: of the grid, or of a block.
#ifndef NB_CUDA_ITERATE_CUH
#define NB_CUDA_ITERATE_CUH

#include "solvers/cuda/sweep_stages.cuh"

// Where start: begins. Then `count` iterations, or fewer if a verdict falls.
template <class Method, class T, class Barrier>
__device__ void pcr_iterate(const pcr_system<T> &system, bool start, int count, T *scratch,
                            Barrier barrier)
{
    for (int number = 0; start && number <= 3; number += number ? 1 : 2) {
        Method::stage(system, number, true, scratch);
        barrier();
    }
    // The verdict is the same in all threads: it is next written two barriers later.
    for (int k = 0; k < count && !system.state->after_iteration; ++k) {
        if constexpr (Method::coloured) {
            for (int colour = 0; colour < system.colours; ++colour) {
                gauss_seidel_colour(system, colour);
                barrier();
            }
            if (pcr_leads())
                system.state->after_step = 0;
            barrier();
        } else {
            Method::stage(system, 1, false, scratch);
            barrier();
        }
        Method::stage(system, 2, false, scratch);
        barrier();
        Method::stage(system, 3, false, scratch);
        barrier();
    }
}

#endif
