/* A chain of links on hinges that bend by a limited angle either way, held at one end. It starts
 * straight and level, falls onto its limits, and comes to rest as an arc in which every hinge
 * stands at its upper limit, link i inclined by (i + 1) times the limit. The torque there is
 * statically determinate: the moment of the weights beyond the hinge,
 *
 *     lambda_i = sum_(j >= i) m g (x_j - X_i),   x centres of mass, X hinges.
 *
 * Ours: limits of joints in their simplest setting. */
#include <math.h>

#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT, MASS, LENGTH, SIDE, LIMIT, TIME_STEP, GRAVITY, MARGIN };

static enum nb_status check(const double *values, struct nb_error *error)
{
    const double most = 180 / values[COUNT];
    if (values[LENGTH] <= values[MARGIN])
        return nb_fail(error, NB_BAD_INPUT,
                       "hinge_limits: length = %g m must be above margin = %g m, or links touch "
                       "that are not neighbours", values[LENGTH], values[MARGIN]);
    if (values[LIMIT] > most)
        return nb_fail(error, NB_BAD_INPUT,
                       "hinge_limits: limit = %g degrees must be at most %g with %g links, or the "
                       "chain curls up", values[LIMIT], most, values[COUNT]);
    return NB_OK;
}

/* Hinges about y: z of their frames. */
static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const double about_y[4] = {sqrt(0.5), -sqrt(0.5), 0, 0};
    const double sides[3] = {values[LENGTH], values[SIDE], values[SIDE]};
    const double limit = values[LIMIT] * M_PI / 180;
    const int count = (int)values[COUNT];
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, count, count, error);
    if (!status)
        status = nb_scene_allocate_joints(problem, count, error);
    for (int i = 0; !status && i < count; ++i) {
        const double anchor[3] = {i * values[LENGTH], 0, 0};
        const double centre[3] = {(i + 0.5) * values[LENGTH], 0, 0};
        status = nb_scene_make_box(problem, i, &problem->shapes[i], sides, values[MASS], centre,
                                   error);
        nb_scene_make_joint(problem, i, NB_JOINT_HINGE, i, i - 1, anchor, about_y);
        nb_scene_limit_joint(problem, i, -limit, limit);
    }
    return status;
}

/* All hinges together; the limit times the number of links at rest. */
static double observe(const struct nb_problem *problem)
{
    double bend = 0;
    for (int i = 0; i < problem->joints.count; ++i)
        bend += nb_joint_coordinate(problem, i);
    return bend;
}

const struct nb_scene nb_scene_hinge_limits = {
    .name = "hinge_limits",
    .title = "Chain of hinges with limits",
    .source = "ours: unilateral limits of joints",
    .observable = "bend of the chain",
    .observable_unit = "rad",
    .parameters =
        {
            [COUNT] = {"count", 8, 1, 1000, 1, "1", "links"},
            [MASS] = {"mass", 1, 1e-6, 1e6, 0, "kg", "mass of a link"},
            [LENGTH] = {"length", 0.2, 1e-3, 10, 0, "m", "length of a link"},
            [SIDE] = {"side", 0.04, 1e-4, 10, 0, "m", "side of a link's square section"},
            [LIMIT] = {"limit", 8, 0.01, 170, 0, "degrees", "largest angle of a hinge, either way"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
