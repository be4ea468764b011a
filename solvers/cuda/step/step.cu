// One launch a step: a cooperative grid on the whole of it, or a block or a cluster of blocks a part; or a
// graph of kernels. See step_stages.cuh.
#include <algorithm>
#include <memory>
#include <new>

#include "solvers/cuda/check.cuh"
#include "solvers/cuda/cluster_host.cuh"
#include "solvers/cuda/step/step_builder.cuh"
#include "solvers/cuda/step/step_clusters.cuh"
#include "solvers/cuda/step/step_kernels.cuh"

extern "C" {
#include "solvers/cuda/device.h"
}
#include "solvers/cuda/pcr_host.cuh"
#include "solvers/cuda/step/step_graph.cuh"

namespace {

// Device memory; it keeps what failed first.
class device_memory {
public:
    ~device_memory()
    {
        for (void *one : owned)
            cudaFree(one);
        cudaGetLastError();
    }
    template <class E> E *copy(const E *from, size_t count)
    {
        E *to = zeros<E>(count);
        if (answer == cudaSuccess && count > 0)
            answer = cudaMemcpy((void *)to, from, count * sizeof(E), cudaMemcpyHostToDevice);
        return to;
    }
    template <class E> E *zeros(size_t count)
    {
        owned.push_back(nullptr);
        void *&to = owned.back();
        answer = answer ? answer : cudaMalloc(&to, (count + 1) * sizeof(E));
        answer = answer ? answer : cudaMemset(to, 0, (count + 1) * sizeof(E));
        return (E *)to;
    }
    cudaError_t answer = cudaSuccess;

private:
    std::vector<void *> owned;
};

} // namespace

struct NB(nb_cuda_step) {
    ~NB(nb_cuda_step)()
    {
        if (stream)
            cudaStreamDestroy(stream);
        cudaFreeHost(states);
        cudaFreeHost(results);
        cudaFreeHost(solution);
    }
    nb_status create(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                     const nb_islands &islands, const NB(nb_cuda_step_options) &options,
                     nb_error *error);
    nb_status make_room(int iterations, nb_error *error);
    cudaError_t launch(int first, int end, bool traced);
    cudaError_t restart();
    const char *place() const
    {
        return graph            ? graph->place()
               : clusters.ranks ? pcr_cluster_name(clusters.ranks)
               : lone           ? "in one block"
                                : "by the grid";
    }

    device_memory memory;
    step_system system = {};
    cudaStream_t stream = nullptr;
    bool lone = false;              // a block a part; otherwise a cluster, or the grid on one part
    int blocks = 1, threads = MOST_THREADS;
    size_t velocities = 0, forces = 0;
    size_t parts = 0;
    // Pinned, so that no copy waits for another one: of the parts, and u, then lambda.
    pcr_state<nb_real> *states = nullptr;
    step_result *results = nullptr;
    nb_real *solution = nullptr;
    // Of a run whose iterates are kept: the same step with room for them, and the parts' results.
    step_system observed = {};
    std::vector<step_result> kept;

private:
    cudaError_t pin(const NB(nb_cuda_step_options) &options);
    nb_status divide(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                     const nb_islands &islands, const NB(nb_cuda_step_options) &options,
                     step_plan &plan, nb_error *error);
    nb_status place_parts(const NB(nb_cuda_step_options) &options, const step_plan &plan,
                          nb_error *error);
    nb_status place_clusters(const NB(nb_cuda_step_options) &options, const step_plan &plan,
                             nb_error *error);
    nb_status plan_grid(const NB(nb_cuda_step_options) &options, const step_plan &plan, nb_error *error);
    step_choice choice = {}; // of the kernels
    step_clusters clusters;
    std::unique_ptr<step_graph> graph, observed_graph;
    size_t room = 0;
};

// Sets `clusters` where one of the sizes asked for has room for all parts.
nb_status NB(nb_cuda_step)::place_clusters(const NB(nb_cuda_step_options) &options,
                                           const step_plan &plan, nb_error *error)
{
    size_t most = 0;
    const void *const kernel = kernel_of_clusters(choice);
    nb_status status = pcr_ask_memory(kernel, &most, error);
    // Factors too large for any of them leave their values in global memory.
    for (int stays = 0; stays <= plan.factored; ++stays)
        for (const int *size = pcr_cluster_sizes(options.place); *size && !status && !clusters.ranks;
             ++size) {
            const step_clusters tried = step_divide_parts(plan, options, *size, stays);
            bool fits = false;
            if (tried.room <= most)
                status = pcr_cluster_fits(kernel, *size, threads, tried.room, &fits, error);
            if (fits) {
                room = tried.room;
                clusters = tried;
            }
        }
    return status;
}

// Sets `lone` or `clusters` where the shared memory has room; otherwise the grid is to take the step.
nb_status NB(nb_cuda_step)::place_parts(const NB(nb_cuda_step_options) &options,
                                        const step_plan &plan, nb_error *error)
{
    size_t available = 0;
    const bool any = options.place == NB_CUDA_PLACE_AUTO;
    const nb_status status = pcr_ask_memory(kernel_of_blocks(choice), &available, error);
    threads = options.threads ? options.threads : plan.parts > 1 ? ISLAND_THREADS : MOST_THREADS;
    if (status || options.graph || options.place == NB_CUDA_PLACE_GRID)
        return status;
    room = step_most_room(plan, options);
    lone = room <= available && (any || options.place == NB_CUDA_PLACE_BLOCK);
    if (lone)
        return status;
    const bool alone = options.method == NB_CUDA_CHOLESKY ||
                       (options.method == NB_CUDA_GAUSS_SEIDEL && plan.factored);
    const nb_status clustered = alone ? NB_OK : place_clusters(options, plan, error);
    if (clustered || clusters.ranks || !any || options.parts != NB_CUDA_PARTS_ISLANDS)
        return clustered;
    lone = true; // the islands that do not fit stay in global memory
    room = available;
    return NB_OK;
}

// Islands or the whole; blocks, clusters or the grid.
nb_status NB(nb_cuda_step)::divide(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                                   const nb_islands &islands,
                                   const NB(nb_cuda_step_options) &options, step_plan &plan,
                                   nb_error *error)
{
    const bool one = options.graph || options.place == NB_CUDA_PLACE_GRID;
    if (one && options.parts == NB_CUDA_PARTS_ISLANDS)
        return nb_fail(error, NB_UNSUPPORTED, "parts=islands is for blocks and clusters in one launch");
    if (options.graph && options.place > NB_CUDA_PLACE_GRID)
        return nb_fail(error, NB_UNSUPPORTED, "a graph leaves nothing in shared memory");
    const bool whole = one || options.parts == NB_CUDA_PARTS_WHOLE;
    plan = step_divide(model, delassus, whole ? nullptr : &islands);
    nb_status status = place_parts(options, plan, error);
    if (!status && !lone && !clusters.ranks && plan.parts > 1) {
        plan = step_divide(model, delassus, nullptr);
        status = place_parts(options, plan, error);
    }
    if (status || lone || clusters.ranks)
        return status;
    if (options.place > NB_CUDA_PLACE_GRID)
        return nb_fail(error, NB_UNSUPPORTED, "the step does not fit the shared memory asked for");
    return plan_grid(options, plan, error);
}

nb_status NB(nb_cuda_step)::plan_grid(const NB(nb_cuda_step_options) &options, const step_plan &plan,
                                      nb_error *error)
{
    room = 0;
    return pcr_grid(kernel_of_grid(choice), threads,
                    step_grid_warps(plan, options.method, threads), &blocks, error);
}

nb_status NB(nb_cuda_step)::create(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                                   const nb_islands &islands,
                                   const NB(nb_cuda_step_options) &options, nb_error *error)
{
    step_plan plan;
    choice = {options.method, options.format, !(options.omega > 0)};
    nb_status status = divide(model, delassus, islands, options, plan, error);
    const int rows = 3 * step_most_rows(plan);
    if (!status && options.method == NB_CUDA_CHOLESKY && rows > NB_DENSE_LIMIT)
        status = nb_fail(error, NB_UNSUPPORTED,
                         "dense_cholesky is limited to %d rows of the step or, with parts=islands, of an island; "
                         "this has %d", NB_DENSE_LIMIT, rows);
    if (status)
        return status;
    step_builder<device_memory> builder(memory, model, plan);
    const int teams = plan.parts * std::max(1, clusters.ranks);
    system = builder.build(options, delassus, (size_t)std::max(blocks, teams));
    system.room = room;
    if (clusters.ranks)
        step_bring_clusters(clusters, system,
                            [this](const auto &list) { return memory.copy(list.data(), list.size()); });
    status = nb_cuda_status(memory.answer, "copying the step", error);
    system.linear.lone = lone;
    blocks = lone ? plan.parts : blocks;
    velocities = 3 * (size_t)model.nodes;
    forces = 3 * (size_t)model.blocks;
    parts = (size_t)plan.parts;
    if (!status)
        status = nb_cuda_status(pin(options), "allocating pinned memory", error);
    if (!status)
        status = nb_cuda_status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                "creating a stream", error);
    // Copies and zeros may be on their way still, and our stream does not wait for theirs.
    if (!status)
        status = nb_cuda_status(cudaDeviceSynchronize(), "copying the step", error);
    if (status || !options.graph)
        return status;
    graph = std::make_unique<step_graph>();
    return graph->create(system, blocks, stream, error);
}

cudaError_t NB(nb_cuda_step)::pin(const NB(nb_cuda_step_options) &options)
{
    cudaError_t answer = cudaMallocHost((void **)&states, parts * sizeof *states);
    if (answer == cudaSuccess)
        answer = cudaMallocHost((void **)&results, parts * sizeof *results);
    if (answer == cudaSuccess)
        answer = cudaMallocHost((void **)&solution, (velocities + forces + 1) * sizeof *solution);
    if (answer != cudaSuccess)
        return answer;
    pcr_state<nb_real> state = {};
    state.limit = options.linear_iterations;
    state.tolerance = options.tolerance;
    std::fill_n(states, parts, state);
    std::fill_n(results, parts, step_result());
    return cudaSuccess;
}

cudaError_t NB(nb_cuda_step)::restart()
{
    cudaError_t answer = cudaMemsetAsync(system.u, 0, velocities * sizeof(nb_real), stream);
    if (answer == cudaSuccess)
        answer = cudaMemsetAsync(system.lambda, 0, forces * sizeof(nb_real), stream);
    if (answer == cudaSuccess)
        answer = cudaMemsetAsync(system.results, 0, parts * sizeof(step_result), stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(system.states, states, parts * sizeof *states,
                                 cudaMemcpyHostToDevice, stream);
    return answer;
}

// For a launch of so many iterations whose iterates are kept.
nb_status NB(nb_cuda_step)::make_room(int iterations, nb_error *error)
{
    const size_t count = (size_t)iterations;
    if (count * parts <= kept.size())
        return NB_OK;
    step_system s = system;
    s.trace.iterate = memory.zeros<nb_real>(count * (velocities + forces));
    s.trace.results = memory.zeros<step_result>(count * parts);
    nb_status status = nb_cuda_status(memory.answer, "allocating a trace", error);
    if (!status)
        status = nb_cuda_status(cudaDeviceSynchronize(), "allocating a trace", error);
    if (!status && graph) {
        observed_graph = std::make_unique<step_graph>();
        status = observed_graph->create(s, blocks, stream, error);
    }
    if (status)
        return status;
    kept.resize(count * parts);
    observed = s;
    return NB_OK;
}

cudaError_t NB(nb_cuda_step)::launch(int first, int end, bool traced)
{
    step_system &given = traced ? observed : system;
    if (graph)
        return (traced ? observed_graph : graph)->launch(first, end, stream);
    void *arguments[] = {&given, &first, &end};
    if (clusters.ranks)
        return pcr_launch_clusters(kernel_of_clusters(choice), given.parts, clusters.ranks,
                                   threads, room, stream, arguments);
    const dim3 grid_size((unsigned)blocks), block_size((unsigned)threads);
    if (lone)
        return cudaLaunchKernel(kernel_of_blocks(choice), grid_size, block_size,
                                arguments, room, stream);
    return cudaLaunchCooperativeKernel(kernel_of_grid(choice), grid_size, block_size,
                                       arguments, 0, stream);
}

extern "C" nb_status NB(nb_cuda_step_create)(NB(nb_cuda_step) **out, const NB(nb_model) *model,
                                             const NB(nb_delassus) *delassus,
                                             const nb_islands *islands,
                                             const NB(nb_cuda_step_options) *options,
                                             nb_error *error)
{
    *out = nullptr;
    nb_status status = nb_cuda_check_device(error);
    if (status)
        return status;
    try {
        auto step = std::make_unique<NB(nb_cuda_step)>();
        status = step->create(*model, delassus, *islands, *options, error);
        *out = status ? nullptr : step.release();
    } catch (const std::bad_alloc &) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to divide the step");
    }
    return status;
}

extern "C" void NB(nb_cuda_step_free)(NB(nb_cuda_step) *step)
{
    delete step;
}

// Pageable memory, which waits for the end of the launch.
static cudaError_t bring_trace(NB(nb_cuda_step) &step, const NB(nb_cuda_step_trace) &trace, size_t count)
{
    const size_t entries = count * (step.velocities + step.forces);
    cudaError_t answer = cudaMemcpyAsync(trace.iterate, step.observed.trace.iterate,
                                         entries * sizeof(nb_real), cudaMemcpyDeviceToHost, step.stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(step.kept.data(), step.observed.trace.results,
                                 count * step.parts * sizeof(step_result), cudaMemcpyDeviceToHost,
                                 step.stream);
    if (answer == cudaSuccess)
        answer = cudaStreamSynchronize(step.stream);
    for (size_t k = 0; k < count && answer == cudaSuccess; ++k)
        trace.report[k] = step_report(step.kept.data() + k * step.parts, step.parts, step.place());
    return answer;
}

static cudaError_t bring_solution(NB(nb_cuda_step) &step, nb_real *u, nb_real *lambda)
{
    const step_system &s = step.system;
    cudaError_t answer = cudaMemcpyAsync(step.solution, s.u, step.velocities * sizeof(nb_real),
                                         cudaMemcpyDeviceToHost, step.stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(step.solution + step.velocities, s.lambda, step.forces * sizeof(nb_real),
                                 cudaMemcpyDeviceToHost, step.stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(step.results, s.results, step.parts * sizeof(step_result),
                                 cudaMemcpyDeviceToHost, step.stream);
    if (answer == cudaSuccess)
        answer = cudaStreamSynchronize(step.stream);
    if (answer == cudaSuccess) {
        std::copy_n(step.solution, step.velocities, u);
        std::copy_n(step.solution + step.velocities, step.forces, lambda);
    }
    return answer;
}

extern "C" nb_status NB(nb_cuda_step_run)(NB(nb_cuda_step) *step, int first, int end,
                                          const NB(nb_cuda_step_trace) *trace, nb_real *u,
                                          nb_real *lambda, nb_cuda_step_report *report,
                                          nb_error *error)
{
    nb_status status = NB_OK;
    *report = step_report(step->results, step->parts, step->place());
    try {
        status = trace ? step->make_room(end - first, error) : NB_OK;
    } catch (const std::bad_alloc &) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a trace");
    }
    if (status)
        return status;
    cudaError_t answer = first == 0 ? step->restart() : cudaSuccess;
    if (answer == cudaSuccess && end > first)
        answer = step->launch(first, end, trace);
    if (answer == cudaSuccess)
        answer = bring_solution(*step, u, lambda);
    if (answer == cudaSuccess && trace && end > first)
        answer = bring_trace(*step, *trace, (size_t)(end - first));
    *report = step_report(step->results, step->parts, step->place());
    return nb_cuda_status(answer, "the step on the device", error);
}
