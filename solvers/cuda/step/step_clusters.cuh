// A cluster of blocks for each part of a step: how the clusters divide the parts' rows. Host code.
#ifndef NB_CUDA_STEP_CLUSTERS_CUH
#define NB_CUDA_STEP_CLUSTERS_CUH

#include "solvers/cuda/cluster.cuh"
#include "solvers/cuda/step/step_plan.cuh"

struct step_clusters {
    int ranks = 0;                      // blocks of a cluster; 0: no clusters
    std::vector<int> split;             // [parts (ranks + 1)] rows from each part's first on
    std::vector<unsigned short> needed; // [rows]
    size_t room = 0;                    // shared memory that the largest share takes
};

// Throws std::bad_alloc.
inline step_clusters step_divide_parts(const step_plan &plan, int ranks, bool wide, bool gradients)
{
    step_clusters out;
    out.ranks = ranks;
    for (size_t p = 0; p < (size_t)plan.parts; ++p) {
        const size_t first = (size_t)plan.rows.start[p];
        pcr_system<nb_real> part = {};
        part.rows = plan.rows.start[p + 1] - (int)first;
        part.wide = wide;
        const pcr_division one =
            pcr_divide(part, plan.start.data() + first, plan.column.data() + plan.start[first], ranks,
                       gradients);
        out.split.insert(out.split.end(), one.split.begin(), one.split.end());
        out.needed.insert(out.needed.end(), one.needed.begin(), one.needed.end());
        out.room = std::max(out.room, one.bytes);
    }
    return out;
}

#endif
