/* Grains in a silo under a heavy weight (Macklin 2020, section 5.6, figure 23 and table 3: 256000
 * balls of 5 mm and 5 g on average, mu 0.3, a cylinder of 80000 times the mass of a grain, 1.51
 * million contacts; the sizes of silo and cylinder are not printed).
 *
 * The silo is square, and so is the weight, which leaves a gap of one radius to each wall: grains
 * flow out around a round one, since 400 kg on a few square decimetres are far beyond what loose
 * grains bear.
 *
 * Grains start in the closest packing: square layers of m x m and (m - 1) x (m - 1) balls in turn,
 * each ball in the hollow of four. Its spacing leaves just the room for the chance in radii and
 * positions, so that nothing overlaps and every neighbour is within the margin: a step exported
 * without simulation is in contact already, with about 6 contacts a grain. m makes the filling
 * about as high as wide. A last layer that is not full is filled from the walls inwards, and the
 * weight stands on the highest grain.
 *
 * The mass ratio is the difficulty, and of solvers alone: the better a step is solved, the less the
 * weight sinks. With apgd and 1000 iterations a step, 1000 grains carry it at 1.1 mm below its start,
 * where it stays; with too few iterations, or relaxed contact after contact, it goes on
 * sinking (docs/notes/silo.md).
 *
 * In the thesis a wall is removed after 1.25 s, so that the grains flow out: with `open` above 0 the one at -x is no
 * longer there from the first step that begins then; its plane lies deep below the ground, where it meets nothing. */
#include <math.h>
#include <stdlib.h>

#include "problems/base/random.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { COUNT,
       RATIO,
       RADIUS,
       SPREAD,
       JITTER,
       MASS,
       OPEN,
       FRICTION,
       SEED,
       TIME_STEP,
       GRAVITY,
       MARGIN };
enum { GROUND,
       OPENS,
       FIRST_GRAIN = 5 };

struct packing {
    int across;    /* m */
    double pitch;  /* distance of neighbours [m] */
    double rise;   /* of a layer over the one below [m] */
    double jitter; /* largest shift along an axis [m] */
};

/* Two balls of the largest radius, shifted towards each other along the diagonal, still touch. */
static struct packing make_packing(const double *values)
{
    struct packing packing = {.jitter = values[JITTER] * values[RADIUS]};
    packing.across = (int)ceil(cbrt(values[COUNT] / sqrt(2)));
    packing.across = packing.across > 2 ? packing.across : 2;
    packing.pitch = 2 * values[RADIUS] * (1 + values[SPREAD]) + 2 * sqrt(3) * packing.jitter;
    packing.rise = packing.pitch / sqrt(2);
    return packing;
}

struct cell {
    double distance; /* from the axis, square */
    int index;
};

/* Farthest first; equal ones in the order of their index. */
static int compare_cells(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance > b->distance ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* The cells of a layer in the order in which they are filled. */
static void order_cells(int across, struct cell *cells)
{
    for (int i = 0; i < across * across; ++i) {
        const double x = i % across - (across - 1) / 2.0, y = i / across - (across - 1) / 2.0;
        cells[i] = (struct cell){x * x + y * y, i};
    }
    qsort(cells, (size_t)(across * across), sizeof *cells, compare_cells);
}

static void add_grain(const double *values, const struct packing *packing, int layer, int cell,
                      uint64_t *chance, struct nb_problem *problem, int body)
{
    const int across = packing->across - layer % 2;
    const double scale = 1 + values[SPREAD] * nb_random_signed(chance);
    const double radius = scale * values[RADIUS];
    double centre[3] = {(cell % across - (across - 1) / 2.0) * packing->pitch,
                        (cell / across - (across - 1) / 2.0) * packing->pitch,
                        packing->pitch / 2 + layer * packing->rise};
    for (int k = 0; k < 3; ++k)
        centre[k] += packing->jitter * nb_random_signed(chance);
    struct nb_shape *shape = &problem->shapes[FIRST_GRAIN + body];
    shape->friction = values[FRICTION];
    nb_scene_make_sphere(problem, body, shape, radius, values[MASS] * scale * scale * scale,
                         centre);
}

static enum nb_status fill(const double *values, const struct packing *packing,
                           struct nb_problem *problem, struct nb_error *error)
{
    const int count = (int)values[COUNT], full = packing->across * packing->across;
    uint64_t chance = (uint64_t)values[SEED];
    struct cell *cells = malloc((size_t)full * sizeof *cells);
    if (!cells)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a layer of %d grains", full);
    for (int layer = 0, body = 0; body < count; ++layer) {
        const int across = packing->across - layer % 2;
        order_cells(across, cells);
        for (int i = 0; i < across * across && body < count; ++i, ++body)
            add_grain(values, packing, layer, cells[i].index, &chance, problem, body);
    }
    free(cells);
    return NB_OK;
}

static double filling_height(const struct nb_problem *problem, int grains)
{
    double highest = 0;
    for (int i = 0; i < grains; ++i)
        highest = fmax(highest,
                       problem->bodies.position[3 * i + 2] + problem->shapes[FIRST_GRAIN + i].radius);
    return highest;
}

/* The weight is the last body. */
static enum nb_status build(const double *values, struct nb_problem *problem,
                            struct nb_error *error)
{
    const int count = (int)values[COUNT];
    const struct packing packing = make_packing(values);
    const double width = packing.across * packing.pitch, side = width - 2 * values[RADIUS];
    enum nb_status status = nb_scene_allocate(problem, count + 1, FIRST_GRAIN + count + 1, error);
    if (status)
        return status;
    nb_scene_make_container(problem->shapes, 1, width / 2, values[FRICTION]);
    if ((status = fill(values, &packing, problem, error)))
        return status;
    const double sides[3] = {side, side, side / 2};
    const double centre[3] = {0, 0, filling_height(problem, count) + side / 4};
    struct nb_shape *weight = &problem->shapes[FIRST_GRAIN + count];
    weight->friction = values[FRICTION];
    return nb_scene_make_box(problem, count, weight, sides, values[RATIO] * values[MASS], centre,
                             error);
}

static void schedule(struct nb_problem *problem)
{
    const double open = nb_problem_parameter(problem, "open", 0);
    if (open <= 0 || problem->shape_count <= FIRST_GRAIN || (problem->step + 0.5) * problem->time_step < open)
        return;
    struct nb_shape *wall = &problem->shapes[OPENS];
    const double width = 2 * fabs(problem->shapes[OPENS + 1].position[0]), below[3] = {0, 0, -width};
    static const double up[3] = {0, 0, 1};
    nb_scene_make_plane(wall, below, up, wall->friction);
}

const struct nb_scene nb_scene_granular_silo = {
    .name = "granular_silo",
    .title = "Grains in a silo under a heavy weight",
    .source = "Macklin 2020, section 5.6, figure 23 and table 3",
    .observable = "height of the weight's centre",
    .observable_unit = "m",
    .parameters =
        {
            [COUNT] = {"count", 1000, 13, 300000, 1, "1", "grains"},
            [RATIO] = {"ratio", 80000, 1e-3, 1e9, 0, "1", "mass of the weight over a grain's"},
            [RADIUS] = {"radius", 0.005, 1e-4, 10, 0, "m", "mean radius of a grain"},
            [SPREAD] = {"spread", 0.004, 0, 0.1, 0, "1", "largest deviation of a radius, relative"},
            [JITTER] = {"jitter", 0.001, 0, 0.1, 0, "1", "largest shift by chance over the radius"},
            [MASS] = {"mass", 0.005, 1e-9, 1e6, 0, "kg", "mass of a grain of the mean radius"},
            [OPEN] = {"open", 0, 0, 1000, 0, "s", "time when a wall is removed; 0: it stays"},
            [FRICTION] = NB_SCENE_FRICTION(0.3),
            [SEED] = {"seed", 1, 0, 1e9, 1, "1", "of radii and positions"},
            [TIME_STEP] = NB_SCENE_STEP(0.002, 9.81, 0.0005),
        },
    .build = build,
    .schedule = schedule,
    .observe = nb_scene_last_height,
};
