/* Checked reading of HDF5: private to problems/io.
 *
 * A reader keeps its first failure; every later call then does nothing and returns zero or NULL, so
 * that reading a file is a list of calls and one look at `status`. Every message is one line that
 * names the file and the dataset. Nothing is allocated before the dataset's extent has been
 * compared with what the file holds, and no value is handed out that is not finite. Only what is in the
 * file itself is read: external links, external storage and virtual datasets are refused, and no other file
 * is opened. */
#ifndef NB_HDF5_READ_H
#define NB_HDF5_READ_H

#include <hdf5.h>

#include "problems/base/hash.h"
#include "problems/io/regular_file.h"

struct nb_reader {
    const char *path;        /* borrowed */
    struct nb_error *error;  /* borrowed; may be NULL */
    enum nb_status status;   /* of the first failure */
    hid_t file;
    hid_t links;             /* properties by which links are followed, within the file only */
    int outside;             /* one led to another file, and was not followed */
    struct nb_content content; /* the file's bytes, of which HDF5 reads */
    char hash[NB_HASH_SIZE];   /* of these */
};

/* Reads the file by calls of read(reader, context), which makes nothing but what *context holds. Damaged files end
 * or hang HDF5 itself: so it is called twice, first in a child process, where nothing that it makes stays; what the
 * child does not survive is refused. hash, unless NULL, becomes that of the bytes that were read. Returns the
 * reader's status. */
typedef void nb_read_function(struct nb_reader *reader, void *context);
enum nb_status nb_read_file(const char *path, nb_read_function *read, void *context, char hash[NB_HASH_SIZE],
                            struct nb_error *error);

/* Records "path: object: text" unless there was a failure before. */
void nb_reader_fail(struct nb_reader *reader, enum nb_status status, const char *object,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Is there a link of this name? Every group on the way is looked at. */
int nb_reader_has(struct nb_reader *reader, const char *name);

/* Is what has this name, and is there, a group? */
int nb_reader_is_group(struct nb_reader *reader, const char *name);

/* Has the dataset more than one dimension that is longer than 1? */
int nb_reader_has_table(struct nb_reader *reader, const char *name);

/* Whether the file says if rows come first or columns. */
int nb_reader_tells_order(struct nb_reader *reader, const char *name);

/* Rows and columns of a dataset; one of another rank than 2 has its entries as rows, and no columns. */
void nb_reader_measure(struct nb_reader *reader, const char *name, unsigned long long size[2]);

/* How many entries a dataset holds, whatever its rank; the same of a vector, and the rows (the first dimension) of
 * a table, whose counts are also small enough for every index computed from them to fit an int. */
int nb_read_length(struct nb_reader *reader, const char *name);
int nb_read_vector_count(struct nb_reader *reader, const char *name);
int nb_read_count(struct nb_reader *reader, const char *name);

/* The dataset, of any type of numbers, as a new array [rows x width x depth]; width or depth 0: it has no such
 * dimension, and without either it is a vector of that length, whatever its rank. Where MATLAB or the attribute
 * storage_order tells that the writer has columns first, dimensions and entries are turned as it means them. Ints
 * are whole in the file, of whatever type. Never NULL on success, even where it is empty. The caller frees. */
double *nb_read_doubles(struct nb_reader *reader, const char *name, int rows, int width, int depth);
int *nb_read_ints(struct nb_reader *reader, const char *name, int rows, int width);

/* A dataset with a single entry, of whatever rank. */
int nb_read_int(struct nb_reader *reader, const char *name);
double nb_read_double(struct nb_reader *reader, const char *name);

/* A dataset with a single text. Control characters become '?', and all other bytes outside ASCII
 * too where they are not UTF-8; a text that is too long is cut. */
void nb_read_text(struct nb_reader *reader, const char *name, char *text, size_t size);

/* Attributes of a group or dataset; "/" is the root. */
int nb_reader_has_attribute(struct nb_reader *reader, const char *object, const char *name);
int nb_read_int_attribute(struct nb_reader *reader, const char *object, const char *name);
double nb_read_double_attribute(struct nb_reader *reader, const char *object, const char *name);
void nb_read_text_attribute(struct nb_reader *reader, const char *object, const char *name,
                            char *text, size_t size);

/* Two whole numbers: the shape of a sparse matrix. */
void nb_read_shape_attribute(struct nb_reader *reader, const char *object, int *rows, int *columns);

/* How many attributes a group has, at most `most`; and their names, handed to visit(context, name) in the order of
 * their creation, until there is a failure. */
int nb_read_attribute_count(struct nb_reader *reader, const char *object, int most);
void nb_read_attribute_names(struct nb_reader *reader, const char *object,
                             void (*visit)(void *context, const char *name), void *context);

/* Offsets [count + 1] into an array of `last` entries: they start at 0, never fall, end at last. */
void nb_reader_check_offsets(struct nb_reader *reader, const char *name, const int *offset,
                             int count, int last);

#endif
