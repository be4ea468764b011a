/* Contacts found anew at a step's end: a ball that slides over another ends on it, where the plane of the start leaves
 * it beside it by Pythagoras, and what is pushed away is not forgotten. */
#include "harness/simulate/refine.h"

#include "harness/simulate/simulate.h"
#include "problems/base/vec3.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/step.h"
#include "tests/support/near.h"
#include "tests/support/support.h"

static const double radius = 0.3, speed = 2, time_step = 0.05;

/* A ball on top of a larger one, without friction or weight: it slides off at that speed. */
static void make_balls(struct nb_problem *problem, double vertical)
{
    const double top[3] = {0, 0, 1 + radius};
    struct nb_error error;
    *problem = (struct nb_problem){.time_step = time_step};
    assert_int_equal(nb_scene_allocate(problem, 1, 2, &error), NB_OK);
    problem->shapes[0].kind = NB_SHAPE_SPHERE;
    problem->shapes[0].radius = 1;
    nb_scene_make_sphere(problem, 0, &problem->shapes[1], radius, 1, top);
    problem->bodies.velocity[0] = speed;
    problem->bodies.velocity[2] = vertical;
}

/* The gap after one step. */
static double gap_after(int refine, double vertical)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = nb_options_default();
    struct nb_error error;
    options.refine = refine;
    make_balls(&problem, vertical);
    if (nb_simulate(&problem, 1, &options, NULL, NULL, &error))
        fail_msg("%s", error.text);
    return nb_norm3(problem.bodies.position) - 1 - radius;
}

/* At the start the normal is vertical: the ball moves along the tangent, and ends above the other by the square of its
 * way over twice the distance of their middles. The plane of the end goes through the nearest points: with the distance
 * D and the way l the ball goes down as far as it would freely, or ends on that plane. */
TEST(a_ball_that_slides_over_another_ends_on_it)
{
    const double distance = 1 + radius, way = speed * time_step;
    assert_near(gap_after(0, -1), sqrt(distance * distance + way * way) - distance, 1e-12);
    double before = gap_after(0, -1);
    for (int refine = 1; refine <= 3; ++refine) {
        const double gap = gap_after(refine, -1);
        print_message("refined %d times: %g m, before %g m\n", refine, gap, before);
        assert_true(fabs(gap) < before / 50 || fabs(gap) < 1e-12);
        before = fabs(gap);
    }
    assert_near(gap_after(20, -1), 0, 1e-12);
}

/* One solve a step where contacts stay, as in free flight; else one more for each time that others are found. */
TEST(each_solve_of_a_step_is_counted)
{
    for (int refine = 0; refine <= 2; ++refine)
        for (int flies = 0; flies < 2; ++flies) {
            OWNS(nb_problem_free) struct nb_problem problem;
            struct nb_simulation_cost cost = {0};
            struct nb_options options = nb_options_default();
            options.refine = refine;
            make_balls(&problem, flies ? 1 : -1);
            assert_int_equal(nb_simulate_counted(&problem, 1, &options, NULL, NULL, &cost, NULL), NB_OK);
            assert_int_equal(cost.solves, flies ? 1 : 1 + refine);
            assert_true(flies || cost.iterations >= cost.solves);
        }
}

/* In free flight and at rest on a plane contacts of the end change nothing. */
TEST(what_has_no_other_contacts_at_its_end_moves_as_without)
{
    static const char *const settings[] = {"count=2", NULL};
    double height[2];
    assert_near(gap_after(4, 1), gap_after(0, 1), 1e-15);
    for (int k = 0; k < 2; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_options options = nb_options_default();
        options.refine = 3 * k;
        test_scene(&problem, "box_on_plane", settings);
        assert_int_equal(nb_simulate(&problem, 5, &options, NULL, NULL, NULL), NB_OK);
        height[k] = problem.bodies.position[2];
    }
    assert_near(height[1], height[0], 1e-12);
}

/* Contacts that the end of the step lacks are kept: the ball flies away from the other. */
TEST(a_pair_that_parts_keeps_its_contacts)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const double away[6] = {0, 0, 10, 0, 0, 0}, along[6] = {speed, 0, 0, 0, 0, 0}, still[6] = {0};
    int changed;
    make_balls(&problem, 0);
    assert_int_equal(nb_step_prepare(&problem, NULL), NB_OK);
    assert_int_equal(problem.contacts.count, 1);
    assert_int_equal(nb_refine_contacts(&problem, away, &changed, NULL), NB_OK);
    assert_int_equal(problem.contacts.count, 1);
    assert_int_equal(changed, 0);
    assert_int_equal(nb_refine_contacts(&problem, still, &changed, NULL), NB_OK);
    assert_int_equal(changed, 0);
    assert_int_equal(nb_refine_contacts(&problem, along, &changed, NULL), NB_OK);
    assert_int_equal(problem.contacts.count, 1);
    assert_int_equal(changed, 1);
    assert_near(problem.contacts.frame[0], speed * time_step / hypot(1 + radius, speed * time_step), 1e-12);
}
