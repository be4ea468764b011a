/* The rows of one limit of a joint (solvers/model/rows/limit.c). Private to solvers/model/rows and the CUDA
 * solvers. */
#ifndef NB_MODEL_LIMIT_ROWS_H
#define NB_MODEL_LIMIT_ROWS_H

#include <string.h>

#include "solvers/model/rows/joint_rows.h"

/* The gradient of a hinge's angle by a turn of A against B, world axes [3]. s vanishes only where the hinge is
 * turned by pi about an axis across its own. */
NB_BOTH void NB(nb_angle_gradient)(const struct nb_joint_state *state, nb_real *gradient)
{
    const nb_real *v = state->vector, q = state->scalar;
    const nb_real s = nb_max(q * q + v[2] * v[2], NB_REAL(NB_UNIT_ROUNDOFF));
    const nb_real x = (q * v[1] + v[2] * v[0]) / s, y = (v[2] * v[1] - q * v[0]) / s;
    for (int j = 0; j < 3; ++j)
        gradient[j] = x * state->axis[j] + y * state->axis[3 + j] + state->axis[6 + j];
}

/* The normal row of one side: its force and moment for a unit multiplier of a lower limit. */
NB_BOTH void NB(nb_limit_normal_row)(const struct nb_joint_state *state, int slider, int side, nb_real *row)
{
    const nb_real *axis = state->axis + 6, *arm = state->arm[side];
    memset(row, 0, 6 * sizeof *row);
    if (!slider) {
        NB(nb_angle_gradient)(state, row + 3);
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
    const int slider = joints->kind[joint] == NB_JOINT_SLIDER;
    const nb_real sign = side == 0 ? 1 : -1, *tangent = limits->tangent + 6 * (size_t)i;
    const nb_real outward = limits->side[i] == NB_LIMIT_LOWER ? sign : -sign;
    if (body < 0)
        return;
    const int at = nb_block_at(&model->jacobian, row, 2 * body);
    const nb_real *rate = u + 6 * (size_t)body + (slider ? 0 : 3);
    nb_matrix *block = model->jacobian.value + 9 * (size_t)at;
    nb_matrix *across = block + (slider ? 0 : 9);
    nb_real *out = model->violation + 3 * (size_t)row, normal[6];
    NB(nb_limit_normal_row)(state, slider, side, normal);
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

NB_BOTH nb_real NB(nb_limit_coordinate)(const struct nb_joint_state *state, int slider)
{
    const nb_real *axis = state->axis + 6, *between = state->between;
    return slider ? axis[0] * between[0] + axis[1] * between[1] + axis[2] * between[2]
                  : 2 * nb_atan2(state->vector[2], state->scalar);
}

NB_BOTH void NB(nb_evaluate_limit)(struct nb_model *model, int i, const nb_real *u)
{
    const struct nb_limit_rows *limits = &model->nonlinear->limits;
    const int row = model->bilateral_blocks + model->nonlinear->contacts.count + i;
    const int joint = limits->joint[i];
    const int slider = model->nonlinear->joints.kind[joint] == NB_JOINT_SLIDER;
    const nb_real outward = limits->side[i] == NB_LIMIT_LOWER ? 1 : -1;
    nb_real *out = model->violation + 3 * (size_t)row;
    struct nb_joint_state state;
    nb_joint_place(model->nonlinear, joint, &state);
    out[0] = outward * (NB(nb_limit_coordinate)(&state, slider) - limits->bound[i]) /
             model->time_step;
    out[1] = out[2] = 0;
    for (int side = 0; side < 2; ++side)
        NB(nb_limit_fill_side)(model, &state, i, side, u);
}

#endif
