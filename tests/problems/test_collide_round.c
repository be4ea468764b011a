/* Contacts of spheres and capsules: by hand, and random ones against a search along the axis. */
#include <float.h>

#include "tests/support/near.h"

#include "tests/support/boxes.h"

/* A body of a test: a box where radius is 0, a sphere where half is 0, else a capsule. */
struct solid {
    double radius, half, sides[3], centre[3], turn[3];
};

static void make_solids(struct nb_problem *problem, int count, const struct solid *solid,
                        int with_plane)
{
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_ok(nb_scene_allocate(problem, count, count + with_plane, &why));
    for (int i = 0; i < count; ++i) {
        const struct solid *s = &solid[i];
        struct nb_shape *shape = &problem->shapes[i];
        if (s->radius == 0)
            assert_ok(nb_scene_make_box(problem, i, shape, s->sides, 1, s->centre, &why));
        else if (s->half == 0)
            nb_scene_make_sphere(problem, i, shape, s->radius, 1, s->centre);
        else
            nb_scene_make_capsule(problem, i, shape, s->radius, s->half, 1, s->centre);
        turn_body(problem->bodies.orientation + 4 * i, s->turn);
    }
    if (with_plane)
        problem->shapes[count].kind = NB_SHAPE_PLANE;
}

static void assert_contact(const struct nb_problem *problem, int index, const double *normal,
                           double gap, const double *on_a)
{
    double point[3];
    world_point(problem, index, 0, point);
    for (int k = 0; k < 3; ++k) {
        assert_near(problem->contacts.frame[9 * index + k], normal[k], 1e-12);
        assert_near(point[k], on_a[k], 1e-12);
    }
    assert_near(gap_of(problem, index), gap, 1e-12);
    assert_true(problem->contacts.thickness[index] == 0);
}

/* Two solids, or one and the plane z = 0, and their contacts: normal, gap and the point on side a. A normal of 0 is
 * not told, and then the point neither. */
struct known {
    const char *what;
    struct solid solid[2];
    int with_plane, contacts;
    struct {
        double normal[3], gap, on_a[3];
    } at[2];
};

#define BOX2 {0, 0, {2, 2, 2}, {0}, {0}}
#define LYING {0, M_PI / 2, 0}
#define CORNER (0.5 / sqrt(3))
#define RIDGE sqrt(0.5)

/* A ridge along y at height sqrt(2)/2. */
#define ROOF {0, 0, {1, 1, 1}, {0}, {0, M_PI / 4, 0}}

static const struct solid low_box = {0, 0, {1, 1, 1}, {0, 0, -0.5}, {0}};

TEST(known_contacts)
{
    const struct known cases[] = {
        {"spheres, apart", {{1, 0, {0}, {0.9054, 0.2, 1.2072}, {1, 2, 3}}, {0.5, 0, {0}, {0, 0.2, 0}, {0.4, 0, 0}}},
         0, 1, {{{0.6, 0, 0.8}, 0.009, {0.3054, 0.2, 0.4072}}}},
        {"spheres, touching", {{1, 0, {0}, {0.9, 0.2, 1.2}, {1, 2, 3}}, {0.5, 0, {0}, {0, 0.2, 0}, {0.4, 0, 0}}},
         0, 1, {{{0.6, 0, 0.8}, 0, {0.3, 0.2, 0.4}}}},
        {"spheres, overlapping", {{1, 0, {0}, {0.72, 0.2, 0.96}, {1, 2, 3}}, {0.5, 0, {0}, {0, 0.2, 0}, {0.4, 0, 0}}},
         0, 1, {{{0.6, 0, 0.8}, -0.3, {0.12, 0.2, 0.16}}}},
        {"spheres, beyond the margin", {{1, 0, {0}, {0, 0, 1.511}, {0}}, {0.5, 0, {0}, {0}, {0}}},
         0, 0, {{{0}, 0, {0}}}},
        {"spheres of one centre", {{1, 0, {0}, {0}, {0}}, {0.5, 0, {0}, {0}, {0}}}, 0, 1, {{{0}, -1.5, {0}}}},
        {"sphere on the plane", {{0.5, 0, {0}, {3, 4, 0.495}, {1, 0, 0}}}, 1, 1, {{{0, 0, 1}, -0.005, {3, 4, -0.005}}}},
        {"sphere over a face, as side b", {BOX2, {0.5, 0, {0}, {0.3, 1.505, 0.2}, {0}}},
         0, 1, {{{0, -1, 0}, 0.005, {0.3, 1, 0.2}}}},
        {"sphere at an edge", {{0.5, 0, {0}, {1.3, 1.4, 0.2}, {0}}, BOX2}, 0, 1, {{{0.6, 0.8, 0}, 0, {1, 1, 0.2}}}},
        {"sphere in a box, nearest to -y", {{0.5, 0, {0}, {0.1, -0.7, 0.2}, {0}}, BOX2},
         0, 1, {{{0, -1, 0}, -0.8, {0.1, -0.2, 0.2}}}},
        {"sphere at a corner", {{0.5, 0, {0}, {1 + CORNER, 1 + CORNER, 1 + CORNER}, {0}}, BOX2},
         0, 1, {{{2 * CORNER, 2 * CORNER, 2 * CORNER}, 0, {1, 1, 1}}}},
        {"capsule lying on the plane", {{0.2, 1, {0}, {0.5, 0, 0.2}, LYING}},
         1, 2, {{{0, 0, 1}, 0, {-0.5, 0, 0}}, {{0, 0, 1}, 0, {1.5, 0, 0}}}},
        {"capsule lying on a face from -0.5 to 0.5", {{0.2, 1, {0}, {0.5, 0, 0.2}, LYING}, low_box},
         0, 2, {{{0, 0, 1}, 0, {-0.5, 0, 0}}, {{0, 0, 1}, 0, {0.5, 0, 0}}}},
        {"the same, deep in it", {{0.2, 1, {0}, {0.5, 0, -0.1}, LYING}, low_box},
         0, 2, {{{0}, -0.3, {0}}, {{0}, -0.3, {0}}}},
        {"the same, beside it", {{0.2, 1, {0}, {5, 0, -0.1}, LYING}, low_box}, 0, 0, {{{0}, 0, {0}}}},
        {"capsules, parallel", {{0.2, 1, {0}, {0.505, 0, 0.5}, {0}}, {0.3, 1, {0}, {0}, {0}}},
         0, 2, {{{1, 0, 0}, 0.005, {0.305, 0, -0.5}}, {{1, 0, 0}, 0.005, {0.305, 0, 1}}}},
        {"capsules, crossing", {{0.2, 1, {0}, {0.504, 0.3, 0.1}, {0.5, 0, 0}}, {0.3, 1, {0}, {0}, {0}}},
         0, 1, {{{0}, 0.004, {0}}}},
        {"capsules, in line", {{0.2, 1, {0}, {0, 0, 2.5}, {0}}, {0.3, 1, {0}, {0}, {0}}},
         0, 1, {{{0, 0, 1}, 0, {0, 0, 1.3}}}},
        {"capsules whose axes z and y meet", {{1, 2, {0}, {0}, {0}}, {0.5, 2, {0}, {0}, {M_PI / 2, 0, 0}}},
         0, 1, {{{0}, -1.5, {0}}}},
        {"capsule across a ridge", {{0.2, 1, {0}, {0.3, 0.1, RIDGE + 0.203}, LYING}, ROOF},
         0, 1, {{{0, 0, 1}, 0.003, {0, 0.1, RIDGE + 0.003}}}},
        {"the same, its axis in the box", {{0.2, 1, {0}, {0.3, 0.1, RIDGE - 0.05}, LYING}, ROOF},
         0, 1, {{{0, 0, 1}, -0.25, {0, 0.1, RIDGE - 0.25}}}},
        {"capsule along the ridge", {{0.2, 1, {0}, {0, 0.1, RIDGE + 0.2}, {M_PI / 2, 0, 0}}, ROOF},
         0, 2, {{{0}, 0, {0}}, {{0}, 0, {0}}}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const struct known *known = &cases[c];
        OWNS(nb_problem_free) struct nb_problem problem;
        make_solids(&problem, known->with_plane ? 1 : 2, known->solid, known->with_plane);
        collide(&problem, -1);
        if (problem.contacts.count != known->contacts)
            fail_msg("%s: %d contacts", known->what, problem.contacts.count);
        for (int i = 0; i < known->contacts; ++i) {
            assert_near(gap_of(&problem, i), known->at[i].gap, 1e-12);
            if (nb_norm3(known->at[i].normal) > 0)
                assert_contact(&problem, i, known->at[i].normal, known->at[i].gap, known->at[i].on_a);
        }
        if (known->with_plane)
            assert_int_equal(problem.contacts.body[1], -1);
    }
}

/* Capsules that cross at a distance, or whose axes meet: the normal is across both. */
TEST(crossing_capsules_part_along_x)
{
    const struct solid pairs[2][2] = {{{0.2, 1, {0}, {0.504, 0.3, 0.1}, {0.5, 0, 0}}, {0.3, 1, {0}, {0}, {0}}},
                                      {{1, 2, {0}, {0}, {0}}, {0.5, 2, {0}, {0}, {M_PI / 2, 0, 0}}}};
    for (int i = 0; i < 2; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        make_solids(&problem, 2, pairs[i], 0);
        collide(&problem, 1);
        assert_near(fabs(problem.contacts.frame[0]), 1, 1e-12);
    }
}

/* Pairs that touch along a line keep two contacts when they move by far less than their size. */
TEST(lines_survive_small_motion)
{
    const double sizes[] = {0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4}, lying = M_PI / 2;
    const struct solid box = {0, 0, {1, 1, 1}, {0, 0, -0.5}, {0}};
    const struct solid cases[][2] = {
        {{0.2, 1, {0}, {0.3, 0, 0.2}, {0, lying, 0}}, box},        /* across one side */
        {{0.2, 1, {0}, {0, 0.2, 0.2}, {0, lying, 0}}, box},        /* across both sides */
        {{0.2, 0.3, {0}, {0, 0.2, 0.2}, {0, lying, 0}}, box},      /* within the face */
        {{0.2, 1, {0}, {0, 0.5, 0.2}, {0, lying, 0}}, box},        /* over an edge, along it */
        {{0.2, 1, {0}, {0, 0.5, 0.1}, {0, lying, 0}}, box},        /* the same, sunk in */
        {{0.2, 1, {0}, {0, 0.1, -0.05}, {0, lying, 0}}, box},      /* its axis inside */
        {{0.2, 1, {0}, {0.1, 0.1, 0.2}, {0.7, 1.1, 0}}, box},      /* askew, set flat below */
        {{0.2, 1, {0}, {0, 0, 0.5}, {0, lying, 0}}, {0.3, 0.7, {0}, {0.4, 0, 0}, {0, lying, 0}}},
    };
    uint32_t seed = 3;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        for (int s = 0; s < 60; ++s) {
            const double size = sizes[s % 6];
            OWNS(nb_problem_free) struct nb_problem problem;
            make_solids(&problem, 2, cases[c], 0);
            if (c == 6) { /* lying in the direction (1, 1, 0) */
                const double r = sqrt(0.5), axis[4] = {r, -r * r, r * r, 0};
                memcpy(problem.bodies.orientation, axis, sizeof axis);
            }
            const double turn[3] = {size * noise(&seed), size * noise(&seed), size * noise(&seed)};
            nb_quaternion_advance(problem.bodies.orientation, 1, turn);
            for (int k = 0; k < 3; ++k)
                problem.bodies.position[k] += size * noise(&seed);
            collide(&problem, -1);
            if (problem.contacts.count != 2)
                fail_msg("case %d, moved by %g: %d contacts", (int)c, size,
                         problem.contacts.count);
        }
}

/* Signed distance of a point from a box in the box's frame: below 0 inside. */
static double box_distance(const double *sides, const double *x)
{
    double outside = 0, inside = -DBL_MAX;
    for (int k = 0; k < 3; ++k) {
        const double beyond = fabs(x[k]) - sides[k] / 2;
        outside += beyond > 0 ? beyond * beyond : 0;
        inside = fmax(inside, beyond);
    }
    return inside > 0 ? sqrt(outside) : inside;
}

static double axis_distance(double half, const double *x)
{
    const double z = x[2] - fmin(fmax(x[2], -half), half);
    return sqrt(x[0] * x[0] + x[1] * x[1] + z * z);
}

/* Signed distance of a point from a solid's core (a box, or an axis) less its radius. */
static double core_distance(const struct nb_problem *problem, int body, const struct solid *solid,
                            const double *point)
{
    double matrix[9], arm[3], local[3];
    nb_quaternion_matrix(problem->bodies.orientation + 4 * body, matrix);
    nb_subtract3(point, problem->bodies.position + 3 * body, arm);
    nb_rotate_back(matrix, arm, local);
    return solid->radius > 0 ? axis_distance(solid->half, local) - solid->radius
                             : box_distance(solid->sides, local);
}

static double at_part(const struct nb_problem *problem, const struct solid *solid, double s)
{
    double matrix[9], point[3];
    nb_quaternion_matrix(problem->bodies.orientation, matrix);
    for (int k = 0; k < 3; ++k)
        point[k] = problem->bodies.position[k] + s * solid->half * matrix[3 * k + 2];
    return core_distance(problem, 1, &solid[1], point) - solid->radius;
}

/* Gap of solid 0, which is round, from solid 1: the distance from a convex set is convex along the
 * axis, so that a ternary search finds its minimum. */
static double searched_gap(const struct nb_problem *problem, const struct solid *solid)
{
    double low = -1, high = 1;
    for (int i = 0; i < 200; ++i) {
        const double third = (high - low) / 3;
        if (at_part(problem, solid, low + third) < at_part(problem, solid, high - third))
            high -= third;
        else
            low += third;
    }
    return at_part(problem, solid, (low + high) / 2);
}

static void random_solid(struct solid *solid, int kind, uint32_t *seed)
{
    *solid = (struct solid){0};
    if (kind != NB_SHAPE_CONVEX)
        solid->radius = 0.3 + 0.2 * noise(seed);
    if (kind == NB_SHAPE_CAPSULE)
        solid->half = 0.6 + 0.5 * noise(seed);
    for (int k = 0; k < 3; ++k) {
        solid->sides[k] = 0.8 + 0.6 * noise(seed);
        solid->centre[k] = 0.75 * noise(seed);
        solid->turn[k] = 2 * noise(seed);
    }
}

/* The points of the nearest contact lie on both surfaces (of a capsule that counts as parallel, to
 * the cosine of its angle); those of another end of a capsule are not outside. */
static void assert_on_surfaces(const struct nb_problem *problem, const struct solid *solid,
                               double least)
{
    for (int i = 0; i < problem->contacts.count; ++i)
        for (int side = 0; side < 2; ++side) {
            const int body = problem->contacts.body[2 * i + side];
            double point[3];
            world_point(problem, i, side, point);
            const double distance = core_distance(problem, body, &solid[body], point);
            assert_true(distance < 1e-4);
            if (gap_of(problem, i) == least)
                assert_near(distance, 0, 1e-4);
        }
}

/* The nearest contact is the searched gap, as long as the cores are apart; the kinds of problems
 * are drawn evenly, in either order. */
TEST(random_pairs_agree_with_a_search)
{
    static const int kinds[3] = {NB_SHAPE_SPHERE, NB_SHAPE_CAPSULE, NB_SHAPE_CONVEX};
    uint32_t seed = 11;
    int touching = 0, deep = 0, open = 0;
    for (int trial = 0; trial < 6000; ++trial) {
        struct solid pair[2], turned[2];
        OWNS(nb_problem_free) struct nb_problem problem, swapped;
        random_solid(&pair[0], kinds[trial % 2], &seed);
        random_solid(&pair[1], kinds[trial / 2 % 3], &seed);
        turned[0] = pair[1];
        turned[1] = pair[0];
        make_solids(&problem, 2, pair, 0);
        make_solids(&swapped, 2, turned, 0);
        const double gap = searched_gap(&problem, pair);
        collide(&problem, gap > margin ? 0 : -1);
        collide(&swapped, problem.contacts.count);
        double least = DBL_MAX;
        for (int i = 0; i < problem.contacts.count; ++i) {
            least = fmin(least, gap_of(&problem, i));
            assert_near(gap_of(&problem, i), gap_of(&swapped, i), 1e-9);
            assert_true(gap_of(&problem, i) <= margin);
        }
        if (gap <= margin)
            assert_true(problem.contacts.count > 0);
        const double core = gap + pair[0].radius + pair[1].radius;
        open += gap > margin;
        if (gap <= margin && core > 1e-6) {
            touching++;
            /* Two contacts on a line may leave out a middle that is nearer by a little. */
            const double radii = pair[0].radius + pair[1].radius;
            const double allowed = problem.contacts.count == 2 ? 1e-3 * radii : 0;
            if (least < gap - 1e-9 || least > gap + allowed + 1e-9)
                fail_msg("trial %d: %d contacts, %g, searched %g", trial, problem.contacts.count,
                         least, gap);
            assert_on_surfaces(&problem, pair, least);
        } else if (gap <= margin) {
            deep++;
            assert_true(least <= -pair[0].radius + 1e-9);
        }
    }
    if (touching < 500 || deep < 200 || open < 500)
        fail_msg("%d touching, %d deep, %d open", touching, deep, open);
}

/* Moving one solid along the normal by the depth of the deepest contact separates the two. */
TEST(deep_contacts_lead_out)
{
    uint32_t seed = 5;
    int deep = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        struct solid pair[2];
        OWNS(nb_problem_free) struct nb_problem problem;
        int deepest = 0;
        random_solid(&pair[0], trial % 2 ? NB_SHAPE_SPHERE : NB_SHAPE_CAPSULE, &seed);
        random_solid(&pair[1], NB_SHAPE_CONVEX, &seed);
        for (int k = 0; k < 3; ++k)
            pair[0].centre[k] = 0.5 * pair[0].centre[k] + 0.5 * pair[1].centre[k];
        make_solids(&problem, 2, pair, 0);
        collide(&problem, -1);
        for (int i = 1; i < problem.contacts.count; ++i)
            if (gap_of(&problem, i) < gap_of(&problem, deepest))
                deepest = i;
        if (problem.contacts.count > 0 && gap_of(&problem, deepest) < -pair[0].radius) {
            const double depth = -gap_of(&problem, deepest);
            for (int k = 0; k < 3; ++k)
                problem.bodies.position[k] += depth * problem.contacts.frame[9 * deepest + k];
            deep++;
            const double left = searched_gap(&problem, pair);
            if (fabs(left) > 1e-3)
                fail_msg("trial %d: %g left after moving by %g", trial, left, depth);
        }
    }
    if (deep < 300)
        fail_msg("%d deep", deep);
}
