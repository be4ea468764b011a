#include "problems/scenes/build/scene_chain.h"

#include <math.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/joints.h"
#include "problems/scenes/build/scene_build.h"

/* A capsule without mass from the sphere's centre to the joint, for the eye and for collisions. */
static void make_rod(struct nb_shape *shape, int body, double length, double radius, double angle)
{
    const double orientation[4] = {cos(angle / 2), 0, -sin(angle / 2), 0};
    shape->kind = NB_SHAPE_CAPSULE;
    shape->body = body;
    shape->radius = radius;
    shape->half_length = length / 2;
    shape->position[0] = -sin(angle) * length / 2;
    shape->position[2] = cos(angle) * length / 2;
    memcpy(shape->orientation, orientation, sizeof orientation);
}

enum nb_status nb_scene_hang_chain(struct nb_problem *problem, int count,
                                   const struct nb_chain_link *links, double length,
                                   double radius, double angle, struct nb_error *error)
{
    const double down[3] = {sin(angle), 0, -cos(angle)};
    double anchor[3] = {0};
    enum nb_status status = nb_scene_allocate(problem, count, 2 * count, error);
    if (!status)
        status = nb_scene_allocate_joints(problem, count, error);
    for (int i = 0; !status && i < count; ++i) {
        double centre[3];
        nb_add_scaled3(anchor, length, down, centre);
        nb_scene_make_sphere(problem, i, &problem->shapes[2 * i], radius, links[i].mass, centre);
        make_rod(&problem->shapes[2 * i + 1], i, length, radius / NB_CHAIN_RADIUS_OVER_ROD, angle);
        nb_scene_make_joint(problem, i, NB_JOINT_BALL, i, i - 1, anchor, NULL);
        for (int k = 0; k < 3; ++k) {
            problem->joints.compliance[NB_JOINT_ROWS * i + k] = links[i].compliance;
            anchor[k] = centre[k];
        }
    }
    return status;
}

double nb_scene_chain_stretch(const struct nb_problem *problem)
{
    double stretch = 0;
    for (int i = 0; i < problem->joints.count; ++i) {
        double opening[NB_JOINT_ROWS], jacobian[12 * NB_JOINT_ROWS];
        nb_joint_evaluate(problem, i, opening, jacobian);
        stretch += nb_norm3(opening);
    }
    return stretch;
}
