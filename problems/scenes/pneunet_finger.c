/* One finger of the gripper `pneunet`, held by the world and inflated: how far it curls. Its pressure
 * rises evenly, so that the observable over time is the tip's angle over pressure. There are no contacts:
 * what is left is the step of a deformable body. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_finger.h"

enum {
    PRESSURE, INFLATE, MATERIAL, YOUNG, POISSON, DENSITY, COMPLIANCE, REFINEMENT, TIME_STEP,
    GRAVITY, MARGIN
};

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const double origin[3] = {0, 0, NB_FINGER_LENGTH};
    const struct nb_finger finger = {
        .refinement = (int)values[REFINEMENT], .compliance = values[COMPLIANCE],
        .elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                    values[YOUNG], values[POISSON], values[DENSITY]},
    };
    const enum nb_status status = nb_scene_allocate(problem, 0, 1, error);
    if (status)
        return status;
    return nb_scene_make_fingers(problem, 1, problem->shapes, &finger, origin, 0, -1, error);
}

static void schedule(struct nb_problem *problem)
{
    const double part =
        (problem->step + 1) * problem->time_step / nb_problem_parameter(problem, "inflate", 1);
    nb_scene_inflate(problem, 1,
                     nb_problem_parameter(problem, "pressure", 0) * (part < 1 ? part : 1));
}

static double observe(const struct nb_problem *problem)
{
    return nb_scene_finger_angle(problem, 1, 0);
}

const struct nb_scene nb_scene_pneunet_finger = {
    .name = "pneunet_finger",
    .title = "Inflating finger of a soft gripper",
    .source = "Macklin et al. 2019, section 10.1.4; one finger of the scene pneunet, sizes ours",
    .observable = "angle by which the tip has turned",
    .observable_unit = "rad",
    .parameters =
        {
            [PRESSURE] = {"pressure", 2e7, 0, 1e9, 0, "Pa", "volumetric stress in the arches"},
            [INFLATE] = {"inflate", 1, 1e-3, 1000, 0, "s", "time in which it rises evenly"},
            [MATERIAL] = {"material", 0, 0, 1, 1, "1",
                          "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [YOUNG] = {"young", 1e7, 1e3, 1e12, 0, "Pa", "Young's modulus"},
            [POISSON] = {"poisson", 0.47, 0, 0.499, 0, "1", "Poisson's ratio"},
            [DENSITY] = {"density", 1200, 1, 1e5, 0, "kg/m^3", "density"},
            [COMPLIANCE] = {"compliance", 1e-7, 0, 1, 0, "m/N", "of the layer between two nodes"},
            [REFINEMENT] = {"refinement", 1, 1, 8, 1, "1", "cells divided along each axis"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .schedule = schedule,
    .observe = observe,
};
