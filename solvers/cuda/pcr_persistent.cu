// Conjugate residuals and conjugate gradients in one kernel.
#include "solvers/cuda/pcg_stages.cuh"
#include "solvers/cuda/persistent.cuh"

template <class T> nb_cuda_pcr *pcr_new_persistent(nb_cuda_method method)
{
    if (method == NB_CUDA_PCG)
        return new persistent<pcg_method, T>;
    return new persistent<pcr_method, T>;
}
template nb_cuda_pcr *pcr_new_persistent<float>(nb_cuda_method);
template nb_cuda_pcr *pcr_new_persistent<double>(nb_cuda_method);
