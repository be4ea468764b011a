/* A temporary folder of the test program's own, from make_folder to remove_folder. */
#ifndef NB_TESTS_FOLDER_H
#define NB_TESTS_FOLDER_H

#include "tests/support/files.h"

static struct test_folder folder;

static inline int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

/* A test with a folder of its own. */
#define TEST_IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

#endif
