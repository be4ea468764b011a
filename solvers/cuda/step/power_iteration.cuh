// Jacobi's factor in a step that stays on the device: power iterations for the largest eigenvalue of D^-1 A as
// NB(nb_largest_eigenvalue) of solvers/linear/relaxation/relaxation.c, in stages as those of pcr_stages.cuh:
//
//     begin:    z = D^-1/2 s,  estimate = 1
//     product:  w = A z                                                  partial (z, w), (z, D z)
//     scale:    z = D^-1 w / |z|_D,  estimate = max((z, w) / (z, D z))
//
// as often as on the CPU; the last scale leaves x = 0 and P^-1 = D^-1 / estimate, where P^-1 = D^-1 before. z is in x.
// The estimate of one stage is `next_gamma`, which the product passes on to `gamma`, so that no stage reads what its
// leading thread writes.
#ifndef NB_CUDA_STEP_POWER_ITERATION_CUH
#define NB_CUDA_STEP_POWER_ITERATION_CUH

#include "solvers/cuda/iterations.cuh"

extern "C" {
#include "solvers/linear/relaxation/relaxation_factor.h"
}

inline namespace NB(nb_cuda) {

__device__ inline void power_begin(const linear_system<nb_real> &system)
{
    for (int i = team_thread(system); i < 3 * system.rows; i += team_threads(system))
        system.x[i] = NB(nb_start_vector_entry)((size_t)i) * nb_sqrt(system.inverse[i]);
    if (team_leads(system))
        system.state->next_gamma = 1;
}

__device__ inline void power_product(const linear_system<nb_real> &system, nb_real *scratch)
{
    nb_real sum[2] = {0, 0};
    multiply(system, system.x, [&](int row, int c, const nb_real *all) {
        const size_t i = 3 * (size_t)row + c;
        const nb_real z = system.x[i], w = component(all, c);
        system.w[i] = w;
        sum[0] += z * w;
        sum[1] += z * z / system.inverse[i];
    });
    store_partial_sums(system, sum, {system.sum_zw, system.sum_ww}, scratch);
    if (team_leads(system))
        system.state->gamma = system.state->next_gamma;
}

__device__ inline void power_scale(const linear_system<nb_real> &system, bool last, nb_real *scratch)
{
    nb_real sum[2];
    team_sums(system, {system.sum_zw, system.sum_ww}, sum, scratch);
    const nb_real estimate = nb_max(system.state->gamma, sum[0] / sum[1]), scale = 1 / nb_sqrt(sum[1]);
    nb_real *inverse = const_cast<nb_real *>(system.inverse);
    for (int i = team_thread(system); i < 3 * system.rows; i += team_threads(system)) {
        system.x[i] = last ? 0 : scale * system.w[i] * inverse[i];
        if (last)
            inverse[i] /= estimate;
    }
    if (team_leads(system))
        system.state->next_gamma = estimate;
}

template <class Barrier>
__device__ void power_iteration(const linear_system<nb_real> &system, nb_real *scratch, Barrier barrier)
{
    power_begin(system);
    barrier();
    for (int k = 1; k <= NB_POWER_ITERATIONS; ++k) {
        prepare_product(system, system.x, barrier);
        power_product(system, scratch);
        barrier();
        power_scale(system, k == NB_POWER_ITERATIONS, scratch);
        barrier();
    }
}

} // namespace

#endif
