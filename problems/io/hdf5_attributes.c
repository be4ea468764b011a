/* Checked reading of HDF5 attributes and texts: see hdf5_read.h. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/io/hdf5_private.h"

/* Longer fixed texts are no titles, settings or names. */
static const size_t longest_text = 1 << 20;

/* Without the blanks that Fortran fills texts up with; cuts to size, before a started UTF-8 sequence. */
static void copy_text(char *text, size_t size, const char *from, size_t length)
{
    size_t given = strnlen(from, length);
    while (given > 0 && from[given - 1] == ' ')
        --given;
    size_t kept = given < size - 1 ? given : size - 1;
    while (kept < given && kept > 0 && ((unsigned char)from[kept] & 0xc0) == 0x80)
        --kept;
    memcpy(text, from, kept);
    text[kept] = 0;
    nb_clean_text(text);
}

static void read_variable_text(struct nb_reader *reader, const char *object, hid_t source,
                               hid_t type, nb_text_source *read, char *text, size_t size)
{
    char *found = NULL;
    read(reader, object, source, type, &found);
    if (!reader->status && found)
        copy_text(text, size, found, strlen(found));
    H5free_memory(found);
}

static void read_fixed_text(struct nb_reader *reader, const char *object, hid_t source, hid_t type,
                            nb_text_source *read, char *text, size_t size)
{
    const size_t length = H5Tget_size(type);
    if (length > longest_text) {
        nb_reader_fail(reader, NB_BAD_INPUT, object, "its text has %zu bytes, at most %zu are read",
                       length, longest_text);
        return;
    }
    char *found = calloc(length + 1, 1);
    if (!found)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, object, "no memory for its text");
    else
        read(reader, object, source, type, found);
    if (!reader->status)
        copy_text(text, size, found, length);
    free(found);
}

void nb_read_text_from(struct nb_reader *reader, const char *object, hid_t source, hid_t type,
                       hid_t space, nb_text_source *read, char *text, size_t size)
{
    text[0] = 0;
    if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING ||
        H5Sget_simple_extent_npoints(space) != 1)
        nb_reader_fail(reader, NB_BAD_INPUT, object, "must be a single text");
    else if (H5Tis_variable_str(type) > 0)
        read_variable_text(reader, object, source, type, read, text, size);
    else
        read_fixed_text(reader, object, source, type, read, text, size);
}

int nb_reader_has_attribute(struct nb_reader *reader, const char *object, const char *name)
{
    if (reader->status)
        return 0;
    const htri_t there = H5Aexists_by_name(reader->file, object, name, reader->links);
    if (there < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, strcmp(object, "/") ? object : "root",
                       "its attributes cannot be read");
    return there > 0;
}

/* "object: attribute name" for messages. */
static const char *attribute_label(const char *object, const char *name, char *label, size_t size)
{
    snprintf(label, size, "%s: attribute %s", strcmp(object, "/") ? object : "root", name);
    return label;
}

static hid_t open_attribute(struct nb_reader *reader, const char *object, const char *name,
                            const char *label)
{
    if (reader->status)
        return H5I_INVALID_HID;
    const hid_t attribute =
        H5Aopen_by_name(reader->file, object, name, H5P_DEFAULT, reader->links);
    if (attribute < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, label, "missing");
    return attribute;
}

/* count numbers, where the attribute holds exactly as many of the class wanted. */
static void read_numbers(struct nb_reader *reader, const char *object, const char *name,
                         H5T_class_t wanted, hid_t memory_type, int count, void *values)
{
    char label[192];
    attribute_label(object, name, label, sizeof label);
    const hid_t attribute = open_attribute(reader, object, name, label);
    if (attribute < 0)
        return;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t found = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    if ((found != wanted && (wanted != H5T_FLOAT || found != H5T_INTEGER)) || H5Tget_size(type) > sizeof(long double))
        nb_reader_fail(reader, NB_BAD_INPUT, label, "must be a %s",
                       wanted == H5T_FLOAT ? "number" : "whole number");
    else if (space < 0 || H5Sget_simple_extent_npoints(space) != count)
        nb_reader_fail(reader, NB_BAD_INPUT, label, "must hold %d numbers", count);
    else if (H5Aread(attribute, memory_type, values) < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, label, "its value is damaged");
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Aclose(attribute);
}

int nb_read_int_attribute(struct nb_reader *reader, const char *object, const char *name)
{
    int value = 0;
    read_numbers(reader, object, name, H5T_INTEGER, H5T_NATIVE_INT, 1, &value);
    return reader->status ? 0 : value;
}

double nb_read_double_attribute(struct nb_reader *reader, const char *object, const char *name)
{
    double value = 0;
    read_numbers(reader, object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, 1, &value);
    if (!reader->status && !isfinite(value)) {
        char label[192];
        nb_reader_fail(reader, NB_BAD_INPUT, attribute_label(object, name, label, sizeof label),
                       "is %g, not a finite number", value);
    }
    return reader->status ? 0 : value;
}

void nb_read_shape_attribute(struct nb_reader *reader, const char *object, int *rows, int *columns)
{
    int shape[2] = {0};
    read_numbers(reader, object, "shape", H5T_INTEGER, H5T_NATIVE_INT, 2, shape);
    const int largest = INT_MAX / 64;
    if (!reader->status &&
        (shape[0] < 0 || shape[1] < 0 || shape[0] > largest || shape[1] > largest))
        nb_reader_fail(reader, NB_BAD_INPUT, object, "attribute shape is %d x %d, outside 0 to %d",
                       shape[0], shape[1], largest);
    *rows = reader->status ? 0 : shape[0];
    *columns = reader->status ? 0 : shape[1];
}

static void read_attribute_text(struct nb_reader *reader, const char *object, hid_t attribute, hid_t type,
                                void *buffer)
{
    if (H5Aread(attribute, type, buffer) < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, object, "its text is damaged");
}

void nb_read_text_attribute(struct nb_reader *reader, const char *object, const char *name,
                            char *text, size_t size)
{
    char label[192];
    text[0] = 0;
    attribute_label(object, name, label, sizeof label);
    const hid_t attribute = open_attribute(reader, object, name, label);
    if (attribute < 0)
        return;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    nb_read_text_from(reader, label, attribute, type, space, read_attribute_text, text, size);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Aclose(attribute);
}

int nb_read_attribute_count(struct nb_reader *reader, const char *object, int most)
{
    H5O_info_t about;
    if (!nb_reader_has(reader, object)) {
        nb_reader_fail(reader, NB_BAD_INPUT, object, "missing");
        return 0;
    }
    if (H5Oget_info_by_name2(reader->file, object, &about, H5O_INFO_NUM_ATTRS, reader->links) < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, object, "cannot be opened");
    else if (about.num_attrs > (hsize_t)most)
        nb_reader_fail(reader, NB_BAD_INPUT, object, "has %llu attributes, at most %d are read",
                       (unsigned long long)about.num_attrs, most);
    return reader->status ? 0 : (int)about.num_attrs;
}

struct visit {
    struct nb_reader *reader;
    void (*visit)(void *context, const char *name);
    void *context;
};

static herr_t visit_name(hid_t object, const char *name, const H5A_info_t *about, void *context)
{
    const struct visit *visit = context;
    (void)object, (void)about;
    visit->visit(visit->context, name);
    return visit->reader->status ? -1 : 0;
}

void nb_read_attribute_names(struct nb_reader *reader, const char *object,
                             void (*visit)(void *context, const char *name), void *context)
{
    struct visit each = {reader, visit, context};
    /* HDF5 1.10 frees what it never made where it meets a damaged attribute on this way. Looking for one that is not
     * there meets it, too, and says so. */
    nb_reader_has_attribute(reader, object, "\n");
    if (!reader->status && H5Aiterate_by_name(reader->file, object, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, visit_name,
                                              &each, reader->links) < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, object, "its attributes cannot be read");
}
