/* A soft ball, a scale's plate and the way there (problems/scenes/build/scene_scale.h). A point p of the cube [-1, 1]^3
 * goes to the ball by p_k sqrt(1 - a/2 - b/2 + a b/3), a and b the squares of its other two coordinates. */
#include "problems/scenes/build/scene_scale.h"

#include <math.h>
#include <string.h>

#include "problems/fields.h"
#include "problems/scenes/build/scene_build.h"

/* Of the ball's radius: the plate's side; the rim's rods, their distance from the middle and their radius. */
static const double plate_side = 2.5, rim_distance = 0.72, rim_radius = 0.1;

struct ball {
    const int *cells;
    double radius;
};

static void bend(const void *context, double *node)
{
    const struct ball *ball = context;
    double p[3], square[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = node[k] / (ball->cells[k] / 2.0) - 1;
        square[k] = p[k] * p[k];
    }
    for (int k = 0; k < 3; ++k) {
        const double a = square[(k + 1) % 3], b = square[(k + 2) % 3];
        node[k] = ball->radius * p[k] * sqrt(1 - a / 2 - b / 2 + a * b / 3);
    }
    node[2] += ball->radius;
}

enum nb_status nb_scene_make_ball(struct nb_problem *problem, struct nb_shape *skin, const int *cells, double radius,
                                  const struct nb_elastic *elastic, struct nb_error *error)
{
    const struct nb_lattice lattice = {.cells = {cells[0], cells[1], cells[2]}};
    const struct ball ball = {cells, radius};
    struct nb_mesh mesh;
    enum nb_status status = nb_mesh_create(&mesh, &lattice, error);
    if (!status)
        status = nb_mesh_map(&mesh, bend, &ball, error);
    if (!status)
        status = nb_group_allocate(problem, NB_PARTICLES, mesh.node_count, error);
    if (!status)
        status = nb_group_allocate(problem, NB_TETRAHEDRA, mesh.tetra_count, error);
    if (!status)
        status = nb_shape_surface(skin, &mesh, 0, 0, error);
    if (!status)
        nb_scene_make_mesh(problem, 0, 0, &mesh, elastic);
    nb_mesh_free(&mesh);
    return status;
}

static void make_rim(struct nb_problem *problem, int index, struct nb_shape *rods, double radius, double thickness,
                     const double *middle)
{
    static const double turn[2][4] = {{M_SQRT1_2, 0, M_SQRT1_2, 0}, {M_SQRT1_2, -M_SQRT1_2, 0, 0}};
    const double rim = rim_radius * radius, distance = rim_distance * radius;
    for (int i = 0; i < NB_PLATE_SHAPES - 1; ++i) {
        nb_scene_make_capsule(problem, index, &rods[i], rim, distance, NB_PLATE_MASS, middle);
        memcpy(rods[i].orientation, turn[i / 2], sizeof turn[0]);
        rods[i].position[1 - i / 2] = i % 2 ? distance : -distance;
        rods[i].position[2] = thickness / 2 + rim;
    }
}

enum nb_status nb_scene_make_scale_plate(struct nb_problem *problem, int index, int spring, struct nb_shape *box,
                                         struct nb_shape *rods, const struct nb_plate_on_spring *plate,
                                         struct nb_error *error)
{
    const double radius = plate->radius, thickness = NB_PLATE_THICKNESS * radius;
    const double sides[3] = {plate_side * radius, plate_side * radius, thickness};
    const double middle[3] = {0, plate->y, NB_PLATE_TOP * radius - thickness / 2};
    make_rim(problem, index, rods, radius, thickness, middle);
    const enum nb_status status = nb_scene_make_box(problem, index, box, sides, NB_PLATE_MASS, middle, error);
    nb_scene_make_joint(problem, spring, NB_JOINT_FIXED, index, -1, middle, NULL);
    problem->joints.compliance[6 * spring + 2] = 1 / plate->stiffness;
    problem->joints.point[6 * spring + 5] -= plate->borne * problem->gravity[2] / plate->stiffness;
    return status;
}

double nb_scene_plate_sunk(const struct nb_problem *problem, int index, double radius)
{
    return NB_PLATE_TOP * radius - NB_PLATE_THICKNESS * radius / 2 - problem->bodies.position[3 * index + 2];
}

double nb_scene_soft_weight(const struct nb_problem *problem)
{
    double weight = 0;
    for (int i = 0; i < problem->particles.count; ++i)
        weight -= problem->particles.mass[i] * problem->gravity[2];
    return weight;
}

double nb_scene_share(double t, double begin, double duration)
{
    const double x = fmin(fmax((t - begin) / duration, 0), 1);
    return x - sin(2 * M_PI * x) / (2 * M_PI);
}
