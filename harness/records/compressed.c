/* A stream of the C library before zlib's: what reads lines need not know what they come from. */
#include "harness/records/compressed.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "problems/io/regular_file.h"

static ssize_t read_some(void *context, char *bytes, size_t size)
{
    const int count = gzread(context, bytes, size > 1 << 20 ? 1 << 20 : (unsigned)size);
    int cause;
    gzerror(context, &cause); /* gzread does not call it an error that a file ends early */
    if (count >= 0 && (cause == Z_OK || cause == Z_STREAM_END))
        return count;
    errno = cause == Z_MEM_ERROR ? ENOMEM : EILSEQ;
    return -1;
}

static int close_it(void *context)
{
    return gzclose(context) == Z_OK ? 0 : EOF;
}

/* The stream of a file that begins as gzip's do; closes that one. */
static FILE *open_inner(FILE *outer)
{
    const int copy = dup(fileno(outer));
    gzFile inner = copy >= 0 && lseek(copy, 0, SEEK_SET) == 0 ? gzdopen(copy, "r") : NULL;
    FILE *file = inner ? fopencookie(inner, "r", (cookie_io_functions_t){.read = read_some, .close = close_it}) : NULL;
    if (inner && !file)
        gzclose(inner);
    else if (!inner && copy >= 0)
        close(copy);
    fclose(outer);
    return file;
}

static bool begins_compressed(FILE *file)
{
    const int first = getc(file), second = getc(file);
    rewind(file);
    return first == 0x1f && second == 0x8b;
}

enum nb_status nb_open_compressed(const char *path, FILE **file, struct nb_error *error)
{
    const enum nb_status status = nb_open_regular(path, file, error);
    if (status)
        return status;
    if (!begins_compressed(*file))
        return NB_OK;
    *file = open_inner(*file);
    return *file ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory to read it uncompressed", path);
}

/* All of it in a file without a name. */
static FILE *copy_to_temporary(FILE *in)
{
    char part[1 << 16];
    size_t count;
    FILE *out = tmpfile();
    while (out && (count = fread(part, 1, sizeof part, in)) > 0 && fwrite(part, 1, count, out) == count)
        continue;
    if (!out || (!ferror(in) && !ferror(out) && !fflush(out)))
        return out;
    fclose(out);
    return NULL;
}

enum nb_status nb_open_seekable(const char *path, FILE **file, bool *temporary, struct nb_error *error)
{
    FILE *in;
    *file = NULL;
    *temporary = false;
    const enum nb_status status = nb_open_compressed(path, &in, error);
    if (status)
        return status;
    if (fileno(in) >= 0) { /* a stream of the C library's own */
        *file = in;
        return NB_OK;
    }
    *temporary = true;
    *file = copy_to_temporary(in);
    fclose(in);
    return *file ? NB_OK : nb_fail(error, NB_BAD_FILE, "%s: cannot be uncompressed to a temporary file", path);
}
