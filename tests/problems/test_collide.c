/* Contact manifolds whose number and positions are known by hand. */
#include <float.h>

#include "tests/support/near.h"

#include "problems/scene.h"
#include "tests/support/boxes.h"

/* Some contact has its points on both sides over (x, y). */
static void assert_contact_at(const struct nb_problem *problem, double x, double y)
{
    for (int i = 0; i < problem->contacts.count; ++i) {
        double a[3], b[3];
        world_point(problem, i, 0, a);
        world_point(problem, i, 1, b);
        if (hypot(a[0] - x, a[1] - y) < 1e-9 && hypot(b[0] - x, b[1] - y) < 1e-9)
            return;
    }
    fail_msg("no contact at (%g, %g)", x, y);
}

static void assert_gaps(const struct nb_problem *problem, double gap)
{
    for (int i = 0; i < problem->contacts.count; ++i)
        assert_near(gap_of(problem, i), gap, 1e-12);
}

TEST(box_on_plane_touches_with_four_corners)
{
    const double gaps[] = {0, 0.0099, -0.5, -0.02};
    for (int i = 0; i < 4; ++i) {
        const struct box box = {{2, 1, 1}, {5, 0, 0.5 + gaps[i]}, {0}};
        OWNS(nb_problem_free) struct nb_problem problem;
        make_boxes(&problem, 1, &box, 1);
        collide(&problem, 4);
        assert_gaps(&problem, gaps[i]);
        assert_contact_at(&problem, 4, -0.5);
        assert_contact_at(&problem, 6, 0.5);
        assert_near(problem.contacts.frame[2], 1, 1e-15);
        assert_int_equal(problem.contacts.body[0], 0);
        assert_int_equal(problem.contacts.body[1], -1);
    }
}

TEST(beyond_the_margin_is_no_contact)
{
    const struct box above_plane = {{1, 1, 1}, {0, 0, 0.5101}, {0}};
    const struct box apart[2] = {{{1, 1, 1}, {0, 0, 0}, {0}}, {{1, 1, 1}, {0, 0, 1.0101}, {0}}};
    const struct box near[2] = {{{1, 1, 1}, {0, 0, 0}, {0}}, {{1, 1, 1}, {0, 0, 1.0099}, {0}}};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 1, &above_plane, 1);
    collide(&problem, 0);
    nb_problem_free(&problem);
    make_boxes(&problem, 2, apart, 0);
    collide(&problem, 0);
    nb_problem_free(&problem);
    make_boxes(&problem, 2, near, 0);
    collide(&problem, 4);
    assert_gaps(&problem, 0.0099);
}

TEST(tilted_box_touches_with_one_edge)
{
    /* Turned about y by 0.1: the edge at +x goes down, the other rises by sin(0.1). */
    const double low = 0.5 * (cos(0.1) + sin(0.1));
    const struct box box = {{1, 1, 1}, {0, 0, low}, {0, 0.1, 0}};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 1, &box, 1);
    collide(&problem, 2);
    assert_gaps(&problem, 0);
}

TEST(equal_boxes_share_four_corners)
{
    const struct box box[2] = {{{1, 1, 1}, {0, 0, 0}, {0}}, {{1, 1, 1}, {0, 0, 1}, {0}}};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 2, box, 0);
    collide(&problem, 4);
    assert_gaps(&problem, 0);
    for (int i = 0; i < 4; ++i)
        assert_contact_at(&problem, i % 2 - 0.5, i / 2 - 0.5);
    assert_near(problem.contacts.frame[2], -1, 1e-15); /* from b, above, to a */
    assert_true(problem.contacts.friction[0] == 0.2);         /* the larger of 0.1 and 0.2 */
}

TEST(offset_boxes_touch_where_they_overlap)
{
    const struct box box[2] = {{{1, 1, 1}, {0, 0, 0}, {0}}, {{1, 1, 1}, {0.6, 0.3, 1.005}, {0}}};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 2, box, 0);
    collide(&problem, 4);
    assert_gaps(&problem, 0.005);
    assert_contact_at(&problem, 0.1, -0.2);
    assert_contact_at(&problem, 0.5, -0.2);
    assert_contact_at(&problem, 0.1, 0.5);
    assert_contact_at(&problem, 0.5, 0.5);
}

TEST(turned_box_touches_with_an_octagon)
{
    const struct box box[2] = {{{2, 2, 1}, {0, 0, 0}, {0}}, {{2, 2, 1}, {0, 0, 1}, {0, 0, M_PI_4}}};
    const double t = sqrt(2) - 1;
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 2, box, 0);
    collide(&problem, 8);
    for (int i = 0; i < 4; ++i) {
        const double s = i % 2 ? -1 : 1, r = i / 2 ? -1 : 1;
        assert_contact_at(&problem, s, r * t);
        assert_contact_at(&problem, r * t, s);
    }
}

TEST(small_turned_box_touches_with_its_corners)
{
    const struct box box[2] = {{{1, 1, 1}, {0, 0, 1}, {0, 0, M_PI_4}}, {{2, 2, 1}, {0, 0, 0}, {0}}};
    const double r = sqrt(0.5);
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 2, box, 0);
    collide(&problem, 4);
    assert_contact_at(&problem, r, 0);
    assert_contact_at(&problem, -r, 0);
    assert_contact_at(&problem, 0, r);
    assert_contact_at(&problem, 0, -r);
}

TEST(crossing_edges_touch_once)
{
    /* Ridges along x below and along y above, 0.004 apart. */
    const double height = sqrt(2) * 1 + 0.004;
    const struct box box[2] = {{{2, 1, 1}, {0, 0.3, 0}, {M_PI_4, 0, 0}},
                               {{1, 2, 1}, {0.2, 0, height}, {0, M_PI_4, 0}}};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 2, box, 0);
    collide(&problem, 1);
    assert_contact_at(&problem, 0.2, 0.3);
    assert_gaps(&problem, 0.004);
    assert_near(problem.contacts.frame[2], -1, 1e-14);
}

TEST(corner_on_a_face_touches_once)
{
    const double turn = acos(1 / sqrt(3)) / sqrt(2); /* stands on the corner (-,-,-) */
    const struct box box[2] = {{{4, 4, 1}, {0, 0, 0}, {0}},
                               {{1, 1, 1}, {0, 0, 0.5 + sqrt(0.75)}, {turn, -turn, 0}}};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 2, box, 0);
    collide(&problem, 1);
    assert_contact_at(&problem, 0, 0);
    assert_gaps(&problem, 0);
}

static void swap_boxes(struct box *box)
{
    const struct box first = box[0];
    box[0] = box[1];
    box[1] = first;
}

/* The same contacts with sides exchanged and normals turned round. */
TEST(swapping_bodies_turns_normals)
{
    struct box cases[][2] = {
        {{{1, 1, 1}, {0, 0, 0}, {0}}, {{1, 1, 1}, {0, 0, 1}, {0}}},
        {{{1, 1, 1}, {0, 0, 0}, {0}}, {{2, 1, 1}, {0.6, 0.3, 1.005}, {0, 0, 0.5}}},
        {{{2, 1, 1}, {0, 0.3, 0}, {M_PI_4, 0, 0}},
         {{1, 2, 1}, {0.2, 0, sqrt(2) + 0.004}, {0, M_PI_4, 0}}},
        {{{1, 1, 1}, {0, 0, 0}, {0.1, 0, 0}}, {{1, 1, 1}, {0, 0, 1.05}, {0, 0.05, 0.2}}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        OWNS(nb_problem_free) struct nb_problem one, other;
        make_boxes(&one, 2, cases[c], 0);
        collide(&one, -1);
        swap_boxes(cases[c]);
        make_boxes(&other, 2, cases[c], 0);
        collide(&other, one.contacts.count);
        assert_true(one.contacts.count > 0);
        for (int i = 0; i < one.contacts.count; ++i) {
            double a[3], b[3], best = DBL_MAX;
            world_point(&one, i, 0, a);
            for (int j = 0; j < other.contacts.count; ++j) {
                double difference[3];
                world_point(&other, j, 1, b);
                nb_subtract3(a, b, difference);
                best = fmin(best, nb_norm3(difference));
            }
            assert_true(best < 1e-9);
            for (int k = 0; k < 3; ++k)
                assert_near(one.contacts.frame[9 * i + k], -other.contacts.frame[k], 1e-12);
        }
    }
}

TEST(same_body_and_the_world_do_not_collide)
{
    const struct box box[2] = {{{1, 1, 1}, {0, 0, 0}, {0}}, {{1, 1, 1}, {0, 0, 0.5}, {0}}};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 2, box, 1);
    problem.shapes[0].body = problem.shapes[1].body = -1;
    collide(&problem, 0);
    problem.shapes[0].body = problem.shapes[1].body = 1;
    collide(&problem, -1);
    for (int i = 0; i < problem.contacts.count; ++i)
        assert_int_equal(problem.contacts.body[2 * i + 1], -1);
}

TEST(arch_joints_keep_their_collinear_points)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    assert_ok(nb_scene_create("arch", 0, NULL, &problem, &why));
    collide(&problem, 21 * 6);
    assert_gaps(&problem, 0);
    int middle = 0;
    for (int i = 0; i < problem.contacts.count; ++i) {
        double point[3];
        world_point(&problem, i, 0, point);
        middle += fabs(point[1]) < 1e-12;
    }
    assert_int_equal(middle, 21 * 2);
}

/* Blocks that moved by far less than their size keep the same number of contacts. */
TEST(manifolds_survive_small_motion)
{
    const double sizes[] = {1e-12, 1e-9, 1e-7, 1e-5};
    for (int s = 0; s < 4; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        uint32_t seed = 7;
        assert_ok(nb_scene_create("arch", 0, NULL, &problem, &why));
        for (int i = 0; i < problem.bodies.count; ++i) {
            const double turn[3] = {sizes[s] * noise(&seed), sizes[s] * noise(&seed),
                                    sizes[s] * noise(&seed)};
            nb_quaternion_advance(problem.bodies.orientation + 4 * i, 1, turn);
            for (int k = 0; k < 3; ++k)
                problem.bodies.position[3 * i + k] += sizes[s] * noise(&seed);
        }
        collide(&problem, 21 * 6);
    }
}
