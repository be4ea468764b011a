/* Writing HDF5 through memory: see hdf5_write.h. */
#include "problems/io/hdf5_write.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/replace_file.h"

/* HDF5 wants a name, and first reads what it finds there; nothing can be below a device. */
static const char name_of_no_file[] = "/dev/null/problem.h5";

static const size_t least_compressed = 4096;    /* smaller arrays stay plain [bytes] */
static const hsize_t chunk_target = 1 << 20;    /* [bytes] */
static const unsigned deflate_level = 6;
static const size_t longest_attribute = 60000;  /* HDF5 keeps attributes below 64 KiB [bytes] */

void nb_writer_fail(struct nb_writer *writer, enum nb_status status, const char *object,
                    const char *format, ...)
{
    if (writer->status)
        return;
    va_list arguments;
    va_start(arguments, format);
    writer->status = nb_file_fail(writer->error, status, writer->path, object, format, arguments);
    va_end(arguments);
}

/* In memory HDF5 fails where memory ends, or where a name is taken: both are said by name. */
static void refuse(struct nb_writer *writer, const char *object)
{
    nb_writer_fail(writer, NB_BAD_FILE, object, "HDF5 cannot write it");
}

enum nb_status nb_writer_open(struct nb_writer *writer, const char *path, struct nb_error *error)
{
    *writer = (struct nb_writer){.path = path, .error = error, .file = H5I_INVALID_HID};
    nb_hdf5_begin(&writer->session);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    nb_file_image_use(access, &writer->image);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    /* The layout of HDF5 1.8 has checksums over its metadata; the older default has none, and the
     * library may crash on a damaged file instead of refusing it. */
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(creation, 0);
    writer->file = H5Fcreate(name_of_no_file, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    if (writer->file < 0)
        nb_writer_fail(writer, NB_BAD_FILE, NULL, "HDF5 cannot start a file in memory");
    return writer->status;
}

enum nb_status nb_writer_commit(struct nb_writer *writer)
{
    if (writer->file >= 0 && H5Fclose(writer->file) < 0)
        nb_writer_fail(writer, NB_BAD_FILE, NULL, "HDF5 cannot finish the file");
    writer->file = H5I_INVALID_HID;
    nb_hdf5_end(&writer->session);
    const size_t size = nb_file_image_size(&writer->image);
    if (!writer->status && size == 0)
        nb_writer_fail(writer, NB_BAD_FILE, NULL, "HDF5 left no whole file");
    if (!writer->status)
        writer->status =
            nb_replace_file(writer->path, writer->image.bytes, size, writer->error);
    nb_file_image_free(&writer->image);
    return writer->status;
}

void nb_write_group(struct nb_writer *writer, const char *name)
{
    if (writer->status)
        return;
    /* With the order of its attributes: a scene's parameters have one. */
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(properties, 0);
    H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t group = H5Gcreate2(writer->file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    if (group < 0)
        refuse(writer, name);
    else
        H5Gclose(group);
}

/* Byte shuffle and deflate for what is large enough to gain from it. */
static void choose_storage(hid_t properties, int rank, const hsize_t *size, size_t entry_bytes)
{
    hsize_t row = entry_bytes, chunk[3] = {0};
    for (int i = 1; i < rank; ++i)
        row *= chunk[i] = size[i];
    if (size[0] * row < least_compressed || H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
        return;
    chunk[0] = size[0] * row <= chunk_target ? size[0] : chunk_target / row;
    H5Pset_chunk(properties, rank, chunk);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, deflate_level);
}

static void write_array(struct nb_writer *writer, const char *name, int rank, const hsize_t *size,
                        hid_t file_type, hid_t memory_type, const void *values)
{
    if (writer->status)
        return;
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, 0);
    const hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    if (rank && !writer->uncompressed)
        choose_storage(properties, rank, size, H5Tget_size(file_type));
    const hid_t dataset =
        H5Dcreate2(writer->file, name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (dataset < 0 || H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        refuse(writer, name);
    if (dataset >= 0 && H5Dclose(dataset) < 0)
        refuse(writer, name);
    H5Sclose(space);
    H5Pclose(properties);
}

static int fill_size(hsize_t *size, int rows, int width, int depth)
{
    size[0] = (hsize_t)rows;
    size[1] = (hsize_t)width;
    size[2] = (hsize_t)depth;
    return depth ? 3 : width ? 2 : 1;
}

/* HDF5 wants an address even for no values. */
static const double nothing;

static void describe(struct nb_writer *writer, const char *name, const char *unit,
                     const char *meaning)
{
    if (unit)
        nb_write_text_attribute(writer, name, "unit", unit);
    if (meaning)
        nb_write_text_attribute(writer, name, "meaning", meaning);
}

void nb_write_doubles(struct nb_writer *writer, const char *name, int rows, int width, int depth,
                      const double *values, const char *unit, const char *meaning)
{
    hsize_t size[3];
    const int rank = fill_size(size, rows, width, depth);
    const size_t each = (size_t)(width ? width : 1) * (size_t)(depth ? depth : 1);
    const size_t count = (size_t)rows * each;
    if (!values && count > 0)
        nb_writer_fail(writer, NB_BAD_INPUT, name, "not given");
    for (size_t i = 0; i < count && !writer->status; ++i)
        if (!isfinite(values[i]))
            nb_writer_fail(writer, NB_BAD_INPUT, name, "entry %zu is %g, and files hold finite "
                           "numbers only", i / each, values[i]);
    write_array(writer, name, rank, size, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                count ? values : &nothing);
    describe(writer, name, unit, meaning);
}

void nb_write_ints(struct nb_writer *writer, const char *name, int rows, int width,
                   const int *values, const char *meaning)
{
    hsize_t size[3];
    const int rank = fill_size(size, rows, width, 0);
    if (!values && rows > 0)
        nb_writer_fail(writer, NB_BAD_INPUT, name, "not given");
    write_array(writer, name, rank, size, H5T_STD_I32LE, H5T_NATIVE_INT,
                rows ? (const void *)values : &nothing);
    describe(writer, name, NULL, meaning);
}

void nb_write_ints_as(struct nb_writer *writer, const char *name, int rows, const int *values,
                      hid_t file_type)
{
    const hsize_t size = (hsize_t)rows;
    write_array(writer, name, 1, &size, file_type, H5T_NATIVE_INT,
                rows ? (const void *)values : &nothing);
}

void nb_write_double(struct nb_writer *writer, const char *name, double value, const char *unit,
                     const char *meaning)
{
    if (!isfinite(value))
        nb_writer_fail(writer, NB_BAD_INPUT, name, "is %g, and files hold finite numbers only",
                       value);
    write_array(writer, name, 0, NULL, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
    describe(writer, name, unit, meaning);
}

/* A text of fixed length with its terminating zero, as libfclib writes its titles. */
static hid_t text_type(const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    return type;
}

void nb_write_text(struct nb_writer *writer, const char *name, const char *text)
{
    const hid_t type = text_type(text);
    write_array(writer, name, 0, NULL, type, type, text);
    H5Tclose(type);
}

static void write_attribute(struct nb_writer *writer, const char *object, const char *name,
                            int count, hid_t file_type, hid_t memory_type, const void *value)
{
    if (writer->status)
        return;
    const hsize_t size = (hsize_t)count;
    const hid_t space = count > 1 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate_by_name(writer->file, object, name, file_type, space,
                                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, memory_type, value) < 0)
        nb_writer_fail(writer, NB_BAD_FILE, object, "HDF5 cannot write its attribute %s", name);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
}

void nb_write_text_attribute(struct nb_writer *writer, const char *object, const char *name,
                             const char *text)
{
    if (strlen(text) > longest_attribute)
        nb_writer_fail(writer, NB_BAD_INPUT, object, "attribute %s has %zu bytes, at most %zu fit",
                       name, strlen(text), longest_attribute);
    const hid_t type = text_type(text);
    H5Tset_cset(type, H5T_CSET_UTF8);
    write_attribute(writer, object, name, 1, type, type, text);
    H5Tclose(type);
}

void nb_write_ascii_attribute(struct nb_writer *writer, const char *object, const char *name,
                              const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    write_attribute(writer, object, name, 1, type, type, text);
    H5Tclose(type);
}

void nb_write_int_attribute(struct nb_writer *writer, const char *object, const char *name,
                            int count, const int *values)
{
    write_attribute(writer, object, name, count, H5T_STD_I32LE, H5T_NATIVE_INT, values);
}

void nb_write_double_attribute(struct nb_writer *writer, const char *object, const char *name,
                               double value)
{
    if (!isfinite(value))
        nb_writer_fail(writer, NB_BAD_INPUT, object,
                       "attribute %s is %g, and files hold finite numbers only", name, value);
    write_attribute(writer, object, name, 1, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}
