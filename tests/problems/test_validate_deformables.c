/* What nb_problem_validate promises of particles, tetrahedra, attachments, distances, surfaces and
 * deformable sides of contacts, one damaged entry at a time. */
#include "tests/support/deformable_samples.h"
#include "tests/support/refused.h"

static void make(struct nb_problem *problem)
{
    static const int particle[2 * NB_TIED] = {0, 3, 9, 12, -1, -1, 5, 2, 8, -1, -1, -1};
    static const double weight[2 * NB_TIED] = {1, -0.5, -0.7, 0.2, 0, 0, 1, -0.5, -0.5, 0, 0, 0};
    make_deformable(problem, 0.2);
    deformable_group(problem, NB_TIES, 2);
    memcpy(problem->ties.particle, particle, sizeof particle);
    memcpy(problem->ties.weight, weight, sizeof weight);
    problem->ties.damping = calloc(2, sizeof(double));
    problem->distances.damping = calloc(DEFORMABLE_DISTANCES, sizeof(double));
    assert_true(problem->ties.damping && problem->distances.damping);
}

/* Then a new problem. */
static void assert_entry_refused(struct nb_problem *problem, const char *dataset, const char *entry)
{
    assert_problem_refused(problem, dataset, entry);
    make(problem);
}

TEST(accepts_a_deformable_step)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make(&problem);
    assert_ok(nb_problem_validate(&problem, &why));
}

TEST(refuses_wrong_entries)
{
    const struct damage damages[] = {
        {"particles/position", 7, NAN, "entry 2"},
        {"particles/velocity", 38, INFINITY, "entry 12"},
        {"particles/mass", 3, 0, "entry 3"},
        {"tetrahedra/particle", 9, DEFORMABLE_PARTICLES, "entry 2 is particle 13, must be 0 to 12"},
        {"tetrahedra/particle", 8, -1, "entry 2 is particle -1"},
        {"tetrahedra/rest", 30, NAN, "entry 3"},
        {"tetrahedra/material", 4, 2, "entry 4 is 2, must be 0 to 1"},
        {"tetrahedra/lame", 6, -1, "entry 3"},
        {"tetrahedra/lame", 7, 0, "entry 3"},
        {"tetrahedra/inflation", 5, NAN, "entry 5"},
        {"attachments/particle", 2, 13, "entry 2"},
        {"attachments/body", 1, 2, "entry 1 is body 2"},
        {"attachments/point", 1, NAN, "entry 0"},
        {"attachments/compliance", 3, -1, "entry 3"},
        {"attachments/drift", 4, 0.5, "entry 1 is 0.5"},
        {"distances/particle", 5, -1, "entry 2"},
        {"distances/particle", 2, 10, "entry 1 has particle 10 twice"},
        {"distances/length", 1, 0, "entry 1"},
        {"distances/compliance", 0, NAN, "entry 0"},
        {"distances/damping", 1, -1, "entry 1"},
        {"ties/particle", 0, -1, "entry 0 has particle -1"},
        {"ties/particle", 6, 13, "entry 1 has particle 13"},
        {"ties/particle", 10, 3, "entry 1 has particle 3 behind a -1"},
        {"ties/particle", 7, 5, "entry 1 has particle 5 twice"},
        {"ties/weight", 4, 0.5, "entry 0 is 0.5"},
        {"ties/weight", 7, NAN, "entry 1"},
        {"ties/compliance", 1, -1, "entry 1"},
        {"ties/damping", 0, NAN, "entry 0"},
        {"contacts/particle", 6, 13, "entry 1 is particle 13"},
        {"contacts/particle", 0, -2, "entry 0 is particle -2"},
        {"contacts/weight", 0, 1.001, "entry 0 has the sum 1.001"},
        {"contacts/weight", 3, 0.1, "entry 0 is 0.1"},
        {"contacts/weight", 15, -0.1, "entry 2"},
        {"contacts/body", 2, 1, "entry 1 has body 1 and particles"},
        {"contacts/point", 8, 1e-3, "entry 1 is 0.001"},
    };
    assert_each_refused(make, damages, sizeof damages / sizeof *damages);
    assert_missing_refused(make);
}

TEST(refuses_what_only_several_entries_show)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make(&problem);
    problem.particles.count = -1;
    assert_entry_refused(&problem, "particles", "-1");
    problem.free_velocity[6 * DEFORMABLE_BODIES + 4] = NAN;
    assert_entry_refused(&problem, "particles/free_velocity", "entry 1");
    problem.free_velocity[5] = NAN;
    assert_entry_refused(&problem, "free_velocity", "entry 0");
    problem.tetrahedra.particle[5] = problem.tetrahedra.particle[4];
    assert_entry_refused(&problem, "tetrahedra/particle", "entry 1 has particle");
    for (int k = 0; k < 3; ++k)
        problem.tetrahedra.rest[9 + 3 * k] *= -1;
    assert_entry_refused(&problem, "tetrahedra/rest", "entry 1");
    for (int k = 0; k < 3; ++k)
        problem.tetrahedra.rest[18 + 3 * k] = problem.tetrahedra.rest[19 + 3 * k] * (1 + 1e-17);
    assert_entry_refused(&problem, "tetrahedra/rest", "entry 2");
    problem.contacts.particle[1] = 3;
    problem.contacts.particle[0] = -1;
    problem.contacts.weight[0] = 0;
    assert_entry_refused(&problem, "contacts/particle", "behind a -1");
    problem.contacts.particle[16] = problem.contacts.particle[15];
    assert_entry_refused(&problem, "contacts/particle", "twice on a side");
    problem.contacts.particle[6] = -1;
    problem.contacts.weight[6] = 0;
    assert_entry_refused(&problem, "contacts/body", "entry 1 has body -1 on both sides");
    free(problem.contacts.weight);
    problem.contacts.weight = NULL;
    assert_entry_refused(&problem, "contacts/weight", "missing");
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
    OWNS(nb_problem_free) struct nb_problem problem;
    make_deformable(&problem, 0.2);
    add_surface(&problem);
    assert_ok(nb_problem_validate(&problem, &why));
    nb_problem_free(&problem);
    make_deformable(&problem, 0.2);
    add_surface(&problem)->face_vertex[4] = 13;
    assert_entry_refused(&problem, "shapes/face_vertex", "face 1 of shape 0 names particle 13 of 13");
    add_surface(&problem)->body = 1;
    assert_entry_refused(&problem, "shapes/body", "must be -1 for a surface");
    add_surface(&problem)->face_start[1] = 4;
    assert_entry_refused(&problem, "shapes/face_start", "face 0 of shape 0 has 4 corners");
    struct nb_shape *shape = add_surface(&problem);
    shape->vertex_count = 1;
    shape->vertex = calloc(3, sizeof(double));
    assert_entry_refused(&problem, "shapes/vertex", "has 1 vertices");
    add_surface(&problem)->radius = -1;
    assert_entry_refused(&problem, "shapes/radius", "entry 0");
}
