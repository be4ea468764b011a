/* Lattice meshes and the deformable bodies made of them: volume, mass, orientation, skin. */
#include "tests/support/support.h"

#include "tests/support/near.h"

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_deform.h"

/* An L: without the cells that are both right and up. */
static int in_angle(const void *context, const int *cell)
{
    (void)context;
    return cell[0] < 2 || cell[2] < 1;
}

/* A ring round a hole along y. */
static int in_ring(const void *context, const int *cell)
{
    (void)context;
    return cell[0] != 1 || cell[2] != 1;
}

static double volume_of(const struct nb_mesh *mesh)
{
    double volume = 0;
    for (int t = 0; t < mesh->tetra_count; ++t)
        volume += nb_mesh_tetra_volume(mesh, t);
    return volume;
}

/* By the divergence theorem, from the skin alone. */
static double volume_of_skin(const struct nb_mesh *mesh)
{
    double volume = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        double cross[3];
        nb_cross3(mesh->node + 3 * mesh->face[3 * f + 1], mesh->node + 3 * mesh->face[3 * f + 2],
                  cross);
        volume += nb_dot3(mesh->node + 3 * mesh->face[3 * f], cross) / 6;
    }
    return volume;
}

/* Every edge of a closed surface is run through once each way. Returns the number of edges. */
static int count_edges(const struct nb_mesh *mesh)
{
    int edges = 0;
    for (int i = 0; i < 3 * mesh->face_count; ++i) {
        const int from = mesh->face[i], to = mesh->face[i - i % 3 + (i + 1) % 3];
        int same = 0, back = 0;
        for (int j = 0; j < 3 * mesh->face_count; ++j) {
            const int p = mesh->face[j], q = mesh->face[j - j % 3 + (j + 1) % 3];
            same += p == from && q == to;
            back += p == to && q == from;
        }
        assert_int_equal(same, 1);
        assert_int_equal(back, 1);
        edges += from < to;
    }
    return edges;
}

static int count_skin_nodes(const struct nb_mesh *mesh)
{
    int count = 0;
    for (int node = 0; node < mesh->node_count; ++node) {
        int seen = 0;
        for (int i = 0; i < 3 * mesh->face_count; ++i)
            seen |= mesh->face[i] == node;
        count += seen;
    }
    return count;
}

TEST(lattices_are_closed)
{
    const struct {
        int (*keep)(const void *, const int *);
        int cells, euler;
    } cases[] = {{NULL, 24, 2}, {in_angle, 16, 2}, {in_ring, 18, 0}};
    for (int i = 0; i < 3; ++i) {
        const struct nb_lattice lattice = {{4, 2, 3}, cases[i].keep, NULL};
        OWNS(nb_mesh_free) struct nb_mesh mesh;
        assert_ok(nb_mesh_create(&mesh, &lattice, &why));
        const int cells = cases[i].keep == in_ring ? 22 : cases[i].cells;
        assert_int_equal(mesh.tetra_count, 5 * cells);
        for (int t = 0; t < mesh.tetra_count; ++t)
            assert_true(nb_mesh_tetra_volume(&mesh, t) > 0.1);
        assert_near(volume_of(&mesh), cells, 1e-12);
        assert_near(volume_of_skin(&mesh), cells, 1e-12);
        const int edges = count_edges(&mesh);
        assert_int_equal(count_skin_nodes(&mesh) - edges + mesh.face_count, cases[i].euler);
    }
}

static int is_at_end(const void *context, const double *node)
{
    return node[0] == *(const double *)context;
}

/* Bends the box round the y axis: radius 1 where z = 0, angle x. */
static void bend(const void *context, double *node)
{
    const double angle = node[0], radius = *(const double *)context + node[2];
    node[0] = radius * sin(angle);
    node[2] = radius * cos(angle);
}

TEST(boxes_have_their_volume_and_mass)
{
    const int cells[3] = {10, 2, 2};
    const double lower[3] = {-1, 0, 0.5}, sides[3] = {2, 0.5, 0.2}, end = 1;
    const struct nb_elastic rubber = {NB_MATERIAL_NEO_HOOKEAN, 1e5, 0.45, 1200};
    OWNS(nb_problem_free) struct nb_problem problem = {0};
    OWNS(nb_mesh_free) struct nb_mesh mesh;
    double mass = 0, moment[3] = {0};
    int chosen[99];
    assert_ok(nb_mesh_box(&mesh, cells, lower, sides, &why));
    assert_near(volume_of(&mesh), 0.2, 1e-14);
    assert_int_equal(nb_mesh_select(&mesh, is_at_end, &end, chosen), 9);
    for (int i = 0; i < 9; ++i)
        assert_true(mesh.node[3 * chosen[i]] == 1);
    assert_ok(nb_group_allocate(&problem, NB_PARTICLES, mesh.node_count + 3, &why));
    assert_ok(nb_group_allocate(&problem, NB_TETRAHEDRA, mesh.tetra_count, &why));
    nb_scene_make_mesh(&problem, 3, 0, &mesh, &rubber);
    for (int i = 0; i < problem.particles.count; ++i) {
        assert_true((problem.particles.mass[i] > 0) == (i >= 3));
        mass += problem.particles.mass[i];
        nb_add_scaled3(moment, problem.particles.mass[i], problem.particles.position + 3 * i,
                       moment);
    }
    assert_near(mass, 0.2 * 1200, 1e-10);
    for (int k = 0; k < 3; ++k)
        assert_near(moment[k] / mass, lower[k] + sides[k] / 2, 1e-12);
    assert_near(nb_scene_volume(&problem, 0, mesh.tetra_count), 0.2, 1e-14);
    for (int t = 0; t < mesh.tetra_count; ++t) {
        const double *r = problem.tetrahedra.rest + 9 * t, *lame = problem.tetrahedra.lame + 2 * t;
        const double columns[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};
        const int *corner = problem.tetrahedra.particle + 4 * t;
        double cross[3];
        nb_cross3(columns + 3, columns + 6, cross);
        assert_near(nb_dot3(columns, cross) / 6, nb_mesh_tetra_volume(&mesh, t), 1e-16);
        for (int k = 0; k < 9; ++k)
            assert_near(columns[k], problem.particles.position[3 * corner[k / 3 + 1] + k % 3] -
                                        problem.particles.position[3 * corner[0] + k % 3], 1e-16);
        assert_near(lame[1] * (3 * lame[0] + 2 * lame[1]) / (lame[0] + lame[1]), 1e5, 1e-8);
        assert_near(lame[0] / (2 * (lame[0] + lame[1])), 0.45, 1e-14);
    }
}

/* A quarter of a tube, whose volume the straight edges approach from below. */
TEST(a_mapped_finger_keeps_its_orientation)
{
    const int cells[3] = {40, 3, 4};
    const double lower[3] = {0}, sides[3] = {M_PI / 2, 1, 0.5}, radius = 1, wrong = -2;
    const double exact = M_PI / 4 * (1.5 * 1.5 - 1);
    OWNS(nb_mesh_free) struct nb_mesh mesh;
    assert_ok(nb_mesh_box(&mesh, cells, lower, sides, &why));
    assert_ok(nb_mesh_map(&mesh, bend, &radius, &why));
    assert_true(volume_of(&mesh) < exact);
    assert_near(volume_of(&mesh), exact, 1e-3 * exact);
    nb_mesh_free(&mesh);
    assert_ok(nb_mesh_box(&mesh, cells, lower, sides, &why));
    assert_int_equal(nb_mesh_map(&mesh, bend, &wrong, &why), NB_BAD_INPUT);
}

TEST(impossible_lattices_are_refused)
{
    const struct nb_lattice none = {{2, 0, 2}, NULL, NULL}, huge = {{100000, 100000, 1000}, NULL, NULL};
    OWNS(nb_mesh_free) struct nb_mesh mesh;
    assert_int_equal(nb_mesh_create(&mesh, &none, &why), NB_BAD_INPUT);
    assert_int_equal(nb_mesh_create(&mesh, &huge, &why), NB_BAD_INPUT);
}

/* An attachment to a turned body and a distance hold what is: their rows are zero. */
TEST(holders_begin_without_violation)
{
    OWNS(nb_problem_free) struct nb_problem problem = {.time_step = 0.5};
    const double place[6] = {1, 2, 3, 1.5, 2, 3};
    double rotation[9], back[3];
    assert_ok(nb_scene_allocate(&problem, 1, 1, &why));
    assert_ok(nb_group_allocate(&problem, NB_PARTICLES, 2, &why));
    assert_ok(nb_group_allocate(&problem, NB_ATTACHMENTS, 2, &why));
    assert_ok(nb_group_allocate(&problem, NB_DISTANCES, 1, &why));
    memcpy(problem.particles.position, place, sizeof place);
    memcpy(problem.bodies.orientation, (double[]){0.6, 0, 0.8, 0}, 4 * sizeof(double));
    memcpy(problem.bodies.position, (double[]){-1, 0.5, 2}, 3 * sizeof(double));
    nb_scene_attach(&problem, 0, 1, 0, 1e-3);
    nb_scene_attach(&problem, 1, 0, -1, 0);
    nb_scene_keep_distance(&problem, 0, 1, 0, 0);
    nb_quaternion_matrix(problem.bodies.orientation, rotation);
    nb_rotate(rotation, problem.attachments.point, back);
    nb_add_scaled3(back, 1, problem.bodies.position, back);
    for (int k = 0; k < 3; ++k) {
        assert_near(back[k], place[3 + k], 1e-14);
        assert_near(problem.attachments.point[3 + k], place[k], 1e-14);
    }
    assert_near(problem.attachments.compliance[0], 1e-3, 0);
    assert_near(problem.distances.length[0], 0.5, 1e-15);
}
