/* Masses of shapes against sums over many small pieces. */
#include "tests/support/near.h"

#include "problems/base/vec3.h"
#include "problems/scenes/build/scene_build.h"

static const double origin[3] = {1, 2, 3};

static void allocate(struct nb_problem *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_ok(nb_scene_allocate(problem, 1, 1, &why));
}

/* A capsule as a stack of thin discs of radius R(z): I_zz = sum m R^2/2, I_xx = sum m (R^2/4 + z^2).
 * A sphere where half is 0. */
static void assert_stack_of_discs(const struct nb_problem *problem, double radius, double half)
{
    const int slices = 200000;
    const double end = half + radius, thickness = 2 * end / slices;
    double volume = 0, along = 0, across = 0;
    for (int i = 0; i < slices; ++i) {
        const double z = -end + (i + 0.5) * thickness, beyond = fmax(fabs(z) - half, 0);
        const double square = radius * radius - beyond * beyond;
        volume += square * thickness;
        along += square * thickness * square / 2;
        across += square * thickness * (square / 4 + z * z);
    }
    const double *inertia = problem->bodies.inertia, mass = problem->bodies.mass[0];
    assert_near(inertia[0], across * mass / volume, 1e-8 * mass);
    assert_near(inertia[4], across * mass / volume, 1e-8 * mass);
    assert_near(inertia[8], along * mass / volume, 1e-8 * mass);
    assert_true(inertia[1] == 0 && inertia[2] == 0 && inertia[5] == 0);
}

TEST(round_bodies)
{
    const double sizes[][2] = {{0.3, 0}, {0.3, 0.5}, {1, 0.01}, {0.05, 1}};
    for (int i = 0; i < 4; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        allocate(&problem);
        if (sizes[i][1] > 0)
            nb_scene_make_capsule(&problem, 0, problem.shapes, sizes[i][0], sizes[i][1], 7, origin);
        else
            nb_scene_make_sphere(&problem, 0, problem.shapes, sizes[i][0], 7, origin);
        assert_true(problem.bodies.mass[0] == 7);
        assert_int_equal(problem.shapes[0].body, 0);
        assert_stack_of_discs(&problem, sizes[i][0], sizes[i][1]);
        assert_true(problem.bodies.position[2] == 3);
    }
}

/* A regular n-gon of circumradius r has the second moment m r^2 (2 + cos(2 pi/n))/6 about z and half
 * of it about x; length adds m l^2/12. */
TEST(prisms)
{
    const int sides[] = {3, 4, 6, 32};
    const double r = 0.7, length = 1.3, mass = 5;
    for (int i = 0; i < 4; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double volume, centroid[3], unit[9];
        allocate(&problem);
        struct nb_shape *shape = problem.shapes;
        assert_ok(nb_shape_cylinder(shape, r, length, sides[i], 0, &why));
        nb_shape_integrals(shape, &volume, centroid, unit);
        assert_near(volume, sides[i] / 2.0 * r * r * sin(2 * M_PI / sides[i]) * length, 1e-14);
        nb_scene_make_convex(&problem, 0, shape, mass, origin);
        const double along = mass * r * r * (2 + cos(2 * M_PI / sides[i])) / 6;
        assert_near(problem.bodies.mass[0], mass, 1e-13);
        assert_near(problem.bodies.inertia[8], along, 1e-13);
        assert_near(problem.bodies.inertia[0], along / 2 + mass * length * length / 12, 1e-13);
        assert_near(problem.bodies.inertia[4], problem.bodies.inertia[0], 1e-13);
        assert_true(problem.bodies.position[1] == 2);
        problem.free_velocity = calloc(6, sizeof(double));
        assert_ok(nb_problem_validate(&problem, &why));
    }
}
