#include "problems/io/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
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

static int is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int is_stream(const struct stat *about, int descriptor)
{
    struct stat stream;
    return !fstat(descriptor, &stream) && is_same(&stream, about);
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

enum nb_status nb_check_apart(const char *input, const char *output, struct nb_error *error)
{
    struct stat in, out;
    return !stat(input, &in) && !stat(output, &out) && is_same(&in, &out)
               ? nb_fail(error, NB_BAD_INPUT, "%.400s: is the input, which would be lost", output)
               : NB_OK;
}

/* Where a repository has not fetched a large file, a line or three of text stand for it: what they begin with, whose
 * pointer that is, and what fetches the file. */
static const struct pointer {
    const char *begin, *whose, *fetch;
} pointers[] = {
    {"version https://git-lfs.github.com/spec/", "Git LFS", "git lfs pull"},
    {"version https://hawser.github.com/spec/", "Git LFS", "git lfs pull"}, /* its first name */
    {"/annex/objects/", "git-annex", "git annex get"},
};

/* NULL: it is the file itself. */
static const struct pointer *find_pointer(int file)
{
    char found[64] = "";
    if (pread(file, found, sizeof found - 1, 0) > 0)
        for (size_t i = 0; i < sizeof pointers / sizeof *pointers; ++i)
            if (!strncmp(found, pointers[i].begin, strlen(pointers[i].begin)))
                return &pointers[i];
    return NULL;
}

static enum nb_status refuse_pointer(const char *path, const struct pointer *pointer, struct nb_error *error)
{
    return nb_fail(error, NB_BAD_FILE, "%.400s: is not the file but %s's pointer to it: `%s` fetches the file", path,
                   pointer->whose, pointer->fetch);
}

enum nb_status nb_check_no_pointer(const char *path, struct nb_error *error)
{
    const int file = nb_check_readable(path, NULL) ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const struct pointer *pointer = file < 0 ? NULL : find_pointer(file);
    if (file >= 0)
        close(file);
    return pointer ? refuse_pointer(path, pointer, error) : NB_OK;
}

/* The descriptor, or -1. What is opened is looked at, so that nothing can take its place in between; and a
 * pipe is not waited for. */
static int open_regular(const char *path, enum nb_status *status, struct nb_error *error)
{
    struct stat about;
    *status = nb_check_readable(path, error); /* a device may do something when it is opened */
    if (*status)
        return -1;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool regular = file >= 0 && !fstat(file, &about) && S_ISREG(about.st_mode);
    const struct pointer *pointer = regular ? find_pointer(file) : NULL;
    if (regular && !pointer)
        return file;
    *status = regular ? refuse_pointer(path, pointer, error)
                      : nb_fail(error, NB_BAD_FILE, "%.400s: %s", path,
                                file < 0 ? strerror(errno) : "not a regular file");
    if (file >= 0)
        close(file);
    return -1;
}

enum nb_status nb_open_regular(const char *path, FILE **file, struct nb_error *error)
{
    enum nb_status status;
    const int descriptor = open_regular(path, &status, error);
    *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (descriptor >= 0 && !*file) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%.400s: no memory to read it", path);
        close(descriptor);
    }
    return status;
}

/* Makes room for more bytes and the zero. */
static int grow(struct nb_content *content, size_t more)
{
    unsigned char *grown = realloc(content->bytes, content->size + more + 1);
    if (!grown)
        return 0;
    content->bytes = grown;
    return 1;
}

/* Whatever size the file is said to have, it ends where reading ends. */
static enum nb_status read_all(struct nb_content *content, int file, const char *path, struct nb_error *error)
{
    struct stat about;
    size_t room = fstat(file, &about) || about.st_size < 0 ? 1 : (size_t)about.st_size + 1;
    for (;;) {
        if (!grow(content, room))
            return nb_fail(error, NB_OUT_OF_MEMORY, "%.400s: no memory for its %zu bytes", path, room);
        const ssize_t count = read(file, content->bytes + content->size, room);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return nb_fail(error, NB_BAD_FILE, "%.400s: cannot be read: %s", path, strerror(errno));
        content->size += (size_t)count;
        content->bytes[content->size] = 0;
        if (count == 0)
            return NB_OK;
        room = room > (size_t)count ? room - (size_t)count : content->size;
    }
}

enum nb_status nb_content_add(struct nb_content *content, const char *path, struct nb_error *error)
{
    enum nb_status status;
    const size_t before = content->size;
    const int file = open_regular(path, &status, error);
    if (file < 0)
        return status;
    status = read_all(content, file, path, error);
    if (status)
        content->size = before;
    close(file);
    return status;
}

void nb_content_free(struct nb_content *content)
{
    free(content->bytes);
    *content = (struct nb_content){NULL, 0};
}
