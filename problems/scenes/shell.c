/* A shell of triangles, clamped at one end, onto which a ball is dropped: it bends, swings and comes to rest by its own
 * damping. Forms of material of Macklin 2020 (thesis): shells that bend and strain-rate damping of section 7.3.4, and
 * consistent masses of section 5.7; the set-up is ours.
 *
 * Every edge of a triangle is a distance; triangles bend against each other by ties (scene_shell.h). The diagonals of
 * the lattice have one direction, on which constant curvatures are exact. The first two columns of particles are held:
 * the clamp is between them, at x = 0. Damping is a time (scene_damping.h), masses are lumped or consistent
 * (scene_mass.h). */
#include <stdlib.h>

#include "problems/fields.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_cloth.h"
#include "problems/scenes/build/scene_damping.h"
#include "problems/scenes/build/scene_deform.h"
#include "problems/scenes/build/scene_mass.h"
#include "problems/scenes/build/scene_shell.h"

enum {
    CELLS, ACROSS, LENGTH, DENSITY, STIFFNESS, RIGIDITY, POISSON, DAMPING, CONSISTENT, THICKNESS, RADIUS, MASS, HEIGHT,
    FRICTION, TIME_STEP, GRAVITY, MARGIN
};
enum { HELD = 2 };

/* The lattice: columns of particles along x, rows of them along y. */
struct lattice {
    int columns, rows, squares;
};

static struct lattice lattice_of(const double *values)
{
    const int columns = (int)values[CELLS] + HELD, rows = (int)values[ACROSS] + 1;
    return (struct lattice){columns, rows, (columns - 1) * (rows - 1)};
}

/* Of a square: the clamp is half a square before the first free column's neighbour. */
static double side_of(const double *values)
{
    return values[LENGTH] / (values[CELLS] + 0.5);
}

static int node(const struct lattice *on, int i, int j)
{
    return i + on->columns * j;
}

/* Triangle t of a square, 0 below its diagonal and 1 above it, counter-clockwise from above; and, behind its edges,
 * what is opposite in the triangles beside it, -1 where there is none. */
static void fill_triangle(const struct lattice *on, int square, int t, int *corner, int *wing)
{
    static const int of[2][6] = {{0, 0, 1, 0, 1, 1}, {0, 0, 1, 1, 0, 1}};
    static const int beside[2][6] = {{0, -1, 2, 1, 0, 1}, {1, 0, 1, 2, -1, 0}};
    const int i = square % (on->columns - 1), j = square / (on->columns - 1);
    for (int k = 0; k < 3; ++k) {
        const int x = i + beside[t][2 * k], y = j + beside[t][2 * k + 1];
        corner[k] = node(on, i + of[t][2 * k], j + of[t][2 * k + 1]);
        wing[k] = x < 0 || x >= on->columns || y < 0 || y >= on->rows ? -1 : node(on, x, y);
    }
}

static void join_particles(struct nb_problem *problem, const struct lattice *on, const double *values)
{
    const struct nb_plate plate = {values[RIGIDITY], values[POISSON]};
    const double compliance = 1 / values[STIFFNESS];
    int edges = 0, ties = 0;
    for (int j = 0; j < on->rows; ++j)
        for (int i = 0; i < on->columns; ++i) {
            if (i + 1 < on->columns)
                nb_scene_keep_distance(problem, edges++, node(on, i, j), node(on, i + 1, j), compliance);
            if (j + 1 < on->rows)
                nb_scene_keep_distance(problem, edges++, node(on, i, j), node(on, i, j + 1), compliance);
            if (i + 1 < on->columns && j + 1 < on->rows)
                nb_scene_keep_distance(problem, edges++, node(on, i, j), node(on, i + 1, j + 1), compliance);
        }
    for (int t = 0; t < 2 * on->squares; ++t) {
        int corner[3], wing[3];
        fill_triangle(on, t / 2, t % 2, corner, wing);
        ties += nb_scene_bend(problem, ties, corner, wing, &plate);
    }
}

/* Both triangles of an edge between two have a tie of it: all edges but those of the border, twice. */
static int bends_of(const struct lattice *on)
{
    const int across = (on->columns - 1) * (on->rows - 2), along = (on->columns - 2) * (on->rows - 1);
    return 2 * (across + along + on->squares);
}

/* A third of each triangle's mass to each of its corners, or consistently. */
static void share_masses(struct nb_problem *problem, const struct lattice *on, const double *values)
{
    const double side = side_of(values), mass = values[DENSITY] * side * side / 2;
    int middle = on->columns * on->rows, tie = bends_of(on);
    for (int t = 0; t < 2 * on->squares; ++t) {
        int corner[3], wing[3];
        fill_triangle(on, t / 2, t % 2, corner, wing);
        if (values[CONSISTENT] != 0)
            nb_scene_spread_mass(problem, tie++, middle++, corner, 3, mass);
        for (int k = 0; values[CONSISTENT] == 0 && k < 3; ++k)
            problem->particles.mass[corner[k]] += mass / 3;
    }
}

static enum nb_status make_skin(const struct lattice *on, const double *values, struct nb_shape *skin,
                                struct nb_error *error)
{
    struct nb_mesh mesh = {.face_count = 2 * on->squares};
    mesh.face = malloc(6 * (size_t)on->squares * sizeof *mesh.face);
    if (!mesh.face)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a shell of %d triangles", 2 * on->squares);
    for (int t = 0; t < 2 * on->squares; ++t) {
        int wing[3];
        fill_triangle(on, t / 2, t % 2, mesh.face + 3 * t, wing);
    }
    const enum nb_status status = nb_shape_surface(skin, &mesh, 0, values[THICKNESS] / 2, error);
    skin->friction = values[FRICTION];
    free(mesh.face);
    return status;
}

static enum nb_status allocate(const double *values, const struct lattice *on, struct nb_problem *problem,
                               struct nb_error *error)
{
    const int middles = values[CONSISTENT] != 0 ? 2 * on->squares : 0, balls = values[MASS] > 0;
    const int edges = (on->columns - 1) * on->rows + on->columns * (on->rows - 1) + on->squares;
    enum nb_status status = nb_scene_allocate(problem, balls, 1 + balls, error);
    if (!status)
        status = nb_group_allocate(problem, NB_PARTICLES, on->columns * on->rows + middles, error);
    if (!status)
        status = nb_group_allocate(problem, NB_DISTANCES, edges, error);
    if (!status)
        status = nb_group_allocate(problem, NB_TIES, bends_of(on) + middles, error);
    if (!status)
        status = nb_group_allocate(problem, NB_ATTACHMENTS, HELD * on->rows, error);
    return status;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const struct lattice on = lattice_of(values);
    const double side = side_of(values);
    enum nb_status status = allocate(values, &on, problem, error);
    if (!status)
        status = make_skin(&on, values, &problem->shapes[0], error);
    if (status)
        return status;
    for (int j = 0; j < on.rows; ++j)
        for (int i = 0; i < on.columns; ++i) {
            double *x = problem->particles.position + 3 * node(&on, i, j);
            x[0] = (i - 0.5) * side;
            x[1] = (j - values[ACROSS] / 2) * side;
        }
    for (int k = 0; k < HELD * on.rows; ++k)
        nb_scene_attach(problem, k, node(&on, k % HELD, k / HELD), -1, 0);
    join_particles(problem, &on, values);
    share_masses(problem, &on, values);
    if (values[MASS] > 0) {
        const double up = values[THICKNESS] / 2 + values[HEIGHT] + values[RADIUS];
        const double centre[3] = {values[LENGTH] - 1.5 * side, 0, up};
        problem->shapes[1].friction = values[FRICTION];
        nb_scene_make_sphere(problem, 0, &problem->shapes[1], values[RADIUS], values[MASS], centre);
    }
    return values[DAMPING] > 0 ? nb_scene_damp(problem, values[DAMPING], error) : NB_OK;
}

const struct nb_scene nb_scene_shell = {
    .name = "shell",
    .title = "Ball dropped onto a clamped shell",
    .source = "material of Macklin 2020 (thesis), sections 5.7 and 7.3.4; the set-up is ours",
    .observable = "sag",
    .observable_unit = "m",
    .parameters =
        {
            [CELLS] = {"cells", 10, 2, 500, 1, "1", "squares along the shell, of two triangles each"},
            [ACROSS] = {"across", 4, 1, 500, 1, "1", "squares across the shell"},
            [LENGTH] = {"length", 0.5, 1e-3, 100, 0, "m", "from the clamp to the free end"},
            [DENSITY] = {"density", 1, 1e-4, 1e4, 0, "kg/m^2", "mass of the shell over its area"},
            [STIFFNESS] = {"stiffness", 1e5, 1e-3, 1e15, 0, "N/m", "of every edge of a triangle"},
            [RIGIDITY] = {"rigidity", 5, 1e-9, 1e9, 0, "N m", "D, the moment over the curvature, per width"},
            [POISSON] = {"poisson", 0, -0.99, 0.99, 0, "1", "Poisson's ratio of its bending"},
            [DAMPING] = {"damping", 0.01, 0, 100, 0, "s", "of all strains, over their stiffness"},
            [CONSISTENT] = {"consistent", 0, 0, 1, 1, "1", "masses, 0: lumped, 1: consistent"},
            [THICKNESS] = {"thickness", 0.005, 0, 1, 0, "m", "thickness of the shell to contacts"},
            [RADIUS] = {"radius", 0.05, 1e-3, 100, 0, "m", "radius of the ball"},
            [MASS] = {"mass", 0.2, 0, 1e6, 0, "kg", "mass of the ball; 0: there is none"},
            [HEIGHT] = {"height", 0.05, 0, 100, 0, "m", "gap between shell and ball at the start"},
            [FRICTION] = NB_SCENE_FRICTION(0.5),
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .observe = nb_scene_sag,
};
