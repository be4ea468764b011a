/* Islands against a search that spreads from body to body. */
#include "tests/support/deformable_samples.h"

#include "problems/islands.h"
#include "problems/scene.h"
#include "problems/step.h"

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Links between random sides; every fifth has the world on one of them. */
static int *random_sides(int count, int bodies, uint32_t *seed)
{
    int *side = calloc(2 * (size_t)count + 1, sizeof *side);
    assert_non_null(side);
    for (int i = 0; i < count; ++i) {
        side[2 * i] = (int)(next_random(seed) % (uint32_t)bodies);
        side[2 * i + 1] = (int)(next_random(seed) % (uint32_t)bodies);
        if (side[2 * i] == side[2 * i + 1] || i % 5 == 4)
            side[2 * i + i % 2] = -1;
    }
    return side;
}

/* Spreads a label over links until nothing changes. */
static int spread(int *label, const int *side, int count)
{
    int changed = 0;
    for (int i = 0; i < count; ++i) {
        const int a = side[2 * i], b = side[2 * i + 1];
        if (a < 0 || b < 0 || label[a] == label[b])
            continue;
        label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
        changed = 1;
    }
    return changed;
}

static void assert_sizes(const struct nb_islands *islands, const struct nb_problem *problem)
{
    for (int k = 0; k < islands->count; ++k) {
        int bodies = 0, contacts = 0, joints = 0;
        for (int i = 0; i < problem->bodies.count; ++i)
            bodies += islands->body[i] == k;
        for (int i = 0; i < problem->contacts.count; ++i)
            contacts += islands->contact[i] == k;
        for (int i = 0; i < problem->joints.count; ++i)
            joints += islands->joint[i] == k;
        assert_true(bodies > 0);
        assert_int_equal(bodies, islands->bodies[k]);
        assert_int_equal(contacts, islands->contacts[k]);
        assert_int_equal(joints, islands->joints[k]);
        assert_true(contacts <= islands->contacts[nb_islands_largest(islands)]);
    }
}

static void assert_links(const struct nb_islands *islands, const int *side, const int *label,
                         int count)
{
    for (int i = 0; i < count; ++i)
        for (int s = 0; s < 2; ++s)
            if (side[2 * i + s] >= 0)
                assert_int_equal(label[i], islands->body[side[2 * i + s]]);
}

TEST(random_graphs)
{
    uint32_t seed = 4;
    for (int trial = 0; trial < 200; ++trial) {
        const int bodies = 1 + trial, contacts = trial % 3 * bodies / 2, joints = trial % 4 * 7;
        struct nb_problem problem = {.time_step = 1};
        struct nb_islands islands;
        int count = 0, *label = calloc((size_t)bodies, sizeof *label);
        assert_non_null(label);
        problem.bodies.count = bodies;
        problem.contacts.count = contacts;
        problem.joints.count = joints;
        problem.contacts.body = random_sides(contacts, bodies, &seed);
        problem.joints.body = random_sides(joints, bodies, &seed);
        assert_ok(nb_islands_find(&islands, &problem, &why));
        for (int i = 0; i < bodies; ++i)
            label[i] = i;
        while (spread(label, problem.contacts.body, contacts) |
               spread(label, problem.joints.body, joints))
            continue;
        for (int i = 0; i < bodies; ++i) {
            if (label[i] == i) /* the first of its island: islands are numbered in this order */
                assert_int_equal(islands.body[i], count++);
            assert_int_equal(islands.body[i], islands.body[label[i]]);
        }
        assert_int_equal(islands.count, count);
        assert_links(&islands, problem.contacts.body, islands.contact, contacts);
        assert_links(&islands, problem.joints.body, islands.joint, joints);
        assert_sizes(&islands, &problem);
        nb_islands_free(&islands);
        free(problem.contacts.body);
        free(problem.joints.body);
        free(label);
    }
}

TEST(a_stack_is_one_island)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_islands_free) struct nb_islands islands;
    assert_ok(nb_scene_create("heavy_stack", 0, NULL, &problem, &why));
    assert_ok(nb_step_prepare(&problem, &why));
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, 1);
    assert_int_equal(islands.contacts[0], problem.contacts.count);
    assert_int_equal(nb_islands_largest(&islands), 0);
}

/* What bodies tell, the rows of the linearised step tell, too. */
TEST(linear_steps_have_the_islands_of_their_contacts)
{
    static const char *const scenes[] = {"heavy_stack", "balls_in_cube", "table_pile", "beam", "sheet"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        OWNS(nb_islands_free) struct nb_islands islands;
        int count, largest, expected = 0;
        assert_ok(nb_scene_create(scenes[s], 0, NULL, &problem, &why));
        assert_ok(nb_step_prepare(&problem, &why));
        assert_ok(nb_islands_find(&islands, &problem, &why));
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        assert_ok(nb_linear_islands(&linear, &count, &largest, &why));
        for (int i = 0; i < islands.count; ++i)
            expected += islands.contacts[i] > 0;
        if (linear.linear.contacts > 0) {
            assert_int_equal(count, expected);
            assert_int_equal(largest, islands.contacts[nb_islands_largest(&islands)]);
        }
    }
}

/* Three contacts and two bilateral rows; the first contact meets the second row, the third contact the first one. */
TEST(local_steps_have_the_islands_of_their_matrix)
{
    struct nb_triplets entries = {0};
    struct nb_problem problem = {.form = NB_LINEAR_LOCAL, .linear = {.contacts = 3, .bilaterals = 2}};
    int count, largest;
    for (int i = 0; i < 11; ++i)
        assert_true(nb_triplets_add(&entries, i, i, 1));
    assert_true(nb_triplets_add(&entries, 2, 10, 1) && nb_triplets_add(&entries, 9, 6, 1));
    assert_true(nb_triplets_add(&entries, 0, 4, 0)); /* a zero joins nothing */
    assert_ok(nb_csr_from_triplets(&problem.linear.delassus, 11, 11, entries.count, entries.row, entries.column,
                                   entries.value, &why));
    assert_ok(nb_linear_islands(&problem, &count, &largest, &why));
    assert_int_equal(count, 3);
    assert_int_equal(largest, 1);
    nb_triplets_free(&entries);
    nb_csr_free(&problem.linear.delassus);
}

/* Bodies 0, 1, 2 and three tetrahedra: the first two share a node, the third is apart, and a distance
 * joins particles 14 and 15, which are nothing else's. Body 1 holds a node of the first, a face of the
 * second rests on body 2, the third on the world. */
TEST(particles_join_bodies)
{
    int corners[12] = {0, 1, 2, 3, 3, 4, 5, 6, 8, 9, 10, 11}, held = 1, holder = 1, pair[2] = {15, 14};
    int sides[4] = {-1, 2, -1, -1};
    int points[12] = {4, 5, 6, -1, -1, -1, 11, -1, -1, -1, -1, -1};
    struct nb_problem problem = {.time_step = 1};
    OWNS(nb_islands_free) struct nb_islands islands;
    problem.bodies.count = 3;
    problem.particles.count = 16;
    problem.tetrahedra.count = 3;
    problem.tetrahedra.particle = corners;
    problem.attachments.count = 1;
    problem.attachments.particle = &held;
    problem.attachments.body = &holder;
    problem.distances.count = 1;
    problem.distances.particle = pair;
    problem.contacts.count = 2;
    problem.contacts.body = sides;
    problem.contacts.particle = points;
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, 7); /* 0; 1, 2 and 0..6; 7; 8..11; 12; 13; 14, 15 */
    assert_int_equal(islands.body[0], 0);
    assert_int_equal(islands.body[1], 1);
    assert_int_equal(islands.body[2], 1);
    for (int i = 0; i < 7; ++i)
        assert_int_equal(islands.particle[i], 1);
    assert_int_equal(islands.particle[7], 2);
    for (int i = 8; i < 12; ++i)
        assert_int_equal(islands.particle[i], 3);
    assert_int_equal(islands.particle[14], islands.particle[15]);
    assert_int_equal(islands.contact[0], 1);
    assert_int_equal(islands.contact[1], 3);
    assert_int_equal(islands.bodies[1], 2);
    assert_int_equal(islands.particles[1], 7);
    assert_int_equal(islands.contacts[3], 1);
    assert_int_equal(nb_islands_largest(&islands), 1);
}

TEST(nothing_has_no_islands)
{
    const struct nb_problem problem = {.time_step = 1};
    struct nb_islands islands;
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, 0);
    assert_int_equal(nb_islands_largest(&islands), -1);
    nb_islands_free(&islands);
    nb_islands_free(NULL);
}

static void forget(int *count)
{
    *count = 0;
}

/* Everything that the sample holds together is one island; what is taken away parts it. */
TEST(deformable_bodies_are_components)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_islands_free) struct nb_islands islands;
    make_deformable(&problem, 0.1);
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, 1);
    assert_int_equal(islands.bodies[0], DEFORMABLE_BODIES);
    assert_int_equal(islands.particles[0], DEFORMABLE_PARTICLES);
    assert_int_equal(islands.contacts[0], DEFORMABLE_CONTACTS);
    nb_islands_free(&islands);
    /* the last contact joins the bodies, attachments the block to both, a distance particle 12 */
    forget(&problem.attachments.count);
    forget(&problem.distances.count);
    forget(&problem.contacts.count);
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, 4);
    assert_int_equal(islands.body[1], 1);
    for (int i = 0; i < DEFORMABLE_PARTICLES; ++i)
        assert_int_equal(islands.particle[i], i < 12 ? 2 : 3);
    nb_islands_free(&islands);
    forget(&problem.tetrahedra.count);
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, DEFORMABLE_BODIES + DEFORMABLE_PARTICLES);
}

/* One link at a time, and who is together then. */
TEST(every_kind_of_link_connects)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_islands_free) struct nb_islands islands;
    make_deformable(&problem, 0.1);
    forget(&problem.tetrahedra.count);
    forget(&problem.contacts.count);
    forget(&problem.distances.count);
    problem.attachments.count = 2; /* to the world, and particle 3 to body 0 */
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, DEFORMABLE_BODIES + DEFORMABLE_PARTICLES - 1);
    assert_int_equal(islands.particle[3], 0);
    nb_islands_free(&islands);
    forget(&problem.attachments.count);
    problem.distances.count = 1; /* particles 0 and 4 */
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, DEFORMABLE_BODIES + DEFORMABLE_PARTICLES - 1);
    assert_int_equal(islands.particle[4], islands.particle[0]);
    nb_islands_free(&islands);
    forget(&problem.distances.count);
    problem.contacts.count = 4; /* vertex on body 0, vertex on world, body 1 on face, edge on face */
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.particle[problem.contacts.particle[0]], 0);
    const int vertex = islands.particle[problem.contacts.particle[6]];
    assert_int_equal(islands.contact[1], vertex);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(islands.particle[problem.contacts.particle[15 + k]], 1);
    const int edge = islands.particle[problem.contacts.particle[18]];
    assert_int_equal(islands.particle[problem.contacts.particle[19]], edge);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(islands.particle[problem.contacts.particle[21 + k]], edge);
    assert_int_equal(islands.contact[3], edge);
}
