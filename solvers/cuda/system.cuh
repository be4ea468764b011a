// A linear system as the kernels see it, who works on it, and sums over all of them.
//
// Sums are in two stages of fixed order: each block writes its partial sum, and every block of the next
// stage that needs the sum adds the partial ones in the same order. So there are no atomics, and the bits
// depend only on the number of blocks and threads.
//
// In a cluster (cluster.cuh) each block has rows of its own in its shared memory, a state of its own, and,
// where A is assembled, a copy of the vector that is multiplied by A: who computes a part of it writes it to
// all that read it. All blocks take the same decisions, since all add the same partial sums.
//
// Vectors are plain pointers on purpose: they change within the cooperative kernel, and `__restrict__`
// would allow loads through the read-only cache, which is not coherent with other blocks' writes.
#ifndef NB_CUDA_SYSTEM_CUH
#define NB_CUDA_SYSTEM_CUH

#include <cstddef>

#include "solvers/cuda/pcr_state.cuh"
#include "solvers/cuda/storage.cuh"

// How the blocks of a cluster share the nodes of G (divide_factors.cuh). Each block counts the nodes that its rows
// meet by itself, and its entries and rows from its own first. A node's momentum is a sum over the blocks that
// meet it: each has a slot for each of them.
struct pcr_shares {
    const int *first, *first_slot;     // [blocks + 1] of each block's nodes, which end with one more, and slots
    const int *node;                   // the system's number of a block's node
    const int *node_start, *slot_start; // of a block's nodes: entries and slots
    const int *column;                 // [entries] as the system's, by the block's numbers
    const int *node_entry, *node_row;  // [entries] by block, then node
    const int *slot;                   // rank + 16 slot there: where to write a node's momentum
};

// The blocks of G are the system's start, column and value, its columns nodes.
template <class T> struct pcr_factors {
    int nodes;
    const int *node_start, *node_entry, *node_row; // G by nodes: blocks and their rows [nodes + 1], [blocks]
    const T *inverse_mass;                         // H^-1 [9 nodes]
    const T *compliance;                           // C [9 rows]
    const T *diagonal;                             // 3x3 blocks of A [9 rows], for Gauss-Seidel and refinement; or null
    T *velocity;                                   // v [3 nodes]
    pcr_shares shares;                             // where a cluster is to divide the nodes
    int slots;                                     // in a cluster, as the next three: of the block
    const int *slot_start, *slot;                  // [nodes + 1], [slots]
    T *momentum;                                   // [3 slots] shares of G^T x
};

template <class T> struct pcr_system {
    int rows;                              // in blocks
    int storage;                           // enum pcr_storage
    int factored;                          // A is not assembled: start, column, value are those of L J
    int wide;                              // P has 3x3 blocks; otherwise it is a diagonal
    int colours;                           // Gauss-Seidel's, or 0
    int symmetric;                         // Gauss-Seidel sweeps backward, too
    int lone;                              // a block works on `rows` by itself; otherwise the grid
    int first;                             // in a cluster: the first of the block's own rows
    int rank, ranks;                       // in a cluster: of the block, and of how many; else 0
    int stays;                             // in a cluster: `value` is left in global memory
    const int *split;                      // where a cluster is to divide the rows [blocks + 1]
    const unsigned short *needed;          // in a cluster: the other blocks that read a row, as bits [rows]
    const int *start, *column;             // [rows + 1], [start[rows]]
    const int *order, *colour_start;       // rows by colour [rows], [colours + 1]; or null
    const void *value;                     // [9 start[rows]] of T or 16 bits
    const T *inverse, *b;                  // P^-1 [3 rows] or [9 rows]; [3 rows]
    T *x, *r, *z, *p, *q, *w;              // [3 rows]
    const T *guess;                        // the first x, of all rows
    T *sum_rr, *sum_bb;                    // partial sums [blocks of the grid]
    T *sum_zw, *sum_ww, *sum_wq;           // (w, P^-1 w), (w, P^-1 q); PCG has (p, w), (r, z) in the first two
    pcr_state<T> *state;
    pcr_factors<T> factors;                // where A is not assembled
};

// The vector that a method multiplies by A: in a cluster each block has all of it.
enum pcr_operand { PCR_Z, PCR_P, PCR_X };

enum { PCR_WARP = 32, PCR_MOST_WARPS = 32, PCR_MOST_SUMS = 3, PCR_SCRATCH = PCR_MOST_SUMS * PCR_MOST_WARPS };

// The same bits in every lane: each pair is added in both of its lanes, and addition commutes.
template <class T> __device__ T pcr_warp_sum(T value)
{
    for (int offset = PCR_WARP / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

// Sums over a block, in every thread of it. scratch [PCR_SCRATCH] in shared memory; all threads of the block
// call, whose number is a multiple of PCR_WARP.
template <int count, class T> __device__ void pcr_block_sums(T (&value)[count], T *scratch)
{
    static_assert(count <= PCR_MOST_SUMS, "");
    const int lane = threadIdx.x % PCR_WARP, warp = threadIdx.x / PCR_WARP;
    for (int k = 0; k < count; ++k) {
        value[k] = pcr_warp_sum(value[k]);
        if (lane == 0)
            scratch[k * PCR_MOST_WARPS + warp] = value[k];
    }
    __syncthreads();
    for (int k = 0; k < count; ++k)
        value[k] = pcr_warp_sum(lane < (int)blockDim.x / PCR_WARP ? scratch[k * PCR_MOST_WARPS + lane] : T(0));
    __syncthreads(); // before scratch is written again
}

// The threads that work on `rows`: those of the grid, or of one block.
template <class T> __device__ int pcr_block(const pcr_system<T> &system)
{
    return system.lone ? 0 : (int)blockIdx.x;
}
template <class T> __device__ int pcr_blocks(const pcr_system<T> &system)
{
    return system.lone ? 1 : (int)gridDim.x;
}
template <class T> __device__ bool pcr_leads(const pcr_system<T> &system)
{
    return pcr_block(system) == 0 && threadIdx.x == 0;
}
template <class T> __device__ int pcr_thread(const pcr_system<T> &system)
{
    return pcr_block(system) * (int)blockDim.x + (int)threadIdx.x;
}
template <class T> __device__ int pcr_threads(const pcr_system<T> &system)
{
    return pcr_blocks(system) * (int)blockDim.x;
}

// The same place in the shared memory of another block of the cluster.
template <class T> __device__ T *pcr_remote(T *near, int rank)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    return (T *)__cluster_map_shared_rank(near, (unsigned)rank);
#else
    return rank ? nullptr : near; // no clusters there: never called
#endif
}

// The sums of the blocks' partial sums, the same bits in every thread of every block; all threads of the block
// call. Of many blocks each thread reads one partial sum, so that it waits for memory once; of few, each warp
// adds for itself, which spares the barriers.
template <int count, class T>
__device__ void pcr_grid_sums(const pcr_system<T> &system, const T *const (&partial)[count],
                              T (&sum)[count], T *scratch)
{
    const int blocks = system.ranks ? system.ranks : pcr_blocks(system);
    const bool many = blocks > PCR_WARP;
    const int first = (int)threadIdx.x % (many ? (int)blockDim.x : PCR_WARP);
    for (int k = 0; k < count; ++k) {
        sum[k] = 0;
        for (int i = first; i < blocks; i += (int)blockDim.x)
            sum[k] += partial[k][i];
    }
    if (many)
        pcr_block_sums(sum, scratch);
    for (int k = 0; k < count && !many; ++k)
        sum[k] = blocks == 1 ? partial[k][0] : pcr_warp_sum(sum[k]);
}

// The block's partial sums: value[k] over its threads goes into partial[k].
template <int count, class T>
__device__ void pcr_store_partials(const pcr_system<T> &system, T (&value)[count],
                                   T *const (&partial)[count], T *scratch)
{
    pcr_block_sums(value, scratch);
    for (int k = 0; k < count; ++k) {
        if (system.ranks) {
            if ((int)threadIdx.x < system.ranks)
                *pcr_remote(partial[k] + system.rank, (int)threadIdx.x) = value[k];
        } else if (threadIdx.x == 0) {
            partial[k][pcr_block(system)] = value[k];
        }
    }
}

// Entry i of z or p, where others may read it: the vector that the next product takes.
template <class T>
__device__ void pcr_publish(const pcr_system<T> &system, T *vector, size_t i, T value)
{
    vector[i] = value;
    if (system.ranks && !system.factored)
        for (unsigned left = system.needed[i / 3]; left; left &= left - 1)
            *pcr_remote(vector + i, __ffs((int)left) - 1) = value;
}

// A published vector as columns count: from row 0 on. By factors a block multiplies its own rows only.
template <class T> __device__ const T *pcr_all(const pcr_system<T> &system, const T *vector)
{
    return system.factored ? vector : vector - 3 * (size_t)system.first;
}

// Number k of A's values.
template <class T> __device__ T pcr_entry(const pcr_system<T> &system, size_t k)
{
    return system.storage == PCR_AS_T
               ? ((const T *)system.value)[k]
               : (T)pcr_widen(((const unsigned short *)system.value)[k], system.storage);
}

// Component c of P^-1 v for the vector v [3] of a block row.
template <class T>
__device__ T pcr_precondition(const pcr_system<T> &system, int row, const T *v, int c)
{
    const T *inverse = system.inverse;
    if (!system.wide) // no v[c]: with c known late, v would have to lie in memory
        return inverse[3 * (size_t)row + c] * (c == 0 ? v[0] : c == 1 ? v[1] : v[2]);
    inverse += 9 * (size_t)row + 3 * c;
    return inverse[0] * v[0] + inverse[1] * v[1] + inverse[2] * v[2];
}

#endif
