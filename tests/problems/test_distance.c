/* Distance fields against points of their surfaces, closest-point methods against dense sampling, contacts of fields
 * against analytic gaps, grids against what they are made of. */
#include "tests/support/support.h"

#include "tests/support/files.h"
#include "tests/support/near.h"

#include "problems/base/random.h"
#include "problems/base/vec3.h"
#include "problems/collide/collide.h"
#include "problems/distance/closest.h"
#include "problems/io/problem_file.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_field.h"

static const double sizes[][4] = {
    [NB_DISTANCE_SPHERE] = {0.7}, [NB_DISTANCE_BOX] = {0.5, 0.6, 0.4}, [NB_DISTANCE_CAPSULE] = {0.4, 0.6},
    [NB_DISTANCE_TORUS] = {0.8, 0.3}, [NB_DISTANCE_CYLINDER] = {0.5, 0.7}, [NB_DISTANCE_CONE] = {0.8, 1.1},
    [NB_DISTANCE_SPOOL] = {0.4, 0.9, 0.3, 0.2}};
enum { ANALYTIC = NB_DISTANCE_SPOOL + 1, STEPS = 300 };

static struct nb_distance field_of(int kind)
{
    struct nb_distance field = {.kind = (enum nb_distance_kind)kind};
    memcpy(field.size, sizes[kind], sizeof field.size);
    return field;
}

static void random_point(uint64_t *state, double *x)
{
    for (int k = 0; k < 3; ++k)
        x[k] = 1.5 * nb_random_signed(state);
}

/* Independent of the distance. rho, z in the plane of the axis. */
static int is_inside(int kind, const double *x)
{
    const double *s = sizes[kind], rho = hypot(x[0], x[1]), z = x[2];
    switch (kind) {
    case NB_DISTANCE_SPHERE: return nb_norm3(x) < s[0];
    case NB_DISTANCE_BOX: return fabs(x[0]) < s[0] && fabs(x[1]) < s[1] && fabs(x[2]) < s[2];
    case NB_DISTANCE_CAPSULE: return hypot(rho, fmax(fabs(z) - s[1], 0)) < s[0];
    case NB_DISTANCE_TORUS: return hypot(rho - s[0], z) < s[1];
    case NB_DISTANCE_CYLINDER: return rho < s[0] && fabs(z) < s[1];
    case NB_DISTANCE_CONE: return z > 0 && rho < s[0] * (1 - z / s[1]);
    default: return fabs(z) < s[2] ? rho < s[0] : rho < s[1] && fabs(z) < s[2] + s[3];
    }
}

/* Where a ray from x crosses the surface first, in steps of 0.01 and by bisection of is_inside. */
static double way_to_surface(int kind, const double *x, const double *direction)
{
    const int inside = is_inside(kind, x);
    double low = 0, high = 0, at[3];
    while (high < 4 && low == high) {
        nb_add_scaled3(x, high + 0.01, direction, at);
        high += 0.01;
        low = is_inside(kind, at) != inside ? high - 0.01 : high;
    }
    for (int i = 0; low < high && i < 50; ++i) {
        const double middle = (low + high) / 2;
        nb_add_scaled3(x, middle, direction, at);
        *(is_inside(kind, at) != inside ? &high : &low) = middle;
    }
    return high;
}

/* Is the surface at x: are there points inside and outside close by? Even an apex has a tenth of them inside. */
static int is_surface(int kind, const double *x, uint64_t *state)
{
    int inside = 0;
    for (int i = 0; i < 300; ++i) {
        double way[3], at[3];
        random_point(state, way);
        nb_add_scaled3(x, 1e-7, way, at);
        inside += is_inside(kind, at);
    }
    return inside > 0 && inside < 300;
}

/* No ray meets the surface sooner than |phi|, and that far against the gradient it is. */
TEST(a_distance_is_the_way_to_the_surface)
{
    uint64_t seed = 3;
    for (int kind = 0; kind < ANALYTIC; ++kind) {
        const struct nb_distance field = field_of(kind);
        for (int i = 0; i < 400; ++i) {
            double x[3], gradient[3], direction[3];
            random_point(&seed, x);
            const double phi = nb_distance_at(&field, x, gradient);
            assert_near(nb_norm3(gradient), 1, 1e-12);
            assert_int_equal(phi < 0, is_inside(kind, x));
            nb_add_scaled3(x, -phi, gradient, direction);
            assert_true(is_surface(kind, direction, &seed));
            for (int ray = 0; ray < 20; ++ray) {
                random_point(&seed, direction);
                nb_normalise3(direction);
                assert_true(way_to_surface(kind, x, direction) >= fabs(phi) - 1e-9);
            }
        }
    }
}

TEST(a_box_round_a_field_holds_it)
{
    uint64_t seed = 4;
    for (int kind = 0; kind < ANALYTIC; ++kind) {
        const struct nb_distance field = field_of(kind);
        double lower[3], upper[3], x[3];
        nb_distance_bounds(&field, lower, upper);
        for (int i = 0; i < 3000; ++i) {
            random_point(&seed, x);
            for (int k = 0; is_inside(kind, x) && k < 3; ++k)
                assert_true(x[k] > lower[k] && x[k] < upper[k]);
        }
    }
}

static void random_element(uint64_t *state, const struct nb_distance *field, int corners, struct nb_element *element)
{
    *element = (struct nb_element){.field = field, .corners = corners};
    for (int k = 0; k < corners; ++k)
        random_point(state, element->corner + 3 * k);
}

static double by_sampling(const struct nb_element *element)
{
    double least = INFINITY, x[3];
    const int rows = element->corners == 3 ? STEPS : 0;
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i <= STEPS - j; ++i) {
            const double a = (double)i / STEPS, b = (double)j / STEPS, weight[3] = {1 - a - b, a, b};
            nb_element_point(element, weight, x);
            least = fmin(least, nb_distance_at(element->field, x, NULL));
        }
    return least;
}

/* Golden-section search finds the least of convex bodies' distances, and the others come near to most; no method finds
 * less than there is, more than at the corners, or more after another iteration. */
TEST(closest_points_are_those_of_dense_sampling)
{
    static const int convex[] = {NB_DISTANCE_SPHERE, NB_DISTANCE_BOX, NB_DISTANCE_CAPSULE, NB_DISTANCE_CYLINDER,
                                 NB_DISTANCE_CONE};
    int near[5] = {0};
    uint64_t seed = 5;
    for (int c = 0; c < 5; ++c)
        for (int i = 0; i < 60; ++i) {
            const struct nb_distance field = field_of(convex[c]);
            struct nb_element element;
            struct nb_closest best, corner;
            double trace[40], x[3];
            random_element(&seed, &field, 2 + i % 2, &element);
            const double least = by_sampling(&element);
            nb_closest_find(nb_closest_numbered(0), &element, 1, &corner, NULL);
            for (int m = 0; nb_closest_methods()[m]; ++m) {
                const struct nb_closest_method *method = nb_closest_methods()[m];
                nb_closest_find(method, &element, 40, &best, trace);
                assert_true(best.distance <= corner.distance + 1e-12);
                assert_true(trace[39] >= least - 2 * 5.2 / STEPS);
                for (int k = 1; k < 40; ++k)
                    assert_true(trace[k] <= trace[k - 1]);
                assert_near(best.weight[0] + best.weight[1] + best.weight[2], 1, 1e-12);
                nb_element_point(&element, best.weight, x);
                assert_near(nb_distance_at(&field, x, NULL), best.distance, 1e-12);
            }
            nb_closest_find(nb_closest_numbered(3), &element, 40, &best, NULL);
            assert_true(best.distance <= least + 1e-5);
            for (int number = 1; number < 5; ++number) {
                nb_closest_find(nb_closest_numbered(number), &element, 200, &best, NULL);
                near[number] += best.distance <= least + 0.02;
            }
        }
    for (int number = 1; number < 5; ++number) {
        print_message("%s: %d of 300\n", nb_closest_numbered(number)->name, near[number]);
        assert_true(near[number] > 240);
    }
}

TEST(methods_have_numbers_of_their_own)
{
    for (int i = 0; nb_closest_methods()[i]; ++i)
        assert_ptr_equal(nb_closest_numbered(nb_closest_methods()[i]->number), nb_closest_methods()[i]);
    assert_null(nb_closest_numbered(-1));
}

/* An element that is called far has no point within reach. */
TEST(culling_overlooks_nothing)
{
    uint64_t seed = 6;
    int far = 0;
    for (int i = 0; i < 3000; ++i) {
        const struct nb_distance field = field_of(i % ANALYTIC);
        struct nb_element element;
        random_element(&seed, &field, 3, &element);
        for (int k = 3; k < 9; ++k) /* small ones */
            element.corner[k] = element.corner[k % 3] + 0.2 * (element.corner[k] - element.corner[k % 3]);
        struct nb_closest best;
        nb_closest_find(nb_closest_numbered(3), &element, 32, &best, NULL);
        if (nb_element_is_far(&element, 0.1)) {
            assert_true(best.distance > 0.1);
            far++;
        }
    }
    assert_true(far > 300);
}

/* Values at the nodes are those of the body, distances between them within a cell's diagonal; outside the grid they are
 * no larger than the body's. A mesh gives the same as the closed form. */
TEST(a_grid_has_the_distances_of_its_body)
{
    uint64_t seed = 7;
    for (int kind = 0; kind < ANALYTIC; ++kind) {
        const struct nb_distance field = field_of(kind);
        struct nb_shape shape = {.kind = NB_SHAPE_FIELD};
        assert_ok(nb_shape_field(&shape, (enum nb_distance_kind)kind, sizes[kind], 32, &why));
        assert_ok(nb_shape_grid(&shape, 24, &why));
        const double cell = shape.field.size[0];
        for (int i = 0; i < 500; ++i) {
            double x[3];
            random_point(&seed, x);
            const double exact = nb_distance_at(&field, x, NULL), grid = nb_distance_at(&shape.field, x, NULL);
            assert_true(grid <= exact + cell && (exact > 2 * cell || grid >= exact - cell));
        }
        nb_shape_free(&shape);
    }
}

static struct nb_shape mesh_of(int kind)
{
    struct nb_shape shape = {.kind = NB_SHAPE_FIELD};
    assert_ok(nb_shape_field(&shape, (enum nb_distance_kind)kind, sizes[kind], 64, &why));
    shape.kind = NB_SHAPE_CONVEX; /* a polyhedron, convex or not */
    assert_ok(nb_shape_grid(&shape, 16, &why));
    return shape;
}

TEST(a_mesh_becomes_a_grid)
{
    static const int kinds[] = {NB_DISTANCE_BOX, NB_DISTANCE_TORUS, NB_DISTANCE_SPOOL};
    for (int c = 0; c < 3; ++c) {
        struct nb_shape shape = mesh_of(kinds[c]);
        const struct nb_distance exact = field_of(kinds[c]);
        const double slack = c == 0 ? 1e-12 : 0.01; /* chords of 64 a turn are within r (1 - cos(pi/64)) */
        for (int k = 0; k < shape.field.nodes[2]; ++k)
            for (int j = 0; j < shape.field.nodes[1]; ++j)
                for (int i = 0; i < shape.field.nodes[0]; ++i) {
                    const double *s = shape.field.size;
                    const double x[3] = {s[1] + s[0] * i, s[2] + s[0] * j, s[3] + s[0] * k};
                    assert_near(nb_distance_at(&shape.field, x, NULL), nb_distance_at(&exact, x, NULL), slack);
                }
        nb_shape_free(&shape);
    }
}

/* A body of that field at the origin, fixed to the world. */
static void make_world(struct nb_problem *problem, int kind, int bodies)
{
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_ok(nb_scene_allocate(problem, bodies, bodies + 1, &why));
    assert_ok(nb_shape_field(&problem->shapes[0], (enum nb_distance_kind)kind, sizes[kind], 32, &why));
}

static double gap_of(const struct nb_problem *problem, int i)
{
    return nb_contact_gap(problem, i);
}

/* A ball beside each body: one contact with the distance less its radius. */
TEST(a_ball_meets_a_field_at_its_distance)
{
    uint64_t seed = 8;
    for (int i = 0; i < 140; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        const struct nb_distance field = field_of(i % ANALYTIC);
        double x[3];
        make_world(&problem, i % ANALYTIC, 1);
        random_point(&seed, x);
        nb_scene_make_sphere(&problem, 0, &problem.shapes[1], 0.1, 1, x);
        assert_ok(nb_collide(&problem, 10, &why));
        assert_int_equal(problem.contacts.count, 1);
        assert_near(gap_of(&problem, 0), nb_distance_at(&field, x, NULL) - 0.1, 1e-12);
    }
}

/* The capsule lies across the apex of the cone, its ends lower than that: only between them it is near. */
TEST(a_capsule_meets_an_apex_between_its_ends)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const double centre[3] = {0.13, 0, sizes[NB_DISTANCE_CONE][1] + 0.07};
    make_world(&problem, NB_DISTANCE_CONE, 1);
    nb_scene_make_capsule(&problem, 0, &problem.shapes[1], 0.05, 0.8, 1, centre);
    memcpy(problem.bodies.orientation, (double[]){M_SQRT1_2, 0, M_SQRT1_2, 0}, 4 * sizeof(double));
    assert_ok(nb_collide(&problem, 0.03, &why));
    assert_int_equal(problem.contacts.count, 1);
    assert_near(gap_of(&problem, 0), 0.02, 1e-9);
    assert_near(problem.contacts.frame[2], 1, 1e-6);
}

/* The edge of a box across the rim of a spool's flange: no vertex of either is near, and the gap is that of two
 * lines. */
TEST(an_edge_meets_a_rim)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const double *s = sizes[NB_DISTANCE_SPOOL], sides[3] = {2, 0.4, 0.4}, lift = 0.01;
    const double centre[3] = {0.05, 0, s[2] + s[3] / 2};
    double lowest = INFINITY;
    make_world(&problem, NB_DISTANCE_SPOOL, 1);
    assert_ok(nb_scene_make_box(&problem, 0, &problem.shapes[1], sides, 1, centre, &why));
    problem.bodies.position[1] = s[1] + lift + 0.2 * M_SQRT2; /* on its edge, along x, over the flange's rim */
    memcpy(problem.bodies.orientation, (double[]){cos(M_PI / 8), sin(M_PI / 8), 0, 0}, 4 * sizeof(double));
    assert_ok(nb_collide(&problem, 0.05, &why));
    for (int i = 0; i < problem.contacts.count; ++i)
        lowest = fmin(lowest, gap_of(&problem, i));
    assert_near(lowest, lift, 1e-9);
}

/* Two fields meet as two polyhedra do, face on face. */
TEST(a_field_stands_on_a_field)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const double *s = sizes[NB_DISTANCE_BOX];
    int corners = 0;
    make_world(&problem, NB_DISTANCE_BOX, 1);
    assert_ok(nb_shape_field(&problem.shapes[1], NB_DISTANCE_CYLINDER, (const double[]){0.2, 0.3}, 16, &why));
    problem.shapes[1].body = 0;
    problem.bodies.mass[0] = 1;
    problem.bodies.inertia[0] = problem.bodies.inertia[4] = problem.bodies.inertia[8] = 1;
    problem.bodies.position[2] = s[2] + 0.3 - 0.001;
    assert_ok(nb_collide(&problem, 0.01, &why));
    for (int i = 0; i < problem.contacts.count; ++i) {
        assert_near(gap_of(&problem, i), -0.001, 1e-9);
        corners += fabs(fabs(problem.contacts.frame[9 * i + 2]) - 1) < 1e-9;
    }
    assert_int_equal(corners, problem.contacts.count);
    assert_true(corners >= 16);
}

/* Written and read, a problem with fields has the same bits and the same contacts; a file that counts other values than
 * it has is refused. */
TEST(fields_are_kept_in_files)
{
    const struct test_folder folder = test_folder_make();
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_problem_free) struct nb_problem read;
    OWNS(nb_problem_free) struct nb_problem copy;
    const double x[3] = {0.3, 0.2, 0.9};
    make_world(&problem, NB_DISTANCE_TORUS, 1);
    nb_scene_make_sphere(&problem, 0, &problem.shapes[1], 0.1, 1, x);
    assert_ok(nb_shape_grid(&problem.shapes[0], 12, &why));
    assert_ok(nb_collide(&problem, 1, &why));
    problem.free_velocity = calloc(6, sizeof *problem.free_velocity);
    snprintf(problem.name, sizeof problem.name, "fields");
    assert_ok(nb_problem_validate(&problem, &why));
    assert_ok(nb_problem_copy(&problem, &copy, &why));
    const char *path = test_path(&folder, "fields.h5");
    assert_ok(nb_problem_write(path, &copy, NULL, &why));
    assert_ok(nb_problem_read(path, &read, &why));
    test_folder_remove(&folder);
    const struct nb_distance *a = &problem.shapes[0].field, *b = &read.shapes[0].field;
    assert_int_equal(read.shapes[0].kind, NB_SHAPE_FIELD);
    assert_memory_equal(a->size, b->size, sizeof a->size);
    assert_memory_equal(a->nodes, b->nodes, sizeof a->nodes);
    assert_memory_equal(a->value, b->value, nb_distance_nodes(a) * sizeof *a->value);
    problem.shapes[0].field.nodes[1] = 1;
    assert_refused(nb_problem_validate(&problem, &why), NB_BAD_INPUT, "shapes/field: shape 0", "needs 2");
    problem.shapes[0].field.nodes[1] = b->nodes[1];
    problem.shapes[0].field.kind = NB_DISTANCE_KINDS;
    assert_refused(nb_problem_validate(&problem, &why), NB_BAD_INPUT, "kind 8", "0 to 7");
}

TEST(sizes_are_checked)
{
    const double ring[2] = {0.2, 0.3}, drum[4] = {0.3, 0.2, 1, 1}, flat[2] = {0.2, 0};
    struct nb_shape shape = {.kind = NB_SHAPE_FIELD};
    assert_refused(nb_shape_field(&shape, NB_DISTANCE_TORUS, ring, 16, &why), NB_BAD_INPUT, "below its ring");
    assert_refused(nb_shape_field(&shape, NB_DISTANCE_SPOOL, drum, 16, &why), NB_BAD_INPUT, "below its flanges");
    assert_refused(nb_shape_field(&shape, NB_DISTANCE_CONE, flat, 16, &why), NB_BAD_INPUT, "size 1 of a cone is 0");
}
