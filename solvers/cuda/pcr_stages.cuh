// Preconditioned conjugate residuals (solvers/linear/pcr.c) cut at its global sums into stages, written once for the
// grid and for a block in its shared memory, which differ in the barrier between the stages:
//
//     begin:      r = b - A x,  z = P^-1 r                        partial (r, r), (b, b) in the norm of D^-1
//     product:    w = A z;  decides on ||r||                      partial (z, w), (w, P^-1 w), (w, P^-1 q)
//     step:       rho' = (z, w);  p = z + beta p,  q = w + beta q;
//                 alpha = rho' / (q, P^-1 q);  x, r, z            partial (r, r)
//
// A solve is begin, product, then step, product an iteration: two barriers, since the step does not wait
// for a sum over the q that it forms. That follows from the sums of the product,
//
//     (q', P^-1 q') = (w, P^-1 w) + 2 beta (w, P^-1 q) + beta^2 (q, P^-1 q),
//
// as in the conjugate gradients of Chronopoulos and Gear (1989). An error of it makes alpha a little longer or
// shorter; x and r still take the same step. Where cancellation leaves less than half of the digits the
// direction begins anew from z, which needs no such sum.
#ifndef NB_CUDA_PCR_STAGES_CUH
#define NB_CUDA_PCR_STAGES_CUH

#include "solvers/cuda/product.cuh"

// r = b - A x, z = P^-1 r; partial (r, D^-1 r) and (b, D^-1 b), and (r, z) into sum_ww.
template <class T> __device__ void begin_solve(const linear_system<T> &system, T *scratch)
{
    T sum[3] = {0, 0, 0};
    multiply(system, system.x, [&](int row, int c, const T *product) {
        const size_t first = 3 * (size_t)row, i = first + c;
        const T *b = system.b + first;
        const T all[3] = {b[0] - product[0], b[1] - product[1], b[2] - product[2]};
        const T r = component(all, c), z = precondition(system, row, all, c);
        system.r[i] = r;
        system.z[i] = z;
        sum[0] += r * r * system.weight[i];
        sum[1] += b[c] * b[c] * system.weight[i];
        sum[2] += r * z;
    });
    store_partial_sums(system, sum, {system.sum_rr, system.sum_bb, system.sum_ww}, scratch);
}

// The leading block's part of the stage that follows a new r.
template <class T> __device__ int judge_iteration(const linear_system<T> &system, bool start, T *scratch)
{
    solve_state<T> *state = system.state;
    T rr[1], bb[1];
    team_sums(system, {system.sum_rr}, rr, scratch);
    if (start)
        team_sums(system, {system.sum_bb}, bb, scratch);
    if (threadIdx.x != 0)
        return 0;
    state->iteration = start ? 0 : state->iteration + 1;
    if (start) {
        state->stalled = 0;
        state->right_side = sqrt(bb[0]);
    }
    state->residual = sqrt(rr[0]);
    return judge_residual(*state);
}

// The last stage of an iteration: it passes the verdict on.
template <class T>
__device__ void pcr_product(const linear_system<T> &system, bool start, T *scratch)
{
    solve_state<T> *state = system.state;
    int verdict = start ? 0 : state->after_step;
    if (!verdict) {
        T sum[3] = {0, 0, 0};
        multiply(system, system.z, [&](int row, int c, const T *all) {
            const size_t i = 3 * (size_t)row + c;
            const T w = component(all, c), image = precondition(system, row, all, c);
            system.w[i] = w;
            sum[0] += system.z[i] * w;
            sum[1] += w * image;
            sum[2] += start ? T(0) : system.q[i] * image;
        });
        store_partial_sums(system, sum, {system.sum_zw, system.sum_ww, system.sum_wq}, scratch);
        if (team_block(system) == 0)
            verdict = judge_iteration(system, start, scratch);
    }
    if (team_leads(system)) {
        state->rho = state->next_rho;
        state->gamma = state->next_gamma;
        state->after_iteration = verdict;
    }
}

template <class T> struct pcr_coefficients {
    T rho, gamma, beta;
};

// The same in every thread.
template <class T>
__device__ pcr_coefficients<T> pcr_combine(const linear_system<T> &system, T *scratch)
{
    const solve_state<T> &state = *system.state;
    T sum[3];
    team_sums(system, {system.sum_zw, system.sum_ww, system.sum_wq}, sum, scratch);
    const T rho = sum[0], ww = sum[1], wq = sum[2];
    if (state.iteration == 0)
        return {rho, ww, T(0)};
    const T beta = rho / state.rho;
    const T gamma = ww + beta * (2 * wq + beta * state.gamma);
    if (gamma > sqrt(number_type<T>::roundoff) * ww)
        return {rho, gamma, beta};
    return {rho, ww, T(0)};
}

// p, q, then x, r, z, row by row. beta = 0: p and q need not be numbers yet.
template <class T>
__device__ void pcr_update_vectors(const linear_system<T> &system, T beta, T alpha, T *scratch)
{
    T sum[1] = {0};
    for (int row = team_thread(system); row < system.rows; row += team_threads(system)) {
        const size_t first = 3 * (size_t)row;
        T q[3];
        for (int c = 0; c < 3; ++c) {
            const size_t i = first + c;
            const T p = beta != 0 ? system.z[i] + beta * system.p[i] : system.z[i];
            q[c] = beta != 0 ? system.w[i] + beta * system.q[i] : system.w[i];
            const T r = system.r[i] - alpha * q[c];
            system.p[i] = p;
            system.q[i] = q[c];
            system.x[i] += alpha * p;
            system.r[i] = r;
            sum[0] += r * r * system.weight[i];
        }
        for (int c = 0; c < 3; ++c)
            system.z[first + c] -= alpha * precondition(system, row, q, c);
    }
    store_partial_sums(system, sum, {system.sum_rr}, scratch);
}

template <class T> __device__ void pcr_step(const linear_system<T> &system, T *scratch)
{
    solve_state<T> *state = system.state;
    int verdict = state->after_iteration;
    if (!verdict) {
        const pcr_coefficients<T> now = pcr_combine(system, scratch);
        verdict = judge_pcr_divisors(*state, now.rho, now.gamma);
        if (!verdict)
            pcr_update_vectors(system, now.beta, now.rho / now.gamma, scratch);
        if (team_leads(system)) {
            state->next_rho = now.rho;
            state->next_gamma = now.gamma;
        }
    }
    if (team_leads(system))
        state->after_step = verdict;
}

// A solve's beginning and an iteration of it, each with the barrier after it.
struct pcr_method {
    template <class T, class Barrier>
    static __device__ void begin(const linear_system<T> &system, T *scratch, Barrier barrier)
    {
        prepare_product(system, system.x, barrier);
        begin_solve(system, scratch);
        barrier();
        multiply_z(system, true, scratch, barrier);
    }
    template <class T, class Barrier>
    static __device__ void iteration(const linear_system<T> &system, T *scratch, Barrier barrier)
    {
        pcr_step(system, scratch);
        barrier();
        multiply_z(system, false, scratch, barrier);
    }

private:
    template <class T, class Barrier>
    static __device__ void multiply_z(const linear_system<T> &system, bool start, T *scratch, Barrier barrier)
    {
        prepare_product(system, system.z, barrier);
        pcr_product(system, start, scratch);
        barrier();
    }
};

#endif
