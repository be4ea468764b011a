/* A box that slides on ground with structure along x, as its own, turned by `twist`, has: friction is an ellipse, its
 * force is not against the motion, and the path curves (Erleben et al. 2020, The Matchstick Model; Macklin 2020,
 * figures 5 and 6). With the axes t, b and the coefficients mu_t, mu_b of problems/collide/matchstick.h, the velocity
 * follows
 *
 *     dv/dt = -g (mu_t^2 v_t, mu_b^2 v_b) / sqrt(mu_t^2 v_t^2 + mu_b^2 v_b^2):
 *
 * a force of maximal dissipation. It does not turn the box, whose centre of pressure is displaced along that force. */
#include <math.h>

#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { SPEED, DIRECTION, TWIST, ALONG, ACROSS, MASS, SIDE, TIME_STEP, GRAVITY, MARGIN };
enum { GROUND, BOX, SHAPES };

static void give_structure(struct nb_shape *shape, const double *values, double degrees)
{
    shape->structure[0] = cos(degrees * M_PI / 180);
    shape->structure[1] = sin(degrees * M_PI / 180);
    shape->across = values[ACROSS];
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const double side = values[SIDE], sides[3] = {side, side, side / 2}, centre[3] = {0, 0, side / 4};
    const double angle = values[DIRECTION] * M_PI / 180;
    if (values[ACROSS] < values[ALONG] / NB_ANISOTROPY || values[ACROSS] > values[ALONG] * NB_ANISOTROPY)
        return nb_fail(error, NB_BAD_INPUT, "curved_slide: across = %g, allowed: along/%g to %g along", values[ACROSS],
                       NB_ANISOTROPY, NB_ANISOTROPY);
    enum nb_status status = nb_scene_allocate_on_ground(problem, 1, SHAPES, values[ALONG], error);
    if (!status)
        status = nb_scene_make_box(problem, 0, &problem->shapes[BOX], sides, values[MASS], centre, error);
    if (status)
        return status;
    problem->bodies.velocity[0] = values[SPEED] * cos(angle);
    problem->bodies.velocity[1] = values[SPEED] * sin(angle);
    give_structure(&problem->shapes[GROUND], values, 0);
    give_structure(&problem->shapes[BOX], values, values[TWIST]);
    return NB_OK;
}

/* Where it goes, against where it went: 0 where friction is isotropic. */
static double observe(const struct nb_problem *problem)
{
    const double angle = nb_problem_parameter(problem, "direction", 0) * M_PI / 180;
    const double *x = problem->bodies.position;
    return x[1] * cos(angle) - x[0] * sin(angle);
}

const struct nb_scene nb_scene_curved_slide = {
    .name = "curved_slide",
    .title = "Box on ground with structure",
    .source = "Erleben et al. 2020, The Matchstick Model; Macklin 2020 (thesis), figures 5 and 6",
    .observable = "distance to the left of the straight path",
    .observable_unit = "m",
    .parameters =
        {
            [SPEED] = {"speed", 3, 0, 1000, 0, "m/s", "initial speed"},
            [DIRECTION] = {"direction", 45, -360, 360, 0, "degrees", "of the initial velocity, from x"},
            [TWIST] = {"twist", 0, -360, 360, 0, "degrees", "of the box's structure from the ground's, along x"},
            [ALONG] = {"along", 0.5, 1e-3, 10, 0, "1", "friction along the structure of either"},
            [ACROSS] = {"across", 0.1, 1e-6, 100, 0, "1", "friction across it"},
            [MASS] = {"mass", 10, 1e-3, 1e6, 0, "kg", "mass of the box"},
            [SIDE] = {"side", 0.5, 1e-3, 100, 0, "m", "side of the box, which is half as high"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
