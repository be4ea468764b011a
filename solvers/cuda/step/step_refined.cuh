// PCR, PCG and dense Cholesky in a lower precision within refinement in the run's own, by the team of a part; see
// refine_stages.cuh.
#ifndef NB_CUDA_STEP_REFINED_CUH
#define NB_CUDA_STEP_REFINED_CUH

#include "solvers/cuda/step/refine_stages.cuh"
#include "solvers/cuda/step/step_direct.cuh"

inline namespace NB(nb_cuda) {

// The loop's variables, the same in every thread of the team.
struct step_refinement {
    nb_real residual, right_side, goal; // |S r|, |b|
    int done, rounds;                   // iterations and solves so far
    int ending;                         // enum nb_linear_ending
};

// The solves of a lower system, each with kernels of their own: from the right side that has been loaded to x and the
// state in global memory, and a barrier after that; false where the matrix has no factor.
template <class Method> struct lower_krylov {
    enum { SCRATCH = PCR_SCRATCH, direct = 0 };
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
    enum { SCRATCH = DENSE_SCRATCH, direct = 1 };
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

template <class Lower> struct step_refined {
    enum { SCRATCH = Lower::SCRATCH };

    template <class Barrier>
    static __device__ void solve(const step_system &s, const step_team &team, char *memory, nb_real *scratch,
                                 Barrier barrier)
    {
        const pcr_system<nb_real> system = step_linear(s, team);
        const pcr_system<float> low = step_part(s, s.lower.system, s.lower.states, team);
        nb_real *scale = s.lower.scale + 3 * (size_t)s.rows.start[team.part];
        refine_scale(system, scale, team);
        barrier();
        refine_matrix(system, low, scale, s.lower.format, team);
        refine_residual(s, system, scale, true, team, scratch);
        barrier();
        step_refinement all = begin(s, team);
        if (all.ending == NB_LINEAR_ITERATION_LIMIT)
            iterate(s, team, system, low, scale, memory, scratch, barrier, all);
        if (team.thread == 0) {
            system.state->iteration = all.done;
            system.state->right_side = all.right_side;
            system.state->residual = all.residual;
            system.state->after_iteration = pcr_verdict((nb_linear_ending)all.ending, PCR_NO_DETAIL);
            s.results[team.part].rounds += all.rounds;
        }
        barrier();
    }

private:
    static __device__ step_refinement begin(const step_system &s, const step_team &team)
    {
        step_refinement out = {refine_norm(s, team, 0), refine_norm(s, team, 1), 0, 0, 0, NB_LINEAR_ITERATION_LIMIT};
        out.goal = nb_max(s.tolerance, NB_REAL(NB_UNIT_ROUNDOFF)) * out.residual;
        if (!isfinite(out.residual))
            out.ending = NB_LINEAR_NON_FINITE;
        else if (!(out.residual > 0))
            out.ending = NB_LINEAR_CONVERGED;
        return out;
    }

    // A direct solve is one iteration, and there are as many as it takes.
    template <class Barrier>
    static __device__ void iterate(const step_system &s, const step_team &team, const pcr_system<nb_real> &system,
                                   const pcr_system<float> &low, const nb_real *scale, char *memory, nb_real *scratch,
                                   Barrier barrier, step_refinement &all)
    {
        Lower lower(s, team, low, memory);
        bool goes_on = true;
        for (; goes_on && all.rounds < NB_REFINEMENT_ROUNDS; ++all.rounds) {
            const int left = Lower::direct ? 1 : s.linear_iterations - all.done;
            if (left <= 0)
                break;
            refine_load(system, low, scale, s.lower.format, all.residual, left, team);
            barrier();
            goes_on = lower.solve(s, team, low, all.rounds == 0, left, (float *)scratch, barrier) &&
                      correct(s, team, system, low, scale, scratch, barrier, all);
        }
    }

    // After a solve. In every thread: another one?
    template <class Barrier>
    static __device__ bool correct(const step_system &s, const step_team &team, const pcr_system<nb_real> &system,
                                   const pcr_system<float> &low, const nb_real *scale, nb_real *scratch,
                                   Barrier barrier, step_refinement &all)
    {
        const int inner = step_ending(low.state->after_iteration), count = low.state->iteration;
        if (inner >= NB_LINEAR_NON_FINITE || (count == 0 && all.rounds == 0)) {
            all.ending = inner;
            return false;
        }
        refine_move(system, low, scale, all.residual, team);
        all.done += count;
        barrier();
        refine_residual(s, system, scale, false, team, scratch);
        barrier();
        const nb_real next = refine_norm(s, team, 0);
        if (!(next <= all.residual)) // the solve did harm, and was the last one
            refine_move(system, low, scale, -all.residual, team);
        all.ending = NB(nb_refinement_ending)(next, all.residual, all.goal, (nb_linear_ending)inner);
        if (all.ending != NB_LINEAR_ITERATION_LIMIT)
            return false;
        all.residual = next;
        return true;
    }
};

} // namespace

#endif
