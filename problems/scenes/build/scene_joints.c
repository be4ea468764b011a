/* Joints for scenes (problems/scenes/build/scene_build.h). */
#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/fields.h"
#include "problems/scenes/build/scene_build.h"

enum nb_status nb_scene_allocate_joints(struct nb_problem *problem, int count,
                                        struct nb_error *error)
{
    enum nb_status status = nb_group_allocate(problem, NB_JOINTS, count, error);
    if (!status) /* at most two a joint */
        status = nb_group_allocate(problem, NB_LIMITS, 2 * count, error);
    problem->limits.count = 0;
    return status;
}

/* The frame (anchor, axes) of the world as seen from a body. */
static void attach(const struct nb_bodies *bodies, int body, const double *anchor,
                   const double *axes, double *point, double *orientation)
{
    nb_to_body_frame(bodies, body, anchor, point);
    memcpy(orientation, axes, 4 * sizeof *orientation);
    if (body < 0)
        return;
    const double *q = bodies->orientation + 4 * body;
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    nb_quaternion_product(back, axes, orientation);
}

void nb_scene_make_joint(struct nb_problem *problem, int index, enum nb_joint_kind kind, int a,
                         int b, const double *anchor, const double *axes)
{
    static const double world_axes[4] = {1, 0, 0, 0};
    struct nb_joints *joints = &problem->joints;
    const int body[2] = {a, b};
    joints->kind[index] = kind;
    for (int side = 0; side < 2; ++side) {
        joints->body[2 * index + side] = body[side];
        attach(&problem->bodies, body[side], anchor, axes ? axes : world_axes,
               joints->point + 6 * index + 3 * side, joints->orientation + 8 * index + 4 * side);
    }
}

static void add_limit(struct nb_limits *limits, int joint, enum nb_limit_side side, double bound)
{
    limits->joint[limits->count] = joint;
    limits->side[limits->count] = (int)side;
    limits->bound[limits->count++] = bound;
}

void nb_scene_limit_joint(struct nb_problem *problem, int index, double lower, double upper)
{
    if (lower != -INFINITY)
        add_limit(&problem->limits, index, NB_LIMIT_LOWER, lower);
    if (upper != INFINITY)
        add_limit(&problem->limits, index, NB_LIMIT_UPPER, upper);
}
