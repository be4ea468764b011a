// Three kernels an iteration, launched as captured graphs of 1, 2, 4, ... 64 iterations, so that any
// number of iterations is a few launches and none of them is done in vain.
#include <new>

#include "solvers/cuda/pcr_host.cuh"

namespace {

template <class T> __global__ void __launch_bounds__(PCR_THREADS) begin_kernel(pcr_system<T> system)
{
    __shared__ T scratch[PCR_MOST_WARPS + 1];
    pcr_begin(system, scratch);
}
template <class T>
__global__ void __launch_bounds__(PCR_THREADS) product_kernel(pcr_system<T> system, bool start)
{
    __shared__ T scratch[PCR_MOST_WARPS + 1];
    pcr_product(system, start, scratch);
}
template <class T>
__global__ void __launch_bounds__(PCR_THREADS) direction_kernel(pcr_system<T> system, bool start)
{
    __shared__ T scratch[PCR_MOST_WARPS + 1];
    pcr_direction(system, start, scratch);
}
template <class T> __global__ void __launch_bounds__(PCR_THREADS) step_kernel(pcr_system<T> system)
{
    __shared__ T scratch[PCR_MOST_WARPS + 1];
    pcr_step(system, scratch);
}

enum { GRAPHS = 7 }; // the longest has 2^6 iterations

template <class T> class graph : public pcr_host<T> {
public:
    ~graph() override
    {
        for (cudaGraphExec_t one : iterations)
            if (one)
                cudaGraphExecDestroy(one);
        if (beginning)
            cudaGraphExecDestroy(beginning);
    }

protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        // A kernel's first use loads it, which is not to happen while a graph is captured.
        const void *const kernels[] = {
            (const void *)begin_kernel<T>, (const void *)product_kernel<T>,
            (const void *)direction_kernel<T>, (const void *)step_kernel<T>};
        for (const void *kernel : kernels) {
            cudaFuncAttributes attributes;
            const nb_status status = nb_cuda_status(cudaFuncGetAttributes(&attributes, kernel),
                                                    "loading a kernel", error);
            if (status)
                return status;
        }
        return pcr_grid((const void *)product_kernel<T>, PCR_THREADS, pattern.rows, &this->blocks,
                        error);
    }

    nb_status prepare(nb_error *error) override
    {
        nb_status status = capture(0, &beginning, error);
        for (int k = 0; k < GRAPHS && !status; ++k)
            status = capture(1 << k, &iterations[k], error);
        return status;
    }

    cudaError_t run(bool start, int count) override
    {
        cudaError_t answer = start ? cudaGraphLaunch(beginning, this->stream) : cudaSuccess;
        for (int k = GRAPHS - 1; k >= 0; --k)
            for (; answer == cudaSuccess && count >= 1 << k; count -= 1 << k)
                answer = cudaGraphLaunch(iterations[k], this->stream);
        return answer;
    }

    int stride(int) override { return 1 << (GRAPHS - 1); }

private:
    // The start of a solve where count is 0. A launch that fails shows when the capture ends.
    void launch(int count)
    {
        const int grid = this->blocks;
        if (count == 0) {
            begin_kernel<T><<<grid, PCR_THREADS, 0, this->stream>>>(this->system);
            product_kernel<T><<<grid, PCR_THREADS, 0, this->stream>>>(this->system, true);
            direction_kernel<T><<<grid, PCR_THREADS, 0, this->stream>>>(this->system, true);
        }
        for (int k = 0; k < count; ++k) {
            step_kernel<T><<<grid, PCR_THREADS, 0, this->stream>>>(this->system);
            product_kernel<T><<<grid, PCR_THREADS, 0, this->stream>>>(this->system, false);
            direction_kernel<T><<<grid, PCR_THREADS, 0, this->stream>>>(this->system, false);
        }
    }

    nb_status capture(int count, cudaGraphExec_t *out, nb_error *error)
    {
        cudaGraph_t recorded = nullptr;
        cudaError_t answer =
            cudaStreamBeginCapture(this->stream, cudaStreamCaptureModeThreadLocal);
        if (answer == cudaSuccess) {
            launch(count);
            const cudaError_t launched = cudaGetLastError();
            answer = cudaStreamEndCapture(this->stream, &recorded);
            answer = launched != cudaSuccess ? launched : answer;
        }
        if (answer == cudaSuccess)
            answer = cudaGraphInstantiate(out, recorded, 0);
        if (recorded)
            cudaGraphDestroy(recorded);
        if (answer == cudaSuccess)
            answer = cudaGraphUpload(*out, this->stream);
        return nb_cuda_status(answer, "capturing a graph", error);
    }

    cudaGraphExec_t beginning = nullptr, iterations[GRAPHS] = {};
};

} // namespace

template <> nb_cuda_pcr *pcr_new_graph<float>()
{
    return new (std::nothrow) graph<float>;
}
template <> nb_cuda_pcr *pcr_new_graph<double>()
{
    return new (std::nothrow) graph<double>;
}
