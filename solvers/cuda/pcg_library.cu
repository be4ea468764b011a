// Conjugate gradients with cuSPARSE and cuBLAS (library.cuh), as solvers/linear/pcg.c, but that after a
// breakdown x is the last iterate, not the best.
#include "solvers/cuda/library.cuh"

namespace {

template <class T> class conjugate_gradients : public pcr_library<T> {
protected:
    cudaError_t start() override
    {
        pcr_system<T> &s = this->system;
        const nb_cuda_blas<T> call(*this->all);
        const int n = (int)this->size();
        const cublasStatus_t answer = call.copy(this->blas, n, s.z, 1, s.p, 1);
        return nb_cuda_answer(
            answer ? answer : call.dot(this->blas, n, s.r, 1, s.z, 1, &this->state->rho));
    }

    cudaError_t iterate() override
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*this->all);
        const int n = (int)this->size();
        cudaError_t error = step();
        if (error != cudaSuccess || now.after_iteration)
            return error;
        if ((error = this->precondition(this->r, this->z)) != cudaSuccess)
            return error;
        T next = 0;
        cublasStatus_t answer = call.dot(this->blas, n, s.r, 1, s.z, 1, &next);
        const T beta = next / now.rho, unit = 1;
        now.rho = next;
        answer = answer ? answer : call.scale(this->blas, n, &beta, s.p, 1);
        return nb_cuda_answer(answer ? answer : call.axpy(this->blas, n, &unit, s.z, 1, s.p, 1));
    }

private:
    // The first half: w = A p, alpha, and x and r one step on. Sets the verdict.
    cudaError_t step()
    {
        pcr_system<T> &s = this->system;
        pcr_state<T> &now = *this->state;
        const nb_cuda_blas<T> call(*this->all);
        const int n = (int)this->size();
        T gamma = 0;
        const cudaError_t error = this->product(this->p, this->w, T(1), T(0));
        if (error != cudaSuccess)
            return error;
        cublasStatus_t answer = call.dot(this->blas, n, s.p, 1, s.w, 1, &gamma);
        now.after_iteration = pcr_scalar(now, now.rho, PCG_RHO);
        if (!now.after_iteration)
            now.after_iteration = pcr_scalar(now, gamma, PCG_GAMMA);
        if (answer || now.after_iteration)
            return nb_cuda_answer(answer);
        const T alpha = now.rho / gamma, back = -alpha;
        answer = call.axpy(this->blas, n, &alpha, s.p, 1, s.x, 1);
        answer = answer ? answer : call.axpy(this->blas, n, &back, s.w, 1, s.r, 1);
        answer = answer ? answer : call.norm(this->blas, n, s.r, 1, &now.residual);
        if (answer)
            return nb_cuda_answer(answer);
        now.iteration++;
        now.after_iteration = pcr_decide(now);
        return cudaSuccess;
    }
};

} // namespace

template <> nb_cuda_pcr *pcg_new_library<float>()
{
    return new conjugate_gradients<float>;
}
template <> nb_cuda_pcr *pcg_new_library<double>()
{
    return new conjugate_gradients<double>;
}
