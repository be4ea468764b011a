/* M of a global linear step is its file's matrix; that of bodies and particles is the inverse of the model's H^-1. */
#include "solvers/model/model_mass.h"

#include <string.h>

void nb_mass_blocks(const struct nb_model *model, nb_real *blocks)
{
    const struct nb_csr *mass = &model->problem->linear.mass;
    for (int node = 0; node < model->nodes && !model->mass_values; ++node)
        nb_mass_invert(model->inverse_mass + 9 * (size_t)node, blocks + 9 * (size_t)node);
    for (int i = 0; i < 3 * model->nodes && model->mass_values; ++i) {
        nb_real *row = blocks + 3 * (size_t)i;
        if (i >= mass->rows)
            row[i % 3] = 1;
        for (int k = i < mass->rows ? mass->start[i] : 0; i < mass->rows && k < mass->start[i + 1]; ++k)
            if (mass->column[k] / 3 == i / 3)
                row[mass->column[k] % 3] = model->mass_values[k];
    }
}

void nb_mass_multiply(const struct nb_model *model, const nb_real *blocks, const nb_real *u, nb_real *out)
{
    const struct nb_csr *mass = &model->problem->linear.mass;
    if (!model->mass_values) {
        for (size_t node = 0; node < (size_t)model->nodes; ++node)
            nb_block_apply(blocks + 9 * node, u + 3 * node, out + 3 * node);
        return;
    }
    memcpy(out, u, 3 * (size_t)model->nodes * sizeof *out); /* padding */
    for (int i = 0; i < mass->rows; ++i) {
        nb_sum sum = 0;
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            sum += (nb_sum)(model->mass_values[k] * u[mass->column[k]]);
        out[i] = (nb_real)sum;
    }
}
