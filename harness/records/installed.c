/* Looks for the files that come with the program where the environment says, then relative to the program's own. */
#include "harness/records/installed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void nb_program_folder(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

enum nb_status nb_installed_folder(const char *variable, const char *name, const char *what, char *path, size_t size,
                                   struct nb_error *error)
{
    char wanted[PATH_MAX + 64], program[PATH_MAX], real[PATH_MAX];
    const char *set = getenv(variable);
    nb_program_folder(program, sizeof program);
    if (set && *set)
        snprintf(wanted, sizeof wanted, "%s", set);
    else
        snprintf(wanted, sizeof wanted, "%s/../%s", program, name);
    if (!(set && *set) && access(wanted, F_OK)) /* an installed program */
        snprintf(wanted, sizeof wanted, "%s/../share/ncpbench/%s", program, name);
    if (!realpath(wanted, real) || strlen(real) >= size)
        return nb_fail(error, NB_BAD_FILE, "%.300s: the folder of %s is not there; %s can name it", wanted, what,
                       variable);
    strcpy(path, real);
    return NB_OK;
}
