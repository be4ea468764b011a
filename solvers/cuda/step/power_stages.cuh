// Jacobi's factor in a step that stays on the device: power iterations for the largest eigenvalue of D^-1 A as
// NB(nb_largest_eigenvalue) of solvers/linear/relaxation/relaxation.c, in stages as those of pcr_stages.cuh:
//
//     begin:    z = D^-1/2 s,  estimate = 1
//     product:  w = A z                                                  partial (z, w), (z, D z)
//     scale:    z = D^-1 w / |z|_D,  estimate = max((z, w) / (z, D z))
//     factor:   the last scale; P^-1 = D^-1 / estimate,  x = 0
//
// P^-1 = D^-1 before, and z is in x, which in a cluster each block has all of. Two barriers each, as often as on the
// CPU. The estimate of one stage is `next_gamma`, which the product passes on to `gamma`, so that no stage reads what
// its leading thread writes.
#ifndef NB_CUDA_STEP_POWER_STAGES_CUH
#define NB_CUDA_STEP_POWER_STAGES_CUH

#include "solvers/cuda/iterate.cuh"

extern "C" {
#include "solvers/linear/relaxation/relaxation_factor.h"
}

inline namespace NB(nb_cuda) {

__device__ inline void power_begin(const pcr_system<nb_real> &system)
{
    for (int i = pcr_thread(system); i < 3 * system.rows; i += pcr_threads(system))
        pcr_publish(system, system.x, (size_t)i,
                    NB(nb_start_vector_entry)(3 * (size_t)system.first + (size_t)i) * nb_sqrt(system.inverse[i]));
    if (pcr_leads(system))
        system.state->next_gamma = 1;
}

__device__ inline void power_product(const pcr_system<nb_real> &system, nb_real *scratch)
{
    nb_real sum[2] = {0, 0};
    pcr_multiply(system, pcr_all(system, system.x), [&](int row, int c, const nb_real *all) {
        const size_t i = 3 * (size_t)row + c;
        const nb_real z = system.x[i], w = pcr_pick(all, c);
        system.w[i] = w;
        sum[0] += z * w;
        sum[1] += z * z / system.inverse[i];
    });
    pcr_store_partials(system, sum, {system.sum_zw, system.sum_ww}, scratch);
    if (pcr_leads(system))
        system.state->gamma = system.state->next_gamma;
}

__device__ inline void power_scale(const pcr_system<nb_real> &system, bool last, nb_real *scratch)
{
    nb_real sum[2];
    pcr_grid_sums(system, {system.sum_zw, system.sum_ww}, sum, scratch);
    const nb_real estimate = nb_max(system.state->gamma, sum[0] / sum[1]), scale = 1 / nb_sqrt(sum[1]);
    nb_real *inverse = const_cast<nb_real *>(system.inverse);
    for (int i = pcr_thread(system); i < 3 * system.rows; i += pcr_threads(system)) {
        pcr_publish(system, system.x, (size_t)i, last ? 0 : scale * system.w[i] * inverse[i]);
        if (last)
            inverse[i] /= estimate;
    }
    if (pcr_leads(system))
        system.state->next_gamma = estimate;
}

struct power_method {
    static constexpr int first = 0, product = 1, scale = 2, factor = 3;
    template <class T> static __host__ __device__ const T *operand(const pcr_system<T> &system, int number)
    {
        return number == product ? system.x : nullptr;
    }
    static __device__ void stage(const pcr_system<nb_real> &system, int number, bool, nb_real *scratch)
    {
        switch (number) {
        case first: power_begin(system); break;
        case product: power_product(system, scratch); break;
        default: power_scale(system, number == factor, scratch);
        }
    }
};

// The number of stage k, in their order.
enum { POWER_STAGES = 1 + 2 * NB_POWER_ITERATIONS };
__host__ __device__ constexpr int power_stage(int k)
{
    return k == 0 ? power_method::first : k % 2 ? power_method::product
           : k + 1 < POWER_STAGES               ? power_method::scale
                                                : power_method::factor;
}

template <class Barrier>
__device__ void power_iterate(const pcr_system<nb_real> &system, nb_real *scratch, Barrier barrier)
{
    for (int k = 0; k < POWER_STAGES; ++k)
        pcr_run_stage<power_method>(system, power_stage(k), false, scratch, barrier);
}

} // namespace

#endif
