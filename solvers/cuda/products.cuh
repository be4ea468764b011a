// Products of the operator with a vector, by block rows.
#ifndef NB_CUDA_PRODUCTS_CUH
#define NB_CUDA_PRODUCTS_CUH

#include "solvers/cuda/factors.cuh"

// A lane's share of (A x) of one block row, E being how values are stored: lane % 9 is the entry, and
// lanes 9 apart take every third block. Four of them at once, so that the lane waits once for four loads.
template <class E, class T>
__device__ T pcr_row_share(const pcr_system<T> &system, int row, const T *x, int lane)
{
    enum { TURNS = 4 };
    const int first = system.start[row], count = system.start[row + 1] - first;
    const E *value = (const E *)system.value + 9 * (size_t)first + lane % 9;
    const int *column = system.column + first;
    T sum = 0;
    for (int k = lane / 9; k < count; k += 3 * TURNS) {
        int from[TURNS];
        E entry[TURNS];
        for (int turn = 0; turn < TURNS; ++turn) {
            const int at = k + 3 * turn < count ? k + 3 * turn : k; // past the end: k again, unused
            from[turn] = 3 * column[at] + lane % 3;
            entry[turn] = value[9 * (size_t)at];
        }
        for (int turn = 0; turn < TURNS; ++turn)
            if (k + 3 * turn < count)
                sum += (T)pcr_number(entry[turn], system.storage) * x[from[turn]];
    }
    return sum;
}

// (A x) of one block row by one warp: 27 lanes take three blocks at a time, so that the loads of values
// are contiguous. Component c of the row is in lane c, c + 3, ...; all lanes call. Where A is not assembled,
// after pcr_respond to x.
template <class T>
__device__ T pcr_row_product(const pcr_system<T> &system, int row, const T *x, int lane)
{
    const T *in = system.factored ? system.factors.velocity : x;
    T sum = 0;
    if (lane < 27)
        sum = system.storage == PCR_AS_T ? pcr_row_share<T>(system, row, in, lane)
                                         : pcr_row_share<unsigned short>(system, row, in, lane);
    sum = pcr_sum_shares(sum, 1, 3 * (lane % 3));
    if (system.factored) {
        const T *compliance = system.factors.compliance + 9 * (size_t)row + 3 * (lane % 3);
        for (int c = 0; c < 3; ++c)
            sum += compliance[c] * x[3 * (size_t)row + c];
    }
    return sum;
}

// (A x)_c of one block row by one lane, after pcr_respond: rows of G have few blocks.
template <class E, class T>
__device__ T pcr_row_component(const pcr_system<T> &system, int row, const T *x, int c)
{
    const pcr_factors<T> &factors = system.factors;
    const T *compliance = factors.compliance + 9 * (size_t)row + 3 * c, *own = x + 3 * (size_t)row;
    T sum = 0;
    for (int k = system.start[row]; k < system.start[row + 1]; ++k) {
        const E *value = (const E *)system.value + 9 * (size_t)k + 3 * c;
        const T *in = factors.velocity + 3 * (size_t)system.column[k];
        for (int j = 0; j < 3; ++j)
            sum += (T)pcr_number(value[j], system.storage) * in[j];
    }
    return sum + (compliance[0] * own[0] + compliance[1] * own[1] + compliance[2] * own[2]);
}

// A x, after pcr_respond where A is not assembled: body(row, c, all) for component c of each row that the threads
// have, with all three components of the row in all. A warp a row; three lanes a row in a block or cluster
// by factors (see factors.cuh).
template <class T, class Body>
__device__ void pcr_multiply(const pcr_system<T> &system, const T *x, Body body)
{
    const int lane = threadIdx.x % PCR_WARP, c = lane % 3;
    const int warp = pcr_thread(system) / PCR_WARP, warps = pcr_threads(system) / PCR_WARP;
    if (!system.lone || !system.factored) {
        for (int row = warp; row < system.rows; row += warps) {
            const T product = pcr_row_product(system, row, x, lane);
            const pcr_three<T> all = pcr_gather(product, 0);
            if (lane < 3)
                body(row, c, all.c);
        }
        return;
    }
    for (int first = warp * PCR_TOGETHER; first < system.rows; first += warps * PCR_TOGETHER) {
        const int row = first + lane / 3;
        const bool mine = lane < 3 * PCR_TOGETHER && row < system.rows;
        T product = 0;
        if (mine)
            product = system.storage == PCR_AS_T
                          ? pcr_row_component<T>(system, row, x, c)
                          : pcr_row_component<unsigned short>(system, row, x, c);
        const pcr_three<T> all = pcr_gather(product, lane - c);
        if (mine)
            body(row, c, all.c);
    }
}

// Component c of a row's three, without an array that has to lie in memory.
template <class T> __device__ T pcr_pick(const T *all, int c)
{
    return c == 0 ? all[0] : c == 1 ? all[1] : all[2];
}

#endif
