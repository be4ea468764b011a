/* Solutions and Newton systems in problem files: what is written is what is read. */
#include "tests/support/io_cases.h"
#include "tests/support/io_read_all.h"

#include <hdf5.h>

/* lambda = (h lambda)/h: two roundings, so two units of the last place. */
static void assert_close(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; ++i)
        assert_true(fabs(a[i] - b[i]) <= 4.5e-16 * fabs(a[i]));
}

/* A case with numbers for a solution, u0 and lambda0, and what is read back of them. */
struct stored {
    struct nb_problem problem;
    int dofs, rows;
    double *u0, *lambda0, *u, *lambda;
};

/* Writes it to s.h5. */
static void store(void **state, int number, uint64_t random, struct stored *s)
{
    memset(s, 0, sizeof *s);
    make_case(number, &s->problem);
    s->dofs = nb_problem_dofs(&s->problem);
    s->rows = nb_problem_multipliers(&s->problem);
    s->u0 = sample_numbers(s->dofs, &random);
    s->lambda0 = sample_numbers(s->rows, &random);
    const struct nb_problem_extras extras = {.u = s->u0, .lambda = s->lambda0};
    write_ok(in_folder(state, "s.h5"), &s->problem, &extras);
}

static void read_back(void **state, struct stored *s)
{
    const char *path = in_folder(state, "s.h5");
    assert_int_equal(nb_solution_read(path, &s->problem, &s->u, &s->lambda, NULL), NB_OK);
    assert_close(s->lambda0, s->lambda, s->rows);
}

static void release(struct stored *s)
{
    free(s->u);
    free(s->lambda);
    free(s->u0);
    free(s->lambda0);
    nb_problem_free(&s->problem);
}

TEST_IN_FOLDER(test_solution_global)
{
    static const int cases[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct stored s;
        store(state, cases[i], 3, &s);
        read_back(state, &s);
        same_bytes("u", s.u0, s.u, (size_t)s.dofs * sizeof *s.u);
        release(&s);
    }
}

/* In a local problem the velocity follows from the forces: [W V; V^T R] h lambda + (q, s), here
 * summed densely. What is passed as u is not consulted. */
TEST_IN_FOLDER(test_solution_local)
{
    struct stored s;
    store(state, 6, 5, &s);
    read_back(state, &s);
    const struct nb_linear_step *step = &s.problem.linear;
    const int n = 3 * step->contacts, p = step->bilaterals;
    assert_int_equal(s.rows, n + p);
    for (int i = 0; i < n + p; ++i) {
        double sum = i < n ? step->contact_velocity[i] : step->bilateral_velocity[i - n];
        for (int k = step->delassus.start[i]; k < step->delassus.start[i + 1]; ++k) {
            const int j = step->delassus.column[k];
            const double force = j < n ? s.lambda0[p + j] : s.lambda0[j - n];
            sum += step->delassus.value[k] * s.problem.time_step * force;
        }
        assert_true(fabs(sum - s.u[i]) < 1e-13);
    }
    release(&s);
}

TEST_IN_FOLDER(test_no_solution)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double *u = (double *)&problem, *lambda = u;
    int count = 7;
    make_case(0, &problem);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    assert_int_equal(nb_solution_read(in_folder(state, "a.h5"), &problem, &u, &lambda, NULL),
                     NB_OK);
    assert_null(u);
    assert_null(lambda);
    assert_int_equal(nb_newton_system_count(in_folder(state, "a.h5"), &count, NULL), NB_OK);
    assert_int_equal(count, 0);
}

/* Files from before there were other bilateral rows than joints' call their impulses so. */
TEST_IN_FOLDER(test_joint_impulse)
{
    struct stored s;
    store(state, 8, 3, &s);
    const hid_t file = H5Fopen(in_folder(state, "s.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Lmove(file, "solution/bilateral_impulse", file, "solution/joint_impulse",
                        H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    read_back(state, &s);
    release(&s);
}

/* Sets the first entry of a dataset of s.h5. */
static void change_first(void **state, const char *name, double value)
{
    double values[4096];
    const hid_t file = H5Fopen(in_folder(state, "s.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(data);
    assert_in_range(H5Sget_simple_extent_npoints(space), 1, 4096);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    values[0] = value;
    assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
}

/* Whether s.h5 has it, with an entry. */
static int has_entries(void **state, const char *name)
{
    const hid_t file = H5Fopen(in_folder(state, "s.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const int has = data >= 0 && H5Dget_storage_size(data) > 0;
    if (data >= 0)
        H5Dclose(data);
    H5Fclose(file);
    return has;
}

/* Every array of a solution is a number, and l does not contradict the impulses of all bilateral rows. */
TEST_IN_FOLDER(test_every_array_is_looked_at)
{
    static const char *const members[] = {"solution/v", "solution/u", "solution/r", "solution/l",
                                          "solution/bilateral_impulse"};
    static const double values[] = {NAN, INFINITY, -INFINITY, 1e3};
    int tried = 0;
    for (int number = 0; number < IO_CASES; ++number)
        for (size_t m = 0; m < 5; ++m)
            for (size_t k = 0; k < 4; ++k) {
                struct stored s;
                struct nb_error error = {0};
                store(state, number, 3, &s);
                const int second = m == 3 && s.problem.form == NB_NONLINEAR;
                if (has_entries(state, members[m]) && (k < 3 || second)) {
                    change_first(state, members[m], values[k]);
                    assert_int_equal(
                        nb_solution_read(in_folder(state, "s.h5"), &s.problem, &s.u, &s.lambda, &error), NB_BAD_INPUT);
                    assert_non_null(strstr(error.text, members[m]));
                    assert_null(s.u);
                    ++tried;
                }
                release(&s);
            }
    assert_true(tried > 60);
}

/* A vector of equal numbers beside what s.h5 has. */
static void add_vector(void **state, const char *name, int length, double value)
{
    double *values = calloc((size_t)length + 1, sizeof *values);
    const hsize_t size = (hsize_t)length;
    assert_non_null(values);
    for (int i = 0; i < length; ++i)
        values[i] = value;
    const hid_t file = H5Fopen(in_folder(state, "s.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t data = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(data);
    H5Sclose(space);
    H5Fclose(file);
    free(values);
}

static enum nb_status read_stored(void **state, struct stored *s, struct nb_error *error)
{
    return nb_solution_read(in_folder(state, "s.h5"), &s->problem, &s->u, &s->lambda, error);
}

/* What is not read for its own sake: v of a local problem, impulses of bilateral rows under their other name. */
TEST_IN_FOLDER(arrays_that_are_not_read_are_looked_at)
{
    int with_bilaterals = 0;
    for (int number = 0; number < IO_CASES; ++number)
        for (int is_number = 0; is_number < 2; ++is_number) {
            struct stored s;
            struct nb_error error = {0};
            store(state, number, 3, &s);
            const int local = s.problem.form == NB_LINEAR_LOCAL;
            const char *name = local ? "solution/v" : "solution/joint_impulse";
            if (local || !has_entries(state, "solution/bilateral_impulse")) {
                add_vector(state, name, 5, is_number ? 7 : NAN);
                const enum nb_status expected = is_number ? NB_OK : NB_BAD_INPUT;
                if (local || s.problem.form == NB_LINEAR_GLOBAL)
                    assert_int_equal(read_stored(state, &s, &error), expected);
            } else {
                const hid_t file = H5Fopen(in_folder(state, "s.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
                H5Ocopy(file, "solution/bilateral_impulse", file, name, H5P_DEFAULT, H5P_DEFAULT);
                H5Fclose(file);
                if (!is_number)
                    change_first(state, "solution/bilateral_impulse", 1e3);
                assert_int_equal(read_stored(state, &s, &error), is_number ? NB_OK : NB_BAD_INPUT);
                ++with_bilaterals;
            }
            release(&s);
        }
    assert_true(with_bilaterals >= 2);
}

/* Of a step with velocities u is not read: a u of another length is another step's all the same. */
TEST_IN_FOLDER(u_is_as_long_as_r)
{
    for (int number = 0; number < IO_CASES; ++number)
        for (int more = 1; more <= 2; ++more) {
            struct stored s;
            struct nb_error error = {0};
            store(state, number, 3, &s);
            const hid_t file = H5Fopen(in_folder(state, "s.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
            assert_true(H5Ldelete(file, "solution/u", H5P_DEFAULT) >= 0);
            H5Fclose(file);
            if (nb_problem_contacts(&s.problem) > 0) {
                add_vector(state, "solution/u", 3 * nb_problem_contacts(&s.problem) + more, 0.5);
                assert_int_equal(read_stored(state, &s, &error), NB_BAD_INPUT);
                assert_non_null(strstr(error.text, "solution/u: has shape"));
            }
            release(&s);
        }
}

static void make_system(struct nb_newton_system *system, int rows, int dofs, int with_mass)
{
    uint64_t random = 23;
    memset(system, 0, sizeof *system);
    system->iteration = 4;
    sample_matrix(&system->mass, with_mass ? dofs : 0, with_mass ? dofs : 0, &random);
    sample_matrix(&system->jacobian, rows, dofs, &random);
    sample_matrix(&system->schur, rows, rows, &random);
    system->compliance = sample_numbers(rows, &random);
    if (with_mass && rows >= 6) {
        system->coupled = 6;
        system->coupling = sample_numbers(18, &random);
    }
    system->momentum = sample_numbers(dofs, &random);
    system->constraint = sample_numbers(rows, &random);
    system->right_side = sample_numbers(rows, &random);
}

static void same_system(const struct nb_newton_system *a, const struct nb_newton_system *b)
{
    assert_int_equal(a->iteration, b->iteration);
    same_csr("mass", &a->mass, &b->mass);
    same_csr("jacobian", &a->jacobian, &b->jacobian);
    same_csr("schur", &a->schur, &b->schur);
    SAME_ARRAY(a, b, compliance, a->schur.rows);
    assert_int_equal(a->coupled, b->coupled);
    if (a->coupled)
        SAME_ARRAY(a, b, coupling, 3 * a->coupled);
    SAME_ARRAY(a, b, momentum, a->jacobian.columns);
    if (a->jacobian.columns == 0)
        assert_null(b->momentum);
    SAME_ARRAY(a, b, constraint, a->schur.rows);
    SAME_ARRAY(a, b, right_side, a->schur.rows);
}

TEST_IN_FOLDER(test_newton_systems)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_newton_system systems[4], again;
    int count = 0;
    make_case(0, &problem);
    make_system(&systems[0], 15, 18, 1);
    make_system(&systems[1], 0, 12, 1);
    make_system(&systems[2], 9, 9, 0);
    make_system(&systems[3], 6, 0, 0); /* of a local problem: no mass, Jacobian or momentum */
    nb_csr_free(&systems[3].mass);
    nb_csr_free(&systems[3].jacobian);
    free(systems[3].momentum);
    systems[3].momentum = NULL;
    const struct nb_problem_extras extras = {.system_count = 4, .systems = systems,
                                             .settings = "ncp=fb scaling=mass"};
    write_ok(in_folder(state, "n.h5"), &problem, &extras);
    assert_int_equal(nb_newton_system_count(in_folder(state, "n.h5"), &count, NULL), NB_OK);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; ++i) {
        assert_ok(nb_newton_system_read(in_folder(state, "n.h5"), i, &again, &why));
        same_system(&systems[i], &again);
        nb_newton_system_free(&again);
        nb_newton_system_free(&systems[i]);
    }
    assert_refused(nb_newton_system_read(in_folder(state, "n.h5"), 4, &again, &why), NB_BAD_INPUT,
                   "newton_systems");
}

FIXTURE(read_without_a_child, NULL)
