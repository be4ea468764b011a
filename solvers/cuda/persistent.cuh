// One kernel for all iterations: one block that keeps all of a system in its shared memory; a cluster of
// blocks that does so together; or a cooperative grid with barriers between the stages.
#ifndef NB_CUDA_PERSISTENT_CUH
#define NB_CUDA_PERSISTENT_CUH

#include <cooperative_groups.h>

#include "solvers/cuda/cluster.cuh"
#include "solvers/cuda/cluster_host.cuh"
#include "solvers/cuda/pcr_host.cuh"

namespace {

enum { LONE_THREADS = 1024, CLUSTER_THREADS = 512 };

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
    __shared__ T scratch[PCR_SCRATCH];
    pcr_iterate<Method>(system, start, count, scratch, grid_barrier());
}

// The vectors go back to global memory: an observed solve takes a launch an iteration.
template <class Method, class T>
__global__ void __launch_bounds__(LONE_THREADS) lone_kernel(pcr_system<T> global, bool start, int count)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ T scratch[PCR_SCRATCH];
    const pcr_system<T> local = pcr_bring(global, Method::multiplied, !start, memory);
    __syncthreads();
    pcr_iterate<Method>(local, start, count, scratch, block_barrier());
    pcr_return(global, local, true);
}

template <class Method, class T>
__global__ void __launch_bounds__(CLUSTER_THREADS) cluster_kernel(pcr_system<T> global, bool start,
                                                                  int count)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ T scratch[PCR_SCRATCH];
    const pcr_system<T> local = pcr_bring(global, Method::multiplied, !start, memory);
    cluster_barrier()();
    pcr_iterate<Method>(local, start, count, scratch, cluster_barrier());
    pcr_return(global, local, true);
    cluster_barrier()(); // no block ends while another may still look for it
}

template <class Method, class T> class persistent : public pcr_host<T> {
public:
    ~persistent() override
    {
        for (void *one : division_arrays)
            cudaFree(one);
    }

protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        const nb_cuda_place place = pattern.place;
        nb_status status = NB_OK;
        if (place == NB_CUDA_PLACE_AUTO || place == NB_CUDA_PLACE_BLOCK)
            status = plan_block(error);
        if (!status && !bytes)
            status = plan_clusters(pattern, 0, error);
        // Factors too large for any cluster leave their values in global memory.
        if (!status && !bytes && pattern.nodes)
            status = plan_clusters(pattern, 1, error);
        if (status || bytes)
            return status;
        if (place != NB_CUDA_PLACE_AUTO && place != NB_CUDA_PLACE_GRID)
            return nb_fail(error, NB_UNSUPPORTED, "the system does not fit the shared memory asked for");
        return plan_grid(pattern, error);
    }

    cudaError_t run(bool start, int count) override
    {
        void *arguments[] = {&this->system, &start, &count};
        if (ranks)
            return pcr_launch_clusters((const void *)cluster_kernel<Method, T>, 1, ranks, CLUSTER_THREADS, bytes,
                                       this->stream, arguments);
        if (bytes)
            return cudaLaunchKernel((const void *)lone_kernel<Method, T>, dim3(1), dim3(LONE_THREADS), arguments,
                                    bytes, this->stream);
        return cudaLaunchCooperativeKernel((const void *)grid_kernel<Method, T>, dim3(this->blocks),
                                           dim3(PCR_THREADS), arguments, 0, this->stream);
    }

    const char *place() const override
    {
        return ranks ? pcr_cluster_name(ranks) : bytes ? "in one block" : "by the grid";
    }

private:
    // Sets bytes where one block's shared memory holds the system.
    nb_status plan_block(nb_error *error)
    {
        size_t most = 0;
        pcr_system<T> measured = this->system;
        const size_t wanted = pcr_place<T>(nullptr, measured.rows, this->entries,
                                           Method::multiplied, measured);
        const nb_status status = pcr_ask_memory((const void *)lone_kernel<Method, T>, &most, error);
        if (!status && wanted <= most)
            bytes = wanted;
        return status;
    }

    nb_status plan_clusters(const nb_cuda_pattern &pattern, int stays, nb_error *error)
    {
        nb_status status = NB_OK;
        this->system.stays = stays;
        for (const int *one = pcr_cluster_sizes(pattern.place); *one && !status && !bytes; ++one)
            status = plan_cluster(pattern, *one, error);
        return status;
    }

    // The same and ranks, for a cluster of that many blocks.
    nb_status plan_cluster(const nb_cuda_pattern &pattern, int size, nb_error *error)
    {
        const void *const kernel = (const void *)cluster_kernel<Method, T>;
        const pcr_division division =
            pcr_divide(this->system, pattern.start, pattern.column, size, Method::multiplied);
        size_t most = 0;
        bool fits = false;
        nb_status status = pcr_ask_memory(kernel, &most, error);
        if (!status && division.bytes <= most)
            status = pcr_cluster_fits(kernel, size, CLUSTER_THREADS, division.bytes, &fits, error);
        if (status || !fits)
            return status;
        bytes = division.bytes;
        ranks = size;
        this->blocks = size;
        this->system.split = bring(division.split);
        this->system.needed = bring(division.needed);
        if (pattern.nodes)
            this->system.factors.shares =
                division.shares.view([this](const std::vector<int> &list) { return bring(list); });
        return nb_cuda_status(brought, "copying the division", error);
    }

    // What fails is kept in `brought`.
    template <class E> const E *bring(const std::vector<E> &from)
    {
        const size_t size = from.size() * sizeof(E);
        division_arrays.push_back(nullptr);
        void *&to = division_arrays.back();
        brought = brought ? brought : cudaMalloc(&to, size + 1);
        brought = brought ? brought : cudaMemcpy(to, from.data(), size, cudaMemcpyHostToDevice);
        return (const E *)to;
    }

    nb_status plan_grid(const nb_cuda_pattern &pattern, nb_error *error)
    {
        int device = 0, cooperates = 0;
        nb_status status = nb_cuda_status(cudaGetDevice(&device), "naming the device", error);
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

    size_t bytes = 0; // of a block's shared memory; 0: the system stays in global memory
    int ranks = 0;    // blocks of the cluster; 0: none
    std::vector<void *> division_arrays;
    cudaError_t brought = cudaSuccess;
};

} // namespace

#endif
