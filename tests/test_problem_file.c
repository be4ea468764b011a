/* Problem files: what is written is what is read, bit for bit and byte for byte. */
#include "tests/io_samples.h"

#include <dirent.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>

#include "problems/islands.h"

#define CASES 13

static void make_case(int which, struct nb_problem *problem)
{
    switch (which) {
    case 0: sample_nonlinear(problem, 3, 5); break;
    case 1: sample_nonlinear(problem, 2, 0); break;   /* no contacts */
    case 2: sample_nonlinear(problem, 0, 0); break;   /* nothing at all */
    case 3: sample_nonlinear(problem, 300, 700); break; /* compressed, chunked */
    case 4: sample_global(problem, 14, 3, 4); break;  /* bilateral rows */
    case 5: sample_global(problem, 6, 0, 0); break;
    case 6: sample_local(problem, 4, 5); break;
    case 7: sample_local(problem, 2, 0); break;
    case 8:
        sample_nonlinear(problem, 4, 3);
        sample_joints(problem, 9);
        sample_limits(problem);
        break;
    case 9:
        sample_nonlinear(problem, 200, 0);
        sample_joints(problem, 250);
        break;
    case 10:
        sample_nonlinear(problem, 3, 8);
        sample_joints(problem, 5);
        sample_deformables(problem, 9);
        break;
    case 11: /* particles alone, compressed */
        sample_nonlinear(problem, 0, 0);
        sample_deformables(problem, 400);
        break;
    default:
        sample_nonlinear(problem, 20, 300);
        sample_deformables(problem, 90);
        break;
    }
    struct nb_error error;
    if (nb_problem_validate(problem, &error))
        fail_msg("case %d is not valid: %s", which, error.text);
}

static void write_ok(const char *path, const struct nb_problem *problem,
                     const struct nb_problem_extras *extras)
{
    struct nb_error error;
    if (nb_problem_write(path, problem, extras, &error))
        fail_msg("%s", error.text);
}

static void read_ok(const char *path, struct nb_problem *problem)
{
    struct nb_error error;
    if (nb_problem_read(path, problem, &error))
        fail_msg("%s", error.text);
}

static void test_round_trip(void **state)
{
    for (int i = 0; i < CASES; ++i) {
        struct nb_problem problem, again;
        make_case(i, &problem);
        write_ok(in_folder(state, "a.h5"), &problem, NULL);
        read_ok(in_folder(state, "a.h5"), &again);
        same_problem(&problem, &again);
        nb_problem_free(&problem);
        nb_problem_free(&again);
    }
}

/* Written twice, and once more after reading: the same bytes. The heap is disturbed in between, so
 * that uninitialised memory in the file would show. */
static void test_equal_bytes(void **state)
{
    for (int i = 0; i < CASES; ++i) {
        struct nb_problem problem, again;
        size_t size[2];
        unsigned char *bytes[2];
        make_case(i, &problem);
        write_ok(in_folder(state, "a.h5"), &problem, NULL);
        void *dirt = malloc(3 << 20);
        assert_non_null(dirt);
        memset(dirt, 0x5a + i, 3 << 20);
        free(dirt);
        read_ok(in_folder(state, "a.h5"), &again);
        write_ok(in_folder(state, "b.h5"), &again, NULL);
        bytes[0] = file_bytes(in_folder(state, "a.h5"), &size[0]);
        bytes[1] = file_bytes(in_folder(state, "b.h5"), &size[1]);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        free(bytes[0]);
        free(bytes[1]);
        nb_problem_free(&problem);
        nb_problem_free(&again);
    }
}

static void same_stored(hid_t file, const char *name, const int *expected, int count)
{
    int *stored = calloc((size_t)count + 1, sizeof *stored);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_non_null(stored);
    assert_true(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored) >= 0);
    H5Dclose(dataset);
    same_bytes(name, stored, expected, (size_t)count * sizeof *stored);
    free(stored);
}

/* Islands are written for others, of bodies, particles and contacts. */
static void test_islands(void **state)
{
    struct nb_problem problem;
    struct nb_islands islands;
    struct nb_error error;
    make_case(12, &problem);
    assert_int_equal(nb_islands_find(&islands, &problem, &error), NB_OK);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    const hid_t file = H5Fopen(in_folder(state, "a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    same_stored(file, "bodies/island", islands.body, problem.bodies.count);
    same_stored(file, "particles/island", islands.particle, problem.particles.count);
    same_stored(file, "contacts/island", islands.contact, problem.contacts.count);
    H5Fclose(file);
    nb_islands_free(&islands);
    nb_problem_free(&problem);
}

static herr_t check_no_time(hid_t file, const char *name, const H5O_info_t *about, void *count)
{
    (void)file;
    if (about->atime || about->mtime || about->ctime || about->btime)
        fail_msg("%s has a time", name);
    ++*(int *)count;
    return 0;
}

/* Times in a file would make its bytes depend on when it was written. */
static void test_no_times(void **state)
{
    struct nb_problem problem;
    int objects = 0;
    make_case(3, &problem);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    const hid_t file = H5Fopen(in_folder(state, "a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, check_no_time, &objects,
                          H5O_INFO_TIME) >= 0);
    H5Fclose(file);
    assert_true(objects > 40);
    nb_problem_free(&problem);
}

/* lambda = (h lambda)/h: two roundings, so two units of the last place. */
static void assert_close(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; ++i)
        assert_true(fabs(a[i] - b[i]) <= 4.5e-16 * fabs(a[i]));
}

static void test_solution_global(void **state)
{
    static const int cases[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nb_problem problem;
        uint64_t random = 3;
        double *u = NULL, *lambda = NULL;
        make_case(cases[i], &problem);
        const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
        double *u0 = sample_numbers(dofs, &random), *lambda0 = sample_numbers(rows, &random);
        const struct nb_problem_extras extras = {.u = u0, .lambda = lambda0};
        write_ok(in_folder(state, "s.h5"), &problem, &extras);
        assert_int_equal(nb_solution_read(in_folder(state, "s.h5"), &problem, &u, &lambda, NULL),
                         NB_OK);
        same_bytes("u", u0, u, (size_t)dofs * sizeof *u);
        assert_close(lambda0, lambda, rows);
        free(u);
        free(lambda);
        free(u0);
        free(lambda0);
        nb_problem_free(&problem);
    }
}

/* In a local problem the velocity follows from the forces: [W V; V^T R] h lambda + (q, s), here
 * summed densely. What is passed as u is not consulted. */
static void test_solution_local(void **state)
{
    struct nb_problem problem;
    uint64_t random = 5;
    double *u = NULL, *lambda = NULL;
    make_case(6, &problem);
    const struct nb_linear_step *step = &problem.linear;
    const int n = 3 * step->contacts, p = step->bilaterals, size = n + p;
    double *u0 = sample_numbers(size, &random), *lambda0 = sample_numbers(size, &random);
    const struct nb_problem_extras extras = {.u = u0, .lambda = lambda0};
    write_ok(in_folder(state, "s.h5"), &problem, &extras);
    assert_int_equal(nb_solution_read(in_folder(state, "s.h5"), &problem, &u, &lambda, NULL),
                     NB_OK);
    assert_close(lambda0, lambda, size);
    for (int i = 0; i < size; ++i) {
        double sum = i < n ? step->contact_velocity[i] : step->bilateral_velocity[i - n];
        for (int k = step->delassus.start[i]; k < step->delassus.start[i + 1]; ++k) {
            const int j = step->delassus.column[k];
            const double force = j < n ? lambda0[p + j] : lambda0[j - n];
            sum += step->delassus.value[k] * problem.time_step * force;
        }
        assert_true(fabs(sum - u[i]) < 1e-13);
    }
    free(u);
    free(lambda);
    free(u0);
    free(lambda0);
    nb_problem_free(&problem);
}

static void test_no_solution(void **state)
{
    struct nb_problem problem;
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
    nb_problem_free(&problem);
}

/* A file without one of the groups, as all were before there were any, has none of these. */
static void test_groups_are_optional(void **state)
{
    static const char *const groups[] = {"joints", "particles", "tetrahedra", "attachments",
                                         "distances", "contacts/particle", "contacts/weight"};
    struct nb_problem problem, again;
    make_case(0, &problem);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    const hid_t file = H5Fopen(in_folder(state, "a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i)
        assert_int_equal(H5Lexists(file, groups[i], H5P_DEFAULT), 0);
    H5Fclose(file);
    read_ok(in_folder(state, "a.h5"), &again);
    assert_int_equal(again.joints.count, 0);
    assert_int_equal(again.particles.count, 0);
    assert_null(again.contacts.particle);
    nb_problem_free(&problem);
    nb_problem_free(&again);
}

/* Files from before there were other bilateral rows than joints' call their impulses so. */
static void test_joint_impulse(void **state)
{
    struct nb_problem problem;
    uint64_t random = 3;
    double *u = NULL, *lambda = NULL;
    make_case(8, &problem);
    const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
    double *u0 = sample_numbers(dofs, &random), *lambda0 = sample_numbers(rows, &random);
    const struct nb_problem_extras extras = {.u = u0, .lambda = lambda0};
    write_ok(in_folder(state, "s.h5"), &problem, &extras);
    const hid_t file = H5Fopen(in_folder(state, "s.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Lmove(file, "solution/bilateral_impulse", file, "solution/joint_impulse",
                        H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_int_equal(nb_solution_read(in_folder(state, "s.h5"), &problem, &u, &lambda, NULL),
                     NB_OK);
    assert_close(lambda0, lambda, rows);
    free(u);
    free(lambda);
    free(u0);
    free(lambda0);
    nb_problem_free(&problem);
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

static void test_newton_systems(void **state)
{
    struct nb_problem problem;
    struct nb_newton_system systems[4], again;
    struct nb_error error;
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
        if (nb_newton_system_read(in_folder(state, "n.h5"), i, &again, &error))
            fail_msg("%s", error.text);
        same_system(&systems[i], &again);
        nb_newton_system_free(&again);
        nb_newton_system_free(&systems[i]);
    }
    assert_int_equal(nb_newton_system_read(in_folder(state, "n.h5"), 4, &again, &error),
                     NB_BAD_INPUT);
    assert_non_null(strstr(error.text, "newton_systems"));
    nb_problem_free(&problem);
}

static int files_in(void **state)
{
    int count = 0;
    DIR *folder = opendir(*state);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* The disk is full at several lengths: the old file stays as it was, nothing is left beside. */
static void test_full_disk(void **state)
{
    struct nb_problem problem, again;
    struct nb_error error;
    struct rlimit old, limit;
    size_t size, size_after;
    make_case(4, &problem);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    unsigned char *before = file_bytes(in_folder(state, "a.h5"), &size);
    problem.step = 999;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (size_t room = 0; room < size; room += size / 7) {
        limit = old;
        limit.rlim_cur = room;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const enum nb_status status =
            nb_problem_write(in_folder(state, "a.h5"), &problem, NULL, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, NB_BAD_FILE);
        assert_non_null(strstr(error.text, "a.h5: cannot be written: File too large"));
        assert_int_equal(files_in(state), 1);
        unsigned char *after = file_bytes(in_folder(state, "a.h5"), &size_after);
        assert_int_equal(size, size_after);
        assert_memory_equal(before, after, size);
        free(after);
    }
    signal(SIGXFSZ, SIG_DFL);
    free(before);
    read_ok(in_folder(state, "a.h5"), &again);
    assert_int_equal(again.step, -3);
    nb_problem_free(&problem);
    nb_problem_free(&again);
}

static void refuse_to_write(const char *path, const struct nb_problem *problem,
                            const struct nb_problem_extras *extras, const char *says)
{
    struct nb_error error;
    assert_int_not_equal(nb_problem_write(path, problem, extras, &error), NB_OK);
    if (!strstr(error.text, says))
        fail_msg("\"%s\" does not say \"%s\"", error.text, says);
}

static void test_refused_writes(void **state)
{
    struct nb_problem problem;
    double *numbers = calloc(64, sizeof *numbers);
    assert_non_null(numbers);
    make_case(0, &problem);
    refuse_to_write((const char *)*state, &problem, NULL, "is a directory");
    refuse_to_write("/dev/null", &problem, NULL, "not a regular file");
    refuse_to_write(in_folder(state, "no/such/a.h5"), &problem, NULL, "No such file");
    struct nb_problem_extras extras = {.u = numbers};
    refuse_to_write(in_folder(state, "a.h5"), &problem, &extras, "needs u and lambda");
    extras.lambda = numbers;
    numbers[3] = NAN;
    refuse_to_write(in_folder(state, "a.h5"), &problem, &extras,
                    "solution: entry 3 of lambda is nan");
    sample_text(problem.parameters[2].name, sizeof problem.parameters[2].name, "zeta");
    refuse_to_write(in_folder(state, "a.h5"), &problem, NULL, "two named zeta");
    problem.bodies.mass[1] = -1;
    refuse_to_write(in_folder(state, "a.h5"), &problem, NULL, "bodies/mass");
    assert_int_equal(files_in(state), 0);
    free(numbers);
    nb_problem_free(&problem);
}

/* FCLIB has no room for a lower left block that is not the transpose of V. */
static void test_unmirrored_local(void **state)
{
    struct nb_problem problem;
    make_case(6, &problem);
    problem.linear.delassus.value[problem.linear.delassus.start[12]] += 1;
    refuse_to_write(in_folder(state, "a.h5"), &problem, NULL, "not its transpose");
    assert_int_equal(files_in(state), 0);
    nb_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_equal_bytes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_islands, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_no_times, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_solution_global, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_solution_local, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_no_solution, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_groups_are_optional, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_joint_impulse, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_newton_systems, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_full_disk, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_refused_writes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_unmirrored_local, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
