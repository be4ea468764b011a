// Two kernels an iteration (PCG: three), launched as graphs of 1, 2, 4, ... 64 iterations, so that any number of
// iterations is a few launches and none of them is done in vain.
#include <algorithm>

#include "solvers/cuda/graph_chain.cuh"
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
        const void *const kernels[] = {
            (const void *)stage_kernel<Method, 0, T>, (const void *)stage_kernel<Method, 1, T>,
            (const void *)stage_kernel<Method, 2, T>, (const void *)stage_kernel<Method, Method::last, T>,
            (const void *)respond_kernel<Method, 0, T>, (const void *)respond_kernel<Method, 2, T>,
            (const void *)respond_kernel<Method, Method::last, T>};
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
        cudaError_t answer = make(0, &beginning);
        for (int k = 0; k < GRAPHS && answer == cudaSuccess; ++k)
            answer = make(1 << k, &iterations[k]);
        return nb_cuda_status(answer, "building a graph", error);
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
    void end_iteration(graph_chain &chain, bool start)
    {
        stage<2>(chain, start);
        if constexpr (Method::last > 2)
            stage<3>(chain, start);
    }

    template <int number> void stage(graph_chain &chain, bool start)
    {
        if (this->system.factored && Method::operand(this->system, number))
            chain.kernel(respond_kernel<Method, number, T>, this->blocks, PCR_THREADS, this->system, start);
        chain.kernel(stage_kernel<Method, number, T>, this->blocks, PCR_THREADS, this->system, start);
    }

    // So many iterations, or the start of a solve where count is 0.
    cudaError_t make(int count, cudaGraphExec_t *out)
    {
        cudaGraph_t whole = nullptr;
        cudaError_t answer = cudaGraphCreate(&whole, 0);
        if (answer != cudaSuccess)
            return answer;
        graph_chain chain(whole);
        if (count == 0) {
            stage<0>(chain, true);
            end_iteration(chain, true);
        }
        for (int k = 0; k < count; ++k) {
            stage<1>(chain, false);
            end_iteration(chain, false);
        }
        answer = chain.answer;
        if (answer == cudaSuccess)
            answer = cudaGraphInstantiate(out, whole, 0);
        cudaGraphDestroy(whole);
        return answer == cudaSuccess ? cudaGraphUpload(*out, this->stream) : answer;
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
