/* Writing HDF5: private to problems/io.
 *
 * The file is built in memory and put in place as a whole (replace_file.h), so that a full disk is
 * an ordinary write error and nothing half-written is ever seen. No times are stored: equal content
 * gives equal bytes. As a reader, a writer keeps its first failure and then does nothing. */
#ifndef NB_HDF5_WRITE_H
#define NB_HDF5_WRITE_H

#include <hdf5.h>

#include "problems/base/status.h"
#include "problems/io/file_image.h"
#include "problems/io/hdf5_session.h"

struct nb_writer {
    const char *path;        /* borrowed */
    struct nb_error *error;  /* borrowed; may be NULL */
    enum nb_status status;   /* of the first failure */
    hid_t file;
    int uncompressed;        /* arrays stay plain, whatever their size */
    struct nb_hdf5_session session;
    struct nb_file_image image; /* the file; a writer may not move while it is open */
};

/* Must be followed by nb_writer_commit in the same thread, also where it fails. */
enum nb_status nb_writer_open(struct nb_writer *writer, const char *path, struct nb_error *error);

/* Puts the file in place, unless there was a failure. Either way the writer is closed. */
enum nb_status nb_writer_commit(struct nb_writer *writer);

/* Records "path: object: text" unless there was a failure before. */
void nb_writer_fail(struct nb_writer *writer, enum nb_status status, const char *object,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

void nb_write_group(struct nb_writer *writer, const char *name);

/* values [rows x width x depth]; width or depth 0: no such dimension. Arrays above a few kB are compressed, unless the
 * writer is to leave them plain. unit and meaning become attributes; NULL for none. Refuses what is not finite. */
void nb_write_doubles(struct nb_writer *writer, const char *name, int rows, int width, int depth,
                      const double *values, const char *unit, const char *meaning);
void nb_write_ints(struct nb_writer *writer, const char *name, int rows, int width,
                   const int *values, const char *meaning);

/* The same values, stored as file_type: other formats ask for bytes or 64-bit numbers. */
void nb_write_ints_as(struct nb_writer *writer, const char *name, int rows, const int *values,
                      hid_t file_type);

/* A single number without dimensions, and a single text. */
void nb_write_double(struct nb_writer *writer, const char *name, double value, const char *unit,
                     const char *meaning);
void nb_write_text(struct nb_writer *writer, const char *name, const char *text);

/* Attributes of a group or dataset; "/" is the root. */
void nb_write_text_attribute(struct nb_writer *writer, const char *object, const char *name,
                             const char *text);
/* ASCII without a terminating zero, as VTK reads it. */
void nb_write_ascii_attribute(struct nb_writer *writer, const char *object, const char *name,
                              const char *text);
void nb_write_int_attribute(struct nb_writer *writer, const char *object, const char *name,
                            int count, const int *values);
void nb_write_double_attribute(struct nb_writer *writer, const char *object, const char *name,
                               double value);

#endif
