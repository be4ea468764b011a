// The size of a grid that works on a system; apart from pcr.cu, whose border a test defines anew.
#include <algorithm>

#include "solvers/cuda/pcr_host.cuh"

nb_status pcr_grid(const void *kernel, int threads, int rows, int *blocks, nb_error *error)
{
    int device = 0, processors = 0, resident = 0;
    nb_status status = nb_cuda_status(cudaGetDevice(&device), "naming the device", error);
    if (!status)
        status = nb_cuda_status(
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
            "counting multiprocessors", error);
    if (!status)
        status = nb_cuda_status(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0),
            "planning the grid", error);
    if (status)
        return status;
    if (processors * resident < 1)
        return nb_fail(error, NB_UNSUPPORTED, "no block of %d threads fits this device", threads);
    const int rows_a_block = threads / PCR_WARP;
    *blocks = std::min(processors * resident, (rows - 1) / rows_a_block + 1);
    return NB_OK;
}
