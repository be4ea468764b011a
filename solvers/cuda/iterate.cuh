// A whole solve, or a part of one, by threads that a barrier keeps together: of the grid, or of a block.
#ifndef NB_CUDA_ITERATE_CUH
#define NB_CUDA_ITERATE_CUH

#include "solvers/cuda/sweep_stages.cuh"

// One stage and the barrier after it; where A is not assembled, what a product needs before.
template <class Method, class T, class Barrier>
__device__ void pcr_run_stage(const pcr_system<T> &system, int number, bool start, T *scratch,
                              Barrier barrier)
{
    const T *operand = Method::operand(system, number);
    if (system.factors.nodes > 0 && operand) {
        pcr_respond(system, operand, pcr_thread(system) / PCR_WARP, pcr_threads(system) / PCR_WARP,
                    (int)threadIdx.x % PCR_WARP);
        barrier();
    }
    Method::stage(system, number, start, scratch);
    barrier();
}

// Where start: begins. Then `count` iterations, or fewer if a verdict falls.
template <class Method, class T, class Barrier>
__device__ void pcr_iterate(const pcr_system<T> &system, bool start, int count, T *scratch,
                            Barrier barrier)
{
    for (int number = 0; start && number <= 3; number += number ? 1 : 2) {
        pcr_run_stage<Method>(system, number, true, scratch, barrier);
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
            pcr_run_stage<Method>(system, 1, false, scratch, barrier);
        }
        pcr_run_stage<Method>(system, 2, false, scratch, barrier);
        pcr_run_stage<Method>(system, 3, false, scratch, barrier);
    }
}

template <class E> __device__ void pcr_copy(E *to, const E *from, size_t count)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        to[i] = from[i];
}

// What the factors have besides the blocks, numbers and indices; nothing where A is assembled. In a block
// only, not in a cluster. Returns what follows.
template <class T> __host__ __device__ T *pcr_place_factors(T *at, size_t n, pcr_factors<T> &factors)
{
    const size_t nodes = (size_t)factors.nodes;
    factors.compliance = at;
    factors.inverse_mass = at += nodes ? 3 * n : 0;
    factors.velocity = at += 9 * nodes;
    return at + 3 * nodes;
}
template <class T>
__host__ __device__ int *pcr_place_nodes(int *at, size_t entries, pcr_factors<T> &factors)
{
    if (factors.nodes == 0)
        return at;
    factors.node_start = at;
    factors.node_entry = at += factors.nodes + 1;
    factors.node_row = at += entries;
    return at + entries;
}

// Brings them there, counted from the system's first entry.
template <class T>
__device__ void pcr_bring_factors(pcr_system<T> &near, const pcr_system<T> &far, size_t entries)
{
    const pcr_factors<T> &to = near.factors, &from = far.factors;
    if (from.nodes == 0)
        return;
    const size_t nodes = (size_t)from.nodes;
    const int first_entry = far.start[0], first = from.node_start[0];
    pcr_copy((T *)to.compliance, from.compliance, 9 * (size_t)far.rows);
    pcr_copy((T *)to.inverse_mass, from.inverse_mass, 9 * nodes);
    pcr_copy((int *)to.node_row, from.node_row + first, entries);
    for (size_t i = threadIdx.x; i <= nodes; i += blockDim.x)
        ((int *)to.node_start)[i] = from.node_start[i] - first;
    for (size_t i = threadIdx.x; i < entries; i += blockDim.x)
        ((int *)to.node_entry)[i] = from.node_entry[first + i] - first_entry;
}

// The arrays of `near`, in shared memory: one block's `near.rows` of the `rows` rows, with that many
// entries. What others of a cluster write, they find at the same place in each block: the partial sums, and
// the vector that is multiplied by A, z or p. The order of colours stays where it is. Returns the bytes.
template <class T>
__host__ __device__ size_t pcr_place(char *base, int rows, size_t entries, bool multiplies_p,
                                     pcr_system<T> &near)
{
    const size_t n = 3 * (size_t)near.rows, sums = near.ranks ? (size_t)near.ranks : 1;
    T *at = (T *)base;
    T *const mine = at + 3 * (size_t)near.first;
    near.sum_rr = at += 3 * (size_t)rows;
    near.sum_bb = at += sums;
    near.sum_zw = at += sums;
    near.sum_qq = at += sums;
    near.inverse = at += sums;
    near.b = at += near.wide ? 3 * n : n;
    near.x = at += n;
    near.r = at += n;
    near.q = at += n;
    near.w = at += n;
    at += n;
    near.p = multiplies_p ? mine : at;
    near.z = multiplies_p ? at : mine;
    at += n;
    at = pcr_place_factors(at, n, near.factors);
    near.state = (pcr_state<T> *)at; // of T and int: aligned as T
    near.start = (int *)(near.state + 1);
    near.column = near.start + near.rows + 1;
    near.needed = (const unsigned short *)pcr_place_nodes((int *)near.column + entries, entries,
                                                          near.factors);
    const char *const end = (const char *)(near.needed + (near.ranks ? near.rows : 0));
    const size_t width = near.storage ? 2 : sizeof(T);
    const size_t value = ((size_t)(end - (const char *)base) + width - 1) / width * width;
    near.value = base + value;
    return value + 9 * entries * width;
}

// All of a system, or of one with a `split` the rows of this block of the cluster, brought into the block's
// memory; a barrier has to follow. `resumed`: it has been returned after an iteration.
template <class T>
__device__ pcr_system<T> pcr_bring(const pcr_system<T> &far, bool multiplies_p, bool resumed,
                                   char *memory)
{
    pcr_system<T> near = far;
    near.lone = 1;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (far.split) {
        near.rank = (int)__clusterRelativeBlockRank();
        near.ranks = (int)__clusterSizeInBlocks();
        near.first = far.split[near.rank];
        near.rows = far.split[near.rank + 1] - near.first;
    }
#endif
    const size_t first = 3 * (size_t)near.first, n = 3 * (size_t)near.rows, wide = near.wide ? 3 : 1;
    const int from = far.start[near.first];
    const size_t entries = (size_t)(far.start[near.first + near.rows] - from);
    pcr_place(memory, far.rows, entries, multiplies_p, near);
    if (near.storage)
        pcr_copy((unsigned short *)near.value, (const unsigned short *)far.value + 9 * (size_t)from,
                 9 * entries);
    else
        pcr_copy((T *)near.value, (const T *)far.value + 9 * (size_t)from, 9 * entries);
    pcr_copy((T *)near.inverse, far.inverse + wide * first, wide * n);
    pcr_copy((T *)near.b, far.b + first, n);
    pcr_copy((int *)near.column, far.column + from, entries);
    pcr_bring_factors(near, far, entries);
    if (near.ranks)
        pcr_copy((unsigned short *)near.needed, far.needed + near.first, (size_t)near.rows);
    for (int i = (int)threadIdx.x; i <= near.rows; i += (int)blockDim.x)
        ((int *)near.start)[i] = far.start[near.first + i] - from;
    pcr_copy(near.x, far.x + first, n);
    pcr_copy(near.state, far.state, 1);
    if (resumed) {
        const size_t sums = near.ranks ? (size_t)near.ranks : 1;
        pcr_copy(near.r, far.r + first, n);
        pcr_copy(near.z, far.z + first, n);
        pcr_copy(near.p, far.p + first, n);
        pcr_copy(near.q, far.q + first, n);
        pcr_copy(near.w, far.w + first, n);
        pcr_copy(near.sum_rr, far.sum_rr, sums);
        pcr_copy(near.sum_zw, far.sum_zw, sums);
        pcr_copy(near.sum_qq, far.sum_qq, sums);
    }
    return near;
}

// Back to where it came from: x and the state, and, where it is to be resumed, what the next iteration needs.
template <class T>
__device__ void pcr_return(const pcr_system<T> &far, const pcr_system<T> &near, bool resumes)
{
    const size_t first = 3 * (size_t)near.first, n = 3 * (size_t)near.rows;
    const size_t sums = near.rank > 0 ? 0 : near.ranks ? (size_t)near.ranks : 1;
    pcr_copy(far.x + first, near.x, n);
    pcr_copy(far.state, near.state, near.rank == 0);
    if (!resumes)
        return;
    pcr_copy(far.r + first, near.r, n);
    pcr_copy(far.z + first, near.z, n);
    pcr_copy(far.p + first, near.p, n);
    pcr_copy(far.q + first, near.q, n);
    pcr_copy(far.w + first, near.w, n);
    pcr_copy(far.sum_rr, near.sum_rr, sums);
    pcr_copy(far.sum_zw, near.sum_zw, sums);
    pcr_copy(far.sum_qq, near.sum_qq, sums);
}

#endif
