// PCR and PCG in a lower precision within refinement in the run's own, by the team of a part; see refine_stages.cuh.
#ifndef NB_CUDA_STEP_REFINED_CUH
#define NB_CUDA_STEP_REFINED_CUH

#include "solvers/cuda/step/refine_stages.cuh"
#include "solvers/cuda/step/step_iterate.cuh"

inline namespace NB(nb_cuda) {

// The loop's variables, the same in every thread of the team.
struct step_refinement {
    nb_real residual, right_side, goal; // |S r|, |b|
    int done, rounds;                   // iterations and solves so far
    int ending;                         // enum nb_linear_ending
};

struct step_refined {
    enum { scratch = PCR_SCRATCH };
    enum { MOST_ROUNDS = 200 }; // as on the CPU

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

    template <class Barrier>
    static __device__ void iterate(const step_system &s, const step_team &team, const pcr_system<nb_real> &system,
                                   const pcr_system<float> &low, const nb_real *scale, char *memory, nb_real *scratch,
                                   Barrier barrier, step_refinement &all)
    {
        const bool gradients = s.method == NB_CUDA_PCG;
        const bool near = memory && step_fits(s, low, gradients);
        pcr_system<float> nearest = low;
        bool goes_on = true;
        for (; goes_on && all.rounds < MOST_ROUNDS && all.done < s.linear_iterations; ++all.rounds) {
            const int left = s.linear_iterations - all.done;
            refine_load(system, low, scale, s.lower.format, all.residual, left, team);
            barrier();
            if (near) {
                if (all.rounds == 0)
                    nearest = pcr_bring(low, gradients, false, memory);
                else
                    pcr_renew(low, nearest);
                barrier();
            }
            run(gradients, nearest, left, (float *)scratch, barrier);
            if (near) {
                pcr_return(low, nearest, false);
                barrier();
            }
            goes_on = correct(s, team, system, low, scale, scratch, barrier, all);
        }
    }

    template <class Barrier>
    static __device__ void run(bool gradients, const pcr_system<float> &low, int iterations, float *scratch,
                               Barrier barrier)
    {
        if (gradients)
            pcr_iterate<pcg_method>(low, true, iterations, scratch, barrier);
        else
            pcr_iterate<pcr_method>(low, true, iterations, scratch, barrier);
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
        if (!(next <= all.residual)) { // the solve did harm
            refine_move(system, low, scale, -all.residual, team);
            barrier();
        }
        if (next <= all.goal || !(next <= NB_REAL(0.9) * all.residual)) {
            all.ending = next <= all.goal               ? NB_LINEAR_CONVERGED
                         : inner == NB_LINEAR_BREAKDOWN ? NB_LINEAR_BREAKDOWN
                                                        : NB_LINEAR_STAGNATED;
            return false;
        }
        all.residual = next;
        return true;
    }
};

} // namespace

#endif
