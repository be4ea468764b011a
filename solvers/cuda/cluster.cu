// See cluster_host.cuh.
#include "solvers/cuda/cluster_host.cuh"

const int *pcr_cluster_sizes(nb_cuda_place place)
{
    static const int none[] = {0}, some[] = {8, 16, 0};
    static const int each[][2] = {{2, 0}, {4, 0}, {8, 0}, {16, 0}};
    if (place == NB_CUDA_PLACE_AUTO || place == NB_CUDA_PLACE_CLUSTER)
        return some;
    return place >= NB_CUDA_PLACE_CLUSTER_2 ? each[place - NB_CUDA_PLACE_CLUSTER_2] : none;
}

const char *pcr_cluster_name(int ranks)
{
    switch (ranks) {
    case 2: return "in a cluster of 2 blocks";
    case 4: return "in a cluster of 4 blocks";
    case 8: return "in a cluster of 8 blocks";
    default: return "in a cluster of 16 blocks";
    }
}

nb_status pcr_ask_memory(const void *kernel, size_t *bytes, nb_error *error)
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
        answer = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)*bytes);
    return nb_cuda_status(answer, "asking for shared memory", error);
}

static cudaLaunchConfig_t configure(int clusters, int ranks, int threads, size_t bytes,
                                    cudaStream_t stream, cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t out = {};
    *attribute = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = (unsigned)ranks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    out.gridDim = dim3((unsigned)(clusters * ranks));
    out.blockDim = dim3((unsigned)threads);
    out.dynamicSmemBytes = bytes;
    out.stream = stream;
    out.attrs = attribute;
    out.numAttrs = 1;
    return out;
}

nb_status pcr_cluster_fits(const void *kernel, int ranks, int threads, size_t bytes, bool *fits,
                           nb_error *error)
{
    int device = 0, clusters = 0, active = 0;
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = configure(1, ranks, threads, bytes, nullptr, &attribute);
    *fits = false;
    cudaError_t answer = cudaGetDevice(&device);
    if (answer == cudaSuccess)
        answer = cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
    if (answer == cudaSuccess && !clusters)
        return NB_OK;
    if (answer == cudaSuccess && ranks > 8)
        answer = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (answer == cudaSuccess)
        answer = cudaOccupancyMaxActiveClusters(&active, kernel, &config);
    if (answer == cudaErrorInvalidClusterSize || answer == cudaErrorInvalidConfiguration ||
        answer == cudaErrorInvalidValue) {
        cudaGetLastError(); // this device has no clusters of that size
        return NB_OK;
    }
    *fits = active > 0;
    return nb_cuda_status(answer, "asking for clusters", error);
}

cudaError_t pcr_launch_clusters(const void *kernel, int clusters, int ranks, int threads, size_t bytes,
                                cudaStream_t stream, void **arguments)
{
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config =
        configure(clusters, ranks, threads, bytes, stream, &attribute);
    return cudaLaunchKernelExC(&config, kernel, arguments);
}
