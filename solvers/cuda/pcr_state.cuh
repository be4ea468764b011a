// The scalars of a solve and every decision on them, as solvers/linear/krylov/krylov.c takes them. On the
// device they are read and written there only; the library's way uses the same code on the host.
//
// Each of the two or three stages of an iteration writes a verdict of its own and reads that of the stage
// before, so that no kernel writes what another block of the same kernel reads.
#ifndef NB_CUDA_PCR_STATE_CUH
#define NB_CUDA_PCR_STATE_CUH

#include <cfloat>
#include <cmath>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

extern "C" {
#include "solvers/solve.h"
}

// 0: go on; else 1 + ending + 8 detail.
enum pcr_detail { PCR_NO_DETAIL, PCR_RESIDUAL, PCR_RHO, PCR_GAMMA, PCG_RHO, PCG_GAMMA };

template <class T> struct pcr_state {
    T tolerance;                        // written by the host
    int limit;
    int iteration, stalled;             // written by the stage that judges
    T right_side, residual, least;
    int after_judging;                  // PCG and relaxations
    T next_rho, next_gamma;             // by the stage that has the new ones
    int after_iteration;                // by the last stage
    T rho, gamma;                       // by the stage after that one
    int after_step;
};

template <class T> struct pcr_type;
template <> struct pcr_type<float> {
    static constexpr float roundoff = 0x1p-24f, least_normal = FLT_MIN;
};
template <> struct pcr_type<double> {
    static constexpr double roundoff = 0x1p-53, least_normal = DBL_MIN;
};

__host__ __device__ inline int pcr_verdict(nb_linear_ending ending, pcr_detail detail)
{
    return 1 + (int)ending + 8 * (int)detail;
}

// The residual is new: stop?
template <class T> __host__ __device__ int pcr_decide(pcr_state<T> &state)
{
    const int stall_limit = 200; // as in solvers/linear/krylov/krylov.c
    const T smallest = 64 * sqrt(pcr_type<T>::least_normal / pcr_type<T>::roundoff);
    const bool better = state.iteration == 0 || state.residual < state.least;
    state.least = better ? state.residual : state.least;
    state.stalled = better ? 0 : state.stalled + 1;
    if (!isfinite(state.residual))
        return pcr_verdict(NB_LINEAR_NON_FINITE, PCR_RESIDUAL);
    if (state.residual <= state.tolerance * state.right_side || state.residual <= smallest)
        return pcr_verdict(NB_LINEAR_CONVERGED, PCR_NO_DETAIL);
    if (state.iteration >= state.limit)
        return pcr_verdict(NB_LINEAR_ITERATION_LIMIT, PCR_NO_DETAIL);
    if (state.tolerance > 0 && state.stalled >= stall_limit)
        return pcr_verdict(NB_LINEAR_STAGNATED, PCR_NO_DETAIL);
    return 0;
}

// Can the next step divide by this scalar?
template <class T>
__host__ __device__ int pcr_scalar(const pcr_state<T> &state, T value, pcr_detail name)
{
    if (value > 0 && isfinite(value))
        return 0;
    if (!isfinite(value))
        return pcr_verdict(state.iteration > 0 ? NB_LINEAR_BREAKDOWN : NB_LINEAR_NON_FINITE, name);
    if (state.residual <= pcr_type<T>::roundoff * state.right_side)
        return pcr_verdict(NB_LINEAR_CONVERGED, PCR_NO_DETAIL);
    return pcr_verdict(NB_LINEAR_BREAKDOWN, name);
}

// Both scalars of a step, rho = z^T A z and gamma = q^T P^-1 q.
template <class T> __host__ __device__ int pcr_scalars(const pcr_state<T> &state, T rho, T gamma)
{
    if (rho > 0 && rho <= pcr_type<T>::least_normal / pcr_type<T>::roundoff)
        return pcr_verdict(state.tolerance > 0 ? NB_LINEAR_STAGNATED : NB_LINEAR_CONVERGED,
                           PCR_NO_DETAIL);
    const int verdict = pcr_scalar(state, rho, PCR_RHO);
    return verdict ? verdict : pcr_scalar(state, gamma, PCR_GAMMA);
}

// After a whole iteration, the verdict that all stages have passed on.
template <class T> nb_linear_report pcr_report(const pcr_state<T> &state)
{
    static const char *const detail[] = {"",           "residual", "z^T A z", "q^T P^-1 q",
                                         "r^T P^-1 r", "p^T A p"};
    const int verdict = state.after_iteration;
    if (!verdict)
        return {NB_LINEAR_ITERATION_LIMIT, state.iteration, ""};
    return {(nb_linear_ending)((verdict - 1) % 8), state.iteration, detail[(verdict - 1) / 8]};
}

#endif
