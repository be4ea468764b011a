/* For the tests of damaged files: reads all that a file may hold, watches what is left behind. */
#ifndef NB_TESTS_IO_READ_ALL_H
#define NB_TESTS_IO_READ_ALL_H

#include "problems/io/problem_file.h"
#include "tests/support/io_files.h"
#include "tests/support/io_sample_deformables.h"

#include <hdf5.h>

/* HDF5 1.10.8 loses 424 bytes each time that the checksum of an object header is wrong: the leak
 * detector shows the allocation inside the library. What this project allocates is still
 * watched, and what it opens is counted in read_all. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5_serial\n";
}

/* One line that starts with the file's name. */
static inline void check_message(const char *path, enum nb_status status,
                                 const struct nb_error *error)
{
    if (status == NB_OK)
        return;
    if (strncmp(error->text, path, strlen(path)) || strchr(error->text, '\n'))
        fail_msg("not one line that names the file: %s", error->text);
}

/* Files, datasets, attributes, dataspaces, property lists and types that HDF5 holds open. */
static inline long long open_objects(void)
{
    static const H5I_type_t types[] = {H5I_FILE, H5I_GROUP, H5I_DATATYPE, H5I_DATASPACE,
                                       H5I_DATASET, H5I_ATTR, H5I_GENPROP_LST};
    long long sum = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        hsize_t members = 0;
        H5Inmembers(types[i], &members);
        sum += (long long)members;
    }
    return sum;
}

/* Reads all that a file may hold. The first failure's status and message. */
static inline enum nb_status read_all(const char *path, struct nb_error *error)
{
    struct nb_problem problem;
    double *u = NULL, *lambda = NULL;
    int count = 0;
    const long long open_before = open_objects();
    memset(error, 0, sizeof *error);
    enum nb_status status = nb_problem_read(path, &problem, error);
    if (!status)
        status = nb_solution_read(path, &problem, &u, &lambda, error);
    if (!status)
        status = nb_newton_system_count(path, &count, error);
    for (int i = 0; i < count && !status; ++i) {
        OWNS(nb_newton_system_free) struct nb_newton_system system;
        status = nb_newton_system_read(path, i, &system, error);
    }
    free(u);
    free(lambda);
    nb_problem_free(&problem);
    check_message(path, status, error);
    assert_int_equal(open_objects(), open_before);
    return status;
}

static inline int silence_hdf5(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0;
}

/* Files that are sound to HDF5, whose crash would be ours: no child tries them first, and it would end the test. */
static inline int read_without_a_child(void **state)
{
    nb_problem_read_at_once();
    return silence_hdf5(state);
}

#endif
