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
    if (access("../shared/fclib", R_OK)) {
        print_message("skipped: there is no ../shared/fclib/\n");
        skip();
    }
    snprintf(path, sizeof path, "../shared/fclib/%s.hdf5", name);
    assert_ok(nb_problem_read(path, problem, &why));
}

/* Every file that has a step of its own, one after the other. */
static inline void test_each_real_file(void (*check)(const struct nb_problem *problem))
{
    static const char *const names[] = {"Box_Stacks-i0122-82-5", "Capsules-i125-1213", "CubeH8",
                                        "LMGC_100_PR_PerioBox-i00361-60-03000",
                                            "LMGC_GlobalFrictionContactProblem00046"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_real_file(names[i], &problem);
        check(&problem);
    }
}

/* A step as it is and, where that can be held, linearised. */
static inline void test_both_forms(const struct nb_problem *problem, void (*check)(const struct nb_problem *problem))
{
    OWNS(nb_problem_free) struct nb_problem linear;
    check(problem);
    if (!nb_problem_linearize_in(problem, 0x1p-53, &linear, NULL))
        check(&linear);
}

#endif
