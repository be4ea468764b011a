/* The problem files of a collection. */
#ifndef NB_WALK_H
#define NB_WALK_H

#include "problems/base/status.h"

/* Called with each file, or with a folder that cannot be read; then `reason` says why, otherwise it is NULL. */
typedef enum nb_status nb_walk_function(void *context, const char *path, const char *reason, struct nb_error *error);

/* Visits a file, whatever its name, or all problem files below a folder: *.h5, *.hdf5, *.dat, and *.mtx that is not
 * a part of another one, as NAME.b.mtx is; by name. NB_BAD_FILE where there is nothing at that path. */
enum nb_status nb_walk(const char *path, nb_walk_function *visit, void *context, struct nb_error *error);

#endif
