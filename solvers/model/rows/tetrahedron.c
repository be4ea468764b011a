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

#include "solvers/model/rows/tetrahedron_rows.h"

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

void NB(nb_tetrahedra_start)(struct nb_model *model)
{
    const struct nb_tetrahedra *given = &model->problem->tetrahedra;
    struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    int block = model->nonlinear->links.first_tie + model->nonlinear->links.ties;
    int entry = model->bilaterals;
    nb_narrow(rows->lame, given->lame, 2 * (size_t)given->count);
    nb_narrow(rows->inflation, given->inflation, (size_t)given->count);
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
}

/* Where particle k of the element is among the nodes of its block rows. */
static int place_of(const struct nb_model *model, const struct nb_element_state *state, int k)
{
    return nb_block_at(&model->jacobian, state->block, state->node[k]) -
           model->jacobian.start[state->block];
}

/* pairs += h^2 V |k_i| w_i w_i^T for the negative ones of three stiffnesses, which have no rows. */
static void negative_axes(const struct nb_model *model, const struct nb_element_state *state,
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
            nb_block_apply(state->stretch.right, state->gradient + 3 * (n - 1), b);
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

void NB(nb_tetrahedra_curvature)(const struct nb_model *model, const nb_real *u,
                                 const int *pair_start, nb_real *pairs)
{
    const struct NB(nb_tetrahedron_rows) *rows = &model->nonlinear->tetrahedra;
    for (int i = 0; model->axis_rows && i < rows->count; ++i) {
        struct NB(nb_material) material;
        struct nb_element_state state;
        nb_real flip[3], twist[3];
        NB(nb_place_element)(model, i, u, &material, &state);
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

void NB(nb_tetrahedra_evaluate)(struct nb_model *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->tetrahedra.count; ++i)
        NB(nb_evaluate_element)(model, i, u);
}
