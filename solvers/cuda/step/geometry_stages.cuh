// Diagonal geometric stiffness of particles (solvers/model/geometric_stiffness.h) in a step that stays on the device:
//
//     look back  before = J_old^T h lambda, while the Jacobian of the iterate before is in place
//     gather     after = J_new^T h lambda                                   largest |before| and |after|
//     update     H_kk = M_kk - min(0, (after - before)/du), where du is more than rounding
//
// What is rounding is told by the largest entries of the part; on the CPU by those of the whole step.
#ifndef NB_CUDA_STEP_GEOMETRY_STAGES_CUH
#define NB_CUDA_STEP_GEOMETRY_STAGES_CUH

#include "solvers/cuda/step/step_system.cuh"

extern "C" {
#include "solvers/model/geometric_stiffness.h"
}

inline namespace NB(nb_cuda) {

// out [3] = J^T h lambda of a node.
__device__ inline void geometry_gather_node(const step_system &s, size_t node, nb_real *out)
{
    const NB(nb_model) &model = s.model;
    nb_real sum[3] = {0, 0, 0};
    for (int k = model.node_start[node]; k < model.node_start[node + 1]; ++k) {
        const int block = model.node_block[k];
        const nb_real *lambda = s.lambda + 3 * (size_t)model.block_row[block];
        const nb_real impulse[3] = {model.time_step * lambda[0], model.time_step * lambda[1],
                                    model.time_step * lambda[2]};
        NB(nb_block_apply_transposed_add)(model.jacobian.value + 9 * (size_t)block, impulse, sum);
    }
    for (int c = 0; c < 3; ++c)
        out[c] = sum[c];
}

__device__ inline void geometry_look_back(const step_system &s, const step_team &team)
{
    for (int k = step_begin(s.nodes, team); k < step_end(s.nodes, team); k += team.threads) {
        const size_t node = (size_t)s.nodes.index[k];
        geometry_gather_node(s, node, s.geometry.before + 3 * node);
    }
}

__device__ inline nb_real geometry_warp_max(nb_real value)
{
    for (int offset = PCR_WARP / 2; offset > 0; offset /= 2)
        value = nb_max(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

// The largest over a block, in every thread of it; not negative.
__device__ inline nb_real geometry_block_max(nb_real value, nb_real *scratch)
{
    const int lane = threadIdx.x % PCR_WARP, warp = threadIdx.x / PCR_WARP;
    value = geometry_warp_max(value);
    if (lane == 0)
        scratch[warp] = value;
    __syncthreads();
    for (int k = 0; k < (int)blockDim.x / PCR_WARP; ++k)
        value = nb_max(value, scratch[k]);
    __syncthreads(); // before scratch is written again
    return value;
}

__device__ inline void geometry_gather(const step_system &s, const step_team &team, nb_real *scratch)
{
    nb_real before = 0, after = 0;
    for (int k = step_begin(s.nodes, team); k < step_end(s.nodes, team); k += team.threads) {
        const size_t node = (size_t)s.nodes.index[k];
        geometry_gather_node(s, node, s.geometry.after + 3 * node);
        for (size_t i = 3 * node; i < 3 * node + 3; ++i) {
            before = nb_max(before, nb_abs(s.geometry.before[i]));
            after = nb_max(after, nb_abs(s.geometry.after[i]));
        }
    }
    before = geometry_block_max(before, scratch);
    after = geometry_block_max(after, scratch);
    if (threadIdx.x == 0) {
        s.geometry.partial[2 * blockIdx.x] = before;
        s.geometry.partial[2 * blockIdx.x + 1] = after;
    }
}

// What the rounding of J^T h lambda may be in a difference of two; a barrier after the gathering.
__device__ inline nb_real geometry_noise(const step_system &s, const step_team &team)
{
    const nb_real *partial = s.geometry.partial + 2 * step_first_block(s, team.part);
    nb_real before = 0, after = 0;
    for (int k = (int)threadIdx.x % PCR_WARP; k < step_blocks(s); k += PCR_WARP) {
        before = nb_max(before, partial[2 * k]);
        after = nb_max(after, partial[2 * k + 1]);
    }
    return NB(nb_geometric_noise)(geometry_warp_max(before), geometry_warp_max(after));
}

// Member k of the nodes' list, component c.
__device__ inline void geometry_set(const step_system &s, int k, int c, nb_real mass, nb_real inertia)
{
    const size_t node = (size_t)s.nodes.index[k];
    s.model.inverse_mass[9 * node + 4 * (size_t)c] = 1 / inertia;
    if (s.linear.factored)
        const_cast<nb_real *>(s.linear.factors.inverse_mass)[9 * (size_t)k + 4 * (size_t)c] = 1 / inertia;
    s.geometry.ratio[3 * node + (size_t)c] = mass / inertia;
}

// first: H = M, and there is no iterate before.
__device__ inline void geometry_update(const step_system &s, const step_team &team, bool first)
{
    const nb_real noise = first ? 0 : geometry_noise(s, team);
    const int particles = s.model.nonlinear->particles.first_node;
    for (int k = step_begin(s.nodes, team); k < step_end(s.nodes, team); k += team.threads) {
        const int node = s.nodes.index[k];
        for (int c = 0; c < 3 && node >= particles; ++c) {
            const size_t i = 3 * (size_t)node + (size_t)c;
            const nb_real mass = s.geometry.mass[node - particles];
            const nb_real inertia =
                first ? mass
                      : NB(nb_geometric_inertia)(mass, s.u[i] - s.geometry.u[i],
                                                 s.geometry.after[i] - s.geometry.before[i], noise);
            if (inertia > 0)
                geometry_set(s, k, c, mass, inertia);
            s.geometry.u[i] = s.u[i];
        }
    }
}

} // namespace

#endif
