// PCR, PCG and dense Cholesky in a lower precision within refinement in the run's own, by the team of a part; see
// refine_stages.cuh and refine_factors.cuh.
#ifndef NB_CUDA_STEP_REFINED_CUH
#define NB_CUDA_STEP_REFINED_CUH

#include "solvers/cuda/step/refine_factors.cuh"
#include "solvers/cuda/step/step_direct.cuh"

inline namespace NB(nb_cuda) {

// The part's lower system within the arrays of all.
__device__ inline pcr_system<float> step_lower_system(const step_system &s, const step_team &team)
{
    return step_part(s, s.lower.system, s.lower.states, team);
}

// With the residual of x = 0.
__device__ inline step_refinement refine_begin(const step_system &s, const step_team &team)
{
    step_refinement out = {};
    out.residual = refine_norm(s, team, 0);
    out.right_side = refine_norm(s, team, 1);
    out.goal = nb_max(s.tolerance, NB_REAL(NB_UNIT_ROUNDOFF)) * out.residual;
    out.ending = !isfinite(out.residual)   ? NB_LINEAR_NON_FINITE
                 : !(out.residual > 0)     ? NB_LINEAR_CONVERGED
                                           : NB_LINEAR_ITERATION_LIMIT;
    return out;
}

// Iterations that another round may take; 0: there is none. A direct solve is one, and there are as many as it takes.
__device__ inline int refine_left(const step_system &s, const step_refinement &all)
{
    if (all.ending != NB_LINEAR_ITERATION_LIMIT || all.rounds >= NB_REFINEMENT_ROUNDS)
        return 0;
    return s.method == NB_CUDA_CHOLESKY ? 1 : s.linear_iterations - all.done;
}

// After a round's solve: is there something to move x by?
__device__ inline bool refine_takes(step_refinement &all, const pcr_state<float> &low)
{
    const bool first = all.rounds++ == 0;
    all.inner = step_ending(low.after_iteration);
    if (all.inner >= NB_LINEAR_NON_FINITE || (low.iteration == 0 && first)) {
        all.ending = all.inner;
        return false;
    }
    all.done += low.iteration;
    return true;
}

// With the residual after x has been moved. Did that do harm? Then the round was the last one.
__device__ inline bool refine_harmed(step_refinement &all, nb_real next)
{
    const bool harmed = !(next <= all.residual);
    all.ending = NB(nb_refinement_ending)(next, all.residual, all.goal, (nb_linear_ending)all.inner);
    all.residual = all.ending == NB_LINEAR_ITERATION_LIMIT ? next : all.residual;
    return harmed;
}

// By one thread of the part's.
__device__ inline void refine_note(const step_system &s, int part, const step_refinement &all)
{
    pcr_state<nb_real> &state = s.states[part];
    state.iteration = all.done;
    state.right_side = all.right_side;
    state.residual = all.residual;
    state.after_iteration = pcr_verdict((nb_linear_ending)all.ending, PCR_NO_DETAIL);
    s.results[part].rounds += all.rounds;
}

// The solves of a lower system, each with kernels of their own: from the right side that has been loaded to x and the
// state in global memory, and a barrier after that; false where the matrix has no factor.
template <class Method> struct lower_krylov {
    enum { SCRATCH = PCR_SCRATCH };
    bool near;
    char *memory;
    pcr_system<float> nearest;

    __device__ lower_krylov(const step_system &s, const step_team &, const pcr_system<float> &low, char *given)
        : near(given && step_fits(s, low)), memory(given), nearest(low)
    {
    }

    template <class Barrier>
    __device__ bool solve(const step_system &, const step_team &, const pcr_system<float> &low, bool first,
                          int iterations, float *scratch, Barrier barrier)
    {
        if (near) {
            if (first)
                nearest = pcr_bring(low, Method::multiplied, false, memory);
            else
                pcr_renew(low, nearest);
            barrier();
        }
        pcr_iterate<Method>(nearest, true, iterations, scratch, barrier);
        if (near) {
            pcr_return(low, nearest, false);
            barrier();
        }
        return true;
    }
};

// The factor stays for all rounds.
struct lower_direct {
    enum { SCRATCH = DENSE_SCRATCH };
    float *matrix;

    __device__ lower_direct(const step_system &s, const step_team &team, const pcr_system<float> &low, char *memory)
        : matrix(step_triangle<float>(s, team, low.rows, memory))
    {
    }

    template <class Barrier>
    __device__ bool solve(const step_system &s, const step_team &team, const pcr_system<float> &low, bool first,
                          int, float *scratch, Barrier barrier)
    {
        if (!first)
            dense_solve_again(low, matrix, scratch, barrier);
        else if (!dense_solve(low, matrix, s.dense.failed + team.part, scratch, barrier)) {
            step_note_pivot(s, team, barrier);
            return false;
        }
        return true;
    }
};

// S, the lower system, and the residual of x = 0. By itself: it is once a solve, and would take registers from its loops.
template <class Barrier>
STEP_APART void refine_prepare(const step_system &s, const step_team &team, nb_real *scratch, Barrier barrier)
{
    const pcr_system<nb_real> system = step_linear(s, team);
    const pcr_system<float> low = step_lower_system(s, team);
    nb_real *scale = s.lower.scale + 3 * (size_t)s.rows.start[team.part];
    refine_scale(system, scale, team);
    barrier();
    if (system.factored) {
        refine_nodes(system, low, scale, s.lower.format, team);
        barrier();
        refine_rows(system, low, scale, s.lower.format, team);
    } else {
        refine_matrix(system, low, scale, s.lower.format, team);
    }
    refine_residual(s, system, scale, true, team, scratch);
    barrier();
}

template <class Lower> struct step_refined {
    enum { SCRATCH = Lower::SCRATCH };

    template <class Barrier>
    static __device__ void solve(const step_system &s, const step_team &team, char *memory, nb_real *scratch,
                                 Barrier barrier)
    {
        const pcr_system<nb_real> system = step_linear(s, team);
        const pcr_system<float> low = step_lower_system(s, team);
        const nb_real *scale = s.lower.scale + 3 * (size_t)s.rows.start[team.part];
        refine_prepare(s, team, scratch, barrier);
        step_refinement all = refine_begin(s, team);
        Lower lower(s, team, low, memory);
        bool goes_on = true;
        for (int left = refine_left(s, all); goes_on && left > 0; left = refine_left(s, all)) {
            refine_load(system, low, scale, s.lower.format, all.residual, left, team);
            barrier();
            goes_on = lower.solve(s, team, low, all.rounds == 0, left, (float *)scratch, barrier) &&
                      correct(s, team, system, low, scale, scratch, barrier, all);
        }
        if (team.thread == 0)
            refine_note(s, team.part, all);
        barrier();
    }

private:
    // After a solve. In every thread: has x been moved?
    template <class Barrier>
    static __device__ bool correct(const step_system &s, const step_team &team, const pcr_system<nb_real> &system,
                                   const pcr_system<float> &low, const nb_real *scale, nb_real *scratch,
                                   Barrier barrier, step_refinement &all)
    {
        if (!refine_takes(all, *low.state))
            return false;
        refine_move(system, low, scale, all.residual, team);
        barrier();
        if (system.factored) {
            refine_respond(system, team);
            barrier();
        }
        refine_residual(s, system, scale, false, team, scratch);
        barrier();
        if (refine_harmed(all, refine_norm(s, team, 0)))
            refine_move(system, low, scale, -all.residual, team);
        return true;
    }
};

} // namespace

#endif
