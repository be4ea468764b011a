#include "problems/io/regular_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL for a regular file. */
static const char *other_kind(mode_t mode)
{
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "a directory"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "of no known kind";
}

enum nb_status nb_check_readable(const char *path, struct nb_error *error)
{
    struct stat about;
    if (stat(path, &about))
        return nb_fail(error, NB_BAD_FILE, "%.400s: %s", path, strerror(errno));
    const char *kind = other_kind(about.st_mode);
    return kind ? nb_fail(error, NB_BAD_FILE, "%.400s: is %s, not a regular file", path, kind) : NB_OK;
}

static int is_stream(const struct stat *about, int descriptor)
{
    struct stat stream;
    return !fstat(descriptor, &stream) && stream.st_dev == about->st_dev &&
           stream.st_ino == about->st_ino;
}

enum nb_status nb_check_writable(const char *path, struct nb_error *error)
{
    struct stat about;
    if (stat(path, &about)) /* what else keeps it from being made, its folder say, is told when it is opened */
        return errno == ENAMETOOLONG
                   ? nb_fail(error, NB_BAD_FILE, "%.400s: cannot be written: %s", path, strerror(errno))
                   : NB_OK;
    const char *kind = other_kind(about.st_mode);
    if (kind)
        return nb_fail(error, NB_BAD_FILE, "%.400s: cannot be written: is %s, not a regular file", path,
                       kind);
    if (is_stream(&about, STDOUT_FILENO) || is_stream(&about, STDERR_FILENO))
        return nb_fail(error, NB_BAD_FILE, "%.400s: cannot be written: the program's messages go there",
                       path);
    return NB_OK;
}

enum nb_status nb_open_regular(const char *path, FILE **file, struct nb_error *error)
{
    *file = NULL;
    const enum nb_status status = nb_check_readable(path, error);
    if (status)
        return status;
    *file = fopen(path, "rb");
    return *file ? NB_OK : nb_fail(error, NB_BAD_FILE, "%.400s: %s", path, strerror(errno));
}
