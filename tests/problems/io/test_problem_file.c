/* Problem files: what is written is what is read, bit for bit and byte for byte. */
#include "tests/support/io_cases.h"

#include <hdf5.h>

#include "problems/islands.h"

TEST_IN_FOLDER(test_round_trip)
{
    for (int i = 0; i < IO_CASES; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, again;
        make_case(i, &problem);
        write_ok(in_folder(state, "a.h5"), &problem, NULL);
        read_ok(in_folder(state, "a.h5"), &again);
        same_problem(&problem, &again);
    }
}

TEST_IN_FOLDER(test_uncompressed)
{
    const struct nb_problem_extras plain = {.uncompressed = 1};
    int larger = 0;
    for (int i = 0; i < IO_CASES; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, again;
        size_t size[2];
        make_case(i, &problem);
        write_ok(in_folder(state, "a.h5"), &problem, NULL);
        write_ok(in_folder(state, "b.h5"), &problem, &plain);
        free(file_bytes(in_folder(state, "a.h5"), &size[0]));
        free(file_bytes(in_folder(state, "b.h5"), &size[1]));
        larger += size[1] > size[0];
        read_ok(in_folder(state, "b.h5"), &again);
        same_problem(&problem, &again);
    }
    assert_true(larger > 0);
}

/* Written twice, and once more after reading: the same bytes. The heap is disturbed in between, so
 * that uninitialised memory in the file would show. */
TEST_IN_FOLDER(test_equal_bytes)
{
    for (int i = 0; i < IO_CASES; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, again;
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
    }
}

static void same_stored(hid_t file, const char *name, const int *expected, int count)
{
    OWNS(free_at) int *stored = calloc((size_t)count + 1, sizeof *stored);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_non_null(stored);
    assert_true(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored) >= 0);
    H5Dclose(dataset);
    same_bytes(name, stored, expected, (size_t)count * sizeof *stored);
}

/* Islands are written for others, of bodies, particles and contacts. */
TEST_IN_FOLDER(test_islands)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_islands_free) struct nb_islands islands;
    make_case(12, &problem);
    assert_ok(nb_islands_find(&islands, &problem, &why));
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    const hid_t file = H5Fopen(in_folder(state, "a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    same_stored(file, "bodies/island", islands.body, problem.bodies.count);
    same_stored(file, "particles/island", islands.particle, problem.particles.count);
    same_stored(file, "contacts/island", islands.contact, problem.contacts.count);
    H5Fclose(file);
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
TEST_IN_FOLDER(test_no_times)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    int objects = 0;
    make_case(3, &problem);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    const hid_t file = H5Fopen(in_folder(state, "a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, check_no_time, &objects,
                          H5O_INFO_TIME) >= 0);
    H5Fclose(file);
    assert_true(objects > 40);
}

/* A file without one of the groups, as all were before there were any, has none of these. */
TEST_IN_FOLDER(test_groups_are_optional)
{
    static const char *const groups[] = {"joints", "particles", "tetrahedra", "attachments",
                                         "distances", "ties", "contacts/particle", "contacts/weight"};
    OWNS(nb_problem_free) struct nb_problem problem, again;
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
}
