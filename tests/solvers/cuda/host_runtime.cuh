// CUDA's runtime in host memory and on emulated threads, as far as solvers/cuda asks for it: the names that its host
// code calls are macros from here on, and its kernels compile as functions. Calls that a device would refuse are
// refused: a launch with more shared memory than was asked for, a cooperative one beyond what is resident. There are
// three multiprocessors, each of which holds one block.
//
// Include before any header of solvers/cuda.
#ifndef NB_TEST_CUDA_HOST_RUNTIME_CUH
#define NB_TEST_CUDA_HOST_RUNTIME_CUH

#include <cuda_runtime.h>
#undef __device__
#undef __host__
#undef __launch_bounds__
#undef __grid_constant__
#define __launch_bounds__(...)
#define __grid_constant__
#include "tests/solvers/cuda/emulate.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>

extern "C" {
#include "solvers/cuda/device.h"
}

namespace host {

using call = std::function<void()>;

inline long held;              // allocations that are not freed yet
inline long left = 1L << 30;   // allocations before there is no more memory
inline int launches;
enum { PROCESSORS = 3, MOST_ROOM = 1 << 20 }; // more memory than a card has, so that a sheet fits
inline size_t room = MOST_ROOM; // shared memory that a block can have
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
inline cudaError_t get_attribute(int *value, cudaDeviceAttr attribute, int)
{
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = PROCESSORS; return cudaSuccess;
    case cudaDevAttrCooperativeLaunch: *value = 1; return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)room; return cudaSuccess;
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
inline cudaError_t get_occupancy(int *blocks, const void *function, int threads, size_t)
{
    find(function).threads = threads;
    *blocks = 1;
    return cudaSuccess;
}

// Block after block: none waits for another one.
inline cudaError_t launch(const void *function, dim3 blocks, dim3 threads, void **given, size_t bytes, cudaStream_t)
{
    kernel &one = find(function);
    if (bytes > one.shared || threads.x > 1024 || blocks.x < 1)
        return cudaErrorInvalidValue;
    ++launches;
    for (unsigned k = 0; k < blocks.x; ++k)
        emulated::launch(1, threads.x, turns, one.bind(given), bytes, k, blocks.x);
    return cudaSuccess;
}
inline cudaError_t launch_together(const void *function, dim3 blocks, dim3 threads, void **given, size_t bytes,
                                   cudaStream_t)
{
    kernel &one = find(function);
    if (blocks.x > PROCESSORS || (int)threads.x != one.threads || bytes > one.shared)
        return cudaErrorCooperativeLaunchTooLarge;
    ++launches;
    emulated::launch(blocks.x, threads.x, turns, one.bind(given), bytes);
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
#define cudaDeviceGetAttribute host::get_attribute
#define cudaFuncGetAttributes host::get_attributes
#define cudaFuncSetAttribute host::set_attribute
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor host::get_occupancy
#define cudaLaunchKernel host::launch
#define cudaLaunchCooperativeKernel host::launch_together
#define nb_cuda_check_device host::check_device

#endif
