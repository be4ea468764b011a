/* mkdir -p, which remembers where it began. */
#include "harness/records/folders.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum nb_status nb_make_folders(const char *path, size_t *made, struct nb_error *error)
{
    char part[PATH_MAX];
    size_t first = 0;
    if (path[0] == '\0' || strlen(path) >= sizeof part)
        return nb_fail(error, NB_BAD_INPUT, "'%.200s' cannot be an output folder", path);
    for (size_t i = 1; i <= strlen(path); ++i) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        const int failed = mkdir(part, 0777);
        if (!failed && !first)
            first = i;
        if (made)
            *made = first;
        if (failed && errno != EEXIST)
            return nb_fail(error, NB_BAD_FILE, "%s: cannot be made: %s", part, strerror(errno));
    }
    return NB_OK;
}
