// A cluster of blocks for each part of a step: how the clusters divide the parts' rows. Host code.
#ifndef NB_CUDA_STEP_CLUSTERS_CUH
#define NB_CUDA_STEP_CLUSTERS_CUH

#include "solvers/cuda/cluster.cuh"
#include "solvers/cuda/step/step_plan.cuh"

inline namespace NB(nb_cuda) {

struct step_clusters {
    int ranks = 0;                      // blocks of a cluster; 0: no clusters
    int stays = 0;                      // the values of the factors stay in global memory
    std::vector<int> split;             // [parts (ranks + 1)] rows from each part's first on
    std::vector<unsigned short> needed; // [rows]
    pcr_share_lists shares;             // of the nodes, by factors
    size_t room = 0;                    // shared memory that the largest share takes
};

template <class T>
step_clusters step_divide_parts_of(const step_plan &plan, const NB(nb_cuda_step_options) &options, int ranks,
                                   int stays)
{
    step_clusters out;
    out.ranks = ranks;
    out.stays = stays;
    for (size_t p = 0; p < (size_t)plan.parts; ++p) {
        const size_t first = (size_t)plan.rows.start[p];
        pcr_system<T> part = step_shape<T>(plan, options, p);
        part.stays = stays;
        const pcr_division one =
            pcr_divide(part, plan.start.data() + first, plan.column.data() + plan.start[first], ranks,
                       step_operand(options.method));
        out.split.insert(out.split.end(), one.split.begin(), one.split.end());
        out.needed.insert(out.needed.end(), one.needed.begin(), one.needed.end());
        if (plan.factored)
            out.shares.append(one.shares);
        out.room = std::max(out.room, one.bytes);
    }
    return out;
}

// Throws std::bad_alloc.
inline step_clusters step_divide_parts(const step_plan &plan, const NB(nb_cuda_step_options) &options, int ranks,
                                       int stays)
{
    return options.format ? step_divide_parts_of<float>(plan, options, ranks, stays)
                          : step_divide_parts_of<nb_real>(plan, options, ranks, stays);
}

// Where the kernels are to find it; bring(vector) copies one there.
template <class Bring> void step_bring_clusters(const step_clusters &clusters, step_system &s, Bring bring)
{
    s.room = clusters.room;
    s.ranks = clusters.ranks;
    s.linear.stays = s.lower.system.stays = clusters.stays;
    s.linear.split = s.lower.system.split = bring(clusters.split);
    s.linear.needed = s.lower.system.needed = bring(clusters.needed);
    if (s.linear.factored)
        s.linear.factors.shares = s.lower.system.factors.shares = clusters.shares.view(bring);
}

} // namespace

#endif
