/* The state of rigid bodies: q+ = q- (+) h u (Macklin et al. 2019, 89), and the inverse of their
 * mass at q-. */
#include <stdlib.h>

#include "problems/base/rotation.h"
#include "solvers/model/rows/body_state.h"

/* What is so small that its square would be subnormal is zero: rounding leaves it where symmetry asks for
 * zero, and arithmetic with subnormal numbers takes many times as long. */
void nb_narrow(nb_real *to, const double *values, size_t count)
{
    const double least = sqrt((double)NB_LEAST_NORMAL);
    for (size_t i = 0; i < count; ++i)
        to[i] = fabs(values[i]) < least ? 0 : (nb_real)values[i];
}

/* Inverse of a symmetric positive definite 3x3 matrix by cofactors, in double. */
static void invert3(const double *m, double *out)
{
    const double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8],
                 c = m[3] * m[7] - m[4] * m[6];
    const double scale = 1 / (m[0] * a + m[1] * b + m[2] * c);
    out[0] = a * scale, out[3] = b * scale, out[6] = c * scale;
    out[1] = (m[2] * m[7] - m[1] * m[8]) * scale;
    out[4] = (m[0] * m[8] - m[2] * m[6]) * scale;
    out[7] = (m[1] * m[6] - m[0] * m[7]) * scale;
    out[2] = (m[1] * m[5] - m[2] * m[4]) * scale;
    out[5] = (m[2] * m[3] - m[0] * m[5]) * scale;
    out[8] = (m[0] * m[4] - m[1] * m[3]) * scale;
}

/* out = R a R^T */
static void rotate_tensor(const double *r, const double *a, double *out)
{
    double ra[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            ra[3 * i + j] = r[3 * i] * a[j] + r[3 * i + 1] * a[3 + j] + r[3 * i + 2] * a[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = ra[3 * i] * r[3 * j] + ra[3 * i + 1] * r[3 * j + 1] +
                             ra[3 * i + 2] * r[3 * j + 2];
}

/* H^-1 at q-: 1/m on the translation, the world inertia's inverse on the rotation. */
static void fill_inverse_mass(struct nb_model *model)
{
    const struct nb_bodies *bodies = &model->problem->bodies;
    for (int i = 0; i < bodies->count; ++i) {
        double r[9], inverse[9], world[9];
        nb_real *translation = model->inverse_mass + 18 * (size_t)i, *turn = translation + 9;
        nb_quaternion_matrix(bodies->orientation + 4 * (size_t)i, r);
        invert3(bodies->inertia + 9 * (size_t)i, inverse);
        rotate_tensor(r, inverse, world);
        for (int k = 0; k < 9; ++k) {
            translation[k] = (nb_real)(k % 4 == 0 ? 1 / bodies->mass[i] : 0);
            turn[k] = (nb_real)world[k];
        }
    }
}

void NB(nb_bodies_start)(struct nb_model *model)
{
    const struct nb_bodies *given = &model->problem->bodies;
    const size_t n = (size_t)given->count;
    nb_narrow(model->nonlinear->bodies.start_position, given->position, 3 * n);
    nb_narrow(model->nonlinear->bodies.start_orientation, given->orientation, 4 * n);
    fill_inverse_mass(model);
    for (size_t i = 0; i < 6 * n; ++i)
        model->free_velocity[i] = (nb_real)model->problem->free_velocity[i];
}

void NB(nb_bodies_evaluate)(struct nb_model *model, const nb_real *u)
{
    for (int b = 0; b < model->nonlinear->bodies.count; ++b)
        NB(nb_evaluate_body)(model, b, u);
}
