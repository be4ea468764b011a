/* Two fingers grip a cube that lies on the ground, lift it by 8 cm and hold it (Macklin 2020, thesis, figures 32 and
 * 35: the Yumi robot, of which only the height and the 15 s are printed; sizes, masses and forces are ours).
 *
 * Each finger is held by a joint to the world that moves as prescribed and yields along x as a spring: inwards until
 * the springs are compressed by `squeeze`, so that both fingers press with N = k squeeze, then upwards by
 *
 *     z(t) = H (s - sin(2 pi s)/(2 pi)),   s = (t - t_closed)/T in [0, 1],
 *
 * whose acceleration is at most 2 pi H/T^2. The cube is lifted where 2 mu N > m (g + 2 pi H/T^2), and cannot be where
 * 2 mu N < m g. Friction that is relaxed to a damper k_f in each of the n contacts lets it sink by m g/(n k_f) a
 * second.
 *
 * A fingertip is a prism whose `corners` lie on a circle, `uneven` more of them to one side: by default a square of
 * four, n = 8; table 3 of the thesis counts 60 contacts, of a gripper "tessellated somewhat non-uniformly" (figure
 * 33). */
#include <math.h>

#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum {
    MASS,
    SIDE,
    FINGER_MASS,
    CORNERS,
    UNEVEN,
    STIFFNESS,
    SQUEEZE,
    GAP,
    CLOSING,
    HEIGHT,
    LIFTING,
    FRICTION,
    TIME_STEP,
    GRAVITY,
    MARGIN
};
enum { FINGERS = 2, CUBE = FINGERS, BODIES, GROUND = 1 };

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[GAP] >= values[MARGIN])
        return nb_fail(error, NB_BAD_INPUT, "grasp: gap = %g m must be below margin = %g m, or fingers close unseen",
                       values[GAP], values[MARGIN]);
    return NB_OK;
}

/* A prism about x of that thickness: corner k at the angle a + uneven sin(a), a = 2 pi (k + 1/2)/corners. */
static enum nb_status make_tip(const double *values, struct nb_shape *shape, double radius, double thickness,
                               struct nb_error *error)
{
    const int corners = (int)values[CORNERS];
    const enum nb_status status = nb_shape_cylinder(shape, radius, thickness, corners, 0.5, error);
    for (int i = 0; !status && i < shape->vertex_count; ++i) {
        double *vertex = shape->vertex + 3 * i;
        const double angle = 2 * M_PI * (i % corners + 0.5) / corners, turned = angle + values[UNEVEN] * sin(angle);
        vertex[0] = vertex[2];
        vertex[1] = radius * cos(turned);
        vertex[2] = radius * sin(turned);
    }
    return status;
}

/* The circle is that about half the cube's face. */
static enum nb_status make_finger(const double *values, struct nb_problem *problem, int i, struct nb_error *error)
{
    const double side = values[SIDE], thickness = side / 4;
    const double outwards = i ? 1 : -1;
    const double centre[3] = {outwards * (side / 2 + values[GAP] + thickness / 2), 0, side / 2};
    struct nb_shape *shape = &problem->shapes[GROUND + i];
    const enum nb_status status = make_tip(values, shape, M_SQRT1_2 * side / 2, thickness, error);
    if (status)
        return status;
    nb_scene_make_convex(problem, i, shape, values[FINGER_MASS], centre);
    nb_scene_make_joint(problem, i, NB_JOINT_FIXED, i, -1, centre, NULL);
    problem->joints.compliance[NB_JOINT_ROWS * i] = 1 / values[STIFFNESS];
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const double side = values[SIDE], sides[3] = {side, side, side}, centre[3] = {0, 0, side / 2};
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate_on_ground(problem, BODIES, GROUND + BODIES, values[FRICTION], error);
    if (!status)
        status = nb_scene_allocate_joints(problem, FINGERS, error);
    for (int i = 0; !status && i < FINGERS; ++i)
        status = make_finger(values, problem, i, error);
    if (!status)
        status = nb_scene_make_box(problem, CUBE, &problem->shapes[GROUND + CUBE], sides, values[MASS], centre, error);
    return status;
}

/* How far a finger's frame has gone inwards at time t, and how far up. */
static double way_in(const struct nb_problem *problem, double t)
{
    const double closing = nb_problem_parameter(problem, "closing", 0);
    const double way = nb_problem_parameter(problem, "gap", 0) + nb_problem_parameter(problem, "squeeze", 0);
    return way * fmin(t / closing, 1);
}

static double way_up(const struct nb_problem *problem, double t)
{
    const double begin = nb_problem_parameter(problem, "closing", 0);
    const double s = fmin(fmax((t - begin) / nb_problem_parameter(problem, "lifting", 0), 0), 1);
    return nb_problem_parameter(problem, "height", 0) * (s - sin(2 * M_PI * s) / (2 * M_PI));
}

static void schedule(struct nb_problem *problem)
{
    const double h = problem->time_step, from = problem->step * h, to = (problem->step + 1) * h;
    for (int i = 0; i < FINGERS && i < problem->joints.count; ++i) {
        const double inwards = i ? -1 : 1;
        problem->joints.drift[6 * i] = inwards * (way_in(problem, to) - way_in(problem, from)) / h;
        problem->joints.drift[6 * i + 2] = (way_up(problem, to) - way_up(problem, from)) / h;
    }
}

static double observe(const struct nb_problem *problem)
{
    if (problem->bodies.count < BODIES)
        return NAN; /* some other problem of that name */
    return problem->bodies.position[3 * CUBE + 2] - nb_problem_parameter(problem, "side", 0) / 2;
}

const struct nb_scene nb_scene_grasp = {
    .name = "grasp",
    .title = "Two fingers lift a cube",
    .source = "Macklin 2020 (thesis), figures 32 and 35; fingers on springs for the robot, all sizes ours",
    .observable = "height of the cube above its place",
    .observable_unit = "m",
    .parameters =
        {
            [MASS] = {"mass", 0.2, 1e-6, 1e6, 0, "kg", "mass of the cube"},
            [SIDE] = {"side", 0.05, 1e-3, 10, 0, "m", "side of the cube"},
            [FINGER_MASS] = {"finger_mass", 0.1, 1e-6, 1e6, 0, "kg", "mass of a finger"},
            [CORNERS] = {"corners", 4, 3, 256, 1, "1", "corners of a fingertip, each a contact"},
            [UNEVEN] = {"uneven", 0, 0, 0.9, 0, "1", "how much more of them are to one side"},
            [STIFFNESS] = {"stiffness", 1000, 1e-3, 1e12, 0, "N/m", "of the spring that presses a finger"},
            [SQUEEZE] = {"squeeze", 0.01, 0, 1, 0, "m", "compression of each spring, closed"},
            [GAP] = {"gap", 0.005, 0, 1, 0, "m", "between a finger and the cube at the start"},
            [CLOSING] = {"closing", 0.2, 1e-3, 100, 0, "s", "time in which the fingers close"},
            [HEIGHT] = {"height", 0.08, 0, 10, 0, "m", "by which they rise then"},
            [LIFTING] = {"lifting", 1, 1e-3, 100, 0, "s", "time in which they rise"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .schedule = schedule,
    .observe = observe,
};
