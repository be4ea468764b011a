// Linear solves by a persistent kernel, one launch for all iterations: by one block that keeps all of a system in its
// shared memory, or by a cooperative grid with barriers between the stages (pcr_stages.cuh and those beside it).
#include "solvers/cuda/colouring.cuh"
#include "solvers/cuda/iterations.cuh"
#include "solvers/cuda/launch.cuh"
#include "solvers/cuda/linear_host.cuh"

namespace {

enum { GRID_THREADS = 512, BLOCK_THREADS = 1024 };

template <class Method, class T>
__global__ void __launch_bounds__(GRID_THREADS, 2) grid_kernel(linear_system<T> system, bool start, int count)
{
    iterate<Method>(system, start, count, (T *)shared_memory(), grid_barrier());
}

// Where the next launch resumes the solve, the system's memory is kept in `image` [bytes]; otherwise that is null.
template <class Method, class T>
__global__ void __launch_bounds__(BLOCK_THREADS)
    block_kernel(linear_system<T> global, bool start, int count, char *image, size_t bytes)
{
    T *const scratch = (T *)shared_memory();
    char *const memory = (char *)(scratch + SCRATCH);
    linear_system<T> local = global;
    if (start) {
        local = copy_system(global, memory);
    } else {
        lay_out_system(memory, (size_t)global.start[global.rows], 1, local);
        copy_array(memory, image, bytes);
    }
    __syncthreads();
    iterate<Method>(local, start, count, scratch, block_barrier());
    return_solution(global, local);
    if (image)
        copy_array(image, memory, bytes);
}

template <class Method, class T> class persistent : public linear_host<T> {
public:
    ~persistent() override
    {
        cudaFree(image);
        cudaFree(order);
    }

protected:
    nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        nb_status status = NB_OK;
        this->system.lone = pattern.by != NB_CUDA_BY_GRID;
        if (std::is_same<Method, gauss_seidel_method>::value)
            status = colour_rows(pattern, error);
        if (!status && this->system.lone)
            status = plan_block(error);
        if (status || this->system.lone)
            return status;
        if (pattern.by == NB_CUDA_BY_BLOCK)
            return nb_fail(error, NB_UNSUPPORTED, "the system does not fit a block's shared memory");
        return nb_cuda_fit_grid((const void *)grid_kernel<Method, T>, GRID_THREADS, scratch, pattern.rows,
                                &this->blocks, error);
    }

    cudaError_t run(bool start, int count, bool resumes) override
    {
        char *kept = resumes ? image : nullptr;
        void *arguments[] = {&this->system, &start, &count, &kept, &bytes};
        if (this->system.lone)
            return cudaLaunchKernel((const void *)block_kernel<Method, T>, dim3(1), dim3(BLOCK_THREADS), arguments,
                                    bytes + scratch, this->stream);
        return cudaLaunchCooperativeKernel((const void *)grid_kernel<Method, T>, dim3((unsigned)this->blocks),
                                           dim3(GRID_THREADS), arguments, scratch, this->stream);
    }

    const char *team() const override { return this->system.lone ? "in one block" : "by the grid"; }

private:
    // Leaves it to the grid where one block's shared memory does not hold the system.
    nb_status plan_block(nb_error *error)
    {
        size_t most = 0;
        linear_system<T> measured = this->system;
        bytes = lay_out_system(nullptr, this->entries, 1, measured);
        nb_status status = nb_cuda_ask_shared_memory((const void *)block_kernel<Method, T>, &most, error);
        this->system.lone = bytes + scratch <= most;
        if (!status && this->system.lone)
            status = nb_cuda_status(cudaMalloc((void **)&image, bytes), "allocating", error);
        return status;
    }

    nb_status colour_rows(const nb_cuda_pattern &pattern, nb_error *error)
    {
        const nb_cuda_colouring colours = nb_cuda_colour_rows(pattern.rows, pattern.start, pattern.column);
        std::vector<int> list = colours.order;
        list.insert(list.end(), colours.start.begin(), colours.start.end());
        const size_t size = list.size() * sizeof(int);
        cudaError_t answer = cudaMalloc((void **)&order, size);
        answer = answer ? answer : cudaMemcpy(order, list.data(), size, cudaMemcpyHostToDevice);
        this->system.colours = (int)colours.start.size() - 1;
        this->system.order = order;
        this->system.colour_start = order + pattern.rows;
        return nb_cuda_status(answer, "copying the colouring", error);
    }

    static constexpr size_t scratch = SCRATCH * sizeof(T);
    size_t bytes = 0;      // of shared memory that a system takes in one block
    char *image = nullptr; // as large
    int *order = nullptr;  // rows by colour, then the colours' starts
};

} // namespace

template <class T> nb_cuda_linear *new_persistent(nb_cuda_method method)
{
    switch (method) {
    case NB_CUDA_PCG: return new persistent<pcg_method, T>;
    case NB_CUDA_JACOBI: return new persistent<jacobi_method, T>;
    case NB_CUDA_GAUSS_SEIDEL: return new persistent<gauss_seidel_method, T>;
    default: return new persistent<pcr_method, T>;
    }
}
template nb_cuda_linear *new_persistent<float>(nb_cuda_method);
template nb_cuda_linear *new_persistent<double>(nb_cuda_method);
