/* Files that others wrote, or meant ill with: what is in other files is not followed, numbers of any type and vectors
 * of any rank are read as libfclib reads them, and what HDF5 does not survive is refused. */
#include <hdf5.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problems/io/hdf5_read.h"
#include "problems/io/problem_file.h"
#include "tests/support/io_files.h"
#include "tests/support/io_sample_deformables.h"
#include "tests/support/same_problem.h"

static const char *const sample_names[] = {"own.h5", "local.h5"};

/* A nonlinear problem and a local one, whose dataset or group is then deleted, to be replaced. */
static hid_t open_without(void **state, int which, const char *name)
{
    struct nb_problem problem;
    const char *path = in_folder(state, sample_names[which]);
    if (which)
        sample_local(&problem, 2, 2);
    else
        sample_nonlinear(&problem, 3, 4);
    assert_int_equal(nb_problem_write(path, &problem, NULL, NULL), NB_OK);
    nb_problem_free(&problem);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    if (name)
        assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    return file;
}

static void expect_refused(void **state, int which, const char *says)
{
    struct nb_problem problem;
    struct nb_error error = {""};
    alarm(60);
    assert_int_not_equal(nb_problem_read(in_folder(state, sample_names[which]), &problem, &error), NB_OK);
    alarm(0);
    if (!strstr(error.text, says))
        fail_msg("'%s' is not in: %s", says, error.text);
}

/* A pipe would be waited for, if anything opened it. */
TEST_IN_FOLDER(links_to_other_files_are_not_followed)
{
    static const char *const datasets[2][4] = {{"bodies/mass", "contacts", "time_step", "shapes/kind"},
                                               {"fclib_local/W/x", "fclib_local/vectors", "fclib_local/W", NULL}};
    const char *pipe = in_folder(state, "pipe");
    char target[300];
    snprintf(target, sizeof target, "%s", pipe);
    assert_int_equal(mkfifo(target, 0600), 0);
    for (int which = 0; which < 2; ++which)
        for (int i = 0; i < 4 && datasets[which][i]; ++i)
            for (int soft = 0; soft < 2; ++soft) {
                const hid_t file = open_without(state, which, datasets[which][i]);
                if (soft) { /* within the file, to a link that leads out of it */
                    H5Lcreate_external(target, "/x", file, "out", H5P_DEFAULT, H5P_DEFAULT);
                    H5Lcreate_soft("/out/x", file, datasets[which][i], H5P_DEFAULT, H5P_DEFAULT);
                } else {
                    H5Lcreate_external(target, "/x", file, datasets[which][i], H5P_DEFAULT, H5P_DEFAULT);
                }
                H5Fclose(file);
                expect_refused(state, which, "is linked to another file");
            }
}

static void store_elsewhere(hid_t file, const char *name, const char *path, int virtual, hsize_t count)
{
    const hid_t space = H5Screate_simple(1, &count, NULL), made = H5Pcreate(H5P_DATASET_CREATE);
    if (virtual)
        H5Pset_virtual(made, space, path, "/x", space);
    else
        H5Pset_external(made, path, 0, count * sizeof(double));
    const hid_t dataset = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dclose(dataset);
    H5Pclose(made);
    H5Sclose(space);
}

TEST_IN_FOLDER(data_in_other_files_is_not_read)
{
    char target[300];
    snprintf(target, sizeof target, "%s", in_folder(state, "pipe"));
    assert_int_equal(mkfifo(target, 0600), 0);
    for (int virtual = 0; virtual < 2; ++virtual) {
        const hid_t file = open_without(state, 1, "fclib_local/vectors/mu");
        store_elsewhere(file, "fclib_local/vectors/mu", target, virtual, 2);
        H5Fclose(file);
        expect_refused(state, 1, "fclib_local/vectors/mu: is not stored in this file");
    }
}

/* Replaces the dataset by the same numbers in another type and shape. */
static void store_as(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size)
{
    const hid_t old = H5Dopen2(file, name, H5P_DEFAULT), extent = H5Dget_space(old);
    const hssize_t count = H5Sget_simple_extent_npoints(extent);
    OWNS(free_at) double *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    assert_true(H5Dread(old, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(extent);
    H5Dclose(old);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hsize_t flat = (hsize_t)count;
    const hid_t space = H5Screate_simple(rank ? rank : 1, rank ? size : &flat, NULL);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
}

TEST_IN_FOLDER(numbers_of_any_type_and_vectors_of_any_rank_are_read)
{
    static const hsize_t column[] = {2, 1}, row[] = {1, 1, 2}, six[] = {1, 6, 1, 1};
    OWNS(nb_problem_free) struct nb_problem plain, converted;
    H5Fclose(open_without(state, 1, NULL));
    assert_ok(nb_problem_read(in_folder(state, "local.h5"), &plain, &why));
    const hid_t file = open_without(state, 1, NULL);
    store_as(file, "fclib_local/W/i", H5T_NATIVE_DOUBLE, 0, NULL);
    store_as(file, "fclib_local/W/p", H5T_STD_I64BE, 0, NULL);
    store_as(file, "fclib_local/W/m", H5T_STD_U8LE, 0, NULL);
    store_as(file, "fclib_local/W/x", H5T_NATIVE_LDOUBLE, 0, NULL);
    store_as(file, "fclib_local/spacedim", H5T_NATIVE_FLOAT, 0, NULL);
    store_as(file, "fclib_local/vectors/mu", H5T_IEEE_F64BE, 2, column);
    store_as(file, "fclib_local/vectors/s", H5T_IEEE_F64LE, 3, row);
    store_as(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 4, six);
    H5Fclose(file);
    assert_ok(nb_problem_read(in_folder(state, "local.h5"), &converted, &why));
    same_problem(&plain, &converted);
}

static void write_number(hid_t file, const char *name, hid_t type, double value)
{
    const hsize_t one = 1;
    const hid_t space = H5Screate_simple(1, &one, NULL);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
}

/* HDF5 would cut 2.5 to 2, and 1e10 to the largest int. */
TEST_IN_FOLDER(numbers_that_would_change_are_refused)
{
    static const double values[] = {2.5, 1e10, -1e10, NAN, INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        const hid_t file = open_without(state, 1, "fclib_local/W/m");
        write_number(file, "fclib_local/W/m", H5T_NATIVE_DOUBLE, values[i]);
        H5Fclose(file);
        expect_refused(state, 1, "fclib_local/W/m: holds what is no whole number");
    }
    const hid_t file = open_without(state, 1, "fclib_local/W/m");
    write_number(file, "fclib_local/W/m", H5T_STD_I64LE, 1e10);
    H5Fclose(file);
    expect_refused(state, 1, "fclib_local/W/m: holds what is no whole number");
}

/* A filter that any HDF5 has, under a number that none has, and without a plugin for it. */
static size_t pass_through(unsigned flags, size_t count, const unsigned values[], size_t bytes, size_t *room,
                           void **buffer)
{
    (void)flags, (void)count, (void)values, (void)room, (void)buffer;
    return bytes;
}

TEST_IN_FOLDER(a_missing_filter_is_named)
{
    static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 500, 1, 1, "squeeze", NULL, NULL, pass_through};
    const hsize_t count = 2;
    const double values[2] = {0.5, 0.5};
    const hid_t file = open_without(state, 1, "fclib_local/vectors/mu");
    const hid_t space = H5Screate_simple(1, &count, NULL), made = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Zregister(&filter) >= 0);
    H5Pset_chunk(made, 1, &count);
    H5Pset_filter(made, 500, H5Z_FLAG_OPTIONAL, 0, NULL);
    const hid_t dataset =
        H5Dcreate2(file, "fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Pclose(made);
    H5Sclose(space);
    H5Fclose(file);
    assert_true(H5Zunregister(500) >= 0);
    expect_refused(state, 1, "fclib_local/vectors/mu: needs the HDF5 filter 500 (squeeze), which is not installed");
}

TEST_IN_FOLDER(parameters_are_limited)
{
    const hid_t file = open_without(state, 0, NULL), space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < 1001; ++i) {
        char name[32];
        const double value = i;
        snprintf(name, sizeof name, "p%d", i);
        const hid_t attribute = H5Acreate_by_name(file, "parameters", name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                                  H5P_DEFAULT, H5P_DEFAULT);
        assert_true(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Fclose(file);
    expect_refused(state, 0, "attributes, at most 1000 are read");
}

static void crash(struct nb_reader *reader, void *context)
{
    (void)reader, (void)context;
    raise(SIGSEGV);
}

static void hang(struct nb_reader *reader, void *context)
{
    for (volatile int *run = context; *run; )
        (void)reader;
}

/* What HDF5 does on damaged files, in our words. */
TEST_IN_FOLDER(what_hdf5_does_not_survive_is_refused)
{
    struct nb_error error;
    int run = 1;
    H5Fclose(open_without(state, 1, NULL));
    const char *path = in_folder(state, "local.h5");
    assert_int_equal(nb_read_file(path, crash, NULL, NULL, &error), NB_BAD_INPUT);
    assert_non_null(strstr(error.text, "local.h5: is an HDF5 file so damaged that HDF5 crashes or hangs"));
    alarm(120);
    assert_int_equal(nb_read_file(path, hang, &run, NULL, &error), NB_BAD_INPUT);
    alarm(0);
    assert_non_null(strstr(error.text, "crashes or hangs"));
}

static int silence(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0;
}

FIXTURE(silence, NULL)
