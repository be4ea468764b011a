// Dense Cholesky by cuSOLVER: A is spread out on the device, factorised once an update, and each solve is
// two triangular ones.
#include "solvers/cuda/answers.cuh"
#include "solvers/cuda/pcr_host.cuh"

namespace {

template <class T> struct dense_calls;
template <> struct dense_calls<float> {
    static auto size(const nb_cuda_dense_library &all) { return all.cusolverDnSpotrf_bufferSize; }
    static auto factorise(const nb_cuda_dense_library &all) { return all.cusolverDnSpotrf; }
    static auto solve(const nb_cuda_dense_library &all) { return all.cusolverDnSpotrs; }
};
template <> struct dense_calls<double> {
    static auto size(const nb_cuda_dense_library &all) { return all.cusolverDnDpotrf_bufferSize; }
    static auto factorise(const nb_cuda_dense_library &all) { return all.cusolverDnDpotrf; }
    static auto solve(const nb_cuda_dense_library &all) { return all.cusolverDnDpotrs; }
};

// The matrix is symmetric: rows and columns need no distinction.
template <class T> __global__ void spread(pcr_system<T> system, T *dense)
{
    const size_t n = 3 * (size_t)system.rows;
    const int lane = threadIdx.x % PCR_WARP;
    for (int row = pcr_thread(system) / PCR_WARP; row < system.rows; row += pcr_threads(system) / PCR_WARP)
        for (int k = system.start[row]; k < system.start[row + 1]; ++k)
            if (lane < 9)
                dense[(3 * (size_t)row + lane / 3) * n + 3 * (size_t)system.column[k] + lane % 3] =
                    ((const T *)system.value)[9 * (size_t)k + lane];
}

template <class T> class dense : public nb_cuda_pcr {
public:
    ~dense() override
    {
        if (handle)
            all->cusolverDnDestroy(handle);
        if (stream)
            cudaStreamDestroy(stream);
        void *const owned[] = {(void *)system.start, (void *)system.column, (void *)system.value,
                               matrix, x, work, info};
        for (void *one : owned)
            cudaFree(one);
        cudaGetLastError();
    }

    nb_status create(const nb_cuda_pattern &pattern, nb_error *error) override
    {
        nb_status status = nb_cuda_open_dense(&all, error);
        if (!status)
            status = nb_cuda_status(cudaStreamCreate(&stream), "creating a stream", error);
        if (!status)
            status = nb_cuda_status(nb_cuda_answer(all->cusolverDnCreate(&handle)), "starting cuSOLVER", error);
        if (!status)
            status = nb_cuda_status(nb_cuda_answer(all->cusolverDnSetStream(handle, stream)),
                                    "starting cuSOLVER", error);
        return status ? status : nb_cuda_status(allocate(pattern), "allocating", error);
    }

    nb_status update(const nb_cuda_values &values, nb_error *error) override
    {
        const size_t n = 3 * (size_t)system.rows;
        int found = 0;
        cudaError_t answer = cudaMemcpyAsync((void *)system.value, values.value,
                                             9 * entries * sizeof(T), cudaMemcpyHostToDevice, stream);
        if (answer == cudaSuccess)
            answer = cudaMemsetAsync(matrix, 0, n * n * sizeof(T), stream);
        if (answer == cudaSuccess) {
            spread<<<(system.rows + 15) / 16, PCR_THREADS, 0, stream>>>(system, matrix);
            answer = cudaGetLastError();
        }
        if (answer == cudaSuccess)
            answer = nb_cuda_answer(dense_calls<T>::factorise(*all)(
                handle, CUBLAS_FILL_MODE_LOWER, (int)n, matrix, (int)n, work, work_size, info));
        if (answer == cudaSuccess)
            answer = cudaMemcpyAsync(&found, info, sizeof found, cudaMemcpyDeviceToHost, stream);
        if (answer == cudaSuccess)
            answer = cudaStreamSynchronize(stream);
        if (answer == cudaSuccess && found)
            return nb_fail(error, NB_BREAKDOWN, "Cholesky failed: not positive definite");
        return nb_cuda_status(answer, "factorising", error);
    }

    nb_linear_report solve(const nb_cuda_task &task) override
    {
        const size_t n = 3 * (size_t)system.rows, bytes = n * sizeof(T);
        cudaError_t answer = cudaMemcpyAsync(x, task.b, bytes, cudaMemcpyHostToDevice, stream);
        if (answer == cudaSuccess)
            answer = nb_cuda_answer(dense_calls<T>::solve(*all)(
                handle, CUBLAS_FILL_MODE_LOWER, (int)n, 1, matrix, (int)n, x, (int)n, info));
        if (answer == cudaSuccess)
            answer = cudaMemcpyAsync(task.x, x, bytes, cudaMemcpyDeviceToHost, stream);
        if (answer == cudaSuccess)
            answer = cudaStreamSynchronize(stream);
        if (answer != cudaSuccess)
            return {NB_LINEAR_FAILED, 0, cudaGetErrorString(answer)};
        if (task.observe)
            task.observe(task.context, 1, task.x);
        const T *result = (const T *)task.x;
        for (size_t i = 0; i < n; ++i)
            if (!isfinite(result[i]))
                return {NB_LINEAR_NON_FINITE, 1, "x"};
        return {NB_LINEAR_CONVERGED, 1, ""};
    }

private:
    template <class E> static cudaError_t take(E **array, size_t count)
    {
        return cudaMalloc((void **)array, count * sizeof(E));
    }

    cudaError_t allocate(const nb_cuda_pattern &pattern)
    {
        const size_t rows = (size_t)pattern.rows, n = 3 * rows;
        system.rows = pattern.rows;
        entries = (size_t)pattern.start[pattern.rows];
        int *start = nullptr, *column = nullptr;
        T *value = nullptr;
        cudaError_t answer = take(&start, rows + 1);
        system.start = start;
        answer = answer ? answer : take(&column, entries);
        system.column = column;
        answer = answer ? answer : take(&value, 9 * entries);
        system.value = value;
        answer = answer ? answer : take(&matrix, n * n);
        answer = answer ? answer : take(&x, n);
        answer = answer ? answer : take(&info, 1);
        answer = answer ? answer
                        : nb_cuda_answer(dense_calls<T>::size(*all)(
                              handle, CUBLAS_FILL_MODE_LOWER, (int)n, matrix, (int)n, &work_size));
        answer = answer ? answer : take(&work, (size_t)work_size + 1);
        answer = answer ? answer
                        : cudaMemcpy(start, pattern.start, (rows + 1) * sizeof(int),
                                     cudaMemcpyHostToDevice);
        return answer ? answer
                      : cudaMemcpy(column, pattern.column, entries * sizeof(int),
                                   cudaMemcpyHostToDevice);
    }

    const nb_cuda_dense_library *all = nullptr;
    cusolverDnHandle_t handle = nullptr;
    cudaStream_t stream = nullptr;
    pcr_system<T> system = {};
    size_t entries = 0;
    T *matrix = nullptr, *x = nullptr, *work = nullptr;
    int work_size = 0, *info = nullptr;
};

} // namespace

template <class T> nb_cuda_pcr *pcr_new_dense()
{
    return new dense<T>;
}
template nb_cuda_pcr *pcr_new_dense<float>();
template nb_cuda_pcr *pcr_new_dense<double>();
