// The stages of preconditioned conjugate gradients (solvers/linear/pcg.c), as those of pcr_stages.cuh:
//
//     begin:      r = b - A x,  z = P^-1 r                             partial (r, r), (b, b), (r, z)
//     direction:  rho' = (r, z);  p = z + beta p;  decides on ||r||
//     product:    w = A p                                              partial (p, w)
//     step:       alpha = rho / gamma;  x, r,  z = P^-1 r              partial (r, r), (r, z)
//
// (p, w) is summed in sum_zw, (r, z) in sum_ww. After a breakdown x is the last iterate, not the best.
#ifndef NB_CUDA_PCG_STAGES_CUH
#define NB_CUDA_PCG_STAGES_CUH

#include "solvers/cuda/pcr_stages.cuh"

template <class T>
__device__ void pcg_direction(const linear_system<T> &system, bool start, T *scratch)
{
    solve_state<T> *state = system.state;
    int verdict = start ? 0 : state->after_step;
    if (!verdict) {
        T sum[1];
        team_sums(system, {system.sum_ww}, sum, scratch);
        const T rho = sum[0];
        const T beta = start ? T(0) : rho / state->rho;
        for (int i = team_thread(system); i < 3 * system.rows; i += team_threads(system))
            system.p[i] = start ? system.z[i] : system.z[i] + beta * system.p[i];
        if (team_block(system) == 0)
            verdict = judge_iteration(system, start, scratch);
        if (team_leads(system))
            state->next_rho = rho;
    }
    if (team_leads(system))
        state->after_judging = verdict;
}

template <class T> __device__ void pcg_product(const linear_system<T> &system, T *scratch)
{
    const int verdict = system.state->after_judging;
    if (!verdict) {
        T sum[1] = {0};
        multiply(system, system.p, [&](int row, int c, const T *all) {
            const size_t i = 3 * (size_t)row + c;
            const T w = component(all, c);
            system.w[i] = w;
            sum[0] += system.p[i] * w;
        });
        store_partial_sums(system, sum, {system.sum_zw}, scratch);
    }
    if (team_leads(system))
        system.state->after_iteration = verdict;
}

// One step of alpha over the rows; partial sums of the new r.
template <class T> __device__ void pcg_update_vectors(const linear_system<T> &system, T alpha, T *scratch)
{
    T sum[2] = {0, 0};
    for (int row = team_thread(system); row < system.rows; row += team_threads(system)) {
        const size_t first = 3 * (size_t)row;
        T r[3];
        for (int c = 0; c < 3; ++c) {
            const size_t i = first + c;
            r[c] = system.r[i] - alpha * system.w[i];
            system.x[i] += alpha * system.p[i];
            system.r[i] = r[c];
            sum[0] += r[c] * r[c] * system.weight[i];
        }
        for (int c = 0; c < 3; ++c) {
            const T z = precondition(system, row, r, c);
            system.z[first + c] = z;
            sum[1] += r[c] * z;
        }
    }
    store_partial_sums(system, sum, {system.sum_rr, system.sum_ww}, scratch);
}

template <class T> __device__ void pcg_step(const linear_system<T> &system, T *scratch)
{
    solve_state<T> *state = system.state;
    int verdict = state->after_iteration;
    const T rho = state->next_rho;
    if (!verdict) {
        T sum[1];
        team_sums(system, {system.sum_zw}, sum, scratch);
        const T gamma = sum[0];
        verdict = judge_divisor(*state, rho, PCG_RHO);
        verdict = verdict ? verdict : judge_divisor(*state, gamma, PCG_GAMMA);
        if (!verdict)
            pcg_update_vectors(system, rho / gamma, scratch);
    }
    if (team_leads(system)) {
        state->after_step = verdict;
        state->rho = rho;
    }
}

// As pcr_method.
struct pcg_method {
    template <class T, class Barrier>
    static __device__ void begin(const linear_system<T> &system, T *scratch, Barrier barrier)
    {
        prepare_product(system, system.x, barrier);
        begin_solve(system, scratch);
        barrier();
        multiply_p(system, true, scratch, barrier);
    }
    template <class T, class Barrier>
    static __device__ void iteration(const linear_system<T> &system, T *scratch, Barrier barrier)
    {
        pcg_step(system, scratch);
        barrier();
        multiply_p(system, false, scratch, barrier);
    }

private:
    template <class T, class Barrier>
    static __device__ void multiply_p(const linear_system<T> &system, bool start, T *scratch, Barrier barrier)
    {
        pcg_direction(system, start, scratch);
        barrier();
        prepare_product(system, system.p, barrier);
        pcg_product(system, scratch);
        barrier();
    }
};

#endif
