// The stages of conjugate residuals, written once for the captured graph, the cooperative kernel and the
// kernel in shared memory, which differ in what separates the stages: the end of a kernel, a barrier of
// the grid, a barrier of the block.
//
//     begin:      r = b - A x,  z = P^-1 r                        partial (r, r), (b, b)
//     product:    w = A z;  decides on ||r||                      partial (z, w)
//     direction:  rho' = (z, w);  p = z + beta p,  q = w + beta q partial (q, P^-1 q)
//     step:       alpha = rho / gamma;  x, r, z                   partial (r, r)
//
// A solve is begin, product, direction, then step, product, direction an iteration. Sums are in two
// stages of fixed order: each block writes its partial sum, and every block of the next stage that needs
// the sum adds the partial ones in the same order. So there are no atomics, and the bits depend only on
// the number of blocks and threads.
//
// Vectors are plain pointers on purpose: they change within the cooperative kernel, and `__restrict__`
// would allow loads through the read-only cache, which is not coherent with other blocks' writes.
#ifndef NB_CUDA_PCR_STAGES_CUH
#define NB_CUDA_PCR_STAGES_CUH

#include "solvers/cuda/pcr_state.cuh"

template <class T> struct pcr_system {
    int rows;                              // in blocks
    const int *start, *column;             // [rows + 1], [start[rows]]
    const T *value, *inverse, *b;          // [9 start[rows]], [3 rows], [3 rows]
    T *x, *r, *z, *p, *q, *w;              // [3 rows]
    T *sum_rr, *sum_bb, *sum_zw, *sum_qq;  // [blocks of the grid]
    pcr_state<T> *state;
};

enum { PCR_WARP = 32, PCR_MOST_WARPS = 32 };

// The sum over a block, in every thread of it. scratch [PCR_MOST_WARPS + 1] in shared memory; all
// threads of the block call, whose number is a multiple of PCR_WARP.
template <class T> __device__ T pcr_block_sum(T value, T *scratch)
{
    const int lane = threadIdx.x % PCR_WARP, warp = threadIdx.x / PCR_WARP;
    for (int offset = PCR_WARP / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    if (lane == 0)
        scratch[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < (int)blockDim.x / PCR_WARP ? scratch[lane] : T(0);
        for (int offset = PCR_WARP / 2; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffffu, value, offset);
        if (lane == 0)
            scratch[PCR_MOST_WARPS] = value;
    }
    __syncthreads();
    const T sum = scratch[PCR_MOST_WARPS];
    __syncthreads(); // before scratch is written again
    return sum;
}

// The sum of the blocks' partial sums, the same bits in every thread of every block.
template <class T> __device__ T pcr_grid_sum(const T *partial, T *scratch)
{
    if (gridDim.x == 1)
        return partial[0];
    T value = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        value += partial[i];
    return pcr_block_sum(value, scratch);
}

template <class T> __device__ void pcr_store_partial(T value, T *partial, T *scratch)
{
    const T sum = pcr_block_sum(value, scratch);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

// (A x) of one block row by one warp: 27 lanes take three blocks at a time, so that the loads of values
// are contiguous. Component c of the row is in lane 3 c; all lanes call.
template <class T>
__device__ T pcr_row_product(const pcr_system<T> &system, int row, const T *x, int lane)
{
    const int first = system.start[row], count = system.start[row + 1] - first;
    const T *value = system.value + 9 * (size_t)first;
    const int *column = system.column + first;
    T sum = 0;
    if (lane < 27)
        for (int k = lane / 9; k < count; k += 3)
            sum += value[9 * (size_t)k + lane % 9] * x[3 * (size_t)column[k] + lane % 3];
    const T second = __shfl_down_sync(0xffffffffu, sum, 1);
    const T third = __shfl_down_sync(0xffffffffu, sum, 2);
    sum = sum + second + third;
    const T other = __shfl_down_sync(0xffffffffu, sum, 9);
    const T last = __shfl_down_sync(0xffffffffu, sum, 18);
    return sum + other + last;
}

__device__ inline bool pcr_leads() { return blockIdx.x == 0 && threadIdx.x == 0; }
__device__ inline int pcr_thread() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline int pcr_threads() { return (int)(gridDim.x * blockDim.x); }

template <class T> __device__ void pcr_begin(const pcr_system<T> &system, T *scratch)
{
    const int lane = threadIdx.x % PCR_WARP;
    T rr = 0, bb = 0;
    for (int row = pcr_thread() / PCR_WARP; row < system.rows; row += pcr_threads() / PCR_WARP) {
        const T product = pcr_row_product(system, row, system.x, lane);
        if (lane < 9 && lane % 3 == 0) {
            const size_t i = 3 * (size_t)row + lane / 3;
            const T b = system.b[i], r = b - product;
            system.r[i] = r;
            system.z[i] = system.inverse[i] * r;
            rr += r * r;
            bb += b * b;
        }
    }
    pcr_store_partial(rr, system.sum_rr, scratch);
    pcr_store_partial(bb, system.sum_bb, scratch);
}

// The leading block's part of `product`: the norms are new.
template <class T> __device__ int pcr_judge(const pcr_system<T> &system, bool start, T *scratch)
{
    pcr_state<T> *state = system.state;
    const T rr = pcr_grid_sum(system.sum_rr, scratch);
    const T bb = start ? pcr_grid_sum(system.sum_bb, scratch) : T(0);
    if (threadIdx.x != 0)
        return 0;
    state->iteration = start ? 0 : state->iteration + 1;
    if (start) {
        state->stalled = 0;
        state->right_side = sqrt(bb);
    }
    state->residual = sqrt(rr);
    return pcr_decide(*state);
}

template <class T>
__device__ void pcr_product(const pcr_system<T> &system, bool start, T *scratch)
{
    const int lane = threadIdx.x % PCR_WARP;
    int verdict = start ? 0 : system.state->after_step;
    if (!verdict) {
        T sum = 0;
        for (int row = pcr_thread() / PCR_WARP; row < system.rows;
             row += pcr_threads() / PCR_WARP) {
            const T product = pcr_row_product(system, row, system.z, lane);
            if (lane < 9 && lane % 3 == 0) {
                const size_t i = 3 * (size_t)row + lane / 3;
                system.w[i] = product;
                sum += system.z[i] * product;
            }
        }
        pcr_store_partial(sum, system.sum_zw, scratch);
        if (blockIdx.x == 0)
            verdict = pcr_judge(system, start, scratch);
    }
    if (pcr_leads())
        system.state->after_product = verdict;
}

template <class T>
__device__ void pcr_direction(const pcr_system<T> &system, bool start, T *scratch)
{
    pcr_state<T> *state = system.state;
    const int verdict = state->after_product;
    if (!verdict) {
        const T rho = pcr_grid_sum(system.sum_zw, scratch);
        const T beta = start ? T(0) : rho / state->rho;
        T sum = 0;
        for (int i = pcr_thread(); i < 3 * system.rows; i += pcr_threads()) {
            const T p = start ? system.z[i] : system.z[i] + beta * system.p[i];
            const T q = start ? system.w[i] : system.w[i] + beta * system.q[i];
            system.p[i] = p;
            system.q[i] = q;
            sum += q * (system.inverse[i] * q);
        }
        pcr_store_partial(sum, system.sum_qq, scratch);
        if (pcr_leads())
            state->next_rho = rho;
    }
    if (pcr_leads())
        state->after_direction = verdict;
}

template <class T> __device__ void pcr_step(const pcr_system<T> &system, T *scratch)
{
    pcr_state<T> *state = system.state;
    int verdict = state->after_direction;
    const T rho = state->next_rho;
    if (!verdict) {
        const T gamma = pcr_grid_sum(system.sum_qq, scratch);
        verdict = pcr_scalars(*state, rho, gamma);
        if (!verdict) {
            const T alpha = rho / gamma;
            T sum = 0;
            for (int i = pcr_thread(); i < 3 * system.rows; i += pcr_threads()) {
                const T q = system.q[i], r = system.r[i] - alpha * q;
                system.x[i] += alpha * system.p[i];
                system.r[i] = r;
                system.z[i] -= alpha * (system.inverse[i] * q);
                sum += r * r;
            }
            pcr_store_partial(sum, system.sum_rr, scratch);
        }
    }
    if (pcr_leads()) {
        state->after_step = verdict;
        state->rho = rho;
    }
}

#endif
