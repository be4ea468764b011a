/* The rows of one joint (solvers/model/rows/joint.c). Private to solvers/model/rows and the CUDA solvers. */
#ifndef NB_MODEL_JOINT_ROWS_H
#define NB_MODEL_JOINT_ROWS_H

#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/model/rows/body_state.h"

#define nb_joint_place NB(nb_joint_place)

NB_BOTH void NB(nb_joint_conjugate)(const nb_real *q, nb_real *out)
{
    out[0] = q[0];
    for (int k = 1; k < 4; ++k)
        out[k] = -q[k];
}

/* The orientation of one side's frame in the world. */
NB_BOTH void NB(nb_joint_side_orientation)(const struct nb_joint_frames *joints, int i,
                                           int side, const nb_real *bodies, nb_real *out)
{
    const nb_real *turn = joints->orientation + 8 * (size_t)i + 4 * side;
    const int body = joints->body[2 * i + side];
    if (body < 0)
        memcpy(out, turn, 4 * sizeof *out);
    else
        NB(nb_quaternion_times)(bodies + 4 * (size_t)body, turn, out);
}

/* The rotation from B to A, its sign not yet chosen. */
NB_BOTH void NB(nb_joint_relative_orientation)(const struct nb_joint_frames *joints, int i,
                                               const nb_real *bodies, nb_real *frame_b,
                                               nb_real *out)
{
    nb_real a[4], back[4];
    NB(nb_joint_side_orientation)(joints, i, 0, bodies, a);
    NB(nb_joint_side_orientation)(joints, i, 1, bodies, frame_b);
    NB(nb_joint_conjugate)(frame_b, back);
    NB(nb_quaternion_times)(back, a, out);
}

NB_BOTH void NB(nb_joint_place_points)(const struct nb_nonlinear *step, int i, struct nb_joint_state *state)
{
    const struct nb_joint_frames *joints = &step->joints;
    memset(state->between, 0, sizeof state->between);
    for (int side = 0; side < 2; ++side) {
        const int body = joints->body[2 * i + side];
        const nb_real *point = joints->point + 6 * (size_t)i + 3 * side;
        const nb_real sign = side == 0 ? 1 : -1;
        nb_real *arm = state->arm[side];
        if (body < 0) {
            memset(arm, 0, 3 * sizeof *arm);
            for (int k = 0; k < 3; ++k)
                state->between[k] += sign * point[k];
            continue;
        }
        nb_block_apply(step->bodies.rotation + 9 * (size_t)body, point, arm);
        for (int k = 0; k < 3; ++k)
            state->between[k] +=
                sign * (step->bodies.position[3 * (size_t)body + (size_t)k] + arm[k]);
    }
    for (int k = 0; k < 3; ++k)
        state->arm[1][k] += state->between[k];
}

NB_BOTH void NB(nb_joint_place_axes)(const struct nb_nonlinear *step, int i, struct nb_joint_state *state)
{
    nb_real b[4], q[4], frame[9];
    NB(nb_joint_relative_orientation)(&step->joints, i, step->bodies.orientation, b, q);
    NB(nb_rotation_matrix)(b, frame);
    for (int k = 0; k < 4; ++k)
        q[k] *= step->joints.sign[i];
    const nb_real rate[9] = {q[0], q[3], -q[2], -q[3], q[0], q[1], q[2], -q[1], q[0]};
    state->scalar = q[0];
    for (int k = 0; k < 3; ++k) {
        state->vector[k] = q[k + 1];
        for (int j = 0; j < 3; ++j)
            state->axis[3 * k + j] = frame[3 * j + k];
        nb_block_apply(frame, rate + 3 * k, state->turn + 3 * k);
    }
}

/* The state of joint i at q+. */
NB_BOTH void nb_joint_place(const struct nb_nonlinear *step, int i, struct nb_joint_state *state)
{
    NB(nb_joint_place_points)(step, i, state);
    NB(nb_joint_place_axes)(step, i, state);
}

/* Row r of a block: +- direction on the translation, +- moment on the rotation. */
NB_BOTH void NB(nb_joint_fill_row)(nb_matrix *block, int r, nb_real sign,
                                   const nb_real *direction, const nb_real *moment)
{
    for (int j = 0; j < 3; ++j) {
        block[3 * r + j] = (nb_matrix)(direction ? sign * direction[j] : 0);
        block[9 + 3 * r + j] = (nb_matrix)(sign * moment[j]);
    }
}

/* Row `row` of joint i measures `axis`: 0 to 2 translations, 3 to 5 rotations. */
NB_BOTH void NB(nb_joint_fill)(struct nb_model *model, const struct nb_joint_state *state,
                               int i, int row, int axis)
{
    const struct nb_joint_frames *joints = &model->nonlinear->joints;
    const int block = joints->first_block[i] + row / 3;
    const nb_real *direction = axis < 3 ? state->axis + 3 * axis : NULL;
    const nb_real value = direction ? NB(nb_dot3)(direction, state->between) : 2 * state->vector[axis - 3];
    model->violation[3 * (size_t)block + (size_t)(row % 3)] = value / model->time_step;
    for (int side = 0; side < 2; ++side) {
        const int body = joints->body[2 * i + side];
        if (body < 0)
            continue;
        const int at = nb_block_at(&model->jacobian, block, 2 * body);
        nb_real moment[3];
        if (direction)
            NB(nb_cross3)(state->arm[side], direction, moment);
        else
            memcpy(moment, state->turn + 3 * (axis - 3), sizeof moment);
        NB(nb_joint_fill_row)(model->jacobian.value + 9 * (size_t)at, row % 3, side == 0 ? 1 : -1, direction,
                 moment);
    }
}

/* Row k of a joint measures axis k; a slider's leave out the one that it slides along. */
NB_BOTH void NB(nb_evaluate_joint)(struct nb_model *model, int i)
{
    const int kind = model->nonlinear->joints.kind[i];
    const int rows = kind == NB_JOINT_FIXED ? 6 : kind == NB_JOINT_BALL ? 3 : 5;
    struct nb_joint_state state;
    nb_joint_place(model->nonlinear, i, &state);
    for (int row = 0; row < rows; ++row)
        NB(nb_joint_fill)(model, &state, i, row, row + (kind == NB_JOINT_SLIDER && row > 1));
}

#endif
