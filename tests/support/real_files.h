/* Problems of FCLIB's collection, by others, in ../shared/fclib. */
#ifndef NB_TESTS_REAL_FILES_H
#define NB_TESTS_REAL_FILES_H

#include <unistd.h>

#include "problems/io/problem_file.h"
#include "tests/support/test.h"

/* Reads NAME.hdf5; skips the test where the collection is not there. */
static inline void test_real_file(const char *name, struct nb_problem *problem)
{
    char path[256];
    struct nb_error error;
    if (access("../shared/fclib", R_OK)) {
        print_message("skipped: there is no ../shared/fclib/\n");
        skip();
    }
    snprintf(path, sizeof path, "../shared/fclib/%s.hdf5", name);
    if (nb_problem_read(path, problem, &error))
        fail_msg("%s", error.text);
}

#endif
