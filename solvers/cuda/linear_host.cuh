// What linear solvers on the device share on the host: device memory, copies, and the loop around the iterations.
#ifndef NB_CUDA_LINEAR_HOST_CUH
#define NB_CUDA_LINEAR_HOST_CUH

#include "solvers/cuda/check.cuh"
#include "solvers/cuda/memory_layout.cuh"

extern "C" {
#include "solvers/cuda/device_linear.h"
}

struct nb_cuda_linear {
    virtual ~nb_cuda_linear() {}
    // Throws std::bad_alloc.
    virtual nb_status create(const nb_cuda_pattern &pattern, nb_error *error) = 0;
    virtual nb_status update(const nb_cuda_values &values, nb_error *error) = 0;
    virtual nb_linear_report solve(const nb_cuda_task &task) = 0;
};

template <class T> class linear_host : public nb_cuda_linear {
public:
    ~linear_host() override;
    nb_status create(const nb_cuda_pattern &pattern, nb_error *error) final;
    nb_status update(const nb_cuda_values &values, nb_error *error) final;
    nb_linear_report solve(const nb_cuda_task &task) final;

protected:
    // A solver's own part of create: chooses `blocks`, allocates. The arena is not there yet.
    virtual nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) = 0;
    // After the arena: what needs its addresses.
    virtual nb_status prepare(nb_error *) { return NB_OK; }
    virtual cudaError_t set_values(const nb_cuda_values &values);
    // Where start: begins the solve. Then `count` iterations; more than the limit do no harm. resumes: another call
    // goes on with this solve.
    virtual cudaError_t run(bool start, int count, bool resumes) = 0;
    // The scalars into *state; waits for the device.
    virtual cudaError_t fetch();
    // Which threads work on the system, for the report; static storage.
    virtual const char *team() const { return ""; }

    size_t size() const { return 3 * (size_t)system.rows; }

    linear_system<T> system = {};
    solve_state<T> *state = nullptr; // pinned, in host memory
    cudaStream_t stream = nullptr;
    size_t entries = 0;              // blocks of A or G
    int blocks = 1;                  // of the grid

private:
    nb_status allocate(nb_error *error);
    nb_status copy_pattern(const nb_cuda_pattern &pattern, nb_error *error);
    cudaError_t send(const void *to, const void *from, size_t bytes);
    cudaError_t observe(const nb_cuda_task &task);
    cudaError_t load(const nb_cuda_task &task);

    char *arena = nullptr;
    T *staging = nullptr;          // pinned [2 size()]: b, then x
};

// They throw std::bad_alloc.
template <class T> nb_cuda_linear *new_library();
template <class T> nb_cuda_linear *new_persistent(nb_cuda_method method);

#endif
