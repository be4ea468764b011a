/* The rows of one limit of a joint (solvers/model/rows/limit.c). Private to solvers/model/rows and the CUDA
 * solvers. */
#ifndef NB_MODEL_LIMIT_ROWS_H
#define NB_MODEL_LIMIT_ROWS_H

#include <string.h>

#include "solvers/model/rows/joint_rows.h"

NB_BOTH nb_real NB(nb_rotation_size)(const struct nb_joint_state *state)
{
    return nb_sqrt(NB(nb_dot3)(state->vector, state->vector));
}

/* The direction of a ball's rotation, world axes [3]; z without one. */
NB_BOTH void NB(nb_ball_gradient)(const struct nb_joint_state *state, nb_real *gradient)
{
    const nb_real size = NB(nb_rotation_size)(state), *v = state->vector;
    const nb_real x = size > 0 ? v[0] / size : 0, y = size > 0 ? v[1] / size : 0, z = size > 0 ? v[2] / size : 1;
    for (int j = 0; j < 3; ++j)
        gradient[j] = x * state->axis[j] + y * state->axis[3 + j] + z * state->axis[6 + j];
}

/* The gradient of an angle by a turn of A against B, world axes [3]. A hinge's s vanishes only where it is
 * turned by pi about an axis across its own. */
NB_BOTH void NB(nb_angle_gradient)(const struct nb_joint_state *state, int kind, nb_real *gradient)
{
    const nb_real *v = state->vector, q = state->scalar;
    if (kind == NB_JOINT_BALL) {
        NB(nb_ball_gradient)
        (state, gradient);
        return;
    }
    const nb_real s = nb_max(q * q + v[2] * v[2], NB_REAL(NB_UNIT_ROUNDOFF));
    const nb_real x = (q * v[1] + v[2] * v[0]) / s, y = (v[2] * v[1] - q * v[0]) / s;
    for (int j = 0; j < 3; ++j)
        gradient[j] = x * state->axis[j] + y * state->axis[3 + j] + state->axis[6 + j];
}

/* The normal row of one side: its force and moment for a unit multiplier of a lower limit. */
NB_BOTH void NB(nb_limit_normal_row)(const struct nb_joint_state *state, int kind, int side, nb_real *row)
{
    const nb_real *axis = state->axis + 6, *arm = state->arm[side];
    memset(row, 0, 6 * sizeof *row);
    if (kind != NB_JOINT_SLIDER) {
        NB(nb_angle_gradient)
        (state, kind, row + 3);
        return;
    }
    memcpy(row, axis, 3 * sizeof *row);
    row[3] = arm[1] * axis[2] - arm[2] * axis[1];
    row[4] = arm[2] * axis[0] - arm[0] * axis[2];
    row[5] = arm[0] * axis[1] - arm[1] * axis[0];
}

/* The blocks of one side, and its part of the tangents' relative velocity. */
NB_BOTH void NB(nb_limit_fill_side)(struct nb_model *model,
                                    const struct nb_joint_state *state, int i, int side,
                                    const nb_real *u)
{
    const struct nb_limit_rows *limits = &model->nonlinear->limits;
    const struct nb_joint_frames *joints = &model->nonlinear->joints;
    const int joint = limits->joint[i], body = joints->body[2 * joint + side];
    const int row = model->bilateral_blocks + model->nonlinear->contacts.count + i;
    const int kind = joints->kind[joint], slider = kind == NB_JOINT_SLIDER;
    const nb_real sign = side == 0 ? 1 : -1, *tangent = limits->tangent + 6 * (size_t)i;
    const nb_real outward = limits->side[i] == NB_LIMIT_LOWER ? sign : -sign;
    if (body < 0)
        return;
    const int at = nb_block_at(&model->jacobian, row, 2 * body);
    const nb_real *rate = u + 6 * (size_t)body + (slider ? 0 : 3);
    nb_matrix *block = model->jacobian.value + 9 * (size_t)at;
    nb_matrix *across = block + (slider ? 0 : 9);
    nb_real *out = model->violation + 3 * (size_t)row, normal[6];
    NB(nb_limit_normal_row)
    (state, kind, side, normal);
    memset(block, 0, 18 * sizeof *block);
    for (int j = 0; j < 3; ++j) {
        block[j] = (nb_matrix)(outward * normal[j]);
        block[9 + j] = (nb_matrix)(outward * normal[3 + j]);
        for (int k = 0; k < 2; ++k) {
            across[3 + 3 * k + j] = (nb_matrix)(sign * tangent[3 * k + j]);
            out[1 + k] += sign * tangent[3 * k + j] * rate[j];
        }
    }
}

NB_BOTH nb_real NB(nb_limit_coordinate)(const struct nb_joint_state *state, int kind)
{
    if (kind == NB_JOINT_SLIDER)
        return NB(nb_dot3)(state->axis + 6, state->between);
    return 2 * nb_atan2(kind == NB_JOINT_BALL ? NB(nb_rotation_size)(state) : state->vector[2], state->scalar);
}

NB_BOTH void NB(nb_evaluate_limit)(struct nb_model *model, int i, const nb_real *u)
{
    const struct nb_limit_rows *limits = &model->nonlinear->limits;
    const int row = model->bilateral_blocks + model->nonlinear->contacts.count + i;
    const int joint = limits->joint[i], kind = model->nonlinear->joints.kind[joint];
    const nb_real outward = limits->side[i] == NB_LIMIT_LOWER ? 1 : -1;
    nb_real *out = model->violation + 3 * (size_t)row;
    struct nb_joint_state state;
    nb_joint_place(model->nonlinear, joint, &state);
    out[0] = outward * (NB(nb_limit_coordinate)(&state, kind) - limits->bound[i]) /
             model->time_step;
    out[1] = out[2] = 0;
    for (int side = 0; side < 2; ++side)
        NB(nb_limit_fill_side)(model, &state, i, side, u);
}

#endif
