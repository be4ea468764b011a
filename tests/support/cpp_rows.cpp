// The preconditioner of the tutorial in C++: what a plugin may use of the language and of the headers.
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "solvers/model/model.h"
#include "solvers/strategy.h"

namespace {

struct RowSums {
    std::vector<nb_real> inverse;
};

nb_status setup(void **self, const nb_operator *op, nb_error *error)
{
    try {
        auto rows = std::make_unique<RowSums>();
        rows->inverse.resize(op->size);
        *self = rows.release();
        return NB_OK;
    } catch (const std::bad_alloc &) {
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for cpp_rows");
    }
}

nb_status update(void *self, const nb_operator *op, nb_error *)
{
    auto &inverse = static_cast<RowSums *>(self)->inverse;
    for (int i = 0; i < op->matrix->rows; ++i)
        for (int r = 0; r < 3; ++r) {
            nb_real sum = 0;
            for (int k = op->matrix->start[i]; k < op->matrix->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c)
                    sum += std::abs(static_cast<nb_real>(op->matrix->value[9 * k + 3 * r + c]));
            inverse[static_cast<std::size_t>(3 * i + r)] = 1 / sum;
        }
    return NB_OK;
}

void apply(const void *self, const nb_operator *, const nb_real *r, nb_real *z)
{
    const auto &inverse = static_cast<const RowSums *>(self)->inverse;
    std::transform(inverse.begin(), inverse.end(), r, z, [](nb_real a, nb_real b) { return a * b; });
}

void release(void *self)
{
    delete static_cast<RowSums *>(self);
}

} // namespace

extern "C" const nb_precond NB(nb_precond_cpp_rows) = {
    .name = "cpp_rows",
    .title = "row sums, in C++",
    .source = "docs/guide/tutorial.md",
    .needs_matrix = 1,
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = release,
};
