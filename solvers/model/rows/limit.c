/* Limits of hinges and sliders (problems/problem.h), at q+, as contacts without friction:
 *
 *     C_n = +-(c - bound),   c = x_z of a slider,   c = 2 atan2(v_z, q_0) of a hinge,
 *     dx_z/dt = f_z . (v_a + omega_a x r_a - v_b - omega_b x (r_b + P_A - P_B)),
 *     dc/dt   = (R_B g) . (omega_a - omega_b),
 *     g = ((q_0 v_y + v_z v_x)/s, (v_z v_y - q_0 v_x)/s, 1),   s = q_0^2 + v_z^2,
 *
 * which follows from dq_0 = -v . delta/2, dv = (q_0 1 - [v]x) delta/2 for a turn delta of A against
 * B in the axes of B. The tangents are constant over the step: t . (v_a - v_b) of a slider, t .
 * (omega_a - omega_b) of a hinge, t the axes x and y of B at q-. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "solvers/model/rows/limit_rows.h"

/* The axes x and y of side b's frame at q-, in double. */
static void start_tangents(const struct nb_problem *problem, int joint, nb_real *tangent)
{
    const double *turn = problem->joints.orientation + 8 * (size_t)joint + 4;
    const int body = problem->joints.body[2 * joint + 1];
    double orientation[4], frame[9];
    memcpy(orientation, turn, sizeof orientation);
    if (body >= 0)
        nb_quaternion_product(problem->bodies.orientation + 4 * (size_t)body, turn, orientation);
    nb_quaternion_matrix(orientation, frame);
    for (int k = 0; k < 2; ++k)
        for (int j = 0; j < 3; ++j)
            tangent[3 * k + j] = (nb_real)frame[3 * j + k];
}

void NB(nb_limits_start)(struct nb_model *model)
{
    const struct nb_limit_rows *limits = &model->nonlinear->limits;
    const size_t n = (size_t)limits->count;
    nb_narrow(limits->bound, model->problem->limits.bound, n);
    for (size_t i = 0; i < n; ++i)
        start_tangents(model->problem, limits->joint[i], limits->tangent + 6 * i);
}

void NB(nb_limits_evaluate)(struct nb_model *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->limits.count; ++i)
        NB(nb_evaluate_limit)(model, i, u);
}
