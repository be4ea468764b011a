/* A file appears whole or not at all: written beside its target, then renamed. */
#include "problems/io/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problems/base/numbers.h"
#include "problems/io/regular_file.h"

static int write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

/* Writes and closes; the first error's number, or 0. */
static int fill(int file, const void *bytes, size_t count, bool lasting)
{
    int problem = 0;
    if (write_all(file, bytes, count) || (lasting && fsync(file)))
        problem = errno;
    if (close(file) && !problem)
        problem = errno;
    return problem;
}

static enum nb_status replace(const char *path, const void *bytes, size_t count, bool lasting, struct nb_error *error)
{
    char *beside = NULL;
    enum nb_status status = nb_check_writable(path, error);
    if (status)
        return status;
    if (asprintf(&beside, "%s.tmp.%ld", path, (long)getpid()) < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its name", path);
    unlink(beside); /* what a process of that number left, or a link that would lead elsewhere */
    const int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) {
        status = nb_fail(error, NB_BAD_FILE, "%s: cannot be written: %s", path, strerror(errno));
        free(beside);
        return status;
    }
    int problem = fill(file, bytes, count, lasting);
    if (!problem && rename(beside, path))
        problem = errno;
    if (problem) {
        unlink(beside);
        status = nb_fail(error, NB_BAD_FILE, "%s: cannot be written: %s", path, strerror(problem));
    }
    free(beside);
    return status;
}

enum nb_status nb_replace_file(const char *path, const void *bytes, size_t count,
                               struct nb_error *error)
{
    return replace(path, bytes, count, true, error);
}

enum nb_status nb_place_file(const char *path, const void *bytes, size_t count, struct nb_error *error)
{
    return replace(path, bytes, count, false, error);
}

enum nb_status nb_replace_text(const char *path, int (*print)(FILE *stream, const void *context), const void *context,
                               struct nb_error *error)
{
    NB_DECIMAL_POINT;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    int failed = !stream || print(stream, context) || ferror(stream);
    failed |= stream && fclose(stream);
    const enum nb_status status = failed ? nb_fail(error, NB_OUT_OF_MEMORY, "%.300s: no memory for its text", path)
                                         : nb_replace_file(path, text, size, error);
    free(text);
    return status;
}

enum nb_status nb_file_fail(struct nb_error *error, enum nb_status status, const char *path,
                            const char *object, const char *format, va_list arguments)
{
    NB_DECIMAL_POINT;
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    return object ? nb_fail(error, status, "%s: %s: %s", path, object, text)
                  : nb_fail(error, status, "%s: %s", path, text);
}
