// The operator by its factors (solvers/operator/factored.c), with G = L J in 3x3 blocks:
//
//     v = H^-1 G^T x      by nodes          (pcr_respond)
//     A x = G v + C x     by rows           (products.cuh)
//
// So each product is preceded by a stage of its own, and the matrix is never formed: an element or a body
// with many contacts costs its Jacobian blocks, not their square.
//
// A block by itself and a cluster have few warps for many nodes of few blocks each: three lanes take a node,
// one a component, and whole warps only the nodes with many blocks. In a cluster pcr_respond gives all blocks
// that meet a node what the block's own rows add to G^T x, and pcr_receive adds that and multiplies by H^-1.
#ifndef NB_CUDA_FACTORS_CUH
#define NB_CUDA_FACTORS_CUH

#include "solvers/cuda/system.cuh"

// What 27 lanes have, one an entry of three 3x3 blocks, as three sums: over entries `stride` apart, then over the
// blocks. Each lane gets that which lane `from` holds; all lanes call.
template <class T> __device__ T pcr_sum_shares(T share, int stride, int from)
{
    const T second = __shfl_down_sync(0xffffffffu, share, stride);
    const T third = __shfl_down_sync(0xffffffffu, share, 2 * stride);
    const T sum = share + second + third;
    const T other = __shfl_down_sync(0xffffffffu, sum, 9);
    const T last = __shfl_down_sync(0xffffffffu, sum, 18);
    return __shfl_sync(0xffffffffu, sum + other + last, from);
}

template <class T> struct pcr_three {
    T c[3];
};

// The components that lanes `first`, `first` + 1 and `first` + 2 have; all lanes call.
template <class T> __device__ pcr_three<T> pcr_gather(T component, int first)
{
    return {{__shfl_sync(0xffffffffu, component, first), __shfl_sync(0xffffffffu, component, first + 1),
             __shfl_sync(0xffffffffu, component, first + 2)}};
}

// A lane's share of (G^T x) of one node, E being how G is stored: lane % 9 is the entry of a block, and
// lanes 9 apart take every third block.
template <class E, class T>
__device__ T pcr_node_share(const pcr_system<T> &system, int node, const T *x, int lane)
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
template <class T>
__device__ T pcr_node_momentum(const pcr_system<T> &system, int node, const T *x, int lane)
{
    T sum = 0;
    if (lane < 27)
        sum = system.storage == PCR_AS_T ? pcr_node_share<T>(system, node, x, lane)
                                         : pcr_node_share<unsigned short>(system, node, x, lane);
    return pcr_sum_shares(sum, 3, lane % 3);
}

// The same by one lane.
template <class E, class T>
__device__ T pcr_node_component(const pcr_system<T> &system, int node, const T *x, int c)
{
    const pcr_factors<T> &factors = system.factors;
    T sum = 0;
    for (int k = factors.node_start[node]; k < factors.node_start[node + 1]; ++k) {
        const E *value = (const E *)system.value + 9 * (size_t)factors.node_entry[k] + c;
        const T *in = x + 3 * (size_t)factors.node_row[k];
        for (int r = 0; r < 3; ++r)
            sum += (T)pcr_number(value[3 * r], system.storage) * in[r];
    }
    return sum;
}

// Component c of what follows from a node's momentum: v, or in a cluster the block's share of it, sent to all.
template <class T>
__device__ void pcr_deliver(const pcr_system<T> &system, int node, int c, const T *momentum)
{
    const pcr_factors<T> &factors = system.factors;
    const T *inverse = factors.inverse_mass + 9 * (size_t)node + 3 * c;
    if (!system.ranks) {
        factors.velocity[3 * (size_t)node + c] =
            inverse[0] * momentum[0] + inverse[1] * momentum[1] + inverse[2] * momentum[2];
        return;
    }
    const T own = c == 0 ? momentum[0] : c == 1 ? momentum[1] : momentum[2];
    for (int k = factors.slot_start[node]; k < factors.slot_start[node + 1]; ++k)
        *pcr_remote(factors.momentum + 3 * (size_t)(factors.slot[k] / 16) + c, factors.slot[k] % 16) = own;
}

// By whole warps.
template <class T>
__device__ void pcr_respond_node(const pcr_system<T> &system, int node, const T *x, int lane)
{
    const T momentum = pcr_node_momentum(system, node, x, lane);
    const pcr_three<T> all = pcr_gather(momentum, 0);
    if (lane < 3)
        pcr_deliver(system, node, lane, all.c);
}

enum { PCR_TOGETHER = PCR_WARP / 3, PCR_MANY = 32 }; // nodes or rows of a warp; blocks of a node that has many

// Nodes of few blocks by three lanes each, then the others.
template <class T>
__device__ void pcr_respond_near(const pcr_system<T> &system, const T *x, int warp, int warps, int lane)
{
    const pcr_factors<T> &factors = system.factors;
    const int *start = factors.node_start;
    const int c = lane % 3;
    for (int first = warp * PCR_TOGETHER; first < factors.nodes; first += warps * PCR_TOGETHER) {
        const int node = first + lane / 3;
        const bool mine = lane < 3 * PCR_TOGETHER && node < factors.nodes &&
                          start[node + 1] - start[node] <= PCR_MANY;
        T momentum = 0;
        if (mine)
            momentum = system.storage == PCR_AS_T
                           ? pcr_node_component<T>(system, node, x, c)
                           : pcr_node_component<unsigned short>(system, node, x, c);
        const pcr_three<T> all = pcr_gather(momentum, lane - c);
        if (mine)
            pcr_deliver(system, node, c, all.c);
    }
    for (int first = warp * PCR_WARP; first < factors.nodes; first += warps * PCR_WARP) {
        const int node = first + lane;
        const bool many = node < factors.nodes && start[node + 1] - start[node] > PCR_MANY;
        for (unsigned left = __ballot_sync(0xffffffffu, many); left; left &= left - 1)
            pcr_respond_node(system, first + __ffs((int)left) - 1, x, lane);
    }
}

// v = H^-1 G^T x by warps `warp`, `warp` + `warps`, ...; in a cluster pcr_receive has to follow after a barrier.
template <class T>
__device__ void pcr_respond(const pcr_system<T> &system, const T *x, int warp, int warps, int lane)
{
    if (system.lone) {
        pcr_respond_near(system, x, warp, warps, lane);
        return;
    }
    for (int node = warp; node < system.factors.nodes; node += warps)
        pcr_respond_node(system, node, x, lane);
}

// In a cluster: v of the nodes that the block's rows meet, by all of the block's threads.
template <class T> __device__ void pcr_receive(const pcr_system<T> &system)
{
    const pcr_factors<T> &factors = system.factors;
    for (int i = (int)threadIdx.x; i < 3 * factors.nodes; i += (int)blockDim.x) {
        const T *inverse = factors.inverse_mass + 3 * (size_t)i;
        T sum[3] = {0, 0, 0};
        for (int k = factors.slot_start[i / 3]; k < factors.slot_start[i / 3 + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                sum[c] += factors.momentum[3 * (size_t)k + c];
        factors.velocity[i] = inverse[0] * sum[0] + inverse[1] * sum[1] + inverse[2] * sum[2];
    }
}

#endif
