// A linear system in the shared memory of a block, or of one block of a cluster: where its arrays lie, and
// bringing them there and back.
#ifndef NB_CUDA_PLACE_CUH
#define NB_CUDA_PLACE_CUH

#include "solvers/cuda/system.cuh"

template <class E> __device__ void pcr_copy(E *to, const E *from, size_t count)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        to[i] = from[i];
}

// What the factors have besides the blocks, numbers and indices, for n scalar rows. Both return what follows.
template <class T> __host__ __device__ T *pcr_place_factors(T *at, size_t n, pcr_factors<T> &factors)
{
    const size_t nodes = (size_t)factors.nodes;
    factors.compliance = at;
    factors.inverse_mass = at += 3 * n;
    factors.velocity = at += 9 * nodes;
    return at + 3 * nodes;
}
template <class T>
__host__ __device__ int *pcr_place_nodes(int *at, size_t entries, bool clustered,
                                         pcr_factors<T> &factors)
{
    factors.node_start = at;
    factors.node_entry = at += factors.nodes + 1;
    factors.node_row = at += entries;
    factors.slot_start = at += entries;
    factors.slot = at += clustered ? factors.nodes + 1 : 0;
    return at + factors.slots;
}

// Brings them there, counted from the system's first entry.
template <class T>
__device__ void pcr_bring_factors(pcr_system<T> &near, const pcr_system<T> &far, size_t entries)
{
    const pcr_factors<T> &to = near.factors, &from = far.factors;
    const size_t nodes = (size_t)from.nodes;
    const int first_entry = far.start[0], first = from.node_start[0];
    pcr_copy((int *)near.column, far.column + first_entry, entries);
    pcr_copy((T *)to.compliance, from.compliance, 9 * (size_t)far.rows);
    pcr_copy((T *)to.inverse_mass, from.inverse_mass, 9 * nodes);
    pcr_copy((int *)to.node_row, from.node_row + first, entries);
    for (size_t i = threadIdx.x; i <= nodes; i += blockDim.x)
        ((int *)to.node_start)[i] = from.node_start[i] - first;
    for (size_t i = threadIdx.x; i < entries; i += blockDim.x)
        ((int *)to.node_entry)[i] = from.node_entry[first + i] - first_entry;
}

// The same for one block of a cluster: its own numbers of nodes are in the far system's shares.
template <class T>
__device__ void pcr_bring_shares(pcr_system<T> &near, const pcr_system<T> &far, size_t entries)
{
    const pcr_factors<T> &to = near.factors, &from = far.factors;
    const pcr_shares &shares = from.shares;
    const size_t nodes = (size_t)to.nodes, first = (size_t)shares.first[near.rank];
    const size_t first_entry = (size_t)far.start[near.first];
    pcr_copy((int *)near.column, shares.column + first_entry, entries);
    pcr_copy((int *)to.node_entry, shares.node_entry + first_entry, entries);
    pcr_copy((int *)to.node_row, shares.node_row + first_entry, entries);
    pcr_copy((int *)to.node_start, shares.node_start + first, nodes + 1);
    pcr_copy((int *)to.slot_start, shares.slot_start + first, nodes + 1);
    pcr_copy((int *)to.slot, shares.slot + shares.first_slot[near.rank], (size_t)to.slots);
    pcr_copy((T *)to.compliance, from.compliance + 9 * (size_t)near.first, 9 * (size_t)near.rows);
    for (size_t i = threadIdx.x; i < 9 * nodes; i += blockDim.x)
        ((T *)to.inverse_mass)[i] = from.inverse_mass[9 * (size_t)shares.node[first + i / 9] + i % 9];
}

// The arrays of `near`, in shared memory: one block's `near.rows` of the `rows` rows, with that many
// entries. What others of a cluster write, they find at the same place in each block: the partial sums, and
// the vector that is multiplied by A, or by factors the momenta. The order of colours stays where it
// is, and in a cluster b, of which each row reads its own. Returns the bytes.
template <class T>
__host__ __device__ size_t pcr_place(char *base, int rows, size_t entries, pcr_operand multiplied,
                                     pcr_system<T> &near)
{
    const size_t n = 3 * (size_t)near.rows, sums = near.ranks ? (size_t)near.ranks : 1;
    T *at = (T *)base;
    near.sum_rr = at;
    near.sum_bb = at += sums;
    near.sum_zw = at += sums;
    near.sum_ww = at += sums;
    near.sum_wq = at += sums;
    at += sums;
    near.factors.momentum = at;
    T *const mine = at += 3 * (size_t)near.factors.slots;
    T *const whole = near.factored ? mine : mine + 3 * (size_t)near.first;
    near.inverse = at += near.factored ? n : 3 * (size_t)rows;
    near.b = at += near.wide ? 3 * n : n;
    at += near.ranks ? 0 : n;
    T **const vectors[] = {&near.z, &near.p, &near.x, &near.r, &near.q, &near.w};
    for (int k = 0; k < 6; ++k) {
        *vectors[k] = k == multiplied ? whole : at;
        at += k == multiplied ? 0 : n;
    }
    at = near.factored ? pcr_place_factors(at, n, near.factors) : at;
    near.state = (pcr_state<T> *)at; // of T and int: aligned as T
    near.start = (int *)(near.state + 1);
    near.column = near.start + near.rows + 1;
    int *after = (int *)near.column + entries;
    if (near.factored)
        after = pcr_place_nodes(after, entries, near.ranks > 0, near.factors);
    near.needed = (const unsigned short *)after;
    const char *const end = (const char *)(near.needed + (near.ranks ? near.rows : 0));
    if (near.stays)
        return (size_t)(end - (const char *)base);
    const size_t width = near.storage ? 2 : sizeof(T);
    const size_t value = ((size_t)(end - (const char *)base) + width - 1) / width * width;
    near.value = base + value;
    return value + 9 * entries * width;
}

// A new right side, first x and state of a system that has been brought; a barrier has to follow.
template <class T> __device__ void pcr_renew(const pcr_system<T> &far, const pcr_system<T> &near)
{
    const size_t n = 3 * (size_t)near.rows;
    if (!near.ranks)
        pcr_copy((T *)near.b, far.b, n);
    pcr_copy(near.x, far.x + 3 * (size_t)near.first, n);
    pcr_copy(near.state, far.state, 1);
}

// All of a system, or of one with a `split` the rows of this block of the cluster, brought into the block's
// memory; a barrier has to follow. `resumed`: it has been returned after an iteration.
template <class T>
__device__ pcr_system<T> pcr_bring(const pcr_system<T> &far, pcr_operand multiplied, bool resumed,
                                   char *memory)
{
    pcr_system<T> near = far;
    near.lone = 1;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (far.split) {
        near.rank = (int)__clusterRelativeBlockRank();
        near.ranks = (int)__clusterSizeInBlocks();
        near.first = far.split[near.rank];
        near.rows = far.split[near.rank + 1] - near.first;
    }
#endif
    const size_t first = 3 * (size_t)near.first, n = 3 * (size_t)near.rows, wide = near.wide ? 3 : 1;
    const int from = far.start[near.first];
    const size_t entries = (size_t)(far.start[near.first + near.rows] - from);
    if (near.ranks && far.factored) {
        const pcr_shares &shares = far.factors.shares;
        near.factors.nodes = shares.first[near.rank + 1] - shares.first[near.rank] - 1;
        near.factors.slots = shares.first_slot[near.rank + 1] - shares.first_slot[near.rank];
        near.guess = far.guess + first;
    }
    pcr_place(memory, far.rows, entries, multiplied, near);
    const size_t width = near.storage ? 2 : sizeof(T);
    const char *const value = (const char *)far.value + 9 * (size_t)from * width;
    if (near.stays)
        near.value = value;
    else if (near.storage)
        pcr_copy((unsigned short *)near.value, (const unsigned short *)value, 9 * entries);
    else
        pcr_copy((T *)near.value, (const T *)value, 9 * entries);
    pcr_copy((T *)near.inverse, far.inverse + wide * first, wide * n);
    if (near.ranks)
        near.b = far.b + first;
    if (!far.factored)
        pcr_copy((int *)near.column, far.column + from, entries);
    else if (near.ranks)
        pcr_bring_shares(near, far, entries);
    else
        pcr_bring_factors(near, far, entries);
    if (near.ranks)
        pcr_copy((unsigned short *)near.needed, far.needed + near.first, (size_t)near.rows);
    for (int i = (int)threadIdx.x; i <= near.rows; i += (int)blockDim.x)
        ((int *)near.start)[i] = far.start[near.first + i] - from;
    pcr_renew(far, near);
    if (multiplied == PCR_X && near.ranks && !near.factored) { // the others' rows, too
        pcr_copy(near.x - first, far.x, first);
        pcr_copy(near.x + n, far.x + first + n, 3 * (size_t)far.rows - first - n);
    }
    if (resumed) {
        const size_t sums = near.ranks ? (size_t)near.ranks : 1;
        pcr_copy(near.r, far.r + first, n);
        pcr_copy(near.z, far.z + first, n);
        pcr_copy(near.p, far.p + first, n);
        pcr_copy(near.q, far.q + first, n);
        pcr_copy(near.w, far.w + first, n);
        pcr_copy(near.sum_rr, far.sum_rr, sums);
        pcr_copy(near.sum_zw, far.sum_zw, sums);
        pcr_copy(near.sum_ww, far.sum_ww, sums);
        pcr_copy(near.sum_wq, far.sum_wq, sums);
    }
    return near;
}

// Back to where it came from: x and the state, and, where it is to be resumed, what the next iteration needs.
template <class T>
__device__ void pcr_return(const pcr_system<T> &far, const pcr_system<T> &near, bool resumes)
{
    const size_t first = 3 * (size_t)near.first, n = 3 * (size_t)near.rows;
    const size_t sums = near.rank > 0 ? 0 : near.ranks ? (size_t)near.ranks : 1;
    pcr_copy(far.x + first, near.x, n);
    pcr_copy(far.state, near.state, near.rank == 0);
    if (!resumes)
        return;
    pcr_copy(far.r + first, near.r, n);
    pcr_copy(far.z + first, near.z, n);
    pcr_copy(far.p + first, near.p, n);
    pcr_copy(far.q + first, near.q, n);
    pcr_copy(far.w + first, near.w, n);
    pcr_copy(far.sum_rr, near.sum_rr, sums);
    pcr_copy(far.sum_zw, near.sum_zw, sums);
    pcr_copy(far.sum_ww, near.sum_ww, sums);
    pcr_copy(far.sum_wq, near.sum_wq, sums);
}

#endif
