// Linear solves in a lower precision, refined in the run's own (solvers/linear/solve/island_refinement.c), in a step that stays on
// the device. With S a diagonal of powers of two, so that the diagonal of S A S lies between 1/2 and 4,
//
//     scale      S
//     lower      B = S A S + E rounded to the format, E = unit * sum of |row|;  P of B
//     residual   r = b - A x                                                     partial (S r, S r), (b, b)
//     load       S r / |S r| becomes the right side of B d = ..., which PCR or PCG solves in float
//     move       x += |S r| S d
//
// and again from the residual, until |S r| has reached the tolerance or no longer falls. B keeps A's pattern. In 16
// bits its diagonal is rounded up: the CPU has it in float. Where A is not assembled: refine_factors.cuh.
#ifndef NB_CUDA_STEP_REFINE_STAGES_CUH
#define NB_CUDA_STEP_REFINE_STAGES_CUH

#include "solvers/cuda/step/step_stages.cuh"

extern "C" {
#include "solvers/linear/solve/refinement.h"
}

inline namespace NB(nb_cuda) {

// To the nearest number of the format.
__device__ inline float refine_round(int format, float value)
{
    switch (format) {
    case NB_SOLVE_F16: return pcr_widen(pcr_narrow(value, PCR_F16), PCR_F16);
    case NB_SOLVE_BF16: return pcr_widen(pcr_narrow(value, PCR_BF16), PCR_BF16);
    default: return value;
    }
}

__device__ inline float refine_unit(int format)
{
    return (float)nb_solve_unit((enum nb_solve_format)format);
}

// A positive number, which must not become less where 16 bits keep it.
__device__ inline float refine_round_up(int storage, float value)
{
    if (storage == PCR_AS_T)
        return value;
    const unsigned short near = pcr_narrow(value, storage);
    return pcr_widen((unsigned short)(near + (pcr_widen(near, storage) < value)), storage);
}

__device__ inline void refine_store(const pcr_system<float> &low, size_t k, float value)
{
    const void *const to = low.value;
    if (low.storage == PCR_AS_T)
        ((float *)to)[k] = value;
    else
        ((unsigned short *)to)[k] = pcr_narrow(value, low.storage);
}

// The entry of the diagonal block of a part's row.
template <class T> __device__ int refine_diagonal(const pcr_system<T> &system, int row)
{
    int at = system.start[row];
    while (system.column[at] != row)
        ++at;
    return at;
}

__device__ inline void refine_scale(const pcr_system<nb_real> &system, nb_real *scale, const step_team &team)
{
    for (int row = team.thread; row < system.rows; row += team.threads) {
        const nb_real *block = system.factored
                                   ? system.factors.diagonal + 9 * (size_t)row
                                   : (const nb_real *)system.value + 9 * (size_t)refine_diagonal(system, row);
        for (int c = 0; c < 3; ++c)
            scale[3 * row + c] = (nb_real)nb_refinement_scale((double)block[4 * c]);
    }
}

// Entry e of block k, which is in that row, scaled and rounded.
__device__ inline float refine_entry(const pcr_system<nb_real> &system, const nb_real *scale, int format, int row,
                                     int k, int e)
{
    const nb_real factor = scale[3 * row + e / 3] * scale[3 * system.column[k] + e % 3];
    return refine_round(format, (float)(factor * ((const nb_real *)system.value)[9 * (size_t)k + e]));
}

// P^-1 of a row by one thread, of its diagonal block.
__device__ inline void refine_store_inverse(const pcr_system<float> &low, int row, const nb_real *block)
{
    float *inverse = const_cast<float *>(low.inverse) + (low.wide ? 9 : 3) * (size_t)row;
    nb_real inverted[9];
    for (int c = 0; c < 3 && !low.wide; ++c)
        inverse[c] = 1 / (float)block[4 * c];
    if (!low.wide)
        return;
    NB(nb_block_invert_spd)(block, inverted);
    for (int e = 0; e < 9; ++e)
        inverse[e] = (float)inverted[e];
}

// B and P^-1, a warp a row: 27 lanes take three blocks at a time.
__device__ inline void refine_matrix(const pcr_system<nb_real> &system, const pcr_system<float> &low,
                                     const nb_real *scale, int format, const step_team &team)
{
    const int lane = team.thread % PCR_WARP, e = lane % 9, c = lane % 3;
    for (int row = team.thread / PCR_WARP; row < system.rows; row += team.threads / PCR_WARP) {
        const int at = refine_diagonal(system, row);
        float sum = 0;
        for (int k = system.start[row] + lane / 9; k < system.start[row + 1] && lane < 27; k += 3) {
            const float value = refine_entry(system, scale, format, row, k, e);
            sum += value < 0 ? -value : value;
            if (k != at || e % 4)
                refine_store(low, 9 * (size_t)k + (size_t)e, value);
        }
        sum = pcr_sum_shares(sum, 1, 3 * c);
        const float rounded = refine_entry(system, scale, format, row, at, 4 * c);
        const float own = refine_round_up(low.storage, rounded + refine_unit(format) * sum);
        const pcr_three<float> diagonal = pcr_gather(own, 0);
        if (lane < 3)
            refine_store(low, 9 * (size_t)at + 4 * (size_t)lane, own);
        if (lane > 0)
            continue;
        nb_real block[9];
        for (int i = 0; i < 9; ++i)
            block[i] = i % 4 == 0 ? (nb_real)diagonal.c[i / 4]
                       : low.wide ? (nb_real)refine_entry(system, scale, format, row, at, i)
                                  : 0;
        refine_store_inverse(low, row, block);
    }
}

// By factors, what the residual of an x that is not 0 needs before; a barrier has to follow.
__device__ inline void refine_respond(const pcr_system<nb_real> &system, const step_team &team)
{
    pcr_respond(system, (const nb_real *)system.x, team.thread / PCR_WARP, team.threads / PCR_WARP,
                team.thread % PCR_WARP);
}

// x = 0: r = b.
__device__ inline void refine_residual(const step_system &s, const pcr_system<nb_real> &system, const nb_real *scale,
                                       bool zero, const step_team &team, nb_real *scratch)
{
    const int lane = team.thread % PCR_WARP;
    nb_real sum[2] = {0, 0};
    for (int row = team.thread / PCR_WARP; row < system.rows; row += team.threads / PCR_WARP) {
        const nb_real product = zero ? 0 : pcr_row_product(system, row, system.x, lane);
        if (lane >= 3)
            continue;
        const size_t i = 3 * (size_t)row + (size_t)lane;
        const nb_real b = system.b[i], r = b - product, scaled = scale[i] * r;
        system.r[i] = r;
        sum[0] += scaled * scaled;
        sum[1] += b * b;
    }
    pcr_block_sums(sum, scratch);
    for (int k = 0; k < 2 && threadIdx.x == 0; ++k)
        s.lower.partial[2 * blockIdx.x + (unsigned)k] = sum[k];
}

// The square root of sum k of the team's blocks, the same bits in every thread; a barrier later.
__device__ inline nb_real refine_norm(const step_system &s, const step_team &team, int k)
{
    const nb_real *partial = s.lower.partial + 2 * step_first_block(s, team.part) + k;
    nb_real sum = 0;
    for (int i = (int)threadIdx.x % PCR_WARP; i < step_blocks(s); i += PCR_WARP)
        sum += partial[2 * i];
    return nb_sqrt(pcr_warp_sum(sum));
}

// For at most so many iterations.
__device__ inline void refine_load(const pcr_system<nb_real> &system, const pcr_system<float> &low,
                                   const nb_real *scale, int format, nb_real size, int iterations,
                                   const step_team &team)
{
    float *b = const_cast<float *>(low.b);
    for (int i = team.thread; i < 3 * system.rows; i += team.threads) {
        b[i] = (float)(scale[i] * system.r[i] / size);
        low.x[i] = 0;
    }
    if (team.thread == 0) {
        low.state->tolerance = sqrtf(refine_unit(format));
        low.state->limit = iterations;
    }
}

__device__ inline void refine_move(const pcr_system<nb_real> &system, const pcr_system<float> &low,
                                   const nb_real *scale, nb_real factor, const step_team &team)
{
    for (int i = team.thread; i < 3 * system.rows; i += team.threads)
        system.x[i] += factor * scale[i] * (nb_real)low.x[i];
}

} // namespace

#endif
