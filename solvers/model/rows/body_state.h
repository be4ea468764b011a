/* A body at q+ = q- (+) h u (Macklin et al. 2019, 89). Private to solvers/model/rows and the CUDA solvers. */
#ifndef NB_MODEL_BODY_STATE_H
#define NB_MODEL_BODY_STATE_H

#include "solvers/model/rows/nonlinear.h"

/* R from a quaternion w, x, y, z; product = a b, where none may overlap. */
NB_BOTH void NB(nb_rotation_matrix)(const nb_real *q, nb_real *r)
{
    const nb_real w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = 1 - 2 * (y * y + z * z), r[1] = 2 * (x * y - w * z), r[2] = 2 * (x * z + w * y);
    r[3] = 2 * (x * y + w * z), r[4] = 1 - 2 * (x * x + z * z), r[5] = 2 * (y * z - w * x);
    r[6] = 2 * (x * z - w * y), r[7] = 2 * (y * z + w * x), r[8] = 1 - 2 * (x * x + y * y);
}

NB_BOTH void NB(nb_quaternion_times)(const nb_real *a, const nb_real *b, nb_real *product)
{
    product[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    product[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    product[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    product[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* theta+ = normalise(theta- + h/2 Q(theta-) omega): Q(theta) omega is the product (0, omega) theta. */
NB_BOTH void NB(nb_advance)(const nb_real *q, const nb_real *omega, nb_real h, nb_real *out)
{
    const nb_real k = h / 2, a = k * omega[0], b = k * omega[1], c = k * omega[2];
    out[0] = q[0] - a * q[1] - b * q[2] - c * q[3];
    out[1] = q[1] + a * q[0] + b * q[3] - c * q[2];
    out[2] = q[2] - a * q[3] + b * q[0] + c * q[1];
    out[3] = q[3] + a * q[2] - b * q[1] + c * q[0];
    const nb_real scale = 1 / nb_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] +
                                      out[3] * out[3]);
    for (int i = 0; i < 4; ++i)
        out[i] *= scale;
}

/* Position, orientation and rotation of body b. */
NB_BOTH void NB(nb_evaluate_body)(struct nb_model *model, int b, const nb_real *u)
{
    struct nb_body_state *bodies = &model->nonlinear->bodies;
    const nb_real h = model->time_step, *v = u + 6 * (size_t)b;
    nb_real *orientation = bodies->orientation + 4 * (size_t)b;
    for (int k = 0; k < 3; ++k)
        bodies->position[3 * (size_t)b + (size_t)k] =
            bodies->start_position[3 * (size_t)b + (size_t)k] + h * v[k];
    NB(nb_advance)(bodies->start_orientation + 4 * (size_t)b, v + 3, h, orientation);
    NB(nb_rotation_matrix)(orientation, bodies->rotation + 9 * (size_t)b);
}

#endif
