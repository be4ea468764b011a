/* Rows of linear tetrahedra in compliance form (Macklin et al. 2019, 9.1, 9.2; problems/problem.h):
 *
 *     F = F- + h sum_k v_k g_k^T          E (V dPsi/ds + lambda) = 0          J = ds/dx
 *     neo-Hookean  ds_i = (u_i . dx_k) (v_i . g_k)
 *     Hooke        dS = sym(Q^T dF) - (W S - S W)/2,  W = Q^T dQ = [w]x,  (tr S - S) w = g_k x Q^T dx_k
 *
 * with F = Q S, and g_k the gradient of particle k's shape function. F- is taken in double, so that
 * only the step's own motion is rounded at this precision.
 *
 * Rows are multiplied by the length l = (det R)^(1/3) and lambda divided by it: [m/s], [N] and [1/kg],
 * of the size of the contacts' own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/model/material.h"
#include "problems/model/nonlinear.h"
#include "solvers/block3.h"

void NB(nb_tetrahedra_free)(struct NB(nb_tetrahedron_rows) *rows)
{
    free(rows->block);
    free(rows->gradient);
    free(rows->start);
    free(rows->lame);
    free(rows->inflation);
    free(rows->volume);
    free(rows->length);
}

static enum nb_status allocate(struct NB(nb_tetrahedron_rows) *rows,
                               const struct nb_tetrahedra *given, struct nb_error *error)
{
    const size_t n = (size_t)given->count;
    rows->count = given->count;
    rows->material = given->material;
    rows->particle = given->particle;
    rows->block = malloc((n + 1) * sizeof *rows->block);
    rows->gradient = malloc((9 * n + 1) * sizeof *rows->gradient);
    rows->start = malloc((9 * n + 1) * sizeof *rows->start);
    rows->lame = NB(nb_narrow)(given->lame, 2 * n);
    rows->inflation = NB(nb_narrow)(given->inflation, n);
    rows->volume = malloc((n + 1) * sizeof *rows->volume);
    rows->length = malloc((n + 1) * sizeof *rows->length);
    return rows->block && rows->gradient && rows->start && rows->lame && rows->inflation &&
                   rows->volume && rows->length
               ? NB_OK
               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu tetrahedra", n);
}

/* R^-1, whose rows are the gradients of particles 1 to 3, and det R; in double. */
static double invert_rest(const double *r, double *out)
{
    const double a = r[4] * r[8] - r[5] * r[7], b = r[5] * r[6] - r[3] * r[8],
                 c = r[3] * r[7] - r[4] * r[6];
    const double determinant = r[0] * a + r[1] * b + r[2] * c;
    const double cofactors[9] = {a, r[2] * r[7] - r[1] * r[8], r[1] * r[5] - r[2] * r[4],
                                 b, r[0] * r[8] - r[2] * r[6], r[2] * r[3] - r[0] * r[5],
                                 c, r[1] * r[6] - r[0] * r[7], r[0] * r[4] - r[1] * r[3]};
    for (int k = 0; k < 9; ++k)
        out[k] = cofactors[k] / determinant;
    return determinant;
}

/* F- = D R^-1 */
static void start_deformation(const struct nb_problem *problem, int i, const double *inverse,
                              nb_real *out)
{
    const int *particle = problem->tetrahedra.particle + 4 * (size_t)i;
    const double *position = problem->particles.position;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += (position[3 * (size_t)particle[k + 1] + (size_t)row] -
                        position[3 * (size_t)particle[0] + (size_t)row]) *
                       inverse[3 * k + column];
            out[3 * row + column] = (nb_real)sum;
        }
}

enum nb_status NB(nb_tetrahedra_create)(struct NB(nb_model) *model, struct nb_error *error)
{
    const struct nb_tetrahedra *given = &model->problem->tetrahedra;
    struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    int block = model->nonlinear->links.first_distance + model->nonlinear->links.distances;
    int entry = model->bilaterals;
    const enum nb_status status = allocate(rows, given, error);
    if (status)
        return status;
    for (int i = 0; i < given->count; ++i)
        entry -= nb_tetrahedron_rows((enum nb_material)given->material[i]);
    for (int i = 0; i < given->count; ++i) {
        const int count = nb_tetrahedron_rows((enum nb_material)given->material[i]);
        double inverse[9];
        const double determinant = invert_rest(given->rest + 9 * (size_t)i, inverse);
        rows->block[i] = block;
        rows->volume[i] = (nb_real)(determinant / 6);
        rows->length[i] = (nb_real)cbrt(determinant);
        for (size_t k = 0; k < 9; ++k)
            rows->gradient[9 * (size_t)i + k] = (nb_real)inverse[k];
        start_deformation(model->problem, i, inverse, rows->start + 9 * (size_t)i);
        for (int k = 0; k < count; ++k)
            model->multiplier_unit[entry++] = rows->length[i];
        block += count / 3;
    }
    return NB_OK;
}

/* An element at q+. */
struct NB(nb_element_state) {
    const nb_real *gradient; /* [9] g_1 to g_3                     */
    int node[4], block;
    nb_real length;
    struct NB(nb_stretch) stretch;
};

static void deform(const struct NB(nb_model) *model, int i, const nb_real *u,
                   struct NB(nb_element_state) *state)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    nb_real f[9];
    state->gradient = rows->gradient + 9 * (size_t)i;
    state->block = rows->block[i];
    state->length = rows->length[i];
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
}

/* The element's `block` of particle k (0: minus the sum of the other three). */
static nb_matrix *block_of(struct NB(nb_model) *model, int block, int node)
{
    return model->jacobian.value + 9 * (size_t)NB(nb_block_at)(&model->jacobian, block, node);
}

/* Blocks of particles 1 to 3 of one block row [27], and of particle 0, minus their sum. */
static void store_row(struct NB(nb_model) *model, const struct NB(nb_element_state) *state,
                      int block, const nb_real *value)
{
    nb_matrix *out[4];
    for (int k = 0; k < 4; ++k)
        out[k] = block_of(model, block, state->node[k]);
    for (int e = 0; e < 9; ++e) {
        for (int k = 1; k < 4; ++k)
            out[k][e] = (nb_matrix)(state->length * value[9 * (k - 1) + e]);
        out[0][e] = -(out[1][e] + out[2][e] + out[3][e]);
    }
}

static void neo_hookean_jacobian(struct NB(nb_model) *model,
                                 const struct NB(nb_element_state) *state)
{
    nb_real value[27], along[3];
    for (int k = 0; k < 3; ++k) {
        NB(nb_block_apply)(state->stretch.right, state->gradient + 3 * k, along);
        for (int e = 0; e < 9; ++e)
            value[9 * k + e] = along[e / 3] * state->stretch.left[e];
    }
    store_row(model, state, state->block, value);
}

/* sum_i c_i a_i b_i^T of row vectors. */
static void outer_sum(const nb_real *c, const nb_real *a, const nb_real *b, nb_real *out)
{
    for (int e = 0; e < 9; ++e) {
        out[e] = 0;
        for (int i = 0; i < 3; ++i)
            out[e] += c[i] * a[3 * i + e / 3] * b[3 * i + e % 3];
    }
}

/* sym(e_m g^T) - (W S - S W)/2: what a velocity along axis m of the rest frame, turned with Q, does to
 * the strain; turn is (tr S - S)^-1. */
static void strain_rate(const nb_real *s, const nb_real *turn, const nb_real *g, int m, nb_real *out)
{
    const int a = (m + 1) % 3, b = (m + 2) % 3;
    nb_real across[3] = {0, 0, 0}, w[3], ws[9];
    across[a] = g[b]; /* g x e_m */
    across[b] = -g[a];
    NB(nb_block_apply)(turn, across, w);
    for (int k = 0; k < 3; ++k) {
        ws[k] = w[1] * s[6 + k] - w[2] * s[3 + k];
        ws[3 + k] = w[2] * s[k] - w[0] * s[6 + k];
        ws[6 + k] = w[0] * s[3 + k] - w[1] * s[k];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = ((nb_real)(i == m) * g[j] + (nb_real)(j == m) * g[i] -
                              ws[3 * i + j] - ws[3 * j + i]) / 2;
}

/* Where two stretches are opposite the rotation of F jumps: its rate is kept finite. */
static void turn_rate(const nb_real *s, const nb_real *right, nb_real *out)
{
    const nb_real unit = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF));
    const nb_real least = unit * nb_max(s[0], unit);
    nb_real inverse[3];
    for (int i = 0; i < 3; ++i)
        inverse[i] = 1 / nb_max(s[(i + 1) % 3] + s[(i + 2) % 3], least);
    outer_sum(inverse, right, right, out);
}

static void hooke_jacobian(struct NB(nb_model) *model, const struct NB(nb_element_state) *state)
{
    static const nb_real ones[3] = {1, 1, 1};
    static const int entry[6] = {0, 4, 8, 5, 2, 1};
    const struct NB(nb_stretch) *stretch = &state->stretch;
    nb_real s[9], q[9], turn[9], value[2][27];
    memset(value, 0, sizeof value);
    outer_sum(stretch->value, stretch->right, stretch->right, s);
    outer_sum(ones, stretch->left, stretch->right, q);
    turn_rate(stretch->value, stretch->right, turn);
    for (int k = 0; k < 3; ++k)
        for (int m = 0; m < 3; ++m) {
            nb_real rate[9];
            strain_rate(s, turn, state->gradient + 3 * k, m, rate);
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 3; ++c)
                    value[r / 3][9 * k + 3 * (r % 3) + c] +=
                        (nb_real)(r < 3 ? 1 : 2) * rate[entry[r]] * q[3 * c + m];
        }
    store_row(model, state, state->block, value[0]);
    store_row(model, state, state->block + 1, value[1]);
}

/* violation = l E V (dPsi/ds) / h and l^2 E/h^2 of one block row, E V = (d2Psi/ds2)^-1. */
static void store_elasticity(struct NB(nb_model) *model, int i, int block, const nb_real *stress,
                             const nb_real *inverse)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    const nb_real h = model->time_step, length = rows->length[i];
    const nb_real scale = length / h * (length / h) / rows->volume[i];
    nb_real *violation = model->violation + 3 * (size_t)block;
    NB(nb_block_apply)(inverse, stress, violation);
    for (int k = 0; k < 3; ++k)
        violation[k] *= length / h;
    for (size_t k = 0; k < 9; ++k)
        model->bilateral_compliance[9 * (size_t)block + k] = scale * inverse[k];
}

static void evaluate_element(struct NB(nb_model) *model, int i, const nb_real *u)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    const struct NB(nb_material) material = {
        .lambda = rows->lame[2 * i],
        .mu = rows->lame[2 * i + 1],
        .inflation = rows->inflation[i],
        .diagonal = model->diagonal_compliance,
    };
    const nb_real shear = 1 / material.mu;
    const nb_real shears[9] = {shear, 0, 0, 0, shear, 0, 0, 0, shear};
    struct NB(nb_element_state) state;
    nb_real stress[6], inverse[9];
    deform(model, i, u, &state);
    if (rows->material[i] == NB_MATERIAL_HOOKE) {
        NB(nb_hooke)(&material, &state.stretch, stress, inverse);
        hooke_jacobian(model, &state);
        store_elasticity(model, i, state.block + 1, stress + 3, shears);
    } else {
        NB(nb_neo_hookean)(&material, state.stretch.value, stress, inverse);
        neo_hookean_jacobian(model, &state);
    }
    store_elasticity(model, i, state.block, stress, inverse);
}

void NB(nb_tetrahedra_evaluate)(struct NB(nb_model) *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->tetrahedra.count; ++i)
        evaluate_element(model, i, u);
}
