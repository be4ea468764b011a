// A system in the shared memory of a cluster of blocks (thread block clusters, from compute capability 9.0
// on): each block has its own rows there, and a copy of the vector that is multiplied by A, of which the
// blocks send one another what they read. Faster than a barrier of the grid by an order of magnitude, and
// eight or sixteen times one block's memory.
#ifndef NB_CUDA_CLUSTER_CUH
#define NB_CUDA_CLUSTER_CUH

#include <algorithm>
#include <vector>

#include "solvers/cuda/iterate.cuh"

struct cluster_barrier {
    __device__ void operator()() const
    {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
#endif
    }
};

// How a cluster of that many blocks divides a system.
struct pcr_division {
    std::vector<int> split;              // [blocks + 1] each block's first row
    std::vector<unsigned short> needed;  // [rows] the other blocks that read a row, as bits
    size_t bytes = 0;                    // of shared memory in the block that takes most
};

// Consecutive rows, so that entries are as even as whole rows allow. start counts from start[0]; columns
// from row 0. Host code; throws std::bad_alloc.
template <class T>
pcr_division pcr_divide(const pcr_system<T> &system, const int *start, const int *column, int ranks,
                        bool multiplies_p)
{
    pcr_division out;
    const long all = start[system.rows] - start[0];
    std::vector<int> owner((size_t)system.rows);
    out.needed.assign((size_t)system.rows, 0);
    for (int rank = 0, row = 0; rank <= ranks; ++rank) {
        while (row < system.rows && (rank == ranks || (start[row] - start[0]) * (long)ranks < all * rank))
            ++row;
        out.split.push_back(row);
    }
    for (int rank = 0; rank < ranks; ++rank)
        for (int row = out.split[(size_t)rank]; row < out.split[(size_t)rank + 1]; ++row)
            owner[(size_t)row] = rank;
    for (int row = 0; row < system.rows; ++row)
        for (int k = start[row] - start[0]; k < start[row + 1] - start[0]; ++k)
            if (owner[(size_t)column[k]] != owner[(size_t)row])
                out.needed[(size_t)column[k]] |= (unsigned short)(1u << owner[(size_t)row]);
    for (int rank = 0; rank < ranks; ++rank) {
        pcr_system<T> part = system;
        part.ranks = ranks;
        part.first = out.split[(size_t)rank];
        part.rows = out.split[(size_t)rank + 1] - part.first;
        const size_t entries = (size_t)(start[part.first + part.rows] - start[part.first]);
        out.bytes = std::max(
            out.bytes, pcr_place((char *)nullptr, system.rows, entries, multiplies_p, part));
    }
    return out;
}

#endif
