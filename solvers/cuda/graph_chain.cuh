// Nodes of a CUDA graph one after the other, and loops among them, which CUDA has from 12.4 on.
#ifndef NB_CUDA_GRAPH_CHAIN_CUH
#define NB_CUDA_GRAPH_CHAIN_CUH

#include <type_traits>

#include <cuda_runtime.h>

#define GRAPH_LOOPS (CUDART_VERSION >= 12040)

namespace {

// What a kernel tells the loop that it is in.
struct graph_loop {
#if GRAPH_LOOPS
    cudaGraphConditionalHandle handle;
#endif
    int exists;
    __device__ void set(bool again) const
    {
#if GRAPH_LOOPS
        if (exists)
            cudaGraphSetConditional(handle, again ? 1u : 0u);
#endif
        (void)again;
    }
};

// Nodes of a graph, each after the one before.
class graph_chain {
public:
    explicit graph_chain(cudaGraph_t into) : graph(into) {}

    // The arguments are copied, and are those that the kernel takes: CUDA itself would not look.
    template <class... Parameters>
    void kernel(void (*function)(Parameters...), int blocks, int threads, std::decay_t<Parameters>... given)
    {
        void *arguments[] = {(void *)&given...};
        cudaKernelNodeParams node = {};
        node.func = (void *)function;
        node.gridDim = dim3((unsigned)blocks);
        node.blockDim = dim3((unsigned)threads);
        node.kernelParams = arguments;
        cudaGraphNode_t added = nullptr;
        if (answer == cudaSuccess)
            answer = cudaGraphAddKernelNode(&added, graph, &last, last ? 1 : 0, &node);
        last = added;
    }

    // The condition of a loop that this graph will contain.
    graph_loop condition()
    {
        graph_loop out = {};
#if GRAPH_LOOPS
        out.exists = 1;
        if (answer == cudaSuccess)
            answer = cudaGraphConditionalHandleCreate(&out.handle, graph, 1,
                                                      cudaGraphCondAssignDefault);
#endif
        return out;
    }

    // The body of a loop.
    cudaGraph_t repeat(graph_loop loop)
    {
#if GRAPH_LOOPS
        cudaGraphNodeParams node = {};
        cudaGraphNode_t added = nullptr;
        node.type = cudaGraphNodeTypeConditional;
        node.conditional.handle = loop.handle;
        node.conditional.type = cudaGraphCondTypeWhile;
        node.conditional.size = 1;
        if (answer == cudaSuccess) {
#if CUDART_VERSION >= 13000
            answer = cudaGraphAddNode(&added, graph, &last, nullptr, last ? 1 : 0, &node);
#else
            answer = cudaGraphAddNode(&added, graph, &last, last ? 1 : 0, &node);
#endif
        }
        last = added;
        return answer == cudaSuccess ? node.conditional.phGraph_out[0] : nullptr;
#else
        (void)loop;
        return nullptr;
#endif
    }

    void take(cudaError_t other) { answer = answer == cudaSuccess ? other : answer; }

    cudaError_t answer = cudaSuccess;

private:
    cudaGraph_t graph;
    cudaGraphNode_t last = nullptr;
};

} // namespace

#endif
