// The Newton iterations of one part of a step by its team; see step_stages.cuh.
#ifndef NB_CUDA_STEP_ITERATE_CUH
#define NB_CUDA_STEP_ITERATE_CUH

#include "solvers/cuda/step/power_iteration.cuh"
#include "solvers/cuda/step/step_stages.cuh"

inline namespace NB(nb_cuda) {

// The part's linear system within the arrays of all.
__device__ inline linear_system<nb_real> step_linear(const step_system &s, const step_team &team)
{
    linear_system<nb_real> out = s.linear;
    const size_t first = (size_t)s.rows.start[team.part];
    nb_real **const vectors[] = {&out.x, &out.r, &out.z, &out.p, &out.q, &out.w};
    out.rows = s.rows.start[team.part + 1] - (int)first;
    out.start += first;
    out.inverse += (out.wide ? 9 : 3) * first;
    out.b += 3 * first;
    out.weight += 3 * first;
    for (nb_real **vector : vectors)
        *vector += 3 * first;
    nb_real **const sums[] = {&out.sum_rr, &out.sum_bb, &out.sum_zw, &out.sum_ww, &out.sum_wq};
    for (nb_real **sum : sums)
        *sum += team.part;
    out.state = s.states + team.part;
    if (out.factored) {
        const size_t node = (size_t)s.nodes.start[team.part];
        out.factors.nodes = s.nodes.start[team.part + 1] - (int)node;
        out.factors.node_start += node;
        out.factors.inverse_mass += 9 * node;
        out.factors.velocity += 3 * node;
        out.factors.compliance += 9 * first;
    }
    if (s.first_colour) {
        const int colour = s.first_colour[team.part];
        out.order += first;
        out.colour_start += colour;
        out.colours = s.first_colour[team.part + 1] - colour - 1;
    }
    return out;
}

// Has a part's system room in the shared memory?
__device__ inline bool step_fits(const step_system &s, const linear_system<nb_real> &far)
{
    linear_system<nb_real> measured = far;
    return lay_out_system(nullptr, (size_t)(far.start[far.rows] - far.start[0]), 1, measured) <= s.room;
}

// The linear solvers, in families with kernels of their own: a loop of one would take registers from the other's.
struct step_krylov {
    template <class Barrier>
    static __device__ void run(const step_system &s, const linear_system<nb_real> &system, nb_real *scratch,
                               Barrier barrier)
    {
        if (s.method == NB_CUDA_PCG)
            iterate<pcg_method>(system, true, s.linear_iterations, scratch, barrier);
        else
            iterate<pcr_method>(system, true, s.linear_iterations, scratch, barrier);
    }
};

struct step_relaxations {
    template <class Barrier>
    static __device__ void run(const step_system &s, const linear_system<nb_real> &system, nb_real *scratch,
                               Barrier barrier)
    {
        if (s.method == NB_CUDA_JACOBI) {
            power_iteration(system, scratch, barrier);
            iterate<jacobi_method>(system, true, s.linear_iterations, scratch, barrier);
        } else {
            iterate<gauss_seidel_method>(system, true, s.linear_iterations, scratch, barrier);
        }
    }
};

// A x = b; memory [s.room] or null.
template <class Solver, class Barrier>
__device__ void step_solve(const step_system &s, const step_team &team, char *memory, nb_real *scratch,
                           Barrier barrier)
{
    const linear_system<nb_real> far = step_linear(s, team);
    const bool near = memory && step_fits(s, far);
    const linear_system<nb_real> system = near ? copy_system(far, memory) : far;
    barrier();
    Solver::run(s, system, scratch, barrier);
    if (near)
        return_solution(far, system);
    barrier();
}

// Notes how the linear solve ended. In every thread: is there a step to take, and another iteration?
__device__ inline bool step_judge(const step_system &s, const step_team &team)
{
    const solve_state<nb_real> &state = s.states[team.part];
    const int ending = verdict_ending(state.after_iteration);
    const bool finite = ending != NB_LINEAR_NON_FINITE;
    if (team.thread == 0) {
        step_result &result = s.results[team.part];
        result.linear_iterations += state.iteration;
        result.ending = ending;
        if (finite)
            result.newton_iterations++;
        else
            result.failure = STEP_NOT_FINITE;
    }
    return finite;
}

// The part's iterate and results become number `at` of those kept.
__device__ inline void step_keep(const step_system &s, const step_team &team, int at)
{
    const size_t velocities = 3 * (size_t)s.model.nodes, forces = 3 * (size_t)s.model.blocks;
    nb_real *u = s.trace.iterate + (size_t)at * (velocities + forces), *lambda = u + velocities;
    for (int k = step_begin(s.nodes, team); k < step_end(s.nodes, team); k += team.threads)
        for (size_t i = 3 * (size_t)s.nodes.index[k], c = 0; c < 3; ++c)
            u[i + c] = s.u[i + c];
    for (int k = step_begin(s.rows, team); k < step_end(s.rows, team); k += team.threads)
        for (size_t i = 3 * (size_t)s.rows.index[k], c = 0; c < 3; ++c)
            lambda[i + c] = s.lambda[i + c];
    if (team.thread == 0)
        s.trace.results[(size_t)at * (size_t)s.parts + (size_t)team.part] = s.results[team.part];
}

// As far as the right side of a Newton iteration; the barrier has been passed.
template <class Barrier>
STEP_APART void step_linearise(const step_system &s, const step_team &team, Barrier barrier)
{
    step_state(s, team);
    barrier();
    step_rows(s, team);
    barrier();
    step_bilateral(s, team);
    barrier();
    step_defect(s, team);
    if (s.linear.factored)
        step_factors(s, team);
    else
        step_matrix(s, team);
    barrier();
    step_right_side(s, team);
    barrier();
}

// A Newton iteration. In every thread: did it take place?
template <class Solver, class Barrier>
__device__ bool step_newton(const step_system &s, const step_team &team, char *memory, nb_real *scratch,
                            Barrier barrier)
{
    const int rows = s.rows.start[team.part + 1] - s.rows.start[team.part];
    step_linearise(s, team, barrier);
    if (s.results[team.part].failure)
        return false;
    if (rows > 0) {
        step_solve<Solver>(s, team, memory, scratch, barrier);
        if (!step_judge(s, team))
            return false;
    } else if (team.thread == 0) {
        s.results[team.part].newton_iterations++;
    }
    barrier(); // the result is noted before anything can change its reasons
    step_impulse(s, team, s.damping);
    barrier();
    step_velocity(s, team, s.damping);
    barrier();
    return true;
}

// Iterations first to end - 1 of a run. The iterate of a part that has ended stays the same.
template <class Solver, class Barrier>
__device__ void step_iterate(const step_system &s, const step_team &team, int first, int end,
                             char *memory, nb_real *scratch, Barrier barrier)
{
    bool goes_on = true;
    for (int k = first; k < end && (goes_on || s.trace.iterate); ++k) {
        goes_on = goes_on && step_newton<Solver>(s, team, memory, scratch, barrier);
        if (s.trace.iterate)
            step_keep(s, team, k - first);
    }
}

} // namespace

#endif
