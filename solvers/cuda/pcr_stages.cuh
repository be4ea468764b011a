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
// In a cluster (cluster.cuh) each block has rows of its own in its shared memory, a state of its own, and
// a copy of the vector that is multiplied by A: who computes a part of it writes it to all that read it.
// All blocks take the same decisions, since all add the same partial sums.
//
// Vectors are plain pointers on purpose: they change within the cooperative kernel, and `__restrict__`
// would allow loads through the read-only cache, which is not coherent with other blocks' writes.
#ifndef NB_CUDA_PCR_STAGES_CUH
#define NB_CUDA_PCR_STAGES_CUH

#include "solvers/cuda/factors.cuh"
#include "solvers/cuda/pcr_state.cuh"

template <class T> struct pcr_system {
    int rows;                              // in blocks
    int storage;                           // enum pcr_storage
    int wide;                              // P has 3x3 blocks; otherwise it is a diagonal
    int colours;                           // Gauss-Seidel's, or 0
    int lone;                              // a block works on `rows` by itself; otherwise the grid
    int first;                             // in a cluster: the first of the block's own rows
    int rank, ranks;                       // in a cluster: of the block, and of how many; else 0
    const int *split;                      // where a cluster is to divide the rows [blocks + 1]
    const unsigned short *needed;          // in a cluster: the other blocks that read a row, as bits [rows]
    const int *start, *column;             // [rows + 1], [start[rows]]
    const int *order, *colour_start;       // rows by colour [rows], [colours + 1]; or null
    const void *value;                     // [9 start[rows]] of T or 16 bits
    const T *inverse, *b;                  // P^-1 [3 rows] or [9 rows]; [3 rows]
    T *x, *r, *z, *p, *q, *w;              // [3 rows]
    const T *guess;                        // the first x, of all rows
    T *sum_rr, *sum_bb, *sum_zw, *sum_qq;  // [blocks of the grid]
    pcr_state<T> *state;
    pcr_factors<T> factors;                // where A is not assembled: start, column, value are those of L J
};

enum { PCR_WARP = 32, PCR_MOST_WARPS = 32 };

// The same bits in every lane: each pair is added in both of its lanes, and addition commutes.
template <class T> __device__ T pcr_warp_sum(T value)
{
    for (int offset = PCR_WARP / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

// The sum over a block, in every thread of it. scratch [PCR_MOST_WARPS] in shared memory; all
// threads of the block call, whose number is a multiple of PCR_WARP.
template <class T> __device__ T pcr_block_sum(T value, T *scratch)
{
    const int lane = threadIdx.x % PCR_WARP, warp = threadIdx.x / PCR_WARP;
    value = pcr_warp_sum(value);
    if (lane == 0)
        scratch[warp] = value;
    __syncthreads();
    const T sum = pcr_warp_sum(lane < (int)blockDim.x / PCR_WARP ? scratch[lane] : T(0));
    __syncthreads(); // before scratch is written again
    return sum;
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

// The sum of the blocks' partial sums, the same bits in every thread of every block. By each warp for
// itself: that spares the barriers of a sum over the block.
template <class T> __device__ T pcr_grid_sum(const pcr_system<T> &system, const T *partial)
{
    const int blocks = system.ranks ? system.ranks : pcr_blocks(system);
    if (blocks == 1)
        return partial[0];
    T value = 0;
    for (int i = (int)threadIdx.x % PCR_WARP; i < blocks; i += PCR_WARP)
        value += partial[i];
    return pcr_warp_sum(value);
}

template <class T>
__device__ void pcr_store_partial(const pcr_system<T> &system, T value, T *partial, T *scratch)
{
    const T sum = pcr_block_sum(value, scratch);
    if (system.ranks) {
        if ((int)threadIdx.x < system.ranks)
            *pcr_remote(partial + system.rank, (int)threadIdx.x) = sum;
    } else if (threadIdx.x == 0) {
        partial[pcr_block(system)] = sum;
    }
}

// Entry i of z or p, where others may read it: the vector that the next product takes.
template <class T>
__device__ void pcr_publish(const pcr_system<T> &system, T *vector, size_t i, T value)
{
    vector[i] = value;
    if (system.ranks)
        for (unsigned left = system.needed[i / 3]; left; left &= left - 1)
            *pcr_remote(vector + i, __ffs((int)left) - 1) = value;
}

// A published vector from row 0 on, as columns count.
template <class T> __device__ const T *pcr_all(const pcr_system<T> &system, const T *vector)
{
    return vector - 3 * (size_t)system.first;
}

// Number k of A's values.
template <class T> __device__ T pcr_entry(const pcr_system<T> &system, size_t k)
{
    return system.storage == PCR_AS_T
               ? ((const T *)system.value)[k]
               : (T)pcr_widen(((const unsigned short *)system.value)[k], system.storage);
}

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
    const bool factored = system.factors.nodes > 0;
    const T *in = factored ? system.factors.velocity : x;
    T sum = 0;
    if (lane < 27)
        sum = system.storage == PCR_AS_T ? pcr_row_share<T>(system, row, in, lane)
                                         : pcr_row_share<unsigned short>(system, row, in, lane);
    const T second = __shfl_down_sync(0xffffffffu, sum, 1);
    const T third = __shfl_down_sync(0xffffffffu, sum, 2);
    sum = sum + second + third;
    const T other = __shfl_down_sync(0xffffffffu, sum, 9);
    const T last = __shfl_down_sync(0xffffffffu, sum, 18);
    sum = __shfl_sync(0xffffffffu, sum + other + last, 3 * (lane % 3));
    if (factored) {
        const T *compliance = system.factors.compliance + 9 * (size_t)row + 3 * (lane % 3);
        for (int c = 0; c < 3; ++c)
            sum += compliance[c] * x[3 * (size_t)row + c];
    }
    return sum;
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

// r = b - A x, z = P^-1 r; partial (r, r) and (b, b), and (r, z) into sum_qq. `publishes`: the next product
// is that with z.
template <class T>
__device__ void pcr_begin(const pcr_system<T> &system, bool publishes, T *scratch)
{
    const int lane = threadIdx.x % PCR_WARP, c = lane % 3;
    T rr = 0, bb = 0, rz = 0;
    for (int row = pcr_thread(system) / PCR_WARP; row < system.rows; row += pcr_threads(system) / PCR_WARP) {
        const size_t i = 3 * (size_t)row + c;
        const T b = system.b[i], r = b - pcr_row_product(system, row, system.guess, lane);
        const T all[3] = {__shfl_sync(0xffffffffu, r, 0), __shfl_sync(0xffffffffu, r, 1),
                          __shfl_sync(0xffffffffu, r, 2)};
        if (lane < 3) {
            const T z = pcr_precondition(system, row, all, c);
            system.r[i] = r;
            system.z[i] = z;
            if (publishes)
                pcr_publish(system, system.z, i, z);
            rr += r * r;
            bb += b * b;
            rz += r * z;
        }
    }
    pcr_store_partial(system, rr, system.sum_rr, scratch);
    pcr_store_partial(system, bb, system.sum_bb, scratch);
    pcr_store_partial(system, rz, system.sum_qq, scratch);
}

// The leading block's part of the stage that follows a new r.
template <class T> __device__ int pcr_judge(const pcr_system<T> &system, bool start)
{
    pcr_state<T> *state = system.state;
    const T rr = pcr_grid_sum(system, system.sum_rr);
    const T bb = start ? pcr_grid_sum(system, system.sum_bb) : T(0);
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
        for (int row = pcr_thread(system) / PCR_WARP; row < system.rows;
             row += pcr_threads(system) / PCR_WARP) {
            const T product = pcr_row_product(system, row, pcr_all(system, system.z), lane);
            if (lane < 3) {
                const size_t i = 3 * (size_t)row + lane;
                system.w[i] = product;
                sum += system.z[i] * product;
            }
        }
        pcr_store_partial(system, sum, system.sum_zw, scratch);
        if (pcr_block(system) == 0)
            verdict = pcr_judge(system, start);
    }
    if (pcr_leads(system))
        system.state->after_judging = verdict;
}

template <class T>
__device__ void pcr_direction(const pcr_system<T> &system, bool start, T *scratch)
{
    pcr_state<T> *state = system.state;
    const int verdict = state->after_judging;
    if (!verdict) {
        const T rho = pcr_grid_sum(system, system.sum_zw);
        const T beta = start ? T(0) : rho / state->rho;
        T sum = 0;
        for (int row = pcr_thread(system); row < system.rows; row += pcr_threads(system)) {
            const size_t first = 3 * (size_t)row;
            T q[3];
            for (int c = 0; c < 3; ++c) {
                const size_t i = first + c;
                system.p[i] = start ? system.z[i] : system.z[i] + beta * system.p[i];
                q[c] = start ? system.w[i] : system.w[i] + beta * system.q[i];
                system.q[i] = q[c];
            }
            for (int c = 0; c < 3; ++c)
                sum += q[c] * pcr_precondition(system, row, q, c);
        }
        pcr_store_partial(system, sum, system.sum_qq, scratch);
        if (pcr_leads(system))
            state->next_rho = rho;
    }
    if (pcr_leads(system))
        state->after_iteration = verdict;
}

template <class T> __device__ void pcr_step(const pcr_system<T> &system, T *scratch)
{
    pcr_state<T> *state = system.state;
    int verdict = state->after_iteration;
    const T rho = state->next_rho;
    if (!verdict) {
        const T gamma = pcr_grid_sum(system, system.sum_qq);
        verdict = pcr_scalars(*state, rho, gamma);
        if (!verdict) {
            const T alpha = rho / gamma;
            T sum = 0;
            for (int row = pcr_thread(system); row < system.rows; row += pcr_threads(system)) {
                const size_t first = 3 * (size_t)row;
                const T q[3] = {system.q[first], system.q[first + 1], system.q[first + 2]};
                for (int c = 0; c < 3; ++c) {
                    const size_t i = first + c;
                    const T r = system.r[i] - alpha * q[c];
                    system.x[i] += alpha * system.p[i];
                    system.r[i] = r;
                    pcr_publish(system, system.z, i,
                                system.z[i] - alpha * pcr_precondition(system, row, q, c));
                    sum += r * r;
                }
            }
            pcr_store_partial(system, sum, system.sum_rr, scratch);
        }
    }
    if (pcr_leads(system)) {
        state->after_step = verdict;
        state->rho = rho;
    }
}

// The stages by number, as the graph and the persistent kernel run them: 0 begins; 1, 2, 3 are an
// iteration, and 2, 3 also end the beginning. operand: what a stage multiplies by A; null: nothing.
struct pcr_method {
    static constexpr bool coloured = false, clusters = true, multiplies_p = false;
    template <class T> static __host__ __device__ const T *operand(const pcr_system<T> &system, int number)
    {
        return number == 0 ? system.guess : number == 2 ? system.z : nullptr;
    }
    template <class T>
    static __device__ void stage(const pcr_system<T> &system, int number, bool start, T *scratch)
    {
        switch (number) {
        case 0: pcr_begin(system, true, scratch); break;
        case 1: pcr_step(system, scratch); break;
        case 2: pcr_product(system, start, scratch); break;
        default: pcr_direction(system, start, scratch);
        }
    }
};

#endif
