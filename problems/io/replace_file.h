/* Whole files: private to problems/io. */
#ifndef NB_REPLACE_FILE_H
#define NB_REPLACE_FILE_H

#include <stddef.h>

#include "solvers/status.h"

/* Writes bytes [count] to path.tmp.PID, forces them to the disk and renames. On failure path is as
 * it was and nothing is left beside it. */
enum nb_status nb_replace_file(const char *path, const void *bytes, size_t count,
                               struct nb_error *error);

#endif
