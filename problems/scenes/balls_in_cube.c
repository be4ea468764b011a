/* Balls of different radii that fly and fall in a cube, from random positions and velocities
 * (Todorov 2010, section IV, figure 5 and table 1: n_b = 5, 10, 15, mu = 0.1, 0.5, 1, 2, h = 0.005
 * s, 200 steps, with 7, 16 and 27 contacts on average; radii, speeds and the cube's side are not
 * printed). */
#include <math.h>

#include "problems/base/random.h"
#include "problems/base/vec3.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT, FRICTION, SIDE, SMALLEST, LARGEST, DENSITY, SPEED, SEED, TIME_STEP, GRAVITY, MARGIN };

/* Places that are tried for one ball before the cube counts as full. */
enum { ATTEMPTS = 10000 };

/* The cube is [-side/2, side/2]^2 x [0, side], seen from inside. */
static void make_walls(const double *values, struct nb_shape *shapes)
{
    const double side = values[SIDE];
    for (int i = 0; i < 6; ++i) {
        double point[3] = {0, 0, side / 2}, normal[3] = {0};
        normal[i / 2] = i % 2 ? -1 : 1;
        nb_add_scaled3(point, -side / 2, normal, point);
        nb_scene_make_plane(&shapes[i], point, normal, values[FRICTION]);
    }
}

static int is_free(const struct nb_problem *problem, const struct nb_shape *balls, int count,
                   const double *centre, double radius)
{
    for (int i = 0; i < count; ++i) {
        double between[3];
        nb_subtract3(centre, problem->bodies.position + 3 * i, between);
        if (nb_norm3(between) < radius + balls[i].radius)
            return 0;
    }
    return 1;
}

/* A place in the cube where the ball overlaps none of the first `count`; 0 where none was found. */
static int find_place(const double *values, const struct nb_problem *problem,
                      const struct nb_shape *balls, int count, double radius, uint64_t *chance,
                      double *centre)
{
    const double room = values[SIDE] / 2 - radius;
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        for (int k = 0; k < 3; ++k)
            centre[k] = room * nb_random_signed(chance);
        centre[2] += values[SIDE] / 2;
        if (is_free(problem, balls, count, centre, radius))
            return 1;
    }
    return 0;
}

static enum nb_status place_balls(const double *values, struct nb_problem *problem,
                                  struct nb_shape *balls, struct nb_error *error)
{
    uint64_t chance = (uint64_t)values[SEED];
    for (int i = 0; i < problem->bodies.count; ++i) {
        const double radius = values[SMALLEST] +
                              (values[LARGEST] - values[SMALLEST]) * nb_random(&chance);
        const double mass = values[DENSITY] * 4 / 3 * M_PI * radius * radius * radius;
        double centre[3];
        if (!find_place(values, problem, balls, i, radius, &chance, centre))
            return nb_fail(error, NB_BAD_INPUT,
                           "balls_in_cube: found no room for ball %d of %d in a cube of %g m: "
                           "lower count or radius_max", i + 1, problem->bodies.count, values[SIDE]);
        balls[i].friction = values[FRICTION];
        nb_scene_make_sphere(problem, i, &balls[i], radius, mass, centre);
        for (int k = 0; k < 3; ++k)
            problem->bodies.velocity[6 * i + k] = values[SPEED] * nb_random_signed(&chance);
    }
    return NB_OK;
}

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[SMALLEST] > values[LARGEST])
        return nb_fail(error, NB_BAD_INPUT,
                       "balls_in_cube: radius_min = %g m is more than radius_max = %g m",
                       values[SMALLEST], values[LARGEST]);
    if (2 * values[LARGEST] > values[SIDE])
        return nb_fail(error, NB_BAD_INPUT,
                       "balls_in_cube: radius_max = %g m must be at most half the side, %g m",
                       values[LARGEST], values[SIDE] / 2);
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, count, count + 6, error);
    if (status)
        return status;
    make_walls(values, problem->shapes);
    return place_balls(values, problem, problem->shapes + 6, error);
}

static double observe(const struct nb_problem *problem)
{
    double moment = 0, mass = 0;
    for (int i = 0; i < problem->bodies.count; ++i) {
        moment += problem->bodies.mass[i] * problem->bodies.position[3 * i + 2];
        mass += problem->bodies.mass[i];
    }
    return moment / mass;
}

const struct nb_scene nb_scene_balls_in_cube = {
    .name = "balls_in_cube",
    .title = "Balls in a cube",
    .source = "Todorov 2010, section IV, figure 5 and table 1",
    .observable = "height of the balls' common centre of mass",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 10, 1, 1000, 1, "1", "balls, n_b"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [SIDE] = {"side", 1, 0.1, 1000, 0, "m", "side of the cube"},
            [SMALLEST] = {"radius_min", 0.08, 1e-2, 100, 0, "m", "smallest radius"},
            [LARGEST] = {"radius_max", 0.16, 1e-2, 100, 0, "m", "largest radius"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the balls"},
            [SPEED] = {"speed", 1, 0, 100, 0, "m/s", "largest initial velocity along an axis"},
            [SEED] = {"seed", 1, 0, 1e9, 1, "1", "of radii, positions and velocities"},
            [TIME_STEP] = NB_SCENE_STEP(0.005, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
