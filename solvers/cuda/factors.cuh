// The operator by its factors (solvers/operator/factored.c), with G = L J in 3x3 blocks:
//
//     v = H^-1 G^T x      by nodes, a warp each          (respond)
//     A x = G v + C x     by rows                        (pcr_row_product of pcr_stages.cuh)
//
// So each product is preceded by a stage of its own, and the matrix is never formed: an element or a body
// with many contacts costs its Jacobian blocks, not their square.
#ifndef NB_CUDA_FACTORS_CUH
#define NB_CUDA_FACTORS_CUH

#include <cstddef>

#include "solvers/cuda/storage.cuh"

// The blocks of G are the system's start, column and value, its columns nodes.
template <class T> struct pcr_factors {
    int nodes;                                     // 0: the system holds A itself
    const int *node_start, *node_entry, *node_row; // G by nodes: blocks and their rows [nodes + 1], [blocks]
    const T *inverse_mass;                         // H^-1 [9 nodes]
    const T *compliance;                           // C [9 rows]
    T *velocity;                                   // v [3 nodes]
};

// A lane's share of (G^T x) of one node, E being how G is stored: lane % 9 is the entry of a block, and
// lanes 9 apart take every third block.
template <class E, class System, class T>
__device__ T pcr_node_share(const System &system, int node, const T *x, int lane)
{
    const pcr_factors<T> &factors = system.factors;
    const int first = factors.node_start[node], count = factors.node_start[node + 1] - first;
    const int *entry = factors.node_entry + first, *row = factors.node_row + first;
    const E *value = (const E *)system.value + lane % 9;
    T sum = 0;
    for (int k = lane / 9; k < count; k += 3)
        sum += (T)pcr_number(value[9 * (size_t)entry[k]], system.storage) *
               x[3 * (size_t)row[k] + lane % 9 / 3];
    return sum;
}

// (G^T x) of one node by one warp: 27 lanes take three blocks at a time. Component c is in lane c, c + 3,
// ...; all lanes call.
template <class System, class T>
__device__ T pcr_node_momentum(const System &system, int node, const T *x, int lane)
{
    T sum = 0;
    if (lane < 27)
        sum = system.storage == PCR_AS_T ? pcr_node_share<T>(system, node, x, lane)
                                         : pcr_node_share<unsigned short>(system, node, x, lane);
    const T second = __shfl_down_sync(0xffffffffu, sum, 3);
    const T third = __shfl_down_sync(0xffffffffu, sum, 6);
    sum = sum + second + third;
    const T other = __shfl_down_sync(0xffffffffu, sum, 9);
    const T last = __shfl_down_sync(0xffffffffu, sum, 18);
    return __shfl_sync(0xffffffffu, sum + other + last, lane % 3);
}

// v = H^-1 G^T x by warps `warp`, `warp` + `warps`, ...
template <class System, class T>
__device__ void pcr_respond(const System &system, const T *x, int warp, int warps, int lane)
{
    const pcr_factors<T> &factors = system.factors;
    for (int node = warp; node < factors.nodes; node += warps) {
        const T momentum = pcr_node_momentum(system, node, x, lane);
        const T all[3] = {__shfl_sync(0xffffffffu, momentum, 0),
                          __shfl_sync(0xffffffffu, momentum, 1),
                          __shfl_sync(0xffffffffu, momentum, 2)};
        const T *inverse = factors.inverse_mass + 9 * (size_t)node + 3 * (lane % 3);
        if (lane < 3)
            factors.velocity[3 * (size_t)node + lane] =
                inverse[0] * all[0] + inverse[1] * all[1] + inverse[2] * all[2];
    }
}

#endif
