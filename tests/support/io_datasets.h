/* The datasets of an HDF5 file: their names, and one in memory to change and to write back. */
#ifndef NB_TESTS_IO_DATASETS_H
#define NB_TESTS_IO_DATASETS_H

#include <hdf5.h>

#include "tests/support/test.h"

#define MOST_DATASETS 96

struct names {
    int count;
    char name[MOST_DATASETS][96];
};

static inline herr_t collect(hid_t file, const char *name, const H5O_info_t *about, void *context)
{
    struct names *names = context;
    (void)file;
    if (about->type == H5O_TYPE_DATASET) {
        assert_true(names->count < MOST_DATASETS);
        snprintf(names->name[names->count++], sizeof names->name[0], "%s", name);
    }
    return 0;
}

static inline void list_datasets(const char *path, struct names *names)
{
    names->count = 0;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, collect, names, H5O_INFO_BASIC) >= 0);
    H5Fclose(file);
}

/* A dataset in memory. */
struct content {
    H5T_class_t class;
    int rank;
    hsize_t size[8], count;
    double *numbers;
    int *integers;
};

static inline void load(hid_t file, const char *name, struct content *content)
{
    memset(content, 0, sizeof *content);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    content->class = H5Tget_class(type);
    content->rank = H5Sget_simple_extent_dims(space, content->size, NULL);
    content->count = (hsize_t)H5Sget_simple_extent_npoints(space);
    content->numbers = calloc(2 * (size_t)content->count + 64, sizeof(double));
    content->integers = calloc(2 * (size_t)content->count + 64, sizeof(int));
    assert_true(content->numbers && content->integers);
    if (content->class == H5T_FLOAT)
        H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, content->numbers);
    if (content->class == H5T_INTEGER)
        H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, content->integers);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(dataset);
}

static inline void store(hid_t file, const char *name, const struct content *content)
{
    const hid_t type = content->class == H5T_FLOAT ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
    const hid_t space = H5Screate_simple(content->rank, content->size, NULL);
    const hid_t dataset =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
             content->class == H5T_FLOAT ? (void *)content->numbers : (void *)content->integers);
    H5Dclose(dataset);
    H5Sclose(space);
}

#endif
