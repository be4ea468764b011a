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

#include "problems/model/joint_rows.h"
#include "problems/rotation.h"

void NB(nb_limits_free)(struct NB(nb_limit_rows) *limits)
{
    free(limits->bound);
    free(limits->tangent);
}

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

enum nb_status NB(nb_limits_create)(struct NB(nb_model) *model, struct nb_error *error)
{
    const struct nb_limits *given = &model->problem->limits;
    struct NB(nb_limit_rows) *limits = &model->nonlinear->limits;
    const size_t n = (size_t)given->count;
    limits->count = given->count;
    limits->joint = given->joint;
    limits->side = given->side;
    limits->bound = NB(nb_narrow)(given->bound, n);
    limits->tangent = malloc((6 * n + 1) * sizeof *limits->tangent);
    if (!limits->bound || !limits->tangent)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the limits of joints");
    for (size_t i = 0; i < n; ++i)
        start_tangents(model->problem, limits->joint[i], limits->tangent + 6 * i);
    return NB_OK;
}

/* s vanishes only where the hinge is turned by pi about an axis across its own. */
void NB(nb_angle_gradient)(const struct NB(nb_joint_state) *state, nb_real *gradient)
{
    const nb_real *v = state->vector, q = state->scalar;
    const nb_real s = nb_max(q * q + v[2] * v[2], NB_REAL(NB_UNIT_ROUNDOFF));
    const nb_real x = (q * v[1] + v[2] * v[0]) / s, y = (v[2] * v[1] - q * v[0]) / s;
    for (int j = 0; j < 3; ++j)
        gradient[j] = x * state->axis[j] + y * state->axis[3 + j] + state->axis[6 + j];
}

/* The normal row of one side: its force and moment for a unit multiplier of a lower limit. */
static void normal_row(const struct NB(nb_joint_state) *state, int slider, int side, nb_real *row)
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
static void fill_side(struct NB(nb_model) *model, const struct NB(nb_joint_state) *state, int i,
                      int side, const nb_real *u)
{
    const struct NB(nb_limit_rows) *limits = &model->nonlinear->limits;
    const struct NB(nb_joint_frames) *joints = &model->nonlinear->joints;
    const int joint = limits->joint[i], body = joints->body[2 * joint + side];
    const int row = model->bilateral_blocks + model->nonlinear->contacts.count + i;
    const int slider = joints->kind[joint] == NB_JOINT_SLIDER;
    const nb_real sign = side == 0 ? 1 : -1, *tangent = limits->tangent + 6 * (size_t)i;
    const nb_real outward = limits->side[i] == NB_LIMIT_LOWER ? sign : -sign;
    if (body < 0)
        return;
    const int at = NB(nb_block_at)(&model->jacobian, row, 2 * body);
    const nb_real *rate = u + 6 * (size_t)body + (slider ? 0 : 3);
    nb_matrix *block = model->jacobian.value + 9 * (size_t)at;
    nb_matrix *across = block + (slider ? 0 : 9);
    nb_real *out = model->violation + 3 * (size_t)row, normal[6];
    normal_row(state, slider, side, normal);
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

static nb_real coordinate(const struct NB(nb_joint_state) *state, int slider)
{
    const nb_real *axis = state->axis + 6, *between = state->between;
    return slider ? axis[0] * between[0] + axis[1] * between[1] + axis[2] * between[2]
                  : 2 * nb_atan2(state->vector[2], state->scalar);
}

void NB(nb_limits_evaluate)(struct NB(nb_model) *model, const nb_real *u)
{
    const struct NB(nb_limit_rows) *limits = &model->nonlinear->limits;
    const int first = model->bilateral_blocks + model->nonlinear->contacts.count;
    for (int i = 0; i < limits->count; ++i) {
        const int joint = limits->joint[i];
        const int slider = model->nonlinear->joints.kind[joint] == NB_JOINT_SLIDER;
        const nb_real outward = limits->side[i] == NB_LIMIT_LOWER ? 1 : -1;
        nb_real *out = model->violation + 3 * (size_t)(first + i);
        struct NB(nb_joint_state) state;
        NB(nb_joint_place)(model->nonlinear, joint, &state);
        out[0] = outward * (coordinate(&state, slider) - limits->bound[i]) / model->time_step;
        out[1] = out[2] = 0;
        for (int side = 0; side < 2; ++side)
            fill_side(model, &state, i, side, u);
    }
}
