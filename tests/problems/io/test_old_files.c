/* Files of tests/data, which older programs wrote and gzip packed: each is read, says its version, holds what today's
 * program exports of the same scene, and has the same solution. Its README.md says which commit wrote which. */
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/solve.h"
#include "tests/support/io_files.h"
#include "tests/support/judged.h"
#include "tests/support/same_problem.h"
#include "tests/support/support.h"

#include <hdf5.h>
#include <zlib.h>

struct old {
    const char *file, *commit;
    int version;
    const char *scene, *settings[6];
    int contacts, joints, limits, distances, ties; /* how many it has */
    int solution;                                  /* whether it has one */
};

static const struct old olds[] = {
    {.file = "version_1_first", .commit = "6e96da9f", .version = 1, .scene = "sliding_box", .contacts = 4,
     .solution = 1},
    {.file = "version_1_joint_impulse", .commit = "86bac30e", .version = 1, .scene = "double_pendulum_mass",
     .joints = 2, .solution = 1},
    {.file = "version_1_field", .commit = "c0dc519d", .version = 1, .scene = "draped_cloth",
     .settings = {"cells=1", "field=5", "gap=0.001", "time_step=0.0083"}, .contacts = 1, .distances = 5},
    {.file = "version_2", .commit = "8eb94bb2", .version = 2, .scene = "hinge_limits", .joints = 8,
     .limits = 16},
    {.file = "version_3", .commit = "d0cc62a7", .version = 3, .scene = "curved_slide", .settings = {"twist=20"},
     .contacts = 4},
    {.file = "version_4", .commit = "c0dc519d", .version = 4, .scene = "steered_boxes",
     .settings = {"count=1", "reach=2", "wave=2"}, .contacts = 4},
    {.file = "version_5", .commit = "5fbe0142", .version = 5, .scene = "box_on_plane",
     .settings = {"contact_compliance=1e-6", "friction_compliance=1e-5"}, .contacts = 4},
    {.file = "version_6", .commit = "ddd7094c", .version = 6, .scene = "shell", .settings = {"cells=2", "across=1"},
     .distances = 13, .ties = 10},
};
enum { OLDS = sizeof olds / sizeof *olds };

/* Into the test's folder. */
static const char *unpack(void **state, const struct old *old)
{
    enum { LARGEST = 1 << 17 };
    char packed[128], name[64];
    snprintf(packed, sizeof packed, "tests/data/%s.h5.gz", old->file);
    snprintf(name, sizeof name, "%s.h5", old->file);
    OWNS(free_at) char *bytes = malloc(LARGEST);
    const gzFile file = gzopen(packed, "rb");
    assert_non_null(bytes);
    assert_non_null(file);
    const int size = gzread(file, bytes, LARGEST);
    gzclose(file);
    assert_true(size > 0 && size < LARGEST);
    const char *path = in_folder(state, name);
    write_bytes(path, bytes, (size_t)size);
    return path;
}

static void read_old(void **state, const struct old *old, struct nb_problem *problem)
{
    assert_ok(nb_problem_read(unpack(state, old), problem, &why));
    assert_ok(nb_problem_validate(problem, &why));
}

/* The same scene by today's program. */
static void make_today(const struct old *old, struct nb_problem *problem)
{
    test_scene(problem, old->scene, old->settings);
}

TEST_IN_FOLDER(old_files_say_their_version_and_hold_what_it_added)
{
    for (int i = 0; i < OLDS; ++i) {
        const struct old *old = &olds[i];
        OWNS(nb_problem_free) struct nb_problem problem;
        int version = 0, structured = 0, mapped = 0, fields = 0;
        const hid_t file = H5Fopen(unpack(state, old), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t attribute = H5Aopen(file, "version", H5P_DEFAULT);
        assert_true(H5Aread(attribute, H5T_NATIVE_INT, &version) >= 0);
        H5Aclose(attribute);
        H5Fclose(file);
        read_old(state, old, &problem);
        print_message("%s: %s\n", old->file, problem.generator);
        assert_int_equal(version, old->version);
        assert_non_null(strstr(problem.generator, old->commit));
        for (int k = 0; k < problem.shape_count; ++k) {
            structured += problem.shapes[k].across > 0;
            mapped += problem.shapes[k].map.angle != NULL;
            fields += problem.shapes[k].kind == NB_SHAPE_FIELD;
        }
        assert_int_equal(problem.contacts.count, old->contacts);
        assert_int_equal(problem.joints.count, old->joints);
        assert_int_equal(problem.limits.count, old->limits);
        assert_int_equal(problem.distances.count, old->distances);
        assert_int_equal(problem.ties.count, old->ties);
        assert_int_equal(structured > 0, version == 3 || version == 4);
        assert_int_equal(mapped, version == 4);
        assert_int_equal(problem.contacts.compliance != NULL, version == 5);
        assert_int_equal(fields, strcmp(old->scene, "draped_cloth") == 0);
    }
}

/* Up to what two compilers round. */
static void near_values(const char *file, const char *what, const double *a, const double *b, size_t count)
{
    double scale = 0;
    for (size_t i = 0; i < count; ++i)
        scale = fmax(scale, fabs(b[i]));
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(a[i] - b[i]) <= 1e-12 * scale))
            fail_msg("%s: %s %zu is %.17g, today %.17g", file, what, i, a[i], b[i]);
}

static void near_arrays(const char *file, const struct nb_problem *a, const struct nb_problem *b)
{
    for (int g = 0; g < NB_FIELD_GROUPS; ++g)
        for (const struct nb_field *field = nb_field_groups[g].field; field->name; ++field) {
            const void *left = nb_field_array(a, field), *right = nb_field_array(b, field);
            const size_t entries = (size_t)nb_field_entries(a, field);
            if (entries != (size_t)nb_field_entries(b, field))
                fail_msg("%s: %s has %zu entries, today %d", file, field->name, entries, nb_field_entries(b, field));
            OWNS(free_at) void *zeros = calloc(entries + 1, nb_field_bytes(field));
            left = left ? left : zeros;
            right = right ? right : zeros;
            if (field->whole)
                same_bytes(field->name, left, right, entries * nb_field_bytes(field));
            else
                near_values(file, field->name, left, right, entries * nb_field_bytes(field) / sizeof(double));
        }
}

static void near_shapes(const char *file, const struct nb_problem *a, const struct nb_problem *b)
{
    assert_int_equal(a->shape_count, b->shape_count);
    for (int i = 0; i < a->shape_count; ++i) {
        const struct nb_shape *s = &a->shapes[i], *t = &b->shapes[i];
        assert_int_equal(s->kind, t->kind);
        assert_int_equal(s->body, t->body);
        assert_int_equal(s->vertex_count, t->vertex_count);
        assert_int_equal(s->face_count, t->face_count);
        near_values(file, "shapes/position", s->position, t->position, 3);
        near_values(file, "shapes/orientation", s->orientation, t->orientation, 4);
        near_values(file, "shapes/friction", &s->friction, &t->friction, 1);
        near_values(file, "shapes/structure", s->structure, t->structure, 3);
        near_values(file, "shapes/across", &s->across, &t->across, 1);
        near_values(file, "shapes/radius", &s->radius, &t->radius, 1);
        near_values(file, "shapes/half_length", &s->half_length, &t->half_length, 1);
        near_values(file, "shapes/vertex", s->vertex, t->vertex, 3 * (size_t)s->vertex_count);
        if (s->face_count > 0) {
            SAME_ARRAY(s, t, face_start, s->face_count + 1);
            SAME_ARRAY(s, t, face_vertex, s->face_start[s->face_count]);
        }
        assert_int_equal(s->field.kind, t->field.kind);
        near_values(file, "shapes/size", s->field.size, t->field.size, 4);
        SAME_ARRAY(&s->map, &t->map, nodes, 2);
        near_values(file, "shapes/map_corner", s->map.corner, t->map.corner, 2);
        near_values(file, "shapes/map_spacing", s->map.spacing, t->map.spacing, 2);
        near_values(file, "shapes/map_angle", s->map.angle, t->map.angle, nb_structure_map_nodes(&s->map));
    }
}

TEST_IN_FOLDER(old_files_hold_what_is_exported_today)
{
    for (int i = 0; i < OLDS; ++i) {
        const struct old *old = &olds[i];
        OWNS(nb_problem_free) struct nb_problem problem, today;
        read_old(state, old, &problem);
        make_today(old, &today);
        assert_string_equal(problem.name, today.name);
        near_values(old->file, "time_step", &problem.time_step, &today.time_step, 1);
        near_values(old->file, "gravity", problem.gravity, today.gravity, 3);
        assert_true(problem.parameter_count > 0);
        for (int k = 0; k < problem.parameter_count; ++k) {
            const struct nb_parameter *parameter = &problem.parameters[k];
            const double value = nb_problem_parameter(&today, parameter->name, NAN);
            near_values(old->file, parameter->name, &parameter->value, &value, 1);
        }
        near_arrays(old->file, &problem, &today);
        near_values(old->file, "free_velocity", problem.free_velocity, today.free_velocity,
                    (size_t)nb_problem_dofs(&today));
        near_shapes(old->file, &problem, &today);
    }
}

/* Velocities [nb_problem_dofs], which the caller frees, by the default method. */
static double *solve(const struct nb_problem *problem, double *error)
{
    const struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_run run;
    double *u = calloc((size_t)nb_problem_dofs(problem) + 1, sizeof *u);
    OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(problem) + 1, sizeof *lambda);
    assert_ok(nb_solver_create(&solver, problem, &options, &why));
    assert_ok(nb_solver_run(solver, nb_options_iterations(&options), NULL, &run, &why));
    nb_solver_solution(solver, u, lambda);
    nb_solver_free(solver);
    *error = test_judged(problem, u, lambda).step_error;
    return u;
}

TEST_IN_FOLDER(old_files_are_solved_as_what_is_exported_today)
{
    for (int i = 0; i < OLDS; ++i) {
        const struct old *old = &olds[i];
        OWNS(nb_problem_free) struct nb_problem problem, today;
        double error[2], largest = 0, off = 0;
        read_old(state, old, &problem);
        make_today(old, &today);
        OWNS(free_at) double *u = solve(&problem, &error[0]), *now = solve(&today, &error[1]);
        for (int k = 0; k < nb_problem_dofs(&today); ++k) {
            largest = fmax(largest, fabs(now[k]));
            off = fmax(off, fabs(u[k] - now[k]));
        }
        print_message("%s: errors %g, today %g; velocities differ by %g of %g\n", old->file, error[0], error[1], off,
                      largest);
        assert_true(error[0] < 1e-9 && error[1] < 1e-9);
        assert_true(off <= 1e-9 * largest);
    }
}

/* That of joints was stored as joint_impulse then. */
TEST_IN_FOLDER(solutions_of_old_files_solve_them)
{
    for (int i = 0; i < OLDS; ++i) {
        if (!olds[i].solution)
            continue;
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(free_at) double *u = NULL, *lambda = NULL;
        read_old(state, &olds[i], &problem);
        assert_ok(nb_solution_read(unpack(state, &olds[i]), &problem, &u, &lambda, &why));
        const double error = test_judged(&problem, u, lambda).step_error;
        print_message("%s: stored with an error of %g\n", olds[i].file, error);
        assert_true(error < 1e-9);
    }
}
