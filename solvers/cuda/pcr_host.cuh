// What the three ways share on the host: device memory, copies, and the loop around the iterations.
#ifndef NB_CUDA_PCR_HOST_CUH
#define NB_CUDA_PCR_HOST_CUH

#include "solvers/cuda/check.cuh"
#include "solvers/cuda/pcr_stages.cuh"

extern "C" {
#include "solvers/cuda/pcr.h"
}

struct nb_cuda_pcr {
    virtual ~nb_cuda_pcr() {}
    // Throws std::bad_alloc.
    virtual nb_status create(const nb_cuda_pattern &pattern, nb_error *error) = 0;
    virtual nb_status update(const nb_cuda_values &values, nb_error *error) = 0;
    virtual nb_linear_report solve(const nb_cuda_task &task) = 0;
};

template <class T> class pcr_host : public nb_cuda_pcr {
public:
    ~pcr_host() override;
    nb_status create(const nb_cuda_pattern &pattern, nb_error *error) final;
    nb_status update(const nb_cuda_values &values, nb_error *error) final;
    nb_linear_report solve(const nb_cuda_task &task) final;

protected:
    // The way's own part of create: chooses `blocks`, allocates. The arena is not there yet.
    virtual nb_status plan(const nb_cuda_pattern &pattern, nb_error *error) = 0;
    // After the arena: what needs its addresses.
    virtual nb_status prepare(nb_error *) { return NB_OK; }
    virtual cudaError_t set_values(const nb_cuda_values &values);
    // Where start: begins the solve. Then `count` iterations; more than the limit do no harm.
    virtual cudaError_t run(bool start, int count) = 0;
    // The scalars into *state; waits for the device.
    virtual cudaError_t fetch();
    // Where the system is kept, for the report; static storage.
    virtual const char *place() const { return ""; }
    // Iterations between two looks at the verdict.
    virtual int stride(int limit) { return limit; }

    size_t size() const { return 3 * (size_t)system.rows; }
    size_t value_bytes() const { return 9 * entries * (system.storage ? 2 : sizeof(T)); }

    pcr_system<T> system = {};
    pcr_state<T> *state = nullptr; // pinned, in host memory
    cudaStream_t stream = nullptr;
    size_t entries = 0;            // blocks of A
    int blocks = 1;                // of the grid

private:
    nb_status allocate(nb_error *error);
    nb_status copy_pattern(const nb_cuda_pattern &pattern, nb_error *error);
    cudaError_t send(const void *to, const void *from, size_t bytes);
    cudaError_t iterate(const nb_cuda_task &task);
    cudaError_t observe(const nb_cuda_task &task);
    cudaError_t load(const nb_cuda_task &task);

    char *arena = nullptr;
    T *staging = nullptr;          // pinned [2 size()]: b, then x
};

// One of each way; they throw std::bad_alloc.
template <class T> nb_cuda_pcr *pcr_new_library();
template <class T> nb_cuda_pcr *pcg_new_library();
template <class T> nb_cuda_pcr *pcr_new_dense();
template <class T> nb_cuda_pcr *pcr_new_graph(nb_cuda_method method);
template <class T> nb_cuda_pcr *pcr_new_persistent(nb_cuda_method method);
template <class T> nb_cuda_pcr *pcr_new_sweep(nb_cuda_method method);

// How many blocks of `threads` threads to start for that many block rows: one warp a row, and no more
// than run at the same time. 0 and an error where none can.
nb_status pcr_grid(const void *kernel, int threads, int rows, int *blocks, nb_error *error);

enum { PCR_THREADS = 512 };

#endif
