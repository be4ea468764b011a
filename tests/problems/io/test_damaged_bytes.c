/* Files that are no problem, are cut short, or have bytes changed: refused in one line that names
 * the file, or read; never a crash. */
#include "tests/support/io_read_all.h"

#include "problems/io/hdf5_read.h"

TEST_IN_FOLDER(test_not_a_problem)
{
    const char *empty = in_folder(state, "empty"), *text = in_folder(state, "text");
    assert_refused(read_all((const char *)*state, &why), NB_BAD_FILE, ": is a directory");
    assert_refused(read_all(in_folder(state, "none.h5"), &why), NB_BAD_FILE, "none.h5: No such file");
    assert_refused(read_all("/dev/zero", &why), NB_BAD_FILE,
                   "/dev/zero: is a character device, not a regular file");
    write_bytes(empty, "", 0);
    assert_refused(read_all(empty, &why), NB_BAD_INPUT, "empty: is not an HDF5 file");
    write_bytes(text, "Newton", 6);
    assert_int_equal(read_all(text, &why), NB_BAD_INPUT);
    const char *other = in_folder(state, "other.h5");
    H5Fclose(H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    assert_refused(read_all(other, &why), NB_BAD_INPUT, "other.h5: holds no problem");
}

#define REAL_FILE "../shared/fclib/CubeH8.hdf5"

/* A file of each kind; 0 where there is none. */
static int write_sound(const char *path, int which)
{
    if (which == 3) {
        size_t size;
        if (access(REAL_FILE, R_OK))
            return 0;
        unsigned char *bytes = file_bytes(REAL_FILE, &size);
        write_bytes(path, bytes, size);
        free(bytes);
        return 1;
    }
    struct nb_problem problem;
    uint64_t random = 43;
    double *u = sample_numbers(400, &random), *lambda = sample_numbers(400, &random);
    const struct nb_problem_extras extras = {.u = u, .lambda = lambda};
    if (which == 0) {
        sample_nonlinear(&problem, 3, 4);
        sample_deformables(&problem, 7);
    } else if (which == 1) {
        sample_nonlinear(&problem, 60, 90); /* compressed datasets */
    } else {
        sample_global(&problem, 8, 2, 3);
    }
    assert_int_equal(nb_problem_write(path, &problem, &extras, NULL), NB_OK);
    nb_problem_free(&problem);
    free(u);
    free(lambda);
    return 1;
}

/* One to four bytes changed, anywhere: in the first half of the rounds within the first kilobytes,
 * where HDF5 keeps what it needs to find anything. Our own files have checksums over that. Files in
 * HDF5's older layout do not. */
static void change_bytes(void **state, int rounds)
{
    int refused = 0, tried = 0;
    for (int which = 0; which < 4; ++which) {
        size_t size;
        uint64_t random = 1000 + (uint64_t)which;
        const char *path = in_folder(state, "a.h5"), *changed = in_folder(state, "changed.h5");
        if (!write_sound(path, which))
            continue;
        unsigned char *bytes = file_bytes(path, &size);
        tried += rounds;
        for (int round = 0; round < rounds; ++round) {
            unsigned char *copy = malloc(size);
            assert_non_null(copy);
            memcpy(copy, bytes, size);
            const size_t range = round < rounds / 2 && size > 4096 ? 4096 : size;
            for (int k = 0; k <= round % 4; ++k) {
                const double where = 0.5 + 0.5 * sample_number(&random);
                const double what = 0.5 + 0.5 * sample_number(&random);
                copy[(size_t)(where * (double)(range - 1))] ^= (unsigned char)(1 + what * 254);
            }
            write_bytes(changed, copy, size);
            free(copy);
            refused += read_all(changed, &why) != NB_OK;
        }
        free(bytes);
    }
    print_message("%d of %d changed files refused, the others read\n", refused, tried);
}

TEST_IN_FOLDER(test_changed_bytes)
{
    change_bytes(state, 40);
}

FULL_TEST_WITH(more_changed_bytes, make_folder, remove_folder)
{
    change_bytes(state, 150);
}

/* What cannot be looked for is not absent: one of our files would else be read as a plain FCLIB file. */
static void look_for_attributes(struct nb_reader *reader, void *context)
{
    (void)context;
    assert_true(nb_reader_has_attribute(reader, "/", "format"));
    assert_false(nb_reader_has_attribute(reader, "/", "nothing"));
    assert_int_equal(reader->status, NB_OK);
    assert_false(nb_reader_has_attribute(reader, "nowhere", "format"));
}

TEST_IN_FOLDER(test_unreadable_attributes)
{
    const char *path = in_folder(state, "a.h5");
    assert_true(write_sound(path, 0));
    assert_refused(nb_read_file(path, look_for_attributes, NULL, NULL, &why), NB_BAD_INPUT,
                   "a.h5: nowhere: its attributes cannot be read");
}

/* HDF5 stores the length of a file in it, so that every cut is noticed before anything else is looked at: from here on
 * without a child that tries it first. */
static void cut_files(void **state, size_t near, size_t far)
{
    nb_problem_read_at_once();
    for (int which = 0; which < 4; ++which) {
        size_t size;
        const char *path = in_folder(state, "a.h5"), *cut = in_folder(state, "cut.h5");
        if (!write_sound(path, which))
            continue;
        unsigned char *bytes = file_bytes(path, &size);
        for (size_t length = 0; length < size; length += length < 256 ? near : far) {
            write_bytes(cut, bytes, length);
            assert_int_equal(read_all(cut, &why), NB_BAD_INPUT);
        }
        free(bytes);
    }
}

TEST_IN_FOLDER(some_cuts_are_noticed)
{
    cut_files(state, 7, 2039);
}

FULL_TEST_WITH(cuts_are_noticed, make_folder, remove_folder)
{
    cut_files(state, 1, 509);
}

FIXTURE(silence_hdf5, NULL)
