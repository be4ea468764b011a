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
            if (pcr_leads(system))
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

// All arrays of a system in shared memory but the order of colours. Returns the bytes.
template <class T>
__host__ __device__ size_t pcr_place(char *base, size_t entries, pcr_system<T> &system)
{
    const size_t n = 3 * (size_t)system.rows;
    T *at = (T *)base;
    system.inverse = at;
    system.b = at += system.wide ? 3 * n : n;
    system.x = at += n;
    system.r = at += n;
    system.z = at += n;
    system.p = at += n;
    system.q = at += n;
    system.w = at += n;
    system.sum_rr = at += n;
    system.sum_bb = at += 1;
    system.sum_zw = at += 1;
    system.sum_qq = at += 1;
    at += 1;
    system.state = (pcr_state<T> *)at; // of T and int: aligned as T
    int *index = (int *)(system.state + 1);
    system.start = index;
    system.column = index += system.rows + 1;
    index += entries;
    if (system.storage) {
        system.value = index;
        return (size_t)((char *)index - base) + 18 * entries;
    }
    char *const value = base + ((size_t)((char *)index - base) + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    system.value = value;
    return (size_t)(value - base) + 9 * entries * sizeof(T);
}

template <class E> __device__ void pcr_copy(E *to, const E *from, size_t count)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        to[i] = from[i];
}

#endif
