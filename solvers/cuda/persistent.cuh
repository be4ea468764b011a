// One kernel for all iterations: a cooperative grid with barriers between the stages, or, for a system
// that fits the shared memory of one multiprocessor, one block that keeps all of it there.
#ifndef NB_CUDA_PERSISTENT_CUH
#define NB_CUDA_PERSISTENT_CUH

#include <cooperative_groups.h>
#include <new>

#include "solvers/cuda/iterate.cuh"
#include "solvers/cuda/pcr_host.cuh"

namespace {

enum { LONE_THREADS = 1024 };

struct grid_barrier {
    __device__ void operator()() const { cooperative_groups::this_grid().sync(); }
};
struct block_barrier {
    __device__ void operator()() const { __syncthreads(); }
};

template <class Method, class T>
__global__ void __launch_bounds__(PCR_THREADS, 2) grid_kernel(pcr_system<T> system, bool start,
                                                           int count)
{
    __shared__ T scratch[PCR_MOST_WARPS + 1];
    pcr_iterate<Method>(system, start, count, scratch, grid_barrier());
}

// The vectors stay in global memory between launches: an observed solve takes one an iteration.
template <class Method, class T>
__global__ void __launch_bounds__(LONE_THREADS) lone_kernel(pcr_system<T> global, size_t entries,
                                                            bool start, int count)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ T scratch[PCR_MOST_WARPS + 1];
    const size_t n = 3 * (size_t)global.rows;
    pcr_system<T> local = global;
    pcr_place(memory, entries, local);
    if (local.storage)
        pcr_copy((unsigned short *)local.value, (const unsigned short *)global.value, 9 * entries);
    else
        pcr_copy((T *)local.value, (const T *)global.value, 9 * entries);
    pcr_copy((T *)local.inverse, global.inverse, local.wide ? 3 * n : n);
    pcr_copy((T *)local.b, global.b, n);
    pcr_copy((int *)local.start, global.start, (size_t)global.rows + 1);
    pcr_copy((int *)local.column, global.column, entries);
    pcr_copy(local.x, global.x, n);
    if (!start) {
        pcr_copy(local.r, global.r, n);
        pcr_copy(local.z, global.z, n);
        pcr_copy(local.p, global.p, n);
        pcr_copy(local.q, global.q, n);
        pcr_copy(local.sum_qq, global.sum_qq, 1);
        pcr_copy(local.sum_zw, global.sum_zw, 1);
        pcr_copy(local.sum_rr, global.sum_rr, 1);
    }
    pcr_copy(local.state, global.state, 1);
    __syncthreads();
    pcr_iterate<Method>(local, start, count, scratch, block_barrier());
    __syncthreads();
    pcr_copy(global.x, local.x, n);
    pcr_copy(global.r, local.r, n);
    pcr_copy(global.z, local.z, n);
    pcr_copy(global.p, local.p, n);
    pcr_copy(global.q, local.q, n);
    pcr_copy(global.sum_qq, local.sum_qq, 1);
    pcr_copy(global.sum_zw, local.sum_zw, 1);
    pcr_copy(global.sum_rr, local.sum_rr, 1);
    pcr_copy(global.state, local.state, 1);
}

template <class Method, class T> class persistent : public pcr_host<T> {
protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        nb_status status = plan_lone(error);
        if (status || lone_bytes)
            return status;
        int device = 0, cooperates = 0;
        status = nb_cuda_status(cudaGetDevice(&device), "naming the device", error);
        if (!status)
            status = nb_cuda_status(
                cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, device),
                "asking for cooperative launches", error);
        if (!status && !cooperates)
            status = nb_fail(error, NB_UNSUPPORTED, "this device has no cooperative launches");
        return status ? status
                      : pcr_grid((const void *)grid_kernel<Method, T>, PCR_THREADS, pattern.rows,
                                 &this->blocks, error);
    }

    cudaError_t run(bool start, int count) override
    {
        if (lone_bytes) {
            lone_kernel<Method, T><<<1, LONE_THREADS, lone_bytes, this->stream>>>(
                this->system, this->entries, start, count);
            return cudaGetLastError();
        }
        void *arguments[] = {&this->system, &start, &count};
        return cudaLaunchCooperativeKernel((const void *)grid_kernel<Method, T>, dim3(this->blocks),
                                           dim3(PCR_THREADS), arguments, 0, this->stream);
    }

private:
    // Sets lone_bytes where one block's shared memory holds the system.
    nb_status plan_lone(nb_error *error)
    {
        int device = 0, most = 0;
        cudaFuncAttributes kernel = {};
        nb_status status = nb_cuda_status(cudaGetDevice(&device), "naming the device", error);
        if (!status)
            status = nb_cuda_status(
                cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                "asking for shared memory", error);
        if (!status)
            status = nb_cuda_status(cudaFuncGetAttributes(&kernel, (const void *)lone_kernel<Method, T>),
                                    "asking about a kernel", error);
        if (status)
            return status;
        pcr_system<T> measured = this->system;
        const size_t bytes = pcr_place<T>(nullptr, this->entries, measured);
        if (bytes + kernel.sharedSizeBytes > (size_t)most)
            return NB_OK;
        lone_bytes = bytes;
        return nb_cuda_status(cudaFuncSetAttribute((const void *)lone_kernel<Method, T>,
                                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                   most - (int)kernel.sharedSizeBytes),
                              "asking for shared memory", error);
    }

    size_t lone_bytes = 0;
};

} // namespace

#endif
