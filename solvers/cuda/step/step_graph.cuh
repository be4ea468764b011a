// The Newton iterations of a step as a CUDA graph: kernels of graph_stages.cuh one after the other. From CUDA
// 12.4 on the iterations are a loop within the graph, and a linear solve with a tolerance is a loop within
// that one, so that both end on the device; before, the graph is one iteration, launched so many times.
#ifndef NB_CUDA_STEP_GRAPH_CUH
#define NB_CUDA_STEP_GRAPH_CUH

#include <cstddef>

#include "solvers/cuda/check.cuh"
#include "solvers/cuda/step/step_graph_kernels.cuh"

namespace {

class step_graph {
public:
    ~step_graph()
    {
        drop();
        cudaFree(progress);
        cudaGetLastError();
    }

    // The step is one part; its sums are for so many blocks at least.
    nb_status create(const step_system &step, int blocks_of_sums, cudaStream_t stream, nb_error *error)
    {
        int driver = 0;
        system = step;
        blocks = blocks_of_sums;
        cudaError_t answer = cudaDriverGetVersion(&driver);
        loops = GRAPH_LOOPS && driver >= 12040;
        const bool needs_loops = system.lower.format != NB_SOLVE_SAME; // as many rounds as it takes
        if (answer == cudaSuccess && needs_loops && !loops)
            return nb_fail(error, NB_UNSUPPORTED,
                           "in= with by=graph takes a loop in the graph, which CUDA has from 12.4 on: by=launch");
        if (answer == cudaSuccess)
            answer = cudaMalloc((void **)&progress, sizeof *progress);
        if (answer == cudaSuccess)
            answer = make(stream);
        // A driver, or a tool between it and us, may know of loops and yet take none.
        if (loops && !needs_loops && answer != cudaSuccess && answer != cudaErrorMemoryAllocation) {
            drop();
            cudaGetLastError();
            loops = false;
            answer = make(stream);
        }
        return nb_cuda_status(answer, "building the graph", error);
    }

    const char *place() const { return loops ? "in a graph" : "in a graph, launched for each iteration"; }

    // Newton iterations first to end - 1.
    cudaError_t launch(int first, int end, cudaStream_t stream)
    {
        host = {first, end, 0, 0};
        const size_t news = first == 0 ? sizeof host : offsetof(step_progress, iteration);
        cudaError_t answer = cudaMemcpyAsync(progress, &host, news, cudaMemcpyHostToDevice, stream);
        for (int k = first; k < end && answer == cudaSuccess; k += loops ? end - first : 1)
            answer = cudaGraphLaunch(executable, stream);
        return answer;
    }

private:
    enum { LOOK = 8 }; // iterations of a linear solve between two looks at its verdict

    void drop()
    {
        if (executable)
            cudaGraphExecDestroy(executable);
        if (graph)
            cudaGraphDestroy(graph);
        executable = nullptr;
        graph = nullptr;
    }

    cudaError_t make(cudaStream_t stream)
    {
        cudaError_t answer = cudaGraphCreate(&graph, 0);
        if (answer == cudaSuccess)
            answer = build();
        if (answer == cudaSuccess)
            answer = cudaGraphInstantiate(&executable, graph, 0);
        return answer == cudaSuccess ? cudaGraphUpload(executable, stream) : answer;
    }

    cudaError_t build()
    {
        graph_chain outside(graph);
        graph_loop newton = {};
        cudaGraph_t body = graph;
        if (loops) {
            newton = outside.condition();
            body = outside.repeat(newton);
        }
        if (outside.answer != cudaSuccess)
            return outside.answer;
        graph_chain chain(body);
        stage<STEP_STATE>(chain);
        stage<STEP_ROWS>(chain);
        if (system.geometry.mass) {
            chain.kernel(gather_kernel, stage_blocks(), STAGE_THREADS, system, progress);
            stage<STEP_GEOMETRY>(chain);
        }
        stage<STEP_BILATERAL>(chain);
        stage<STEP_MATRIX>(chain);
        stage<STEP_RIGHT_SIDE>(chain);
        if (system.linear.rows > 0)
            linear(chain);
        chain.kernel(stage_kernel<STEP_JUDGE>, 1, 1, system, progress);
        stage<STEP_IMPULSE>(chain);
        stage<STEP_VELOCITY>(chain);
        if (system.trace.iterate)
            stage<STEP_KEEP>(chain);
        chain.kernel(advance_kernel, 1, 1, system, progress, newton);
        return chain.answer;
    }

    // As many threads as there are contacts, rows and entries, or fewer: they take turns.
    template <int number> void stage(graph_chain &chain)
    {
        chain.kernel(stage_kernel<number>, stage_blocks(), STAGE_THREADS, system, progress);
    }
    int stage_blocks() const { return blocks * (PCR_THREADS / STAGE_THREADS); }

    // lower: of the lower system, where the solve is refined.
    template <class Method, int number, bool lower = false> void krylov(graph_chain &chain, bool start)
    {
        if (system.linear.factored && Method::operand(system.linear, number)) {
            if constexpr (lower)
                chain.kernel(lower_response_kernel<Method, number>, blocks, PCR_THREADS, system, progress);
            else
                chain.kernel(response_kernel<Method, number>, blocks, PCR_THREADS, system, progress);
        }
        if constexpr (lower)
            chain.kernel(lower_kernel<Method, number>, blocks, PCR_THREADS, system, start, progress);
        else
            chain.kernel(krylov_kernel<Method, number>, blocks, PCR_THREADS, system, start, progress);
    }

    void refine(graph_chain &chain, refine_stage stage)
    {
        if (refine_has(system, stage))
            chain.kernel(refine_kernel, blocks, PCR_THREADS, system, stage, progress);
    }

    // solve(chain): of a round.
    template <class Solve> void rounds(graph_chain &chain, Solve solve)
    {
        const graph_loop loop = chain.condition();
        chain.kernel(refining_kernel, 1, 1, system, progress, loop);
        const cudaGraph_t body = chain.repeat(loop);
        if (!body)
            return;
        graph_chain inside(body);
        refine(inside, REFINE_LOAD);
        solve(inside);
        for (refine_stage one :
             {REFINE_TAKE, REFINE_MOVE, REFINE_RESPOND, REFINE_RESIDUAL, REFINE_JUDGE, REFINE_UNDO})
            refine(inside, one);
        inside.kernel(refining_kernel, 1, 1, system, progress, loop);
        chain.take(inside.answer);
        refine(chain, REFINE_END);
    }

    void refined(graph_chain &chain)
    {
        const int tiles = dense_tiles(system.linear);
        const auto dense = [this](graph_chain &to) {
            return [this, &to](step_dense_stage one, int tile) {
                to.kernel(lower_dense_kernel, blocks, PCR_THREADS, system, one, tile, progress);
            };
        };
        for (refine_stage one : {REFINE_SCALE, REFINE_NODES, REFINE_MATRIX, REFINE_BEGIN})
            refine(chain, one);
        switch (system.method) {
        case NB_CUDA_CHOLESKY:
            step_each_factor_stage(tiles, dense(chain));
            rounds(chain, [&](graph_chain &inside) { step_each_again_stage(tiles, dense(inside)); });
            break;
        case NB_CUDA_PCG: rounds(chain, [this](graph_chain &inside) { solve<pcg_method, true>(inside); }); break;
        default: rounds(chain, [this](graph_chain &inside) { solve<pcr_method, true>(inside); });
        }
    }

    // All of a solve with a factor.
    void direct(graph_chain &chain)
    {
        const auto run = [&](step_dense_stage one, int tile) {
            chain.kernel(dense_kernel, blocks, PCR_THREADS, system, one, tile, progress);
        };
        step_each_factor_stage(dense_tiles(system.linear), run);
        step_each_backward_stage(dense_tiles(system.linear), run);
    }

    void linear(graph_chain &chain)
    {
        if (system.lower.format)
            return refined(chain);
        switch (system.method) {
        case NB_CUDA_PCG: solve<pcg_method>(chain); break;
        case NB_CUDA_JACOBI:
            power(chain);
            solve<jacobi_method>(chain);
            break;
        case NB_CUDA_GAUSS_SEIDEL:
            if (system.spectra)
                factor(chain);
            solve<gauss_seidel_method>(chain);
            break;
        case NB_CUDA_CHOLESKY: direct(chain); break;
        default: solve<pcr_method>(chain);
        }
    }

    void sweep(graph_chain &chain)
    {
        for (int turn = 0; turn < gauss_seidel_turns(system.linear); ++turn)
            chain.kernel(turn_kernel, blocks, PCR_THREADS, system, turn, progress);
    }

    void factor(graph_chain &chain)
    {
        for (int turn = 0; turn < LANCZOS_TURNS; ++turn) {
            if (lanczos_at(turn).stage == LANCZOS_PRODUCT && system.linear.factored)
                chain.kernel(response_kernel<lanczos_method, lanczos_method::product>, blocks,
                             PCR_THREADS, system, progress);
            chain.kernel(lanczos_kernel, blocks, PCR_THREADS, system, turn, progress);
        }
    }

    void power(graph_chain &chain)
    {
        for (int k = 0; k < POWER_STAGES; ++k)
            switch (power_stage(k)) {
            case power_method::first: krylov<power_method, power_method::first>(chain, false); break;
            case power_method::product: krylov<power_method, power_method::product>(chain, false); break;
            case power_method::scale: krylov<power_method, power_method::scale>(chain, false); break;
            default: krylov<power_method, power_method::factor>(chain, false);
            }
    }

    template <class Method, bool lower> void end_iteration(graph_chain &chain, bool start)
    {
        krylov<Method, 2, lower>(chain, start);
        if constexpr (Method::last > 2)
            krylov<Method, 3, lower>(chain, start);
    }

    template <class Method, bool lower> void iterations(graph_chain &chain, int count)
    {
        for (int k = 0; k < count; ++k) {
            if constexpr (Method::coloured)
                sweep(chain);
            else
                krylov<Method, 1, lower>(chain, false);
            end_iteration<Method, lower>(chain, false);
        }
    }

    template <class Method, bool lower = false> void solve(graph_chain &chain)
    {
        const auto solving = lower ? solving_lower_kernel : solving_kernel;
        krylov<Method, 0, lower>(chain, true);
        end_iteration<Method, lower>(chain, true);
        if (!loops || !(lower || system.tolerance > 0) || system.linear_iterations <= LOOK) {
            iterations<Method, lower>(chain, system.linear_iterations);
            return;
        }
        const graph_loop loop = chain.condition();
        chain.kernel(solving, 1, 1, system, progress, loop);
        const cudaGraph_t body = chain.repeat(loop);
        if (!body)
            return;
        graph_chain inside(body);
        iterations<Method, lower>(inside, LOOK);
        inside.kernel(solving, 1, 1, system, progress, loop);
        chain.take(inside.answer);
    }

    step_system system = {};
    step_progress *progress = nullptr; // on the device
    step_progress host = {};
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    int blocks = 1;
    bool loops = false;
};

} // namespace

#endif
