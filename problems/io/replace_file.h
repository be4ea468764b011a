/* Whole files. */
#ifndef NB_REPLACE_FILE_H
#define NB_REPLACE_FILE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "problems/base/status.h"

/* Every file that the program writes comes from here: what stands under a name that the program chooses itself, which
 * somebody else may have planted as a link or a pipe, is neither followed nor waited for. */

/* Opens a new file for writing, in place of what is there; NULL, and errno: it cannot be. For parts of what is not
 * yet in its place. */
FILE *nb_create_file(const char *path);

/* A file that is written beside its path, as path.tmp.PID, and takes its place when it is whole. */
struct nb_new_file {
    FILE *stream;     /* to write to; NULL: it was not begun */
    const char *path; /* borrowed */
    char *beside;     /* owned */
    bool fleeting;    /* need not outlast the machine: nothing is forced to the disk */
};
enum nb_status nb_new_file_begin(struct nb_new_file *file, const char *path, struct nb_error *error);

/* status: what came of writing to the stream. Where that is NB_OK, and no write failed, what was written is forced to
 * the disk and renamed. Otherwise path is as it was, and nothing is left beside it. Returns status, or the failure. */
enum nb_status nb_new_file_end(struct nb_new_file *file, enum nb_status status, struct nb_error *error);

/* The two halves of the above, for files that belong together. The first forces what was written to the disk and
 * closes; where that fails nothing is left beside the path. The second gives files [count] that are finished their
 * names, all or none: unless status is NB_OK, or where one cannot be renamed, none is left, neither beside its path nor
 * in its place. Those {0}, which were not begun, are passed over then. */
enum nb_status nb_new_file_finish(struct nb_new_file *file, enum nb_status status, struct nb_error *error);
enum nb_status nb_new_files_place(struct nb_new_file *files, int count, enum nb_status status, struct nb_error *error);

/* The same of bytes [count]. */
enum nb_status nb_replace_file(const char *path, const void *bytes, size_t count,
                               struct nb_error *error);

/* The same for a file that need not outlast the machine: nothing is forced to the disk. */
enum nb_status nb_place_file(const char *path, const void *bytes, size_t count, struct nb_error *error);

/* As nb_replace_file, of what print(stream, context) prints, with a decimal point; what it returns other than 0 is that
 * memory lacks. */
enum nb_status nb_replace_text(const char *path, int (*print)(FILE *stream, const void *context), const void *context,
                               struct nb_error *error);

/* Writes "path: object: text", or "path: text" where object is NULL, and returns status. */
enum nb_status nb_file_fail(struct nb_error *error, enum nb_status status, const char *path,
                            const char *object, const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

#endif
