// What a user writes first, and what Macklin et al. (2019) had: cuSPARSE for the product, cuBLAS for the
// vectors, and every inner product awaited by the host. Where A is not assembled it is three matrices: L J,
// H^-1 (L J)^T and C; and the inverted 3x3 blocks of block Jacobi are one more. The methods are in pcr_library.cu and
// pcg_library.cu.
#ifndef NB_CUDA_LIBRARY_CUH
#define NB_CUDA_LIBRARY_CUH

#include <climits>

#include "solvers/cuda/pcr_host.cuh"
#include "solvers/cuda/sparse.cuh"

template <class T> class pcr_library : public pcr_host<T> {
public:
    ~pcr_library() override
    {
        if (all) {
            for (cusparseDnVecDescr_t one : described)
                all->cusparseDestroyDnVec(one);
            if (sparse)
                all->cusparseDestroy(sparse);
            if (blas)
                all->cublasDestroy_v2(blas);
        }
    }

protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        if (pattern.storage)
            return nb_fail(error, NB_UNSUPPORTED,
                           "cuSPARSE multiplies no matrix of 16 bits with vectors of 32 or 64");
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
        const int64_t n = (int64_t)this->size();
        pcr_system<T> &s = this->system;
        cudaError_t answer = nb_cuda_answer(all->cublasSetStream_v2(blas, this->stream));
        answer = answer ? answer : nb_cuda_answer(all->cusparseSetStream(sparse, this->stream));
        T *const data[] = {s.x, s.r, s.z, s.p, s.q, s.w};
        vector *const vectors[] = {&x, &r, &z, &p, &q, &w};
        for (int k = 0; k < 6; ++k)
            answer = answer ? answer : describe(*vectors[k], n, data[k]);
        if (s.factored) {
            answer = answer ? answer : describe(v, 3 * (int64_t)s.factors.nodes, s.factors.velocity);
            answer = answer ? answer : response.prepare(sparse, z.as, v.as);
            answer = answer ? answer : compliance.prepare(sparse, z.as, w.as);
        }
        if (s.wide)
            answer = answer ? answer : inverse.prepare(sparse, r.as, z.as);
        answer = answer ? answer : matrix.prepare(sparse, s.factored ? v.as : z.as, w.as);
        return nb_cuda_status(answer, "preparing cuSPARSE", error);
    }

    cudaError_t set_values(const nb_cuda_values &values) override
    {
        const T *given = (const T *)values.value, *mass = (const T *)values.inverse_mass;
        cudaError_t answer = matrix.set(given, this->stream);
        if (this->system.wide)
            answer = answer ? answer : inverse.set((const T *)values.inverse, this->stream);
        if (!this->system.factored)
            return answer;
        for (size_t node = 0; node + 1 < node_start.size(); ++node)
            for (int m = node_start[node]; m < node_start[node + 1]; ++m)
                respond(mass + 9 * node, given + 9 * (size_t)node_entry[(size_t)m],
                        host.data() + 9 * (size_t)m);
        answer = answer ? answer : response.set(host.data(), this->stream);
        return answer ? answer : compliance.set((const T *)values.compliance, this->stream);
    }

    cudaError_t run(bool begins, int count) override
    {
        cudaError_t answer = begins ? begin() : cudaSuccess;
        if (begins && answer == cudaSuccess && !this->state->after_iteration)
            answer = start();
        for (; answer == cudaSuccess && count > 0 && !this->state->after_iteration; --count)
            answer = iterate();
        return answer;
    }

    // The scalars are the host's.
    cudaError_t fetch() override { return cudaStreamSynchronize(this->stream); }

    // What the method begins with, r and z = P^-1 r being known, and an iteration of it, which sets the verdict.
    virtual cudaError_t start() = 0;
    virtual cudaError_t iterate() = 0;

    struct vector {
        T *data;
        cusparseDnVecDescr_t as;
    };

    // The destructor takes the description back.
    cudaError_t describe(vector &out, int64_t size, T *data)
    {
        out.data = data;
        described.reserve(described.size() + 1); // what is described is in the list, whatever happens
        const cudaError_t answer =
            nb_cuda_answer(all->cusparseCreateDnVec(&out.as, size, data, nb_cuda_blas<T>::type));
        if (answer == cudaSuccess)
            described.push_back(out.as);
        return answer;
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

    // to = factor A from + old to
    cudaError_t product(const vector &from, const vector &to, T factor, T old)
    {
        if (!this->system.factored)
            return matrix.multiply(sparse, factor, from.as, old, to.as);
        cudaError_t answer = response.multiply(sparse, T(1), from.as, T(0), v.as);
        answer = answer ? answer : matrix.multiply(sparse, factor, v.as, old, to.as);
        return answer ? answer : compliance.multiply(sparse, factor, from.as, T(1), to.as);
    }

    const nb_cuda_libraries *all = nullptr;
    cublasHandle_t blas = nullptr;
    vector x = {}, r = {}, z = {}, p = {}, q = {}, w = {};

private:
    cudaError_t copy_pattern(const nb_cuda_pattern &pattern)
    {
        const int columns = pattern.nodes ? pattern.nodes : pattern.rows;
        std::vector<int> own((size_t)pattern.rows + 1); // of a block diagonal: starts and columns
        for (size_t k = 0; k < own.size(); ++k)
            own[k] = (int)k;
        cudaError_t answer = matrix.create(*all, pattern.rows, columns, pattern.start, pattern.column);
        if (pattern.wide)
            answer = answer ? answer : inverse.create(*all, pattern.rows, pattern.rows, own.data(), own.data());
        return answer || !pattern.nodes ? answer : copy_factors(pattern, own);
    }

    cudaError_t copy_factors(const nb_cuda_pattern &pattern, const std::vector<int> &own)
    {
        node_start.assign(pattern.node_start, pattern.node_start + pattern.nodes + 1);
        node_entry.assign(pattern.node_entry, pattern.node_entry + this->entries);
        host.resize(9 * this->entries);
        const cudaError_t answer =
            response.create(*all, pattern.nodes, pattern.rows, pattern.node_start, pattern.node_row);
        return answer ? answer
                      : compliance.create(*all, pattern.rows, pattern.rows, own.data(), own.data());
    }

    // out = mass block^T
    static void respond(const T *mass, const T *block, T *out)
    {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                out[3 * i + j] = mass[3 * i] * block[3 * j] + mass[3 * i + 1] * block[3 * j + 1] +
                                 mass[3 * i + 2] * block[3 * j + 2];
    }

    // r, ||b|| and ||r||; z where that is not the end.
    cudaError_t begin()
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*all);
        const int n = (int)this->size();
        cublasStatus_t answer = call.norm(blas, n, s.b, 1, &now.right_side);
        answer = answer ? answer : call.copy(blas, n, s.b, 1, s.r, 1);
        if (answer)
            return nb_cuda_answer(answer);
        const cudaError_t error = product(x, r, T(-1), T(1));
        if (error != cudaSuccess)
            return error;
        answer = call.norm(blas, n, s.r, 1, &now.residual);
        if (answer || (now.after_iteration = pcr_decide(now)))
            return nb_cuda_answer(answer);
        return precondition(r, z);
    }

    cusparseHandle_t sparse = nullptr;
    nb_cuda_sparse<T> matrix, response, compliance; // A or L J; H^-1 (L J)^T; C
    nb_cuda_sparse<T> inverse;                      // P^-1, where it has 3x3 blocks
    vector v = {};
    std::vector<cusparseDnVecDescr_t> described;
    std::vector<int> node_start, node_entry;
    std::vector<T> host; // blocks of the response
};

#endif
