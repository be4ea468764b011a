// The border's functions, and what the three ways share; see pcr.h and pcr_host.cuh.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "solvers/cuda/pcr_host.cuh"

extern "C" {
#include "solvers/cuda/device.h"
}

// Cuts an arena into arrays; with a null base it only measures.
class cutter {
public:
    explicit cutter(char *base) : start(base) {}
    template <class E> E *take(size_t count)
    {
        E *array = start ? (E *)(start + used) : nullptr;
        used += (count * sizeof(E) + 255) / 256 * 256;
        return array;
    }
    size_t total() const { return used; }

private:
    char *start;
    size_t used = 0;
};

template <class T>
static size_t cut(char *base, size_t entries, size_t blocks, pcr_system<T> &system)
{
    const size_t n = 3 * (size_t)system.rows;
    cutter arena(base);
    system.start = arena.take<int>((size_t)system.rows + 1);
    system.column = arena.take<int>(entries);
    system.value = arena.take<char>(9 * entries * (system.storage ? 2 : sizeof(T)));
    system.inverse = arena.take<T>(system.wide ? 3 * n : n);
    system.b = arena.take<T>(n);
    T **vectors[] = {&system.x, &system.r, &system.z, &system.p, &system.q, &system.w};
    for (T **vector : vectors)
        *vector = arena.take<T>(n);
    system.guess = system.x;
    T **sums[] = {&system.sum_rr, &system.sum_bb, &system.sum_zw, &system.sum_ww, &system.sum_wq};
    for (T **sum : sums)
        *sum = arena.take<T>(blocks);
    system.state = arena.take<pcr_state<T>>(1);
    pcr_factors<T> &factors = system.factors;
    const size_t nodes = (size_t)factors.nodes;
    if (nodes > 0) {
        factors.node_start = arena.take<int>(nodes + 1);
        factors.node_entry = arena.take<int>(entries);
        factors.node_row = arena.take<int>(entries);
        factors.inverse_mass = arena.take<T>(9 * nodes);
        factors.compliance = arena.take<T>(3 * n);
        factors.velocity = arena.take<T>(3 * nodes);
    }
    return arena.total();
}

template <class T> pcr_host<T>::~pcr_host()
{
    if (stream)
        cudaStreamDestroy(stream);
    if (state)
        cudaFreeHost(state);
    if (staging)
        cudaFreeHost(staging);
    cudaFree(arena);
    cudaGetLastError(); // what went wrong here is not the next call's
}

template <class T> nb_status pcr_host<T>::allocate(nb_error *error)
{
    const size_t bytes = cut<T>(nullptr, entries, (size_t)blocks, system);
    nb_status status = nb_cuda_status(cudaMalloc((void **)&arena, bytes), "allocating", error);
    if (status)
        return status;
    cut<T>(arena, entries, (size_t)blocks, system);
    // Zeros, so that nothing unwritten is ever read, not even by a tool that looks for it.
    status = nb_cuda_status(cudaMemsetAsync(arena, 0, bytes, stream), "clearing", error);
    if (!status)
        status = nb_cuda_status(cudaMallocHost((void **)&state, sizeof *state),
                                "allocating pinned memory", error);
    if (!status)
        status = nb_cuda_status(cudaMallocHost((void **)&staging, 2 * size() * sizeof(T)),
                                "allocating pinned memory", error);
    if (!status)
        memset((void *)state, 0, sizeof *state);
    return status;
}

template <class T>
cudaError_t pcr_host<T>::send(const void *to, const void *from, size_t bytes)
{
    return bytes ? cudaMemcpyAsync((void *)to, from, bytes, cudaMemcpyHostToDevice, stream)
                 : cudaSuccess;
}

template <class T>
nb_status pcr_host<T>::copy_pattern(const nb_cuda_pattern &pattern, nb_error *error)
{
    const pcr_factors<T> &factors = system.factors;
    const size_t list = entries * sizeof(int);
    cudaError_t answer =
        send(system.start, pattern.start, ((size_t)pattern.rows + 1) * sizeof(int));
    answer = answer ? answer : send(system.column, pattern.column, list);
    if (pattern.nodes > 0) {
        const size_t starts = ((size_t)pattern.nodes + 1) * sizeof(int);
        answer = answer ? answer : send(factors.node_start, pattern.node_start, starts);
        answer = answer ? answer : send(factors.node_entry, pattern.node_entry, list);
        answer = answer ? answer : send(factors.node_row, pattern.node_row, list);
    }
    answer = answer ? answer : cudaStreamSynchronize(stream);
    return nb_cuda_status(answer, "copying the pattern", error);
}

template <class T>
nb_status pcr_host<T>::create(const nb_cuda_pattern &pattern, nb_error *error)
{
    system.rows = pattern.rows;
    system.wide = pattern.wide;
    system.storage = pattern.storage;
    system.factored = pattern.nodes > 0;
    system.factors.nodes = pattern.nodes;
    entries = (size_t)pattern.start[pattern.rows];
    nb_status status = nb_cuda_status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                      "creating a stream", error);
    if (!status)
        status = plan(pattern, error);
    if (!status)
        status = allocate(error);
    if (!status)
        status = copy_pattern(pattern, error);
    if (!status)
        status = prepare(error);
    // Copies by cudaMemcpy may be on their way still, and our stream does not wait for theirs.
    return status ? status : nb_cuda_status(cudaDeviceSynchronize(), "preparing the system", error);
}

template <class T> cudaError_t pcr_host<T>::set_values(const nb_cuda_values &values)
{
    const pcr_factors<T> &factors = system.factors;
    cudaError_t answer = send(system.value, values.value, value_bytes());
    if (!system.factored)
        return answer;
    const size_t mass = 9 * (size_t)factors.nodes * sizeof(T);
    answer = answer ? answer : send(factors.inverse_mass, values.inverse_mass, mass);
    return answer ? answer : send(factors.compliance, values.compliance, 3 * size() * sizeof(T));
}

template <class T>
nb_status pcr_host<T>::update(const nb_cuda_values &values, nb_error *error)
{
    cudaError_t answer = set_values(values);
    answer = answer ? answer
                    : send(system.inverse, values.inverse, (system.wide ? 3 : 1) * size() * sizeof(T));
    answer = answer ? answer : cudaStreamSynchronize(stream);
    return nb_cuda_status(answer, "copying the matrix", error);
}

template <class T> cudaError_t pcr_host<T>::fetch()
{
    const cudaError_t answer = cudaMemcpyAsync((void *)state, system.state, sizeof *state,
                                               cudaMemcpyDeviceToHost, stream);
    return answer == cudaSuccess ? cudaStreamSynchronize(stream) : answer;
}

template <class T> cudaError_t pcr_host<T>::load(const nb_cuda_task &task)
{
    const size_t bytes = size() * sizeof(T);
    memcpy(staging, task.b, bytes);
    memcpy(staging + size(), task.x, bytes);
    memset((void *)state, 0, sizeof *state);
    state->limit = task.iterations;
    state->tolerance = (T)task.tolerance;
    cudaError_t answer =
        cudaMemcpyAsync((void *)system.b, staging, bytes, cudaMemcpyHostToDevice, stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(system.x, staging + size(), bytes, cudaMemcpyHostToDevice, stream);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(system.state, state, sizeof *state, cudaMemcpyHostToDevice,
                                 stream);
    return answer;
}

// One iteration at a time, the iterate copied after each.
template <class T> cudaError_t pcr_host<T>::observe(const nb_cuda_task &task)
{
    cudaError_t answer = run(true, 0);
    for (int seen = -1; answer == cudaSuccess;) {
        answer = cudaMemcpyAsync(staging + size(), system.x, size() * sizeof(T),
                                 cudaMemcpyDeviceToHost, stream);
        if (answer == cudaSuccess)
            answer = fetch();
        if (answer == cudaSuccess && state->iteration > seen)
            task.observe(task.context, seen = state->iteration, staging + size());
        if (answer != cudaSuccess || state->after_iteration)
            break;
        answer = run(false, 1);
    }
    return answer;
}

template <class T> cudaError_t pcr_host<T>::iterate(const nb_cuda_task &task)
{
    const int most = stride(task.iterations);
    int left = task.iterations, count = std::min(left, most);
    cudaError_t answer = run(true, count);
    for (left -= count; answer == cudaSuccess && left > 0; left -= count) {
        // Without a tolerance few solves end early: looking would cost more than it saves.
        if (task.tolerance > 0 && ((answer = fetch()) != cudaSuccess || state->after_iteration))
            break;
        count = std::min(left, most);
        answer = run(false, count);
    }
    return answer;
}

template <class T> nb_linear_report pcr_host<T>::solve(const nb_cuda_task &task)
{
    cudaError_t answer = load(task);
    if (answer == cudaSuccess)
        answer = task.observe ? observe(task) : iterate(task);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(staging + size(), system.x, size() * sizeof(T),
                                 cudaMemcpyDeviceToHost, stream);
    if (answer == cudaSuccess)
        answer = fetch();
    if (answer != cudaSuccess)
        return {NB_LINEAR_FAILED, state->iteration, cudaGetErrorString(answer)};
    memcpy(task.x, staging + size(), size() * sizeof(T));
    nb_linear_report report = pcr_report(*state);
    report.detail = report.detail[0] ? report.detail : place();
    return report;
}

template class pcr_host<float>;
template class pcr_host<double>;

template <class T> static nb_cuda_pcr *make(nb_cuda_method method, nb_cuda_way way)
{
    if (method == NB_CUDA_CHOLESKY)
        return pcr_new_dense<T>();
    if (method == NB_CUDA_JACOBI || method == NB_CUDA_GAUSS_SEIDEL)
        return pcr_new_sweep<T>(method);
    if (way == NB_CUDA_LIBRARY)
        return method == NB_CUDA_PCG ? pcg_new_library<T>() : pcr_new_library<T>();
    return way == NB_CUDA_GRAPH ? pcr_new_graph<T>(method) : pcr_new_persistent<T>(method);
}

nb_status nb_cuda_pcr_create(nb_cuda_pcr **out, nb_cuda_method method, nb_cuda_way way,
                             const nb_cuda_pattern *pattern, nb_error *error)
{
    *out = nullptr;
    nb_status status = nb_cuda_check_device(error);
    if (status)
        return status;
    if (method == NB_CUDA_CHOLESKY && 3 * (long)pattern->rows > NB_CUDA_DENSE_ROWS)
        return nb_fail(error, NB_UNSUPPORTED, "a dense matrix of more than %d rows",
                       (int)NB_CUDA_DENSE_ROWS);
    if (pattern->nodes > 0 && method == NB_CUDA_CHOLESKY)
        return nb_fail(error, NB_UNSUPPORTED, "Cholesky factorises the assembled operator");
    if (pattern->nodes > 0 && method == NB_CUDA_GAUSS_SEIDEL)
        return nb_fail(error, NB_UNSUPPORTED,
                       "Gauss-Seidel takes single rows, which only the assembled operator has");
    try {
        std::unique_ptr<nb_cuda_pcr> pcr(pattern->single ? make<float>(method, way)
                                                         : make<double>(method, way));
        status = pcr->create(*pattern, error);
        *out = status ? nullptr : pcr.release();
    } catch (const std::bad_alloc &) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a CUDA solver");
    }
    return status;
}

nb_status nb_cuda_pcr_update(nb_cuda_pcr *pcr, const nb_cuda_values *values, nb_error *error)
{
    return pcr->update(*values, error);
}

nb_linear_report nb_cuda_pcr_solve(nb_cuda_pcr *pcr, const nb_cuda_task *task)
{
    return pcr->solve(*task);
}

void nb_cuda_pcr_free(nb_cuda_pcr *pcr)
{
    delete pcr;
}
