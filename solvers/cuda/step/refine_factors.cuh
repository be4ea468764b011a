// The lower system of a refined solve (refine_stages.cuh) where A = G H^-1 G^T + C is not assembled:
//
//     nodes    W = T H^-1 T, T of powers of two, so that its diagonal lies between 1/2 and 4
//              G' = S G T^-1 rounded to the format;  v = |W| |G'|^T 1
//     rows     C' = S C S + E, E = 2 unit (|G'| v + |C'| 1);  P of S A S + E
//
// B = G' W G'^T + C'. E is no less than what the rounding of G takes off S A S, so that B is not below it, as S A S + E
// of the matrix is not. W and C' are in float whatever the format: they are few, and span more than 16 bits do.
#ifndef NB_CUDA_STEP_REFINE_FACTORS_CUH
#define NB_CUDA_STEP_REFINE_FACTORS_CUH

#include "solvers/cuda/step/refine_stages.cuh"

inline namespace NB(nb_cuda) {

// T of component c of a node.
__device__ inline nb_real refine_node_scale(const pcr_system<nb_real> &system, int node, int c)
{
    return (nb_real)nb_refinement_scale((double)system.factors.inverse_mass[9 * (size_t)node + 4 * (size_t)c]);
}

// A lane's share of |G'|^T 1 of a node, whose blocks it stores: 27 lanes take three at a time, as pcr_node_share.
__device__ inline float refine_node_share(const pcr_system<nb_real> &system, const pcr_system<float> &low,
                                          const nb_real *scale, int format, int node, int lane)
{
    const pcr_factors<nb_real> &factors = system.factors;
    const int e = lane % 9;
    const nb_real across = 1 / refine_node_scale(system, node, e % 3);
    float sum = 0;
    for (int k = factors.node_start[node] + lane / 9; k < factors.node_start[node + 1]; k += 3) {
        const size_t at = 9 * (size_t)factors.node_entry[k] + (size_t)e;
        const nb_real own = scale[3 * factors.node_row[k] + e / 3];
        const float value = refine_round(format, (float)(own * ((const nb_real *)system.value)[at] * across));
        refine_store(low, at, value);
        sum += value < 0 ? -value : value;
    }
    return sum;
}

// W, G' and v, a warp a node.
__device__ inline void refine_nodes(const pcr_system<nb_real> &system, const pcr_system<float> &low,
                                    const nb_real *scale, int format, const step_team &team)
{
    const int lane = team.thread % PCR_WARP;
    float *mass = const_cast<float *>(low.factors.inverse_mass);
    for (int node = team.thread / PCR_WARP; node < system.factors.nodes; node += team.threads / PCR_WARP) {
        const float share = lane < 27 ? refine_node_share(system, low, scale, format, node, lane) : 0;
        const pcr_three<float> sum = pcr_gather(pcr_sum_shares(share, 3, lane % 3), 0);
        float response = 0;
        for (int c = 0; c < 3 && lane < 3; ++c) {
            const size_t at = 9 * (size_t)node + (size_t)(3 * lane + c);
            const nb_real both = refine_node_scale(system, node, lane) * refine_node_scale(system, node, c);
            mass[at] = (float)(both * system.factors.inverse_mass[at]);
            response += fabsf(mass[at]) * sum.c[c];
        }
        if (lane < 3)
            low.factors.velocity[3 * (size_t)node + (size_t)lane] = response;
    }
}

// E of scalar row r of a row, whose S C S has been stored.
__device__ inline float refine_excess(const pcr_system<float> &low, int format, int row, int r)
{
    const float *compliance = low.factors.compliance + 9 * (size_t)row + 3 * r;
    float sum = fabsf(compliance[0]) + fabsf(compliance[1]) + fabsf(compliance[2]);
    for (int k = low.start[row]; k < low.start[row + 1]; ++k)
        for (int c = 0; c < 3; ++c)
            sum += fabsf(pcr_entry(low, 9 * (size_t)k + (size_t)(3 * r + c))) *
                   low.factors.velocity[3 * (size_t)low.column[k] + (size_t)c];
    return 2 * refine_unit(format) * sum;
}

// C' and P^-1, a thread a row.
__device__ inline void refine_rows(const pcr_system<nb_real> &system, const pcr_system<float> &low,
                                   const nb_real *scale, int format, const step_team &team)
{
    for (int row = team.thread; row < system.rows; row += team.threads) {
        const nb_real *own = scale + 3 * row, *block = system.factors.diagonal + 9 * (size_t)row;
        float *compliance = const_cast<float *>(low.factors.compliance) + 9 * (size_t)row;
        nb_real scaled[9];
        for (int e = 0; e < 9; ++e) {
            compliance[e] = (float)(own[e / 3] * own[e % 3] * system.factors.compliance[9 * (size_t)row + e]);
            scaled[e] = own[e / 3] * own[e % 3] * block[e];
        }
        for (int r = 0; r < 3; ++r) {
            const float excess = refine_excess(low, format, row, r);
            compliance[4 * r] += excess;
            scaled[4 * r] += (nb_real)excess;
        }
        refine_store_inverse(low, row, scaled);
    }
}

} // namespace

#endif
