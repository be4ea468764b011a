/* Statics of elastic blocks, reached by steps so long that implicit Euler damps everything: the
 * patch test, a cantilever against beam theory, the uniaxial curve of the neo-Hookean material,
 * both materials at small strain, and elements that were turned over. */
#include "tests/support/judged.h"
#include "tests/support/near.h"

#include "harness/simulate/simulate.h"
#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_deform.h"

static const enum nb_material materials[] = {NB_MATERIAL_HOOKE, NB_MATERIAL_NEO_HOOKEAN};
static const double near_zero = 1e-9;

/* A box from the origin, E = 1e5 Pa and 1000 kg/m^3, in steps of time_step; with room for further
 * particles. */
static void make_box(struct nb_problem *problem, struct nb_mesh *mesh, const int *cells,
                     const double *sides, enum nb_material material, double poisson,
                     int further, double time_step)
{
    const struct nb_elastic elastic = {material, 1e5, poisson, 1000};
    const double lower[3] = {0, 0, 0};
    memset(problem, 0, sizeof *problem);
    strcpy(problem->name, "block");
    problem->time_step = time_step;
    assert_ok(nb_scene_allocate(problem, 0, 0, &why));
    assert_ok(nb_mesh_box(mesh, cells, lower, sides, &why));
    assert_ok(nb_group_allocate(problem, NB_PARTICLES, mesh->node_count + further, &why));
    assert_ok(nb_group_allocate(problem, NB_TETRAHEDRA, mesh->tetra_count, &why));
    nb_scene_make_mesh(problem, 0, 0, mesh, &elastic);
}

/* Holds the chosen particles where they are. */
static void hold(struct nb_problem *problem, const struct nb_mesh *mesh,
                 int (*chosen)(const void *context, const double *node))
{
    OWNS(free_at) int *node = calloc((size_t)mesh->node_count + 1, sizeof *node);
    assert_non_null(node);
    const int count = nb_mesh_select(mesh, chosen, NULL, node);
    assert_int_equal(nb_group_allocate(problem, NB_ATTACHMENTS, count, NULL), NB_OK);
    for (int i = 0; i < count; ++i)
        nb_scene_attach(problem, i, node[i], -1, 0);
}

static void settle(struct nb_problem *problem, int steps, int iterations,
                   nb_step_callback *callback, void *context)
{
    const struct nb_options options = test_whole_newton(iterations);
    test_simulate(problem, steps, &options, callback, context);
}

static int on_boundary(const void *context, const double *x)
{
    (void)context;
    for (int k = 0; k < 3; ++k)
        if (x[k] < near_zero || x[k] > 1 - near_zero)
            return 1;
    return 0;
}

/* Moves what is inside a unit cube, so that no two elements are alike. */
static void make_irregular(const void *context, double *x)
{
    const double at[3] = {x[0], x[1], x[2]};
    if (on_boundary(context, x))
        return;
    x[0] += 0.1 * sin(7 * at[1] + 1);
    x[1] += 0.1 * cos(5 * at[2]);
    x[2] += 0.1 * sin(3 * at[0] + 2 * at[1]);
}

/* The boundary of an irregular mesh is moved by a homogeneous deformation F: what is inside follows
 * it, the stress being the same everywhere. */
TEST(patch_test)
{
    static const double f[9] = {1.2, 0.1, 0, -0.15, 0.9, 0.1, 0.05, 0.2, 1.1};
    static const int cells[3] = {2, 2, 3};
    static const double sides[3] = {1, 1, 1};
    for (int m = 0; m < 2; ++m) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(nb_mesh_free) struct nb_mesh mesh;
        double target[3];
        make_box(&problem, &mesh, cells, sides, materials[m], 0.3, 0, 2);
        assert_int_equal(nb_mesh_map(&mesh, make_irregular, NULL, NULL), NB_OK);
        const struct nb_elastic elastic = {materials[m], 1e5, 0.3, 1000};
        nb_scene_make_mesh(&problem, 0, 0, &mesh, &elastic);
        hold(&problem, &mesh, on_boundary);
        assert_int_equal(problem.particles.count - problem.attachments.count, 2);
        for (int i = 0; i < problem.attachments.count; ++i) {
            memcpy(target, problem.attachments.point + 3 * i, sizeof target);
            for (int r = 0; r < 3; ++r)
                problem.attachments.point[3 * i + r] = nb_dot3(f + 3 * r, target);
        }
        settle(&problem, 6, 10, NULL, NULL);
        for (int i = 0; i < mesh.node_count; ++i)
            for (int r = 0; r < 3; ++r)
                assert_near(problem.particles.position[3 * i + r],
                            nb_dot3(f + 3 * r, mesh.node + 3 * i), 1e-10);
    }
}

static int at_wall(const void *context, const double *x)
{
    (void)context;
    return x[0] < near_zero;
}

/* How far the tip of a horizontal bar of 1 m x 0.25 m x 0.25 m sinks under its weight, over what
 * Timoshenko's beam says: w L^4/(8 E I) + w L^2/(2 kappa G A), kappa = 5/6, nu = 0. */
static double tip_over_beam(enum nb_material material, int refinement)
{
    const double length = 1, height = 0.25, gravity = 1e-3, density = 1000, young = 1e5;
    const double load = density * gravity * height * height;
    const double bending = load * pow(length, 4) / (8 * young * pow(height, 4) / 12);
    const double shear = load * pow(length, 2) / (2 * 5.0 / 6 * young / 2 * height * height);
    const double sides[3] = {length, height, height};
    const int cells[3] = {4 * refinement, refinement, refinement};
    struct nb_problem problem;
    struct nb_mesh mesh;
    double sink = 0;
    int tips = 0;
    make_box(&problem, &mesh, cells, sides, material, 0, 0, 20);
    problem.gravity[2] = -gravity;
    hold(&problem, &mesh, at_wall);
    settle(&problem, 3, 3, NULL, NULL);
    for (int i = 0; i < mesh.node_count; ++i)
        if (mesh.node[3 * i] > length - near_zero) {
            sink += mesh.node[3 * i + 2] - problem.particles.position[3 * i + 2];
            ++tips;
        }
    nb_mesh_free(&mesh);
    nb_problem_free(&problem);
    return sink / tips / (bending + shear);
}

/* Linear elements are too stiff in bending, by a part that falls with the square of their size: the
 * stiffness extrapolated to no size at all is the beam's. The material makes no difference here. */
TEST(a_cantilever_bends_as_a_beam)
{
    const double two = tip_over_beam(NB_MATERIAL_HOOKE, 2);
    const double three = tip_over_beam(NB_MATERIAL_HOOKE, 3);
    const double slope = (1 / two - 1 / three) / (1.0 / 4 - 1.0 / 9);
    const double limit = 1 / (1 / three - slope / 9);
    print_message("tip over beam theory: %.4f, %.4f; extrapolated %.4f\n", two, three, limit);
    assert_true(two < three && three < 1);
    assert_near(limit, 1, 0.02);
    assert_near(tip_over_beam(NB_MATERIAL_NEO_HOOKEAN, 1), tip_over_beam(NB_MATERIAL_HOOKE, 1),
                1e-5);
}

enum { BAR = 1000 }; /* [m] */

/* Ties every particle of the lower face to one of its own, held far below it: so the face stays
 * plane and is free to narrow. The last `lower` particles are those. */
static void tie_down(struct nb_problem *problem, const struct nb_mesh *mesh, int lower)
{
    const int first = mesh->node_count;
    int tied = 0;
    assert_int_equal(nb_group_allocate(problem, NB_ATTACHMENTS, lower, NULL), NB_OK);
    assert_int_equal(nb_group_allocate(problem, NB_DISTANCES, lower, NULL), NB_OK);
    for (int i = 0; i < mesh->node_count; ++i) {
        const int anchor = first + tied;
        if (mesh->node[3 * i + 2] > near_zero)
            continue;
        memcpy(problem->particles.position + 3 * anchor, mesh->node + 3 * i, 3 * sizeof(double));
        problem->particles.position[3 * anchor + 2] -= BAR;
        problem->particles.mass[anchor] = 1;
        nb_scene_attach(problem, tied, anchor, -1, 0);
        nb_scene_keep_distance(problem, tied++, i, anchor, 0);
    }
    assert_int_equal(tied, lower);
}

/* Keeps the sum of the distances' tensions. */
static int watch_tension(void *context, const struct nb_problem *problem, const double *u,
                         const double *lambda)
{
    double *tension = context;
    (void)u;
    *tension = 0;
    for (int i = 0; i < problem->distances.count; ++i)
        *tension -= lambda[3 * problem->attachments.count + i];
    return 0;
}

/* P(s) = 2 C_1 s + 2 D_1 (J - alpha) t^2 with the lateral stretch t that has no stress:
 * C_1 + D_1 (s t^2 - alpha) s = 0. */
static double uniaxial_stress(double lambda, double mu, double s)
{
    const double c = mu / 2, d = (lambda + mu) / 2, alpha = 1 + c / d;
    const double square = (alpha - c / (d * s)) / s;
    return 2 * c * s + 2 * d * (s * square - alpha) * square;
}

/* Masses that load the upper face of a unit cube evenly: a third of each triangle to each corner. */
static void load_top(struct nb_problem *problem, const struct nb_mesh *mesh, double mass)
{
    for (int i = 0; i < mesh->node_count; ++i)
        problem->particles.mass[i] = 1;
    for (int f = 0; f < mesh->face_count; ++f) {
        const int *corner = mesh->face + 3 * f;
        int upper = 1;
        for (int k = 0; k < 3; ++k)
            upper &= mesh->node[3 * corner[k] + 2] > 1 - near_zero;
        for (int k = 0; k < 3 && upper; ++k) /* every triangle is half of the face */
            problem->particles.mass[corner[k]] += mass / 6;
    }
}

/* A unit cube whose upper particles are heavy, drawn out upwards by their weight: stretch and
 * tension against the curve. */
TEST(a_block_follows_the_uniaxial_curve)
{
    static const int cells[3] = {1, 1, 1};
    static const double sides[3] = {1, 1, 1}, loads[] = {0.1, 0.5, 1};
    for (size_t k = 0; k < sizeof loads / sizeof *loads; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(nb_mesh_free) struct nb_mesh mesh;
        double tension, stretch = 0, weight = 0;
        make_box(&problem, &mesh, cells, sides, NB_MATERIAL_NEO_HOOKEAN, 0.3, 4, 1);
        const double lambda = problem.tetrahedra.lame[0], mu = problem.tetrahedra.lame[1];
        load_top(&problem, &mesh, 1000);
        tie_down(&problem, &mesh, 4);
        problem.gravity[2] = loads[k] * mu / 1000;
        settle(&problem, 12, 8, watch_tension, &tension);
        for (int i = 0; i < mesh.node_count; ++i) {
            const int upper = mesh.node[3 * i + 2] > 0.5;
            stretch += problem.particles.position[3 * i + 2] * (upper ? 0.25 : -0.25);
            weight += upper ? problem.particles.mass[i] * problem.gravity[2] : 0;
        }
        const double curve = uniaxial_stress(lambda, mu, stretch);
        print_message("tension %.4f mu: stretch %.6f, there the curve has %.4f mu\n", tension / mu,
                      stretch, curve / mu);
        assert_near(tension / weight, 1, 0.01); /* the lower particles weigh something, too */
        assert_near(curve / weight, 1, 1e-3);
    }
}

/* A particle inside pushed through its neighbours turns elements over; the boundary is held. */
TEST(inverted_elements_recover_in_place)
{
    static const int cells[3] = {2, 2, 2};
    static const double sides[3] = {1, 1, 1};
    for (int m = 0; m < 2; ++m) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(nb_mesh_free) struct nb_mesh mesh;
        struct nb_element element;
        int inside = -1, inverted = 0;
        make_box(&problem, &mesh, cells, sides, materials[m], 0.3, 0, 0.05);
        hold(&problem, &mesh, on_boundary);
        for (int i = 0; i < mesh.node_count; ++i)
            if (!on_boundary(NULL, mesh.node + 3 * i))
                inside = i;
        problem.particles.position[3 * inside] += 0.9;
        problem.particles.position[3 * inside + 1] -= 0.6;
        for (int t = 0; t < problem.tetrahedra.count; ++t) {
            nb_element_evaluate(&problem.tetrahedra, t, problem.particles.position, &element);
            inverted += element.stretch[2] < 0;
        }
        assert_true(inverted > 0);
        settle(&problem, 20, 8, NULL, NULL);
        for (int k = 0; k < 3; ++k)
            assert_near(problem.particles.position[3 * inside + k], 0.5, 1e-6);
    }
}
