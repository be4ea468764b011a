/* The rows of one attachment, one distance and one tie (solvers/model/rows/links.c). Private to solvers/model/rows and
 * the CUDA solvers. */
#ifndef NB_MODEL_LINK_ROWS_H
#define NB_MODEL_LINK_ROWS_H

#include "solvers/block/block3.h"
#include "solvers/model/rows/nonlinear.h"

NB_BOTH void NB(nb_block_set_identity)(nb_matrix *block, nb_matrix value)
{
    for (int k = 0; k < 9; ++k)
        block[k] = k % 4 == 0 ? value : 0;
}

NB_BOTH void NB(nb_evaluate_attachment)(struct nb_model *model, int i, const nb_real *u)
{
    const struct nb_links *links = &model->nonlinear->links;
    const int row = links->first_attachment + i, body = links->body[i];
    const int node = model->nonlinear->particles.first_node + links->particle[i];
    const nb_real h = model->time_step, *v = u + 3 * (size_t)node;
    nb_real between[3], r[3] = {0, 0, 0};
    for (size_t k = 0; k < 3; ++k)
        between[k] = links->offset[3 * (size_t)i + k] +
                     h * (body < 0 ? v[k] : v[k] - u[6 * (size_t)body + k]);
    NB(nb_block_set_identity)(nb_block_of(model, row, node), 1);
    if (body >= 0) {
        nb_block_apply(model->nonlinear->bodies.rotation + 9 * (size_t)body, links->point + 3 * (size_t)i, r);
        const nb_real turn[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
        nb_matrix *out = nb_block_of(model, row, 2 * body + 1);
        NB(nb_block_set_identity)(nb_block_of(model, row, 2 * body), -1);
        for (int k = 0; k < 9; ++k)
            out[k] = (nb_matrix)turn[k];
    }
    for (size_t k = 0; k < 3; ++k)
        model->violation[3 * (size_t)row + k] = (between[k] - r[k]) / h;
}

/* Two particles in one place are pushed apart along x: any direction is as good. */
NB_BOTH void NB(nb_evaluate_distance)(struct nb_model *model, int i, const nb_real *u)
{
    const struct nb_links *links = &model->nonlinear->links;
    const int row = links->first_distance + i, first = model->nonlinear->particles.first_node;
    const nb_real h = model->time_step;
    nb_real n[3], square = 0;
    for (size_t k = 0; k < 3; ++k) {
        n[k] = links->between[3 * (size_t)i + k] +
               h * (u[3 * (size_t)(first + links->pair[2 * i]) + k] -
                    u[3 * (size_t)(first + links->pair[2 * i + 1]) + k]);
        square += n[k] * n[k];
    }
    const nb_real size = nb_sqrt(square);
    for (int k = 0; k < 3; ++k)
        n[k] = size > 0 ? n[k] / size : (nb_real)(k == 0);
    for (int side = 0; side < 2; ++side) {
        nb_matrix *out = nb_block_of(model, row, first + links->pair[2 * i + side]);
        for (int k = 0; k < 3; ++k)
            out[k] = (nb_matrix)(side == 0 ? n[k] : -n[k]);
    }
    model->violation[3 * (size_t)row] = (size - links->length[i]) / h;
}

NB_BOTH void NB(nb_evaluate_tie)(struct nb_model *model, int i, const nb_real *u)
{
    const struct nb_links *links = &model->nonlinear->links;
    const int row = links->first_tie + i, first = model->nonlinear->particles.first_node;
    nb_real speed[3] = {0, 0, 0};
    for (size_t p = NB_TIED * (size_t)i; p < NB_TIED * ((size_t)i + 1) && links->tied[p] >= 0; ++p) {
        const nb_real *v = u + 3 * (size_t)(first + links->tied[p]);
        NB(nb_block_set_identity)(nb_block_of(model, row, first + links->tied[p]), (nb_matrix)links->weight[p]);
        for (int k = 0; k < 3; ++k)
            speed[k] += links->weight[p] * v[k];
    }
    for (size_t k = 0; k < 3; ++k)
        model->violation[3 * (size_t)row + k] = links->start[3 * (size_t)i + k] / model->time_step + speed[k];
}

#endif
