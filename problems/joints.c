/* Joints in double. With the frames A and B of a joint's two sides in the world, P their origins,
 * q = conj(q_B) q_A = (q_0, v) the rotation from B to A:
 *
 *     x = R_B^T (P_A - P_B),   e = 2 v,   both in the axes of B,
 *     dx_k/dt = f_k . (v_a + omega_a x r_a - v_b - omega_b x (r_b + P_A - P_B)),
 *     de/dt   = (q_0 1 - [v]x) R_B^T (omega_a - omega_b),
 *
 * f_k the axes of B, r the arm from a centre of mass to the frame's origin: the force of a joint acts
 * at P_A on both bodies, so that it adds no angular momentum, however far the joint is open. */
#include "problems/joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/sorted.h"
#include "problems/base/vec3.h"

static const int fixed_axes[] = {0, 1, 2, 3, 4, 5}; /* ball and hinge are its beginning */
static const int slider_axes[] = {0, 1, 3, 4, 5};

const int *nb_joint_axes(enum nb_joint_kind kind)
{
    return kind == NB_JOINT_SLIDER ? slider_axes : fixed_axes;
}

int nb_joint_rows(enum nb_joint_kind kind)
{
    switch (kind) {
    case NB_JOINT_FIXED: return 6;
    case NB_JOINT_BALL: return 3;
    case NB_JOINT_HINGE:
    case NB_JOINT_SLIDER: return 5;
    }
    return 0;
}

/* A side's frame in the world: origin, arm from the centre of mass, orientation. */
struct side {
    double origin[3], arm[3], orientation[4];
};

static void place_side(const struct nb_problem *problem, int joint, int which, struct side *side)
{
    const struct nb_joints *joints = &problem->joints;
    const struct nb_bodies *bodies = &problem->bodies;
    const int body = joints->body[2 * joint + which];
    const double *point = joints->point + 6 * joint + 3 * which;
    const double *turn = joints->orientation + 8 * joint + 4 * which;
    double rotation[9];
    memset(side->arm, 0, sizeof side->arm);
    memcpy(side->origin, point, sizeof side->origin);
    memcpy(side->orientation, turn, sizeof side->orientation);
    if (body < 0)
        return;
    nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
    nb_rotate(rotation, point, side->arm);
    nb_add_scaled3(bodies->position + 3 * body, 1, side->arm, side->origin);
    nb_quaternion_product(bodies->orientation + 4 * body, turn, side->orientation);
}

/* Row of x_k: force f along the axis on side a, and its moments about both centres of mass. */
static void translation_row(const double *f, const double *arm_a, const double *arm_b, double *row)
{
    double moment[3];
    nb_cross3(arm_a, f, moment);
    nb_add_scaled3(row, 1, f, row);
    nb_add_scaled3(row + 3, 1, moment, row + 3);
    nb_cross3(arm_b, f, moment);
    nb_add_scaled3(row + 6, -1, f, row + 6);
    nb_add_scaled3(row + 9, -1, moment, row + 9);
}

/* Both sides, and what is measured between them: frame's column k is axis k of B. */
struct placement {
    struct side a, b;
    double frame[9], between[3], arm_b[3];
    double q[4]; /* from B to A, q[0] >= 0 */
};

static void place(const struct nb_problem *problem, int joint, struct placement *at)
{
    place_side(problem, joint, 0, &at->a);
    place_side(problem, joint, 1, &at->b);
    const double *b = at->b.orientation, back[4] = {b[0], -b[1], -b[2], -b[3]};
    nb_quaternion_matrix(b, at->frame);
    nb_subtract3(at->a.origin, at->b.origin, at->between);
    nb_add_scaled3(at->b.arm, 1, at->between, at->arm_b);
    nb_quaternion_product(back, at->a.orientation, at->q);
    const double sign = at->q[0] < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k)
        at->q[k] *= sign;
}

static void axis_of(const struct placement *at, int k, double *axis)
{
    for (int j = 0; j < 3; ++j)
        axis[j] = at->frame[3 * j + k];
}

/* Row of a rotation: +- spin on the angular velocities. */
static void rotation_row(const double *spin, double *row)
{
    nb_add_scaled3(row + 3, 1, spin, row + 3);
    nb_add_scaled3(row + 9, -1, spin, row + 9);
}

static void clear_world(const struct nb_problem *problem, int joint, double *row)
{
    for (int side = 0; side < 2; ++side)
        if (problem->joints.body[2 * joint + side] < 0)
            memset(row + 6 * side, 0, 6 * sizeof *row);
}

void nb_joint_evaluate(const struct nb_problem *problem, int joint, double *value,
                       double *jacobian)
{
    const enum nb_joint_kind kind = (enum nb_joint_kind)problem->joints.kind[joint];
    const int *axes = nb_joint_axes(kind), rows = nb_joint_rows(kind);
    struct placement at;
    place(problem, joint, &at);
    const double *q = at.q;
    const double turn[9] = {q[0], q[3], -q[2], -q[3], q[0], q[1], q[2], -q[1], q[0]};
    memset(jacobian, 0, 12 * (size_t)rows * sizeof *jacobian);
    for (int i = 0; i < rows; ++i) {
        const int k = axes[i] % 3;
        double *row = jacobian + 12 * i, axis[3], spin[3];
        axis_of(&at, k, axis);
        if (axes[i] < 3) {
            value[i] = nb_dot3(axis, at.between);
            translation_row(axis, at.a.arm, at.arm_b, row);
        } else {
            value[i] = 2 * q[1 + k];
            nb_rotate(at.frame, turn + 3 * k, spin);
            rotation_row(spin, row);
        }
        clear_world(problem, joint, row);
    }
}

/* d(2 atan2(v_z, q_0)) = g . delta by a turn delta of A against B, both in the axes of B, for
 * dq_0 = -v . delta/2 and dv = (q_0 1 - [v]x) delta/2. */
static void angle_gradient(const double *q, double *g)
{
    const double square = q[0] * q[0] + q[3] * q[3];
    g[0] = (q[0] * q[2] + q[3] * q[1]) / square;
    g[1] = (q[3] * q[2] - q[0] * q[1]) / square;
    g[2] = 1;
}

/* The direction of a ball's rotation, which is that of its angle's gradient; z without one. */
static void ball_direction(const double *q, double *g)
{
    const double length = sqrt(nb_dot3(q + 1, q + 1));
    for (int k = 0; k < 3; ++k)
        g[k] = length > 0 ? q[1 + k] / length : k == 2;
}

/* c of problem.h and its row [12]. */
static double coordinate(const struct nb_problem *problem, int joint, const struct placement *at,
                         double *row)
{
    const enum nb_joint_kind kind = (enum nb_joint_kind)problem->joints.kind[joint];
    double axis[3], gradient[3], spin[3];
    if (kind == NB_JOINT_SLIDER) {
        axis_of(at, 2, axis);
        translation_row(axis, at->a.arm, at->arm_b, row);
        return nb_dot3(axis, at->between);
    }
    if (kind == NB_JOINT_BALL)
        ball_direction(at->q, gradient);
    else
        angle_gradient(at->q, gradient);
    nb_rotate(at->frame, gradient, spin);
    rotation_row(spin, row);
    return 2 * atan2(kind == NB_JOINT_BALL ? sqrt(nb_dot3(at->q + 1, at->q + 1)) : at->q[3], at->q[0]);
}

/* The axis of B nearest to the limit's: z of hinges and sliders. */
static int nearest_axis(const struct nb_problem *problem, int joint, const struct placement *at)
{
    const double *v = at->q + 1;
    int nearest = 2;
    if (problem->joints.kind[joint] == NB_JOINT_BALL)
        for (int k = 0; k < 2; ++k)
            nearest = fabs(v[k]) > fabs(v[nearest]) ? k : nearest;
    return nearest;
}

void nb_limit_tangents(const struct nb_problem *problem, int joint, double *tangents)
{
    struct placement at;
    place(problem, joint, &at);
    const int nearest = nearest_axis(problem, joint, &at);
    for (int k = 0; k < 2; ++k)
        axis_of(&at, (nearest + 1 + k) % 3, tangents + 3 * k);
}

double nb_joint_coordinate(const struct nb_problem *problem, int joint)
{
    struct placement at;
    double row[12] = {0};
    place(problem, joint, &at);
    return coordinate(problem, joint, &at, row);
}

void nb_limit_evaluate(const struct nb_problem *problem, int limit, double *gap, double *jacobian)
{
    const int joint = problem->limits.joint[limit];
    const double sign = problem->limits.side[limit] == NB_LIMIT_LOWER ? 1 : -1;
    const int first = problem->joints.kind[joint] == NB_JOINT_SLIDER ? 0 : 3;
    double tangents[6];
    struct placement at;
    place(problem, joint, &at);
    memset(jacobian, 0, 36 * sizeof *jacobian);
    *gap = sign * (coordinate(problem, joint, &at, jacobian) - problem->limits.bound[limit]);
    for (int k = 0; k < 12; ++k)
        jacobian[k] *= sign;
    nb_limit_tangents(problem, joint, tangents);
    for (int k = 0; k < 2; ++k) {
        double *row = jacobian + 12 * (k + 1), *axis = tangents + 3 * k;
        nb_add_scaled3(row + first, 1, axis, row + first);
        nb_add_scaled3(row + 6 + first, -1, axis, row + 6 + first);
    }
    for (int k = 0; k < 3; ++k)
        clear_world(problem, joint, jacobian + 12 * k);
}

void nb_joints_drift(struct nb_problem *problem)
{
    struct nb_joints *joints = &problem->joints;
    const double h = problem->time_step;
    for (int i = 0; i < joints->count; ++i) {
        const int world = joints->body[2 * i] < 0 ? 0 : 1;
        const double *drift = joints->drift + 6 * i;
        double *point = joints->point + 6 * i + 3 * world;
        if (joints->body[2 * i + world] >= 0)
            continue;
        nb_add_scaled3(point, h, drift, point);
        if (nb_dot3(drift + 3, drift + 3) > 0) /* a frame at rest keeps its bits */
            nb_quaternion_advance(joints->orientation + 8 * i + 4 * world, h, drift + 3);
    }
}

enum nb_status nb_joint_pairs(const struct nb_joints *joints, int **pairs, int *count,
                              struct nb_error *error)
{
    int found = 0;
    int *list = malloc((2 * (size_t)joints->count + 1) * sizeof *list);
    *pairs = list;
    *count = 0;
    if (!list)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for pairs of %d joints", joints->count);
    for (int i = 0; i < joints->count; ++i) {
        const int a = joints->body[2 * i], b = joints->body[2 * i + 1];
        if (a < 0 || b < 0)
            continue;
        list[2 * found] = a;
        list[2 * found++ + 1] = b;
    }
    *count = nb_sort_pairs(list, found);
    return NB_OK;
}

int nb_joint_has_pair(const int *pairs, int count, int a, int b)
{
    const int wanted[2] = {a < b ? a : b, a < b ? b : a};
    return count > 0 &&
           bsearch(wanted, pairs, (size_t)count, sizeof wanted, nb_compare_pairs) != NULL;
}
