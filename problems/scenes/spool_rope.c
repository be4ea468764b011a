/* Ropes over a spool (Macklin 2020, thesis, figures 40 and 46): round its drum, with a load at either end, or along its
 * axis over the rims of both flanges, whose edges the vertices of a rope miss. Sizes and masses are ours.
 *
 * Round the drum a rope touches with the middle of each segment of length l, which turns by d = 2 atan(l/2(R + r)) from
 * the one before. With F = mu N at all of them the forces on the particle between two of the tensions T and q T are in
 * balance for
 *
 *     q = mu sin d + sqrt(1 + (mu sin d)^2) = exp(asinh(mu sin d)),
 *
 * of which Euler's exp(mu d) is the limit: below q^n of n segments it holds.
 *
 * The time step is half of the thesis's 8.3 ms: with that, segments roll from their contacts within a step, whose push
 * then gives energy (docs/notes/energy.md). */
#include <math.h>

#include "problems/distance/closest.h"
#include "problems/fields.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_deform.h"
#include "problems/scenes/build/scene_field.h"

enum {
    ROPES, SEGMENTS, LENGTH, RADIUS, DENSITY, STIFFNESS, LOAD, RATIO, ALONG, DRUM, FLANGE, WIDTH, RIM, GRID, GAP,
    SEARCH, ITERATIONS, FRICTION, TIME_STEP, GRAVITY, MARGIN
};
enum { AROUND = 32 };

/* From the middle of the rope to its end; the direction is turned down by `turn` a segment, to the vertical at last. */
static void lay_half(const double *values, double *position, int first, int end, int side, double turn, double height)
{
    const double l = values[LENGTH] / values[SEGMENTS];
    const int step = end > first ? 1 : -1, even = (int)values[SEGMENTS] % 2 == 0;
    double across = even ? 0 : l / 2, z = height, angle = even ? turn / 2 : 0;
    for (int i = first;; i += step, angle = fmin(angle + turn, M_PI_2)) {
        position[3 * i] = side * across;
        position[3 * i + 2] = z;
        if (i == end)
            return;
        if (!even && i == first)
            angle = fmin(turn, M_PI_2);
        across += l * cos(angle);
        z -= l * sin(angle);
    }
}

static void lay(const double *values, struct nb_problem *problem, int rope)
{
    const int segments = (int)values[SEGMENTS], first = rope * (segments + 1), along = values[ALONG] != 0;
    const double l = values[LENGTH] / segments, touch = values[DRUM] + values[RADIUS];
    const double turn = along ? 0 : 2 * atan(l / (2 * touch)), row = 3 * values[RADIUS];
    const double place = (rope - (values[ROPES] - 1) / 2) * row;
    const double height = along ? values[FLANGE] + values[RADIUS] + values[GAP]
                          : segments % 2 ? touch : touch / cos(turn / 2);
    double *position = problem->particles.position;
    lay_half(values, position, first + (segments + 1) / 2, first + segments, 1, turn, height);
    lay_half(values, position, first + segments / 2, first, -1, turn, height);
    for (int i = first; i <= first + segments; ++i) {
        double *x = position + 3 * i;
        x[1] = along ? x[0] : place;
        x[0] = along ? place : x[0];
        problem->particles.mass[i] = values[DENSITY] * l * (i == first || i == first + segments ? 0.5 : 1);
    }
    problem->particles.mass[first] += values[LOAD] * values[RATIO];
    problem->particles.mass[first + segments] += values[LOAD];
    for (int i = 0; i < segments; ++i)
        nb_scene_keep_distance(problem, rope * segments + i, first + i, first + i + 1,
                               values[STIFFNESS] > 0 ? 1 / values[STIFFNESS] : 0);
}

static enum nb_status make_spool(const double *values, struct nb_shape *shape, struct nb_error *error)
{
    const double sizes[4] = {values[DRUM], values[FLANGE], values[WIDTH] / 2, values[RIM]};
    const enum nb_status status = nb_shape_field(shape, NB_DISTANCE_SPOOL, sizes, AROUND, error);
    shape->friction = values[FRICTION];
    shape->orientation[0] = M_SQRT1_2; /* its axis z along y */
    shape->orientation[1] = -M_SQRT1_2;
    return status || values[GRID] == 0 ? status : nb_shape_grid(shape, (int)values[GRID], error);
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const int ropes = (int)values[ROPES], segments = (int)values[SEGMENTS];
    const double room = values[ALONG] ? 2 * values[FLANGE] : values[WIDTH];
    if (3 * values[RADIUS] * ropes > room)
        return nb_fail(error, NB_BAD_INPUT, "spool_rope: ropes = %d of radius %g m need %g m, there are %g m", ropes,
                       values[RADIUS], 3 * values[RADIUS] * ropes, room);
    if (!(values[DRUM] < values[FLANGE]))
        return nb_fail(error, NB_BAD_INPUT, "spool_rope: drum = %g m must be below flange = %g m", values[DRUM],
                       values[FLANGE]);
    enum nb_status status = nb_closest_check(problem, error);
    if (!status)
        status = nb_scene_allocate(problem, 0, 1 + ropes, error);
    if (!status)
        status = nb_group_allocate(problem, NB_PARTICLES, ropes * (segments + 1), error);
    if (!status)
        status = nb_group_allocate(problem, NB_DISTANCES, ropes * segments, error);
    if (!status)
        status = make_spool(values, &problem->shapes[0], error);
    for (int i = 0; !status && i < ropes; ++i) {
        status = nb_shape_rope(&problem->shapes[1 + i], i * (segments + 1), segments, values[RADIUS], error);
        problem->shapes[1 + i].friction = values[FRICTION];
        if (!status)
            lay(values, problem, i);
    }
    return status;
}

const struct nb_scene nb_scene_spool_rope = {
    .name = "spool_rope",
    .title = "Ropes over a spool",
    .source = "Macklin 2020 (thesis), chapter 6, figures 40 and 46; sizes and masses ours",
    .observable = "depth of the ropes in the spool",
    .observable_unit = "m",
    .parameters =
        {
            [ROPES] = {"ropes", 1, 1, 1000, 1, "1", "ropes side by side"},
            [SEGMENTS] = {"segments", 32, 2, 10000, 1, "1", "of each rope"},
            [LENGTH] = {"length", 0.8, 1e-3, 100, 0, "m", "of each rope"},
            [RADIUS] = {"radius", 0.005, 1e-4, 1, 0, "m", "of each rope"},
            [DENSITY] = {"density", 0.1, 1e-5, 100, 0, "kg/m", "mass of a rope over its length"},
            [STIFFNESS] = {"stiffness", 0, 0, 1e15, 0, "N/m", "of every segment; 0: it does not stretch"},
            [LOAD] = {"load", 0.1, 0, 1e6, 0, "kg", "at the end of each rope, beside its own mass"},
            [RATIO] = {"ratio", 2, 0, 1e6, 0, "1", "of the load at the other end to it"},
            [ALONG] = {"along", 0, 0, 1, 1, "1", "0: round the drum, 1: along the axis, over both flanges"},
            [DRUM] = {"drum", 0.1, 1e-3, 10, 0, "m", "radius of the drum"},
            [FLANGE] = {"flange", 0.15, 1e-3, 10, 0, "m", "radius of the flanges"},
            [WIDTH] = {"width", 0.3, 1e-3, 10, 0, "m", "between the flanges"},
            [RIM] = {"rim", 0.01, 1e-4, 10, 0, "m", "thickness of a flange"},
            [GRID] = {"grid", 0, 0, NB_MOST_CELLS, 1, "1",
                      "cells of a grid along the spool's longest side; 0: closed form"},
            [GAP] = {"gap", 0.02, 0, 100, 0, "m", "between ropes along the axis and the flanges at the start"},
            [SEARCH] = {"search", 3, 0, 1000, 1, "1", "number of the closest-point method (ncpbench closest)"},
            [ITERATIONS] = {"iterations", 32, 1, 1000, 1, "1", "of it on a segment"},
            [FRICTION] = NB_SCENE_FRICTION(0.3),
            [TIME_STEP] = NB_SCENE_STEP(0.00415, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_depth_in_fields,
};
