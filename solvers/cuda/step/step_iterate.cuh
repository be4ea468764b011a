// The Newton iterations of one part of a step by its team; see step_stages.cuh.
#ifndef NB_CUDA_STEP_ITERATE_CUH
#define NB_CUDA_STEP_ITERATE_CUH

#include "solvers/cuda/step/geometry_stages.cuh"
#include "solvers/cuda/step/lanczos_stages.cuh"
#include "solvers/cuda/step/power_stages.cuh"
#include "solvers/cuda/step/step_stages.cuh"

inline namespace NB(nb_cuda) {

// The part's linear system within the arrays of all.
template <class T>
__device__ pcr_system<T> step_part(const step_system &s, const pcr_system<T> &all, pcr_state<T> *states,
                                   const step_team &team)
{
    pcr_system<T> out = all;
    const size_t first = (size_t)s.rows.start[team.part];
    T **const vectors[] = {&out.x, &out.r, &out.z, &out.p, &out.q, &out.w};
    out.rows = s.rows.start[team.part + 1] - (int)first;
    out.start += first;
    out.inverse += (out.wide ? 9 : 3) * first;
    out.b += 3 * first;
    for (T **vector : vectors)
        *vector += 3 * first;
    out.guess = out.x;
    T **const sums[] = {&out.sum_rr, &out.sum_bb, &out.sum_zw, &out.sum_ww, &out.sum_wq};
    for (T **sum : sums)
        *sum += team.part;
    out.state = states + team.part;
    out.lone = s.linear.lone;
    if (out.factored) {
        const size_t node = (size_t)s.nodes.start[team.part];
        out.factors.nodes = s.nodes.start[team.part + 1] - (int)node;
        out.factors.node_start += node;
        out.factors.inverse_mass += 9 * node;
        out.factors.velocity += 3 * node;
        out.factors.compliance += 9 * first;
        out.factors.diagonal += out.factors.diagonal ? 9 * first : 0;
    }
    if (s.first_colour) {
        const int colour = s.first_colour[team.part];
        out.order += first;
        out.colour_start += colour;
        out.colours = s.first_colour[team.part + 1] - colour - 1;
    }
    if (s.ranks) {
        out.split += (s.ranks + 1) * team.part;
        out.needed += first;
        out.factors.shares.first += s.ranks * team.part;
        out.factors.shares.first_slot += s.ranks * team.part;
    }
    return out;
}
__device__ inline pcr_system<nb_real> step_linear(const step_system &s, const step_team &team)
{
    return step_part(s, s.linear, s.states, team);
}

// Has a part's system room in the shared memory?
template <class T> __device__ bool step_fits(const step_system &s, const pcr_system<T> &far)
{
    pcr_system<T> measured = far;
    const size_t entries = (size_t)(far.start[far.rows] - far.start[0]);
    return s.ranks || // a cluster is taken only where all parts fit
           pcr_place((char *)nullptr, far.rows, entries, step_operand(s.method), measured) <= s.room;
}

// A linear solver whose iterations, Self::run, take a system wherever it is.
template <class Self> struct step_iterative {
    enum { SCRATCH = PCR_SCRATCH }; // numbers of shared memory

    // A x = b; memory [s.room] or null.
    template <class Barrier>
    static __device__ void solve(const step_system &s, const step_team &team, char *memory, nb_real *scratch,
                                 Barrier barrier)
    {
        const pcr_system<nb_real> far = step_linear(s, team);
        if (!memory || !step_fits(s, far)) {
            Self::run(s, team, far, scratch, barrier);
            return;
        }
        const pcr_system<nb_real> near = pcr_bring(far, step_operand(s.method), false, memory);
        barrier();
        Self::run(s, team, near, scratch, barrier);
        pcr_return(far, near, false);
        barrier();
    }
};

// In families with kernels of their own: a loop of one would take registers from the other's.
struct step_krylov : step_iterative<step_krylov> {
    template <class Barrier>
    static __device__ void run(const step_system &s, const step_team &, const pcr_system<nb_real> &system,
                               nb_real *scratch, Barrier barrier)
    {
        if (s.method == NB_CUDA_PCG)
            pcr_iterate<pcg_method>(system, true, s.linear_iterations, scratch, barrier);
        else
            pcr_iterate<pcr_method>(system, true, s.linear_iterations, scratch, barrier);
    }
};

struct step_jacobi : step_iterative<step_jacobi> {
    template <class Barrier>
    static __device__ void run(const step_system &s, const step_team &, const pcr_system<nb_real> &system,
                               nb_real *scratch, Barrier barrier)
    {
        power_iterate(system, scratch, barrier);
        pcr_iterate<jacobi_method>(system, true, s.linear_iterations, scratch, barrier);
    }
};

// estimates: omega is not given.
template <bool estimates> struct step_sweeps : step_iterative<step_sweeps<estimates>> {
    template <class Barrier>
    static __device__ void run(const step_system &s, [[maybe_unused]] const step_team &team,
                               const pcr_system<nb_real> &system, nb_real *scratch, Barrier barrier)
    {
        if constexpr (estimates)
            lanczos_iterate(system, s.spectra[team.part], scratch, barrier);
        pcr_iterate<gauss_seidel_method>(system, true, s.linear_iterations, scratch, barrier);
    }
};

// Half of the digits are rounding, and so many solves have not found less.
enum { STEP_IDLE = 3 };

// A damped method cannot take more than its damping in one iteration: a tenth of that counts as falling.
__device__ inline void step_note(step_norms &b, nb_real now, nb_real damping, bool first)
{
    if (first)
        b = {};
    const bool falls = b.largest == 0 || now < (1 - damping / 10) * b.least;
    b.last = now;
    b.largest = nb_max(b.largest, now);
    b.least = falls ? now : b.least;
    b.idle = falls ? 0 : b.idle + 1;
}

// enum nb_linear_ending
__device__ inline int step_ending(int verdict)
{
    return verdict ? (verdict - 1) % 8 : (int)NB_LINEAR_ITERATION_LIMIT;
}

// Notes how the linear solve ended. In every thread: is there a step to take, and another iteration?
__device__ inline bool step_judge(const step_system &s, const step_team &team, int iteration)
{
    const pcr_state<nb_real> &state = s.states[team.part];
    const int ending = step_ending(state.after_iteration);
    const bool finite = ending != NB_LINEAR_NON_FINITE;
    if (team.thread == 0) {
        step_result &result = s.results[team.part];
        step_note(s.norms[team.part], state.right_side, s.damping, iteration == 0);
        result.linear_iterations += state.iteration;
        result.ending = ending;
        if (finite)
            result.newton_iterations++;
        else
            result.failure = STEP_NOT_FINITE;
    }
    return finite;
}

// Has the right side fallen to `stop` of its largest, or is it rounding? One that is zero tells nothing: with
// all contacts open there is none, and the motion is still damped.
__device__ inline bool step_stops(const step_system &s, int part)
{
    const step_norms &b = s.norms[part];
    const nb_real rounding = nb_sqrt((nb_real)NB_UNIT_ROUNDOFF) * b.largest;
    const bool idle = s.floor && b.idle >= STEP_IDLE && b.last <= rounding;
    return b.last > 0 && (idle || b.last <= s.stop * b.largest);
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

// As far as the right side of Newton iteration k; the barrier has been passed.
template <class Barrier>
STEP_APART void step_linearise(const step_system &s, const step_team &team, int k, nb_real *scratch,
                               Barrier barrier)
{
    if (s.geometry.mass)
        geometry_look_back(s, team);
    step_state(s, team);
    barrier();
    step_rows(s, team);
    barrier();
    if (s.geometry.mass) {
        geometry_gather(s, team, scratch);
        barrier();
        geometry_update(s, team, k == 0);
        barrier();
    }
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

// Newton iteration k. In every thread: did it take place?
template <class Solver, class Barrier>
__device__ bool step_newton(const step_system &s, const step_team &team, int k, char *memory,
                            nb_real *scratch, Barrier barrier)
{
    const int rows = s.rows.start[team.part + 1] - s.rows.start[team.part];
    if (k > 1 && step_stops(s, team.part))
        return false;
    step_linearise(s, team, k, scratch, barrier);
    if (s.results[team.part].failure)
        return false;
    if (rows > 0) {
        Solver::solve(s, team, memory, scratch, barrier);
        if (s.results[team.part].failure || !step_judge(s, team, k))
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
        goes_on = goes_on && step_newton<Solver>(s, team, k, memory, scratch, barrier);
        if (s.trace.iterate)
            step_keep(s, team, k - first);
    }
}

} // namespace

#endif
