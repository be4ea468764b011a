/* Whole files. */
#ifndef NB_REPLACE_FILE_H
#define NB_REPLACE_FILE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "problems/base/status.h"

/* Writes bytes [count] to path.tmp.PID, forces them to the disk and renames. On failure path is as
 * it was and nothing is left beside it. */
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
