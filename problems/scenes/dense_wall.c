/* A wall of equal bricks without gaps (Silcowitz et al. 2009, section 4, "dense structure", figures
 * 1c and 5c): every second row is shifted by a part of a brick, so that a brick stands on two
 * others and touches its neighbours in the row. The paper prints no sizes.
 *
 * A shift below one half keeps the centre of the row's last brick over the row below. */
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COLUMNS, ROWS, LENGTH, DEPTH, HEIGHT, SHIFT, JOINT, DENSITY, FRICTION, TIME_STEP, GRAVITY,
       MARGIN };

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int columns = (int)values[COLUMNS], count = columns * (int)values[ROWS];
    const double sides[3] = {values[LENGTH], values[DEPTH], values[HEIGHT]};
    const double mass = values[DENSITY] * sides[0] * sides[1] * sides[2];
    const double pitch = sides[0] + values[JOINT];
    enum nb_status status = nb_scene_allocate_on_ground(problem, count, count + 1, values[FRICTION], error);
    if (status)
        return status;
    for (int i = 0; !status && i < count; ++i) {
        const int row = i / columns;
        const double shift = row % 2 ? values[SHIFT] * pitch : 0;
        const double centre[3] = {(i % columns - (columns - 1) / 2.0) * pitch + shift, 0,
                                  (row + 0.5) * sides[2]};
        status = nb_scene_make_box(problem, i, &problem->shapes[i + 1], sides, mass, centre, error);
    }
    return status;
}

static double observe(const struct nb_problem *problem)
{
    const double *position = problem->bodies.position;
    double highest = position[2];
    for (int i = 1; i < problem->bodies.count; ++i)
        highest = position[3 * i + 2] > highest ? position[3 * i + 2] : highest;
    return highest;
}

const struct nb_scene nb_scene_dense_wall = {
    .name = "dense_wall",
    .title = "Dense wall of bricks",
    .source = "Silcowitz, Niebe and Erleben 2009, section 4, figures 1c and 5c",
    .observable = "height of the highest brick's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COLUMNS] = {"columns", 6, 1, 1000, 1, "1", "bricks in a row"},
            [ROWS] = {"rows", 6, 1, 1000, 1, "1", "rows"},
            [LENGTH] = {"length", 0.5, 5e-2, 100, 0, "m", "side of a brick along the wall"},
            [DEPTH] = {"depth", 0.25, 5e-2, 100, 0, "m", "side of a brick across the wall"},
            [HEIGHT] = {"height", 0.25, 5e-2, 100, 0, "m", "height of a brick"},
            [SHIFT] = {"shift", 0.25, 0, 0.45, 0, "1", "shift of every second row over the pitch"},
            [JOINT] = {"joint", 0, 0, 1, 0, "m", "gap between the bricks of a row"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the bricks"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = observe,
};
