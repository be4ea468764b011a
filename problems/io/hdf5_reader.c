/* A file that is being read: its bytes in memory, the first failure, and no way out of it (hdf5_read.h). */
#include <cblas.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problems/base/apart.h"
#include "problems/io/file_image.h"
#include "problems/io/hdf5_read.h"
#include "problems/io/hdf5_session.h"
#include "problems/io/problem_file.h"
#include "problems/io/replace_file.h"

/* A fuzzer sees more where no child comes between (make fuzz). */
#ifndef READ_ONCE
#define READ_ONCE 0
#endif

static bool at_once = READ_ONCE;

void nb_problem_read_at_once(void) { at_once = true; }

/* Far slower than HDF5 reads anything; what takes longer than that, and two seconds, hangs. */
enum { BYTES_A_SECOND = 1 << 20 };

void nb_reader_fail(struct nb_reader *reader, enum nb_status status, const char *object,
                    const char *format, ...)
{
    if (reader->status)
        return;
    if (reader->outside)
        format = "is linked to another file: only what is in this one is read";
    va_list arguments;
    va_start(arguments, format);
    reader->status = nb_file_fail(reader->error, status, reader->path, object, format, arguments);
    va_end(arguments);
}

/* Where the file's superblock begins: at 0, or behind a user block of 512 bytes or a power of two more (HDF5 File
 * Format Specification, II.A); NULL: it is no HDF5 file. */
static const unsigned char *superblock(const struct nb_content *content)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    for (size_t at = 0; at + sizeof signature < content->size; at = at ? 2 * at : 512)
        if (!memcmp(content->bytes + at, signature, sizeof signature))
            return content->bytes + at;
    return NULL;
}

/* HDF5 says little when it fails to open. From version 3 on the superblock has flags in its byte 11, bit 0 of which is
 * set while a program has the file open for writing, bit 2 while others may read it meanwhile. */
static void explain_refusal(struct nb_reader *reader)
{
    const struct nb_content *content = &reader->content;
    const unsigned char *block = superblock(content);
    const size_t left = block ? content->size - (size_t)(block - content->bytes) : 0;
    if (left > 11 && block[8] >= 3 && (block[11] & 5))
        nb_reader_fail(reader, NB_BAD_INPUT, NULL, "is an HDF5 file that a program has open for writing, or did not "
                                                   "close before it ended; then `h5clear -s FILE` mends it");
    else if (block)
        nb_reader_fail(reader, NB_BAD_INPUT, NULL, "is an HDF5 file that is damaged or cut short");
    else
        nb_reader_fail(reader, NB_BAD_INPUT, NULL, "is not an HDF5 file");
}

/* HDF5 asks before it opens the file that a link names: what is not in the hashed bytes is not read, and a pipe would
 * be waited for. */
static herr_t refuse_outside(const char *parent, const char *group, const char *file, const char *object,
                             unsigned *flags, hid_t access, void *context)
{
    (void)parent, (void)group, (void)file, (void)object, (void)flags, (void)access;
    ((struct nb_reader *)context)->outside = 1;
    return -1;
}

static void open_image(struct nb_reader *reader)
{
    if (reader->content.size > 0)
        reader->file = nb_file_image_open(reader->content.bytes, reader->content.size);
    if (reader->file < 0)
        explain_refusal(reader);
    reader->links = H5Pcreate(H5P_DATASET_ACCESS); /* of which link access is a part */
    if (H5Pset_elink_cb(reader->links, refuse_outside, reader) < 0)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory to read it");
}

static void close_image(struct nb_reader *reader)
{
    if (reader->file >= 0)
        H5Fclose(reader->file);
    if (reader->links >= 0)
        H5Pclose(reader->links);
}

/* In the child: no handler of the host's, and no words of the C library. */
static void prepare_for_the_worst(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGSYS};
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; ++i)
        signal(deadly[i], SIG_DFL);
    if (null >= 0)
        dup2(null, STDERR_FILENO);
}

/* OpenBLAS stops its threads before any fork, and waits for good where one of them works for another thread of a host.
 * A folder has a link from each folder in it, beside two of its own. */
static bool may_fork(void)
{
    struct stat about;
    const int blas = openblas_get_num_threads();
    return blas == 1 || (!stat("/proc/self/task", &about) && about.st_nlink <= (nlink_t)blas + 2);
}

/* Whether a child survives reading; true where there can be none. That it ends is told by a pipe: the host may have
 * its own ways with children that have ended. */
static int survives(struct nb_reader *reader, nb_read_function *read_all, void *context)
{
    int ends[2];
    char done = 0;
    if (!may_fork() || pipe2(ends, O_CLOEXEC))
        return 1;
    const struct nb_apart_limits limits = {.memory = -1, .seconds = 2 + (int)(reader->content.size / BYTES_A_SECOND)};
    const pid_t child = nb_apart_fork(&limits);
    if (child == 0) {
        prepare_for_the_worst();
        open_image(reader);
        read_all(reader, context);
        close_image(reader);
        _exit(write(ends[1], "!", 1) != 1);
    }
    close(ends[1]);
    while (child > 0 && read(ends[0], &done, 1) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    if (child > 0)
        nb_apart_wait(child);
    return child < 0 || done == '!';
}

enum nb_status nb_read_file(const char *path, nb_read_function *read_all, void *context, char hash[NB_HASH_SIZE],
                            struct nb_error *error)
{
    struct nb_reader reader = {.path = path, .error = error, .file = H5I_INVALID_HID, .links = H5I_INVALID_HID};
    struct nb_content *content = &reader.content;
    struct nb_hdf5_session session;
    reader.status = nb_content_add(content, path, error);
    if (!reader.status)
        reader.status = nb_hash(content->bytes, content->size, reader.hash, sizeof reader.hash, error);
    nb_hdf5_begin(&session);
    if (!reader.status && !at_once && !survives(&reader, read_all, context))
        nb_reader_fail(&reader, NB_BAD_INPUT, NULL, "is an HDF5 file so damaged that HDF5 crashes or hangs");
    if (!reader.status) {
        open_image(&reader);
        read_all(&reader, context);
        close_image(&reader);
    }
    nb_hdf5_end(&session);
    nb_content_free(content);
    if (hash)
        memcpy(hash, reader.hash, sizeof reader.hash);
    return reader.status;
}

int nb_reader_has(struct nb_reader *reader, const char *name)
{
    char part[128];
    if (reader->status)
        return 0;
    for (size_t end = 1;; ++end) {
        if (name[end] && name[end] != '/')
            continue;
        if (end >= sizeof part)
            return 0;
        memcpy(part, name, end);
        part[end] = 0;
        const htri_t there = H5Lexists(reader->file, part, reader->links);
        if (there < 0)
            nb_reader_fail(reader, NB_BAD_INPUT, part, "its group is damaged or not a group");
        if (there <= 0)
            return 0;
        if (!name[end])
            return 1;
    }
}

int nb_reader_is_group(struct nb_reader *reader, const char *name)
{
    if (!nb_reader_has(reader, name))
        return 0;
    const hid_t object = H5Oopen(reader->file, name, reader->links);
    const int group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    if (object < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is damaged");
    else
        H5Oclose(object);
    return group;
}

void nb_reader_check_offsets(struct nb_reader *reader, const char *name, const int *offset,
                             int count, int last)
{
    if (reader->status)
        return;
    if (offset[0] != 0)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "starts with %d, must be 0", offset[0]);
    for (int i = 0; i < count && !reader->status; ++i)
        if (offset[i + 1] < offset[i])
            nb_reader_fail(reader, NB_BAD_INPUT, name, "falls from %d to %d at entry %d", offset[i],
                           offset[i + 1], i + 1);
    if (!reader->status && offset[count] != last)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "ends with %d, must be %d", offset[count], last);
}
