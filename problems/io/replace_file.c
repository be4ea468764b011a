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

FILE *nb_create_file(const char *path)
{
    unlink(path); /* what an earlier process left, or a link that would lead elsewhere */
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

static enum nb_status refuse(const char *path, int number, struct nb_error *error)
{
    return nb_fail(error, NB_BAD_FILE, "%.400s: cannot be written: %s", path, strerror(number));
}

enum nb_status nb_new_file_begin(struct nb_new_file *file, const char *path, struct nb_error *error)
{
    *file = (struct nb_new_file){.path = path};
    const enum nb_status status = nb_check_writable(path, error);
    if (status)
        return status;
    if (asprintf(&file->beside, "%s.tmp.%ld", path, (long)getpid()) < 0) {
        file->beside = NULL;
        return nb_fail(error, NB_OUT_OF_MEMORY, "%.400s: no memory for its name", path);
    }
    file->stream = nb_create_file(file->beside);
    if (file->stream)
        return NB_OK;
    const int number = errno;
    free(file->beside);
    file->beside = NULL;
    return refuse(path, number, error);
}

/* Forces what is to last to the disk and closes; an error's number (errno, as the write that failed left it), or 0.
 * Files on which synchronising makes no sense (some mounts) say EINVAL. */
static int finish(FILE *stream, bool lasting)
{
    int problem = 0;
    if (ferror(stream) || fflush(stream) || (lasting && fsync(fileno(stream)) && errno != EINVAL))
        problem = errno ? errno : EIO;
    if (fclose(stream) && !problem)
        problem = errno ? errno : EIO;
    return problem;
}

static void forget(struct nb_new_file *file)
{
    free(file->beside);
    *file = (struct nb_new_file){.path = NULL};
}

enum nb_status nb_new_file_finish(struct nb_new_file *file, enum nb_status status, struct nb_error *error)
{
    if (!file->stream)
        return status;
    const int problem = finish(file->stream, !file->fleeting);
    file->stream = NULL;
    if (!status && problem)
        status = refuse(file->path, problem, error);
    if (status) {
        unlink(file->beside);
        forget(file);
    }
    return status;
}

enum nb_status nb_new_files_place(struct nb_new_file *files, int count, enum nb_status status, struct nb_error *error)
{
    int placed = 0;
    for (; placed < count && !status; ++placed)
        if (rename(files[placed].beside, files[placed].path))
            status = refuse(files[placed--].path, errno, error);
    for (int i = 0; i < count; ++i) {
        if (status && files[i].beside)
            unlink(i < placed ? files[i].path : files[i].beside);
        forget(&files[i]);
    }
    return status;
}

enum nb_status nb_new_file_end(struct nb_new_file *file, enum nb_status status, struct nb_error *error)
{
    if (!file->stream)
        return status;
    return nb_new_files_place(file, 1, nb_new_file_finish(file, status, error), error);
}

static enum nb_status replace(const char *path, const void *bytes, size_t count, bool fleeting, struct nb_error *error)
{
    struct nb_new_file file;
    const enum nb_status status = nb_new_file_begin(&file, path, error);
    file.fleeting = fleeting;
    if (!status)
        fwrite(bytes, 1, count, file.stream); /* whose error is found at the end */
    return nb_new_file_end(&file, status, error);
}

enum nb_status nb_replace_file(const char *path, const void *bytes, size_t count,
                               struct nb_error *error)
{
    return replace(path, bytes, count, false, error);
}

enum nb_status nb_place_file(const char *path, const void *bytes, size_t count, struct nb_error *error)
{
    return replace(path, bytes, count, true, error);
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
