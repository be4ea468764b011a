/* Checked reading of HDF5 datasets: see hdf5_read.h. Numbers are converted as HDF5 does it, from any type to ours,
 * but a whole number that would not stay the same is refused. */
#include "problems/io/hdf5_read.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/large.h"
#include "problems/io/hdf5_private.h"

/* As in nb_problem_validate: every index computed from a count fits an int. */
static const int largest_count = INT_MAX / 64;

static void check_type(struct nb_reader *reader, const char *name, const struct nb_dataset *dataset)
{
    if (dataset->type != H5T_FLOAT && dataset->type != H5T_INTEGER && dataset->type != H5T_ENUM)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "must hold numbers");
    else if (dataset->entry_bytes > sizeof(long double))
        nb_reader_fail(reader, NB_BAD_INPUT, name, "holds numbers of %zu bytes, at most %zu are read",
                       dataset->entry_bytes, sizeof(long double));
}

/* A vector may be stored as a column or a row, and one number with or without dimensions: libfclib does not look.
 * A table's shape says what is what. */
static void check_shape(struct nb_reader *reader, const char *name, const struct nb_dataset *dataset,
                        const int *wanted)
{
    unsigned long long entries = 1;
    int rank = 0, same = 1;
    for (; rank < 3 && (rank == 0 || wanted[rank] > 0); ++rank) {
        same &= rank < dataset->rank && dataset->size[rank] == (hsize_t)wanted[rank];
        entries *= (unsigned long long)wanted[rank];
    }
    const int empty = dataset->reversed && dataset->entries == 0 && entries == 0; /* MATLAB's have no shape */
    if (empty || (rank == 1 ? dataset->entries == entries : dataset->rank == rank && same))
        return;
    char found[80] = "a single entry", needed[80];
    for (int i = 0, at = 0; i < dataset->rank && i < 3; ++i)
        at += snprintf(found + at, sizeof found - (size_t)at, i ? " x %llu" : "%llu",
                       (unsigned long long)dataset->size[i]);
    for (int i = 0, at = 0; i < rank; ++i)
        at += snprintf(needed + at, sizeof needed - (size_t)at, i ? " x %d" : "%d", wanted[i]);
    nb_reader_fail(reader, NB_BAD_INPUT, name, "has shape %s%s, must be %s", found, dataset->rank > 3 ? " x ..." : "",
                   needed);
}

/* What is no whole number, or too large for ours, ends the conversion; *context says so. */
static H5T_conv_ret_t refuse_change(H5T_conv_except_t kind, hid_t from, hid_t to, void *source, void *target,
                                    void *context)
{
    (void)from, (void)to, (void)source, (void)target;
    if (kind == H5T_CONV_EXCEPT_PRECISION)
        return H5T_CONV_UNHANDLED;
    *(int *)context = 1;
    return H5T_CONV_ABORT;
}

/* More than one dimension is longer than 1. */
static int is_table(const struct nb_dataset *dataset)
{
    int longer = 0;
    for (int i = 0; i < dataset->rank; ++i)
        longer += dataset->size[i] > 1;
    return longer > 1;
}

/* Entries as stored with the first dimension running fastest, to ours, where the last one does. */
static void turn(struct nb_reader *reader, const char *name, const struct nb_dataset *dataset, size_t bytes,
                 void *values)
{
    char *copy = malloc(dataset->entries * bytes), *to = values;
    if (!copy) {
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, name, "no memory for %llu entries", dataset->entries);
        return;
    }
    memcpy(copy, values, dataset->entries * bytes);
    for (size_t entry = 0; entry < dataset->entries; ++entry) {
        size_t rest = entry, stride = dataset->entries, from = 0;
        for (int i = dataset->rank - 1; i >= 0; --i) {
            stride /= dataset->size[i];
            from += rest % dataset->size[i] * stride;
            rest /= dataset->size[i];
        }
        memcpy(to + entry * bytes, copy + from * bytes, bytes);
    }
    free(copy);
}

/* The dataset's entries into values, doubles or ints. */
static void read_entries(struct nb_reader *reader, const char *name, const struct nb_dataset *dataset, int real,
                         void *values)
{
    int changed = 0;
    if (reader->status || dataset->entries == 0)
        return;
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    if (!real)
        H5Pset_type_conv_cb(transfer, refuse_change, &changed);
    const herr_t failed = H5Dread(dataset->id, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer,
                                  values);
    H5Pclose(transfer);
    if (changed)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "holds what is no whole number from %d to %d", INT_MIN, INT_MAX);
    else if (failed < 0)
        nb_dataset_explain(reader, name, dataset->id);
    else if (dataset->reversed && is_table(dataset))
        turn(reader, name, dataset, real ? sizeof(double) : sizeof(int), values);
}

/* Memory for a dataset whose type, shape and storage agree, filled; NULL on failure. */
static void *read_values(struct nb_reader *reader, const char *name, int real, const int *shape)
{
    struct nb_dataset dataset;
    void *values = NULL;
    if (!nb_dataset_open(reader, name, &dataset))
        return NULL;
    check_type(reader, name, &dataset);
    if (!reader->status)
        check_shape(reader, name, &dataset, shape);
    if (!reader->status && !(values = nb_large_zeroed(dataset.entries + 1, real ? sizeof(double) : sizeof(int))))
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, name, "no memory for %llu entries", dataset.entries);
    read_entries(reader, name, &dataset, real, values);
    H5Dclose(dataset.id);
    if (!reader->status)
        return values;
    free(values);
    return NULL;
}

int nb_reader_has_table(struct nb_reader *reader, const char *name)
{
    struct nb_dataset dataset;
    if (!nb_dataset_open(reader, name, &dataset))
        return 0;
    H5Dclose(dataset.id);
    return is_table(&dataset);
}

void nb_reader_measure(struct nb_reader *reader, const char *name, unsigned long long size[2])
{
    struct nb_dataset dataset;
    size[0] = size[1] = 0;
    if (!nb_dataset_open(reader, name, &dataset))
        return;
    H5Dclose(dataset.id);
    size[0] = dataset.rank == 2 ? dataset.size[0] : dataset.entries;
    size[1] = dataset.rank == 2 ? dataset.size[1] : 0;
}

int nb_read_length(struct nb_reader *reader, const char *name)
{
    struct nb_dataset dataset;
    if (!nb_dataset_open(reader, name, &dataset))
        return 0;
    H5Dclose(dataset.id);
    return (int)dataset.entries;
}

static int checked_count(struct nb_reader *reader, const char *name, int count)
{
    if (count > largest_count)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has %d entries, at most %d are allowed", count, largest_count);
    return reader->status ? 0 : count;
}

int nb_read_vector_count(struct nb_reader *reader, const char *name)
{
    return checked_count(reader, name, nb_read_length(reader, name));
}

int nb_read_count(struct nb_reader *reader, const char *name)
{
    struct nb_dataset dataset;
    if (!nb_dataset_open(reader, name, &dataset))
        return 0;
    if (dataset.rank == 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is a single entry, must be an array");
    H5Dclose(dataset.id);
    return checked_count(reader, name, (int)dataset.size[0]);
}

double *nb_read_doubles(struct nb_reader *reader, const char *name, int rows, int width, int depth)
{
    const int shape[3] = {rows, width, depth};
    double *values = read_values(reader, name, 1, shape);
    const size_t each = (size_t)(width ? width : 1) * (size_t)(depth ? depth : 1);
    for (size_t i = 0; values && i < (size_t)rows * each; ++i)
        if (!isfinite(values[i])) {
            nb_reader_fail(reader, NB_BAD_INPUT, name, "entry %zu is %g, not a finite number",
                           i / each, values[i]);
            break;
        }
    if (!reader->status)
        return values;
    free(values);
    return NULL;
}

int *nb_read_ints(struct nb_reader *reader, const char *name, int rows, int width)
{
    const int shape[3] = {rows, width, 0};
    return read_values(reader, name, 0, shape);
}

static void read_single(struct nb_reader *reader, const char *name, int real, void *value)
{
    struct nb_dataset dataset;
    if (!nb_dataset_open(reader, name, &dataset))
        return;
    check_type(reader, name, &dataset);
    if (dataset.entries != 1)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has %llu entries, must be a single one", dataset.entries);
    read_entries(reader, name, &dataset, real, value);
    H5Dclose(dataset.id);
}

int nb_read_int(struct nb_reader *reader, const char *name)
{
    int value = 0;
    read_single(reader, name, 0, &value);
    return reader->status ? 0 : value;
}

double nb_read_double(struct nb_reader *reader, const char *name)
{
    double value = 0;
    read_single(reader, name, 1, &value);
    if (!reader->status && !isfinite(value))
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is %g, not a finite number", value);
    return reader->status ? 0 : value;
}

static void read_dataset_text(struct nb_reader *reader, const char *object, hid_t dataset, hid_t type, void *buffer)
{
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer) < 0)
        nb_dataset_explain(reader, object, dataset);
}

void nb_read_text(struct nb_reader *reader, const char *name, char *text, size_t size)
{
    struct nb_dataset dataset;
    text[0] = 0;
    if (!nb_dataset_open(reader, name, &dataset))
        return;
    const hid_t type = H5Dget_type(dataset.id), space = H5Dget_space(dataset.id);
    nb_read_text_from(reader, name, dataset.id, type, space, read_dataset_text, text, size);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(dataset.id);
}
