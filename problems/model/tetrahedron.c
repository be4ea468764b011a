/* Rows of linear tetrahedra in compliance form (Macklin et al. 2019, 9.1, 9.2; problems/problem.h):
 *
 *     F = F- + h sum_k v_k g_k^T          E (V dPsi/ds + lambda) = 0          J = ds/dx
 *     neo-Hookean  ds_i = (u_i . dx_k) (v_i . g_k)
 *     Hooke        ds = sym(Q^T dx_k g_k^T), F = Q S
 *
 * with g_k the gradient of particle k's shape function. Hooke's J leaves out the turn of Q, which adds
 * nothing to the forces of stresses that have the strain's axes: at the solution they are those of the
 * problem, and Newton's method converges from further away.
 * F- is taken in double, so that only the step's own motion is rounded at this precision. Rows are
 * multiplied by the length l = (det R)^(1/3) and lambda divided by it: [m/s], [N] and [1/kg], of the size
 * of the contacts' own.
 *
 * What J^T E^-1 J lacks of the element's stiffness is that against turning of the principal axes, the
 * element's part of the geometric stiffness (Macklin et al. 2019, 70). By pairs of axes (j, k) it is V times
 *
 *     flip   (Psi_j - Psi_k)/(s_j - s_k)  on  (dA_jk + dA_kj)/sqrt 2,      A = U^T dF V
 *     twist  (Psi_j + Psi_k)/(s_j + s_k)  on  (dA_jk - dA_kj)/sqrt 2       (Smith, De Goes and Kim 2019)
 *
 * and Hooke's shear rows are his flips. In compliance form these are rows too: their violation is 0 and
 * so is their multiplier at the solution, which the problem does not know of, and what they do is to
 * make the Newton matrix that of the energy's Hessian, negative stiffnesses left out. Without them a
 * neo-Hookean element at rest does not resist shear, and the iteration diverges where it is stiff.
 * Methods that bear an indefinite matrix get the negative ones as curvature. */
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
        for (int k = count / 3; model->axis_rows && k < 3; ++k)
            model->is_axis[block + k] = 1;
        block += model->axis_rows ? 3 : count / 3;
    }
    return NB_OK;
}

/* An element at q+. */
struct NB(nb_element_state) {
    const nb_real *gradient; /* [9] g_1 to g_3       */
    int node[4], block;
    nb_real length, volume;
    nb_real shear[9];        /* 1/mu on the diagonal */
    struct NB(nb_stretch) stretch;
    nb_real turn[9];         /* Q                    */
};

static void deform(const struct NB(nb_model) *model, int i, const nb_real *u,
                   struct NB(nb_element_state) *state)
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

/* violation = l E V (dPsi/ds) / h and l^2 E/h^2 of one block row, E V = (d2Psi/ds2)^-1. */
static void store_elasticity(struct NB(nb_model) *model, const struct NB(nb_element_state) *state,
                             int block, const nb_real *stress, const nb_real *inverse)
{
    const nb_real per_step = state->length / model->time_step;
    const nb_real scale = per_step * per_step / state->volume;
    nb_real *violation = model->violation + 3 * (size_t)block;
    NB(nb_block_apply)(inverse, stress, violation);
    for (int k = 0; k < 3; ++k)
        violation[k] *= per_step;
    for (size_t k = 0; k < 9; ++k)
        model->bilateral_compliance[9 * (size_t)block + k] = scale * inverse[k];
}

/* sym(Q^T dF) with doubled shears. */
static void hooke_jacobian(struct NB(nb_model) *model, const struct NB(nb_element_state) *state)
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
    store_row(model, state, state->block, value[0]);
    store_row(model, state, state->block + 1, value[1]);
}

/* Rows sqrt(k_i/mu) (b_j u_k + sign b_k u_j)/sqrt 2, (i, j, k) cyclic and b = V^T g, against the
 * stiffness mu. What does not resist leaves no row. */
static void axis_rows(struct NB(nb_model) *model, const struct NB(nb_element_state) *state, int block,
                      const nb_real *stiffness, nb_real sign)
{
    static const nb_real none[3] = {0, 0, 0};
    const nb_real *u = state->stretch.left;
    nb_real value[27], b[3];
    for (int n = 0; n < 3; ++n) {
        NB(nb_block_apply)(state->stretch.right, state->gradient + 3 * n, b);
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const nb_real size = nb_sqrt(nb_max(stiffness[i], 0) * state->shear[0] / 2);
            for (int c = 0; c < 3; ++c)
                value[9 * n + 3 * i + c] = size * (b[j] * u[3 * k + c] + sign * b[k] * u[3 * j + c]);
        }
    }
    store_row(model, state, block, value);
    store_elasticity(model, state, block, none, state->shear);
}

static void evaluate_hooke(struct NB(nb_model) *model, const struct NB(nb_material) *material,
                           const struct NB(nb_element_state) *state)
{
    nb_real stress[6], inverse[9], twist[3];
    NB(nb_hooke)(material, &state->stretch, stress, inverse);
    hooke_jacobian(model, state);
    store_elasticity(model, state, state->block, stress, inverse);
    store_elasticity(model, state, state->block + 1, stress + 3, state->shear);
    if (!model->axis_rows)
        return;
    NB(nb_hooke_axes)(material, state->stretch.value, twist);
    axis_rows(model, state, state->block + 2, twist, -1);
}

static void evaluate_neo_hookean(struct NB(nb_model) *model, const struct NB(nb_material) *material,
                                 const struct NB(nb_element_state) *state)
{
    nb_real stress[3], inverse[9], flip[3], twist[3];
    NB(nb_neo_hookean)(material, state->stretch.value, stress, inverse);
    neo_hookean_jacobian(model, state);
    store_elasticity(model, state, state->block, stress, inverse);
    if (!model->axis_rows)
        return;
    NB(nb_neo_hookean_axes)(material, state->stretch.value, flip, twist);
    axis_rows(model, state, state->block + 1, flip, 1);
    axis_rows(model, state, state->block + 2, twist, -1);
}

/* The material of element i, and its state at u. */
static void place_element(const struct NB(nb_model) *model, int i, const nb_real *u,
                          struct NB(nb_material) *material, struct NB(nb_element_state) *state)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    *material = (struct NB(nb_material)){
        .lambda = rows->lame[2 * i],
        .mu = rows->lame[2 * i + 1],
        .inflation = rows->inflation[i],
        .diagonal = model->diagonal_compliance,
    };
    *state = (struct NB(nb_element_state)){.gradient = rows->gradient + 9 * (size_t)i,
                                           .block = rows->block[i],
                                           .length = rows->length[i],
                                           .volume = rows->volume[i]};
    for (int k = 0; k < 9; k += 4)
        state->shear[k] = 1 / material->mu;
    deform(model, i, u, state);
}

static void evaluate_element(struct NB(nb_model) *model, int i, const nb_real *u)
{
    struct NB(nb_material) material;
    struct NB(nb_element_state) state;
    place_element(model, i, u, &material, &state);
    if (model->nonlinear->tetrahedra.material[i] == NB_MATERIAL_HOOKE)
        evaluate_hooke(model, &material, &state);
    else
        evaluate_neo_hookean(model, &material, &state);
}

/* Where particle k of the element is among the nodes of its block rows. */
static int place_of(const struct NB(nb_model) *model, const struct NB(nb_element_state) *state, int k)
{
    return NB(nb_block_at)(&model->jacobian, state->block, state->node[k]) -
           model->jacobian.start[state->block];
}

/* pairs += h^2 V |k_i| w_i w_i^T for the negative ones of three stiffnesses, which have no rows. */
static void negative_axes(const struct NB(nb_model) *model, const struct NB(nb_element_state) *state,
                          const nb_real *stiffness, nb_real sign, nb_real *pairs)
{
    const nb_real *u = state->stretch.left, h = model->time_step;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const nb_real scale = h * h * state->volume * -stiffness[i] / 2;
        nb_real w[4][3] = {{0}}, b[3];
        if (!(stiffness[i] < 0))
            continue;
        for (int n = 1; n < 4; ++n) {
            NB(nb_block_apply)(state->stretch.right, state->gradient + 3 * (n - 1), b);
            for (int c = 0; c < 3; ++c) {
                w[n][c] = b[j] * u[3 * k + c] + sign * b[k] * u[3 * j + c];
                w[0][c] -= w[n][c];
            }
        }
        for (int n = 0; n < 4; ++n)
            for (int m = 0; m < 4; ++m)
                for (int e = 0; e < 9; ++e)
                    pairs[9 * (4 * place_of(model, state, n) + place_of(model, state, m)) + e] +=
                        scale * w[n][e / 3] * w[m][e % 3];
    }
}

void NB(nb_tetrahedra_curvature)(const struct NB(nb_model) *model, const nb_real *u,
                                 const int *pair_start, nb_real *pairs)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    for (int i = 0; model->axis_rows && i < rows->count; ++i) {
        struct NB(nb_material) material;
        struct NB(nb_element_state) state;
        nb_real flip[3], twist[3];
        place_element(model, i, u, &material, &state);
        nb_real *out = pairs + 9 * (size_t)pair_start[state.block];
        if (rows->material[i] == NB_MATERIAL_HOOKE) {
            NB(nb_hooke_axes)(&material, state.stretch.value, twist);
        } else {
            NB(nb_neo_hookean_axes)(&material, state.stretch.value, flip, twist);
            negative_axes(model, &state, flip, 1, out);
        }
        negative_axes(model, &state, twist, -1, out);
    }
}

void NB(nb_tetrahedra_evaluate)(struct NB(nb_model) *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->tetrahedra.count; ++i)
        evaluate_element(model, i, u);
}
