/* Makes output folders. */
#ifndef NB_FOLDERS_H
#define NB_FOLDERS_H

#include <stddef.h>

#include "problems/base/status.h"

/* Makes the folders of the path that are not there, one after the other. *made: the length of the first part of the
 * path that was made, 0 where all were there; may be NULL. NB_BAD_FILE names the part that cannot be made. */
enum nb_status nb_make_folders(const char *path, size_t *made, struct nb_error *error);

#endif
