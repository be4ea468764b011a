/* The rows of one tetrahedron (solvers/model/rows/tetrahedron.c). Private to solvers/model/rows and the CUDA
 * solvers. */
#ifndef NB_MODEL_TETRAHEDRON_ROWS_H
#define NB_MODEL_TETRAHEDRON_ROWS_H

#include <string.h>

#include "solvers/model/rows/material.h"
#include "solvers/model/rows/nonlinear.h"

#define nb_element_state NB(nb_element_state)
#define nb_element_store_elasticity NB(nb_element_store_elasticity)
#define nb_element_store_row NB(nb_element_store_row)

/* An element at q+. */
struct nb_element_state {
    const nb_real *gradient; /* [9] g_1 to g_3       */
    int node[4], block;
    nb_real length, volume;
    nb_real shear[9];        /* 1/mu on the diagonal */
    struct NB(nb_stretch) stretch;
    nb_real turn[9];         /* Q                    */
};

NB_BOTH void NB(nb_element_deform)(const struct nb_model *model, int i, const nb_real *u,
                                   struct nb_element_state *state)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    nb_real f[9];
    memcpy(f, rows->start + 9 * (size_t)i, sizeof f);
    for (int k = 0; k < 4; ++k)
        state->node[k] = model->nonlinear->particles.first_node + rows->particle[4 * i + k];
    const nb_real *origin = u + 3 * (size_t)state->node[0];
    for (int k = 0; k < 3; ++k) {
        const nb_real *v = u + 3 * (size_t)state->node[k + 1], *g = state->gradient + 3 * k;
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                f[3 * row + column] += model->time_step * (v[row] - origin[row]) * g[column];
    }
    NB(nb_stretch_of)(f, &state->stretch);
    for (int e = 0; e < 9; ++e)
        for (int k = 0; k < 3; ++k)
            state->turn[e] += state->stretch.left[3 * k + e / 3] * state->stretch.right[3 * k + e % 3];
}

/* Blocks of particles 1 to 3 of one block row [27], and of particle 0, minus their sum. */
NB_BOTH void nb_element_store_row(struct nb_model *model, const struct nb_element_state *state, int block,
                                  const nb_real *value)
{
    nb_matrix *out[4];
    for (int k = 0; k < 4; ++k)
        out[k] = nb_block_of(model, block, state->node[k]);
    for (int e = 0; e < 9; ++e) {
        for (int k = 1; k < 4; ++k)
            out[k][e] = (nb_matrix)(state->length * value[9 * (k - 1) + e]);
        out[0][e] = -(out[1][e] + out[2][e] + out[3][e]);
    }
}

NB_BOTH void NB(nb_neo_hookean_jacobian)(struct nb_model *model, const struct nb_element_state *state)
{
    nb_real value[27], along[3];
    for (int k = 0; k < 3; ++k) {
        nb_block_apply(state->stretch.right, state->gradient + 3 * k, along);
        for (int e = 0; e < 9; ++e)
            value[9 * k + e] = along[e / 3] * state->stretch.left[e];
    }
    nb_element_store_row(model, state, state->block, value);
}

/* violation = l E V (dPsi/ds) / h and l^2 E/h^2 of one block row, E V = (d2Psi/ds2)^-1. */
NB_BOTH void nb_element_store_elasticity(struct nb_model *model,
                                         const struct nb_element_state *state, int block,
                                         const nb_real *stress, const nb_real *inverse)
{
    const nb_real per_step = state->length / model->time_step;
    const nb_real scale = per_step * per_step / state->volume;
    nb_real *violation = model->violation + 3 * (size_t)block;
    nb_block_apply(inverse, stress, violation);
    for (int k = 0; k < 3; ++k)
        violation[k] *= per_step;
    for (size_t k = 0; k < 9; ++k)
        model->bilateral_compliance[9 * (size_t)block + k] = scale * inverse[k];
}

/* sym(Q^T dF) with doubled shears. */
NB_BOTH void NB(nb_hooke_jacobian)(struct nb_model *model, const struct nb_element_state *state)
{
    nb_real value[2][27];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            const nb_real *g = state->gradient + 3 * k;
            const int a = (i + 1) % 3, b = (i + 2) % 3;
            for (int c = 0; c < 3; ++c) {
                const nb_real *q = state->turn + 3 * c;
                value[0][9 * k + 3 * i + c] = g[i] * q[i];
                value[1][9 * k + 3 * i + c] = g[b] * q[a] + g[a] * q[b];
            }
        }
    nb_element_store_row(model, state, state->block, value[0]);
    nb_element_store_row(model, state, state->block + 1, value[1]);
}

/* Rows sqrt(k_i/mu) (b_j u_k + sign b_k u_j)/sqrt 2, (i, j, k) cyclic and b = V^T g, against the
 * stiffness mu. What does not resist leaves no row. */
NB_BOTH void NB(nb_element_axis_rows)(struct nb_model *model, const struct nb_element_state *state, int block,
                                      const nb_real *stiffness, nb_real sign)
{
    const nb_real none[3] = {0, 0, 0};
    const nb_real *u = state->stretch.left;
    nb_real value[27], b[3];
    for (int n = 0; n < 3; ++n) {
        nb_block_apply(state->stretch.right, state->gradient + 3 * n, b);
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const nb_real size = nb_sqrt(nb_max(stiffness[i], 0) * state->shear[0] / 2);
            for (int c = 0; c < 3; ++c)
                value[9 * n + 3 * i + c] = size * (b[j] * u[3 * k + c] + sign * b[k] * u[3 * j + c]);
        }
    }
    nb_element_store_row(model, state, block, value);
    nb_element_store_elasticity(model, state, block, none, state->shear);
}

NB_BOTH void NB(nb_evaluate_hooke)(struct nb_model *model, const struct NB(nb_material) *material,
                                   const struct nb_element_state *state)
{
    nb_real stress[6], inverse[9], twist[3];
    NB(nb_hooke)(material, &state->stretch, stress, inverse);
    NB(nb_hooke_jacobian)(model, state);
    nb_element_store_elasticity(model, state, state->block, stress, inverse);
    nb_element_store_elasticity(model, state, state->block + 1, stress + 3, state->shear);
    if (!model->axis_rows)
        return;
    NB(nb_hooke_axes)(material, state->stretch.value, twist);
    NB(nb_element_axis_rows)(model, state, state->block + 2, twist, -1);
}

NB_BOTH void NB(nb_evaluate_neo_hookean)(struct nb_model *model, const struct NB(nb_material) *material,
                                         const struct nb_element_state *state)
{
    nb_real stress[3], inverse[9], flip[3], twist[3];
    NB(nb_neo_hookean)(material, state->stretch.value, stress, inverse);
    NB(nb_neo_hookean_jacobian)(model, state);
    nb_element_store_elasticity(model, state, state->block, stress, inverse);
    if (!model->axis_rows)
        return;
    NB(nb_neo_hookean_axes)(material, state->stretch.value, flip, twist);
    NB(nb_element_axis_rows)(model, state, state->block + 1, flip, 1);
    NB(nb_element_axis_rows)(model, state, state->block + 2, twist, -1);
}

/* The material of element i, and its state at u. */
NB_BOTH void NB(nb_place_element)(const struct nb_model *model, int i, const nb_real *u,
                                  struct NB(nb_material) *material,
                                  struct nb_element_state *state)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    material->lambda = rows->lame[2 * i];
    material->mu = rows->lame[2 * i + 1];
    material->inflation = rows->inflation[i];
    material->diagonal = model->diagonal_compliance;
    memset(state, 0, sizeof *state);
    state->gradient = rows->gradient + 9 * (size_t)i;
    state->block = rows->block[i];
    state->length = rows->length[i];
    state->volume = rows->volume[i];
    for (int k = 0; k < 9; k += 4)
        state->shear[k] = 1 / material->mu;
    NB(nb_element_deform)(model, i, u, state);
}

NB_BOTH void NB(nb_evaluate_element)(struct nb_model *model, int i, const nb_real *u)
{
    struct NB(nb_material) material;
    struct nb_element_state state;
    NB(nb_place_element)(model, i, u, &material, &state);
    if (model->nonlinear->tetrahedra.material[i] == NB_MATERIAL_HOOKE)
        NB(nb_evaluate_hooke)(model, &material, &state);
    else
        NB(nb_evaluate_neo_hookean)(model, &material, &state);
}

#endif
