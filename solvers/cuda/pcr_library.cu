// Conjugate residuals with cuSPARSE and cuBLAS (library.cuh), as solvers/linear/pcr.c.
#include "solvers/cuda/library.cuh"

namespace {

template <class T> class conjugate_residuals : public pcr_library<T> {
public:
    ~conjugate_residuals() override { cudaFree(image.data); }

protected:
    nb_status prepare(nb_error *error) override
    {
        const size_t size = this->size();
        nb_status status = nb_cuda_status(cudaMalloc((void **)&image.data, size * sizeof(T)), "allocating", error);
        if (!status)
            status = pcr_library<T>::prepare(error);
        return status ? status
                      : nb_cuda_status(this->describe(image, (int64_t)size, image.data), "preparing cuSPARSE", error);
    }

    cudaError_t start() override
    {
        pcr_system<T> &s = this->system;
        const nb_cuda_blas<T> call(*this->all);
        const int n = (int)this->size();
        const cudaError_t error = this->product(this->z, this->w, T(1), T(0));
        if (error != cudaSuccess)
            return error;
        cublasStatus_t answer = call.copy(this->blas, n, s.z, 1, s.p, 1);
        answer = answer ? answer : call.copy(this->blas, n, s.w, 1, s.q, 1);
        return nb_cuda_answer(
            answer ? answer : call.dot(this->blas, n, s.z, 1, s.w, 1, &this->state->rho));
    }

    cudaError_t iterate() override
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*this->all);
        const int n = (int)this->size();
        T next = 0;
        cudaError_t error = step();
        if (error != cudaSuccess || now.after_iteration)
            return error;
        if ((error = this->product(this->z, this->w, T(1), T(0))) != cudaSuccess)
            return error;
        cublasStatus_t answer = call.dot(this->blas, n, s.z, 1, s.w, 1, &next);
        const T beta = next / now.rho, unit = 1;
        now.rho = next;
        answer = answer ? answer : call.scale(this->blas, n, &beta, s.p, 1);
        answer = answer ? answer : call.axpy(this->blas, n, &unit, s.z, 1, s.p, 1);
        answer = answer ? answer : call.scale(this->blas, n, &beta, s.q, 1);
        return nb_cuda_answer(answer ? answer : call.axpy(this->blas, n, &unit, s.w, 1, s.q, 1));
    }

private:
    // The first half: alpha, and x, r, z one step on. Sets the verdict.
    cudaError_t step()
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*this->all);
        const int n = (int)this->size();
        T gamma = 0;
        const cudaError_t error = this->precondition(this->q, image);
        if (error != cudaSuccess)
            return error;
        cublasStatus_t answer = call.dot(this->blas, n, s.q, 1, image.data, 1, &gamma);
        if (answer || (now.after_iteration = pcr_scalars(now, now.rho, gamma)))
            return nb_cuda_answer(answer);
        const T alpha = now.rho / gamma, back = -alpha;
        answer = call.axpy(this->blas, n, &alpha, s.p, 1, s.x, 1);
        answer = answer ? answer : call.axpy(this->blas, n, &back, s.q, 1, s.r, 1);
        answer = answer ? answer : call.axpy(this->blas, n, &back, image.data, 1, s.z, 1);
        answer = answer ? answer : call.norm(this->blas, n, s.r, 1, &now.residual);
        if (answer)
            return nb_cuda_answer(answer);
        now.iteration++;
        now.after_iteration = pcr_decide(now);
        return cudaSuccess;
    }

    typename pcr_library<T>::vector image = {}; // P^-1 q
};

} // namespace

template <> nb_cuda_pcr *pcr_new_library<float>()
{
    return new conjugate_residuals<float>;
}
template <> nb_cuda_pcr *pcr_new_library<double>()
{
    return new conjugate_residuals<double>;
}
