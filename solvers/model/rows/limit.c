/* Limits of hinges, sliders and balls (problems/problem.h), at q+, as contacts without friction:
 *
 *     C_n = +-(c - bound),   c = x_z of a slider,   c = 2 atan2(v_z, q_0) of a hinge,
 *     dx_z/dt = f_z . (v_a + omega_a x r_a - v_b - omega_b x (r_b + P_A - P_B)),
 *     dc/dt   = (R_B g) . (omega_a - omega_b),
 *     g = ((q_0 v_y + v_z v_x)/s, (v_z v_y - q_0 v_x)/s, 1),   s = q_0^2 + v_z^2,
 *
 * which follows from dq_0 = -v . delta/2, dv = (q_0 1 - [v]x) delta/2 for a turn delta of A against
 * B in the axes of B; of a ball c = 2 atan2(|v|, q_0) and g = v/|v|. The tangents are constant over the step:
 * t . (v_a - v_b) of a slider, t . (omega_a - omega_b) of the others, t two axes of B at q-. */
#include "problems/joints.h"
#include "solvers/model/rows/limit_rows.h"

void NB(nb_limits_start)(struct nb_model *model)
{
    const struct nb_limit_rows *limits = &model->nonlinear->limits;
    const size_t n = (size_t)limits->count;
    nb_narrow(limits->bound, model->problem->limits.bound, n);
    for (size_t i = 0; i < n; ++i) {
        double tangents[6];
        nb_limit_tangents(model->problem, limits->joint[i], tangents);
        nb_narrow(limits->tangent + 6 * i, tangents, 6);
    }
}

void NB(nb_limits_evaluate)(struct nb_model *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->limits.count; ++i)
        NB(nb_evaluate_limit)(model, i, u);
}
