// See launch.cuh.
#include "solvers/cuda/launch.cuh"

#include <algorithm>

nb_status nb_cuda_ask_shared_memory(const void *kernel, size_t *bytes, nb_error *error)
{
    int device = 0, most = 0;
    cudaFuncAttributes attributes = {};
    cudaError_t answer = cudaGetDevice(&device);
    if (answer == cudaSuccess)
        answer = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (answer == cudaSuccess)
        answer = cudaFuncGetAttributes(&attributes, kernel);
    *bytes = answer == cudaSuccess ? (size_t)most - attributes.sharedSizeBytes : 0;
    if (answer == cudaSuccess)
        answer = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)*bytes);
    return nb_cuda_status(answer, "asking for shared memory", error);
}

nb_status nb_cuda_fit_grid(const void *kernel, int threads, size_t shared, int rows, int *blocks,
                           nb_error *error)
{
    const int rows_a_block = threads / 32;
    int device = 0, cooperates = 0, processors = 0, resident = 0;
    cudaError_t answer = cudaGetDevice(&device);
    if (answer == cudaSuccess)
        answer = cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, device);
    if (answer == cudaSuccess)
        answer = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (answer == cudaSuccess)
        answer = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared);
    if (answer != cudaSuccess)
        return nb_cuda_status(answer, "planning the grid", error);
    if (!cooperates)
        return nb_fail(error, NB_UNSUPPORTED, "this device has no cooperative launches");
    if (processors * resident < 1)
        return nb_fail(error, NB_UNSUPPORTED, "no block of %d threads fits this device", threads);
    *blocks = std::min(processors * resident, (rows - 1) / rows_a_block + 1);
    return NB_OK;
}
