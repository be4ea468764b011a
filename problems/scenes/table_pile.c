/* A pile of tables, each one body with five shapes: the top and four legs (Macklin et al. 2019,
 * section 10.1.5 and table 2: 54 tables of 4.7 kg, mu 0.7, 936 contacts, 736 in the largest island;
 * the sizes are not printed).
 *
 * 54 = 5^2 + 4^2 + 3^2 + 2^2: layers of tables, each with one less along both sides than that below
 * and over its gaps, so that a table stands with one leg on each of four. The tables start upright
 * with a gap below each, moved and turned by chance, and fall on each other: `ncpbench export
 * --settled` gives the pile. A table at rest has 16 contacts, four under each leg, 864 in all. Tables
 * of a layer stand so close that some of their sides meet within the margin, which makes 930 with the
 * default seed and 884 with the next. The paper's pile is called unstructured and has more than one
 * island, 736 = 46 * 16 contacts in the largest; how its tables were dropped is not told.
 *
 * With disorder the same tables are dropped instead, turned by chance, in layers of 3 x 3 cells that none
 * can reach out of: they hit, slide and catch on each other's legs, and lie as they fall.
 *
 * Inertia of a table about its centre of mass, by Steiner's theorem over its boxes, whose masses
 * are as their volumes:  I = sum m/12 diag(b^2 + c^2, ...) + m (|d|^2 1 - d d^T). */
#include <math.h>
#include <string.h>

#include "problems/base/random.h"
#include "problems/base/rotation.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { BASE, LAYERS, WIDTH, DEPTH, HEIGHT, THICKNESS, MASS, FRICTION, OFFSET, ANGLE, CLEARANCE, GAP,
       DISORDER, SEED, TIME_STEP, GRAVITY, MARGIN };

enum { PARTS = 5 };

/* The boxes of a table about its centre of mass. */
struct table {
    double sides[PARTS][3], centre[PARTS][3];
    double inertia[9], mass;
    double lower; /* height of the centre of mass over the feet [m] */
};

static void place_parts(const double *values, struct table *table)
{
    const double t = values[THICKNESS], leg = values[HEIGHT] - t;
    const double half[2] = {(values[WIDTH] - t) / 2, (values[DEPTH] - t) / 2};
    const double top[3] = {values[WIDTH], values[DEPTH], t};
    memcpy(table->sides[0], top, sizeof top);
    table->centre[0][2] = leg + t / 2;
    for (int i = 1; i < PARTS; ++i) {
        const double sides[3] = {t, t, leg};
        memcpy(table->sides[i], sides, sizeof sides);
        table->centre[i][0] = i % 2 ? -half[0] : half[0];
        table->centre[i][1] = i < 3 ? -half[1] : half[1];
        table->centre[i][2] = leg / 2;
    }
}

static struct table make_table(const double *values)
{
    struct table table = {.mass = values[MASS]};
    double volume[PARTS], total = 0;
    place_parts(values, &table);
    for (int i = 0; i < PARTS; ++i) {
        volume[i] = table.sides[i][0] * table.sides[i][1] * table.sides[i][2];
        total += volume[i];
        table.lower += volume[i] * table.centre[i][2];
    }
    table.lower /= total;
    for (int i = 0; i < PARTS; ++i) {
        const double mass = table.mass * volume[i] / total, *s = table.sides[i];
        double *d = table.centre[i];
        d[2] -= table.lower;
        for (int k = 0; k < 3; ++k) {
            const int p = (k + 1) % 3, q = (k + 2) % 3;
            table.inertia[4 * k] +=
                mass * ((s[p] * s[p] + s[q] * s[q]) / 12 + d[p] * d[p] + d[q] * d[q]);
        }
    }
    return table; /* products of inertia vanish: the legs stand symmetrically */
}

static enum nb_status add_table(struct nb_problem *problem, int body, const struct table *table,
                                double friction, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    problem->bodies.mass[body] = table->mass;
    memcpy(problem->bodies.inertia + 9 * body, table->inertia, sizeof table->inertia);
    for (int i = 0; !status && i < PARTS; ++i) {
        struct nb_shape *shape = &problem->shapes[1 + PARTS * body + i];
        shape->body = body;
        shape->friction = friction;
        memcpy(shape->position, table->centre[i], sizeof shape->position);
        status = nb_shape_box(shape, table->sides[i], error);
    }
    return status;
}

/* Moves no corner by more than half a gap [rad]. */
static double largest_tilt(const double *values)
{
    return values[GAP] / (values[WIDTH] + values[DEPTH]);
}

/* Turned by at most `angle` about the vertical, then tilted about a level axis. */
static void turn(const double *values, uint64_t *chance, double *orientation)
{
    const double yaw = values[ANGLE] * M_PI / 360 * nb_random_signed(chance);
    const double tilt = largest_tilt(values) / 2 * nb_random(chance);
    const double axis = M_PI * nb_random_signed(chance);
    const double upright[4] = {cos(yaw), 0, 0, sin(yaw)};
    const double tilted[4] = {cos(tilt), sin(tilt) * cos(axis), sin(tilt) * sin(axis), 0};
    nb_quaternion_product(tilted, upright, orientation);
}

/* The table of that column and row in a layer of `across` by `across`. */
static void place_table(const double *values, const struct table *table, int layer, int across,
                        const int *cell, uint64_t *chance, double *position)
{
    const double arm = fmax(table->lower, values[HEIGHT] - table->lower);
    const double angle = values[ANGLE] * M_PI / 180, lean = 2 * arm * largest_tilt(values);
    const double size[2] = {values[WIDTH], values[DEPTH]};
    for (int k = 0; k < 2; ++k) {
        /* Turned and tilted neighbours are not to overlap. */
        const double pitch = size[k] * cos(angle) + size[1 - k] * sin(angle) + lean +
                             2 * values[OFFSET] + values[CLEARANCE];
        position[k] = (cell[k] - (across - 1) / 2.0) * pitch +
                      values[OFFSET] * nb_random_signed(chance);
    }
    position[2] = table->lower + values[GAP] / 2 + layer * (values[HEIGHT] + values[GAP]);
}

/* In layers of cells as wide as what a table reaches about its centre of mass, turned by up to a half turn times
 * disorder about each axis. */
static void drop_tables(const double *values, const struct table *table, struct nb_problem *problem)
{
    const double arm = fmax(table->lower, values[HEIGHT] - table->lower);
    const double cell = values[GAP] + sqrt(values[WIDTH] * values[WIDTH] + values[DEPTH] * values[DEPTH] +
                                           4 * arm * arm);
    const int side = (int)fmax(1, floor(cbrt(problem->bodies.count) + 1e-9));
    uint64_t chance = (uint64_t)values[SEED];
    for (int i = 0; i < problem->bodies.count; ++i) {
        const int in_layer = i % (side * side);
        double turn[3], *position = problem->bodies.position + 3 * i;
        position[0] = (in_layer % side - (side - 1) / 2.0) * cell;
        position[1] = (in_layer / side - (side - 1) / 2.0) * cell;
        position[2] = (i / (side * side) + 0.5) * cell;
        for (int k = 0; k < 3; ++k)
            turn[k] = M_PI * values[DISORDER] * nb_random_signed(&chance);
        nb_quaternion_advance(problem->bodies.orientation + 4 * i, 1, turn);
    }
}

static void place_tables(const double *values, const struct table *table,
                         struct nb_problem *problem)
{
    uint64_t chance = (uint64_t)values[SEED];
    int body = 0;
    for (int layer = 0; layer < (int)values[LAYERS]; ++layer) {
        const int across = (int)values[BASE] - layer;
        for (int i = 0; i < across * across; ++i, ++body) {
            const int cell[2] = {i % across, i / across};
            place_table(values, table, layer, across, cell, &chance,
                        problem->bodies.position + 3 * body);
            turn(values, &chance, problem->bodies.orientation + 4 * body);
        }
    }
}

static int count_tables(const double *values)
{
    int count = 0;
    for (int layer = 0; layer < (int)values[LAYERS]; ++layer) {
        const int across = (int)values[BASE] - layer;
        count += across * across;
    }
    return count;
}

static enum nb_status check(const double *values, struct nb_error *error)
{
    if (values[LAYERS] > values[BASE])
        return nb_fail(error, NB_BAD_INPUT,
                       "table_pile: layers = %g is more than base = %g, the tables along a side of "
                       "the lowest layer", values[LAYERS], values[BASE]);
    const double largest = fmin(fmin(values[WIDTH], values[DEPTH]), values[HEIGHT]) / 3;
    if (values[THICKNESS] > largest)
        return nb_fail(error, NB_BAD_INPUT,
                       "table_pile: thickness = %g m must be at most a third of width, depth and "
                       "height, %g m", values[THICKNESS], largest);
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = count_tables(values);
    const struct table table = make_table(values);
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate_on_ground(problem, count, PARTS * count + 1, values[FRICTION], error);
    if (status)
        return status;
    for (int i = 0; !status && i < count; ++i)
        status = add_table(problem, i, &table, values[FRICTION], error);
    if (values[DISORDER] > 0)
        drop_tables(values, &table, problem);
    else
        place_tables(values, &table, problem);
    return status;
}

const struct nb_scene nb_scene_table_pile = {
    .name = "table_pile",
    .title = "Pile of tables",
    .source = "Macklin et al. 2019, section 10.1.5, figure 14 and table 2",
    .observable = "mean height of the tables' centres of mass",
    .observable_unit = "m",
    .parameters =
        {
            [BASE] = {"base", 5, 1, 50, 1, "1", "tables along each side of the lowest layer"},
            [LAYERS] = {"layers", 4, 1, 50, 1, "1", "layers, each with one less along a side"},
            [WIDTH] = {"width", 0.6, 0.05, 10, 0, "m", "side of the top along x"},
            [DEPTH] = {"depth", 0.6, 0.05, 10, 0, "m", "side of the top along y"},
            [HEIGHT] = {"height", 0.4, 0.05, 10, 0, "m", "height of a table"},
            [THICKNESS] = {"thickness", 0.05, 0.01, 1, 0, "m", "of the top and of the square legs"},
            [MASS] = {"mass", 4.7, 1e-3, 1e6, 0, "kg", "mass of a table"},
            [FRICTION] = NB_SCENE_FRICTION(0.7),
            [OFFSET] = {"offset", 0.004, 0, 10, 0, "m", "largest shift of a table by chance"},
            [ANGLE] = {"angle", 0.3, 0, 45, 0, "degrees", "largest turn of a table by chance"},
            [CLEARANCE] = {"clearance", 0, 0, 10, 0, "m", "between neighbours, beyond what shifts "
                           "and turns need"},
            [GAP] = {"gap", 0.01, 1e-3, 1, 0, "m", "gap between layers"},
            [DISORDER] = {"disorder", 0, 0, 1, 0, "1", "above 0 tables are dropped, turned by chance by up to this "
                          "times a half turn about each axis"},
            [SEED] = {"seed", 1, 0, 1e9, 1, "1", "of the shifts and turns"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_mean_height,
};
