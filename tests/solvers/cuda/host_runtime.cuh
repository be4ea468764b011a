// CUDA's runtime in host memory and on emulated threads, as far as solvers/cuda asks for it: the names that its host
// code calls are macros from here on, and its kernels compile as functions. Calls that a device would refuse are
// refused: a launch with more shared memory than was asked for, a cooperative one beyond what is resident, graph nodes
// after nothing. There is one multiprocessor, which holds one block, and there are no clusters.
//
// Include before any header of solvers/cuda.
#ifndef NB_TEST_CUDA_HOST_RUNTIME_CUH
#define NB_TEST_CUDA_HOST_RUNTIME_CUH

#include <cuda_runtime.h>
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
#define __shared__ thread_local // one block runs at a time
#define __launch_bounds__(...)
#define __grid_constant__
#include "tests/solvers/cuda/emulate.cuh"

#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>

extern "C" {
#include "solvers/cuda/device.h"
}

namespace {

enum { MOST_SHARED = 1 << 20 }; // more than a card has, so that a sheet fits
thread_local __align__(16) char memory[MOST_SHARED]; // of the running block, what a launch gives it

} // namespace

namespace host {

using call = std::function<void()>;

inline long held;              // allocations that are not freed yet
inline long left = 1L << 30;   // allocations before there is no more memory
inline size_t room;            // shared memory that a block can have
inline int driver = CUDART_VERSION;
inline emulated::order turns = emulated::SCATTERED;

inline void require(bool what)
{
    if (!what)
        abort();
}

/* --- memory --- */

inline cudaError_t allocate(void **to, size_t bytes)
{
    *to = left-- > 0 ? malloc(bytes) : nullptr;
    if (!*to)
        return cudaErrorMemoryAllocation;
    memset(*to, 0xff, bytes); // no number, and no address
    ++held;
    return cudaSuccess;
}
inline cudaError_t release(void *from)
{
    held -= from != nullptr;
    free(from);
    return cudaSuccess;
}
inline cudaError_t clear(void *to, int byte, size_t bytes, cudaStream_t = nullptr)
{
    memset(to, byte, bytes);
    return cudaSuccess;
}
inline cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr)
{
    if (bytes)
        memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t create_stream(cudaStream_t *, unsigned) { return cudaSuccess; }
inline cudaError_t wait(cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t last_error() { return cudaSuccess; }

/* --- the device --- */

inline nb_status check_device(nb_error *) { return NB_OK; }
inline cudaError_t get_device(int *device)
{
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t get_driver(int *version)
{
    *version = driver;
    return cudaSuccess;
}
inline cudaError_t get_attribute(int *value, cudaDeviceAttr attribute, int)
{
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
    case cudaDevAttrCooperativeLaunch: *value = 1; return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)room; return cudaSuccess;
    case cudaDevAttrClusterLaunch: *value = 0; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

/* --- kernels --- */

struct kernel {
    std::function<call(void **)> bind; // copies the arguments
    size_t shared = 49152;             // bytes that were asked for
    int threads = 0;                   // of a block, as its occupancy was asked for
};
inline std::map<const void *, kernel> kernels;

template <class... P, size_t... number>
call bound(void (*function)(P...), void **given, std::index_sequence<number...>)
{
    const std::tuple<P...> copied{*(P *)given[number]...};
    return [function, copied] { std::apply(function, copied); };
}
template <class... P> std::function<call(void **)> binder(void (*function)(P...))
{
    return [function](void **given) { return bound(function, given, std::index_sequence_for<P...>()); };
}
// A kernel that is launched by its address.
template <class... P> void know(void (*function)(P...))
{
    kernels[(const void *)function].bind = binder(function);
}
inline kernel &find(const void *function)
{
    const auto found = kernels.find(function);
    require(found != kernels.end());
    return found->second;
}
inline cudaError_t get_attributes(cudaFuncAttributes *out, const void *function)
{
    find(function);
    *out = {};
    return cudaSuccess;
}
inline cudaError_t set_attribute(const void *function, cudaFuncAttribute which, int value)
{
    require(which == cudaFuncAttributeMaxDynamicSharedMemorySize);
    if (value < 0 || (size_t)value > room)
        return cudaErrorInvalidValue;
    find(function).shared = (size_t)value;
    return cudaSuccess;
}
inline cudaError_t get_occupancy(int *blocks, const void *function, int threads, size_t bytes)
{
    require(bytes == 0);
    find(function).threads = threads;
    *blocks = 1;
    return cudaSuccess;
}
inline cudaError_t get_clusters(int *, const void *, const cudaLaunchConfig_t *) { return cudaErrorInvalidClusterSize; }

// Block after block: none waits for another one.
inline void run(const call &kernel, unsigned blocks, unsigned threads)
{
    for (unsigned k = 0; k < blocks; ++k) {
        memset(memory, 0xff, sizeof memory);
        emulated::launch(1, threads, turns, kernel, 1, {}, k, blocks);
    }
}
inline cudaError_t launch(const void *function, dim3 blocks, dim3 threads, void **given, size_t bytes, cudaStream_t)
{
    kernel &one = find(function);
    if (bytes > one.shared || threads.x > 1024 || blocks.x < 1)
        return cudaErrorInvalidValue;
    run(one.bind(given), blocks.x, threads.x);
    return cudaSuccess;
}
inline cudaError_t launch_together(const void *function, dim3 blocks, dim3 threads, void **given, size_t bytes,
                                   cudaStream_t stream)
{
    if (blocks.x > 1 || (int)threads.x != find(function).threads)
        return cudaErrorCooperativeLaunchTooLarge;
    return launch(function, blocks, threads, given, bytes, stream);
}
inline cudaError_t launch_clusters(const cudaLaunchConfig_t *, const void *, void **) { return cudaErrorNotSupported; }

/* --- graphs --- */

struct graph;
struct node {
    call kernel;
    unsigned blocks = 0, threads = 0;
    size_t condition = 0;        // of a loop, from 1 on
    std::unique_ptr<graph> body;
};
struct graph {
    std::vector<std::unique_ptr<node>> nodes;
    size_t children = 0; // executables that need it
};
inline std::vector<unsigned> conditions, defaults;
inline long graphs; // that are not destroyed yet

inline cudaError_t create_graph(cudaGraph_t *out, unsigned)
{
    *out = (cudaGraph_t) new graph;
    ++graphs;
    return cudaSuccess;
}
// Each node follows the one before it.
inline std::unique_ptr<node> &append(cudaGraph_t to, const cudaGraphNode_t *after, size_t count)
{
    auto &nodes = ((graph *)to)->nodes;
    require(count == (nodes.empty() ? 0u : 1u));
    require(nodes.empty() || (node *)*after == nodes.back().get());
    nodes.push_back(std::make_unique<node>());
    return nodes.back();
}
template <class... P>
cudaError_t add_kernel(cudaGraphNode_t *out, cudaGraph_t to, const cudaGraphNode_t *after, size_t count,
                       const cudaKernelNodeParams *given, void (*function)(P...))
{
    const auto &one = append(to, after, count);
    require(given->func == (void *)function && !given->sharedMemBytes);
    one->kernel = binder(function)(given->kernelParams);
    one->blocks = given->gridDim.x;
    one->threads = given->blockDim.x;
    *out = (cudaGraphNode_t)one.get();
    return one->blocks > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t create_condition(cudaGraphConditionalHandle *out, cudaGraph_t, unsigned value, unsigned flags)
{
    require(flags == cudaGraphCondAssignDefault);
    if (driver < 12040)
        return cudaErrorCallRequiresNewerDriver;
    defaults.push_back(value);
    *out = defaults.size();
    return cudaSuccess;
}
inline cudaError_t add_node(cudaGraphNode_t *out, cudaGraph_t to, const cudaGraphNode_t *after,
                            const cudaGraphEdgeData *, size_t count, cudaGraphNodeParams *given)
{
    static cudaGraph_t bodies[1];
    const auto &one = append(to, after, count);
    require(given->type == cudaGraphNodeTypeConditional && given->conditional.type == cudaGraphCondTypeWhile);
    one->condition = given->conditional.handle;
    one->body = std::make_unique<graph>();
    bodies[0] = (cudaGraph_t)one->body.get();
    given->conditional.phGraph_out = bodies;
    *out = (cudaGraphNode_t)one.get();
    return cudaSuccess;
}
inline void set_condition(cudaGraphConditionalHandle handle, unsigned value)
{
    conditions.at(handle - 1) = value;
}
inline void run(const graph &all)
{
    for (const auto &one : all.nodes)
        if (one->body)
            while (conditions.at(one->condition - 1))
                run(*one->body);
        else
            run(one->kernel, one->blocks, one->threads);
}
// What was made stays when the graph is destroyed.
struct executable {
    graph all;
};
inline cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t from, unsigned long long)
{
    auto *made = new executable;
    made->all.nodes.swap(((graph *)from)->nodes);
    ++graphs;
    *out = (cudaGraphExec_t)made;
    return cudaSuccess;
}
inline cudaError_t upload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t launch_graph(cudaGraphExec_t made, cudaStream_t)
{
    conditions = defaults;
    run(((executable *)made)->all);
    return cudaSuccess;
}
inline cudaError_t destroy(cudaGraph_t one)
{
    --graphs;
    delete (graph *)one;
    return cudaSuccess;
}
inline cudaError_t destroy(cudaGraphExec_t one)
{
    --graphs;
    delete (executable *)one;
    return cudaSuccess;
}

} // namespace host

namespace cooperative_groups {

struct grid {
    void sync() const { emulated::wait_for_grid(); }
};
inline grid this_grid() { return {}; }

} // namespace cooperative_groups

#define cudaMalloc host::allocate
#define cudaMallocHost host::allocate
#define cudaFree host::release
#define cudaFreeHost host::release
#define cudaMemset host::clear
#define cudaMemsetAsync host::clear
#define cudaMemcpyAsync host::copy
#define cudaMemcpy host::copy
#define cudaStreamCreateWithFlags host::create_stream
#define cudaStreamDestroy host::wait
#define cudaStreamSynchronize host::wait
#define cudaDeviceSynchronize host::wait
#define cudaGetLastError host::last_error
#define cudaGetDevice host::get_device
#define cudaDriverGetVersion host::get_driver
#define cudaDeviceGetAttribute host::get_attribute
#define cudaFuncGetAttributes host::get_attributes
#define cudaFuncSetAttribute host::set_attribute
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor host::get_occupancy
#define cudaOccupancyMaxActiveClusters host::get_clusters
#define cudaLaunchKernel host::launch
#define cudaLaunchCooperativeKernel host::launch_together
#define cudaLaunchKernelExC host::launch_clusters
#define cudaGraphCreate host::create_graph
#define cudaGraphDestroy host::destroy
#define cudaGraphExecDestroy host::destroy
// The kernel's type is known where the node is made.
#define cudaGraphAddKernelNode(out, to, after, count, given) host::add_kernel(out, to, after, count, given, function)
#define cudaGraphConditionalHandleCreate host::create_condition
#define cudaGraphAddNode host::add_node
#define cudaGraphSetConditional host::set_condition
#define cudaGraphInstantiate host::instantiate
#define cudaGraphUpload host::upload
#define cudaGraphLaunch host::launch_graph
#define nb_cuda_check_device host::check_device

#endif
