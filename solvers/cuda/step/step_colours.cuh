// Colours of the rows of a step, part by part, for Gauss-Seidel. The pattern does not change within a step, so that the
// host finds them once. Host code.
#ifndef NB_CUDA_STEP_COLOURS_CUH
#define NB_CUDA_STEP_COLOURS_CUH

#include <algorithm>

#include "solvers/cuda/colours.cuh"
#include "solvers/precision.h"

inline namespace NB(nb_cuda) {

struct step_colours {
    std::vector<int> order; // [rows] by colour, counted from their part's first
    std::vector<int> start; // of the colours in their part's order, one more than it has colours for each part
    std::vector<int> first; // where a part's are in start [parts + 1]
    int most = 0;           // colours of a part
};

// The matrix in the order of the rows, of which part p has row[p] to row[p + 1] - 1; columns count from row[p].
inline step_colours step_colour(int parts, const std::vector<int> &row, const std::vector<int> &start,
                                const std::vector<int> &column)
{
    step_colours out;
    for (size_t p = 0; p < (size_t)parts; ++p) {
        const nb_cuda_colours part =
            nb_cuda_colour_rows(row[p + 1] - row[p], start.data() + row[p], column.data());
        out.first.push_back((int)out.start.size());
        out.order.insert(out.order.end(), part.order.begin(), part.order.end());
        out.start.insert(out.start.end(), part.start.begin(), part.start.end());
        out.most = std::max(out.most, (int)part.start.size() - 1);
    }
    out.first.push_back((int)out.start.size());
    return out;
}

} // namespace

#endif
