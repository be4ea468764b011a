// What cuBLAS and cuSPARSE answer, as the runtime's errors, so that lack of memory is told from the rest
// and a message says more than that something is unknown.
#ifndef NB_CUDA_LIBRARY_ERRORS_CUH
#define NB_CUDA_LIBRARY_ERRORS_CUH

#include "solvers/cuda/libraries.cuh"

inline cudaError_t nb_cuda_answer(cublasStatus_t answer)
{
    switch (answer) {
    case CUBLAS_STATUS_SUCCESS: return cudaSuccess;
    case CUBLAS_STATUS_ALLOC_FAILED: return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_INVALID_VALUE: return cudaErrorInvalidValue;
    case CUBLAS_STATUS_EXECUTION_FAILED: return cudaErrorLaunchFailure;
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED: return cudaErrorNotSupported;
    default: return cudaErrorUnknown;
    }
}

inline cudaError_t nb_cuda_answer(cusparseStatus_t answer)
{
    switch (answer) {
    case CUSPARSE_STATUS_SUCCESS: return cudaSuccess;
    case CUSPARSE_STATUS_ALLOC_FAILED:
    case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES: return cudaErrorMemoryAllocation;
    case CUSPARSE_STATUS_INVALID_VALUE: return cudaErrorInvalidValue;
    case CUSPARSE_STATUS_EXECUTION_FAILED: return cudaErrorLaunchFailure;
    case CUSPARSE_STATUS_ARCH_MISMATCH:
    case CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
    case CUSPARSE_STATUS_NOT_SUPPORTED: return cudaErrorNotSupported;
    default: return cudaErrorUnknown;
    }
}

#endif
