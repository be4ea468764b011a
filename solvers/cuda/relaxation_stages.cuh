// The stages of two relaxations, as those of pcr_stages.cuh:
//
//     Jacobi         x += omega D^-1 r                       omega is in `inverse`; solvers/linear/jacobi.c
//     Gauss-Seidel   x_i += (b - A x)_i / A_ii               block rows of a colour at once, their three rows in
//                                                            order: rows of one colour do not meet; A is assembled
//
// then r = b - A x with partial (r, r), then the decision. Without a tolerance Gauss-Seidel forms r after the last
// iteration only, which tells whether x is finite.
#ifndef NB_CUDA_RELAXATION_STAGES_CUH
#define NB_CUDA_RELAXATION_STAGES_CUH

#include "solvers/cuda/pcr_stages.cuh"

template <class T> __device__ void jacobi_step(const linear_system<T> &system)
{
    const int verdict = system.state->after_iteration;
    if (!verdict)
        for (int i = team_thread(system); i < 3 * system.rows; i += team_threads(system))
            system.x[i] += system.inverse[i] * system.r[i];
    if (team_leads(system))
        system.state->after_step = verdict;
}

// Row `row` by one warp: lane c < 3 has component c of the residual, and passes its change on to the
// components after it through the diagonal block.
template <class T> __device__ void relax_row(const linear_system<T> &system, int row, int lane)
{
    const size_t i = 3 * (size_t)row + lane % 3;
    T residual = system.b[i] - row_product(system, row, system.x, lane), change = 0;
    int diagonal = system.start[row];
    while (system.column[diagonal] != row)
        ++diagonal;
    for (int c = 0; c < 3; ++c) {
        const T moved = __shfl_sync(0xffffffffu, residual * system.inverse[i], c);
        residual -= system_entry(system, 9 * (size_t)diagonal + (size_t)(3 * (lane % 3) + c)) * moved;
        change = lane == c ? moved : change;
    }
    if (lane < 3)
        system.x[i] += change;
}

// A barrier has to follow each colour.
template <class T> __device__ void relax_colour(const linear_system<T> &system, int colour)
{
    const int verdict = system.state->after_iteration, lane = (int)threadIdx.x % WARP_SIZE;
    const int begin = system.colour_start[colour], end = verdict ? 0 : system.colour_start[colour + 1];
    for (int k = begin + team_thread(system) / WARP_SIZE; k < end; k += team_threads(system) / WARP_SIZE)
        relax_row(system, system.order[k], lane);
    if (colour == 0 && team_leads(system))
        system.state->after_step = verdict;
}

template <class T>
__device__ void form_residual(const linear_system<T> &system, bool needed, T *scratch)
{
    const int verdict = system.state->after_step;
    T sum[1] = {0};
    if (!verdict && needed) {
        multiply(system, system.x, [&](int row, int c, const T *all) {
            const size_t i = 3 * (size_t)row + c;
            const T r = system.b[i] - component(all, c);
            system.r[i] = r;
            sum[0] += r * r * system.weight[i];
        });
        store_partial_sums(system, sum, {system.sum_rr}, scratch);
    }
    if (team_leads(system))
        system.state->after_judging = verdict;
}

template <class T>
__device__ void judge_relaxation(const linear_system<T> &system, bool start, T *scratch)
{
    int verdict = start ? 0 : system.state->after_judging;
    if (!verdict && team_block(system) == 0)
        verdict = judge_iteration(system, start, scratch);
    if (team_leads(system))
        system.state->after_iteration = verdict;
}

// The beginning of both, and the end of an iteration.
struct relaxation {
    template <class T, class Barrier>
    static __device__ void begin(const linear_system<T> &system, T *scratch, Barrier barrier)
    {
        prepare_product(system, system.x, barrier);
        begin_solve(system, scratch);
        barrier();
        judge_relaxation(system, true, scratch);
        barrier();
    }

protected:
    template <class T, class Barrier>
    static __device__ void end(const linear_system<T> &system, bool needed, T *scratch, Barrier barrier)
    {
        prepare_product(system, system.x, barrier);
        form_residual(system, needed, scratch);
        barrier();
        judge_relaxation(system, false, scratch);
        barrier();
    }
};

struct jacobi_method : relaxation {
    template <class T, class Barrier>
    static __device__ void iteration(const linear_system<T> &system, T *scratch, Barrier barrier)
    {
        jacobi_step(system);
        barrier();
        end(system, true, scratch, barrier);
    }
};

struct gauss_seidel_method : relaxation {
    template <class T, class Barrier>
    static __device__ void iteration(const linear_system<T> &system, T *scratch, Barrier barrier)
    {
        for (int colour = 0; colour < system.colours; ++colour) {
            relax_colour(system, colour);
            barrier();
        }
        const solve_state<T> &state = *system.state;
        end(system, state.tolerance > 0 || state.iteration + 1 >= state.limit, scratch, barrier);
    }
};

#endif
