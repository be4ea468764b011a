/* What solvers and the time-step loop rely on in joints and their limits. Names are the datasets of
 * data/FORMAT.md. */
#include <math.h>

#include "problems/base/vec3.h"
#include "problems/joints.h"
#include "problems/validate/validate_parts.h"

static enum nb_status check_sides(const struct nb_joints *joints, int bodies,
                                  struct nb_error *error)
{
    for (int i = 0; i < joints->count; ++i) {
        const int *body = joints->body + 2 * i;
        if (joints->kind[i] < NB_JOINT_FIXED || joints->kind[i] > NB_JOINT_SLIDER)
            return nb_fail(error, NB_BAD_INPUT, "joints/kind: entry %d is %d, must be %d to %d", i,
                           joints->kind[i], NB_JOINT_FIXED, NB_JOINT_SLIDER);
        for (int side = 0; side < 2; ++side) {
            const enum nb_status status = nb_check_body("joints/body", i, body[side], bodies, error);
            if (status)
                return status;
        }
        if (body[0] == body[1])
            return nb_fail(error, NB_BAD_INPUT,
                           "joints/body: entry %d has body %d on both sides", i, body[0]);
    }
    return NB_OK;
}

static enum nb_status check_orientations(const struct nb_joints *joints, struct nb_error *error)
{
    for (int i = 0; i < 2 * joints->count; ++i) {
        const double *q = joints->orientation + 4 * i;
        const double norm = sqrt(q[0] * q[0] + nb_dot3(q + 1, q + 1));
        if (!(fabs(norm - 1) <= NB_UNIT_TOLERANCE))
            return nb_fail(error, NB_BAD_INPUT,
                           "joints/orientation: side %d of entry %d has length %.9g, must be 1 "
                           "to %g", i % 2, i / 2, norm, NB_UNIT_TOLERANCE);
    }
    return NB_OK;
}

/* Entries beyond a joint's rows must be zero, so that equal joints have equal files. */
static enum nb_status check_rows(const struct nb_joints *joints, struct nb_error *error)
{
    for (int i = 0; i < joints->count; ++i) {
        const double *compliance = joints->compliance + NB_JOINT_ROWS * i;
        const double *drift = joints->drift + 6 * i;
        const int rows = nb_joint_rows((enum nb_joint_kind)joints->kind[i]);
        const int world = joints->body[2 * i] < 0 || joints->body[2 * i + 1] < 0;
        for (int k = 0; k < NB_JOINT_ROWS; ++k) {
            if (k < rows ? compliance[k] < 0 : compliance[k] != 0)
                return nb_fail(error, NB_BAD_INPUT,
                               "joints/compliance: row %d of entry %d is %g, must be %s", k, i,
                               compliance[k], k < rows ? "0 or more" : "0 beyond its rows");
            if (!world && drift[k] != 0)
                return nb_fail(error, NB_BAD_INPUT,
                               "joints/drift: entry %d is %g, must be 0 between two bodies", i,
                               drift[k]);
        }
    }
    return NB_OK;
}

enum nb_status nb_validate_joints(const struct nb_joints *joints, int bodies,
                                  struct nb_error *error)
{
    const int count = joints->count;
    enum nb_status status = nb_check_count("joints", count, error);
    if (status || count == 0)
        return status;
    if (!joints->kind || !joints->body)
        return nb_fail(error, NB_BAD_INPUT, "joints/%s is missing",
                       joints->kind ? "body" : "kind");
    status = check_sides(joints, bodies, error);
    if (!status)
        status = nb_check_finite("joints/point", joints->point, count, 6, error);
    if (!status)
        status = nb_check_finite("joints/orientation", joints->orientation, count, 8, error);
    if (!status)
        status = check_orientations(joints, error);
    if (!status)
        status = nb_check_finite("joints/compliance", joints->compliance, count, 6, error);
    if (!status)
        status = nb_check_finite("joints/drift", joints->drift, count, 6, error);
    return status ? status : check_rows(joints, error);
}

/* Which coordinate of which joint. */
static enum nb_status check_limit(const struct nb_limits *limits, int i,
                                  const struct nb_joints *joints, struct nb_error *error)
{
    const int joint = limits->joint[i], side = limits->side[i];
    if (joint < 0 || joint >= joints->count)
        return nb_fail(error, NB_BAD_INPUT, "limits/joint: entry %d is joint %d, must be 0 to %d",
                       i, joint, joints->count - 1);
    if (joints->kind[joint] != NB_JOINT_HINGE && joints->kind[joint] != NB_JOINT_SLIDER)
        return nb_fail(error, NB_BAD_INPUT,
                       "limits/joint: entry %d is joint %d of kind %d, must be a hinge (%d) or a "
                       "slider (%d)", i, joint, joints->kind[joint], NB_JOINT_HINGE,
                       NB_JOINT_SLIDER);
    if (side != NB_LIMIT_LOWER && side != NB_LIMIT_UPPER)
        return nb_fail(error, NB_BAD_INPUT,
                       "limits/side: entry %d is %d, must be %d (lower) or %d (upper)", i, side,
                       NB_LIMIT_LOWER, NB_LIMIT_UPPER);
    if (joints->kind[joint] == NB_JOINT_HINGE && fabs(limits->bound[i]) > NB_LIMIT_ANGLE)
        return nb_fail(error, NB_BAD_INPUT, "limits/bound: entry %d is %g rad, must be -%g to %g",
                       i, limits->bound[i], NB_LIMIT_ANGLE, NB_LIMIT_ANGLE);
    return NB_OK;
}

/* The order of entries makes two limits of a joint neighbours. */
static enum nb_status check_limit_order(const struct nb_limits *limits, int i,
                                        const struct nb_joints *joints, struct nb_error *error)
{
    const int joint = limits->joint[i], last = limits->joint[i - 1];
    const double lower = limits->bound[i - 1], upper = limits->bound[i];
    if (2 * (long)last + limits->side[i - 1] >= 2 * (long)joint + limits->side[i])
        return nb_fail(error, NB_BAD_INPUT,
                       "limits: entry %d, side %d of joint %d, does not follow side %d of joint "
                       "%d: joints ascend, and the lower limit (0) comes before the upper one (1)",
                       i, limits->side[i], joint, limits->side[i - 1], last);
    if (last == joint && !(lower < upper))
        return nb_fail(error, NB_BAD_INPUT,
                       "limits/bound: the lower limit of joint %d is %g %s, must be below its "
                       "upper one, %g", joint, lower,
                       joints->kind[joint] == NB_JOINT_HINGE ? "rad" : "m", upper);
    return NB_OK;
}

enum nb_status nb_validate_limits(const struct nb_limits *limits, const struct nb_joints *joints,
                                  struct nb_error *error)
{
    enum nb_status status = nb_check_count("limits", limits->count, error);
    if (status || limits->count == 0)
        return status;
    if (!limits->joint || !limits->side)
        return nb_fail(error, NB_BAD_INPUT, "limits/%s is missing",
                       limits->joint ? "side" : "joint");
    status = nb_check_finite("limits/bound", limits->bound, limits->count, 1, error);
    for (int i = 0; !status && i < limits->count; ++i)
        status = check_limit(limits, i, joints, error);
    for (int i = 1; !status && i < limits->count; ++i)
        status = check_limit_order(limits, i, joints, error);
    return status;
}
