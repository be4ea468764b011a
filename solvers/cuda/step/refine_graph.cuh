// A refined solve as kernels of a graph: the stages of step_refined.cuh, with what they know in memory.
// A kernel that decides leaves it to one warp, so that none of it reads what another thread writes.
#ifndef NB_CUDA_STEP_REFINE_GRAPH_CUH
#define NB_CUDA_STEP_REFINE_GRAPH_CUH

#include "solvers/cuda/step/graph_stages.cuh"
#include "solvers/cuda/step/step_refined.cuh"

inline namespace NB(nb_cuda) {

// In their order: to BEGIN once, Cholesky's factor after that, then from LOAD to UNDO a round, with the solve after LOAD, then END. NODES and RESPOND
// are for factors only.
enum refine_stage {
    REFINE_SCALE,
    REFINE_NODES,
    REFINE_MATRIX,
    REFINE_BEGIN,
    REFINE_LOAD,
    REFINE_TAKE,
    REFINE_MOVE,
    REFINE_RESPOND,
    REFINE_RESIDUAL,
    REFINE_JUDGE,
    REFINE_UNDO,
    REFINE_END
};
inline bool refine_has(const step_system &s, refine_stage stage)
{
    return s.linear.factored || (stage != REFINE_NODES && stage != REFINE_RESPOND);
}

// Is there another round?
__device__ inline bool step_refining(const step_system &s, const step_progress *progress)
{
    return !step_over(s, progress) && refine_left(s, *s.lower.refinement) > 0;
}

// The decisions, by the team's first warp.
__device__ inline void refine_decide(const step_system &s, refine_stage stage, const step_team &team)
{
    step_refinement &all = *s.lower.refinement;
    const step_refinement begun = stage == REFINE_BEGIN ? refine_begin(s, team) : step_refinement();
    const nb_real next = stage == REFINE_JUDGE ? refine_norm(s, team, 0) : 0;
    if (team.thread > 0)
        return;
    switch (stage) {
    case REFINE_BEGIN: all = begun; break;
    case REFINE_TAKE: all.taken = refine_takes(all, *s.lower.states); break;
    case REFINE_JUDGE: all.harmful = all.taken && refine_harmed(all, next); break;
    default: refine_note(s, 0, all);
    }
}

// One stage; scratch [PCR_SCRATCH] in shared memory.
__device__ inline void step_run_refine(const step_system &s, refine_stage stage, const step_team &team,
                                       const step_progress *progress, nb_real *scratch)
{
    if (step_over(s, progress))
        return;
    const pcr_system<nb_real> system = step_linear(s, team);
    const pcr_system<float> low = step_lower_system(s, team);
    const step_refinement &all = *s.lower.refinement;
    const nb_real *scale = s.lower.scale;
    switch (stage) {
    case REFINE_SCALE: refine_scale(system, s.lower.scale, team); break;
    case REFINE_NODES: refine_nodes(system, low, scale, s.lower.format, team); break;
    case REFINE_MATRIX:
        if (system.factored)
            refine_rows(system, low, scale, s.lower.format, team);
        else
            refine_matrix(system, low, scale, s.lower.format, team);
        refine_residual(s, system, scale, true, team, scratch);
        break;
    case REFINE_LOAD:
        refine_load(system, low, scale, s.lower.format, all.residual, refine_left(s, all), team);
        break;
    case REFINE_MOVE:
    case REFINE_UNDO:
        if (stage == REFINE_MOVE ? all.taken : all.harmful)
            refine_move(system, low, scale, stage == REFINE_MOVE ? all.residual : -all.residual, team);
        break;
    case REFINE_RESPOND:
        if (all.taken)
            refine_respond(system, team);
        break;
    case REFINE_RESIDUAL:
        if (all.taken)
            refine_residual(s, system, scale, false, team, scratch);
        break;
    default:
        if (team.thread < PCR_WARP)
            refine_decide(s, stage, team);
    }
}

// A stage of the lower system's solve.
template <class Method>
__device__ void step_run_lower(const step_system &s, int number, bool start, const step_progress *progress,
                               float *scratch)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        Method::stage(step_lower_system(s, whole), number, start, scratch);
}

// What a product by factors of the lower system needs before stage `number`.
template <class Method>
__device__ void step_run_lower_response(const step_system &s, int number, const step_progress *progress)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        step_respond<Method>(step_lower_system(s, whole), number);
}

// A stage of the lower matrix's factor, which comes before the rounds, or of a solve with it.
__device__ inline void step_run_lower_dense(const step_system &s, step_dense_stage stage, int tile,
                                            const step_progress *progress, float *scratch)
{
    const step_team whole = {0, 0, 1};
    if (!step_over(s, progress))
        step_dense_of(s, step_lower_system(s, whole), stage, tile, scratch);
}

// Is the lower system's solve to go on?
__device__ inline bool step_solving_lower(const step_system &s, const step_progress *progress)
{
    return !step_over(s, progress) && !s.lower.states[0].after_iteration;
}

} // namespace

#endif
