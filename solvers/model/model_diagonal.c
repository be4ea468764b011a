/* The diagonal of J H^-1 J^T, row by row, without the product; of a stored Delassus operator its own. */
#include "solvers/block/block3.h"
#include "solvers/model/model.h"

/* One row's quadratic form sum_k j_k^T H_k^-1 j_k over its nodes. */
static nb_real row_diagonal(const struct nb_model *model, int block_row, int r)
{
    const struct nb_bsr *jacobian = &model->jacobian;
    nb_real sum = 0;
    for (int k = jacobian->start[block_row]; k < jacobian->start[block_row + 1]; ++k) {
        const nb_matrix *row = jacobian->value + 9 * (size_t)k + 3 * r;
        const nb_real j[3] = {(nb_real)row[0], (nb_real)row[1], (nb_real)row[2]};
        nb_real v[3];
        nb_block_apply(model->inverse_mass + 9 * (size_t)jacobian->column[k], j, v);
        sum += j[0] * v[0] + j[1] * v[1] + j[2] * v[2];
    }
    return sum;
}

static nb_real stored_diagonal(const struct nb_bsr *delassus, int block_row, int r)
{
    for (int k = delassus->start[block_row]; k < delassus->start[block_row + 1]; ++k)
        if (delassus->column[k] == block_row)
            return (nb_real)delassus->value[9 * (size_t)k + 4 * (size_t)r];
    return 0;
}

void nb_model_diagonal(const struct nb_model *model, nb_real *diagonal)
{
    const int stored = model->inertia_kind != NB_INERTIA_BLOCKS;
    for (int i = 0; i < model->blocks; ++i)
        for (int r = 0; r < 3; ++r)
            diagonal[3 * i + r] = stored ? stored_diagonal(&model->delassus, i, r)
                                         : row_diagonal(model, i, r);
}
