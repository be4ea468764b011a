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
__device__ void pcg_direction(const pcr_system<T> &system, bool start, T *scratch)
{
    pcr_state<T> *state = system.state;
    int verdict = start ? 0 : state->after_step;
    if (!verdict) {
        T sum[1];
        pcr_grid_sums(system, {system.sum_ww}, sum, scratch);
        const T rho = sum[0];
        const T beta = start ? T(0) : rho / state->rho;
        for (int i = pcr_thread(system); i < 3 * system.rows; i += pcr_threads(system))
            pcr_publish(system, system.p, (size_t)i,
                        start ? system.z[i] : system.z[i] + beta * system.p[i]);
        if (pcr_block(system) == 0)
            verdict = pcr_judge(system, start, scratch);
        if (pcr_leads(system))
            state->next_rho = rho;
    }
    if (pcr_leads(system))
        state->after_judging = verdict;
}

template <class T> __device__ void pcg_product(const pcr_system<T> &system, T *scratch)
{
    const int verdict = system.state->after_judging;
    if (!verdict) {
        T sum[1] = {0};
        pcr_multiply(system, pcr_all(system, system.p), [&](int row, int c, const T *all) {
            const size_t i = 3 * (size_t)row + c;
            const T w = pcr_pick(all, c);
            system.w[i] = w;
            sum[0] += system.p[i] * w;
        });
        pcr_store_partials(system, sum, {system.sum_zw}, scratch);
    }
    if (pcr_leads(system))
        system.state->after_iteration = verdict;
}

// One step of alpha over the rows; partial sums of the new r.
template <class T> __device__ void pcg_move(const pcr_system<T> &system, T alpha, T *scratch)
{
    T sum[2] = {0, 0};
    for (int row = pcr_thread(system); row < system.rows; row += pcr_threads(system)) {
        const size_t first = 3 * (size_t)row;
        T r[3];
        for (int c = 0; c < 3; ++c) {
            const size_t i = first + c;
            r[c] = system.r[i] - alpha * system.w[i];
            system.x[i] += alpha * system.p[i];
            system.r[i] = r[c];
            sum[0] += r[c] * r[c];
        }
        for (int c = 0; c < 3; ++c) {
            const T z = pcr_precondition(system, row, r, c);
            system.z[first + c] = z;
            sum[1] += r[c] * z;
        }
    }
    pcr_store_partials(system, sum, {system.sum_rr, system.sum_ww}, scratch);
}

template <class T> __device__ void pcg_step(const pcr_system<T> &system, T *scratch)
{
    pcr_state<T> *state = system.state;
    int verdict = state->after_iteration;
    const T rho = state->next_rho;
    if (!verdict) {
        T sum[1];
        pcr_grid_sums(system, {system.sum_zw}, sum, scratch);
        const T gamma = sum[0];
        verdict = pcr_scalar(*state, rho, PCG_RHO);
        verdict = verdict ? verdict : pcr_scalar(*state, gamma, PCG_GAMMA);
        if (!verdict)
            pcg_move(system, rho / gamma, scratch);
    }
    if (pcr_leads(system)) {
        state->after_step = verdict;
        state->rho = rho;
    }
}

struct pcg_method {
    static constexpr bool coloured = false;
    static constexpr pcr_operand multiplied = PCR_P;
    static constexpr int last = 3;
    template <class T> static __host__ __device__ const T *operand(const pcr_system<T> &system, int number)
    {
        return number == 0 ? system.guess : number == 3 ? system.p : nullptr;
    }
    template <class T>
    static __device__ void stage(const pcr_system<T> &system, int number, bool start, T *scratch)
    {
        switch (number) {
        case 0: pcr_begin(system, false, scratch); break;
        case 1: pcg_step(system, scratch); break;
        case 2: pcg_direction(system, start, scratch); break;
        default: pcg_product(system, scratch);
        }
    }
};

#endif
