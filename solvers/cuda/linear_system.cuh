// A linear system as the kernels see it, which threads work on it, and sums over all of them.
//
// Sums are in two stages of fixed order: each block writes its partial sum, and every block of the next stage that
// needs the sum adds the partial ones in the same order. So there are no atomics, and the bits depend only on the
// number of blocks and threads.
//
// Vectors are plain pointers on purpose: they change within the cooperative kernel, and `__restrict__` would allow
// loads through the read-only cache, which is not coherent with other blocks' writes.
#ifndef NB_CUDA_LINEAR_SYSTEM_CUH
#define NB_CUDA_LINEAR_SYSTEM_CUH

#include <cstddef>

#include "solvers/cuda/half_storage.cuh"
#include "solvers/cuda/solve_state.cuh"

// Of A = G H^-1 G^T + C, which is not assembled. The blocks of G = L J are the system's start, column and value, its
// columns nodes.
template <class T> struct system_factors {
    int nodes;
    const int *node_start, *node_entry, *node_row; // G by nodes: blocks and their rows [nodes + 1], [blocks]
    const T *inverse_mass;                         // H^-1 [9 nodes]
    const T *compliance;                           // C [9 rows]
    T *velocity;                                   // H^-1 G^T x of the last product [3 nodes]
};

template <class T> struct linear_system {
    int rows;                              // in blocks
    int storage;                           // enum half_storage
    int factored;                          // A is not assembled
    int wide;                              // P has 3x3 blocks; otherwise it is a diagonal
    int colours;                           // Gauss-Seidel's, or 0
    int lone;                              // a block works on the system by itself; otherwise the grid
    const int *start, *column;             // [rows + 1], [start[rows]]
    const int *order, *colour_start;       // rows by colour [rows], [colours + 1]; or null
    const void *value;                     // [9 start[rows]] of T or 16 bits
    const T *inverse, *b;                  // P^-1 [3 rows] or [9 rows]; [3 rows]
    const T *weight;                       // 1 / diag A [3 rows], of the norm of residuals
    T *x, *r, *z, *p, *q, *w;              // [3 rows]
    T *sum_rr, *sum_bb;                    // (r, D^-1 r), (b, D^-1 b), D = diag A: partial sums [blocks of the grid]
    T *sum_zw, *sum_ww, *sum_wq;           // (w, P^-1 w), (w, P^-1 q); PCG has (p, w), (r, z) in the first two
    solve_state<T> *state;
    system_factors<T> factors;             // where A is not assembled
};

enum { WARP_SIZE = 32, MOST_WARPS = 32, MOST_SUMS = 3, SCRATCH = MOST_SUMS * MOST_WARPS };

// The same bits in every lane: each pair is added in both of its lanes, and addition commutes.
template <class T> __device__ T warp_sum(T value)
{
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

// Sums over a block, in every thread of it. scratch [SCRATCH] in shared memory; all threads of the block
// call, whose number is a multiple of WARP_SIZE.
template <int count, class T> __device__ void block_sums(T (&value)[count], T *scratch)
{
    static_assert(count <= MOST_SUMS, "");
    const int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
    for (int k = 0; k < count; ++k) {
        value[k] = warp_sum(value[k]);
        if (lane == 0)
            scratch[k * MOST_WARPS + warp] = value[k];
    }
    __syncthreads();
    for (int k = 0; k < count; ++k)
        value[k] = warp_sum(lane < (int)blockDim.x / WARP_SIZE ? scratch[k * MOST_WARPS + lane] : T(0));
    __syncthreads(); // before scratch is written again
}

// The threads that work on `rows`: those of the grid, or of one block.
template <class T> __device__ int team_block(const linear_system<T> &system)
{
    return system.lone ? 0 : (int)blockIdx.x;
}
template <class T> __device__ int team_blocks(const linear_system<T> &system)
{
    return system.lone ? 1 : (int)gridDim.x;
}
template <class T> __device__ bool team_leads(const linear_system<T> &system)
{
    return team_block(system) == 0 && threadIdx.x == 0;
}
template <class T> __device__ int team_thread(const linear_system<T> &system)
{
    return team_block(system) * (int)blockDim.x + (int)threadIdx.x;
}
template <class T> __device__ int team_threads(const linear_system<T> &system)
{
    return team_blocks(system) * (int)blockDim.x;
}

// The sums of the blocks' partial sums, the same bits in every thread of every block; all threads of the block
// call. Of many blocks each thread reads one partial sum, so that it waits for memory once; of few, each warp
// adds for itself, which spares the barriers.
template <int count, class T>
__device__ void team_sums(const linear_system<T> &system, const T *const (&partial)[count],
                          T (&sum)[count], T *scratch)
{
    const int blocks = team_blocks(system);
    const bool many = blocks > WARP_SIZE;
    const int first = (int)threadIdx.x % (many ? (int)blockDim.x : WARP_SIZE);
    for (int k = 0; k < count; ++k) {
        sum[k] = 0;
        for (int i = first; i < blocks; i += (int)blockDim.x)
            sum[k] += partial[k][i];
    }
    if (many)
        block_sums(sum, scratch);
    for (int k = 0; k < count && !many; ++k)
        sum[k] = blocks == 1 ? partial[k][0] : warp_sum(sum[k]);
}

// The block's partial sums: value[k] over its threads goes into partial[k].
template <int count, class T>
__device__ void store_partial_sums(const linear_system<T> &system, T (&value)[count],
                                   T *const (&partial)[count], T *scratch)
{
    block_sums(value, scratch);
    for (int k = 0; k < count && threadIdx.x == 0; ++k)
        partial[k][team_block(system)] = value[k];
}

// Number k of A's values.
template <class T> __device__ T system_entry(const linear_system<T> &system, size_t k)
{
    return system.storage == STORED_AS_IS
               ? ((const T *)system.value)[k]
               : (T)half_widen(((const unsigned short *)system.value)[k], system.storage);
}

// Component c of three, without an array that has to lie in memory because c is known late.
template <class T> __device__ T component(const T *all, int c)
{
    return c == 0 ? all[0] : c == 1 ? all[1] : all[2];
}

// Component c of P^-1 v for the vector v [3] of a block row.
template <class T>
__device__ T precondition(const linear_system<T> &system, int row, const T *v, int c)
{
    const T *inverse = system.inverse;
    if (!system.wide)
        return inverse[3 * (size_t)row + c] * component(v, c);
    inverse += 9 * (size_t)row + 3 * c;
    return inverse[0] * v[0] + inverse[1] * v[1] + inverse[2] * v[2];
}

#endif
