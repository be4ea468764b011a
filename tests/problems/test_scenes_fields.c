/* Scenes of distance fields: the rope on a drum holds as Euler's law says, what lies on a field is borne, and between
 * vertices nothing passes. */
#include "tests/support/judged.h"
#include "tests/support/support.h"

#include "tests/support/near.h"
#include "tests/support/refused.h"

#include "problems/collide/collide.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_field.h"
#include "solvers/solve.h"

static void run(struct nb_problem *problem, const char *scene, const char *const *settings, int steps)
{
    const struct nb_options options = nb_options_default();
    test_scene(problem, scene, settings);
    test_simulate(problem, steps, &options, NULL, NULL);
}

/* How far the heavier end of a light rope comes down in a second, round a drum with that ratio of loads. */
static double slip(double ratio, const char *friction, const char *segments)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    char load[32];
    snprintf(load, sizeof load, "ratio=%.6f", ratio);
    const char *const settings[] = {load, friction, segments, "density=1e-4", "time_step=0.02", NULL};
    test_scene(&problem, "spool_rope", settings);
    const double before = problem.particles.position[2];
    nb_problem_free(&problem);
    run(&problem, "spool_rope", settings, 50);
    return before - problem.particles.position[2];
}

/* exp(asinh(mu sin d)) a segment, which turns by d = 2 atan(l/2(R + r)), pi/d of them; what its ends take part in is
 * less than a segment's share. */
TEST(a_rope_on_a_drum_holds_up_to_the_ratio_of_its_segments)
{
    static const struct {
        const char *friction, *segments;
        double mu, length;
    } ropes[] = {{"friction=0.3", "segments=32", 0.3, 0.8 / 32}, {"friction=0.2", "segments=40", 0.2, 0.8 / 40}};
    for (int i = 0; i < 2; ++i) {
        const double turn = 2 * atan(ropes[i].length / (2 * 0.105)), each = exp(asinh(ropes[i].mu * sin(turn)));
        const double ratio = pow(each, M_PI / turn);
        assert_near(ratio / exp(M_PI * ropes[i].mu), 1, 0.02);
        assert_true(fabs(slip(ratio / each, ropes[i].friction, ropes[i].segments)) < 1e-3);
        assert_true(slip(ratio * each, ropes[i].friction, ropes[i].segments) > 5e-3);
    }
}

struct borne {
    double force; /* upwards, of all contacts, in the last step [N] */
};

static int weigh(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    struct borne *borne = context;
    (void)u;
    borne->force = 0;
    const double *contact = lambda + nb_problem_bilaterals(problem);
    for (int i = 0; i < 3 * problem->contacts.count; ++i)
        borne->force += contact[i] * problem->contacts.frame[3 * i + 2];
    return 0;
}

/* A cloth at rest on a cylinder, in closed form and as a grid, and ropes over two flanges. */
TEST(a_field_bears_what_lies_on_it)
{
    static const char *const round[] = {"field=4", "cells=6", "offset=0", "friction=1", "time_step=0.05", NULL};
    static const char *const grid[] = {"field=4", "cells=6", "offset=0", "friction=1", "time_step=0.05", "grid=30",
                                       NULL};
    static const char *const rope[] = {"along=1", "segments=16", "friction=1", "time_step=0.05", "ratio=1", NULL};
    const char *const *settings[] = {round, grid, rope};
    for (int k = 0; k < 3; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        const struct nb_options options = nb_options_default();
        struct borne borne = {0};
        double mass = 0;
        test_scene(&problem, k < 2 ? "draped_cloth" : "spool_rope", settings[k]);
        for (int i = 0; i < problem.particles.count; ++i)
            mass += problem.particles.mass[i];
        test_simulate(&problem, 200, &options, weigh, &borne);
        print_message("%s: %g of %g N\n", problem.name, borne.force, mass * 9.81);
        assert_near(borne.force / (mass * 9.81), 1, 0.02);
    }
}

/* The apex is under the middle of a face, and the rims of the flanges are under the middles of segments: only a search
 * within them finds it. */
TEST(between_vertices_nothing_passes_that_is_searched_for)
{
    static const char *const scenes[] = {"draped_cloth", "spool_rope"};
    static const char *const searches[] = {"search=0", "search=2", "search=3"};
    for (int s = 0; s < 2; ++s)
        for (int k = 0; k < 3; ++k) {
            OWNS(nb_problem_free) struct nb_problem problem;
            const char *const settings[] = {searches[k], s ? "along=1" : "cells=8", s ? "segments=10" : "friction=1",
                                            s ? "ratio=1" : "gap=0.02", NULL};
            run(&problem, scenes[s], settings, 80);
            const double depth = nb_scene_depth_in_fields(&problem);
            print_message("%s %s: %g m\n", scenes[s], searches[k], depth);
            assert_true(k == 0 ? depth > 5e-4 : depth < 1e-4);
        }
}

/* What is counted: of two tori apart nothing is near; of two that touch few triangles, and every contact. */
TEST(culling_counts_rigid_meshes)
{
    static const double size[] = {1, 0.35};
    for (int k = 0; k < 2; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem = {.time_step = 0.01};
        struct nb_culling found;
        assert_ok(nb_scene_allocate(&problem, 2, 2, &why));
        for (int i = 0; i < 2; ++i) {
            assert_ok(nb_shape_field(&problem.shapes[i], NB_DISTANCE_TORUS, size, 16, &why));
            problem.shapes[i].body = i;
            problem.bodies.mass[i] = 1;
            problem.bodies.orientation[4 * i] = 1;
        }
        problem.bodies.position[5] = k ? 0.699 : 10;
        assert_ok(nb_collide_counted(&problem, 0.005, NULL, &found, &why));
        const int faces = nb_culling_faces(&problem);
        print_message("%d faces, %d, %d near, %d contacts\n", faces, found.faces, found.near, found.contacts);
        assert_true(faces > 0 && found.faces == (k ? faces : 0) && found.near < faces / 2);
        assert_true((found.near > 0) == (k > 0) && (found.contacts > 0) == (k > 0));
        assert_int_equal(found.contacts, problem.contacts.count);
    }
}

TEST(impossible_fields_are_refused)
{
    assert_scene_refused("spool_rope", "drum=0.2", "must be below flange");
    assert_scene_refused("spool_rope", "ropes=50", "there are 0.3 m");
    assert_scene_refused("draped_cloth", "field=7", "0 to 6");
    assert_scene_refused("draped_cloth", "search=1001", "0 to 1000");
}

/* Of every scene that has a search, also where nothing is near or there is no field yet. */
TEST(a_search_that_no_method_has_is_refused_with_those_that_there_are)
{
    static const char known[] = "has the number 9, allowed: 0 corners, 1 projected_gradient, 2 frank_wolfe, "
                                "3 golden_section, 4 sampling";
    static const char *const scenes[] = {"draped_cloth", "spool_rope", "net"};
    for (int i = 0; i < 3; ++i)
        assert_scene_refused(scenes[i], "search=9", known);
    static const char *const settings[] = {"fields=1", "search=77"};
    struct nb_problem problem;
    assert_int_equal(nb_scene_create("net", 2, settings, &problem, &why), NB_BAD_INPUT);
    assert_non_null(strstr(why.text, "has the number 77, allowed"));
}

/* The cone is 0.1236 m deep, the spool's flanges 0.05 m: half the diagonal of a cell is less from there on. Of fewer
 * cells a grid of a torus has no node inside, and so no body. */
TEST(a_grid_of_too_few_cells_is_refused_with_the_range)
{
    static const double torus[] = {0.2, 0.2 / 3};
    assert_scene_refused("draped_cloth", "grid=1", "allowed: 3 to 400");
    assert_scene_refused("draped_cloth", "grid=2", "allowed: 3 to 400");
    assert_scene_refused("draped_cloth", "grid=401", "0 to 400");
    assert_scene_refused("spool_rope", "grid=55", "allowed: 56 to 400");
    for (int cells = 1; cells < 12; ++cells) {
        struct nb_shape shape = {0};
        assert_ok(nb_shape_field(&shape, NB_DISTANCE_TORUS, torus, 16, &why));
        const enum nb_status status = nb_shape_grid(&shape, cells, &why);
        assert_int_equal(status, cells < 7 ? NB_BAD_INPUT : NB_OK);
        const int nodes = status ? 0 : shape.field.nodes[0] * shape.field.nodes[1] * shape.field.nodes[2];
        double deepest = 0;
        for (int i = 0; i < nodes; ++i)
            deepest = fmin(deepest, shape.field.value[i]);
        assert_true(status || deepest < 0);
        nb_shape_free(&shape);
    }
}

/* A plate between two layers of nodes. */
TEST(a_mesh_in_which_no_node_lies_is_refused)
{
    static const double sides[2][3] = {{1, 1, 0.3}, {1, 1, 0.01}};
    for (int i = 0; i < 2; ++i) {
        struct nb_shape shape = {0};
        assert_ok(nb_shape_box(&shape, sides[i], &why));
        assert_int_equal(nb_shape_grid(&shape, 4, &why), i ? NB_BAD_INPUT : NB_OK);
        nb_shape_free(&shape);
    }
    assert_non_null(strstr(why.text, "4 cells of 0.25 m no node lies"));
}
