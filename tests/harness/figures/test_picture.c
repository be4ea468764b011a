/* Pictures of scenes: the camera, the painter's order, what hides a point. */
#include "harness/figures/picture.h"
#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "problems/scene.h"
#include "tests/support/deformable_samples.h"
#include "tests/support/near.h"

/* Two boxes of side 1 at the given centres, fixed to the world. */
static void two_boxes(struct nb_problem *problem, struct nb_shape *shapes, const double *first,
                      const double *second)
{
    static double vertex[24];
    static int start[7] = {0, 4, 8, 12, 16, 20, 24};
    static int corner[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                             2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    for (int i = 0; i < 24; ++i)
        vertex[i] = (i / 3 >> i % 3 & 1) - 0.5;
    memset(problem, 0, sizeof *problem);
    problem->gravity[2] = -9.81;
    problem->shape_count = 2;
    problem->shapes = shapes;
    for (int i = 0; i < 2; ++i) {
        shapes[i] = (struct nb_shape){.kind = NB_SHAPE_CONVEX, .body = -1,
                                      .orientation = {1, 0, 0, 0}, .vertex_count = 8,
                                      .face_count = 6, .vertex = vertex, .face_start = start,
                                      .face_vertex = corner};
        memcpy(shapes[i].position, i ? second : first, sizeof shapes[i].position);
    }
}

/* Which of two boxes is drawn first, 0 or 1. */
static int drawn_first(const double *first, const double *second, double azimuth, double elevation)
{
    struct nb_problem problem;
    struct nb_shape shapes[2];
    OWNS(nb_stage_free) struct nb_stage stage;
    two_boxes(&problem, shapes, first, second);
    assert_ok(nb_stage_create(&stage, &problem, &why));
    const struct nb_camera camera = nb_camera_at(problem.gravity, azimuth, elevation);
    assert_ok(nb_stage_sort(&stage, &camera, &why));
    const int order = stage.order[0];
    assert_int_equal(stage.order[1], 1 - order);
    return order;
}

/* Azimuth 0 looks along +y. What is farther along y is drawn first, also where boxes touch or
 * overlap a little, whichever comes first in the file; from above, the lower one. */
TEST(test_painter)
{
    const double origin[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const double back[3] = {0.3, 1 + 0.001 * (i - 1), 0.2};
        const double above[3] = {0.2, -0.1, 1 + 0.001 * (i - 1)};
        assert_int_equal(drawn_first(origin, back, 0, 20), 1);
        assert_int_equal(drawn_first(back, origin, 0, 20), 0);
        assert_int_equal(drawn_first(origin, back, 180, 20), 0);
        assert_int_equal(drawn_first(origin, above, 30, 20), 0);
        assert_int_equal(drawn_first(above, origin, 30, 20), 1);
    }
    /* This one stands on the other: in front of it although its centre is farther away. */
    const double high_and_far[3] = {0, 0.9, 1.01};
    assert_int_equal(drawn_first(origin, high_and_far, 0, 30), 0);
}

TEST(test_camera)
{
    const double gravity[3] = {0, 0, -9.81}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    double xy[2];
    const struct nb_camera front = nb_camera_at(gravity, 0, 0);
    nb_camera_project(&front, x, xy);
    assert_float_equal(xy[0], 1, 1e-15);
    nb_camera_project(&front, z, xy);
    assert_float_equal(xy[1], 1, 1e-15);
    const struct nb_camera top = nb_camera_at(gravity, 90, 90);
    nb_camera_project(&top, y, xy);
    assert_float_equal(xy[0], 1, 1e-15);
    nb_camera_project(&top, x, xy);
    assert_float_equal(xy[1], -1, 1e-15);
}

TEST(test_hidden_points)
{
    struct nb_problem problem;
    struct nb_shape shapes[2];
    OWNS(nb_stage_free) struct nb_stage stage;
    const double origin[3] = {0, 0, 0}, far[3] = {5, 0, 0};
    const double behind[3] = {0, 2, 0}, before[3] = {0, -2, 0}, on_front[3] = {0.5, -0.5, 0.5};
    two_boxes(&problem, shapes, origin, far);
    assert_ok(nb_stage_create(&stage, &problem, &why));
    const struct nb_camera camera = nb_camera_at(problem.gravity, 0, 0);
    assert_true(nb_stage_hides(&stage, &camera, behind));
    assert_false(nb_stage_hides(&stage, &camera, before));
    assert_false(nb_stage_hides(&stage, &camera, on_front));
}

/* A sphere of diameter 1, or an upright capsule, in the place of a box. */
static void make_round(struct nb_shape *shape, double half_length)
{
    shape->kind = half_length > 0 ? NB_SHAPE_CAPSULE : NB_SHAPE_SPHERE;
    shape->radius = 0.5;
    shape->half_length = half_length;
}

static int drawn_first_of_round(const double *first, const double *second, int rounds,
                                double azimuth)
{
    struct nb_problem problem;
    struct nb_shape shapes[2];
    OWNS(nb_stage_free) struct nb_stage stage;
    two_boxes(&problem, shapes, first, second);
    for (int i = 0; i < rounds; ++i)
        make_round(&shapes[i], i);
    assert_ok(nb_stage_create(&stage, &problem, &why));
    const struct nb_camera camera = nb_camera_at(problem.gravity, azimuth, 20);
    assert_ok(nb_stage_sort(&stage, &camera, &why));
    const int result = stage.order[0];
    return result;
}

TEST(test_round_painter)
{
    const double origin[3] = {0, 0, 0}, back[3] = {0.3, 1, 0.2}, above[3] = {0.2, -0.1, 1};
    for (int rounds = 1; rounds <= 2; ++rounds) {
        assert_int_equal(drawn_first_of_round(origin, back, rounds, 0), 1);
        assert_int_equal(drawn_first_of_round(back, origin, rounds, 0), 0);
        assert_int_equal(drawn_first_of_round(origin, back, rounds, 180), 0);
    }
    assert_int_equal(drawn_first_of_round(above, origin, 1, 30), 1);
    assert_int_equal(drawn_first_of_round(origin, above, 1, 30), 0);
}

TEST(test_round_hides)
{
    struct nb_problem problem;
    struct nb_shape shapes[2];
    OWNS(nb_stage_free) struct nb_stage stage;
    const double origin[3] = {0, 0, 0}, far[3] = {5, 0, 0};
    const double behind[3] = {0.1, 2, 0.1}, before[3] = {0, -2, 0}, on_front[3] = {0, -0.5, 0};
    const double on_back[3] = {0, 0.5, 0}, beside[3] = {0.52, 2, 0}, corner[3] = {0.4, 2, 0.4};
    const double behind_capsule[3] = {5.1, 2, 1.4}, over_capsule[3] = {5.1, 2, 1.6};
    two_boxes(&problem, shapes, origin, far);
    make_round(&shapes[0], 0);
    make_round(&shapes[1], 1);
    assert_ok(nb_stage_create(&stage, &problem, &why));
    const struct nb_camera camera = nb_camera_at(problem.gravity, 0, 0);
    assert_true(nb_stage_hides(&stage, &camera, behind));
    assert_true(nb_stage_hides(&stage, &camera, on_back));
    assert_true(nb_stage_hides(&stage, &camera, behind_capsule));
    assert_false(nb_stage_hides(&stage, &camera, before));
    assert_false(nb_stage_hides(&stage, &camera, on_front));
    assert_false(nb_stage_hides(&stage, &camera, beside));
    assert_false(nb_stage_hides(&stage, &camera, corner));
    assert_false(nb_stage_hides(&stage, &camera, over_capsule));
}

/* Thousands of spheres are drawn by distance alone. */
TEST(test_many)
{
    enum { COUNT = 4000 };
    struct nb_problem problem = {.gravity = {0, 0, -9.81}, .shape_count = COUNT};
    struct nb_stage stage;
    problem.shapes = calloc(COUNT, sizeof *problem.shapes);
    assert_non_null(problem.shapes);
    for (int i = 0; i < COUNT; ++i) {
        make_round(&problem.shapes[i], 0);
        problem.shapes[i].body = -1;
        problem.shapes[i].orientation[0] = 1;
        problem.shapes[i].position[1] = (double)(i * 7 % COUNT); /* y, away from the viewer */
    }
    assert_ok(nb_stage_create(&stage, &problem, &why));
    const struct nb_camera camera = nb_camera_at(problem.gravity, 0, 0);
    assert_ok(nb_stage_sort(&stage, &camera, &why));
    for (int i = 0; i < COUNT; ++i)
        assert_true(problem.shapes[stage.order[i]].position[1] == COUNT - 1 - i);
    nb_stage_free(&stage);
    free(problem.shapes);
}

/* The boundary of a block of two cubes: closed, so that its area vectors cancel, outward, so that it
 * encloses the volume of the elements. */
TEST(test_boundary)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_stage_free) struct nb_stage stage;
    double area[3] = {0}, enclosed = 0, volume = 0;
    make_deformable(&problem, 0);
    assert_ok(nb_stage_create(&stage, &problem, &why));
    assert_int_equal(stage.triangle_count, 20);
    assert_int_equal(stage.solid_count, 0);
    for (int i = 0; i < stage.triangle_count; ++i) {
        const struct nb_triangle *t = &stage.triangles[i];
        double edge[2][3], vector[3];
        assert_false(t->two_sided);
        nb_subtract3(t->corner + 3, t->corner, edge[0]);
        nb_subtract3(t->corner + 6, t->corner, edge[1]);
        nb_cross3(edge[0], edge[1], vector);
        nb_add_scaled3(area, 0.5, vector, area);
        enclosed += nb_dot3(vector, t->corner) / 6;
        assert_true(nb_dot3(vector, t->normal) > 0);
    }
    for (int i = 0; i < problem.tetrahedra.count; ++i)
        volume += nb_element_volume(&problem.tetrahedra, i);
    assert_true(nb_norm3(area) < 1e-14);
    assert_near(enclosed, volume, 1e-14);
}

/* Stretched by a fifth along x and squeezed by a tenth along y. */
TEST(test_volume_strain)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_stage_free) struct nb_stage stage;
    make_deformable(&problem, 0);
    const double before[3] = {problem.tetrahedra.rest[0], problem.tetrahedra.rest[3],
                              problem.tetrahedra.rest[6]};
    const int *corner = problem.tetrahedra.particle; /* rest and place differ by a rotation at most */
    double edge[3];
    nb_subtract3(problem.particles.position + 3 * corner[1],
                 problem.particles.position + 3 * corner[0], edge);
    assert_near(nb_norm3(edge), nb_norm3(before), 1e-14);
    for (int i = 0; i < problem.particles.count; ++i) {
        problem.particles.position[3 * i] *= 1.2;
        problem.particles.position[3 * i + 1] *= 0.9;
    }
    assert_ok(nb_stage_create(&stage, &problem, &why));
    for (int i = 0; i < stage.triangle_count; ++i)
        assert_near(stage.triangles[i].strain, 1.2 * 0.9 - 1, 1e-12);
}

/* A membrane of one triangle in the plane x-z, between two boxes along y. */
TEST(test_membrane)
{
    struct nb_problem problem;
    struct nb_shape shapes[3];
    OWNS(nb_stage_free) struct nb_stage stage;
    const double front[3] = {0, -2, 0}, back[3] = {0, 2, 0};
    const double behind[3] = {0.1, 0.5, 0.1}, before[3] = {0.1, -0.5, 0.1};
    double position[9] = {-0.2, 0, -0.2, 0.5, 0, -0.2, -0.2, 0, 0.5};
    int start[2] = {0, 3}, corner[3] = {0, 1, 2};
    two_boxes(&problem, shapes, front, back);
    shapes[2] = (struct nb_shape){.kind = NB_SHAPE_SURFACE, .body = -1, .face_count = 1,
                                  .face_start = start, .face_vertex = corner};
    problem.shape_count = 3;
    problem.particles.count = 3;
    problem.particles.position = position;
    assert_ok(nb_stage_create(&stage, &problem, &why));
    assert_int_equal(stage.solid_count, 2);
    assert_int_equal(stage.triangle_count, 1);
    assert_true(stage.triangles[0].two_sided);
    const struct nb_camera camera = nb_camera_at(problem.gravity, 0, 0);
    assert_ok(nb_stage_sort(&stage, &camera, &why));
    assert_int_equal(stage.order[0], 1);
    assert_int_equal(stage.triangles[0].slot, 1); /* after the box behind, before that in front */
    assert_true(nb_triangles_hide(&stage, &camera, behind));
    assert_false(nb_triangles_hide(&stage, &camera, before));
}

/* What contacts join is not one deformable body. */
TEST(test_deformable_bodies)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_islands_free) struct nb_islands bodies;
    make_deformable(&problem, 0);
    problem.distances.count = 0;
    assert_ok(nb_deformable_bodies(&problem, &bodies, &why));
    for (int i = 1; i < 12; ++i)
        assert_int_equal(bodies.particle[i], bodies.particle[0]);
    assert_int_not_equal(bodies.particle[12], bodies.particle[0]);
}

TEST(test_no_shapes)
{
    struct nb_problem problem = {.name = "bare"};
    OWNS(nb_stage_free) struct nb_stage stage;
    assert_refused(nb_stage_create(&stage, &problem, &why), NB_UNSUPPORTED, "bare");
}

/* Between the flanges of a spool, which a convex body would fill, nothing hides a point; a flange hides what is behind
 * it. A rope's segments are drawn as what they are, though they have no area. */
TEST(test_spool_and_rope)
{
    static const char *const settings[] = {"segments=10", "ropes=2"};
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_stage_free) struct nb_stage stage;
    assert_ok(nb_scene_create("spool_rope", 2, settings, &problem, &why));
    assert_ok(nb_stage_create(&stage, &problem, &why));
    assert_int_equal(stage.triangle_count, 20);
    for (int i = 0; i < stage.triangle_count; ++i)
        assert_float_equal(stage.triangles[i].radius, 0.005, 0);
    const struct nb_camera along = nb_camera_at(problem.gravity, 0, 0), across = nb_camera_at(problem.gravity, 90, 0);
    const double between[3] = {0, 0, 0.14}, inside[3] = {0, 0, 0.05}, above[3] = {0, 0, 0.16};
    assert_true(nb_stage_hides(&stage, &along, between) && nb_stage_hides(&stage, &along, inside));
    assert_false(nb_stage_hides(&stage, &across, between));
    assert_true(nb_stage_hides(&stage, &across, inside));
    assert_false(nb_stage_hides(&stage, &along, above));
}
