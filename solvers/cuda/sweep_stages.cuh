// The stages of two relaxations, as those of pcr_stages.cuh:
//
//     Jacobi         x += omega D^-1 r                       (omega is in `inverse`; solvers/linear/jacobi.c)
//     Gauss-Seidel   x_i += (b - A x)_i / A_ii               block rows of a colour at once, their three
//                                                            rows in order; colours do not touch
//     the same with omega                                    in `inverse`; symmetric: then all of it backward
//
// then r = b - A x with partial (r, r), then the decision. By factors a row of Gauss-Seidel keeps v = H^-1 G^T x up to
// date, which the residual's product forms anew. Without a tolerance Gauss-Seidel forms r after the last
// iteration only, which tells whether x is finite.
#ifndef NB_CUDA_SWEEP_STAGES_CUH
#define NB_CUDA_SWEEP_STAGES_CUH

#include <cstdlib>

#include "solvers/cuda/pcr_stages.cuh"

extern "C" {
#include "problems/base/sorted.h"
#include "solvers/cuda/pcr.h"
}

__host__ __device__ inline bool pcr_relaxes(int method)
{
    return method == NB_CUDA_JACOBI || method == NB_CUDA_GAUSS_SEIDEL;
}

template <class T> __device__ void jacobi_step(const pcr_system<T> &system)
{
    const int verdict = system.state->after_iteration;
    if (!verdict)
        for (int i = pcr_thread(system); i < 3 * system.rows; i += pcr_threads(system))
            pcr_publish(system, system.x, (size_t)i, system.x[i] + system.inverse[i] * system.r[i]);
    if (pcr_leads(system))
        system.state->after_step = verdict;
}

// By factors, v += H^-1 G^T change of a row, whose nodes no other row of its colour meets; component c.
template <class T>
__device__ void relax_nodes(const pcr_system<T> &system, int row, const T *change, int c)
{
    for (int k = system.start[row]; k < system.start[row + 1]; ++k) {
        const size_t node = (size_t)system.column[k];
        const T *inverse = system.factors.inverse_mass + 9 * node + 3 * (size_t)c;
        T moved = 0;
        for (int j = 0; j < 3; ++j) {
            T momentum = 0;
            for (int r = 0; r < 3; ++r)
                momentum += pcr_entry(system, 9 * (size_t)k + (size_t)(3 * r + j)) * change[r];
            moved += inverse[j] * momentum;
        }
        system.factors.velocity[3 * node + (size_t)c] += moved;
    }
}

// Entry (r, c) of the block of A on the diagonal, which where A is assembled is entry `at`.
template <class T> __device__ T relax_diagonal(const pcr_system<T> &system, int row, int at, int r, int c)
{
    const size_t e = (size_t)(3 * r + c);
    return system.factored ? system.factors.diagonal[9 * (size_t)row + e] : pcr_entry(system, 9 * (size_t)at + e);
}

// Row `row` by one warp: lane c < 3 has component c of the residual, and passes its change on to the
// components after it, or where backward before it, through the diagonal block.
template <class T> __device__ void relax_row(const pcr_system<T> &system, int row, bool backward, int lane)
{
    const size_t i = 3 * (size_t)row + lane % 3;
    T residual = system.b[i] - pcr_row_product(system, row, pcr_all(system, system.x), lane), change = 0;
    int at = system.start[row];
    while (!system.factored && system.column[at] != system.first + row)
        ++at;
    for (int turn = 0; turn < 3; ++turn) {
        const int c = backward ? 2 - turn : turn;
        const T moved = __shfl_sync(0xffffffffu, residual * system.inverse[i], c);
        residual -= relax_diagonal(system, row, at, lane % 3, c) * moved;
        change = lane == c ? moved : change;
    }
    if (lane < 3)
        pcr_publish(system, system.x, i, system.x[i] + change);
    if (system.factored) {
        const pcr_three<T> all = pcr_gather(change, 0);
        if (lane < 3)
            relax_nodes(system, row, all.c, lane);
    }
}

// Turns of an iteration, each of a colour; a barrier has to follow each.
template <class T> __host__ __device__ int gauss_seidel_turns(const pcr_system<T> &system)
{
    return system.symmetric ? 2 * system.colours : system.colours;
}

// In a cluster each block takes its own rows of the colour's, which ascend.
template <class T> __device__ void gauss_seidel_turn(const pcr_system<T> &system, int turn)
{
    const bool backward = turn >= system.colours;
    const int verdict = system.state->after_iteration;
    const int colour = backward ? 2 * system.colours - 1 - turn : turn;
    const int lane = threadIdx.x % PCR_WARP;
    int begin = system.colour_start[colour], end = verdict ? 0 : system.colour_start[colour + 1];
    if (system.ranks && !verdict) {
        begin = nb_first_not_below(system.order, begin, end, system.first);
        end = nb_first_not_below(system.order, begin, end, system.first + system.rows);
    }
    for (int k = begin + pcr_thread(system) / PCR_WARP; k < end; k += pcr_threads(system) / PCR_WARP)
        relax_row(system, system.order[k] - system.first, backward, lane);
    if (turn == 0 && pcr_leads(system))
        system.state->after_step = verdict;
}

template <class T>
__device__ void sweep_residual(const pcr_system<T> &system, bool needed, T *scratch)
{
    const int verdict = system.state->after_step;
    T sum[1] = {0};
    if (!verdict && needed) {
        pcr_multiply(system, pcr_all(system, system.x), [&](int row, int c, const T *all) {
            const size_t i = 3 * (size_t)row + c;
            const T r = system.b[i] - pcr_pick(all, c);
            system.r[i] = r;
            sum[0] += r * r;
        });
        pcr_store_partials(system, sum, {system.sum_rr}, scratch);
    }
    if (pcr_leads(system))
        system.state->after_judging = verdict;
}

template <class T>
__device__ void sweep_judge(const pcr_system<T> &system, bool start, T *scratch)
{
    int verdict = start ? 0 : system.state->after_judging;
    if (!verdict && pcr_block(system) == 0)
        verdict = pcr_judge(system, start, scratch);
    if (pcr_leads(system))
        system.state->after_iteration = verdict;
}

// Does anybody want to know the residual of Gauss-Seidel's next x?
template <class T> __device__ bool sweep_looks(const pcr_state<T> &state)
{
    return state.tolerance > 0 || state.iteration + 1 >= state.limit;
}

struct jacobi_method {
    static constexpr bool coloured = false;
    static constexpr pcr_operand multiplied = PCR_X;
    static constexpr int last = 3;
    template <class T> static __host__ __device__ const T *operand(const pcr_system<T> &system, int number)
    {
        return number == 0 ? system.guess : number == 2 ? system.x : nullptr;
    }
    template <class T>
    static __device__ void stage(const pcr_system<T> &system, int number, bool start, T *scratch)
    {
        switch (number) {
        case 0: pcr_begin(system, false, scratch); break;
        case 1: jacobi_step(system); break;
        case 2:
            if (!start)
                sweep_residual(system, true, scratch);
            break;
        default: sweep_judge(system, start, scratch);
        }
    }
};

// Stage 1 is gauss_seidel_turn, once a colour.
struct gauss_seidel_method {
    static constexpr bool coloured = true;
    static constexpr pcr_operand multiplied = PCR_X;
    static constexpr int last = 3;
    template <class T> static __host__ __device__ const T *operand(const pcr_system<T> &system, int number)
    {
        return number == 0 ? system.guess : number == 2 ? system.x : nullptr;
    }
    template <class T>
    static __device__ void stage(const pcr_system<T> &system, int number, bool start, T *scratch)
    {
        switch (number) {
        case 0: pcr_begin(system, false, scratch); break;
        case 2:
            if (!start)
                sweep_residual(system, sweep_looks(*system.state), scratch);
            break;
        default: sweep_judge(system, start, scratch);
        }
    }
};

#endif
