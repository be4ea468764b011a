// The stages of step_iterate.cuh as kernels of their own, for a graph that has no barriers: what a loop of
// Newton iterations knows is in memory, and every stage but the first of a run looks whether it has ended.
#ifndef NB_CUDA_STEP_GRAPH_STAGES_CUH
#define NB_CUDA_STEP_GRAPH_STAGES_CUH

#include "solvers/cuda/step/step_direct.cuh"

inline namespace NB(nb_cuda) {

struct step_progress {
    int first, end; // iterations of this launch: less than end
    int iteration;  // the next one
    int ended;      // by failure, or since the right side tells so
};

// In their order; the linear solver runs between RIGHT_SIDE and JUDGE.
enum step_stage {
    STEP_STATE,
    STEP_ROWS,
    STEP_GEOMETRY, // after step_run_gather, where H changes
    STEP_BILATERAL,
    STEP_MATRIX,
    STEP_RIGHT_SIDE,
    STEP_JUDGE,
    STEP_IMPULSE,
    STEP_VELOCITY,
    STEP_KEEP
};

// Failures are of this iteration: the kernels that follow a failure do nothing.
__device__ inline bool step_over(const step_system &s, const step_progress *progress)
{
    return progress->ended || s.results[0].failure;
}

// One stage of the whole step. JUDGE is for one thread.
__device__ inline void step_run_stage(step_stage stage, const step_system &s, const step_team &team,
                                      const step_progress *progress)
{
    if (step_over(s, progress))
        return;
    switch (stage) {
    case STEP_STATE:
        if (s.geometry.mass)
            geometry_look_back(s, team);
        step_state(s, team);
        break;
    case STEP_ROWS: step_rows(s, team); break;
    case STEP_GEOMETRY: geometry_update(s, team, progress->iteration == 0); break;
    case STEP_BILATERAL: step_bilateral(s, team); break;
    case STEP_MATRIX:
        step_defect(s, team);
        if (s.linear.factored)
            step_factors(s, team);
        else
            step_matrix(s, team);
        break;
    case STEP_RIGHT_SIDE: step_right_side(s, team); break;
    case STEP_JUDGE:
        if (s.linear.rows > 0)
            step_judge(s, team, progress->iteration);
        else
            s.results[0].newton_iterations++;
        break;
    case STEP_IMPULSE: step_impulse(s, team, s.damping); break;
    case STEP_VELOCITY: step_velocity(s, team, s.damping); break;
    default: step_keep(s, team, progress->iteration - progress->first);
    }
}

__device__ inline void step_run_gather(const step_system &s, const step_team &team, const step_progress *progress,
                                       nb_real *scratch)
{
    if (!step_over(s, progress))
        geometry_gather(s, team, scratch);
}

template <class Method>
__device__ void step_run_krylov(const step_system &s, int number, bool start,
                                const step_progress *progress, nb_real *scratch)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        Method::stage(step_linear(s, whole), number, start, scratch);
}

__device__ inline void step_run_turn(const step_system &s, int turn, const step_progress *progress)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        gauss_seidel_turn(step_linear(s, whole), turn);
}

__device__ inline void step_run_lanczos(const step_system &s, int turn, const step_progress *progress, nb_real *scratch)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        lanczos_run(step_linear(s, whole), s.spectra[0], turn, scratch);
}

// What a product by factors needs before stage `number`.
template <class Method, class T> __device__ void step_respond(const pcr_system<T> &system, int number)
{
    pcr_respond(system, Method::operand(system, number), pcr_thread(system) / PCR_WARP,
                pcr_threads(system) / PCR_WARP, (int)threadIdx.x % PCR_WARP);
}

template <class Method>
__device__ void step_run_response(const step_system &s, int number, const step_progress *progress)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        step_respond<Method>(step_linear(s, whole), number);
}

// The stages of dense_solve (dense_stages.cuh) as kernels, and those of dense_solve_again from AGAIN on.
enum step_dense_stage { STEP_DENSE_CLEAR, STEP_DENSE_FILL, STEP_DENSE_PANEL, STEP_DENSE_UPDATE, STEP_DENSE_BACK,
                        STEP_DENSE_END, STEP_DENSE_AGAIN, STEP_DENSE_FORWARD, STEP_DENSE_TURN };

// run(stage, tile) for each, in their order, of a matrix of that many tiles a side: the factor, then x.
template <class Run> void step_each_factor_stage(int tiles, Run run)
{
    run(STEP_DENSE_CLEAR, 0);
    run(STEP_DENSE_FILL, 0);
    for (int k = 0; k < tiles; ++k) {
        run(STEP_DENSE_PANEL, k);
        run(STEP_DENSE_UPDATE, k);
    }
}
template <class Run> void step_each_backward_stage(int tiles, Run run)
{
    for (int k = tiles - 1; k >= 0; --k)
        run(STEP_DENSE_BACK, k);
    run(STEP_DENSE_END, 0);
}
// Of another b.
template <class Run> void step_each_again_stage(int tiles, Run run)
{
    run(STEP_DENSE_AGAIN, 0);
    for (int k = 0; k < tiles; ++k)
        run(STEP_DENSE_FORWARD, k);
    run(STEP_DENSE_TURN, 0);
    step_each_backward_stage(tiles, run);
}

// The leading block's scratch has to outlive a kernel: the tile that all of them factorise lies in the matrix as it was
// until they have.
template <class T> __device__ void step_copy_tile(T *to, const T *from)
{
    for (int i = (int)threadIdx.x; i < DENSE_TILE * DENSE_STRIDE && blockIdx.x == 0; i += (int)blockDim.x)
        to[i] = from[i];
    __syncthreads();
}

// scratch [DENSE_SCRATCH] in shared memory.
template <class T>
__device__ void step_dense_of(const step_system &s, const pcr_system<T> &system, step_dense_stage stage, int tile,
                              T *scratch)
{
    T *const matrix = (T *)s.dense.matrix, *const kept = (T *)s.dense.tile;
    switch (stage) {
    case STEP_DENSE_CLEAR: dense_clear(system, matrix, s.dense.failed); break;
    case STEP_DENSE_FILL: dense_fill(system, matrix); break;
    case STEP_DENSE_PANEL:
        dense_panel(system, matrix, tile, s.dense.failed, scratch);
        step_copy_tile(kept, scratch);
        break;
    case STEP_DENSE_UPDATE:
        if (*s.dense.failed) {
            if (pcr_leads(system))
                step_note_pivot(s, 0);
            break;
        }
        step_copy_tile(scratch, kept);
        dense_update(system, matrix, tile, scratch);
        break;
    case STEP_DENSE_BACK: dense_back(system, matrix, tile, scratch); break;
    case STEP_DENSE_AGAIN: dense_copy(system, matrix, system.b); break;
    case STEP_DENSE_FORWARD: dense_forward(system, matrix, tile, scratch); break;
    case STEP_DENSE_TURN: dense_copy(system, matrix, system.x); break;
    default: dense_end(system, scratch);
    }
}

__device__ inline void step_run_dense(const step_system &s, step_dense_stage stage, int tile,
                                      const step_progress *progress, nb_real *scratch)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        step_dense_of(s, step_linear(s, whole), stage, tile, scratch);
}

// Is the linear solve to go on?
__device__ inline bool step_solving(const step_system &s, const step_progress *progress)
{
    return !step_over(s, progress) && !s.states[0].after_iteration;
}

// By one thread, after the last stage. Is there another Newton iteration?
__device__ inline bool step_advance(const step_system &s, step_progress *progress)
{
    if (!progress->ended) {
        const int next = ++progress->iteration;
        progress->ended = s.results[0].failure || (next > 1 && step_stops(s, 0));
    }
    return !progress->ended && progress->iteration < progress->end;
}

} // namespace

#endif
