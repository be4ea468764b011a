// CUDA errors as values: what failed, and which of our statuses that is.
#ifndef NB_CUDA_CHECK_CUH
#define NB_CUDA_CHECK_CUH

#include <cuda_runtime.h>

extern "C" {
#include "problems/base/status.h"
}

// NB_OK, or the status and a message for what CUDA answered to `action`. It is told so, and not to a later
// cudaGetLastError, too.
nb_status nb_cuda_status(cudaError_t answer, const char *action, nb_error *error);

#endif
