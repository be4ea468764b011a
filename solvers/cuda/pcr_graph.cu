// Two kernels an iteration (PCG: three), launched as captured graphs of 1, 2, 4, ... 64 iterations, so that any
// number of iterations is a few launches and none of them is done in vain.
#include <algorithm>

#include "solvers/cuda/pcg_stages.cuh"
#include "solvers/cuda/pcr_host.cuh"

namespace {

template <class Method, int number, class T>
__global__ void __launch_bounds__(PCR_THREADS) stage_kernel(pcr_system<T> system, bool start)
{
    __shared__ T scratch[PCR_SCRATCH];
    Method::stage(system, number, start, scratch);
}

// Before a stage that multiplies by A, where A is not assembled.
template <class Method, int number, class T>
__global__ void __launch_bounds__(PCR_THREADS) respond_kernel(pcr_system<T> system, bool start)
{
    if (start || !system.state->after_iteration)
        pcr_respond(system, Method::operand(system, number), pcr_thread(system) / PCR_WARP,
                    pcr_threads(system) / PCR_WARP, (int)threadIdx.x % PCR_WARP);
}

enum { GRAPHS = 7 }; // the longest has 2^6 iterations

template <class Method, class T> class graph : public pcr_host<T> {
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
            (const void *)stage_kernel<Method, 0, T>, (const void *)stage_kernel<Method, 1, T>,
            (const void *)stage_kernel<Method, 2, T>, (const void *)stage_kernel<Method, Method::last, T>,
            (const void *)respond_kernel<Method, 0, T>, (const void *)respond_kernel<Method, 2, T>,
            (const void *)respond_kernel<Method, Method::last, T>};
        for (const void *kernel : kernels) {
            cudaFuncAttributes attributes;
            const nb_status status = nb_cuda_status(cudaFuncGetAttributes(&attributes, kernel),
                                                    "loading a kernel", error);
            if (status)
                return status;
        }
        int fewest = pattern.rows;
        for (const void *kernel : kernels) {
            const nb_status status =
                pcr_grid(kernel, PCR_THREADS, pattern.rows, &this->blocks, error);
            if (status)
                return status;
            fewest = std::min(fewest, this->blocks);
        }
        this->blocks = fewest;
        return NB_OK;
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
        if (count == 0) {
            stage<0>(true);
            end_iteration(true);
        }
        for (int k = 0; k < count; ++k) {
            stage<1>(false);
            end_iteration(false);
        }
    }

    void end_iteration(bool start)
    {
        stage<2>(start);
        if constexpr (Method::last > 2)
            stage<3>(start);
    }

    template <int number> void stage(bool start)
    {
        if (this->system.factored && Method::operand(this->system, number))
            respond_kernel<Method, number, T>
                <<<this->blocks, PCR_THREADS, 0, this->stream>>>(this->system, start);
        stage_kernel<Method, number, T>
            <<<this->blocks, PCR_THREADS, 0, this->stream>>>(this->system, start);
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

template <class T> nb_cuda_pcr *pcr_new_graph(nb_cuda_method method)
{
    if (method == NB_CUDA_PCG)
        return new graph<pcg_method, T>;
    return new graph<pcr_method, T>;
}
template nb_cuda_pcr *pcr_new_graph<float>(nb_cuda_method);
template nb_cuda_pcr *pcr_new_graph<double>(nb_cuda_method);
