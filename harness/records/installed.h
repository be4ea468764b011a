/* Finds the files that come with the program. */
#ifndef NB_INSTALLED_H
#define NB_INSTALLED_H

#include <stddef.h>

#include "problems/base/status.h"

/* The folder of the running program, into path [size]; "" where the system does not tell. */
void nb_program_folder(char *path, size_t size);

/* The absolute path of the folder `name`, as "plots", into path [size]: the one that the environment's `variable`
 * names, or in the source tree beside the build folder, or of an installed program share/ncpbench/NAME. NB_BAD_FILE,
 * and what it holds, as "figure files", where there is none. */
enum nb_status nb_installed_folder(const char *variable, const char *name, const char *what, char *path, size_t size,
                                   struct nb_error *error);

#endif
