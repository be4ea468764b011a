// Conjugate residuals as a user writes them first, and as Macklin et al. (2019) had them: cuSPARSE for the product with
// the assembled matrix, cuBLAS for the vectors, and every inner product awaited by the host. The steps are those of
// solvers/linear/pcr.c. The inverted 3x3 blocks of block Jacobi are one more sparse matrix.
#include <climits>

#include "solvers/cuda/csr_matrix.cuh"
#include "solvers/cuda/linear_host.cuh"

namespace {

template <class T> class library : public linear_host<T> {
public:
    ~library() override
    {
        if (all) {
            for (cusparseDnVecDescr_t one : described)
                all->cusparseDestroyDnVec(one);
            if (sparse)
                all->cusparseDestroy(sparse);
            if (blas)
                all->cublasDestroy_v2(blas);
        }
        cudaFree(image.data);
    }

protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        if (pattern.storage)
            return nb_fail(error, NB_UNSUPPORTED,
                           "cuSPARSE multiplies no matrix of 16 bits with vectors of 32 or 64");
        if (pattern.nodes)
            return nb_fail(error, NB_UNSUPPORTED, "by=library takes the matrix: operator assembled");
        if (9 * this->entries > INT_MAX)
            return nb_fail(error, NB_UNSUPPORTED, "more than %d entries", INT_MAX);
        nb_status status = nb_cuda_open_libraries(&all, error);
        if (!status)
            status = nb_cuda_status(nb_cuda_answer(all->cublasCreate_v2(&blas)), "starting cuBLAS",
                                    error);
        if (!status)
            status = nb_cuda_status(nb_cuda_answer(all->cusparseCreate(&sparse)),
                                    "starting cuSPARSE", error);
        return status ? status : nb_cuda_status(copy_pattern(pattern), "copying the pattern", error);
    }

    nb_status prepare(nb_error *error) override
    {
        linear_system<T> &s = this->system;
        T *own = nullptr;
        cudaError_t answer = cudaMalloc((void **)&own, this->size() * sizeof(T));
        answer = answer ? answer : nb_cuda_answer(all->cublasSetStream_v2(blas, this->stream));
        answer = answer ? answer : nb_cuda_answer(all->cusparseSetStream(sparse, this->stream));
        T *const data[] = {own, s.x, s.r, s.z, s.p, s.q, s.w};
        vector *const vectors[] = {&image, &x, &r, &z, &p, &q, &w};
        for (int k = 0; k < 7; ++k)
            answer = describe(*vectors[k], data[k], answer);
        answer = answer ? answer : matrix.prepare(sparse, z.as, w.as);
        if (s.wide)
            answer = answer ? answer : inverse.prepare(sparse, r.as, z.as);
        return nb_cuda_status(answer, "preparing cuSPARSE", error);
    }

    cudaError_t set_values(const nb_cuda_values &values) override
    {
        const cudaError_t answer = matrix.set((const T *)values.value, this->stream);
        return answer || !this->system.wide ? answer : inverse.set((const T *)values.inverse, this->stream);
    }

    cudaError_t run(bool begins, int count, bool) override
    {
        cudaError_t answer = begins ? begin() : cudaSuccess;
        for (; answer == cudaSuccess && count > 0 && !this->state->after_iteration; --count)
            answer = iterate_once();
        return answer;
    }

    // The scalars are the host's.
    cudaError_t fetch() override { return cudaStreamSynchronize(this->stream); }

private:
    struct vector {
        T *data;
        cusparseDnVecDescr_t as;
    };

    // The destructor takes the description back. Nothing after what failed.
    cudaError_t describe(vector &out, T *data, cudaError_t failed)
    {
        out.data = data;
        if (failed)
            return failed;
        described.reserve(described.size() + 1); // what is described is in the list, whatever happens
        const cudaError_t answer = nb_cuda_answer(
            all->cusparseCreateDnVec(&out.as, (int64_t)this->size(), data, nb_cuda_blas<T>::type));
        if (answer == cudaSuccess)
            described.push_back(out.as);
        return answer;
    }

    cudaError_t copy_pattern(const nb_cuda_pattern &pattern)
    {
        std::vector<int> own((size_t)pattern.rows + 1); // of a block diagonal: starts and columns
        for (size_t k = 0; k < own.size(); ++k)
            own[k] = (int)k;
        const cudaError_t answer = matrix.create(*all, pattern.rows, pattern.start, pattern.column);
        return answer || !pattern.wide ? answer : inverse.create(*all, pattern.rows, own.data(), own.data());
    }

    // to = P^-1 from
    cudaError_t precondition(const vector &from, const vector &to)
    {
        const int n = (int)this->size();
        if (this->system.wide)
            return inverse.multiply(sparse, T(1), from.as, T(0), to.as);
        return nb_cuda_answer(nb_cuda_blas<T>(*all).diagonal(blas, CUBLAS_SIDE_LEFT, n, 1, from.data, n,
                                                             this->system.inverse, 1, to.data, n));
    }

    // sqrt(v^T D^-1 v), D = diag A; image is overwritten.
    cublasStatus_t residual_norm(const T *v, T *out)
    {
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        T square = 0;
        cublasStatus_t answer =
            call.diagonal(blas, CUBLAS_SIDE_LEFT, n, 1, v, n, this->system.weight, 1, image.data, n);
        answer = answer ? answer : call.dot(blas, n, v, 1, image.data, 1, &square);
        *out = sqrt(square);
        return answer;
    }

    // r, ||b|| and ||r||; where that is not the end z, w = A z, p, q and rho.
    cudaError_t begin()
    {
        linear_system<T> &s = this->system;
        solve_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        cublasStatus_t answer = residual_norm(s.b, &now.right_side);
        answer = answer ? answer : call.copy(blas, n, s.b, 1, s.r, 1);
        if (answer)
            return nb_cuda_answer(answer);
        cudaError_t error = matrix.multiply(sparse, T(-1), x.as, T(1), r.as);
        if (error != cudaSuccess)
            return error;
        answer = residual_norm(s.r, &now.residual);
        if (answer || (now.after_iteration = judge_residual(now)))
            return nb_cuda_answer(answer);
        error = precondition(r, z);
        if (error == cudaSuccess)
            error = matrix.multiply(sparse, T(1), z.as, T(0), w.as);
        if (error != cudaSuccess)
            return error;
        answer = call.copy(blas, n, s.z, 1, s.p, 1);
        answer = answer ? answer : call.copy(blas, n, s.w, 1, s.q, 1);
        return nb_cuda_answer(answer ? answer : call.dot(blas, n, s.z, 1, s.w, 1, &now.rho));
    }

    // Sets the verdict.
    cudaError_t iterate_once()
    {
        const cudaError_t error = step();
        return error != cudaSuccess || this->state->after_iteration ? error : new_direction();
    }

    // alpha, and x, r, z one step on.
    cudaError_t step()
    {
        linear_system<T> &s = this->system;
        solve_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        T gamma = 0;
        const cudaError_t error = precondition(q, image);
        if (error != cudaSuccess)
            return error;
        cublasStatus_t answer = call.dot(blas, n, s.q, 1, image.data, 1, &gamma);
        if (answer || (now.after_iteration = judge_pcr_divisors(now, now.rho, gamma)))
            return nb_cuda_answer(answer);
        const T alpha = now.rho / gamma, back = -alpha;
        answer = call.axpy(blas, n, &alpha, s.p, 1, s.x, 1);
        answer = answer ? answer : call.axpy(blas, n, &back, s.q, 1, s.r, 1);
        answer = answer ? answer : call.axpy(blas, n, &back, image.data, 1, s.z, 1);
        answer = answer ? answer : residual_norm(s.r, &now.residual);
        if (answer)
            return nb_cuda_answer(answer);
        now.iteration++;
        now.after_iteration = judge_residual(now);
        return cudaSuccess;
    }

    // w = A z, rho, and p and q by beta.
    cudaError_t new_direction()
    {
        linear_system<T> &s = this->system;
        solve_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        T next = 0;
        const cudaError_t error = matrix.multiply(sparse, T(1), z.as, T(0), w.as);
        if (error != cudaSuccess)
            return error;
        cublasStatus_t answer = call.dot(blas, n, s.z, 1, s.w, 1, &next);
        const T beta = next / now.rho, unit = 1;
        now.rho = next;
        answer = answer ? answer : call.scale(blas, n, &beta, s.p, 1);
        answer = answer ? answer : call.axpy(blas, n, &unit, s.z, 1, s.p, 1);
        answer = answer ? answer : call.scale(blas, n, &beta, s.q, 1);
        return nb_cuda_answer(answer ? answer : call.axpy(blas, n, &unit, s.w, 1, s.q, 1));
    }

    const nb_cuda_libraries *all = nullptr;
    cublasHandle_t blas = nullptr;
    cusparseHandle_t sparse = nullptr;
    csr_matrix<T> matrix, inverse; // A; P^-1, where it has 3x3 blocks
    vector image = {}, x = {}, r = {}, z = {}, p = {}, q = {}, w = {}; // image: P^-1 q
    std::vector<cusparseDnVecDescr_t> described;
};

} // namespace

template <class T> nb_cuda_linear *new_library()
{
    return new library<T>;
}
template nb_cuda_linear *new_library<float>();
template nb_cuda_linear *new_library<double>();
