/* A train of gears on fixed axles: the first is turned as prescribed, the others follow by the contact of their teeth,
 * and a brake holds the last with the torque -c omega. Flanks are involutes, so that the ratio of two gears' velocities
 * is that of their teeth at every time, and not only on average; all that is lost without friction is what the brake
 * takes, so that the first gear's torque is c omega of the last one over the ratio of the teeth.
 *
 * Axles are along z and in a row along x; gears of `teeth` and of `teeth_b` take turns. With Phi = -teeth angle/(2 pi)
 * the phase of a gear's teeth at angle 0, that of the next at angle pi is 1/2 - Phi, as gears that mesh turn against
 * each other. Non-convex gears are figure 1b of Silcowitz et al. 2009; the train, on which there is a law to test, is
 * ours. */
#include <math.h>

#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_gear.h"

enum { COUNT,
       TEETH,
       TEETH_B,
       MODULE,
       WIDTH,
       BACKLASH,
       SPEED,
       STARTING,
       BRAKE,
       DENSITY,
       FRICTION,
       TIME_STEP,
       GRAVITY,
       MARGIN };

static struct nb_gear gear_of(const double *values, int index)
{
    return (struct nb_gear){.teeth = (int)values[index % 2 ? TEETH_B : TEETH],
                            .module = values[MODULE],
                            .width = values[WIDTH],
                            .density = values[DENSITY],
                            .backlash = values[BACKLASH]};
}

static int count_shapes(const double *values)
{
    int shapes = 0;
    for (int i = 0; i < (int)values[COUNT]; ++i) {
        const struct nb_gear gear = gear_of(values, i);
        shapes += nb_gear_shapes(&gear);
    }
    return shapes;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int count = (int)values[COUNT];
    double centre[3] = {0}, angle = 0;
    int shape = 0;
    enum nb_status status = nb_scene_allocate(problem, count, count_shapes(values), error);
    if (!status)
        status = nb_scene_allocate_joints(problem, count, error);
    for (int i = 0; !status && i < problem->shape_count; ++i)
        problem->shapes[i].friction = values[FRICTION];
    for (int i = 0; !status && i < count; ++i) {
        const struct nb_gear gear = gear_of(values, i), next = gear_of(values, i + 1);
        status = nb_scene_make_gear(problem, i, &problem->shapes[shape], &gear, centre, angle, error);
        shape += nb_gear_shapes(&gear);
        nb_scene_make_joint(problem, i, i ? NB_JOINT_HINGE : NB_JOINT_FIXED, i, -1, centre, NULL);
        centre[0] += nb_gear_pitch_radius(&gear) + nb_gear_pitch_radius(&next);
        angle = M_PI - 2 * M_PI / next.teeth * (0.5 + gear.teeth * angle / (2 * M_PI));
    }
    return status;
}

/* The first gear's frame comes to its speed within `starting`. */
static void schedule(struct nb_problem *problem)
{
    const double h = problem->time_step, starting = nb_problem_parameter(problem, "starting", 0);
    const double share = fmin((problem->step + 0.5) * h / fmax(starting, h / 2), 1);
    if (problem->joints.count > 0)
        problem->joints.drift[5] = share * nb_problem_parameter(problem, "speed", 0);
}

/* I (omega - omega~) = -h c omega, implicitly, about the axle. */
static void drive(const struct nb_problem *problem, double *velocity)
{
    const int last = problem->bodies.count - 1;
    const double h = problem->time_step, brake = nb_problem_parameter(problem, "brake", 0);
    if (last > 0)
        velocity[6 * last + 5] /= 1 + h * brake / problem->bodies.inertia[9 * last + 8];
}

/* Of the last gear, over what the teeth make of the first one's. */
static double observe(const struct nb_problem *problem)
{
    const int last = problem->bodies.count - 1;
    const double teeth = nb_problem_parameter(problem, "teeth", 1);
    const double of_last = last % 2 ? nb_problem_parameter(problem, "teeth_b", 1) : teeth;
    const double omega = problem->joints.count > 0 ? problem->joints.drift[5] : 0;
    if (last < 1 || omega == 0)
        return NAN; /* some other problem of that name */
    return problem->bodies.velocity[6 * last + 5] / (omega * (last % 2 ? -1 : 1) * teeth / of_last);
}

const struct nb_scene nb_scene_gear_train = {
    .name = "gear_train",
    .title = "Train of gears on axles",
    .source = "after the gears of Silcowitz et al. 2009, figure 1b, here on axles; all sizes ours",
    .observable = "speed of the last gear over that of the teeth's ratio",
    .observable_unit = "1",
    .parameters =
        {
            [COUNT] = {"count", 3, 2, 1000, 1, "1", "gears in a row"},
            [TEETH] = {"teeth", 12, NB_GEAR_TEETH, NB_GEAR_TEETH_MOST, 1, "1", "of the first, the third and so on"},
            [TEETH_B] = {"teeth_b", 20, NB_GEAR_TEETH, NB_GEAR_TEETH_MOST, 1, "1", "of the others"},
            [MODULE] = {"module", 0.01, 1e-4, 1, 0, "m", "pitch diameter over the number of teeth"},
            [WIDTH] = {"width", 0.02, 1e-4, 10, 0, "m", "along the axles"},
            [BACKLASH] = {"backlash", 0.02, 0, 0.2, 0, "1", "room between the flanks over the pitch"},
            [SPEED] = {"speed", 2, -1000, 1000, 0, "rad/s", "of the first gear"},
            [STARTING] = {"starting", 0.25, 0, 100, 0, "s", "time in which it comes to that"},
            [BRAKE] = {"brake", 0.1, 0, 1e6, 0, "N m s", "torque on the last gear over its speed"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the gears"},
            [FRICTION] = NB_SCENE_FRICTION(0.1),
            [TIME_STEP] = NB_SCENE_STEP(0.002, 9.81, 0.001),
        },
    .build = build,
    .schedule = schedule,
    .drive = drive,
    .observe = observe,
};
