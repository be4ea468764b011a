// Colours for Gauss-Seidel: block rows of one colour do not meet, so that they can be relaxed at once. Each
// row takes the least colour that no earlier neighbour has.
#ifndef NB_CUDA_COLOURING_CUH
#define NB_CUDA_COLOURING_CUH

#include <vector>

struct nb_cuda_colouring {
    std::vector<int> order; // [rows], colour by colour, ascending within one
    std::vector<int> start; // [colours + 1]
};

inline nb_cuda_colouring nb_cuda_colour_rows(int rows, const int *start, const int *column)
{
    nb_cuda_colouring out;
    std::vector<int> colour(rows, -1), taken(rows + 1, -1);
    int colours = 0;
    for (int row = 0; row < rows; ++row) {
        for (int k = start[row]; k < start[row + 1]; ++k)
            if (column[k] != row && colour[column[k]] >= 0)
                taken[colour[column[k]]] = row;
        int least = 0;
        while (taken[least] == row)
            ++least;
        colour[row] = least;
        colours = least + 1 > colours ? least + 1 : colours;
    }
    out.start.assign(colours + 1, 0);
    for (int row = 0; row < rows; ++row)
        out.start[colour[row] + 1]++;
    for (int c = 0; c < colours; ++c)
        out.start[c + 1] += out.start[c];
    std::vector<int> next(out.start);
    out.order.resize(rows);
    for (int row = 0; row < rows; ++row)
        out.order[next[colour[row]]++] = row;
    return out;
}

#endif
