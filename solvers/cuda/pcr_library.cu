// What a user writes first, and what Macklin et al. (2019) had: cuSPARSE for the product, cuBLAS for the
// vectors, and every inner product awaited by the host. The blocks are handed over as scalar rows, as the
// generic interface's deterministic algorithm wants them.
#include <climits>
#include <new>
#include <vector>

#include "solvers/cuda/libraries.cuh"
#include "solvers/cuda/pcr_host.cuh"

namespace {

// Both libraries' answers as the runtime's, so that one kind of value goes up.
cudaError_t as_cuda(cublasStatus_t answer)
{
    if (answer == CUBLAS_STATUS_SUCCESS)
        return cudaSuccess;
    return answer == CUBLAS_STATUS_ALLOC_FAILED ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}
cudaError_t as_cuda(cusparseStatus_t answer)
{
    if (answer == CUSPARSE_STATUS_SUCCESS)
        return cudaSuccess;
    return answer == CUSPARSE_STATUS_ALLOC_FAILED ||
                   answer == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
               ? cudaErrorMemoryAllocation
               : cudaErrorUnknown;
}

template <class T> class library : public pcr_host<T> {
public:
    ~library() override
    {
        if (all) {
            for (cusparseDnVecDescr_t vector : {x, r, z, w})
                if (vector)
                    all->cusparseDestroyDnVec(vector);
            if (matrix)
                all->cusparseDestroySpMat(matrix);
            if (sparse)
                all->cusparseDestroy(sparse);
            if (blas)
                all->cublasDestroy_v2(blas);
        }
        cudaFree(workspace);
        cudaFree(rows);
        cudaFree(columns);
        cudaFree(values);
        cudaFree(y);
    }

protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        if (pattern.wide || pattern.storage)
            return nb_fail(error, NB_UNSUPPORTED,
                           "cuda_pcr_library has the diagonal preconditioner and one type only");
        if (9 * this->entries > INT_MAX)
            return nb_fail(error, NB_UNSUPPORTED, "more than %d entries", INT_MAX);
        nb_status status = nb_cuda_open_libraries(&all, error);
        if (!status)
            status = nb_cuda_status(copy_rows(pattern), "copying the pattern", error);
        if (!status)
            status = nb_cuda_status(as_cuda(all->cublasCreate_v2(&blas)), "starting cuBLAS", error);
        if (!status)
            status = nb_cuda_status(as_cuda(all->cusparseCreate(&sparse)), "starting cuSPARSE",
                                    error);
        return status;
    }

    nb_status prepare(nb_error *error) override
    {
        cudaError_t answer = as_cuda(all->cublasSetStream_v2(blas, this->stream));
        if (answer == cudaSuccess)
            answer = as_cuda(all->cusparseSetStream(sparse, this->stream));
        if (answer == cudaSuccess)
            answer = as_cuda(all->cusparseCreateCsr(
                &matrix, (int64_t)this->size(), (int64_t)this->size(), 9 * (int64_t)this->entries,
                rows, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                CUSPARSE_INDEX_BASE_ZERO, type));
        T *const data[] = {this->system.x, this->system.r, this->system.z, this->system.w};
        cusparseDnVecDescr_t *const vectors[] = {&x, &r, &z, &w};
        for (int k = 0; k < 4 && answer == cudaSuccess; ++k)
            answer = as_cuda(
                all->cusparseCreateDnVec(vectors[k], (int64_t)this->size(), data[k], type));
        size_t bytes = 0;
        if (answer == cudaSuccess)
            answer = as_cuda(all->cusparseSpMV_bufferSize(sparse, as_is, &one, matrix, z, &none, w,
                                                          type, algorithm, &bytes));
        if (answer == cudaSuccess)
            answer = cudaMalloc(&workspace, bytes + 1);
        return nb_cuda_status(answer, "preparing cuSPARSE", error);
    }

    // Each row's blocks, one scalar row after the other.
    cudaError_t set_values(const void *given) override
    {
        const T *value = (const T *)given;
        T *to = host.data();
        for (size_t row = 0; row + 1 < start.size(); ++row)
            for (int i = 0; i < 3; ++i)
                for (int k = start[row]; k < start[row + 1]; ++k)
                    for (int j = 0; j < 3; ++j)
                        *to++ = value[9 * (size_t)k + 3 * i + j];
        return cudaMemcpyAsync(values, host.data(), host.size() * sizeof(T),
                               cudaMemcpyHostToDevice, this->stream);
    }

    cudaError_t run(bool begins, int count) override
    {
        cudaError_t answer = begins ? begin() : cudaSuccess;
        for (; answer == cudaSuccess && count > 0 && !this->state->after_iteration; --count)
            answer = iterate();
        return answer;
    }

    // The scalars are the host's.
    cudaError_t fetch() override { return cudaStreamSynchronize(this->stream); }

private:
    static constexpr cudaDataType type = nb_cuda_blas<T>::type;
    static constexpr cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_CSR_ALG2; // same bits each run

    cudaError_t copy_rows(const nb_cuda_pattern &pattern)
    {
        std::vector<int> wide, column;
        try {
            start.assign(pattern.start, pattern.start + pattern.rows + 1);
            host.assign(9 * this->entries, T(0));
            wide.reserve(this->size() + 1);
            column.reserve(9 * this->entries);
        } catch (const std::bad_alloc &) {
            return cudaErrorMemoryAllocation;
        }
        for (int row = 0; row < pattern.rows; ++row)
            for (int i = 0; i < 3; ++i) {
                wide.push_back((int)column.size());
                for (int k = start[row]; k < start[row + 1]; ++k)
                    for (int j = 0; j < 3; ++j)
                        column.push_back(3 * pattern.column[k] + j);
            }
        wide.push_back((int)column.size());
        const size_t n = this->size();
        cudaError_t answer = cudaMalloc((void **)&rows, wide.size() * sizeof(int));
        if (answer == cudaSuccess)
            answer = cudaMalloc((void **)&columns, (column.size() + 1) * sizeof(int));
        if (answer == cudaSuccess)
            answer = cudaMalloc((void **)&values, (column.size() + 1) * sizeof(T));
        if (answer == cudaSuccess)
            answer = cudaMalloc((void **)&y, n * sizeof(T));
        if (answer == cudaSuccess)
            answer = cudaMemcpy(rows, wide.data(), wide.size() * sizeof(int),
                                cudaMemcpyHostToDevice);
        if (answer == cudaSuccess)
            answer = cudaMemcpy(columns, column.data(), column.size() * sizeof(int),
                                cudaMemcpyHostToDevice);
        return answer;
    }

    cudaError_t product(cusparseDnVecDescr_t from, cusparseDnVecDescr_t to, T factor, T old)
    {
        return as_cuda(all->cusparseSpMV(sparse, as_is, &factor, matrix, from, &old, to, type,
                                         algorithm, workspace));
    }

    cudaError_t begin()
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        cublasStatus_t answer = call.norm(blas, n, s.b, 1, &now.right_side);
        answer = answer ? answer : call.copy(blas, n, s.b, 1, s.r, 1);
        if (answer)
            return as_cuda(answer);
        cudaError_t error = product(x, r, T(-1), T(1));
        if (error != cudaSuccess)
            return error;
        answer = call.norm(blas, n, s.r, 1, &now.residual);
        if (answer || (now.after_iteration = pcr_decide(now)))
            return as_cuda(answer);
        answer = call.diagonal(blas, CUBLAS_SIDE_LEFT, n, 1, s.r, n, s.inverse, 1, s.z, n);
        if (answer)
            return as_cuda(answer);
        if ((error = product(z, w, T(1), T(0))) != cudaSuccess)
            return error;
        answer = call.copy(blas, n, s.z, 1, s.p, 1);
        answer = answer ? answer : call.copy(blas, n, s.w, 1, s.q, 1);
        return as_cuda(answer ? answer : call.dot(blas, n, s.z, 1, s.w, 1, &now.rho));
    }

    // The first half: alpha, and x, r, z one step on. Sets the verdict.
    cudaError_t step()
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        T gamma = 0;
        cublasStatus_t answer =
            call.diagonal(blas, CUBLAS_SIDE_LEFT, n, 1, s.q, n, s.inverse, 1, y, n);
        answer = answer ? answer : call.dot(blas, n, s.q, 1, y, 1, &gamma);
        if (answer || (now.after_iteration = pcr_scalars(now, now.rho, gamma)))
            return as_cuda(answer);
        const T alpha = now.rho / gamma, back = -alpha;
        answer = call.axpy(blas, n, &alpha, s.p, 1, s.x, 1);
        answer = answer ? answer : call.axpy(blas, n, &back, s.q, 1, s.r, 1);
        answer = answer ? answer : call.axpy(blas, n, &back, y, 1, s.z, 1);
        answer = answer ? answer : call.norm(blas, n, s.r, 1, &now.residual);
        if (answer)
            return as_cuda(answer);
        now.iteration++;
        now.after_iteration = pcr_decide(now);
        return cudaSuccess;
    }

    cudaError_t iterate()
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        T next = 0;
        cudaError_t error = step();
        if (error != cudaSuccess || now.after_iteration)
            return error;
        if ((error = product(z, w, T(1), T(0))) != cudaSuccess)
            return error;
        cublasStatus_t answer = call.dot(blas, n, s.z, 1, s.w, 1, &next);
        const T beta = next / now.rho, unit = 1;
        now.rho = next;
        answer = answer ? answer : call.scale(blas, n, &beta, s.p, 1);
        answer = answer ? answer : call.axpy(blas, n, &unit, s.z, 1, s.p, 1);
        answer = answer ? answer : call.scale(blas, n, &beta, s.q, 1);
        return as_cuda(answer ? answer : call.axpy(blas, n, &unit, s.w, 1, s.q, 1));
    }

    const nb_cuda_libraries *all = nullptr;
    cublasHandle_t blas = nullptr;
    cusparseHandle_t sparse = nullptr;
    cusparseSpMatDescr_t matrix = nullptr;
    cusparseDnVecDescr_t x = nullptr, r = nullptr, z = nullptr, w = nullptr;
    const T one = 1, none = 0;
    std::vector<int> start;  // of the block rows
    std::vector<T> host;     // values as scalar rows
    int *rows = nullptr, *columns = nullptr;
    T *values = nullptr, *y = nullptr;
    void *workspace = nullptr;
};

} // namespace

template <> nb_cuda_pcr *pcr_new_library<float>()
{
    return new (std::nothrow) library<float>;
}
template <> nb_cuda_pcr *pcr_new_library<double>()
{
    return new (std::nothrow) library<double>;
}
