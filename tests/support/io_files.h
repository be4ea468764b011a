/* A folder of its own for each test, as the test's state, and files as bytes. */
#ifndef NB_TESTS_IO_FILES_H
#define NB_TESTS_IO_FILES_H

#include "tests/support/files.h"

static inline int make_folder(void **state)
{
    struct test_folder *folder = malloc(sizeof *folder);
    assert_non_null(folder);
    *folder = test_folder_make();
    *state = folder;
    return 0;
}

static inline int remove_folder(void **state)
{
    test_folder_remove(*state);
    free(*state);
    return 0;
}

/* A test with a folder of its own. */
#define TEST_IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

static inline const char *in_folder(void **state, const char *name)
{
    return test_path(*state, name);
}

/* The whole file; the caller frees. */
static inline unsigned char *file_bytes(const char *path, size_t *size)
{
    struct stat about;
    OWNS(fclose_at) FILE *file = test_open(path, "rb");
    assert_int_equal(fstat(fileno(file), &about), 0);
    *size = (size_t)about.st_size;
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    return bytes;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = test_open(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
