/* Contacts of deformable skins: analytic gaps, normals and weights; what a thin body must not feel. */
#include "tests/support/support.h"

#include "tests/support/near.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/collide/collide.h"
#include "problems/collide/skin.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_deform.h"

static const double margin = 0.01;

/* A point of one side at q-, by the definition of struct nb_contacts. */
static void side_point(const struct nb_problem *problem, int contact, int side, double *out)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const double *normal = contacts->frame + 9 * contact;
    const int body = contacts->body[2 * contact + side];
    const double radius = contacts->radius[2 * contact + side];
    const double *local = contacts->point + 6 * contact + 3 * side;
    double sum = 0, matrix[9];
    memset(out, 0, 3 * sizeof *out);
    if (contacts->particle[6 * contact + 3 * side] >= 0) {
        for (int k = 0; k < 3; ++k) {
            const int particle = contacts->particle[6 * contact + 3 * side + k];
            const double weight = contacts->weight[6 * contact + 3 * side + k];
            assert_true(particle < 0 ? weight == 0 : weight > 0);
            sum += weight;
            if (particle >= 0)
                nb_add_scaled3(out, weight, problem->particles.position + 3 * particle, out);
        }
        assert_near(sum, 1, 1e-14);
        assert_int_equal(body, -1);
    } else if (body >= 0) {
        nb_quaternion_matrix(problem->bodies.orientation + 4 * body, matrix);
        nb_rotate(matrix, local, out);
        nb_add_scaled3(out, 1, problem->bodies.position + 3 * body, out);
    } else {
        memcpy(out, local, 3 * sizeof *out);
    }
    nb_add_scaled3(out, side == 0 ? -radius : radius, normal, out);
}

static double gap_of(const struct nb_problem *problem, int contact)
{
    double a[3], b[3];
    side_point(problem, contact, 0, a);
    side_point(problem, contact, 1, b);
    nb_subtract3(a, b, a);
    return nb_dot3(a, problem->contacts.frame + 9 * contact);
}

static int particles_of(const struct nb_problem *problem, int contact, int side)
{
    int count = 0;
    for (int k = 0; k < 3; ++k)
        count += problem->contacts.particle[6 * contact + 3 * side + k] >= 0;
    return count;
}

/* One or two soft blocks of unit height and cells of 1/2; block i stands at lower[i]. shapes comes after
 * the skins and bodies. */
static void make_blocks(struct nb_problem *problem, int blocks, const double (*lower)[3],
                        double radius, int bodies, int shapes)
{
    const int cells[3] = {4, 4, 2};
    const double sides[3] = {2, 2, 1};
    const struct nb_elastic rubber = {NB_MATERIAL_HOOKE, 1e5, 0.4, 1000};
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_ok(nb_scene_allocate(problem, bodies, shapes + blocks, &why));
    for (int i = 0; i < blocks; ++i) {
        OWNS(nb_mesh_free) struct nb_mesh mesh;
        assert_ok(nb_mesh_box(&mesh, cells, lower[i], sides, &why));
        if (i == 0) {
            assert_ok(nb_group_allocate(problem, NB_PARTICLES, blocks * mesh.node_count, &why));
            assert_ok(nb_group_allocate(problem, NB_TETRAHEDRA, blocks * mesh.tetra_count, &why));
        }
        nb_scene_make_mesh(problem, i * mesh.node_count, i * mesh.tetra_count, &mesh, &rubber);
        assert_ok(nb_shape_surface(&problem->shapes[i], &mesh, i * mesh.node_count, radius, &why));
        problem->shapes[i].friction = 0.4;
    }
}

static void find_contacts(struct nb_problem *problem)
{
    assert_ok(nb_collide(problem, margin, &why));
}

TEST(a_block_stands_on_a_plane_by_its_vertices)
{
    const double lower[1][3] = {{-1, -1, 0.005}}, up[3] = {0, 0, 1}, origin[3] = {0};
    struct nb_problem problem;
    for (int k = 0; k < 2; ++k) {
        const double radius = k ? 0.002 : 0;
        make_blocks(&problem, 1, lower, radius, 0, 1);
        nb_scene_make_plane(&problem.shapes[1], origin, up, 0.7);
        find_contacts(&problem);
        assert_int_equal(problem.contacts.count, 25);
        for (int i = 0; i < 25; ++i) {
            assert_near(gap_of(&problem, i), 0.005 - radius, 1e-15);
            assert_near(problem.contacts.frame[9 * i + 2], 1, 1e-15);
            assert_int_equal(particles_of(&problem, i, 0), 1);
            assert_int_equal(particles_of(&problem, i, 1), 0);
            assert_near(problem.contacts.friction[i], 0.7, 0);
        }
        nb_problem_free(&problem);
    }
}

/* The sphere hangs over a face's middle: its deepest point is between the vertices, none of which is
 * within the margin; then over a vertex. */
TEST(a_small_sphere_is_felt_between_the_vertices)
{
    const double lower[1][3] = {{0, 0, -1}}, above[3] = {0.6, 0.7, 0.096}, on[3] = {1, 1, 0.096};
    const double edge[3] = {0.75, 0.5, 0.096};
    const double *places[3] = {above, on, edge};
    const int particles[3] = {3, 1, 2};
    struct nb_problem problem;
    for (int p = 0; p < 3; ++p) {
        make_blocks(&problem, 1, lower, 0.001, 1, 1);
        nb_scene_make_sphere(&problem, 0, &problem.shapes[1], 0.1, 1, places[p]);
        find_contacts(&problem);
        assert_int_equal(problem.contacts.count, 1);
        assert_near(gap_of(&problem, 0), 0.096 - 0.1 - 0.001, 1e-14);
        assert_int_equal(particles_of(&problem, 0, 0), particles[p]);
        assert_near(problem.contacts.frame[2], -1, 1e-14); /* the sphere is side b */
        double point[3];
        side_point(&problem, 0, 0, point);
        for (int k = 0; k < 2; ++k)
            assert_near(point[k], places[p][k], 1e-14);
        assert_near(point[2], 0.001, 1e-14);
        nb_problem_free(&problem);
    }
}

/* It lies along x over the middle of a row of cells: vertices are 0.25 away. */
TEST(a_capsule_is_felt_along_its_length)
{
    const double lower[1][3] = {{0, 0, -1}}, centre[3] = {1, 0.75, 0.055};
    OWNS(nb_problem_free) struct nb_problem problem;
    int ends = 0;
    make_blocks(&problem, 1, lower, 0, 1, 1);
    nb_scene_make_capsule(&problem, 0, &problem.shapes[1], 0.05, 0.6, 1, centre);
    memcpy(problem.bodies.orientation, (double[]){sqrt(0.5), 0, sqrt(0.5), 0}, 4 * sizeof(double));
    find_contacts(&problem);
    /* across: edges of cells at x = 0.5, 1 and 1.5 and the diagonals of the cells between */
    assert_true(problem.contacts.count >= 5);
    for (int i = 0; i < problem.contacts.count; ++i) {
        double point[3];
        side_point(&problem, i, 0, point);
        assert_near(gap_of(&problem, i), 0.005, 1e-14);
        assert_near(point[1], 0.75, 1e-14);
        ends += fabs(fabs(point[0] - 1) - 0.6) < 1e-12;
    }
    assert_int_equal(ends, 2);
}

/* Corners of a small box over a face; then sunk into it, and seen from inside. */
TEST(corners_of_a_box_are_felt_between_the_vertices)
{
    const double lower[1][3] = {{0, 0, -1}}, sides[3] = {0.1, 0.1, 0.1};
    const double heights[2] = {0.053, 0.047};
    struct nb_problem problem;
    for (int p = 0; p < 2; ++p) {
        const double centre[3] = {0.7, 0.83, heights[p]};
        make_blocks(&problem, 1, lower, 0, 1, 1);
        assert_ok(nb_scene_make_box(&problem, 0, &problem.shapes[1], sides, 1, centre, &why));
        find_contacts(&problem);
        assert_int_equal(problem.contacts.count, 4);
        for (int i = 0; i < 4; ++i) {
            assert_near(gap_of(&problem, i), heights[p] - 0.05, 1e-14);
            assert_near(problem.contacts.frame[9 * i + 2], -1, 1e-14);
            assert_int_equal(problem.contacts.body[2 * i + 1], 0);
        }
        nb_problem_free(&problem);
    }
}

/* The lower edge of a box along a fold of the skin: in the way of a corner are both faces of a valley, and the edge of
 * a ridge. */
TEST(a_corner_in_a_valley_has_both_faces_in_its_way)
{
    const double lower[1][3] = {{0, 0, -1}}, sides[3] = {0.1, 0.1, 0.1};
    const double turned[4] = {cos(M_PI / 8), 0, sin(M_PI / 8), 0};
    const double height = 0.003, centre[3] = {1, 0.83, height + 0.05 * M_SQRT2}, slope = 0.3;
    for (int ridge = 0; ridge < 2; ++ridge) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        make_blocks(&problem, 1, lower, 0, 1, 1);
        for (int i = 0; i < problem.particles.count; ++i) {
            double *x = problem.particles.position + 3 * i;
            x[2] += (ridge ? -slope : slope) * fabs(x[0] - 1);
        }
        assert_ok(nb_scene_make_box(&problem, 0, &problem.shapes[1], sides, 1, centre, &why));
        memcpy(problem.bodies.orientation, turned, sizeof turned);
        find_contacts(&problem);
        assert_int_equal(problem.contacts.count, ridge ? 2 : 4);
        for (int i = 0; i < problem.contacts.count; ++i) {
            assert_near(gap_of(&problem, i), ridge ? height : height / hypot(1, slope), 1e-14);
            assert_int_equal(particles_of(&problem, i, 0), ridge ? 2 : 3);
        }
    }
}

/* A plate thinner than the margin: the ball above it meets its upper side alone. */
TEST(a_thin_plate_is_felt_from_one_side)
{
    const double lower[1][3] = {{-1, -1, -1}}, centre[3] = {0.1, 0.1, 0.101};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_blocks(&problem, 1, lower, 0, 1, 1);
    for (int i = 0; i < problem.particles.count; ++i)
        problem.particles.position[3 * i + 2] *= 0.002;
    nb_scene_make_sphere(&problem, 0, &problem.shapes[1], 0.1, 1, centre);
    find_contacts(&problem);
    assert_true(problem.contacts.count > 0);
    for (int i = 0; i < problem.contacts.count; ++i) {
        double point[3];
        side_point(&problem, i, 0, point);
        assert_near(point[2], 0, 1e-15);
        assert_true(problem.contacts.frame[9 * i + 2] < 0);
    }
}

/* Two blocks, moved against each other by a quarter of a cell or not: vertices of both are contacts.
 * Then the upper one sinks in. */
TEST(blocks_meet_by_their_vertices)
{
    struct nb_problem problem;
    for (int p = 0; p < 4; ++p) {
        const double gap = p >= 2 ? -0.004 : 0.004, shift = p % 2 ? 0 : 0.125;
        const double lower[2][3] = {{0, 0, 0}, {shift, shift, 1 + gap}};
        make_blocks(&problem, 2, lower, 0.001, 0, 0);
        find_contacts(&problem);
        for (int i = 0; i < problem.contacts.count; ++i) {
            assert_near(gap_of(&problem, i), gap - 0.002, 1e-14);
            assert_near(fabs(problem.contacts.frame[9 * i + 2]), 1, 1e-14);
            assert_int_equal(particles_of(&problem, i, 0), 1);
        }
        assert_int_equal(problem.contacts.count, p % 2 ? 50 : 32); /* 5 x 5 or 4 x 4 each */
        nb_problem_free(&problem);
    }
}

/* Body 0 is a box below the block, and one of the block's particles is held by it. */
TEST(a_skin_does_not_meet_what_holds_it)
{
    const double lower[1][3] = {{0, 0, 0}}, sides[3] = {4, 4, 1}, centre[3] = {1, 1, -0.5};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_blocks(&problem, 1, lower, 0, 1, 1);
    assert_ok(nb_scene_make_box(&problem, 0, &problem.shapes[1], sides, 1, centre, &why));
    find_contacts(&problem);
    assert_int_equal(problem.contacts.count, 25);
    assert_ok(nb_group_allocate(&problem, NB_ATTACHMENTS, 1, &why));
    nb_scene_attach(&problem, 0, 0, 0, 0);
    find_contacts(&problem);
    assert_int_equal(problem.contacts.count, 0);
}

/* By brute force: a fine grid of barycentric weights is never nearer, and not far farther. */
TEST(nearest_points_of_triangles_are_nearest)
{
    uint32_t seed = 5;
    for (int trial = 0; trial < 400; ++trial) {
        double x[3], corner[9], sum = 0, least = 1e9;
        const double *rows[3] = {corner, corner + 3, corner + 6};
        struct nb_nearest nearest;
        const int grid = 40;
        for (int k = 0; k < 9; ++k)
            corner[k] = test_uniform(&seed);
        for (int k = 0; k < 3; ++k)
            x[k] = 2 * test_uniform(&seed);
        nb_nearest_on_triangle(rows, x, &nearest);
        for (int i = 0; i <= grid; ++i)
            for (int j = 0; i + j <= grid; ++j) {
                double d[3];
                for (int k = 0; k < 3; ++k)
                    d[k] = x[k] - (i * corner[k] + j * corner[3 + k] +
                                   (grid - i - j) * corner[6 + k]) / grid;
                least = fmin(least, nb_norm3(d));
            }
        int positive = 0;
        for (int k = 0; k < 3; ++k) {
            positive += nearest.weight[k] > 0;
            assert_true(nearest.weight[k] >= 0);
            sum += nearest.weight[k];
        }
        double way[3];
        nb_subtract3(x, nearest.point, way);
        assert_near(sum, 1, 1e-14);
        assert_int_equal(positive, nearest.corners);
        assert_true(nb_norm3(way) <= least + 1e-14);
        assert_true(nb_norm3(way) >= least - 0.05);
    }
}

TEST(detection_repeats_its_bits)
{
    const double lower[2][3] = {{0, 0, 0}, {0.3, 0.2, 1.001}}, centre[3] = {2.04, 1, 0.5};
    OWNS(nb_problem_free) struct nb_problem problem, copy;
    make_blocks(&problem, 2, lower, 0, 1, 1);
    nb_scene_make_sphere(&problem, 0, &problem.shapes[2], 0.1, 1, centre);
    find_contacts(&problem);
    assert_true(problem.contacts.count > 10);
    assert_ok(nb_problem_copy(&problem, &copy, &why));
    find_contacts(&copy);
    assert_int_equal(copy.contacts.count, problem.contacts.count);
    const size_t count = (size_t)copy.contacts.count;
    assert_memory_equal(copy.contacts.frame, problem.contacts.frame, 9 * count * sizeof(double));
    assert_memory_equal(copy.contacts.weight, problem.contacts.weight, 6 * count * sizeof(double));
    assert_memory_equal(copy.contacts.particle, problem.contacts.particle,
                        6 * count * sizeof(int));
}
