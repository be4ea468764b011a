/* Joints between frames A and B fixed in rigid bodies (problems/problem.h), at q+:
 *
 *     x = R_B^T (P_A - P_B),   e = 2 v with (q_0, v) = conj(q_B) q_A,     violation = c_b/h,
 *     dx_k/dt = f_k . (v_a + omega_a x r_a - v_b - omega_b x (r_b + P_A - P_B)),
 *     de/dt   = (q_0 1 - [v]x) R_B^T (omega_a - omega_b).
 *
 * As for contacts, these derivatives by the velocity at q+ serve as Jacobian; c_b(q- (+) h u)/h has
 * the same derivative by u to O(h |omega|). Every joint begins a block row of its own. */
#include <stdlib.h>
#include <string.h>

#include "problems/joints.h"
#include "problems/model/nonlinear.h"
#include "solvers/block3.h"

void NB(nb_joint_frames_free)(struct NB(nb_joint_frames) *joints)
{
    free(joints->first_block);
    free(joints->point);
    free(joints->orientation);
    free(joints->sign);
}

static void conjugate(const nb_real *q, nb_real *out)
{
    out[0] = q[0];
    for (int k = 1; k < 4; ++k)
        out[k] = -q[k];
}

/* The orientation of one side's frame in the world. */
static void side_orientation(const struct NB(nb_joint_frames) *joints, int i, int side,
                             const nb_real *bodies, nb_real *out)
{
    const nb_real *turn = joints->orientation + 8 * (size_t)i + 4 * side;
    const int body = joints->body[2 * i + side];
    if (body < 0)
        memcpy(out, turn, 4 * sizeof *out);
    else
        NB(nb_quaternion_times)(bodies + 4 * (size_t)body, turn, out);
}

/* The rotation from B to A, its sign not yet chosen. */
static void relative_orientation(const struct NB(nb_joint_frames) *joints, int i,
                                 const nb_real *bodies, nb_real *frame_b, nb_real *out)
{
    nb_real a[4], back[4];
    side_orientation(joints, i, 0, bodies, a);
    side_orientation(joints, i, 1, bodies, frame_b);
    conjugate(frame_b, back);
    NB(nb_quaternion_times)(back, a, out);
}

/* The joints' block rows, and C = E/h^2 in them. */
static void number_blocks(struct NB(nb_model) *model, struct NB(nb_joint_frames) *joints)
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

enum nb_status NB(nb_joints_create)(struct NB(nb_model) *model, struct nb_error *error)
{
    const struct nb_joints *given = &model->problem->joints;
    struct NB(nb_joint_frames) *joints = &model->nonlinear->joints;
    const size_t n = (size_t)given->count;
    joints->count = given->count;
    joints->kind = given->kind;
    joints->body = given->body;
    joints->first_block = malloc((n + 1) * sizeof *joints->first_block);
    joints->point = NB(nb_narrow)(given->point, 6 * n);
    joints->orientation = NB(nb_narrow)(given->orientation, 8 * n);
    joints->sign = malloc((n + 1) * sizeof *joints->sign);
    if (!joints->first_block || !joints->point || !joints->orientation || !joints->sign)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the joints");
    number_blocks(model, joints);
    for (int i = 0; i < joints->count; ++i) {
        nb_real b[4], q[4];
        relative_orientation(joints, i, model->nonlinear->bodies.start_orientation, b, q);
        joints->sign[i] = q[0] < 0 ? -1 : 1;
    }
    return NB_OK;
}

static void cross(const nb_real *a, const nb_real *b, nb_real *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static nb_real dot(const nb_real *a, const nb_real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void place_points(const struct NB(nb_nonlinear) *step, int i, struct NB(nb_joint_state) *state)
{
    const struct NB(nb_joint_frames) *joints = &step->joints;
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
        NB(nb_block_apply)(step->bodies.rotation + 9 * (size_t)body, point, arm);
        for (int k = 0; k < 3; ++k)
            state->between[k] +=
                sign * (step->bodies.position[3 * (size_t)body + (size_t)k] + arm[k]);
    }
    for (int k = 0; k < 3; ++k)
        state->arm[1][k] += state->between[k];
}

static void place_axes(const struct NB(nb_nonlinear) *step, int i, struct NB(nb_joint_state) *state)
{
    nb_real b[4], q[4], frame[9];
    relative_orientation(&step->joints, i, step->bodies.orientation, b, q);
    NB(nb_rotation_matrix)(b, frame);
    for (int k = 0; k < 4; ++k)
        q[k] *= step->joints.sign[i];
    const nb_real rate[9] = {q[0], q[3], -q[2], -q[3], q[0], q[1], q[2], -q[1], q[0]};
    state->scalar = q[0];
    for (int k = 0; k < 3; ++k) {
        state->vector[k] = q[k + 1];
        for (int j = 0; j < 3; ++j)
            state->axis[3 * k + j] = frame[3 * j + k];
        NB(nb_block_apply)(frame, rate + 3 * k, state->turn + 3 * k);
    }
}

void NB(nb_joint_place)(const struct NB(nb_nonlinear) *step, int i,
                        struct NB(nb_joint_state) *state)
{
    place_points(step, i, state);
    place_axes(step, i, state);
}

/* Row r of a block: +- direction on the translation, +- moment on the rotation. */
static void fill_row(nb_matrix *block, int r, nb_real sign, const nb_real *direction,
                     const nb_real *moment)
{
    for (int j = 0; j < 3; ++j) {
        block[3 * r + j] = (nb_matrix)(direction ? sign * direction[j] : 0);
        block[9 + 3 * r + j] = (nb_matrix)(sign * moment[j]);
    }
}

/* Row `row` of joint i measures `axis`: 0 to 2 translations, 3 to 5 rotations. */
static void fill_joint_row(struct NB(nb_model) *model, const struct NB(nb_joint_state) *state,
                           int i, int row, int axis)
{
    const struct NB(nb_joint_frames) *joints = &model->nonlinear->joints;
    const int block = joints->first_block[i] + row / 3;
    const nb_real *direction = axis < 3 ? state->axis + 3 * axis : NULL;
    const nb_real value = direction ? dot(direction, state->between) : 2 * state->vector[axis - 3];
    model->violation[3 * (size_t)block + (size_t)(row % 3)] = value / model->time_step;
    for (int side = 0; side < 2; ++side) {
        const int body = joints->body[2 * i + side];
        if (body < 0)
            continue;
        const int at = NB(nb_block_at)(&model->jacobian, block, 2 * body);
        nb_real moment[3];
        if (direction)
            cross(state->arm[side], direction, moment);
        else
            memcpy(moment, state->turn + 3 * (axis - 3), sizeof moment);
        fill_row(model->jacobian.value + 9 * (size_t)at, row % 3, side == 0 ? 1 : -1, direction,
                 moment);
    }
}

void NB(nb_joints_evaluate)(struct NB(nb_model) *model)
{
    const struct NB(nb_joint_frames) *joints = &model->nonlinear->joints;
    for (int i = 0; i < joints->count; ++i) {
        const enum nb_joint_kind kind = (enum nb_joint_kind)joints->kind[i];
        const int *axes = nb_joint_axes(kind), rows = nb_joint_rows(kind);
        struct NB(nb_joint_state) state;
        NB(nb_joint_place)(model->nonlinear, i, &state);
        for (int row = 0; row < rows; ++row)
            fill_joint_row(model, &state, i, row, axes[row]);
    }
}
