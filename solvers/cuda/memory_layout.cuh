// Where the arrays of a linear system lie, in global memory or in the shared memory of a block, and bringing a system
// from the one to the other and back.
#ifndef NB_CUDA_MEMORY_LAYOUT_CUH
#define NB_CUDA_MEMORY_LAYOUT_CUH

#include "solvers/cuda/linear_system.cuh"

// Cuts memory into arrays; with a null base it only counts bytes.
class array_cutter {
public:
    __host__ __device__ explicit array_cutter(char *where) : base(where) {}
    template <class E> __host__ __device__ void cut(E *&array, size_t count)
    {
        enum { ALIGNMENT = 16 };
        array = base ? (E *)(base + used) : nullptr;
        used += (count * sizeof(E) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    __host__ __device__ size_t total() const { return used; }

private:
    char *base;
    size_t used = 0;
};

// All arrays of a system whose rows, nodes, width and storage are known, but for the order of colours, which stays
// where it is: `entries` blocks, partial sums of `blocks` blocks of threads. Returns the bytes.
template <class T>
__host__ __device__ size_t lay_out_system(char *base, size_t entries, size_t blocks, linear_system<T> &system)
{
    const size_t n = 3 * (size_t)system.rows, nodes = (size_t)system.factors.nodes;
    const size_t width = system.storage ? 2 : sizeof(T);
    const char *value = nullptr;
    array_cutter memory(base);
    memory.cut(system.state, 1);
    T **const sums[] = {&system.sum_rr, &system.sum_bb, &system.sum_zw, &system.sum_ww, &system.sum_wq};
    for (T **sum : sums)
        memory.cut(*sum, blocks);
    T **const vectors[] = {&system.x, &system.r, &system.z, &system.p, &system.q, &system.w};
    for (T **vector : vectors)
        memory.cut(*vector, n);
    memory.cut(system.b, n);
    memory.cut(system.weight, n);
    memory.cut(system.inverse, system.wide ? 3 * n : n);
    memory.cut(system.start, (size_t)system.rows + 1);
    memory.cut(system.column, entries);
    memory.cut(value, 9 * entries * width);
    system.value = value;
    if (system.factored) {
        system_factors<T> &factors = system.factors;
        memory.cut(factors.node_start, nodes + 1);
        memory.cut(factors.node_entry, entries);
        memory.cut(factors.node_row, entries);
        memory.cut(factors.inverse_mass, 9 * nodes);
        memory.cut(factors.compliance, 3 * n);
        memory.cut(factors.velocity, 3 * nodes);
    }
    return memory.total();
}

// By the threads of a block.
template <class E> __device__ void copy_array(const E *to, const E *from, size_t count)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        const_cast<E *>(to)[i] = from[i];
}
__device__ inline void copy_indices(const int *to, const int *from, size_t count, int less)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        const_cast<int *>(to)[i] = from[i] - less;
}

// The factors besides the blocks, whose numbers are counted from the system's first one.
template <class T>
__device__ void copy_factors(const linear_system<T> &far, const linear_system<T> &near, size_t entries)
{
    const system_factors<T> &to = near.factors, &from = far.factors;
    const size_t nodes = (size_t)from.nodes;
    const int first = from.node_start[0];
    copy_indices(to.node_start, from.node_start, nodes + 1, first);
    copy_indices(to.node_entry, from.node_entry + first, entries, far.start[0]);
    copy_array(to.node_row, from.node_row + first, entries);
    copy_array(to.inverse_mass, from.inverse_mass, 9 * nodes);
    copy_array(to.compliance, from.compliance, 9 * (size_t)far.rows);
}

// A system before its solve, copied into the memory of a block, which is to solve it by itself; a barrier has to
// follow.
template <class T> __device__ linear_system<T> copy_system(const linear_system<T> &far, char *memory)
{
    const size_t n = 3 * (size_t)far.rows;
    const int first = far.start[0];
    const size_t entries = (size_t)(far.start[far.rows] - first);
    linear_system<T> near = far;
    near.lone = 1;
    lay_out_system(memory, entries, 1, near);
    copy_indices(near.start, far.start, (size_t)far.rows + 1, first);
    copy_array(near.column, far.column + first, entries);
    if (near.storage)
        copy_array((const unsigned short *)near.value, (const unsigned short *)far.value + 9 * (size_t)first,
                   9 * entries);
    else
        copy_array((const T *)near.value, (const T *)far.value + 9 * (size_t)first, 9 * entries);
    copy_array(near.inverse, far.inverse, far.wide ? 3 * n : n);
    copy_array(near.b, far.b, n);
    copy_array(near.weight, far.weight, n);
    copy_array(near.x, far.x, n);
    copy_array(near.state, far.state, 1);
    if (far.factored)
        copy_factors(far, near, entries);
    return near;
}

// x and the state go back.
template <class T> __device__ void return_solution(const linear_system<T> &far, const linear_system<T> &near)
{
    copy_array(far.x, near.x, 3 * (size_t)near.rows);
    copy_array(far.state, near.state, 1);
}

#endif
