// cuBLAS and cuSPARSE, opened when first asked for: linked in, they would cost every start of the
// program 0.09 s and a gigabyte of address space, with or without a device.
#ifndef NB_CUDA_LIBRARIES_CUH
#define NB_CUDA_LIBRARIES_CUH

#include <cublas_v2.h>
#include <cusparse.h>

extern "C" {
#include "problems/base/status.h"
}

#define NB_CUDA_FUNCTIONS(BLAS, SPARSE)                                                         \
    BLAS(cublasCreate_v2) BLAS(cublasDestroy_v2) BLAS(cublasSetStream_v2)                       \
    BLAS(cublasSdot_v2) BLAS(cublasDdot_v2)                                                     \
    BLAS(cublasSaxpy_v2) BLAS(cublasDaxpy_v2) BLAS(cublasSscal_v2) BLAS(cublasDscal_v2)         \
    BLAS(cublasScopy_v2) BLAS(cublasDcopy_v2) BLAS(cublasSdgmm) BLAS(cublasDdgmm)               \
    SPARSE(cusparseCreate) SPARSE(cusparseDestroy) SPARSE(cusparseSetStream)                    \
    SPARSE(cusparseCreateCsr) SPARSE(cusparseDestroySpMat) SPARSE(cusparseCreateDnVec)          \
    SPARSE(cusparseDestroyDnVec) SPARSE(cusparseSpMV_bufferSize) SPARSE(cusparseSpMV)

struct nb_cuda_libraries {
#define NB_CUDA_MEMBER(name) decltype(&::name) name;
    NB_CUDA_FUNCTIONS(NB_CUDA_MEMBER, NB_CUDA_MEMBER)
#undef NB_CUDA_MEMBER
};

// Opened once and kept until the program ends. NB_UNSUPPORTED where a library or function is missing.
nb_status nb_cuda_open_libraries(const nb_cuda_libraries **libraries, nb_error *error);

// cuBLAS's functions by type.
template <class T> struct nb_cuda_blas;
template <> struct nb_cuda_blas<float> {
    explicit nb_cuda_blas(const nb_cuda_libraries &all)
        : dot(all.cublasSdot_v2), axpy(all.cublasSaxpy_v2),
          scale(all.cublasSscal_v2), copy(all.cublasScopy_v2), diagonal(all.cublasSdgmm)
    {
    }
    static constexpr cudaDataType type = CUDA_R_32F;
    decltype(&cublasSdot_v2) dot;
    decltype(&cublasSaxpy_v2) axpy;
    decltype(&cublasSscal_v2) scale;
    decltype(&cublasScopy_v2) copy;
    decltype(&cublasSdgmm) diagonal;
};
template <> struct nb_cuda_blas<double> {
    explicit nb_cuda_blas(const nb_cuda_libraries &all)
        : dot(all.cublasDdot_v2), axpy(all.cublasDaxpy_v2),
          scale(all.cublasDscal_v2), copy(all.cublasDcopy_v2), diagonal(all.cublasDdgmm)
    {
    }
    static constexpr cudaDataType type = CUDA_R_64F;
    decltype(&cublasDdot_v2) dot;
    decltype(&cublasDaxpy_v2) axpy;
    decltype(&cublasDscal_v2) scale;
    decltype(&cublasDcopy_v2) copy;
    decltype(&cublasDdgmm) diagonal;
};

#endif
