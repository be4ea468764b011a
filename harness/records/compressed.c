/* A stream of the C library before zlib's: what reads lines need not know what they come from. */
#include "harness/records/compressed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "problems/io/regular_file.h"

/* A file of one or more members of gzip's, one after the other, as `cat` and appending make them. zlib's own reader
 * would pass over what follows a member and is none, so that records appended as text would vanish. */
struct members {
    FILE *file; /* owned */
    z_stream stream;
    bool between; /* a member has ended, and the next has not begun */
    unsigned char bytes[1 << 14];
};

/* Sees to it that there is something to uncompress; false: the file has ended. */
static bool refill(struct members *members)
{
    z_stream *stream = &members->stream;
    if (!stream->avail_in) {
        stream->next_in = members->bytes;
        stream->avail_in = (uInt)fread(members->bytes, 1, sizeof members->bytes, members->file);
    }
    return stream->avail_in > 0;
}

/* Zeros behind the last member, which tapes pad with, are passed over. */
static bool next_member(struct members *members)
{
    while (refill(members) && *members->stream.next_in == 0) {
        ++members->stream.next_in;
        --members->stream.avail_in;
    }
    return refill(members) && inflateReset(&members->stream) == Z_OK;
}

static int one_more(struct members *members)
{
    if (members->between && !next_member(members))
        return Z_STREAM_END;
    members->between = false;
    return refill(members) ? inflate(&members->stream, Z_NO_FLUSH) : Z_DATA_ERROR; /* it ends within a member */
}

static ssize_t read_some(void *context, char *bytes, size_t size)
{
    struct members *members = context;
    z_stream *stream = &members->stream;
    const uInt room = size > 1 << 20 ? 1 << 20 : (uInt)size;
    stream->next_out = (Bytef *)bytes;
    stream->avail_out = room;
    while (stream->avail_out == room) {
        const int cause = one_more(members);
        if (cause == Z_STREAM_END && members->between)
            break;
        members->between = cause == Z_STREAM_END;
        if (cause != Z_OK && cause != Z_STREAM_END) {
            errno = cause == Z_MEM_ERROR ? ENOMEM : EILSEQ;
            return -1;
        }
    }
    return (ssize_t)(room - stream->avail_out);
}

static int close_it(void *context)
{
    struct members *members = context;
    inflateEnd(&members->stream);
    const int failed = fclose(members->file);
    free(members);
    return failed;
}

/* The stream of a file that begins as gzip's do; closes that one with it, or where it fails. */
static FILE *open_inner(FILE *outer)
{
    struct members *members = calloc(1, sizeof *members);
    if (!members || inflateInit2(&members->stream, 16 + MAX_WBITS) != Z_OK) {
        free(members);
        fclose(outer);
        return NULL;
    }
    members->file = outer;
    FILE *file = fopencookie(members, "r", (cookie_io_functions_t){.read = read_some, .close = close_it});
    if (!file)
        close_it(members);
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

/* A file without a name in $TMPDIR or /tmp. */
static FILE *temporary_file(const char **folder)
{
    const char *set = getenv("TMPDIR");
    *folder = set && *set ? set : "/tmp";
    const int file = open(*folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    FILE *stream = file >= 0 ? fdopen(file, "w+") : NULL;
    if (file >= 0 && !stream)
        close(file);
    return stream || errno != EOPNOTSUPP ? stream : tmpfile(); /* a file system that has none */
}

/* All of it in one; NULL: errno says why. */
static FILE *copy_to_temporary(FILE *in, const char **folder)
{
    char part[1 << 16];
    size_t count;
    FILE *out = temporary_file(folder);
    errno = out ? 0 : errno;
    while (out && (count = fread(part, 1, sizeof part, in)) > 0 && fwrite(part, 1, count, out) == count)
        continue;
    if (!out || (!ferror(in) && !ferror(out) && !fflush(out)))
        return out;
    const int cause = errno;
    fclose(out);
    errno = cause;
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
    const char *folder;
    *file = copy_to_temporary(in, &folder);
    const int cause = errno;
    fclose(in);
    return *file ? NB_OK
                 : nb_fail(error, NB_BAD_FILE, "%s: cannot be uncompressed to a file in %s (TMPDIR): %s", path, folder,
                           cause == EILSEQ ? "its compressed data are damaged, or end early" : strerror(cause));
}
