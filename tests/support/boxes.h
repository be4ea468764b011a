/* Problems made of boxes, and their contacts in world terms. */
#ifndef NB_TESTS_BOXES_H
#define NB_TESTS_BOXES_H

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/collide/collide.h"
#include "problems/scenes/build/scene_build.h"
#include "tests/support/test.h"

static const double margin = 0.01;

struct box {
    double sides[3], centre[3], turn[3]; /* turn: rotation vector [rad] */
};

static inline void turn_body(double *quaternion, const double *turn)
{
    const double angle = nb_norm3(turn);
    quaternion[0] = cos(angle / 2);
    for (int k = 0; k < 3; ++k)
        quaternion[k + 1] = angle > 0 ? sin(angle / 2) * turn[k] / angle : 0;
}

/* Boxes as bodies; with_plane adds the ground z = 0 after them. */
static inline void make_boxes(struct nb_problem *problem, int count, const struct box *box,
                              int with_plane)
{
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_ok(nb_scene_allocate(problem, count, count + with_plane, &why));
    for (int i = 0; i < count; ++i) {
        assert_ok(nb_scene_make_box(problem, i, &problem->shapes[i], box[i].sides, 1, box[i].centre, &why));
        turn_body(problem->bodies.orientation + 4 * i, box[i].turn);
        problem->shapes[i].friction = 0.1 * (i + 1);
    }
    if (with_plane)
        problem->shapes[count].kind = NB_SHAPE_PLANE;
}

static inline void collide(struct nb_problem *problem, int expected)
{
    assert_ok(nb_collide(problem, margin, &why));
    if (expected >= 0)
        assert_int_equal(problem->contacts.count, expected);
}

/* World position of a contact's point on one side. */
static inline void world_point(const struct nb_problem *problem, int contact, int side,
                               double *world)
{
    const int body = problem->contacts.body[2 * contact + side];
    const double *local = problem->contacts.point + 6 * contact + 3 * side;
    const double radius = problem->contacts.radius[2 * contact + side];
    double matrix[9];
    memcpy(world, local, 3 * sizeof *world);
    if (body >= 0) {
        nb_quaternion_matrix(problem->bodies.orientation + 4 * body, matrix);
        nb_rotate(matrix, local, world);
        nb_add_scaled3(world, 1, problem->bodies.position + 3 * body, world);
    }
    nb_add_scaled3(world, side == 0 ? -radius : radius, problem->contacts.frame + 9 * contact,
                   world);
}

static inline double gap_of(const struct nb_problem *problem, int contact)
{
    double a[3], b[3], between[3];
    world_point(problem, contact, 0, a);
    world_point(problem, contact, 1, b);
    nb_subtract3(a, b, between);
    return nb_dot3(problem->contacts.frame + 9 * contact, between);
}

/* A fixed pseudo-random sequence in [-1, 1]. */
static inline double noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 2147483648.0 - 1;
}

#endif
