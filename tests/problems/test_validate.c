/* Every promise of nb_problem_validate, one damaged array at a time: the message must name the
 * dataset and the first offending entry. */
#include "problems/collide/collide.h"
#include "problems/problem.h"
#include "problems/scene.h"
#include "problems/scenes/build/scene_build.h"
#include "tests/support/refused.h"

/* Two boxes on the ground, one on the other: 8 contacts. */
static void make_step(struct nb_problem *problem)
{
    const double sides[3] = {1, 1, 1}, low[3] = {0, 0, 0.5}, high[3] = {0, 0, 1.5};
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_ok(nb_scene_allocate(problem, 2, 3, &why));
    problem->shapes[0].kind = NB_SHAPE_PLANE;
    assert_ok(nb_scene_make_box(problem, 0, &problem->shapes[1], sides, 1, low, &why));
    assert_ok(nb_scene_make_box(problem, 1, &problem->shapes[2], sides, 2, high, &why));
    assert_ok(nb_collide(problem, 0.01, &why));
    problem->free_velocity = calloc(12, sizeof(double));
    assert_non_null(problem->free_velocity);
    assert_int_equal(problem->contacts.count, 8);
}

TEST(accepts_a_step)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    make_step(&problem);
    assert_ok(nb_problem_validate(&problem, &why));
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    assert_ok(nb_problem_validate(&linear, &why));
}

TEST(accepts_nothing)
{
    struct nb_problem problem = {.time_step = 1};
    assert_ok(nb_problem_validate(&problem, &why));
    problem.form = NB_LINEAR_LOCAL;
    assert_ok(nb_problem_validate(&problem, &why));
}

TEST(refuses_scalars)
{
    const double steps[] = {0, -1, NAN, INFINITY};
    struct nb_problem problem;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        make_step(&problem);
        problem.time_step = steps[i];
        assert_problem_refused(&problem, "time_step", "positive");
    }
    make_step(&problem);
    problem.gravity[1] = NAN;
    assert_problem_refused(&problem, "gravity", "nan");
    make_step(&problem);
    problem.form = (enum nb_form)7;
    assert_problem_refused(&problem, "form", "7");
}

TEST(refuses_counts)
{
    struct nb_problem problem = {.time_step = 1};
    problem.bodies.count = -1;
    assert_problem_refused(&problem, "bodies", "-1");
    problem = (struct nb_problem){.time_step = 1};
    problem.contacts.count = 2;
    assert_problem_refused(&problem, "contacts/body", "missing");
    problem = (struct nb_problem){.time_step = 1, .form = NB_LINEAR_GLOBAL};
    problem.linear.contacts = INT32_MAX;
    assert_problem_refused(&problem, "fclib_global", "2147483647");
}

TEST(refuses_values)
{
    const struct damage damages[] = {
        {"bodies/position", 4, NAN, "entry 1"},
        {"bodies/orientation", 4, 1.1, "quaternion 1"},
        {"bodies/orientation", 2, INFINITY, "entry 0"},
        {"bodies/velocity", 11, INFINITY, "entry 1"},
        {"bodies/mass", 1, -2, "entry 1"},
        {"bodies/mass", 0, 0, "entry 0"},
        {"bodies/mass", 0, NAN, "entry 0"},
        {"bodies/inertia", 9, -1, "tensor 1"},
        {"bodies/inertia", 1, 0.01, "tensor 0 is not symmetric"},
        {"contacts/body", 5, 2, "entry 2"},
        {"contacts/body", 0, -2, "entry 0"},
        {"contacts/point", 42, NAN, "entry 7"},
        {"contacts/radius", 7, -1e-9, "entry 3"},
        {"contacts/radius", 0, NAN, "entry 0"},
        {"contacts/frame", 27, 1.001, "frame 3"},
        {"contacts/thickness", 5, INFINITY, "entry 5"},
        {"contacts/friction", 2, -0.5, "entry 2"},
    };
    struct nb_problem problem;
    assert_each_refused(make_step, damages, sizeof damages / sizeof *damages);
    assert_missing_refused(make_step);
    make_step(&problem);
    problem.free_velocity[6] = NAN;
    assert_problem_refused(&problem, "free_velocity", "entry 1");
    make_step(&problem);
    problem.contacts.body[0] = problem.contacts.body[1];
    assert_problem_refused(&problem, "contacts/body", "both sides");
}

TEST(refuses_a_left_handed_frame)
{
    struct nb_problem problem;
    make_step(&problem);
    for (int k = 6; k < 9; ++k)
        problem.contacts.frame[k] = -problem.contacts.frame[k];
    assert_problem_refused(&problem, "contacts/frame", "right-handed");
}

/* A step with the shape of that index, to damage it. */
static struct nb_shape *shape_of_step(struct nb_problem *problem, int index)
{
    make_step(problem);
    return &problem->shapes[index];
}

TEST(refuses_shapes)
{
    struct nb_problem problem;
    shape_of_step(&problem, 1)->body = 9;
    assert_problem_refused(&problem, "shapes/body", "entry 1");
    shape_of_step(&problem, 1)->kind = (enum nb_shape_kind)(NB_SHAPE_FIELD + 1);
    assert_problem_refused(&problem, "shapes/kind", "entry 1");
    shape_of_step(&problem, 2)->face_vertex[3] = 8;
    assert_problem_refused(&problem, "shapes/face_vertex", "face 0 of shape 2");
    shape_of_step(&problem, 2)->face_start[1] = 2;
    assert_problem_refused(&problem, "shapes/face_start", "face 0 of shape 2");
    shape_of_step(&problem, 2)->face_start[0] = 1;
    assert_problem_refused(&problem, "shapes/face_start", "shape 2");
    shape_of_step(&problem, 2)->vertex[21] = NAN;
    assert_problem_refused(&problem, "shapes/vertex", "vertex 7 of shape 2");
    shape_of_step(&problem, 1)->orientation[0] = 0;
    assert_problem_refused(&problem, "shapes/orientation", "quaternion 1 has");
    shape_of_step(&problem, 2)->position[1] = NAN;
    assert_problem_refused(&problem, "shapes/position", "entry 2 is nan");
    shape_of_step(&problem, 2)->friction = -0.1;
    assert_problem_refused(&problem, "shapes/friction", "entry 2 is -0.1, must not be negative");
}

/* Shape 1 as a sphere or capsule of the given measures; word must be in the message. */
static void refuse_round(enum nb_shape_kind kind, double radius, double half, const char *dataset)
{
    struct nb_problem problem;
    make_step(&problem);
    problem.shapes[1].kind = kind;
    problem.shapes[1].radius = radius;
    problem.shapes[1].half_length = half;
    assert_problem_refused(&problem, dataset, "entry 1");
}

TEST(refuses_round_shapes)
{
    refuse_round(NB_SHAPE_SPHERE, 0, 0, "shapes/radius");
    refuse_round(NB_SHAPE_SPHERE, -1, 0, "shapes/radius");
    refuse_round(NB_SHAPE_CAPSULE, NAN, 1, "shapes/radius");
    refuse_round(NB_SHAPE_CAPSULE, INFINITY, 1, "shapes/radius");
    refuse_round(NB_SHAPE_CONVEX, -1, 0, "shapes/radius");
    refuse_round(NB_SHAPE_CAPSULE, 1, -1, "shapes/half_length");
    refuse_round(NB_SHAPE_CAPSULE, 1, NAN, "shapes/half_length");
}

static void make_linear(struct nb_problem *linear)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_step(&problem);
    assert_ok(nb_problem_linearize(&problem, linear, &why));
}

TEST(refuses_matrices)
{
    struct nb_problem problem;
    make_linear(&problem);
    problem.linear.mass.columns = 11;
    assert_problem_refused(&problem, "fclib_global/M", "12 x 11");
    make_linear(&problem);
    problem.linear.mass.value[1] = -1;
    assert_problem_refused(&problem, "fclib_global/M", "diagonal entry 1");
    make_linear(&problem);
    problem.linear.mass.column[0] = 1;
    assert_problem_refused(&problem, "fclib_global/M", "diagonal entry 0");
    make_linear(&problem);
    problem.linear.contact_jacobian.rows = 3;
    assert_problem_refused(&problem, "fclib_global/H", "3 x 12");
    make_linear(&problem);
    problem.linear.contact_jacobian.column[1] = 12;
    assert_problem_refused(&problem, "fclib_global/H", "row 0");
    make_linear(&problem);
    problem.linear.contact_jacobian.column[7] = problem.linear.contact_jacobian.column[6];
    assert_problem_refused(&problem, "fclib_global/H", "row 1 do not ascend");
    make_linear(&problem);
    problem.linear.contact_jacobian.value[13] = NAN;
    assert_problem_refused(&problem, "fclib_global/H", "row 2");
    make_linear(&problem);
    problem.linear.contact_jacobian.start[2] = 1;
    assert_problem_refused(&problem, "fclib_global/H", "row starts fall at row 1");
    make_linear(&problem);
    problem.linear.contact_jacobian.start[0] = 1;
    assert_problem_refused(&problem, "fclib_global/H", "begin with 1");
    make_linear(&problem);
    problem.linear.bilaterals = 2;
    assert_problem_refused(&problem, "fclib_global/G", "must be 2 x 12");
}

/* A contact and a bilateral row with a response of its own; -1e-16 is what rounding leaves of a zero. */
TEST(refuses_a_response_the_other_way)
{
    int start[] = {0, 1, 2, 3, 4}, column[] = {0, 1, 2, 3};
    double value[] = {1, 1, 1, 1}, velocity[3] = {0}, bilateral = 0, friction = 0.5;
    struct nb_problem problem = {.time_step = 1, .form = NB_LINEAR_LOCAL};
    struct nb_linear_step *step = &problem.linear;
    step->contacts = step->bilaterals = 1;
    step->contact_velocity = velocity;
    step->bilateral_velocity = &bilateral;
    step->friction = &friction;
    step->delassus = (struct nb_csr){.rows = 4, .columns = 4, .start = start, .column = column, .value = value};
    for (int row = 0; row < 4; ++row) {
        char entry[32];
        snprintf(entry, sizeof entry, "diagonal entry %d", row);
        value[row] = -1e-16;
        assert_ok(nb_problem_validate(&problem, &why));
        value[row] = -0.25;
        assert_refused(nb_problem_validate(&problem, &why), NB_BAD_INPUT, row < 3 ? "fclib_local/W" : "fclib_local/R");
        assert_non_null(strstr(why.text, entry));
        value[row] = 1;
    }
}

TEST(refuses_linear_vectors)
{
    struct nb_problem problem;
    make_linear(&problem);
    problem.linear.force[10] = NAN;
    assert_problem_refused(&problem, "fclib_global/vectors/f", "entry 10");
    make_linear(&problem);
    problem.linear.contact_velocity[4] = INFINITY;
    assert_problem_refused(&problem, "fclib_global/vectors/w", "entry 1");
    make_linear(&problem);
    problem.linear.friction[3] = -1;
    assert_problem_refused(&problem, "fclib_global/vectors/mu", "entry 3");
    problem = (struct nb_problem){.time_step = 1, .form = NB_LINEAR_LOCAL};
    problem.linear.contacts = 1;
    assert_problem_refused(&problem, "fclib_local/W", "must be 3 x 3");
}

/* Of no physical step, though its diagonal is positive; a singular matrix and its rounding are. */
TEST(refuses_what_is_indefinite)
{
    const struct {
        double tangents, diagonal;
        const char *said;
    } of[] = {
        {2, 1, "entry 2, 1 is 2, at most 1 beside"}, {0, -1, "diagonal entry 1 is -1, must not"}, {1 + 1e-7, 1, NULL}};
    for (size_t i = 0; i < sizeof of / sizeof *of; ++i) {
        double value[] = {1, of[i].diagonal, of[i].tangents, of[i].tangents, 1}, q[3] = {-1}, mu[1] = {0.3};
        int start[] = {0, 1, 3, 5}, column[] = {0, 1, 2, 1, 2};
        const struct nb_csr delassus = {.rows = 3, .columns = 3, .start = start, .column = column, .value = value};
        struct nb_problem problem = {.time_step = 1, .form = NB_LINEAR_LOCAL};
        problem.linear = (struct nb_linear_step){.contacts = 1, .contact_velocity = q, .friction = mu};
        problem.linear.delassus = delassus;
        const enum nb_status status = nb_problem_validate(&problem, &why);
        assert_int_equal(status, of[i].said ? NB_BAD_INPUT : NB_OK);
        if (of[i].said)
            assert_non_null(strstr(why.text, of[i].said));
    }
}
