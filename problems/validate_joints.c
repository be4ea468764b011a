/* What solvers and the time-step loop rely on in joints. Names are the datasets of data/FORMAT.md.
 * */
#include <math.h>

#include "problems/joints.h"
#include "problems/validate_parts.h"
#include "problems/vec3.h"

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
