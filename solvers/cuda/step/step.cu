// One launch a step: a cooperative grid on the whole of it, or a block an island; see step_stages.cuh.
#include <algorithm>
#include <cooperative_groups.h>
#include <new>

#include "solvers/cuda/check.cuh"
#include "solvers/cuda/step/step_iterate.cuh"
#include "solvers/cuda/step/step_plan.cuh"

extern "C" {
#include "solvers/cuda/device.h"
}

namespace {

enum { MOST_THREADS = 512, ISLAND_THREADS = 256 };

struct grid_barrier {
    __device__ void operator()() const { cooperative_groups::this_grid().sync(); }
};
struct block_barrier {
    __device__ void operator()() const { __syncthreads(); }
};

__global__ void __launch_bounds__(MOST_THREADS) grid_kernel(const __grid_constant__ step_system s,
                                                            int first, int end)
{
    __shared__ nb_real scratch[PCR_MOST_WARPS];
    const int lane = (int)threadIdx.x % PCR_WARP, warp = (int)threadIdx.x / PCR_WARP;
    // Warps are dealt to the blocks in turn: a few contacts or elements occupy all multiprocessors.
    const step_team team = {0, (warp * (int)gridDim.x + (int)blockIdx.x) * PCR_WARP + lane,
                            (int)(gridDim.x * blockDim.x)};
    step_iterate(s, team, first, end, nullptr, scratch, grid_barrier());
}

__global__ void __launch_bounds__(MOST_THREADS) block_kernel(const __grid_constant__ step_system s,
                                                             int first, int end)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ nb_real scratch[PCR_MOST_WARPS];
    const step_team team = {(int)blockIdx.x, (int)threadIdx.x, (int)blockDim.x};
    step_iterate(s, team, first, end, s.room ? memory : nullptr, scratch, block_barrier());
}

// Device memory; after a failure it answers null and keeps the reason.
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
        void *to = nullptr;
        if (answer == cudaSuccess)
            answer = cudaMalloc(&to, (count + 1) * sizeof(E));
        if (answer != cudaSuccess)
            return nullptr;
        owned.push_back(to);
        answer = cudaMemset(to, 0, (count + 1) * sizeof(E));
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
    }
    nb_status create(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                     const nb_islands &islands, const NB(nb_cuda_step_options) &options,
                     nb_error *error);
    cudaError_t launch(int first, int end);
    cudaError_t restart();

    device_memory memory;
    step_system system = {};
    cudaStream_t stream = nullptr;
    bool lone = false;              // a block a part; otherwise the grid on one part
    int blocks = 1, threads = MOST_THREADS;
    size_t velocities = 0, forces = 0;
    std::vector<pcr_state<nb_real>> states;
    std::vector<step_result> results;

private:
    nb_status divide(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                     const nb_islands &islands, const NB(nb_cuda_step_options) &options,
                     step_plan &plan, nb_error *error);
    nb_status plan_blocks(size_t room, nb_error *error);
    nb_status plan_grid(const step_plan &plan, nb_error *error);
    size_t room = 0;
};

// Islands or the whole; blocks or the grid.
nb_status NB(nb_cuda_step)::divide(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                                   const nb_islands &islands,
                                   const NB(nb_cuda_step_options) &options, step_plan &plan,
                                   nb_error *error)
{
    int device = 0, most = 0;
    cudaFuncAttributes kernel = {};
    cudaError_t answer = cudaGetDevice(&device);
    if (answer == cudaSuccess)
        answer = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (answer == cudaSuccess)
        answer = cudaFuncGetAttributes(&kernel, (const void *)block_kernel);
    const nb_status status = nb_cuda_status(answer, "asking for shared memory", error);
    if (status)
        return status;
    const size_t available = (size_t)most - kernel.sharedSizeBytes;
    plan = step_divide(model, delassus, options.parts == NB_CUDA_PARTS_WHOLE ? nullptr : &islands);
    room = step_most_room(plan, options.wide);
    if (options.parts == NB_CUDA_PARTS_AUTO && room > available) {
        plan = step_divide(model, delassus, nullptr);
        room = step_most_room(plan, options.wide);
    }
    lone = room <= available || options.parts == NB_CUDA_PARTS_ISLANDS;
    threads = options.threads ? options.threads : plan.parts > 1 ? ISLAND_THREADS : MOST_THREADS;
    return lone ? plan_blocks(std::min(room, available), error) : plan_grid(plan, error);
}

nb_status NB(nb_cuda_step)::plan_blocks(size_t bytes, nb_error *error)
{
    room = bytes;
    return nb_cuda_status(cudaFuncSetAttribute((const void *)block_kernel,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)room),
                          "asking for shared memory", error);
}

nb_status NB(nb_cuda_step)::plan_grid(const step_plan &plan, nb_error *error)
{
    int device = 0, processors = 0, resident = 0;
    cudaError_t answer = cudaGetDevice(&device);
    room = 0;
    if (answer == cudaSuccess)
        answer = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (answer == cudaSuccess)
        answer = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, (const void *)grid_kernel, threads, 0);
    const nb_status status = nb_cuda_status(answer, "planning the grid", error);
    if (status)
        return status;
    if (processors * resident < 1)
        return nb_fail(error, NB_UNSUPPORTED, "no block of %d threads fits this device", threads);
    const int rows = plan.rows.start.back(), warps = threads / PCR_WARP;
    blocks = std::max(1, std::min(processors * resident, (rows + warps - 1) / warps));
    return NB_OK;
}

nb_status NB(nb_cuda_step)::create(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                                   const nb_islands &islands,
                                   const NB(nb_cuda_step_options) &options, nb_error *error)
{
    step_plan plan;
    nb_status status = divide(model, delassus, islands, options, plan, error);
    if (status)
        return status;
    step_builder<device_memory> builder(memory, model, plan);
    system = builder.build(options, delassus, (size_t)std::max(blocks, plan.parts));
    status = nb_cuda_status(memory.answer, "copying the step", error);
    system.room = room;
    system.linear.lone = lone;
    blocks = lone ? plan.parts : blocks;
    velocities = 3 * (size_t)model.nodes;
    forces = 3 * (size_t)model.blocks;
    results.resize((size_t)plan.parts);
    states.resize((size_t)plan.parts);
    for (pcr_state<nb_real> &state : states) {
        state = {};
        state.limit = options.linear_iterations;
        state.tolerance = options.tolerance;
    }
    return status ? status
                  : nb_cuda_status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                   "creating a stream", error);
}

cudaError_t NB(nb_cuda_step)::restart()
{
    cudaError_t answer = cudaMemsetAsync(system.u, 0, velocities * sizeof(nb_real), stream);
    if (answer == cudaSuccess)
        answer = cudaMemsetAsync(system.lambda, 0, forces * sizeof(nb_real), stream);
    if (answer == cudaSuccess)
        answer = cudaMemsetAsync(system.results, 0, results.size() * sizeof(step_result), stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(system.states, states.data(),
                                 states.size() * sizeof(pcr_state<nb_real>),
                                 cudaMemcpyHostToDevice, stream);
    return answer;
}

cudaError_t NB(nb_cuda_step)::launch(int first, int end)
{
    if (lone) {
        block_kernel<<<blocks, threads, room, stream>>>(system, first, end);
        return cudaGetLastError();
    }
    void *arguments[] = {&system, &first, &end};
    return cudaLaunchCooperativeKernel((const void *)grid_kernel, dim3((unsigned)blocks),
                                       dim3((unsigned)threads), arguments, 0, stream);
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
        NB(nb_cuda_step) *step = new NB(nb_cuda_step);
        status = step->create(*model, delassus, *islands, *options, error);
        if (status)
            delete step;
        else
            *out = step;
    } catch (const std::bad_alloc &) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to divide the step");
    }
    return status;
}

extern "C" void NB(nb_cuda_step_free)(NB(nb_cuda_step) *step)
{
    delete step;
}

static nb_cuda_step_report report_of(const std::vector<step_result> &results)
{
    static const char *const failures[] = {nullptr, "a diagonal entry of the operator is not positive",
                                           "the linear solve is not finite"};
    nb_cuda_step_report out = {0, 0, NB_LINEAR_CONVERGED, nullptr};
    for (const step_result &one : results) {
        out.newton_iterations = std::max(out.newton_iterations, one.newton_iterations);
        out.linear_iterations = std::max(out.linear_iterations, one.linear_iterations);
        out.ending = (nb_linear_ending)std::max((int)out.ending, one.ending);
        out.failure = one.failure ? failures[one.failure] : out.failure;
    }
    return out;
}

extern "C" nb_status NB(nb_cuda_step_run)(NB(nb_cuda_step) *step, int first, int end, nb_real *u,
                                          nb_real *lambda, nb_cuda_step_report *report,
                                          nb_error *error)
{
    const step_system &s = step->system;
    cudaStream_t stream = step->stream;
    cudaError_t answer = first == 0 ? step->restart() : cudaSuccess;
    if (answer == cudaSuccess && end > first)
        answer = step->launch(first, end);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(u, s.u, step->velocities * sizeof(nb_real),
                                 cudaMemcpyDeviceToHost, stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(lambda, s.lambda, step->forces * sizeof(nb_real),
                                 cudaMemcpyDeviceToHost, stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(step->results.data(), s.results,
                                 step->results.size() * sizeof(step_result),
                                 cudaMemcpyDeviceToHost, stream);
    if (answer == cudaSuccess)
        answer = cudaStreamSynchronize(stream);
    *report = report_of(step->results);
    return nb_cuda_status(answer, "the step on the device", error);
}
