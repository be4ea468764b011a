/* Pneumatic snakes of soft links between rigid segments on wheels (Macklin 2020, section 7.1: Y = 66.243 kPa, mu = 1,
 * 13 cross-sections a link, a film down the middle that cannot be stretched, fibres round the links, springs along a
 * chamber that press it longer; h = 0.0083 s). Sizes, masses and the mesh are ours, and chambers are not hollow: a link
 * is a lattice whose springs carry the share `chamber` of its section. With links=4 along=12 across=6 high=3 a snake
 * has as many bodies and joints as there, 1456 particles for 1504 and 4320 tetrahedra for 4536 (table 5).
 *
 * Springs along a link stand for strips of its section: of the stiffness s of what they are parallel to, those of the
 * chamber at pressure p are longer by l0 p c/(s Y) at rest. So pressed on one side, and free to narrow, a link of width
 * w and n cells across is a beam with
 *
 *     Y (1 + s (1 + 2/n^2)) w^3/12 kappa = p c w^2/8,   kappa = 3 p c/(2 Y w (1 + s (1 + 2/n^2))).
 *
 * Pressures above 0 are those of right chambers, so that the curvature has their sign. */
#include <math.h>
#include <stdbool.h>

#include "problems/base/rotation.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_deform.h"

enum {
    SNAKES,
    LINKS,
    ALONG,
    ACROSS,
    HIGH,
    PRESSURE,
    RISE,
    FREQUENCY,
    WAVE,
    LENGTH,
    WIDTH,
    HEIGHT,
    YOUNG,
    POISSON,
    DENSITY,
    MATERIAL,
    CHAMBER,
    SPRINGS,
    COMPLIANCE,
    FRICTION,
    TIME_STEP,
    GRAVITY,
    MARGIN
};
enum { BOX,
       LEFT,
       RIGHT,
       PER_SEGMENT };

static const double segment_length = 0.05, segment_mass = 0.1, wheel_mass = 0.01; /* [m], [kg] */
static const double wheel_radius = 0.02, wheel_apart = 0.025, belly = 0.015;      /* beside a box, its underside [m] */
static const double lane = 0.3;                                                   /* from snake to snake [m] */

/* Numbers of a snake, and of a link. */
struct size {
    int snakes, links, along, across, high;
    int particles, layer, fibres, springs; /* of a link; the last three are its distances, in this order */
};

static struct size size_of(const double *values)
{
    struct size n = {(int)values[SNAKES], (int)values[LINKS], (int)values[ALONG], (int)values[ACROSS],
                     (int)values[HIGH], 0, 0, 0,
                     0};
    n.particles = (n.along + 1) * (n.across + 1) * (n.high + 1);
    n.layer = n.along * (n.high + 1);
    n.fibres = (n.along - 1) * 2 * (n.across + n.high);
    n.springs = n.along * n.across * (n.high - 1);
    return n;
}

static enum nb_status allocate(const double *values, const struct size *n, struct nb_problem *problem,
                               struct nb_error *error)
{
    const int links = n->snakes * n->links, segments = n->snakes * (n->links + 1);
    const int cells = n->along * n->across * n->high, ends = 2 * (n->across + 1) * (n->high + 1);
    enum nb_status status = nb_scene_allocate_on_ground(problem, PER_SEGMENT * segments,
                                                        1 + PER_SEGMENT * segments + links, values[FRICTION], error);
    if (!status)
        status = nb_scene_allocate_joints(problem, (PER_SEGMENT - 1) * segments, error);
    if (!status)
        status = nb_group_allocate(problem, NB_PARTICLES, links * n->particles, error);
    if (!status)
        status = nb_group_allocate(problem, NB_TETRAHEDRA, links * NB_PER_CELL * cells, error);
    if (!status)
        status = nb_group_allocate(problem, NB_ATTACHMENTS, links * ends, error);
    if (!status)
        status = nb_group_allocate(problem, NB_DISTANCES, links * (n->layer + n->fibres + n->springs), error);
    return status;
}

/* A box and two wheels whose hinges lie across the snake. */
static enum nb_status make_segment(const double *values, struct nb_problem *problem, int segment, double x, double y,
                                   struct nb_error *error)
{
    static const double across[4] = {M_SQRT1_2, -M_SQRT1_2, 0, 0};
    const int body = PER_SEGMENT * segment;
    const double sides[3] = {segment_length, values[WIDTH], values[HEIGHT]};
    const double centre[3] = {x, y, belly + values[HEIGHT] / 2};
    struct nb_shape *shapes = problem->shapes + 1 + body;
    const enum nb_status status = nb_scene_make_box(problem, body + BOX, &shapes[BOX], sides, segment_mass, centre,
                                                    error);
    for (int i = LEFT; i <= RIGHT && !status; ++i) {
        const double out = values[WIDTH] / 2 + wheel_apart;
        const double hub[3] = {x, i == LEFT ? y + out : y - out, wheel_radius};
        nb_scene_make_sphere(problem, body + i, &shapes[i], wheel_radius, wheel_mass, hub);
        nb_scene_make_joint(problem, (PER_SEGMENT - 1) * segment + i - LEFT, NB_JOINT_HINGE, body + i, body + BOX, hub,
                            across);
    }
    return status;
}

static int node_at(const struct size *n, int i, int j, int k)
{
    return (k * (n->across + 1) + j) * (n->along + 1) + i;
}

/* Both ends of a link are held by the boxes beside it. */
static void hold_ends(struct nb_problem *problem, const struct size *n, int link, int first, const int *box)
{
    int at = link * 2 * (n->across + 1) * (n->high + 1);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k <= n->high; ++k)
            for (int j = 0; j <= n->across; ++j)
                nb_scene_attach(problem, at++, first + node_at(n, end * n->along, j, k), box[end], 0);
}

/* The film in the middle, rings of fibres round it, springs along it. */
static void tie(struct nb_problem *problem, const struct size *n, int link, int first, double rigid)
{
    const int middle = n->across / 2;
    int at = link * (n->layer + n->fibres + n->springs);
    for (int k = 0; k <= n->high; ++k)
        for (int i = 0; i < n->along; ++i)
            nb_scene_keep_distance(problem, at++, first + node_at(n, i, middle, k),
                                   first + node_at(n, i + 1, middle, k), rigid);
    for (int i = 1; i < n->along; ++i) {
        for (int j = 0; j < n->across; ++j)
            for (int k = 0; k <= n->high; k += n->high)
                nb_scene_keep_distance(problem, at++, first + node_at(n, i, j, k), first + node_at(n, i, j + 1, k),
                                       rigid);
        for (int k = 0; k < n->high; ++k)
            for (int j = 0; j <= n->across; j += n->across)
                nb_scene_keep_distance(problem, at++, first + node_at(n, i, j, k), first + node_at(n, i, j, k + 1),
                                       rigid);
    }
    for (int j = 0; j <= n->across; ++j)
        for (int k = 1; k < n->high && j != middle; ++k)
            for (int i = 0; i < n->along; ++i)
                nb_scene_keep_distance(problem, at++, first + node_at(n, i, j, k), first + node_at(n, i + 1, j, k), 0);
}

/* A spring carries a strip of the section as wide as a cell, half of one at the sides, over so many rows. */
static void set_springs(const double *values, struct nb_problem *problem, const struct size *n, int link)
{
    const int each = n->springs / n->across;
    const double length = values[LENGTH] / n->along;
    const double strip = values[WIDTH] / n->across * values[HEIGHT] / (n->high - 1);
    double *compliance = problem->distances.compliance + (link + 1) * (n->layer + n->fibres + n->springs) - n->springs;
    for (int i = 0; i < n->springs; ++i) {
        const bool at_side = i < each || i >= n->springs - each;
        compliance[i] = length / (values[SPRINGS] * values[YOUNG] * strip * (at_side ? 0.5 : 1));
    }
}

static enum nb_status make_link(const double *values, struct nb_problem *problem, const struct size *n, int link,
                                const int *box, const double *lower, struct nb_error *error)
{
    const int cells[3] = {n->along, n->across, n->high}, first = link * n->particles;
    const double sides[3] = {values[LENGTH], values[WIDTH], values[HEIGHT]};
    const struct nb_elastic elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                                       values[YOUNG], values[POISSON], values[DENSITY]};
    struct nb_shape *skin = &problem->shapes[1 + problem->bodies.count + link];
    struct nb_mesh mesh;
    enum nb_status status = nb_mesh_box(&mesh, cells, lower, sides, error);
    if (!status)
        status = nb_shape_surface(skin, &mesh, first, 0, error);
    if (!status) {
        nb_scene_make_mesh(problem, first, link * mesh.tetra_count, &mesh, &elastic);
        hold_ends(problem, n, link, first, box);
        tie(problem, n, link, first, values[COMPLIANCE]);
        set_springs(values, problem, n, link);
    }
    nb_mesh_free(&mesh);
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const struct size n = size_of(values);
    const double pitch = values[LENGTH] + segment_length;
    if (n.across % 2)
        return nb_fail(error, NB_BAD_INPUT, "soft_snake: across = %d must be even, as the film is in the middle",
                       n.across);
    enum nb_status status = allocate(values, &n, problem, error);
    for (int s = 0; s < n.snakes && !status; ++s)
        for (int i = 0; i <= n.links && !status; ++i)
            status = make_segment(values, problem, s * (n.links + 1) + i, i * pitch, s * lane, error);
    for (int s = 0; s < n.snakes && !status; ++s)
        for (int i = 0; i < n.links && !status; ++i) {
            const int behind = PER_SEGMENT * (s * (n.links + 1) + i), box[2] = {behind, behind + PER_SEGMENT};
            const double lower[3] = {i * pitch + segment_length / 2, s * lane - values[WIDTH] / 2, belly};
            status = make_link(values, problem, &n, s * n.links + i, box, lower, error);
        }
    return status;
}

/* The scene's numbers, where the problem is of this scene. */
static bool find_size(const struct nb_problem *problem, struct size *n)
{
    static const char *const names[] = {"snakes", "links", "along", "across", "high"};
    double values[NB_SCENE_PARAMETERS] = {0};
    for (int i = SNAKES; i <= HIGH; ++i)
        values[i] = nb_problem_parameter(problem, names[i], 0);
    *n = size_of(values);
    return n->snakes > 0 && n->high > 1 &&
           problem->distances.count == n->snakes * n->links * (n->layer + n->fibres + n->springs) &&
           problem->bodies.count == PER_SEGMENT * n->snakes * (n->links + 1);
}

/* The pressure in a link at time t. */
static double pressure_at(const struct nb_problem *problem, int link, double t)
{
    const double frequency = nb_problem_parameter(problem, "frequency", 0);
    const double phase = frequency * t - link / nb_problem_parameter(problem, "wave", 1);
    return nb_problem_parameter(problem, "pressure", 0) * fmin(t / nb_problem_parameter(problem, "rise", 1), 1) *
           (frequency > 0 ? sin(2 * M_PI * phase) : 1);
}

static void schedule(struct nb_problem *problem)
{
    struct size n;
    if (!find_size(problem, &n))
        return;
    const double longer = nb_problem_parameter(problem, "chamber", 0) /
                          (nb_problem_parameter(problem, "springs", 1) * nb_problem_parameter(problem, "young", 1));
    const double rest = nb_problem_parameter(problem, "length", 0) / n.along;
    double *length = problem->distances.length;
    for (int link = 0; link < n.snakes * n.links; ++link) {
        const double pressure = pressure_at(problem, link % n.links, (problem->step + 1) * problem->time_step);
        length += n.layer + n.fibres;
        for (int i = 0; i < n.springs; ++i) {
            const bool is_right = 2 * i < n.springs;
            *length++ = rest * (1 + longer * fmax(is_right ? pressure : -pressure, 0));
        }
    }
}

static double yaw_of(const struct nb_problem *problem, int body)
{
    double rotation[9];
    nb_quaternion_matrix(problem->bodies.orientation + 4 * body, rotation);
    return atan2(rotation[3], rotation[0]);
}

/* Of the first link, from the directions of the boxes at its ends. */
static double observe(const struct nb_problem *problem)
{
    struct size n;
    if (!find_size(problem, &n))
        return NAN; /* some other problem of that name */
    return remainder(yaw_of(problem, PER_SEGMENT + BOX) - yaw_of(problem, BOX), 2 * M_PI) /
           nb_problem_parameter(problem, "length", 1);
}

const struct nb_scene nb_scene_soft_snake = {
    .name = "soft_snake",
    .title = "Pneumatic snakes of soft links on wheels",
    .source = "Macklin 2020, section 7.1, figures 51 to 54, tables 5 and 6; sizes, masses and mesh ours",
    .observable = "curvature of the first link",
    .observable_unit = "1/m",
    .parameters =
        {
            [SNAKES] = {"snakes", 1, 1, 100, 1, "1", "side by side"},
            [LINKS] = {"links", 1, 1, 100, 1, "1", "soft links of a snake"},
            [ALONG] = {"along", 4, 2, 100, 1, "1", "cells along a link, of five tetrahedra each"},
            [ACROSS] = {"across", 2, 2, 100, 1, "1", "cells across it, an even number"},
            [HIGH] = {"high", 2, 2, 100, 1, "1", "cells of its height"},
            [PRESSURE] = {"pressure", 30000, -1e6, 1e6, 0, "Pa", "largest over-pressure, above 0 in right chambers"},
            [RISE] = {"rise", 0.2, 1e-3, 1000, 0, "s", "time in which it rises evenly"},
            [FREQUENCY] = {"frequency", 0, 0, 100, 0, "1/s", "of a wave of pressures down the snake; 0: all alike"},
            [WAVE] = {"wave", 4, 1, 100, 0, "1", "links of such a wave"},
            [LENGTH] = {"length", 0.1, 1e-3, 10, 0, "m", "of a link"},
            [WIDTH] = {"width", 0.04, 1e-3, 10, 0, "m", "of a link"},
            [HEIGHT] = {"height", 0.03, 1e-3, 10, 0, "m", "of a link"},
            [YOUNG] = {"young", 66243, 1, 1e12, 0, "Pa", "Young's modulus of the links"},
            [POISSON] = {"poisson", 0.45, 0, 0.4999, 0, "1", "Poisson's ratio of the links"},
            [DENSITY] = {"density", 1070, 1, 1e5, 0, "kg/m^3", "density of the links"},
            [MATERIAL] = {"material", 0, 0, 1, 1, "1", "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [CHAMBER] = {"chamber", 0.4, 1e-3, 1, 0, "1", "share of a half of the section that the pressure acts on"},
            [SPRINGS] = {"springs", 0.1, 1e-3, 10, 0, "1", "stiffness of springs along a link over the link's own"},
            [COMPLIANCE] = {"compliance", 1e-7, 0, 1, 0, "m/N", "of the film and the fibres, between two nodes"},
            [FRICTION] = NB_SCENE_FRICTION(1),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.005),
        },
    .build = build,
    .schedule = schedule,
    .observe = observe,
};
