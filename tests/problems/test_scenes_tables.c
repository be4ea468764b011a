/* The pile of tables: compound inertia, the start without overlap, the pile at rest, chance. */
#include "tests/support/near.h"
#include "tests/support/rest.h"

#include "problems/base/vec3.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"

enum { PARTS = 5 };

TEST(the_pile_has_the_printed_numbers)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "table_pile", NULL);
    assert_int_equal(problem.bodies.count, 54);
    assert_int_equal(problem.shape_count, 54 * PARTS + 1);
    for (int i = 0; i < 54; ++i)
        assert_true(problem.bodies.mass[i] == 4.7);
    for (int i = 0; i < problem.contacts.count; ++i)
        assert_true(problem.contacts.friction[i] == 0.7);
}

/* Against the volume integrals of the five shapes: the centre of mass is the body's origin, and the
 * tensors add up by Steiner's theorem. */
TEST(the_inertia_is_that_of_the_parts)
{
    const char *settings[] = {"base=1", "layers=1", "width=0.8", "depth=0.5", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    double total = 0, first[3] = {0}, inertia[9] = {0};
    test_scene(&problem, "table_pile", settings);
    for (int i = 1; i <= PARTS; ++i) {
        const struct nb_shape *shape = &problem.shapes[i];
        double volume, centre[3], part[9], d[3];
        nb_shape_integrals(shape, &volume, centre, part);
        for (int k = 0; k < 3; ++k)
            d[k] = centre[k] + shape->position[k];
        total += volume;
        nb_add_scaled3(first, volume, d, first);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                inertia[3 * r + c] += part[3 * r + c] +
                                      volume * ((r == c ? nb_dot3(d, d) : 0) - d[r] * d[c]);
    }
    for (int k = 0; k < 3; ++k)
        assert_near(first[k] / total, 0, 1e-15);
    for (int k = 0; k < 9; ++k)
        assert_near(problem.bodies.inertia[k], 4.7 / total * inertia[k], 1e-14);
}

/* No two tables overlap at the start, whatever the chance. */
TEST(the_start_is_apart)
{
    static const char *const chance[][2] = {{"seed=1", "angle=30"}, {"seed=2", "gap=0.5"},
                                            {"seed=12345", "offset=0.2"}, {"seed=1", "margin=0.05"}};
    for (int s = 0; s < 4; ++s) {
        const char *settings[] = {chance[s][0], chance[s][1], NULL};
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        test_scene(&problem, "table_pile", settings);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        for (int i = 0; i < problem.contacts.count; ++i)
            assert_true(linear.linear.contact_velocity[3 * i] > 0);
    }
}

/* Five tables: 16 contacts each once the upper one stands on the four below. */
TEST(a_small_pile_settles)
{
    const char *settings[] = {"base=2", "layers=2", NULL};
    const struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "table_pile", settings);
    const struct rest rest = rest_run(&problem, 25, &options);
    print_message("energy %+.1e J, kinetic %.1e J, weight error %.1e, penetration %.1e m\n",
                  rest.most_energy, rest.kinetic, rest.ground_force / rest.weight - 1,
                  rest.penetration);
    assert_int_equal(problem.contacts.count, 5 * 16);
    assert_near(rest.weight, 5 * 4.7 * 9.81, 1e-9);
    assert_near(rest.ground_force, rest.weight, 1e-6 * rest.weight);
    assert_true(rest.kinetic < 1e-9);
    assert_true(rest.most_energy < 1e-3 * rest.weight * 0.4);
}

TEST(chance_is_the_seed)
{
    const char *one[] = {"seed=7", NULL}, *other[] = {"seed=8", NULL};
    OWNS(nb_problem_free) struct nb_problem a, b, c;
    test_scene(&a, "table_pile", one);
    test_scene(&b, "table_pile", one);
    test_scene(&c, "table_pile", other);
    assert_memory_equal(a.bodies.position, b.bodies.position, 54 * 3 * sizeof(double));
    assert_memory_equal(a.bodies.orientation, b.bodies.orientation, 54 * 4 * sizeof(double));
    assert_true(memcmp(a.bodies.position, c.bodies.position, 54 * 3 * sizeof(double)) != 0);
}

TEST(impossible_tables_are_refused)
{
    static const char *const settings[][2] = {{"layers=6", "more than base = 5"},
                                              {"thickness=0.2", "at most a third"},
                                              {"mass=0", "0.001 to 1e+06 kg"},
                                              {"seed=0.5", "whole number"}};
    for (int i = 0; i < 4; ++i) {
        struct nb_error error = {""};
        struct nb_problem problem;
        assert_int_equal(nb_scene_create("table_pile", 1, settings[i], &problem, &error),
                         NB_BAD_INPUT);
        if (!strstr(error.text, settings[i][1]))
            fail_msg("%s: %s", settings[i][0], error.text);
    }
}

/* Dropped tables lie anyhow: no two overlap as they start, each seed turns them otherwise, and as many are there. */
TEST(dropped_tables_are_turned_by_chance_and_do_not_overlap)
{
    static const char *const first[] = {"disorder=1", NULL}, *const second[] = {"disorder=1", "seed=2", NULL};
    OWNS(nb_problem_free) struct nb_problem a, b, regular;
    double upright = 0, differ = 0;
    test_scene(&a, "table_pile", first);
    test_scene(&b, "table_pile", second);
    test_scene(&regular, "table_pile", NULL);
    assert_int_equal(a.bodies.count, regular.bodies.count);
    for (int i = 0; i < nb_problem_contacts(&a); ++i)
        assert_true(nb_contact_gap(&a, i) >= 0);
    for (int i = 0; i < a.bodies.count; ++i) {
        const double *q = a.bodies.orientation + 4 * i;
        upright += fabs(1 - 2 * (q[1] * q[1] + q[2] * q[2])) > 0.99;
        for (int k = 0; k < 4; ++k)
            differ = fmax(differ, fabs(q[k] - b.bodies.orientation[4 * i + k]));
    }
    assert_true(upright < a.bodies.count / 4 && differ > 0.1);
}
