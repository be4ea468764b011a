// The factor of sor and ssor in a step that stays on the device, where none is given: ten Lanczos steps as those of
// solvers/linear/krylov/lanczos.c with P = D, in stages as those of pcr_stages.cuh:
//
//     begin:      r = D^1/2 s,  p = z = D^-1 r                              partial (r, z)
//     product:    w = A p                                                   partial (p, w)
//     move:       alpha = rho / (p, w);  r -= alpha w,  z = D^-1 r          partial (r, z), which becomes rho'
//     direction:  beta = rho' / rho;  p = z + beta p
//     factor:     omega of the smallest eigenvalue that alpha and beta show
//     apply:      P^-1 = omega D^-1;  x = 0
//
// P^-1 = D^-1 before. p is in x, which in a cluster each block has all of. What a step finds is noted in `direction`,
// so that no stage reads what its leading thread writes.
#ifndef NB_CUDA_STEP_LANCZOS_STAGES_CUH
#define NB_CUDA_STEP_LANCZOS_STAGES_CUH

#include "solvers/cuda/iterate.cuh"
#include "solvers/cuda/step/step_system.cuh"

extern "C" {
#include "solvers/linear/relaxation/relaxation_factor.h"
}

inline namespace NB(nb_cuda) {

// One thread of all that work on a part.
__device__ inline bool lanczos_leads(const pcr_system<nb_real> &system)
{
    return pcr_leads(system) && system.rank == 0;
}

__device__ inline void lanczos_set(const pcr_system<nb_real> &system, nb_real *scratch)
{
    nb_real sum[1] = {0};
    for (int i = pcr_thread(system); i < 3 * system.rows; i += pcr_threads(system)) {
        const nb_real start = NB(nb_start_vector_entry)(3 * (size_t)system.first + (size_t)i);
        const nb_real r = start / nb_sqrt(system.inverse[i]), z = r * system.inverse[i];
        system.r[i] = r;
        pcr_publish(system, system.x, (size_t)i, z);
        sum[0] += r * z;
    }
    pcr_store_partials(system, sum, {system.sum_ww}, scratch);
}

// What step k knows, the same in every thread.
struct lanczos_step {
    nb_real rho, alpha;
    bool goes; // there is such a step: beyond it only noise
};

__device__ inline lanczos_step lanczos_find(const pcr_system<nb_real> &system, const step_spectrum &spectrum, int k,
                                            nb_real *scratch)
{
    nb_real sum[2];
    pcr_grid_sums(system, {k % 2 ? system.sum_wq : system.sum_ww, system.sum_zw}, sum, scratch);
    const nb_real least = k > 0 ? NB_REAL(NB_UNIT_ROUNDOFF) * spectrum.first : 0;
    const bool goes = (k == 0 || spectrum.taken[k - 1]) && sum[0] > least && sum[1] > 0 && isfinite(sum[1]);
    return {sum[0], sum[0] / sum[1], goes && k < spectrum.size};
}

__device__ inline void lanczos_product(const pcr_system<nb_real> &system, nb_real *scratch)
{
    nb_real sum[1] = {0};
    pcr_multiply(system, pcr_all(system, system.x), [&](int row, int c, const nb_real *all) {
        const size_t i = 3 * (size_t)row + (size_t)c;
        const nb_real w = pcr_pick(all, c);
        system.w[i] = w;
        sum[0] += system.x[i] * w;
    });
    pcr_store_partials(system, sum, {system.sum_zw}, scratch);
}

__device__ inline void lanczos_move(const pcr_system<nb_real> &system, const step_spectrum &spectrum, int k,
                                    nb_real *scratch)
{
    const lanczos_step step = lanczos_find(system, spectrum, k, scratch);
    nb_real sum[1] = {0};
    for (int i = pcr_thread(system); step.goes && i < 3 * system.rows; i += pcr_threads(system)) {
        const nb_real r = system.r[i] - step.alpha * system.w[i], z = r * system.inverse[i];
        system.r[i] = r;
        system.z[i] = z;
        sum[0] += r * z;
    }
    pcr_store_partials(system, sum, {k % 2 ? system.sum_ww : system.sum_wq}, scratch);
}

__device__ inline void lanczos_direction(const pcr_system<nb_real> &system, step_spectrum &spectrum, int k,
                                         nb_real *scratch)
{
    const lanczos_step step = lanczos_find(system, spectrum, k, scratch);
    nb_real after[1];
    pcr_grid_sums(system, {k % 2 ? system.sum_ww : system.sum_wq}, after, scratch);
    const nb_real beta = after[0] / step.rho;
    for (int i = pcr_thread(system); step.goes && i < 3 * system.rows; i += pcr_threads(system))
        pcr_publish(system, system.x, (size_t)i, system.z[i] + beta * system.x[i]);
    if (!lanczos_leads(system))
        return;
    spectrum.first = k == 0 ? step.rho : spectrum.first;
    spectrum.taken[k] = step.goes;
    spectrum.alpha[k] = (double)step.alpha;
    spectrum.beta[k] = (double)beta;
}

// Has the tridiagonal matrix an eigenvalue below `value`? By the signs of its pivots (Sturm).
__device__ inline bool lanczos_below(int count, const double *diagonal, const double *beside, double value)
{
    bool below = false;
    double pivot = 1;
    for (int k = 0; k < count && !below; ++k) {
        pivot = diagonal[k] - value - (k > 0 ? beside[k - 1] * beside[k - 1] / pivot : 0);
        below = !(pivot > 0);
    }
    return below;
}

// The smallest eigenvalue, as far as it matters to omega, by a warp: 32 values at once part an interval into 33.
__device__ inline nb_real lanczos_smallest(const step_spectrum &spectrum, int lane)
{
    double diagonal[NB_SOR_LANCZOS_STEPS], beside[NB_SOR_LANCZOS_STEPS];
    double low = (double)NB_SOR_LEAST_EIGENVALUE, high = 1;
    int count = 0;
    while (count < NB_SOR_LANCZOS_STEPS && spectrum.taken[count])
        ++count;
    NB(nb_lanczos_matrix)(count, spectrum.alpha, spectrum.beta, diagonal, beside);
    for (int round = 0; round < 11; ++round) { // 33^11 are more parts than a double has
        const double width = (high - low) / (PCR_WARP + 1);
        const unsigned below =
            __ballot_sync(0xffffffffu, lanczos_below(count, diagonal, beside, low + (lane + 1) * width));
        const int at = below ? __ffs((int)below) - 1 : (int)PCR_WARP; // the first value above the eigenvalue
        high = below ? low + (at + 1) * width : high;
        low += at * width;
    }
    return (nb_real)low;
}

__device__ inline void lanczos_factor(const pcr_system<nb_real> &system, step_spectrum &spectrum)
{
    if (system.rank > 0 || pcr_block(system) > 0 || threadIdx.x >= PCR_WARP)
        return;
    const nb_real low = lanczos_smallest(spectrum, (int)threadIdx.x);
    if (lanczos_leads(system))
        spectrum.omega = NB(nb_sor_factor)(low);
}

__device__ inline void lanczos_apply(const pcr_system<nb_real> &system, const step_spectrum &spectrum)
{
    nb_real *inverse = const_cast<nb_real *>(system.inverse);
    for (int i = pcr_thread(system); i < 3 * system.rows; i += pcr_threads(system)) {
        inverse[i] *= spectrum.omega;
        pcr_publish(system, system.x, (size_t)i, NB_REAL(0));
    }
}

// As Method of a graph's kernels: what a product by factors needs before.
struct lanczos_method {
    static constexpr int product = 0;
    template <class T> static __host__ __device__ const T *operand(const pcr_system<T> &system, int)
    {
        return system.x;
    }
};

enum lanczos_stage { LANCZOS_SET, LANCZOS_PRODUCT, LANCZOS_MOVE, LANCZOS_DIRECTION, LANCZOS_FACTOR, LANCZOS_APPLY };

// Stage `turn` in their order, and the Lanczos step it is in.
struct lanczos_turn {
    lanczos_stage stage;
    int step;
};
enum { LANCZOS_TURNS = 3 + 3 * NB_SOR_LANCZOS_STEPS };
__host__ __device__ inline lanczos_turn lanczos_at(int turn)
{
    if (turn == 0)
        return {LANCZOS_SET, 0};
    if (turn <= 3 * NB_SOR_LANCZOS_STEPS)
        return {(lanczos_stage)(LANCZOS_PRODUCT + (turn - 1) % 3), (turn - 1) / 3};
    return {turn == LANCZOS_TURNS - 2 ? LANCZOS_FACTOR : LANCZOS_APPLY, 0};
}

__device__ inline void lanczos_run(const pcr_system<nb_real> &system, step_spectrum &spectrum, int turn,
                                   nb_real *scratch)
{
    const lanczos_turn now = lanczos_at(turn);
    switch (now.stage) {
    case LANCZOS_SET: lanczos_set(system, scratch); break;
    case LANCZOS_PRODUCT: lanczos_product(system, scratch); break;
    case LANCZOS_MOVE: lanczos_move(system, spectrum, now.step, scratch); break;
    case LANCZOS_DIRECTION: lanczos_direction(system, spectrum, now.step, scratch); break;
    case LANCZOS_FACTOR: lanczos_factor(system, spectrum); break;
    default: lanczos_apply(system, spectrum);
    }
}

template <class Barrier>
STEP_APART void lanczos_iterate(const pcr_system<nb_real> &system, step_spectrum &spectrum, nb_real *scratch,
                                Barrier barrier)
{
    for (int turn = 0; turn < LANCZOS_TURNS; ++turn) {
        if (lanczos_at(turn).stage == LANCZOS_PRODUCT)
            pcr_prepare_product(system, (const nb_real *)system.x, barrier);
        lanczos_run(system, spectrum, turn, scratch);
        barrier();
    }
}

} // namespace

#endif
