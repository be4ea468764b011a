/* A ball is thrown onto a floor and from there against a wall, and is to be at a target at a given time: which start
 * takes it there (Macklin 2020, figure 36: "a starting impulse such that a bouncing ball hits a target at t = 0.5 s",
 * through two contacts; sizes are not printed). docs/examples/trajectory.py finds the start by gradients.
 *
 * Contacts have no restitution: floor and wall are plates of mass m_p on springs k, along their normals alone. Without
 * gravity and for small time steps a ball of mass m that comes at v shares its momentum with the plate, (m + m_p) v' =
 * m v, swings half a period pi sqrt((m + m_p)/k) and leaves at v', so that the restitution is m/(m + m_p). Implicit
 * Euler takes some: about a factor exp(-pi h sqrt(k/(m + m_p))/2). */
#include <math.h>

#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum {
    LAUNCH_X,
    LAUNCH_Z,
    HEIGHT,
    DISTANCE,
    TARGET_X,
    TARGET_Z,
    RADIUS,
    MASS,
    PLATE_MASS,
    STIFFNESS,
    FRICTION,
    TIME_STEP,
    GRAVITY,
    MARGIN
};
enum { BALL,
       FLOOR,
       WALL,
       BODIES };

static const double thickness = 0.05; /* of the plates [m] */

/* A square plate with its centre there, which moves along one axis alone. */
static enum nb_status make_plate(const double *values, struct nb_problem *problem, int body, int axis,
                                 const double *centre, double half, struct nb_error *error)
{
    double sides[3] = {2 * half, 2 * half, 2 * half};
    sides[axis] = thickness;
    const enum nb_status status = nb_scene_make_box(problem, body, &problem->shapes[body], sides, values[PLATE_MASS],
                                                    centre, error);
    nb_scene_make_joint(problem, body - FLOOR, NB_JOINT_FIXED, body, -1, centre, NULL);
    problem->joints.compliance[NB_JOINT_ROWS * (body - FLOOR) + axis] = 1 / values[STIFFNESS];
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const double radius = values[RADIUS], distance = values[DISTANCE];
    const double ball[3] = {0, 0, values[HEIGHT]};
    const double half = 0.6 * (values[HEIGHT] + distance), apart = radius / 2; /* the plates end before each other */
    const double below[3] = {distance - apart - half, 0, -thickness / 2};
    const double beside[3] = {distance + thickness / 2, 0, apart + half};
    if (values[HEIGHT] <= radius || distance <= radius)
        return nb_fail(error, NB_BAD_INPUT,
                       "bouncing_ball: height = %g m and distance = %g m must be above radius = %g m", values[HEIGHT],
                       distance, radius);
    enum nb_status status = nb_scene_allocate(problem, BODIES, BODIES, error);
    if (!status)
        status = nb_scene_allocate_joints(problem, BODIES - FLOOR, error);
    if (status)
        return status;
    for (int i = 0; i < BODIES; ++i)
        problem->shapes[i].friction = values[FRICTION];
    nb_scene_make_sphere(problem, BALL, &problem->shapes[BALL], radius, values[MASS], ball);
    problem->bodies.velocity[0] = values[LAUNCH_X];
    problem->bodies.velocity[2] = values[LAUNCH_Z];
    if (!(status = make_plate(values, problem, FLOOR, 2, below, half, error)))
        status = make_plate(values, problem, WALL, 0, beside, half, error);
    /* The floor's spring is wound: it bears the plate. */
    problem->joints.point[5] += values[PLATE_MASS] * values[GRAVITY] / values[STIFFNESS];
    return status;
}

static double observe(const struct nb_problem *problem)
{
    const double x = nb_problem_parameter(problem, "target_x", NAN), z = nb_problem_parameter(problem, "target_z", NAN);
    return hypot(problem->bodies.position[0] - x, problem->bodies.position[2] - z);
}

const struct nb_scene nb_scene_bouncing_ball = {
    .name = "bouncing_ball",
    .title = "Ball thrown at a target by way of floor and wall",
    .source = "Macklin 2020, section 5.8, figure 36; plates on springs for its contacts, all sizes ours",
    .observable = "distance of the ball from the target",
    .observable_unit = "m",
    .parameters =
        {
            [LAUNCH_X] = {"launch_x", 3.1, -100, 100, 0, "m/s", "velocity at the start, towards the wall"},
            [LAUNCH_Z] = {"launch_z", -1.3, -100, 100, 0, "m/s", "the same, upwards"},
            [HEIGHT] = {"height", 0.3, 1e-3, 100, 0, "m", "of the ball above the floor at the start"},
            [DISTANCE] = {"distance", 0.8, 1e-3, 100, 0, "m", "of the ball from the wall at the start"},
            [TARGET_X] = {"target_x", 0.1, -100, 100, 0, "m", "where the target is, along x"},
            [TARGET_Z] = {"target_z", 0.35, -100, 100, 0, "m", "the same, above the floor"},
            [RADIUS] = {"radius", 0.05, 1e-3, 10, 0, "m", "radius of the ball"},
            [MASS] = {"mass", 0.1, 1e-6, 1e6, 0, "kg", "mass of the ball"},
            [PLATE_MASS] = {"plate_mass", 0.005, 1e-6, 1e6, 0, "kg", "mass of the floor, and of the wall"},
            [STIFFNESS] = {"stiffness", 200, 1e-3, 1e12, 0, "N/m", "of the springs that bear them"},
            [FRICTION] = NB_SCENE_FRICTION(0),
            [TIME_STEP] = NB_SCENE_STEP(0.001, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
