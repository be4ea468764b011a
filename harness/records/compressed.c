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
    gzerror(context, &cause); /* a file that ends early is no error of gzread's */
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

enum nb_status nb_open_compressed(const char *path, FILE **file, struct nb_error *error)
{
    const enum nb_status status = nb_open_regular(path, file, error);
    if (status)
        return status;
    const int first = getc(*file), second = getc(*file);
    if (first != 0x1f || second != 0x8b) {
        rewind(*file);
        return NB_OK;
    }
    *file = open_inner(*file);
    return *file ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory to read it uncompressed", path);
}
