// The scalars of a linear solve and every decision on them, as solvers/linear/krylov/krylov.c takes them. On the device
// they are read and written there only; the `library` method uses the same code on the host.
//
// Each stage of an iteration writes a verdict of its own and reads that of the stage before, so that within a stage no
// block writes what another one reads.
#ifndef NB_CUDA_SOLVE_STATE_CUH
#define NB_CUDA_SOLVE_STATE_CUH

#include <cfloat>
#include <cmath>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

extern "C" {
#include "solvers/solve.h"
}

// What a solve broke down at. A verdict is 0 to go on, else 1 + nb_linear_ending + 8 detail.
enum solve_detail { NO_DETAIL, BAD_RESIDUAL, PCR_RHO, PCR_GAMMA, PCG_RHO, PCG_GAMMA };

template <class T> struct solve_state {
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

template <class T> struct number_type;
template <> struct number_type<float> {
    static constexpr float roundoff = 0x1p-24f, least_normal = FLT_MIN;
};
template <> struct number_type<double> {
    static constexpr double roundoff = 0x1p-53, least_normal = DBL_MIN;
};

__host__ __device__ inline int verdict_of(nb_linear_ending ending, solve_detail detail = NO_DETAIL)
{
    return 1 + (int)ending + 8 * (int)detail;
}
__host__ __device__ inline nb_linear_ending verdict_ending(int verdict)
{
    return verdict ? (nb_linear_ending)((verdict - 1) % 8) : NB_LINEAR_ITERATION_LIMIT;
}

// The residual is new: does the solve end? A verdict.
template <class T> __host__ __device__ int judge_residual(solve_state<T> &state)
{
    const int stall_limit = 200; // as in solvers/linear/krylov/krylov.c
    const T smallest = 64 * sqrt(number_type<T>::least_normal / number_type<T>::roundoff);
    const bool better = state.iteration == 0 || state.residual < state.least;
    state.least = better ? state.residual : state.least;
    state.stalled = better ? 0 : state.stalled + 1;
    if (!isfinite(state.residual))
        return verdict_of(NB_LINEAR_NON_FINITE, BAD_RESIDUAL);
    if (state.residual <= state.tolerance * state.right_side || state.residual <= smallest)
        return verdict_of(NB_LINEAR_CONVERGED);
    if (state.iteration >= state.limit)
        return verdict_of(NB_LINEAR_ITERATION_LIMIT);
    if (state.tolerance > 0 && state.stalled >= stall_limit)
        return verdict_of(NB_LINEAR_STAGNATED);
    return 0;
}

// Can the next step divide by this scalar? A verdict.
template <class T>
__host__ __device__ int judge_divisor(const solve_state<T> &state, T value, solve_detail name)
{
    if (value > 0 && isfinite(value))
        return 0;
    if (!isfinite(value))
        return verdict_of(state.iteration > 0 ? NB_LINEAR_BREAKDOWN : NB_LINEAR_NON_FINITE, name);
    if (state.residual <= number_type<T>::roundoff * state.right_side)
        return verdict_of(NB_LINEAR_CONVERGED);
    return verdict_of(NB_LINEAR_BREAKDOWN, name);
}

// Both scalars of a step of PCR, rho = z^T A z and gamma = q^T P^-1 q.
template <class T> __host__ __device__ int judge_pcr_divisors(const solve_state<T> &state, T rho, T gamma)
{
    if (rho > 0 && rho <= number_type<T>::least_normal / number_type<T>::roundoff)
        return verdict_of(state.tolerance > 0 ? NB_LINEAR_STAGNATED : NB_LINEAR_CONVERGED);
    const int verdict = judge_divisor(state, rho, PCR_RHO);
    return verdict ? verdict : judge_divisor(state, gamma, PCR_GAMMA);
}

// After a whole iteration, when all stages have passed the verdict on.
template <class T> nb_linear_report report_of(const solve_state<T> &state)
{
    static const char *const detail[] = {"",
                                         "residual",
                                         "z^T A z is not a positive number",
                                         "q^T P^-1 q is not a positive number",
                                         "r^T P^-1 r is not a positive number",
                                         "p^T A p is not a positive number"};
    const int verdict = state.after_iteration;
    return {verdict_ending(verdict), state.iteration, verdict ? detail[(verdict - 1) / 8] : ""};
}

#endif
