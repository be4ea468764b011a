// Launching clusters of blocks.
#ifndef NB_CUDA_CLUSTER_HOST_CUH
#define NB_CUDA_CLUSTER_HOST_CUH

#include "solvers/cuda/check.cuh"

extern "C" {
#include "solvers/cuda/pcr.h"
}

// The sizes of clusters to try for a place, least first, ended by 0; none for a place without clusters.
const int *pcr_cluster_sizes(nb_cuda_place place);

// "in a cluster of 8 blocks"; static storage.
const char *pcr_cluster_name(int ranks);

// Shared memory that a block can get beside the kernel's own [bytes]; tells CUDA that it will ask for it.
nb_status pcr_ask_memory(const void *kernel, size_t *bytes, nb_error *error);

// Can a cluster of so many blocks with so much shared memory each run here? The memory was asked for.
nb_status pcr_cluster_fits(const void *kernel, int ranks, int threads, size_t bytes, bool *fits,
                           nb_error *error);

// `clusters` of them; arguments: addresses of the kernel's arguments.
cudaError_t pcr_launch_clusters(const void *kernel, int clusters, int ranks, int threads, size_t bytes,
                                cudaStream_t stream, void **arguments);

#endif
