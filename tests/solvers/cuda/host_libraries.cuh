// cuBLAS and cuSPARSE by plain loops, beside the runtime of host_runtime.cuh, as far as the `library` way asks for
// them. A function that is asked for what it does not do ends the program.
#ifndef NB_TEST_CUDA_HOST_LIBRARIES_CUH
#define NB_TEST_CUDA_HOST_LIBRARIES_CUH

#include "tests/solvers/cuda/host_runtime.cuh"

#include <cmath>

#include "solvers/cuda/libraries.cuh"

namespace host {

/* --- cuBLAS --- */

template <class H> cublasStatus_t start(H *) { return CUBLAS_STATUS_SUCCESS; }
template <class H> cublasStatus_t end(H) { return CUBLAS_STATUS_SUCCESS; }
template <class H> cublasStatus_t use(H, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }

template <class T>
cublasStatus_t dot(cublasHandle_t, int n, const T *x, int every, const T *y, int each, T *out)
{
    require(every == 1 && each == 1);
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (double)x[i] * y[i];
    *out = (T)sum;
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t axpy(cublasHandle_t, int n, const T *a, const T *x, int every, T *y, int each)
{
    require(every == 1 && each == 1);
    for (int i = 0; i < n; ++i)
        y[i] += *a * x[i];
    return CUBLAS_STATUS_SUCCESS;
}
template <class T> cublasStatus_t scale(cublasHandle_t, int n, const T *a, T *x, int every)
{
    require(every == 1);
    for (int i = 0; i < n; ++i)
        x[i] *= *a;
    return CUBLAS_STATUS_SUCCESS;
}
template <class T> cublasStatus_t copy(cublasHandle_t, int n, const T *x, int every, T *y, int each)
{
    require(every == 1 && each == 1);
    memcpy(y, x, (size_t)n * sizeof(T));
    return CUBLAS_STATUS_SUCCESS;
}
// C = diag(x) A, of one column.
template <class T>
cublasStatus_t diagonal(cublasHandle_t, cublasSideMode_t side, int rows, int columns, const T *a, int high,
                        const T *x, int every, T *c, int long_as)
{
    require(side == CUBLAS_SIDE_LEFT && columns == 1 && every == 1 && high >= rows && long_as >= rows);
    for (int i = 0; i < rows; ++i)
        c[i] = x[i] * a[i];
    return CUBLAS_STATUS_SUCCESS;
}

/* --- cuSPARSE --- */

struct vector {
    int64_t size;
    void *data;
    cudaDataType type;
};
struct matrix {
    int64_t rows, columns;
    const int *start, *column;
    const void *value;
    cudaDataType type;
};

template <class H> cusparseStatus_t start_sparse(H *) { return CUSPARSE_STATUS_SUCCESS; }
template <class H> cusparseStatus_t end_sparse(H) { return CUSPARSE_STATUS_SUCCESS; }
template <class H> cusparseStatus_t use_sparse(H, cudaStream_t) { return CUSPARSE_STATUS_SUCCESS; }

inline cusparseStatus_t create_matrix(cusparseSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t entries,
                                      void *start, void *column, void *value, cusparseIndexType_t starts,
                                      cusparseIndexType_t indices, cusparseIndexBase_t base, cudaDataType type)
{
    require(starts == CUSPARSE_INDEX_32I && indices == CUSPARSE_INDEX_32I && base == CUSPARSE_INDEX_BASE_ZERO);
    require(((const int *)start)[rows] == entries);
    *out = (cusparseSpMatDescr_t) new matrix{rows, columns, (int *)start, (int *)column, value, type};
    ++held;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t destroy_matrix(cusparseConstSpMatDescr_t one)
{
    delete (const matrix *)one;
    --held;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t create_vector(cusparseDnVecDescr_t *out, int64_t size, void *data, cudaDataType type)
{
    *out = (cusparseDnVecDescr_t) new vector{size, data, type};
    ++held;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t destroy_vector(cusparseConstDnVecDescr_t one)
{
    delete (const vector *)one;
    --held;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t size_of_buffer(cusparseHandle_t, cusparseOperation_t, const void *,
                                       cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void *,
                                       cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t *bytes)
{
    *bytes = 0;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class T> void multiply(const matrix &m, T a, const vector &x, T b, const vector &y)
{
    for (int64_t i = 0; i < m.rows; ++i) {
        double sum = 0;
        for (int k = m.start[i]; k < m.start[i + 1]; ++k)
            sum += (double)((const T *)m.value)[k] * ((const T *)x.data)[m.column[k]];
        T &to = ((T *)y.data)[i];
        to = b == 0 ? (T)(a * sum) : (T)(a * sum + b * to);
    }
}
inline cusparseStatus_t product(cusparseHandle_t, cusparseOperation_t as, const void *a,
                                cusparseConstSpMatDescr_t given, cusparseConstDnVecDescr_t from, const void *b,
                                cusparseDnVecDescr_t to, cudaDataType type, cusparseSpMVAlg_t, void *)
{
    const matrix &m = *(const matrix *)given;
    const vector &x = *(const vector *)from, &y = *(const vector *)to;
    require(as == CUSPARSE_OPERATION_NON_TRANSPOSE && x.data != y.data);
    require(x.size == m.columns && y.size == m.rows && m.type == type && x.type == type && y.type == type);
    if (type == CUDA_R_32F)
        multiply<float>(m, *(const float *)a, x, *(const float *)b, y);
    else
        multiply<double>(m, *(const double *)a, x, *(const double *)b, y);
    return CUSPARSE_STATUS_SUCCESS;
}

inline nb_status open_libraries(const nb_cuda_libraries **libraries, nb_error *)
{
    static const nb_cuda_libraries all = {
        start, end, use, dot<float>, dot<double>, axpy<float>, axpy<double>,
        scale<float>, scale<double>, copy<float>, copy<double>, diagonal<float>, diagonal<double>,
        start_sparse, end_sparse, use_sparse, create_matrix, destroy_matrix, create_vector, destroy_vector,
        size_of_buffer, product,
    };
    *libraries = &all;
    return NB_OK;
}

} // namespace host

#define nb_cuda_open_libraries host::open_libraries

#endif
