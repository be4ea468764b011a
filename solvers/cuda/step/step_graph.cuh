// The Newton iterations of a step as a CUDA graph: kernels of graph_stages.cuh one after the other. From CUDA
// 12.4 on the iterations are a loop within the graph, and a linear solve with a tolerance is a loop within
// that one, so that both end on the device; before, the graph is one iteration, launched so many times.
#ifndef NB_CUDA_STEP_GRAPH_CUH
#define NB_CUDA_STEP_GRAPH_CUH

#include <cstddef>

#include "solvers/cuda/check.cuh"
#include "solvers/cuda/step/refine_graph.cuh"
#include "solvers/cuda/graph_chain.cuh"

namespace {

enum { STAGE_THREADS = 256 };

template <int stage>
__global__ void __launch_bounds__(STAGE_THREADS)
    stage_kernel(const __grid_constant__ step_system s, const step_progress *progress)
{
    const step_team team = {0, (int)(blockIdx.x * blockDim.x + threadIdx.x),
                            (int)(gridDim.x * blockDim.x)};
    step_run_stage((step_stage)stage, s, team, progress);
}

__global__ void __launch_bounds__(STAGE_THREADS)
    gather_kernel(const __grid_constant__ step_system s, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_MOST_WARPS];
    const step_team team = {0, (int)(blockIdx.x * blockDim.x + threadIdx.x),
                            (int)(gridDim.x * blockDim.x)};
    step_run_gather(s, team, progress, scratch);
}

template <class Method, int number>
__global__ void __launch_bounds__(PCR_THREADS)
    krylov_kernel(const __grid_constant__ step_system s, bool start, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_SCRATCH];
    step_run_krylov<Method>(s, number, start, progress, scratch);
}

template <class Method, int number>
__global__ void __launch_bounds__(PCR_THREADS)
    lower_kernel(const __grid_constant__ step_system s, bool start, const step_progress *progress)
{
    __shared__ float scratch[PCR_SCRATCH];
    step_run_lower<Method>(s, number, start, progress, scratch);
}

__global__ void __launch_bounds__(PCR_THREADS)
    refine_kernel(const __grid_constant__ step_system s, refine_stage stage, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_SCRATCH];
    const step_team team = {0, (int)(blockIdx.x * blockDim.x + threadIdx.x),
                            (int)(gridDim.x * blockDim.x)};
    step_run_refine(s, stage, team, progress, scratch);
}

__global__ void __launch_bounds__(PCR_THREADS)
    turn_kernel(const __grid_constant__ step_system s, int turn, const step_progress *progress)
{
    step_run_turn(s, turn, progress);
}

__global__ void __launch_bounds__(PCR_THREADS)
    lanczos_kernel(const __grid_constant__ step_system s, int turn, const step_progress *progress)
{
    __shared__ nb_real scratch[PCR_SCRATCH];
    step_run_lanczos(s, turn, progress, scratch);
}

__global__ void __launch_bounds__(PCR_THREADS)
    dense_kernel(const __grid_constant__ step_system s, step_dense_stage stage, int tile, const step_progress *progress)
{
    __shared__ nb_real scratch[DENSE_SCRATCH];
    step_run_dense(s, stage, tile, progress, scratch);
}

template <class Method, int number>
__global__ void __launch_bounds__(PCR_THREADS)
    response_kernel(const __grid_constant__ step_system s, const step_progress *progress)
{
    step_run_response<Method>(s, number, progress);
}

__global__ void solving_kernel(const __grid_constant__ step_system s, const step_progress *progress,
                               graph_loop loop)
{
    loop.set(step_solving(s, progress));
}

__global__ void solving_lower_kernel(const __grid_constant__ step_system s, const step_progress *progress,
                                     graph_loop loop)
{
    loop.set(step_solving_lower(s, progress));
}

__global__ void refining_kernel(const __grid_constant__ step_system s, const step_progress *progress,
                                graph_loop loop)
{
    loop.set(step_refining(s, progress));
}

__global__ void advance_kernel(const __grid_constant__ step_system s, step_progress *progress,
                               graph_loop loop)
{
    loop.set(step_advance(s, progress));
}

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
        if constexpr (lower) {
            chain.kernel(lower_kernel<Method, number>, blocks, PCR_THREADS, system, start, progress);
        } else {
            if (system.linear.factored && Method::operand(system.linear, number))
                chain.kernel(response_kernel<Method, number>, blocks, PCR_THREADS, system,
                             progress);
            chain.kernel(krylov_kernel<Method, number>, blocks, PCR_THREADS, system, start,
                         progress);
        }
    }

    void refine(graph_chain &chain, refine_stage stage)
    {
        chain.kernel(refine_kernel, blocks, PCR_THREADS, system, stage, progress);
    }

    template <class Method> void refined(graph_chain &chain)
    {
        for (refine_stage one : {REFINE_SCALE, REFINE_MATRIX, REFINE_BEGIN})
            refine(chain, one);
        const graph_loop loop = chain.condition();
        chain.kernel(refining_kernel, 1, 1, system, progress, loop);
        const cudaGraph_t body = chain.repeat(loop);
        if (!body)
            return;
        graph_chain inside(body);
        refine(inside, REFINE_LOAD);
        solve<Method, true>(inside);
        for (refine_stage one : {REFINE_TAKE, REFINE_MOVE, REFINE_RESIDUAL, REFINE_JUDGE, REFINE_UNDO})
            refine(inside, one);
        inside.kernel(refining_kernel, 1, 1, system, progress, loop);
        chain.take(inside.answer);
        refine(chain, REFINE_END);
    }

    void linear(graph_chain &chain)
    {
        if (system.lower.format && system.method == NB_CUDA_PCG)
            return refined<pcg_method>(chain);
        if (system.lower.format)
            return refined<pcr_method>(chain);
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
        case NB_CUDA_CHOLESKY:
            step_each_dense_stage(dense_tiles(system.linear), [&](step_dense_stage one, int tile) {
                chain.kernel(dense_kernel, blocks, PCR_THREADS, system, one, tile, progress);
            });
            break;
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
