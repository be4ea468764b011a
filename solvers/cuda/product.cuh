// Products of the operator with a vector. Assembled, A x is by block rows, a warp a row. By its factors
// (solvers/operator/factored.c), with G = L J in 3x3 blocks, it is
//
//     v = H^-1 G^T x      by nodes          (respond)
//     A x = G v + C x     by rows
//
// with a barrier between: the matrix is never formed, and an element or a body with many contacts costs its Jacobian
// blocks, not their square.
#ifndef NB_CUDA_PRODUCT_CUH
#define NB_CUDA_PRODUCT_CUH

#include "solvers/cuda/linear_system.cuh"

// What 27 lanes have, one an entry of three 3x3 blocks, as three sums: over entries `stride` apart, then over the
// blocks. Each lane gets that which lane `from` holds; all lanes call.
template <class T> __device__ T sum_entries(T share, int stride, int from)
{
    const T second = __shfl_down_sync(0xffffffffu, share, stride);
    const T third = __shfl_down_sync(0xffffffffu, share, 2 * stride);
    const T sum = share + second + third;
    const T other = __shfl_down_sync(0xffffffffu, sum, 9);
    const T last = __shfl_down_sync(0xffffffffu, sum, 18);
    return __shfl_sync(0xffffffffu, sum + other + last, from);
}

template <class T> struct triple {
    T c[3];
};

// The components that lanes 0, 1 and 2 have; all lanes call.
template <class T> __device__ triple<T> gather_components(T own)
{
    return {{__shfl_sync(0xffffffffu, own, 0), __shfl_sync(0xffffffffu, own, 1), __shfl_sync(0xffffffffu, own, 2)}};
}

// A lane's share of (G^T x) of one node, E being how G is stored: lane % 9 is the entry of a block, and
// lanes 9 apart take every third block.
template <class E, class T>
__device__ T node_share(const linear_system<T> &system, int node, const T *x, int lane)
{
    const system_factors<T> &factors = system.factors;
    const int first = factors.node_start[node], count = factors.node_start[node + 1] - first;
    const int *entry = factors.node_entry + first, *row = factors.node_row + first;
    const E *value = (const E *)system.value + lane % 9;
    T sum = 0;
    for (int k = lane / 9; k < count; k += 3)
        sum += (T)stored_number(value[9 * (size_t)entry[k]], system.storage) *
               x[3 * (size_t)row[k] + lane % 9 / 3];
    return sum;
}

// v = H^-1 G^T x, a warp a node.
template <class T> __device__ void respond(const linear_system<T> &system, const T *x)
{
    const system_factors<T> &factors = system.factors;
    const int lane = (int)threadIdx.x % WARP_SIZE, warps = team_threads(system) / WARP_SIZE;
    for (int node = team_thread(system) / WARP_SIZE; node < factors.nodes; node += warps) {
        T momentum = 0;
        if (lane < 27)
            momentum = system.storage == STORED_AS_IS ? node_share<T>(system, node, x, lane)
                                                      : node_share<unsigned short>(system, node, x, lane);
        const triple<T> all = gather_components(sum_entries(momentum, 3, lane % 3));
        const T *inverse = factors.inverse_mass + 9 * (size_t)node + 3 * (lane % 3);
        if (lane < 3)
            factors.velocity[3 * (size_t)node + lane] =
                inverse[0] * all.c[0] + inverse[1] * all.c[1] + inverse[2] * all.c[2];
    }
}

// What a product with x needs before; nothing where A is assembled.
template <class T, class Barrier>
__device__ void prepare_product(const linear_system<T> &system, const T *x, Barrier barrier)
{
    if (!system.factored)
        return;
    respond(system, x);
    barrier();
}

// A lane's share of one block row, E being how values are stored: lane % 9 is the entry, and lanes 9 apart take every
// third block. Four of them at once, so that the lane waits once for four loads.
template <class E, class T>
__device__ T row_share(const linear_system<T> &system, int row, const T *x, int lane)
{
    enum { LOADS = 4 };
    const int first = system.start[row], count = system.start[row + 1] - first;
    const E *value = (const E *)system.value + 9 * (size_t)first + lane % 9;
    const int *column = system.column + first;
    T sum = 0;
    for (int k = lane / 9; k < count; k += 3 * LOADS) {
        int from[LOADS];
        E entry[LOADS];
        for (int i = 0; i < LOADS; ++i) {
            const int at = k + 3 * i < count ? k + 3 * i : k; // past the end: k again, unused
            from[i] = 3 * column[at] + lane % 3;
            entry[i] = value[9 * (size_t)at];
        }
        for (int i = 0; i < LOADS; ++i)
            if (k + 3 * i < count)
                sum += (T)stored_number(entry[i], system.storage) * x[from[i]];
    }
    return sum;
}

// (A x) of one block row by one warp: 27 lanes take three blocks at a time, so that the loads of values
// are contiguous. Component c of the row is in lane c, c + 3, ...; all lanes call, after prepare_product.
template <class T>
__device__ T row_product(const linear_system<T> &system, int row, const T *x, int lane)
{
    const T *in = system.factored ? system.factors.velocity : x;
    T sum = 0;
    if (lane < 27)
        sum = system.storage == STORED_AS_IS ? row_share<T>(system, row, in, lane)
                                             : row_share<unsigned short>(system, row, in, lane);
    sum = sum_entries(sum, 1, 3 * (lane % 3));
    if (system.factored) {
        const T *compliance = system.factors.compliance + 9 * (size_t)row + 3 * (lane % 3);
        for (int c = 0; c < 3; ++c)
            sum += compliance[c] * x[3 * (size_t)row + c];
    }
    return sum;
}

// A x, after prepare_product: body(row, c, all) for component c of each row that the threads have, with all three
// components of the row in all.
template <class T, class Body>
__device__ void multiply(const linear_system<T> &system, const T *x, Body body)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, warps = team_threads(system) / WARP_SIZE;
    for (int row = team_thread(system) / WARP_SIZE; row < system.rows; row += warps) {
        const triple<T> all = gather_components(row_product(system, row, x, lane));
        if (lane < 3)
            body(row, lane, all.c);
    }
}

#endif
