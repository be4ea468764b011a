// Whether there is a device, and CUDA's answers as statuses.
#include <sys/resource.h>

#include "solvers/cuda/check.cuh"

extern "C" {
#include "solvers/cuda/device.h"
}

// Unified addressing reserves more address space than a sweep's memory_limit leaves, if that is not all there is.
static const char *address_space_hint()
{
    const rlim_t all = (rlim_t)1 << 47; // of a process on x86-64
    struct rlimit limit;
    return !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur < all
               ? "; CUDA reserves terabytes of address space: raise memory_limit"
               : "";
}

nb_status nb_cuda_status(cudaError_t answer, const char *action, nb_error *error)
{
    if (answer != cudaSuccess)
        cudaGetLastError(); // what is told here is not the next call's
    switch (answer) {
    case cudaSuccess:
        return NB_OK;
    case cudaErrorMemoryAllocation:
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: %s%s", action, cudaGetErrorString(answer),
                       address_space_hint());
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorDevicesUnavailable:
        return nb_fail(error, NB_UNSUPPORTED, "no CUDA device (%s%s)", cudaGetErrorString(answer),
                       address_space_hint());
    default:
        return nb_fail(error, NB_BREAKDOWN, "%s: %s", action, cudaGetErrorString(answer));
    }
}

nb_status nb_cuda_check_device(nb_error *error)
{
    int count = 0;
    cudaError_t answer = cudaGetDeviceCount(&count);
    if (answer == cudaSuccess && count == 0)
        answer = cudaErrorNoDevice;
    if (answer == cudaSuccess)
        answer = cudaFree(nullptr); // starts CUDA on the device
    return nb_cuda_status(answer, "starting CUDA", error);
}
