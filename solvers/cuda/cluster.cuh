// A system in the shared memory of a cluster of blocks (thread block clusters, from compute capability 9.0
// on): each block has its own rows there, and a copy of the vector that is multiplied by A, of which the
// blocks send one another what they read; by factors, shares of the momenta instead (factors.cuh). Faster
// than a barrier of the grid by an order of magnitude, and eight or sixteen times one block's memory.
#ifndef NB_CUDA_CLUSTER_CUH
#define NB_CUDA_CLUSTER_CUH

#include <algorithm>
#include <vector>

#include "solvers/cuda/divide_factors.cuh"
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
    std::vector<unsigned short> needed;  // [rows] the other blocks that read a row, as bits; by factors none
    pcr_share_lists shares;              // of the nodes; empty where A is assembled
    size_t bytes = 0;                    // of shared memory in the block that takes most
};

// Who reads the rows of others, where A is assembled.
inline void pcr_find_readers(pcr_division &division, const int *start, const int *column)
{
    const std::vector<int> &split = division.split;
    std::vector<int> owner((size_t)split.back());
    for (int rank = 0; rank + 1 < (int)split.size(); ++rank)
        for (int row = split[(size_t)rank]; row < split[(size_t)rank + 1]; ++row)
            owner[(size_t)row] = rank;
    for (int row = 0; row < split.back(); ++row)
        for (int k = start[row] - start[0]; k < start[row + 1] - start[0]; ++k)
            if (owner[(size_t)column[k]] != owner[(size_t)row])
                division.needed[(size_t)column[k]] |= (unsigned short)(1u << owner[(size_t)row]);
}

// The first row of each block: consecutive ones, so that the shared memory for rows and entries is as even as whole
// rows allow.
template <class T>
std::vector<int> pcr_split_rows(const pcr_system<T> &system, const int *start, int ranks, pcr_operand multiplied)
{
    const auto bytes = [&](int rows, size_t entries) {
        pcr_system<T> part = system;
        part.ranks = ranks;
        part.first = part.factors.nodes = part.factors.slots = 0;
        part.rows = rows;
        return (long)pcr_place((char *)nullptr, system.rows, entries, multiplied, part);
    };
    const int many = 1024; // of which alignment is no part that counts
    const long a_row = (bytes(many, 0) - bytes(0, 0)) / many, an_entry = (bytes(0, many) - bytes(0, 0)) / many;
    const auto before = [&](int row) { return a_row * row + an_entry * (start[row] - start[0]); };
    std::vector<int> out;
    for (int rank = 0, row = 0; rank <= ranks; ++rank) {
        while (row < system.rows && (rank == ranks || before(row) * ranks < before(system.rows) * rank))
            ++row;
        out.push_back(row);
    }
    return out;
}

// start counts from start[0]; columns from row 0, or node 0. Host code; throws std::bad_alloc.
template <class T>
pcr_division pcr_divide(const pcr_system<T> &system, const int *start, const int *column, int ranks,
                        pcr_operand multiplied)
{
    pcr_division out;
    out.split = pcr_split_rows(system, start, ranks, multiplied);
    out.needed.assign((size_t)system.rows, 0);
    if (system.factored)
        out.shares = pcr_share_nodes(system.factors.nodes, start, column, out.split);
    else
        pcr_find_readers(out, start, column);
    for (int rank = 0; rank < ranks; ++rank) {
        pcr_system<T> part = system;
        part.ranks = ranks;
        part.first = out.split[(size_t)rank];
        part.rows = out.split[(size_t)rank + 1] - part.first;
        if (system.factored) {
            part.factors.nodes = out.shares.nodes((size_t)rank);
            part.factors.slots = out.shares.slots((size_t)rank);
        }
        const size_t entries = (size_t)(start[part.first + part.rows] - start[part.first]);
        out.bytes = std::max(
            out.bytes, pcr_place((char *)nullptr, system.rows, entries, multiplied, part));
    }
    return out;
}

#endif
