// A matrix of 3x3 blocks as cuSPARSE's generic interface takes it: scalar rows, in an algorithm that adds in
// the same order each time.
#ifndef NB_CUDA_CSR_MATRIX_CUH
#define NB_CUDA_CSR_MATRIX_CUH

#include <new>
#include <vector>

#include "solvers/cuda/library_errors.cuh"

template <class T> class csr_matrix {
public:
    ~csr_matrix()
    {
        if (matrix)
            all->cusparseDestroySpMat(matrix);
        for (void *one : {(void *)rows, (void *)columns, (void *)values, workspace})
            cudaFree(one);
    }

    // The pattern in blocks; at most INT_MAX scalars. Throws std::bad_alloc.
    cudaError_t create(const nb_cuda_libraries &libraries, int block_rows, const int *given_start,
                       const int *given_column)
    {
        all = &libraries;
        start.assign(given_start, given_start + block_rows + 1);
        const size_t entries = 9 * (size_t)start.back();
        host.assign(entries, T(0));
        std::vector<int> wide, column;
        wide.reserve(3 * (size_t)block_rows + 1);
        column.reserve(entries);
        for (int row = 0; row < block_rows; ++row)
            for (int i = 0; i < 3; ++i) {
                wide.push_back((int)column.size());
                for (int k = start[row]; k < start[row + 1]; ++k)
                    for (int j = 0; j < 3; ++j)
                        column.push_back(3 * given_column[k] + j);
            }
        wide.push_back((int)column.size());
        cudaError_t answer = upload(&rows, wide);
        if (answer == cudaSuccess)
            answer = upload(&columns, column);
        if (answer == cudaSuccess)
            answer = cudaMalloc((void **)&values, (entries + 1) * sizeof(T));
        if (answer == cudaSuccess)
            answer = nb_cuda_answer(all->cusparseCreateCsr(
                &matrix, 3 * (int64_t)block_rows, 3 * (int64_t)block_rows, (int64_t)entries, rows, columns,
                values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                type));
        return answer;
    }

    // Room for products from x to y.
    cudaError_t prepare(cusparseHandle_t handle, cusparseDnVecDescr_t x, cusparseDnVecDescr_t y)
    {
        const T one = 1;
        size_t bytes = 0;
        const cudaError_t answer = nb_cuda_answer(all->cusparseSpMV_bufferSize(
            handle, as_is, &one, matrix, x, &one, y, type, algorithm, &bytes));
        return answer == cudaSuccess ? cudaMalloc(&workspace, bytes + 1) : answer;
    }

    // Row-major blocks: each row's, one scalar row after the other.
    cudaError_t set(const T *value, cudaStream_t stream)
    {
        T *to = host.data();
        for (size_t row = 0; row + 1 < start.size(); ++row)
            for (int i = 0; i < 3; ++i)
                for (int k = start[row]; k < start[row + 1]; ++k)
                    for (int j = 0; j < 3; ++j)
                        *to++ = value[9 * (size_t)k + 3 * i + j];
        return cudaMemcpyAsync(values, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice,
                               stream);
    }

    // y = factor M x + old y
    cudaError_t multiply(cusparseHandle_t handle, T factor, cusparseDnVecDescr_t x, T old,
                         cusparseDnVecDescr_t y) const
    {
        return nb_cuda_answer(all->cusparseSpMV(handle, as_is, &factor, matrix, x, &old, y, type,
                                                algorithm, workspace));
    }

private:
    static constexpr cudaDataType type = nb_cuda_blas<T>::type;
    static constexpr cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_CSR_ALG2; // same bits each run

    static cudaError_t upload(int **to, const std::vector<int> &from)
    {
        const cudaError_t answer = cudaMalloc((void **)to, (from.size() + 1) * sizeof(int));
        return answer != cudaSuccess ? answer
                                     : cudaMemcpy(*to, from.data(), from.size() * sizeof(int),
                                                  cudaMemcpyHostToDevice);
    }

    const nb_cuda_libraries *all = nullptr;
    cusparseSpMatDescr_t matrix = nullptr;
    std::vector<int> start; // of the block rows
    std::vector<T> host;    // values as scalar rows
    int *rows = nullptr, *columns = nullptr;
    T *values = nullptr;
    void *workspace = nullptr;
};

#endif
