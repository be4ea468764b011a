// The kernels of a step's graph (step_graph.cuh) on emulated threads, one launch each, in the graph's order.
#ifndef NB_TEST_CUDA_GRAPHS_CUH
#define NB_TEST_CUDA_GRAPHS_CUH

#include "tests/solvers/cuda/emulate.cuh"

#include <cmath>
#include <vector>

#include "solvers/cuda/step/refine_graph.cuh"

using emulated::order;

constexpr unsigned BLOCKS = 2, THREADS = 64, SCRATCH = step_direct::SCRATCH;

// One stage of the linear solve, as a graph's kernel; by factors another one before.
template <class Method>
void launch_stage(step_system &s, step_progress &progress, int number, bool start, order turns)
{
    std::vector<nb_real> scratch(BLOCKS * PCR_SCRATCH);
    if (s.linear.factored && Method::operand(s.linear, number)) // as the host decides on the node
        emulated::launch(BLOCKS, THREADS, turns, [&] { step_run_response<Method>(s, number, &progress); });
    emulated::launch(BLOCKS, THREADS, turns, [&] {
        step_run_krylov<Method>(s, number, start, &progress, scratch.data() + blockIdx.x * PCR_SCRATCH);
    });
}

// The linear solve as a graph's kernels.
template <class Method> void launch_solve(step_system &s, step_progress &progress, order turns)
{
    for (int number = 0; number <= Method::last; number += number ? 1 : 2)
        launch_stage<Method>(s, progress, number, true, turns);
    while (step_solving(s, &progress)) {
        for (int turn = 0; turn < gauss_seidel_turns(s.linear); ++turn)
            emulated::launch(BLOCKS, THREADS, turns, [&] { step_run_turn(s, turn, &progress); });
        for (int number = Method::coloured ? 2 : 1; number <= Method::last; ++number)
            launch_stage<Method>(s, progress, number, false, turns);
    }
}

inline void launch_dense(step_system &s, step_progress &progress, order turns)
{
    const auto run = [&](step_dense_stage stage, int tile) {
        std::vector<nb_real> scratch(BLOCKS * SCRATCH, (nb_real)NAN);
        emulated::launch(BLOCKS, THREADS, turns, [&] {
            step_run_dense(s, stage, tile, &progress, scratch.data() + blockIdx.x * SCRATCH);
        });
    };
    step_each_factor_stage(dense_tiles(s.linear), run);
    step_each_backward_stage(dense_tiles(s.linear), run);
}

inline void launch_lanczos(step_system &s, step_progress &progress, order turns)
{
    for (int turn = 0; turn < LANCZOS_TURNS; ++turn) {
        std::vector<nb_real> scratch(BLOCKS * PCR_SCRATCH, (nb_real)NAN);
        if (lanczos_at(turn).stage == LANCZOS_PRODUCT && s.linear.factored)
            emulated::launch(BLOCKS, THREADS, turns, [&] { step_run_response<lanczos_method>(s, 0, &progress); });
        emulated::launch(BLOCKS, THREADS, turns, [&] {
            step_run_lanczos(s, turn, &progress, scratch.data() + blockIdx.x * PCR_SCRATCH);
        });
    }
}

// The same of the lower system.
template <class Method> void launch_lower(step_system &s, step_progress &progress, order turns)
{
    const auto stage = [&](int number, bool start) {
        if (s.linear.factored && Method::operand(s.linear, number))
            emulated::launch(BLOCKS, THREADS, turns, [&] { step_run_lower_response<Method>(s, number, &progress); });
        std::vector<float> scratch(BLOCKS * PCR_SCRATCH, NAN);
        emulated::launch(BLOCKS, THREADS, turns, [&] {
            step_run_lower<Method>(s, number, start, &progress, scratch.data() + blockIdx.x * PCR_SCRATCH);
        });
    };
    for (int number = 0; number <= Method::last; number += number ? 1 : 2)
        stage(number, true);
    while (step_solving_lower(s, &progress))
        for (int number = 1; number <= Method::last; ++number)
            stage(number, false);
}

// factor() before the rounds, and solve() in each.
template <class Factor, class Solve>
void launch_rounds(step_system &s, step_progress &progress, order turns, Factor factor, Solve solve)
{
    const auto stage = [&](refine_stage one) {
        if (!refine_has(s, one))
            return;
        std::vector<nb_real> scratch(BLOCKS * PCR_SCRATCH, (nb_real)NAN);
        emulated::launch(BLOCKS, THREADS, turns, [&] {
            const step_team team = {0, (int)(blockIdx.x * THREADS + threadIdx.x), (int)(BLOCKS * THREADS)};
            step_run_refine(s, one, team, &progress, scratch.data() + blockIdx.x * PCR_SCRATCH);
        });
    };
    for (refine_stage one : {REFINE_SCALE, REFINE_NODES, REFINE_MATRIX, REFINE_BEGIN})
        stage(one);
    factor();
    while (step_refining(s, &progress)) {
        stage(REFINE_LOAD);
        solve();
        for (refine_stage one :
             {REFINE_TAKE, REFINE_MOVE, REFINE_RESPOND, REFINE_RESIDUAL, REFINE_JUDGE, REFINE_UNDO})
            stage(one);
    }
    stage(REFINE_END);
}

inline void launch_refined(step_system &s, step_progress &progress, order turns)
{
    const auto dense = [&](step_dense_stage stage, int tile) {
        std::vector<float> scratch(BLOCKS * SCRATCH, NAN);
        emulated::launch(BLOCKS, THREADS, turns, [&] {
            step_run_lower_dense(s, stage, tile, &progress, scratch.data() + blockIdx.x * SCRATCH);
        });
    };
    const int tiles = dense_tiles(s.linear);
    const auto nothing = [] {};
    switch (s.method) {
    case NB_CUDA_CHOLESKY:
        launch_rounds(s, progress, turns, [&] { step_each_factor_stage(tiles, dense); },
                      [&] { step_each_again_stage(tiles, dense); });
        break;
    case NB_CUDA_PCG:
        launch_rounds(s, progress, turns, nothing, [&] { launch_lower<pcg_method>(s, progress, turns); });
        break;
    default:
        launch_rounds(s, progress, turns, nothing, [&] { launch_lower<pcr_method>(s, progress, turns); });
    }
}

inline void launch_linear(step_system &s, step_progress &progress, order turns)
{
    if (s.lower.format)
        return launch_refined(s, progress, turns);
    switch (s.method) {
    case NB_CUDA_PCG: launch_solve<pcg_method>(s, progress, turns); break;
    case NB_CUDA_JACOBI:
        for (int k = 0; k < POWER_STAGES; ++k)
            launch_stage<power_method>(s, progress, power_stage(k), false, turns);
        launch_solve<jacobi_method>(s, progress, turns);
        break;
    case NB_CUDA_GAUSS_SEIDEL:
        if (s.spectra)
            launch_lanczos(s, progress, turns);
        launch_solve<gauss_seidel_method>(s, progress, turns);
        break;
    case NB_CUDA_CHOLESKY: launch_dense(s, progress, turns); break;
    default: launch_solve<pcr_method>(s, progress, turns);
    }
}

// The kernels of step_graph.cuh, one launch each, until the graph's loop would end.
inline void launch_graph(step_system &s, step_progress &progress, order turns)
{
    const auto stage = [&](step_stage which, unsigned blocks, unsigned threads) {
        emulated::launch(blocks, threads, turns, [&] {
            const step_team team = {0, (int)(blockIdx.x * threads + threadIdx.x), (int)(blocks * threads)};
            if (which != STEP_JUDGE || threadIdx.x == 0)
                step_run_stage(which, s, team, &progress);
        });
    };
    do {
        for (step_stage one : {STEP_STATE, STEP_ROWS})
            stage(one, BLOCKS, THREADS);
        if (s.geometry.mass) {
            std::vector<nb_real> scratch(BLOCKS * PCR_MOST_WARPS);
            emulated::launch(BLOCKS, THREADS, turns, [&] {
                const step_team team = {0, (int)(blockIdx.x * THREADS + threadIdx.x), (int)(BLOCKS * THREADS)};
                step_run_gather(s, team, &progress, scratch.data() + blockIdx.x * PCR_MOST_WARPS);
            });
            stage(STEP_GEOMETRY, BLOCKS, THREADS);
        }
        for (step_stage one : {STEP_BILATERAL, STEP_MATRIX, STEP_RIGHT_SIDE})
            stage(one, BLOCKS, THREADS);
        launch_linear(s, progress, turns);
        stage(STEP_JUDGE, 1, 32);
        stage(STEP_IMPULSE, BLOCKS, THREADS);
        stage(STEP_VELOCITY, BLOCKS, THREADS);
        if (s.trace.iterate)
            stage(STEP_KEEP, BLOCKS, THREADS);
    } while (step_advance(s, &progress));
}

#endif
