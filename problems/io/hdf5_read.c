/* Checked reading of HDF5 datasets: see hdf5_read.h. */
#include "problems/io/hdf5_read.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/file_image.h"
#include "problems/io/hdf5_private.h"
#include "problems/io/replace_file.h"

/* As in nb_problem_validate: every index computed from a count fits an int. */
static const int largest_count = INT_MAX / 64;

/* Entries of a sparse matrix are only counted, so there may be more of them. */
static const hsize_t largest_extent = INT_MAX - 1;

/* Deflate expands to at most 1032 times its input (RFC 1951: 258 bytes from 2 bits); what claims
 * more is not data. */
static const unsigned long long largest_expansion = 1100;

/* HDF5 reads whole chunks, so a chunk may not be out of proportion to its dataset. */
static const unsigned long long chunk_allowance = 64ull << 20;

void nb_reader_fail(struct nb_reader *reader, enum nb_status status, const char *object,
                    const char *format, ...)
{
    if (reader->status)
        return;
    va_list arguments;
    va_start(arguments, format);
    reader->status = nb_file_fail(reader->error, status, reader->path, object, format, arguments);
    va_end(arguments);
}

/* HDF5 says little when it fails to open; its signature tells a damaged file from a foreign one. */
static void explain_refusal(struct nb_reader *reader)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    if (reader->content.size >= sizeof signature && !memcmp(reader->content.bytes, signature, sizeof signature))
        nb_reader_fail(reader, NB_BAD_INPUT, NULL, "is an HDF5 file that is damaged or cut short");
    else
        nb_reader_fail(reader, NB_BAD_INPUT, NULL, "is not an HDF5 file");
}

enum nb_status nb_reader_open(struct nb_reader *reader, const char *path, struct nb_error *error)
{
    *reader = (struct nb_reader){.path = path, .error = error, .file = H5I_INVALID_HID};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    struct nb_content *content = &reader->content;
    reader->status = nb_content_add(content, path, error);
    if (!reader->status)
        reader->status = nb_hash(content->bytes, content->size, reader->hash, sizeof reader->hash, error);
    if (reader->status)
        return reader->status;
    if (content->size > 0)
        reader->file = nb_file_image_open(content->bytes, content->size);
    if (reader->file < 0)
        explain_refusal(reader);
    return reader->status;
}

void nb_reader_close(struct nb_reader *reader)
{
    if (reader->file >= 0)
        H5Fclose(reader->file);
    reader->file = H5I_INVALID_HID;
    nb_content_free(&reader->content);
}

int nb_reader_has(struct nb_reader *reader, const char *name)
{
    char part[128];
    if (reader->status)
        return 0;
    for (size_t end = 1;; ++end) {
        if (name[end] && name[end] != '/')
            continue;
        if (end >= sizeof part)
            return 0;
        memcpy(part, name, end);
        part[end] = 0;
        const htri_t there = H5Lexists(reader->file, part, H5P_DEFAULT);
        if (there < 0)
            nb_reader_fail(reader, NB_BAD_INPUT, part, "its group is damaged or not a group");
        if (there <= 0)
            return 0;
        if (!name[end])
            return 1;
    }
}

static hid_t open_dataset(struct nb_reader *reader, const char *name)
{
    if (!nb_reader_has(reader, name)) {
        nb_reader_fail(reader, NB_BAD_INPUT, name, "missing");
        return H5I_INVALID_HID;
    }
    const hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);
    if (dataset < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "not a dataset, or damaged");
    return dataset;
}

/* size [3]: the extent, 0 where there is no such dimension. Returns the rank, or -1. */
static int read_extent(struct nb_reader *reader, const char *name, hid_t dataset, hsize_t *size)
{
    const hid_t space = H5Dget_space(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    memset(size, 0, 3 * sizeof *size);
    if (rank < 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has no readable extent");
    else if (rank > 3)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has %d dimensions, at most 3 are known", rank);
    else
        H5Sget_simple_extent_dims(space, size, NULL);
    if (space >= 0)
        H5Sclose(space);
    for (int i = 0; i < 3; ++i)
        if (size[i] > largest_extent)
            nb_reader_fail(reader, NB_BAD_INPUT, name, "has %llu entries, at most %llu are allowed",
                           (unsigned long long)size[i], (unsigned long long)largest_extent);
    return reader->status ? -1 : rank;
}

static void check_type(struct nb_reader *reader, const char *name, hid_t dataset,
                       H5T_class_t wanted)
{
    const hid_t type = H5Dget_type(dataset);
    const H5T_class_t found = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    const size_t bytes = type < 0 ? 0 : H5Tget_size(type);
    if (type >= 0)
        H5Tclose(type);
    if (found != wanted)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "must hold %s",
                       wanted == H5T_FLOAT ? "floating-point numbers" : "whole numbers");
    else if (bytes > 8)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "holds numbers of %zu bytes, at most 8 are read",
                       bytes);
}

static unsigned long long chunk_bytes(hid_t properties, unsigned long long entry_bytes)
{
    hsize_t size[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, size);
    unsigned long long bytes = entry_bytes;
    for (int i = 0; i < rank; ++i) /* each is below 2^32 by HDF5's own limit */
        bytes = bytes > ULLONG_MAX >> 32 ? ULLONG_MAX : bytes * size[i];
    return bytes;
}

/* The claimed extent against the bytes that are really there. */
static void check_storage(struct nb_reader *reader, const char *name, hid_t dataset,
                          unsigned long long entries, unsigned long long entry_bytes)
{
    const hid_t properties = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = properties < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(properties);
    const unsigned long long stored = H5Dget_storage_size(dataset), wanted = entries * entry_bytes;
    const int outside = layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) > 0;
    if ((layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) || outside)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is not stored in this file");
    else if (stored > (unsigned long long)reader->content.size)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "claims %llu bytes in a file of %llu", stored,
                       (unsigned long long)reader->content.size);
    else if (stored == 0 ? wanted / largest_expansion > (unsigned long long)reader->content.size /* zeros never written out */
             : layout == H5D_CHUNKED ? stored < wanted / largest_expansion
                                     : stored != wanted)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "claims %llu entries but stores %llu bytes",
                       entries, stored);
    else if (layout == H5D_CHUNKED &&
             chunk_bytes(properties, entry_bytes) / 64 > wanted + chunk_allowance / 64)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has chunks out of proportion to its size");
    if (properties >= 0)
        H5Pclose(properties);
}

static void check_shape(struct nb_reader *reader, const char *name, int rank, const hsize_t *size,
                        const int *wanted)
{
    int wanted_rank = 1, same = 1;
    while (wanted_rank < 3 && wanted[wanted_rank] > 0)
        ++wanted_rank;
    for (int i = 0; i < wanted_rank; ++i)
        same &= size[i] == (hsize_t)wanted[i];
    if (rank == wanted_rank && same)
        return;
    char found[80] = "a single entry", needed[80];
    for (int i = 0, at = 0; i < rank; ++i)
        at += snprintf(found + at, sizeof found - (size_t)at, i ? " x %llu" : "%llu",
                       (unsigned long long)size[i]);
    for (int i = 0, at = 0; i < wanted_rank; ++i)
        at += snprintf(needed + at, sizeof needed - (size_t)at, i ? " x %d" : "%d", wanted[i]);
    nb_reader_fail(reader, NB_BAD_INPUT, name, "has shape %s, must be %s", found, needed);
}

static size_t file_type_bytes(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const size_t bytes = type < 0 ? 0 : H5Tget_size(type);
    if (type >= 0)
        H5Tclose(type);
    return bytes;
}

/* Memory for a dataset whose type, shape and storage agree, filled; NULL on failure. */
static void *read_values(struct nb_reader *reader, const char *name, H5T_class_t wanted,
                         const int *shape)
{
    const int real = wanted == H5T_FLOAT;
    const size_t entry = real ? sizeof(double) : sizeof(int);
    hsize_t size[3];
    void *values = NULL;
    const hid_t dataset = open_dataset(reader, name);
    if (dataset < 0)
        return NULL;
    check_type(reader, name, dataset, wanted);
    const int rank = read_extent(reader, name, dataset, size);
    if (!reader->status)
        check_shape(reader, name, rank, size, shape);
    unsigned long long entries = 1;
    for (int i = 0; i < rank && !reader->status; ++i)
        entries *= size[i]; /* as wanted, so the product is small */
    if (!reader->status)
        check_storage(reader, name, dataset, entries, file_type_bytes(dataset));
    if (!reader->status && !(values = calloc(entries + 1, entry)))
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, name, "no memory for %llu entries", entries);
    if (values && H5Dread(dataset, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, H5S_ALL, H5S_ALL,
                          H5P_DEFAULT, values) < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "its data is damaged");
    H5Dclose(dataset);
    if (!reader->status)
        return values;
    free(values);
    return NULL;
}

int nb_read_length(struct nb_reader *reader, const char *name)
{
    hsize_t size[3] = {0};
    const hid_t dataset = open_dataset(reader, name);
    if (dataset < 0)
        return 0;
    if (read_extent(reader, name, dataset, size) == 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is a single entry, must be an array");
    H5Dclose(dataset);
    return reader->status ? 0 : (int)size[0];
}

int nb_read_count(struct nb_reader *reader, const char *name)
{
    const int count = nb_read_length(reader, name);
    if (count > largest_count)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "has %d entries, at most %d are allowed", count,
                       largest_count);
    return reader->status ? 0 : count;
}

double *nb_read_doubles(struct nb_reader *reader, const char *name, int rows, int width, int depth)
{
    const int shape[3] = {rows, width, depth};
    double *values = read_values(reader, name, H5T_FLOAT, shape);
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
    return read_values(reader, name, H5T_INTEGER, shape);
}

/* FCLIB writes its numbers as arrays of one entry, h5py as scalars: both will do. */
static void read_single(struct nb_reader *reader, const char *name, H5T_class_t wanted,
                        hid_t memory_type, void *value)
{
    hsize_t size[3];
    const hid_t dataset = open_dataset(reader, name);
    if (dataset < 0)
        return;
    check_type(reader, name, dataset, wanted);
    const int rank = read_extent(reader, name, dataset, size);
    for (int i = 0; i < rank; ++i)
        if (size[i] != 1)
            nb_reader_fail(reader, NB_BAD_INPUT, name, "has %llu entries, must be a single one",
                           (unsigned long long)size[i]);
    if (!reader->status)
        check_storage(reader, name, dataset, 1, file_type_bytes(dataset));
    if (!reader->status &&
        H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "its data is damaged");
    H5Dclose(dataset);
}

int nb_read_int(struct nb_reader *reader, const char *name)
{
    int value = 0;
    read_single(reader, name, H5T_INTEGER, H5T_NATIVE_INT, &value);
    return reader->status ? 0 : value;
}

double nb_read_double(struct nb_reader *reader, const char *name)
{
    double value = 0;
    read_single(reader, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
    if (!reader->status && !isfinite(value))
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is %g, not a finite number", value);
    return reader->status ? 0 : value;
}

static herr_t read_dataset_text(hid_t dataset, hid_t type, void *buffer)
{
    return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
}

void nb_read_text(struct nb_reader *reader, const char *name, char *text, size_t size)
{
    text[0] = 0;
    const hid_t dataset = open_dataset(reader, name);
    if (dataset < 0)
        return;
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    nb_read_text_from(reader, name, dataset, type, space, read_dataset_text, text, size);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(dataset);
}

void nb_reader_check_offsets(struct nb_reader *reader, const char *name, const int *offset,
                             int count, int last)
{
    if (reader->status)
        return;
    if (offset[0] != 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "starts with %d, must be 0", offset[0]);
    for (int i = 0; i < count && !reader->status; ++i)
        if (offset[i + 1] < offset[i])
            nb_reader_fail(reader, NB_BAD_INPUT, name, "falls from %d to %d at entry %d", offset[i],
                           offset[i + 1], i + 1);
    if (!reader->status && offset[count] != last)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "ends with %d, must be %d", offset[count], last);
}
