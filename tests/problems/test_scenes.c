/* Scenes: their table, parameters and refusals; masses and inertia against formulas; closed shapes.
 * Loops over all scenes, so that a new one is tested too. */
#include <stdbool.h>

#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/support.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/step.h"

TEST(table_is_sorted_and_complete)
{
    const char *expected[] = {"arch", "box_on_plane", "heavy_stack", "incline", "sliding_box"};
    const struct nb_scene *const *scenes = nb_scenes();
    for (int i = 0; scenes[i]; ++i) {
        assert_ptr_equal(nb_scene_find(scenes[i]->name), scenes[i]);
        if (i > 0)
            assert_true(strcmp(scenes[i - 1]->name, scenes[i]->name) < 0);
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
        assert_non_null(nb_scene_find(expected[i]));
    assert_null(nb_scene_find("heavy"));
    assert_null(nb_scene_find(""));
}

TEST(every_scene_is_a_valid_step)
{
    const struct nb_scene *const *scenes = nb_scenes();
    for (int i = 0; scenes[i]; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, scenes[i]->name, NULL);
        assert_string_equal(problem.name, scenes[i]->name);
        assert_ptr_equal(nb_scene_of(&problem), scenes[i]);
        assert_true(strlen(problem.source) > 0 && strlen(problem.generator) > 0);
        assert_true(problem.contacts.count + problem.joints.count + problem.attachments.count > 0);
        assert_int_equal(problem.step, 0);
        assert_true(isfinite(scenes[i]->observe(&problem)));
        assert_non_null(scenes[i]->observable_unit);
        for (int k = 0; k < problem.parameter_count; ++k) {
            const struct nb_scene_parameter *p = &scenes[i]->parameters[k];
            assert_string_equal(problem.parameters[k].name, p->name);
            assert_true(problem.parameters[k].value == p->value);
            assert_true(p->minimum <= p->value && p->value <= p->maximum);
            assert_true(p->unit && p->meaning && strlen(p->name) < 32);
        }
    }
}

/* By name and parameters; with the common ones, too. A model may have a scene's name, with parameters of its own or
 * none. */
TEST(what_is_called_as_a_scene_is_of_it_by_its_parameters)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "grasp", (const char *const[]){"contact_compliance=1e-7", NULL});
    const int count = problem.parameter_count;
    assert_ptr_equal(nb_scene_of(&problem), nb_scene_find("grasp"));
    strcpy(problem.name, "my_grasp");
    assert_null(nb_scene_of(&problem));
    strcpy(problem.name, "grasp");
    problem.parameter_count = 0;
    assert_null(nb_scene_of(&problem));
    problem.parameter_count = count;
    strcpy(problem.parameters[count - 1].name, "copies");
    assert_null(nb_scene_of(&problem));
}

/* Whether the scene observes nothing of a problem that has not what it observes. */
static bool needs_its_own(const char *name)
{
    static const char *const names[] = {"beam", "grasp", "hand", "pneunet", "tomato"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* A file may have a scene's name and none of its bodies: what the scene prescribes and observes keeps within it. */
TEST(another_problem_of_that_name_is_left_alone)
{
    const struct nb_scene *const *scenes = nb_scenes();
    for (int i = 0; scenes[i]; ++i) {
        enum { beyond = 60 };
        OWNS(nb_problem_free)
        struct nb_problem problem;
        double u[6] = {0};
        test_scene(&problem, "box_on_plane", NULL);
        strcpy(problem.name, scenes[i]->name);
        free(problem.joints.drift);
        problem.joints.drift = calloc(beyond, sizeof(double)); /* of joints that the problem has not */
        assert_non_null(problem.joints.drift);
        for (int k = 0; k < beyond; ++k)
            problem.joints.drift[k] = 7;
        nb_scene_move_on(&problem);
        for (int k = 0; k < beyond; ++k)
            if (problem.joints.drift[k] != 7)
                fail_msg("%s moves a joint that there is not", scenes[i]->name);
        nb_scene_drive(&problem, u);
        const double seen = scenes[i]->observe(&problem);
        if (needs_its_own(scenes[i]->name) && !isnan(seen))
            fail_msg("%s observes %g of a box on a plane", scenes[i]->name, seen);
    }
}

/* Every shape is closed, convex and seen from outside; Euler's formula holds. */
static void assert_closed_convex(const struct nb_shape *shape)
{
    const int corners = shape->face_start[shape->face_count];
    double volume, centre[3], inertia[9];
    assert_int_equal(shape->vertex_count - corners / 2 + shape->face_count, 2);
    nb_shape_integrals(shape, &volume, centre, inertia);
    assert_true(volume > 0);
    const double tiny = 1e-9 * cbrt(volume);
    for (int face = 0; face < shape->face_count; ++face) {
        const int *corner = shape->face_vertex + shape->face_start[face];
        const int count = shape->face_start[face + 1] - shape->face_start[face];
        double normal[3] = {0};
        for (int k = 0; k < count; ++k) {
            double cross[3];
            nb_cross3(shape->vertex + 3 * corner[k], shape->vertex + 3 * corner[(k + 1) % count],
                      cross);
            nb_add_scaled3(normal, 1, cross, normal);
        }
        nb_normalise3(normal);
        const double offset = nb_dot3(normal, shape->vertex + 3 * corner[0]);
        assert_true(nb_dot3(normal, centre) < offset);
        for (int i = 0; i < shape->vertex_count; ++i)
            assert_true(nb_dot3(normal, shape->vertex + 3 * i) < offset + tiny);
        for (int k = 0; k < count; ++k)
            assert_near(nb_dot3(normal, shape->vertex + 3 * corner[k]), offset, tiny);
    }
}

TEST(shapes_are_closed_and_convex)
{
    const struct nb_scene *const *scenes = nb_scenes();
    for (int i = 0; scenes[i]; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, scenes[i]->name, NULL);
        for (int k = 0; k < problem.shape_count; ++k)
            if (problem.shapes[k].kind == NB_SHAPE_CONVEX)
                assert_closed_convex(&problem.shapes[k]);
    }
}

TEST(settings_are_refused_with_the_allowed)
{
    assert_scene_refused("heavystack", "count=3", "nearest: heavy_stack");
    assert_scene_refused("heavy_stack", "sides=3", "known: count, ratio, mass");
    assert_scene_refused("heavy_stack", "coun=3", "nearest: count");
    assert_scene_refused("heavy_stack", "", "known: count");
    assert_scene_refused("heavy_stack", "=3", "known: count");
    assert_scene_refused("heavy_stack", "count", "expected count=number, 1 to 10000");
    assert_scene_refused("heavy_stack", "count=", "expected count=number");
    assert_scene_refused("heavy_stack", "count=10001", "count = 10001 is outside 1 to 10000");
    assert_scene_refused("heavy_stack", "count=30", "1e-9 to 1e12");
    assert_scene_refused("heavy_stack", "count=2.5", "whole number");
    assert_scene_refused("heavy_stack", "time_step=0", "outside 1e-06 to 0.1 s");
    const char *numbers[] = {"nan", "inf", "-inf", "0x3", "3 ", " 3", "3,5", "1e999", "--3", "3e"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        char setting[64];
        snprintf(setting, sizeof setting, "ratio=%s", numbers[i]);
        assert_scene_refused("heavy_stack", setting, "expected ratio=number, 0.01 to 100");
    }
    assert_scene_refused("arch", "rise=50", "joints cross");
}

TEST(a_setting_counts_once)
{
    const char *settings[] = {"count=3", "count=3"}, *three[] = {"count=3", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    assert_refused(nb_scene_create("heavy_stack", 2, settings, &problem, &why), NB_BAD_INPUT, "count is set twice");
    test_scene(&problem, "heavy_stack", three);
    assert_int_equal(problem.bodies.count, 3);
    assert_true(problem.parameters[0].value == 3);
}

TEST(heavy_stack_has_the_printed_masses)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double mass = 8, side = 0.2, bottom = 0;
    test_scene(&problem, "heavy_stack", NULL);
    assert_int_equal(problem.bodies.count, 5);
    assert_int_equal(problem.contacts.count, 20);
    assert_true(problem.time_step == 0.0083);
    assert_true(problem.gravity[2] == -9.81);
    for (int i = 0; i < 5; ++i, mass *= 8, side *= 2) {
        const double *inertia = problem.bodies.inertia + 9 * i;
        assert_near(problem.bodies.mass[i], mass, 1e-14 * mass);
        assert_near(problem.bodies.position[3 * i + 2], bottom + side / 2, 1e-14);
        for (int k = 0; k < 9; ++k) /* m s^2 / 6 */
            assert_near(inertia[k], k % 4 ? 0 : mass * side * side / 6, 1e-13 * mass);
        bottom += side;
    }
    for (int i = 0; i < 20; ++i)
        assert_true(problem.contacts.friction[i] == 0.5);
}

/* A prism that is a box gives the box's formulas, wherever it is. */
TEST(integrals_of_a_box)
{
    const double a = 0.7, b = 1.3, c = 2.1, x = 5, z = -3;
    const double corners[8] = {x, z, x + a, z, x + a, z + c, x, z + c};
    struct nb_shape shape = {0};
    OWNS(nb_problem_free) struct nb_problem owner = {.shape_count = 1};
    double volume, centre[3], inertia[9];
    assert_ok(nb_shape_prism(&shape, corners, b, 3, &why));
    nb_shape_integrals(&shape, &volume, centre, inertia);
    assert_near(volume, a * b * c, 1e-13);
    assert_near(centre[0], x + a / 2, 1e-13);
    assert_near(centre[1], 0, 1e-13);
    assert_near(centre[2], z + c / 2, 1e-13);
    const double squares[3] = {b * b + c * c, a * a + c * c, a * a + b * b};
    for (int k = 0; k < 9; ++k)
        assert_near(inertia[k], k % 4 ? 0 : volume / 12 * squares[k / 4], 1e-12);
    owner.shapes = malloc(sizeof shape);
    assert_non_null(owner.shapes);
    owner.shapes[0] = shape;
}

/* Against a sum over many small cells: area, centroid and second moments of a trapezium times the
 * depth. */
TEST(integrals_of_a_wedge)
{
    const double depth = 0.5, corners[8] = {0, 0, 1, 0, 0.7, 0.8, 0.2, 0.8};
    enum { cells = 2000 };
    struct nb_problem owner = {.shape_count = 1};
    double volume, centre[3], inertia[9], area = 0, moment[2] = {0}, second[3] = {0};
    owner.shapes = calloc(1, sizeof *owner.shapes);
    assert_non_null(owner.shapes);
    assert_ok(nb_shape_prism(owner.shapes, corners, depth, 1, &why));
    nb_shape_integrals(owner.shapes, &volume, centre, inertia);
    for (int i = 0; i < cells; ++i) { /* strips along x; exact in x, midpoint rule in z */
        const double z = 0.8 * (i + 0.5) / cells, left = z / 4, right = 1 - z * 3 / 8;
        const double strip = 0.8 / cells * (right - left), middle = (left + right) / 2;
        area += strip;
        moment[0] += strip * middle;
        moment[1] += strip * z;
        second[0] += strip * (middle * middle + (right - left) * (right - left) / 12);
        second[1] += strip * middle * z;
        second[2] += strip * z * z;
    }
    const double x = moment[0] / area, z = moment[1] / area, y_square = depth * depth / 12;
    assert_near(volume, area * depth, 1e-7);
    assert_near(centre[0], x, 1e-6);
    assert_near(centre[2], z, 1e-6);
    const double xx = second[0] / area - x * x, xz = second[1] / area - x * z,
                 zz = second[2] / area - z * z;
    assert_near(inertia[0], volume * (y_square + zz), 1e-6);
    assert_near(inertia[4], volume * (xx + zz), 1e-6);
    assert_near(inertia[8], volume * (xx + y_square), 1e-6);
    assert_near(inertia[2], -volume * xz, 1e-6);
    assert_near(inertia[2], inertia[6], 0);
    nb_problem_free(&owner);
}

TEST(scenes_grow)
{
    const char *large[] = {"count=60", NULL}, *plain[] = {"edge_points=0", NULL}, *rich[] = {"edge_points=2", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "arch", large);
    assert_int_equal(problem.contacts.count, 61 * 6);
    nb_problem_free(&problem);
    test_scene(&problem, "arch", plain);
    assert_int_equal(problem.contacts.count, 21 * 4);
    nb_problem_free(&problem);
    test_scene(&problem, "arch", rich);
    assert_int_equal(problem.contacts.count, 21 * 8);
    nb_problem_free(&problem);
    test_scene(&problem, "box_on_plane", large);
    assert_int_equal(problem.contacts.count, 60 * 4);
}

TEST(the_incline_is_tilted)
{
    const char *settings[] = {"angle=30", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "incline", settings);
    assert_int_equal(problem.contacts.count, 4);
    for (int i = 0; i < 4; ++i) {
        assert_near(problem.contacts.frame[9 * i], sin(M_PI / 6), 1e-14);
        assert_near(problem.contacts.frame[9 * i + 2], cos(M_PI / 6), 1e-14);
    }
    problem.bodies.velocity[0] = cos(M_PI / 6); /* down the slope */
    problem.bodies.velocity[2] = -sin(M_PI / 6);
    assert_near(nb_scene_find("incline")->observe(&problem), 1, 1e-14);
}
