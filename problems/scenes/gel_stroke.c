/* Two fingertips pinch a soft sheet and stroke it (Macklin 2020, thesis, figure 9: an Allegro gripper on a gel, whose
 * minor axis of friction "leads to minimal deformation with a sideways sliding motion", while along the structure the
 * sheet is pulled up "dramatically"; no numbers are printed, all are ours).
 *
 * The sheet is held at its lower edge, y along it and z up. Each fingertip is held by a joint to the world that yields
 * along x as a spring, so that both press with k squeeze, less what the sheet gives way, once they have closed; then
 * their frames move by the stroke in the heading, at an angle from y. Structure is that of the fingertips, at an angle
 * from y, too.
 * Where they slide along d, with the components d_t along structure and d_b across it, each drags the sheet by
 *
 *     F . d = N sqrt((mu_along d_t)^2 + (mu_across d_b)^2),
 *
 * and the sheet follows by as much as it is soft. */
#include <math.h>

#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_deform.h"

enum {
    HEADING,
    STROKE,
    STRUCTURE,
    ALONG,
    ACROSS,
    CELLS,
    WIDTH,
    HEIGHT,
    THICKNESS,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY,
    TIP,
    FINGER_MASS,
    STIFFNESS,
    SQUEEZE,
    GAP,
    CLOSING,
    MOVING,
    TIME_STEP,
    GRAVITY,
    MARGIN
};
enum { FINGERS = 2, SHEET = FINGERS, SHAPES };

static const double degree = M_PI / 180;

static enum nb_status check(const double *values, struct nb_error *error)
{
    const double way = values[STROKE] + values[TIP];
    if (values[ACROSS] < values[ALONG] / NB_ANISOTROPY || values[ACROSS] > values[ALONG] * NB_ANISOTROPY)
        return nb_fail(error, NB_BAD_INPUT, "gel_stroke: across = %g, allowed: along/%g to %g along", values[ACROSS],
                       NB_ANISOTROPY, NB_ANISOTROPY);
    if (values[GAP] >= values[MARGIN])
        return nb_fail(error, NB_BAD_INPUT, "gel_stroke: gap = %g m must be below margin = %g m, or fingers close "
                       "unseen", values[GAP], values[MARGIN]);
    if (way > values[WIDTH] / 2 && values[HEADING] == 0)
        return nb_fail(error, NB_BAD_INPUT, "gel_stroke: stroke = %g m must be at most width/2 - tip = %g m",
                       values[STROKE], values[WIDTH] / 2 - values[TIP]);
    return NB_OK;
}

/* Cells along y; as many as make them about cubes along z, and two along x. */
static void cells_of(const double *values, int cells[3])
{
    const double height = values[CELLS] * values[HEIGHT] / values[WIDTH];
    cells[0] = 2;
    cells[1] = (int)values[CELLS];
    cells[2] = height < 1 ? 1 : (int)(height + 0.5);
}

static void make_held(struct nb_problem *problem, const struct nb_mesh *mesh)
{
    for (int i = 0, held = 0; i < mesh->node_count; ++i)
        if (mesh->node[3 * i + 2] == 0)
            nb_scene_attach(problem, held++, i, -1, 0);
}

static enum nb_status make_sheet(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    const double sides[3] = {values[THICKNESS], values[WIDTH], values[HEIGHT]};
    const double lower[3] = {-sides[0] / 2, -sides[1] / 2, 0};
    const struct nb_elastic elastic = {values[MATERIAL] == 0 ? NB_MATERIAL_HOOKE : NB_MATERIAL_NEO_HOOKEAN,
                                       values[YOUNG], values[POISSON], values[DENSITY]};
    struct nb_mesh mesh;
    int cells[3];
    cells_of(values, cells);
    enum nb_status status = nb_mesh_box(&mesh, cells, lower, sides, error);
    if (!status)
        status = nb_group_allocate(problem, NB_PARTICLES, mesh.node_count, error);
    if (!status)
        status = nb_group_allocate(problem, NB_TETRAHEDRA, mesh.tetra_count, error);
    if (!status)
        status = nb_group_allocate(problem, NB_ATTACHMENTS, (cells[0] + 1) * (cells[1] + 1), error);
    if (!status)
        status = nb_shape_surface(&problem->shapes[SHEET], &mesh, 0, 0, error);
    if (!status) {
        nb_scene_make_mesh(problem, 0, 0, &mesh, &elastic);
        make_held(problem, &mesh);
    }
    nb_mesh_free(&mesh);
    return status;
}

/* A tip's lower edge is at half of the sheet's height. */
static enum nb_status make_finger(const double *values, struct nb_problem *problem, int i, struct nb_error *error)
{
    const double tip = values[TIP], sides[3] = {tip / 2, tip, tip}, outwards = i ? 1 : -1;
    const double side = values[THICKNESS] / 2 + values[GAP] + sides[0] / 2;
    const double centre[3] = {outwards * side, 0, values[HEIGHT] / 2 + tip / 2};
    struct nb_shape *shape = &problem->shapes[i];
    const enum nb_status status = nb_scene_make_box(problem, i, shape, sides, values[FINGER_MASS], centre, error);
    if (status)
        return status;
    shape->friction = values[ALONG];
    shape->across = values[ACROSS];
    shape->structure[1] = cos(values[STRUCTURE] * degree);
    shape->structure[2] = sin(values[STRUCTURE] * degree);
    nb_scene_make_joint(problem, i, NB_JOINT_FIXED, i, -1, centre, NULL);
    problem->joints.compliance[NB_JOINT_ROWS * i] = 1 / values[STIFFNESS];
    return NB_OK;
}

static enum nb_status build(const double *values, struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = check(values, error);
    if (!status)
        status = nb_scene_allocate(problem, FINGERS, SHAPES, error);
    if (!status)
        status = nb_scene_allocate_joints(problem, FINGERS, error);
    for (int i = 0; !status && i < FINGERS; ++i)
        status = make_finger(values, problem, i, error);
    return status ? status : make_sheet(values, problem, error);
}

/* How far a finger's frame has gone inwards at time t, and in the heading. */
static double way_in(const struct nb_problem *problem, double t)
{
    const double way = nb_problem_parameter(problem, "gap", 0) + nb_problem_parameter(problem, "squeeze", 0);
    return way * fmin(t / nb_problem_parameter(problem, "closing", 1), 1);
}

static double way_on(const struct nb_problem *problem, double t)
{
    const double since = t - nb_problem_parameter(problem, "closing", 1);
    return nb_problem_parameter(problem, "stroke", 0) *
           fmin(fmax(since / nb_problem_parameter(problem, "moving", 1), 0), 1);
}

static void schedule(struct nb_problem *problem)
{
    const double h = problem->time_step, from = problem->step * h, to = (problem->step + 1) * h;
    const double heading = nb_problem_parameter(problem, "heading", 0) * degree;
    for (int i = 0; i < FINGERS && i < problem->joints.count; ++i) {
        const double on = (way_on(problem, to) - way_on(problem, from)) / h;
        problem->joints.drift[6 * i] = (i ? -1 : 1) * (way_in(problem, to) - way_in(problem, from)) / h;
        problem->joints.drift[6 * i + 1] = on * cos(heading);
        problem->joints.drift[6 * i + 2] = on * sin(heading);
    }
}

/* How far the middle of the sheet's upper edge has followed. */
static double observe(const struct nb_problem *problem)
{
    const double width = nb_problem_parameter(problem, "width", 0), height = nb_problem_parameter(problem, "height", 0);
    const double heading = nb_problem_parameter(problem, "heading", 0) * degree;
    const double values[] = {[CELLS] = nb_problem_parameter(problem, "cells", 1), [WIDTH] = width, [HEIGHT] = height};
    if (!(values[CELLS] >= 1 && values[CELLS] * fmax(height / width, 1) < problem->particles.count))
        return NAN; /* some other problem of that name */
    int cells[3];
    cells_of(values, cells);
    const int middle = cells[1] / 2, node = 1 + (cells[0] + 1) * (middle + (cells[1] + 1) * cells[2]);
    if (node >= problem->particles.count)
        return NAN; /* such a one, too */
    const double *at = problem->particles.position + 3 * node;
    return cos(heading) * (at[1] + width / 2 - middle * width / cells[1]) + sin(heading) * (at[2] - height);
}

const struct nb_scene nb_scene_gel_stroke = {
    .name = "gel_stroke",
    .title = "Soft sheet stroked along structure",
    .source = "Erleben et al. 2020, The Matchstick Model; Macklin 2020 (thesis), figure 9; all numbers ours",
    .observable = "how far the sheet's upper edge has followed",
    .observable_unit = "m",
    .parameters =
        {
            [HEADING] = {"heading", 0, -90, 90, 0, "degrees", "of the stroke, from level to up"},
            [STROKE] = {"stroke", 0.03, 0, 1, 0, "m", "by which the fingers' frames move"},
            [STRUCTURE] = {"structure", 0, -90, 90, 0, "degrees", "of the fingertips, from level to up"},
            [ALONG] = {"along", 0.8, 1e-3, 10, 0, "1", "friction along structure"},
            [ACROSS] = {"across", 0.1, 1e-6, 100, 0, "1", "friction across it"},
            [CELLS] = {"cells", 8, 1, 100, 1, "1", "cells along the sheet, of five tetrahedra each"},
            [WIDTH] = {"width", 0.16, 1e-3, 10, 0, "m", "of the sheet"},
            [HEIGHT] = {"height", 0.08, 1e-3, 10, 0, "m", "of the sheet"},
            [THICKNESS] = {"thickness", 0.02, 1e-4, 1, 0, "m", "of the sheet"},
            [MATERIAL] = {"material", 0, 0, 1, 1, "1", "0: co-rotational linear (Hooke), 1: neo-Hookean"},
            [YOUNG] = {"young", 2e4, 1e3, 1e12, 0, "Pa", "Young's modulus"},
            [POISSON] = {"poisson", 0.4, 0, 0.499, 0, "1", "Poisson's ratio"},
            [DENSITY] = {"density", 1000, 1, 1e5, 0, "kg/m^3", "density of the sheet"},
            [TIP] = {"tip", 0.025, 1e-3, 1, 0, "m", "side of a fingertip, which is half as thick"},
            [FINGER_MASS] = {"finger_mass", 0.05, 1e-6, 1e6, 0, "kg", "mass of a finger"},
            [STIFFNESS] = {"stiffness", 200, 1e-3, 1e12, 0, "N/m", "of the spring that presses a finger"},
            [SQUEEZE] = {"squeeze", 0.01, 0, 1, 0, "m", "by which the fingers' frames go into the sheet"},
            [GAP] = {"gap", 0.001, 0, 1, 0, "m", "between a finger and the sheet at the start"},
            [CLOSING] = {"closing", 0.3, 1e-3, 100, 0, "s", "time in which the fingers close"},
            [MOVING] = {"moving", 0.6, 1e-3, 100, 0, "s", "time of the stroke"},
            [TIME_STEP] = NB_SCENE_STEP(0.0083, 9.81, 0.01),
        },
    .build = build,
    .schedule = schedule,
    .observe = observe,
};
