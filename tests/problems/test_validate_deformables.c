/* What nb_problem_validate promises of particles, tetrahedra, attachments, distances, surfaces and
 * deformable sides of contacts, one damaged entry at a time. */
#include "tests/support/deformable_samples.h"
#include "tests/support/refused.h"

/* Then a new problem. */
static void assert_refused(struct nb_problem *problem, const char *dataset, const char *entry)
{
    assert_problem_refused(problem, dataset, entry);
    make_deformable(problem, 0.2);
}

TEST(accepts_a_deformable_step)
{
    struct nb_problem problem;
    struct nb_error error = {""};
    make_deformable(&problem, 0.2);
    if (nb_problem_validate(&problem, &error))
        fail_msg("%s", error.text);
    nb_problem_free(&problem);
}

TEST(refuses_wrong_particles)
{
    struct nb_problem problem;
    make_deformable(&problem, 0.2);
    problem.particles.count = -1;
    assert_refused(&problem, "particles", "-1");
    problem.particles.position[7] = NAN;
    assert_refused(&problem, "particles/position", "entry 2");
    problem.particles.velocity[38] = INFINITY;
    assert_refused(&problem, "particles/velocity", "entry 12");
    problem.particles.mass[3] = 0;
    assert_refused(&problem, "particles/mass", "entry 3");
    problem.free_velocity[6 * DEFORMABLE_BODIES + 4] = NAN;
    assert_refused(&problem, "particles/free_velocity", "entry 1");
    problem.free_velocity[5] = NAN;
    assert_refused(&problem, "free_velocity", "entry 0");
    nb_problem_free(&problem);
}

TEST(refuses_wrong_tetrahedra)
{
    struct nb_problem problem;
    make_deformable(&problem, 0.2);
    problem.tetrahedra.particle[9] = DEFORMABLE_PARTICLES;
    assert_refused(&problem, "tetrahedra/particle", "entry 2 is particle 13, must be 0 to 12");
    problem.tetrahedra.particle[8] = -1;
    assert_refused(&problem, "tetrahedra/particle", "entry 2 is particle -1");
    problem.tetrahedra.particle[5] = problem.tetrahedra.particle[4];
    assert_refused(&problem, "tetrahedra/particle", "entry 1 has particle");
    for (int k = 0; k < 3; ++k)
        problem.tetrahedra.rest[9 + 3 * k] *= -1;
    assert_refused(&problem, "tetrahedra/rest", "entry 1");
    for (int k = 0; k < 3; ++k)
        problem.tetrahedra.rest[18 + 3 * k] = problem.tetrahedra.rest[19 + 3 * k] * (1 + 1e-17);
    assert_refused(&problem, "tetrahedra/rest", "entry 2");
    problem.tetrahedra.rest[30] = NAN;
    assert_refused(&problem, "tetrahedra/rest", "entry 3");
    problem.tetrahedra.material[4] = 2;
    assert_refused(&problem, "tetrahedra/material", "entry 4 is 2, must be 0 to 1");
    problem.tetrahedra.lame[6] = -1;
    assert_refused(&problem, "tetrahedra/lame", "entry 3");
    problem.tetrahedra.lame[7] = 0;
    assert_refused(&problem, "tetrahedra/lame", "entry 3");
    problem.tetrahedra.inflation[5] = NAN;
    assert_refused(&problem, "tetrahedra/inflation", "entry 5");
    free(problem.tetrahedra.material);
    problem.tetrahedra.material = NULL;
    assert_refused(&problem, "tetrahedra/material", "missing");
    nb_problem_free(&problem);
}

TEST(refuses_wrong_attachments_and_distances)
{
    struct nb_problem problem;
    make_deformable(&problem, 0.2);
    problem.attachments.particle[2] = 13;
    assert_refused(&problem, "attachments/particle", "entry 2");
    problem.attachments.body[1] = 2;
    assert_refused(&problem, "attachments/body", "entry 1 is body 2");
    problem.attachments.point[1] = NAN;
    assert_refused(&problem, "attachments/point", "entry 0");
    problem.attachments.compliance[3] = -1;
    assert_refused(&problem, "attachments/compliance", "entry 3");
    problem.attachments.drift[4] = 0.5;
    assert_refused(&problem, "attachments/drift", "entry 1 is 0.5");
    free(problem.attachments.body);
    problem.attachments.body = NULL;
    assert_refused(&problem, "attachments/body", "missing");
    problem.distances.particle[5] = -1;
    assert_refused(&problem, "distances/particle", "entry 2");
    problem.distances.particle[2] = problem.distances.particle[3];
    assert_refused(&problem, "distances/particle", "entry 1 has particle 10 twice");
    problem.distances.length[1] = 0;
    assert_refused(&problem, "distances/length", "entry 1");
    problem.distances.compliance[0] = NAN;
    assert_refused(&problem, "distances/compliance", "entry 0");
    nb_problem_free(&problem);
}

TEST(refuses_wrong_sides)
{
    struct nb_problem problem;
    make_deformable(&problem, 0.2);
    problem.contacts.particle[6] = 13;
    assert_refused(&problem, "contacts/particle", "entry 1 is particle 13");
    problem.contacts.particle[0] = -2;
    assert_refused(&problem, "contacts/particle", "entry 0 is particle -2");
    problem.contacts.particle[1] = 3;
    problem.contacts.particle[0] = -1;
    problem.contacts.weight[0] = 0;
    assert_refused(&problem, "contacts/particle", "behind a -1");
    problem.contacts.particle[16] = problem.contacts.particle[15];
    assert_refused(&problem, "contacts/particle", "twice on a side");
    problem.contacts.weight[0] = 1.001;
    assert_refused(&problem, "contacts/weight", "entry 0 has the sum 1.001");
    problem.contacts.weight[3] = 0.1;
    assert_refused(&problem, "contacts/weight", "entry 0 is 0.1");
    problem.contacts.weight[15] = -0.1;
    assert_refused(&problem, "contacts/weight", "entry 2");
    problem.contacts.body[2] = 1;
    assert_refused(&problem, "contacts/body", "entry 1 has body 1 and particles");
    problem.contacts.point[8] = 1e-3;
    assert_refused(&problem, "contacts/point", "entry 1 is 0.001");
    problem.contacts.particle[6] = -1;
    problem.contacts.weight[6] = 0;
    assert_refused(&problem, "contacts/body", "entry 1 has body -1 on both sides");
    free(problem.contacts.weight);
    problem.contacts.weight = NULL;
    assert_refused(&problem, "contacts/weight", "missing");
    nb_problem_free(&problem);
}

/* A skin of two triangles on particles of the block. */
static struct nb_shape *add_surface(struct nb_problem *problem)
{
    static const int corners[6] = {0, 1, 2, 2, 1, 3};
    free(problem->shapes);
    struct nb_shape *shape = problem->shapes = calloc(1, sizeof *shape);
    problem->shape_count = 1;
    shape->kind = NB_SHAPE_SURFACE;
    shape->body = -1;
    shape->orientation[0] = 1;
    shape->face_count = 2;
    shape->face_start = calloc(3, sizeof(int));
    shape->face_vertex = calloc(6, sizeof(int));
    shape->face_start[1] = 3;
    shape->face_start[2] = 6;
    memcpy(shape->face_vertex, corners, sizeof corners);
    return shape;
}

TEST(surfaces_have_particles_for_corners)
{
    struct nb_problem problem;
    struct nb_error error = {""};
    make_deformable(&problem, 0.2);
    add_surface(&problem);
    if (nb_problem_validate(&problem, &error))
        fail_msg("%s", error.text);
    nb_problem_free(&problem);
    make_deformable(&problem, 0.2);
    add_surface(&problem)->face_vertex[4] = 13;
    assert_refused(&problem, "shapes/face_vertex", "face 1 of shape 0 names particle 13 of 13");
    add_surface(&problem)->body = 1;
    assert_refused(&problem, "shapes/body", "must be -1 for a surface");
    add_surface(&problem)->face_start[1] = 4;
    assert_refused(&problem, "shapes/face_start", "face 0 of shape 0 has 4 corners");
    struct nb_shape *shape = add_surface(&problem);
    shape->vertex_count = 1;
    shape->vertex = calloc(3, sizeof(double));
    assert_refused(&problem, "shapes/vertex", "has 1 vertices");
    add_surface(&problem)->radius = -1;
    assert_refused(&problem, "shapes/radius", "entry 0");
    nb_problem_free(&problem);
}
