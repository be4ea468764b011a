// How the blocks of a cluster share the nodes of G, whose rows they divide: each block numbers the nodes that
// its rows meet anew, and has a slot for each block's share of each of their momenta. Host code.
#ifndef NB_CUDA_DIVIDE_FACTORS_CUH
#define NB_CUDA_DIVIDE_FACTORS_CUH

#include <algorithm>
#include <vector>

#include "solvers/cuda/system.cuh"

// The arrays of pcr_shares.
struct pcr_share_lists {
    std::vector<int> first = {0}, first_slot = {0}, node, node_start, slot_start, column, node_entry,
                     node_row, slot;

    int nodes(size_t block) const { return first[block + 1] - first[block] - 1; }
    int slots(size_t block) const { return first_slot[block + 1] - first_slot[block]; }

    // Those of another system behind these.
    void append(const pcr_share_lists &other)
    {
        const int nodes_before = first.back(), slots_before = first_slot.back();
        for (size_t block = 1; block < other.first.size(); ++block) {
            first.push_back(nodes_before + other.first[block]);
            first_slot.push_back(slots_before + other.first_slot[block]);
        }
        std::vector<int> *const to[] = {&node, &node_start, &slot_start, &column, &node_entry, &node_row, &slot};
        const std::vector<int> *const from[] = {&other.node,   &other.node_start, &other.slot_start,
                                                &other.column, &other.node_entry, &other.node_row,
                                                &other.slot};
        for (size_t k = 0; k < sizeof to / sizeof *to; ++k)
            to[k]->insert(to[k]->end(), from[k]->begin(), from[k]->end());
    }

    // copy: from a vector to where the kernels read it.
    template <class Copy> pcr_shares view(Copy copy) const
    {
        pcr_shares out = {};
        out.first = copy(first);
        out.first_slot = copy(first_slot);
        out.node = copy(node);
        out.node_start = copy(node_start);
        out.slot_start = copy(slot_start);
        out.column = copy(column);
        out.node_entry = copy(node_entry);
        out.node_row = copy(node_row);
        out.slot = copy(slot);
        return out;
    }
};

// The block's own numbers of nodes, its entries by nodes; appended to out. met: blocks that meet a node, as bits.
inline void pcr_number_nodes(pcr_share_lists &out, const int *start, const int *column, int first_row,
                             int end_row, const std::vector<unsigned> &met)
{
    const int from = start[first_row], entries = start[end_row] - from;
    const int *const own = column + (from - start[0]);
    std::vector<int> node(own, own + entries);
    std::sort(node.begin(), node.end());
    node.erase(std::unique(node.begin(), node.end()), node.end());
    std::vector<int> node_start(node.size() + 1, 0), number((size_t)entries);
    for (size_t e = 0; e < number.size(); ++e) {
        number[e] = (int)(std::lower_bound(node.begin(), node.end(), own[e]) - node.begin());
        node_start[(size_t)number[e] + 1]++;
    }
    for (size_t k = 0; k < node.size(); ++k)
        node_start[k + 1] += node_start[k];
    std::vector<int> next(node_start), entry((size_t)entries), row((size_t)entries);
    for (int i = first_row; i < end_row; ++i)
        for (int e = start[i] - from; e < start[i + 1] - from; ++e) {
            const size_t at = (size_t)next[(size_t)number[(size_t)e]]++;
            entry[at] = e;
            row[at] = i - first_row;
        }
    int slots = 0;
    for (int one : node) {
        out.node.push_back(one);
        out.slot_start.push_back(slots);
        slots += __builtin_popcount(met[(size_t)one]);
    }
    out.node.push_back(0); // as long as the starts
    out.slot_start.push_back(slots);
    out.node_start.insert(out.node_start.end(), node_start.begin(), node_start.end());
    out.column.insert(out.column.end(), number.begin(), number.end());
    out.node_entry.insert(out.node_entry.end(), entry.begin(), entry.end());
    out.node_row.insert(out.node_row.end(), row.begin(), row.end());
    out.first.push_back((int)out.node.size());
    out.first_slot.push_back(out.first_slot.back() + slots);
}

// start counts from start[0], columns from node 0; split [blocks + 1] are rows. Throws std::bad_alloc.
inline pcr_share_lists pcr_share_nodes(int nodes, const int *start, const int *column,
                                       const std::vector<int> &split)
{
    pcr_share_lists out;
    const size_t blocks = split.size() - 1;
    std::vector<unsigned> met((size_t)nodes, 0u);
    for (size_t block = 0; block < blocks; ++block)
        for (int e = start[split[block]]; e < start[split[block + 1]]; ++e)
            met[(size_t)column[e - start[0]]] |= 1u << block;
    for (size_t block = 0; block < blocks; ++block)
        pcr_number_nodes(out, start, column, split[block], split[block + 1], met);
    // A node's slots are those of the blocks that meet it, in their order.
    for (size_t block = 0; block < blocks; ++block)
        for (int k = out.first[block]; k + 1 < out.first[block + 1]; ++k) {
            const unsigned others = met[(size_t)out.node[(size_t)k]];
            const int place = __builtin_popcount(others & ((1u << block) - 1));
            for (unsigned left = others; left; left &= left - 1) {
                const size_t other = (size_t)__builtin_ctz(left);
                const auto begin = out.node.begin() + out.first[other],
                           end = out.node.begin() + out.first[other + 1] - 1;
                const size_t at = (size_t)(std::lower_bound(begin, end, out.node[(size_t)k]) - out.node.begin());
                out.slot.push_back((int)other + 16 * (out.slot_start[at] + place));
            }
        }
    return out;
}

#endif
