/* Joints between frames A and B fixed in rigid bodies (problems/problem.h), at q+:
 *
 *     x = R_B^T (P_A - P_B),   e = 2 v with (q_0, v) = conj(q_B) q_A,     violation = c_b/h,
 *     dx_k/dt = f_k . (v_a + omega_a x r_a - v_b - omega_b x (r_b + P_A - P_B)),
 *     de/dt   = (q_0 1 - [v]x) R_B^T (omega_a - omega_b).
 *
 * As for contacts, these derivatives by the velocity at q+ serve as Jacobian; c_b(q- (+) h u)/h has
 * the same derivative by u to O(h |omega|). Every joint begins a block row of its own. */
#include <stdlib.h>

#include "solvers/model/rows/joint_rows.h"

/* The joints' block rows, and C = E/h^2 in them. */
static void number_blocks(struct nb_model *model, struct nb_joint_frames *joints)
{
    const double h = model->problem->time_step;
    int block = 0;
    for (int i = 0; i < joints->count; ++i) {
        const double *compliance = model->problem->joints.compliance + 6 * (size_t)i;
        const int rows = nb_joint_rows((enum nb_joint_kind)joints->kind[i]);
        joints->first_block[i] = block;
        for (int k = 0; k < rows; ++k)
            model->bilateral_compliance[9 * (size_t)(block + k / 3) + 4 * (size_t)(k % 3)] =
                (nb_real)(compliance[k] / (h * h));
        block += (rows + 2) / 3;
    }
}

void NB(nb_joints_start)(struct nb_model *model)
{
    const struct nb_joints *given = &model->problem->joints;
    struct nb_joint_frames *joints = &model->nonlinear->joints;
    nb_narrow(joints->point, given->point, 6 * (size_t)given->count);
    nb_narrow(joints->orientation, given->orientation, 8 * (size_t)given->count);
    number_blocks(model, joints);
    for (int i = 0; i < joints->count; ++i) {
        nb_real b[4], q[4];
        NB(nb_joint_relative_orientation)(joints, i, model->nonlinear->bodies.start_orientation, b, q);
        joints->sign[i] = q[0] < 0 ? -1 : 1;
    }
}

void NB(nb_joints_evaluate)(struct nb_model *model)
{
    for (int i = 0; i < model->nonlinear->joints.count; ++i)
        NB(nb_evaluate_joint)(model, i);
}
