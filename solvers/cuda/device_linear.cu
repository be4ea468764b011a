// The border's functions, and what the solvers behind it share; see device_linear.h and linear_host.cuh.
#include <cstring>
#include <memory>
#include <new>

#include "solvers/cuda/linear_host.cuh"

extern "C" {
#include "solvers/cuda/device.h"
}

template <class T> linear_host<T>::~linear_host()
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

template <class T> nb_status linear_host<T>::allocate(nb_error *error)
{
    const size_t bytes = lay_out_system(nullptr, entries, (size_t)blocks, system);
    nb_status status = nb_cuda_status(cudaMalloc((void **)&arena, bytes), "allocating", error);
    if (status)
        return status;
    lay_out_system(arena, entries, (size_t)blocks, system);
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
cudaError_t linear_host<T>::send(const void *to, const void *from, size_t bytes)
{
    return bytes ? cudaMemcpyAsync((void *)to, from, bytes, cudaMemcpyHostToDevice, stream)
                 : cudaSuccess;
}

template <class T>
nb_status linear_host<T>::copy_pattern(const nb_cuda_pattern &pattern, nb_error *error)
{
    const system_factors<T> &factors = system.factors;
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
nb_status linear_host<T>::create(const nb_cuda_pattern &pattern, nb_error *error)
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

template <class T> cudaError_t linear_host<T>::set_values(const nb_cuda_values &values)
{
    const system_factors<T> &factors = system.factors;
    cudaError_t answer = send(system.value, values.value, 9 * entries * (system.storage ? 2 : sizeof(T)));
    if (!system.factored)
        return answer;
    const size_t mass = 9 * (size_t)factors.nodes * sizeof(T);
    answer = answer ? answer : send(factors.inverse_mass, values.inverse_mass, mass);
    return answer ? answer : send(factors.compliance, values.compliance, 3 * size() * sizeof(T));
}

template <class T>
nb_status linear_host<T>::update(const nb_cuda_values &values, nb_error *error)
{
    cudaError_t answer = set_values(values);
    answer = answer ? answer
                    : send(system.inverse, values.inverse, (system.wide ? 3 : 1) * size() * sizeof(T));
    answer = answer ? answer : send(system.weight, values.weight, size() * sizeof(T));
    answer = answer ? answer : cudaStreamSynchronize(stream);
    return nb_cuda_status(answer, "copying the matrix", error);
}

template <class T> cudaError_t linear_host<T>::fetch()
{
    const cudaError_t answer = cudaMemcpyAsync((void *)state, system.state, sizeof *state,
                                               cudaMemcpyDeviceToHost, stream);
    return answer == cudaSuccess ? cudaStreamSynchronize(stream) : answer;
}

template <class T> cudaError_t linear_host<T>::load(const nb_cuda_task &task)
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
template <class T> cudaError_t linear_host<T>::observe(const nb_cuda_task &task)
{
    cudaError_t answer = run(true, 0, true);
    for (int seen = -1; answer == cudaSuccess;) {
        answer = cudaMemcpyAsync(staging + size(), system.x, size() * sizeof(T),
                                 cudaMemcpyDeviceToHost, stream);
        if (answer == cudaSuccess)
            answer = fetch();
        if (answer == cudaSuccess && state->iteration > seen)
            task.observe(task.context, seen = state->iteration, staging + size());
        if (answer != cudaSuccess || state->after_iteration)
            break;
        answer = run(false, 1, true);
    }
    return answer;
}

template <class T> nb_linear_report linear_host<T>::solve(const nb_cuda_task &task)
{
    cudaError_t answer = load(task);
    if (answer == cudaSuccess)
        answer = task.observe ? observe(task) : run(true, task.iterations, false);
    if (answer == cudaSuccess)
        answer = cudaMemcpyAsync(staging + size(), system.x, size() * sizeof(T),
                                 cudaMemcpyDeviceToHost, stream);
    if (answer == cudaSuccess)
        answer = fetch();
    if (answer != cudaSuccess)
        return {NB_LINEAR_FAILED, state->iteration, cudaGetErrorString(answer)};
    memcpy(task.x, staging + size(), size() * sizeof(T));
    nb_linear_report report = report_of(*state);
    report.detail = report.detail[0] ? report.detail : team();
    return report;
}

template class linear_host<float>;
template class linear_host<double>;

template <class T> static nb_cuda_linear *make_solver(nb_cuda_method method, nb_cuda_by by)
{
    return by == NB_CUDA_BY_LIBRARY ? new_library<T>() : new_persistent<T>(method);
}

nb_status nb_cuda_linear_create(nb_cuda_linear **out, nb_cuda_method method, const nb_cuda_pattern *pattern,
                                nb_error *error)
{
    *out = nullptr;
    nb_status status = nb_cuda_check_device(error);
    if (status)
        return status;
    if (pattern->nodes > 0 && method == NB_CUDA_GAUSS_SEIDEL)
        return nb_fail(error, NB_UNSUPPORTED,
                       "Gauss-Seidel takes single rows, which only the assembled operator has");
    try {
        std::unique_ptr<nb_cuda_linear> solver(pattern->single ? make_solver<float>(method, pattern->by)
                                                               : make_solver<double>(method, pattern->by));
        status = solver->create(*pattern, error);
        *out = status ? nullptr : solver.release();
    } catch (const std::bad_alloc &) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a CUDA solver");
    }
    return status;
}

nb_status nb_cuda_linear_update(nb_cuda_linear *solver, const nb_cuda_values *values, nb_error *error)
{
    return solver->update(*values, error);
}

nb_linear_report nb_cuda_linear_solve(nb_cuda_linear *solver, const nb_cuda_task *task)
{
    return solver->solve(*task);
}

void nb_cuda_linear_free(nb_cuda_linear *solver)
{
    delete solver;
}
