// One launch a step: a cooperative grid on the whole of it, or a block a part. See step_stages.cuh.
extern "C" {
#include "solvers/cuda/step/step.h"
}

#if NB_CUDA_HAS_PRECISION

#include <memory>
#include <new>

#include "solvers/cuda/launch.cuh"
#include "solvers/cuda/step/step_builder.cuh"
#include "solvers/cuda/step/step_iterate.cuh"

extern "C" {
#include "solvers/cuda/device.h"
}

namespace {

enum { MOST_THREADS = 512, ISLAND_THREADS = 256 };
constexpr size_t scratch_bytes = SCRATCH * sizeof(nb_real);

template <class Solver>
__global__ void __launch_bounds__(MOST_THREADS) grid_kernel(const __grid_constant__ step_system s,
                                                            int first, int end)
{
    step_iterate<Solver>(s, step_grid_team(), first, end, nullptr, (nb_real *)shared_memory(), grid_barrier());
}

template <class Solver>
__global__ void __launch_bounds__(MOST_THREADS) block_kernel(const __grid_constant__ step_system s,
                                                             int first, int end)
{
    nb_real *const scratch = (nb_real *)shared_memory();
    const step_team team = {(int)blockIdx.x, (int)threadIdx.x, (int)blockDim.x};
    step_iterate<Solver>(s, team, first, end, s.room ? (char *)(scratch + SCRATCH) : nullptr, scratch,
                         block_barrier());
}

bool relaxes(int method)
{
    return method == NB_CUDA_JACOBI || method == NB_CUDA_GAUSS_SEIDEL;
}
const void *kernel_of_grid(int method)
{
    return relaxes(method) ? (const void *)grid_kernel<step_relaxations> : (const void *)grid_kernel<step_krylov>;
}
const void *kernel_of_blocks(int method)
{
    return relaxes(method) ? (const void *)block_kernel<step_relaxations> : (const void *)block_kernel<step_krylov>;
}

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
    const char *team() const
    {
        return !lone ? "by the grid" : parts == 1 ? "in one block" : "in a block an island";
    }

    device_memory memory;
    step_partition partition;
    step_system system = {};
    cudaStream_t stream = nullptr;
    bool lone = false;              // a block a part; otherwise the grid on one part
    int blocks = 1, threads = MOST_THREADS;
    size_t room = 0;                // of shared memory for the linear system of a block
    size_t velocities = 0, forces = 0;
    size_t parts = 0;
    // Pinned, so that no copy waits for another one: of the parts, and u, then lambda.
    solve_state<nb_real> *states = nullptr;
    step_result *results = nullptr;
    nb_real *solution = nullptr;
    // Of a run whose iterates are kept: the same step with room for them, and the parts' results.
    step_system observed = {};
    std::vector<step_result> kept;

private:
    nb_status choose_team(const NB(nb_model) &model, const NB(nb_delassus) *delassus, const nb_islands &islands,
                          const NB(nb_cuda_step_options) &options, nb_error *error);
    nb_status plan_grid(const NB(nb_cuda_step_options) &options, nb_error *error);
    cudaError_t pin(const NB(nb_cuda_step_options) &options);
};

// Which threads take the step, in how many parts: see enum nb_cuda_step_by.
nb_status NB(nb_cuda_step)::choose_team(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                                        const nb_islands &islands, const NB(nb_cuda_step_options) &options,
                                        nb_error *error)
{
    const bool whole = options.by == NB_CUDA_STEP_BY_GRID || options.by == NB_CUDA_STEP_BY_BLOCK;
    size_t available = 0;
    partition = make_step_partition(model, delassus, whole ? nullptr : &islands);
    threads = options.threads ? options.threads : partition.parts > 1 ? ISLAND_THREADS : MOST_THREADS;
    nb_status status = nb_cuda_ask_shared_memory(kernel_of_blocks(options.method), &available, error);
    if (status)
        return status;
    available -= std::min(available, scratch_bytes);
    room = step_most_room(partition, options);
    lone = options.by != NB_CUDA_STEP_BY_GRID && room <= available;
    if (options.by == NB_CUDA_STEP_BY_ISLANDS && !lone) {
        lone = true; // the islands that do not fit stay in global memory
        room = available;
    }
    if (lone)
        return NB_OK;
    if (options.by == NB_CUDA_STEP_BY_BLOCK)
        return nb_fail(error, NB_UNSUPPORTED, "the step's linear system does not fit a block's shared memory");
    return plan_grid(options, error);
}

nb_status NB(nb_cuda_step)::plan_grid(const NB(nb_cuda_step_options) &options, nb_error *error)
{
    room = 0;
    threads = options.threads ? options.threads : MOST_THREADS;
    return nb_cuda_fit_grid(kernel_of_grid(options.method), threads, scratch_bytes,
                            std::max(1, partition.rows.start.back()), &blocks, error);
}

nb_status NB(nb_cuda_step)::create(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                                   const nb_islands &islands,
                                   const NB(nb_cuda_step_options) &options, nb_error *error)
{
    nb_status status = choose_team(model, delassus, islands, options, error);
    if (status)
        return status;
    if (!lone && partition.parts > 1)
        partition = make_step_partition(model, delassus, nullptr);
    blocks = lone ? partition.parts : blocks;
    velocities = 3 * (size_t)model.nodes;
    forces = 3 * (size_t)model.blocks;
    parts = (size_t)partition.parts;
    step_builder builder(memory, model, partition);
    system = builder.build(options, delassus, (size_t)blocks);
    system.room = room;
    system.linear.lone = lone;
    status = nb_cuda_status(memory.answer, "copying the step", error);
    if (!status)
        status = nb_cuda_status(pin(options), "allocating pinned memory", error);
    if (!status)
        status = nb_cuda_status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                "creating a stream", error);
    // Copies and zeros may be on their way still, and our stream does not wait for theirs.
    return status ? status : nb_cuda_status(cudaDeviceSynchronize(), "copying the step", error);
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
    solve_state<nb_real> state = {};
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
    if (status)
        return status;
    kept.resize(count * parts);
    observed = s;
    return NB_OK;
}

cudaError_t NB(nb_cuda_step)::launch(int first, int end, bool traced)
{
    step_system &given = traced ? observed : system;
    void *arguments[] = {&given, &first, &end};
    const dim3 grid_size((unsigned)blocks), block_size((unsigned)threads);
    if (lone)
        return cudaLaunchKernel(kernel_of_blocks(given.method), grid_size, block_size, arguments,
                                scratch_bytes + room, stream);
    return cudaLaunchCooperativeKernel(kernel_of_grid(given.method), grid_size, block_size, arguments,
                                       scratch_bytes, stream);
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
static cudaError_t download_trace(NB(nb_cuda_step) &step, const NB(nb_cuda_step_trace) &trace, size_t count)
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
        trace.report[k] = step_report(step.kept.data() + k * step.parts, step.parts, step.team());
    return answer;
}

static cudaError_t download_solution(NB(nb_cuda_step) &step, nb_real *u, nb_real *lambda)
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
    *report = step_report(step->results, step->parts, step->team());
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
        answer = download_solution(*step, u, lambda);
    if (answer == cudaSuccess && trace && end > first)
        answer = download_trace(*step, *trace, (size_t)(end - first));
    *report = step_report(step->results, step->parts, step->team());
    return nb_cuda_status(answer, "the step on the device", error);
}

#else // the linker asks for these, and nobody calls them: see check_model of cuda_newton.c

static_assert(sizeof(nb_real) != sizeof(nb_sum), "a precision that the device has");

extern "C" nb_status NB(nb_cuda_step_create)(NB(nb_cuda_step) **, const NB(nb_model) *, const NB(nb_delassus) *,
                                             const nb_islands *, const NB(nb_cuda_step_options) *, nb_error *)
{
    return NB_UNSUPPORTED;
}

extern "C" void NB(nb_cuda_step_free)(NB(nb_cuda_step) *) {}

extern "C" nb_status NB(nb_cuda_step_run)(NB(nb_cuda_step) *, int, int, const NB(nb_cuda_step_trace) *, nb_real *,
                                          nb_real *, nb_cuda_step_report *, nb_error *)
{
    return NB_UNSUPPORTED;
}

#endif
