/* Files as MATLAB, Fortran, Julia and R store arrays, with columns first, and files that are not what their name says
 * or were not closed: read as their writer means them, or refused with the reason. */
#include <hdf5.h>
#include <math.h>

#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"
#include "tests/support/io_files.h"
#include "tests/support/same_problem.h"

enum { N = 6 }; /* velocities, and rows of two contacts: H is square */

struct step {
    double m[N * N], h[N * N], f[N], w[N], mu[2];
};

static struct step step_of_six(void)
{
    struct step step = {.mu = {0.4, 0.6}};
    for (int i = 0; i < N; ++i) {
        step.f[i] = i - 2.5;
        step.w[i] = 0.1 * i;
        for (int j = 0; j < N; ++j) {
            step.m[N * i + j] = i == j ? 4 : 1. / (1 + i + j);
            step.h[N * i + j] = sin(1 + N * i + j);
        }
    }
    return step;
}

static void mark(hid_t object, const char *name, hid_t type, const void *value)
{
    const hid_t space = H5Screate(H5S_SCALAR), made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(made, type, value) >= 0);
    H5Aclose(made);
    H5Sclose(space);
}

static void mark_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text));
    mark(object, name, type, text);
    H5Tclose(type);
}

enum { NO_MARK,
       OF_MATLAB,
       BY_ORDER };

/* rows x columns numbers, given row by row; the dataset has them the other way round. */
static void store(hid_t place, const char *name, int rows, int columns, const double *values, int how)
{
    const hsize_t size[] = {(hsize_t)columns, (hsize_t)rows};
    double turned[N * N];
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            turned[j * rows + i] = values[i * columns + j];
    const hid_t space = H5Screate_simple(2, size, NULL);
    const hid_t made = H5Dcreate2(place, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, turned) >= 0);
    if (how == OF_MATLAB)
        mark_text(made, "MATLAB_class", "double");
    if (how == BY_ORDER) /* a text of 30 characters, as of Fortran */
        mark_text(made, "storage_order", "column_major                  ");
    H5Dclose(made);
    H5Sclose(space);
}

/* MATLAB's compressed columns. */
static void store_sparse(hid_t file, const char *name, const double *values)
{
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const unsigned long long rows = N;
    double data[N * N], row[N * N], start[N + 1] = {0};
    int count = 0;
    for (int j = 0; j < N; ++j, start[j] = count)
        for (int i = 0; i < N; ++i)
            if (values[N * i + j] != 0) {
                row[count] = i;
                data[count++] = values[N * i + j];
            }
    mark(group, "MATLAB_sparse", H5T_NATIVE_ULLONG, &rows);
    mark_text(group, "MATLAB_class", "double");
    store(group, "data", count, 1, data, NO_MARK);
    store(group, "ir", count, 1, row, NO_MARK);
    store(group, "jc", N + 1, 1, start, NO_MARK);
    H5Gclose(group);
}

static hid_t create(void **state)
{
    const hid_t file = H5Fcreate(in_folder(state, "step.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void store_vectors(hid_t file, const struct step *step, int how)
{
    store(file, "f", N, 1, step->f, how);
    store(file, "w", 2, 3, step->w, how);
    store(file, "mu", 2, 1, step->mu, how);
}

static void expect_step(void **state, const struct step *step)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    assert_ok(nb_problem_read(in_folder(state, "step.h5"), &problem, &why));
    for (int i = 0; i < N; ++i) {
        assert_true(problem.linear.contact_velocity[i] == step->w[i]);
        for (int j = 0; j < N; ++j) {
            assert_true(nb_csr_entry(&problem.linear.mass, i, j) == step->m[N * i + j]);
            assert_true(nb_csr_entry(&problem.linear.contact_jacobian, j, i) == step->h[N * i + j]);
        }
    }
}

static void expect_refused(void **state, const char *says)
{
    struct nb_problem problem;
    assert_refused(nb_problem_read(in_folder(state, "step.h5"), &problem, &why), NB_BAD_INPUT, says);
}

TEST_IN_FOLDER(columns_first_is_read_as_it_is_meant)
{
    const struct step step = step_of_six();
    for (int how = OF_MATLAB; how <= BY_ORDER; ++how) {
        const hid_t file = create(state);
        store(file, "M", N, N, step.m, how);
        store(file, "H", N, N, step.h, how);
        store_vectors(file, &step, how);
        H5Fclose(file);
        expect_step(state, &step);
    }
    const hid_t file = create(state); /* one mark for all, and one dataset that is otherwise */
    double turned[N * N];
    for (int i = 0; i < N * N; ++i)
        turned[i] = step.h[i % N * N + i / N];
    mark_text(file, "storage_order", "column_major");
    store(file, "M", N, N, step.m, NO_MARK);
    store(file, "H", N, N, turned, NO_MARK);
    const hid_t h = H5Dopen2(file, "H", H5P_DEFAULT);
    mark_text(h, "storage_order", "row_major");
    H5Dclose(h);
    store_vectors(file, &step, NO_MARK);
    H5Fclose(file);
    expect_step(state, &step);
}

TEST_IN_FOLDER(sparse_and_empty_arrays_of_matlab_are_read)
{
    struct step step = step_of_six();
    static const double none[] = {0, 0};
    const unsigned char yes = 1;
    for (int i = 0; i < N * N; i += 3)
        step.h[i] = 0;
    const hid_t file = create(state);
    store_sparse(file, "M", step.m);
    store_sparse(file, "H", step.h);
    store_vectors(file, &step, OF_MATLAB);
    store(file, "b", 2, 1, none, OF_MATLAB); /* its dimensions in the place of data */
    const hid_t b = H5Dopen2(file, "b", H5P_DEFAULT);
    mark(b, "MATLAB_empty", H5T_NATIVE_UCHAR, &yes);
    H5Dclose(b);
    H5Fclose(file);
    expect_step(state, &step);
}

TEST_IN_FOLDER(contacts_in_columns_are_refused)
{
    const struct step step = step_of_six();
    const hid_t file = create(state);
    store(file, "M", N, N, step.m, OF_MATLAB);
    store(file, "H", N, N, step.h, OF_MATLAB);
    store(file, "f", N, 1, step.f, OF_MATLAB);
    store(file, "w", 3, 2, step.w, OF_MATLAB);
    store(file, "mu", 2, 1, step.mu, OF_MATLAB);
    H5Fclose(file);
    expect_refused(state, "w: has shape 3 x 2, must be 2 x 3");
}

TEST_IN_FOLDER(an_unknown_order_is_refused)
{
    const struct step step = step_of_six();
    const hid_t file = create(state);
    mark_text(file, "storage_order", "zigzag");
    store(file, "M", N, N, step.m, NO_MARK);
    store(file, "H", N, N, step.h, NO_MARK);
    store_vectors(file, &step, NO_MARK);
    H5Fclose(file);
    expect_refused(state, "must be row_major or column_major");
}

/* Without a word of the order a square H is its own transpose's twin. A vector that is one row makes it a question; of
 * vectors without a second dimension, as Fortran and Julia have them, nothing is seen, and it is said. */
TEST_IN_FOLDER(a_square_matrix_of_unknown_order_is_refused_or_told)
{
    const struct step step = step_of_six();
    OWNS(nb_problem_free)
    struct nb_problem problem;
    hid_t file = create(state);
    store(file, "M", N, N, step.m, NO_MARK);
    store(file, "H", N, N, step.h, NO_MARK);
    store_vectors(file, &step, NO_MARK);
    H5Fclose(file);
    expect_refused(state, "H: is square, and f is one row");
    file = create(state);
    store(file, "M", N, N, step.m, NO_MARK);
    store(file, "H", N, N, step.h, NO_MARK);
    store(file, "f", 1, N, step.f, NO_MARK); /* a column */
    store(file, "w", 1, N, step.w, NO_MARK);
    store(file, "mu", 1, 2, step.mu, NO_MARK);
    H5Fclose(file);
    assert_ok(nb_problem_read(in_folder(state, "step.h5"), &problem, &why));
    test_contains(problem.source, "H is square, and its file does not say");
    assert_true(nb_csr_entry(&problem.linear.contact_jacobian, 0, 1) == step.h[1]);
}

/* Either half of M and W: of numbers it is read as symmetric, of blocks of three it is refused. */
static void store_half(void **state, const struct step *whole, int block, int upper, int local)
{
    struct step half = *whole;
    for (int i = 0; i < N * N; ++i)
        if (upper ? i / N / block > i % N / block : i / N / block < i % N / block)
            half.m[i] = 0;
    const hid_t file = create(state);
    store(file, local ? "W" : "M", N, N, half.m, BY_ORDER);
    if (!local)
        store(file, "H", N, N, half.h, BY_ORDER);
    store(file, "f", N, 1, half.f, BY_ORDER);
    store(file, local ? "q" : "w", N, 1, half.w, BY_ORDER);
    store(file, "mu", 2, 1, half.mu, BY_ORDER);
    H5Fclose(file);
}

TEST_IN_FOLDER(a_half_of_a_symmetric_matrix_is_no_matrix_of_its_own)
{
    const struct step whole = step_of_six();
    for (int upper = 0; upper <= 1; ++upper)
        for (int local = 0; local <= 1; ++local) {
            store_half(state, &whole, 1, upper, local);
            OWNS(nb_problem_free)
            struct nb_problem problem;
            assert_ok(nb_problem_read(in_folder(state, "step.h5"), &problem, &why));
            const struct nb_csr *matrix = local ? &problem.linear.delassus : &problem.linear.mass;
            for (int i = 0; i < N * N; ++i)
                assert_true(nb_csr_entry(matrix, i / N, i % N) == whole.m[i]);
            store_half(state, &whole, 3, upper, local);
            expect_refused(state, "is a triangle of a symmetric matrix");
        }
}

/* Symmetric in its pattern alone: it is taken as it is. */
TEST_IN_FOLDER(a_matrix_that_is_not_symmetric_is_taken)
{
    struct step other = step_of_six();
    other.m[1] *= 1.5;
    const hid_t file = create(state);
    store(file, "M", N, N, other.m, BY_ORDER);
    store(file, "H", N, N, other.h, BY_ORDER);
    store_vectors(file, &other, BY_ORDER);
    H5Fclose(file);
    expect_step(state, &other);
}

TEST_IN_FOLDER(a_pointer_of_a_repository_is_told)
{
    static const struct {
        const char *text, *fetch;
    } pointers[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 7\n", "git lfs pull"},
        {"version https://git-lfs.github.com/spec/v1\r\noid sha256:0123\r\nsize 7\r\n", "git lfs pull"},
        {"version https://hawser.github.com/spec/v1\noid sha256:0123\nsize 7\n", "git lfs pull"},
        {"/annex/objects/SHA256E-s7--0123.h5\n", "git annex get"},
    };
    static const char *const names[] = {"step.h5", "step.dat"};
    for (size_t k = 0; k < sizeof pointers / sizeof *pointers; ++k) {
        for (int i = 0; i < 2; ++i) {
            struct nb_problem problem;
            write_bytes(in_folder(state, names[i]), pointers[k].text, strlen(pointers[k].text));
            assert_refused(nb_problem_read(in_folder(state, names[i]), &problem, &why), NB_BAD_FILE,
                           pointers[k].fetch);
        }
        write_bytes(in_folder(state, "alone.mtx"), pointers[k].text, strlen(pointers[k].text));
        struct nb_problem problem;
        assert_refused(nb_problem_read(in_folder(state, "alone.mtx"), &problem, &why), NB_BAD_FILE, pointers[k].fetch);
        FILE *file; /* records, specs and lists are opened so */
        assert_refused(nb_open_regular(in_folder(state, "step.h5"), &file, &why), NB_BAD_FILE, pointers[k].fetch);
    }
}

/* The flags that a writer sets in a superblock of version 3 when it opens the file, and takes back later. */
TEST_IN_FOLDER(a_file_that_is_open_for_writing_is_told)
{
    for (int userblock = 0; userblock <= 512; userblock += 512) {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS), made = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        H5Pset_userblock(made, (hsize_t)userblock);
        const hid_t file = H5Fcreate(in_folder(state, "open.h5"), H5F_ACC_TRUNC, made, access);
        const struct step step = step_of_six();
        store(file, "W", N, N, step.m, BY_ORDER);
        store(file, "q", N, 1, step.w, BY_ORDER);
        store(file, "mu", 2, 1, step.mu, BY_ORDER);
        H5Fflush(file, H5F_SCOPE_GLOBAL);
        size_t size;
        OWNS(free_at)
        unsigned char *bytes = file_bytes(in_folder(state, "open.h5"), &size);
        H5Fclose(file);
        H5Pclose(access);
        H5Pclose(made);
        write_bytes(in_folder(state, "step.h5"), bytes, size);
        expect_refused(state, "h5clear -s");
    }
}
