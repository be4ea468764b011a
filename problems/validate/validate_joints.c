/* What solvers and the time-step loop rely on in joints and their limits. Names are the datasets of
 * docs/reference/formats.md. */
#include <math.h>

#include "problems/joints.h"
#include "problems/validate/validate_parts.h"

static enum nb_status check_kinds(const struct nb_joints *joints, struct nb_error *error)
{
    for (int i = 0; i < joints->count; ++i) {
        if (joints->kind[i] < NB_JOINT_FIXED || joints->kind[i] > NB_JOINT_SLIDER)
            return nb_fail(error, NB_BAD_INPUT, "joints/kind: entry %d is %d, must be %d to %d", i,
                           joints->kind[i], NB_JOINT_FIXED, NB_JOINT_SLIDER);
        if (joints->body[2 * i] == joints->body[2 * i + 1])
            return nb_fail(error, NB_BAD_INPUT,
                           "joints/body: entry %d has body %d on both sides", i, joints->body[2 * i]);
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

enum nb_status nb_validate_joints(const struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = nb_check_group(problem, NB_JOINTS, error);
    if (!status)
        status = check_kinds(&problem->joints, error);
    return status ? status : check_rows(&problem->joints, error);
}

/* At an angle of 0 the axis of a ball's limit would be of any direction. */
static enum nb_status check_ball(const struct nb_limits *limits, int i, struct nb_error *error)
{
    if (limits->side[i] != NB_LIMIT_UPPER)
        return nb_fail(error, NB_BAD_INPUT, "limits/side: entry %d is %d, must be %d (upper) for a ball", i,
                       limits->side[i], NB_LIMIT_UPPER);
    if (!(limits->bound[i] > 0 && limits->bound[i] <= NB_LIMIT_ANGLE))
        return nb_fail(error, NB_BAD_INPUT, "limits/bound: entry %d is %g rad, must be above 0 and at most %g for a "
                                            "ball",
                       i, limits->bound[i], NB_LIMIT_ANGLE);
    return NB_OK;
}

/* Which coordinate of which joint. */
static enum nb_status check_limit(const struct nb_limits *limits, int i,
                                  const struct nb_joints *joints, struct nb_error *error)
{
    const int joint = limits->joint[i], side = limits->side[i];
    if (joint < 0 || joint >= joints->count)
        return nb_fail(error, NB_BAD_INPUT, "limits/joint: entry %d is joint %d, must be 0 to %d",
                       i, joint, joints->count - 1);
    if (joints->kind[joint] == NB_JOINT_FIXED)
        return nb_fail(error, NB_BAD_INPUT,
                       "limits/joint: entry %d is joint %d of kind %d, must be a ball (%d), a hinge (%d) or a "
                       "slider (%d)",
                       i, joint, NB_JOINT_FIXED, NB_JOINT_BALL, NB_JOINT_HINGE, NB_JOINT_SLIDER);
    if (side != NB_LIMIT_LOWER && side != NB_LIMIT_UPPER)
        return nb_fail(error, NB_BAD_INPUT,
                       "limits/side: entry %d is %d, must be %d (lower) or %d (upper)", i, side,
                       NB_LIMIT_LOWER, NB_LIMIT_UPPER);
    if (joints->kind[joint] == NB_JOINT_BALL)
        return check_ball(limits, i, error);
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

enum nb_status nb_validate_limits(const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_limits *limits = &problem->limits;
    enum nb_status status = nb_check_group(problem, NB_LIMITS, error);
    for (int i = 0; !status && i < limits->count; ++i)
        status = check_limit(limits, i, &problem->joints, error);
    for (int i = 1; !status && i < limits->count; ++i)
        status = check_limit_order(limits, i, &problem->joints, error);
    return status;
}
