/* Keeps the results file and its journal: one writer at a time, whole lines by one write each, and a last line that
 * was torn is cut off (harness/records/store.h). */
#include "harness/records/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/records/compressed.h"
#include "harness/records/json.h"
#include "harness/records/store_scan.h"
#include "problems/base/numbers.h"
#include "problems/io/regular_file.h"

struct nb_store {
    int records, journal; /* file descriptors; journal -1: there is none */
    off_t size;           /* of the records, by what was read and written */
    char *path, *journal_path;
};

enum nb_status nb_store_read(const char *path, nb_store_callback *callback, void *context,
                             struct nb_error *error)
{
    struct nb_store_reading all = {.wanted = NULL};
    return nb_store_read_parts(path, callback, context, &all, error);
}

enum nb_status nb_store_read_parts(const char *path, nb_store_callback *callback, void *context,
                                   struct nb_store_reading *reading, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_scan scan = {.path = path, .reading = reading};
    FILE *file;
    enum nb_status status = nb_open_compressed(path, &file, error);
    if (status)
        return status;
    status = nb_scan_lines(&scan, file, callback, context, error);
    if (scan.torn && !reading->quiet)
        fprintf(stderr, "%s: the last line is incomplete and left out\n", path);
    fclose(file);
    return status;
}

/* So that the next record begins a line. */
static enum nb_status mend_end(const struct nb_scan *scan, int descriptor, struct nb_error *error)
{
    if (scan->torn) {
        fprintf(stderr, "%s: the last line was incomplete and is cut off\n", scan->path);
        if (ftruncate(descriptor, scan->good_bytes))
            return nb_fail(error, NB_BAD_FILE, "%s: cannot cut off the incomplete last line: %s",
                           scan->path, strerror(errno));
    }
    if (scan->unended && write(descriptor, "\n", 1) != 1)
        return nb_fail(error, NB_BAD_FILE, "%s: cannot end its last line: %s", scan->path,
                       strerror(errno));
    return NB_OK;
}

/* Reads through a duplicate, so that closing the stream leaves the descriptor and its lock. */
static enum nb_status scan_descriptor(int descriptor, const char *path, nb_wanted *wanted,
                                      nb_store_callback *callback, void *context,
                                      struct nb_error *error)
{
    struct nb_store_reading reading = {.wanted = wanted};
    struct nb_scan scan = {.path = path, .reading = &reading};
    const int copy = dup(descriptor);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
    if (!file) {
        if (copy >= 0)
            close(copy);
        return nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
    }
    enum nb_status status = nb_scan_lines(&scan, file, callback, context, error);
    fclose(file);
    return status ? status : mend_end(&scan, descriptor, error);
}

/* What is done where the file system has no locks. */
enum without_locks { REFUSE, TELL, GO_ON };

static enum nb_status not_locked(const char *path, enum without_locks then, int number, struct nb_error *error)
{
    if (then == REFUSE)
        return nb_fail(error, NB_BAD_FILE, "%s: its file system has no locks (%s), so that nothing keeps a second "
                       "sweep from writing to it; --shard 1/1 writes to a file of its own, which one sweep alone "
                       "writes to, and `ncpbench merge` joins it with others", path, strerror(number));
    if (then == TELL)
        fprintf(stderr, "%s: not locked: %s; let nothing else write to it\n", path, strerror(number));
    return NB_OK;
}

/* The lock belongs to the open file, so the children of a sweep that was just killed may hold it
 * for the moment that they need to die. */
static enum nb_status lock_file(int descriptor, const char *path, enum without_locks then, struct nb_error *error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int attempt = 0; attempt < 100; ++attempt) {
        if (!fcntl(descriptor, F_OFD_SETLK, &lock))
            return NB_OK;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) /* not held by another: there are none here */
            return not_locked(path, then, errno, error);
        nanosleep(&pause, NULL);
    }
    return nb_fail(error, NB_BAD_FILE, "%s: another sweep or merge is writing to it", path);
}

/* Whether the path names the file that is open. */
static bool is_named(int descriptor, const char *path)
{
    struct stat open_file, named;
    return !fstat(descriptor, &open_file) && !stat(path, &named) && named.st_ino == open_file.st_ino &&
           named.st_dev == open_file.st_dev;
}

/* A merge that held the lock has put another file there: then that one is to be locked. */
static enum nb_status open_locked(const char *path, int flags, enum without_locks then, int *descriptor,
                                  struct nb_error *error)
{
    enum nb_status status = nb_check_writable(path, error);
    for (int attempt = 0; attempt < 100 && !status; ++attempt) {
        *descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
        if (*descriptor < 0)
            return nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
        status = lock_file(*descriptor, path, then, error);
        if (status || is_named(*descriptor, path))
            return status;
        close(*descriptor);
        *descriptor = -1;
    }
    return status ? status : nb_fail(error, NB_BAD_FILE, "%s: replaced again and again by other programs", path);
}

enum nb_status nb_store_lock(const char *path, struct nb_store_lock *lock, struct nb_error *error)
{
    lock->path = path;
    lock->made = access(path, F_OK) != 0;
    lock->descriptor = -1;
    const enum nb_status status = open_locked(path, 0, TELL, &lock->descriptor, error);
    if (status && lock->descriptor >= 0) {
        close(lock->descriptor);
        lock->descriptor = -1;
    }
    return status;
}

void nb_store_unlock(struct nb_store_lock *lock)
{
    struct stat about;
    if (lock->descriptor < 0)
        return;
    if (lock->made && is_named(lock->descriptor, lock->path) && !fstat(lock->descriptor, &about) && !about.st_size)
        unlink(lock->path);
    close(lock->descriptor);
    lock->descriptor = -1;
}

/* The journal is a cache: one that is damaged is set aside, and where none can be written there is none. */
static enum nb_status open_journal(struct nb_store *store, nb_store_callback *entry, void *context,
                                   struct nb_error *error)
{
    struct nb_error reason = {""};
    char *aside = NULL;
    enum nb_status status = open_locked(store->journal_path, O_NOFOLLOW, GO_ON, &store->journal, &reason);
    if (!status)
        status = scan_descriptor(store->journal, store->journal_path, NULL, entry, context, &reason);
    if (!status)
        return NB_OK;
    if (status == NB_OUT_OF_MEMORY)
        return nb_fail(error, status, "%s", reason.text);
    if (store->journal >= 0)
        close(store->journal);
    store->journal = -1;
    if (asprintf(&aside, "%s.damaged", store->journal_path) < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the store of %s", store->path);
    if (!rename(store->journal_path, aside) &&
        !open_locked(store->journal_path, O_NOFOLLOW, GO_ON, &store->journal, NULL))
        fprintf(stderr, "%s; it is set aside as %s\n", reason.text, aside);
    else
        fprintf(stderr, "%s; the sweep goes on without a journal\n", reason.text);
    free(aside);
    return NB_OK;
}

enum nb_status nb_store_open(struct nb_store **out, const char *path, nb_store_callback *record,
                             nb_store_callback *journal, void *context, struct nb_error *error)
{
    return nb_store_open_parts(out, path, true, NULL, record, journal, context, error);
}

enum nb_status nb_store_open_parts(struct nb_store **out, const char *path, bool sole, nb_wanted *wanted,
                                   nb_store_callback *record, nb_store_callback *journal, void *context,
                                   struct nb_error *error)
{
    NB_DECIMAL_POINT;
    enum nb_status status;
    struct nb_store *store = calloc(1, sizeof *store);
    *out = NULL;
    if (!store)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the store of %s", path);
    store->records = store->journal = -1;
    store->path = strdup(path);
    if (!store->path || asprintf(&store->journal_path, "%s.journal", path) < 0) {
        store->journal_path = NULL;
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the store of %s", path);
        goto cleanup;
    }
    if ((status = open_locked(path, 0, sole ? TELL : REFUSE, &store->records, error)))
        goto cleanup;
    if ((status = scan_descriptor(store->records, path, wanted, record, context, error)))
        goto cleanup;
    store->size = lseek(store->records, 0, SEEK_END);
    if (journal)
        status = open_journal(store, journal, context, error);
cleanup:
    if (status)
        nb_store_close(store);
    else
        *out = store;
    return status;
}

static enum nb_status write_line(int descriptor, const char *path, char *text,
                                 struct nb_error *error)
{
    struct stat before;
    const size_t length = strlen(text) + 1;
    text[length - 1] = '\n'; /* in place of the terminator: one buffer, one write */
    if (fstat(descriptor, &before))
        return nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
    errno = 0;
    const ssize_t written = write(descriptor, text, length);
    if (written == (ssize_t)length)
        return NB_OK;
    const int number = errno ? errno : ENOSPC;
    if (written > 0 && ftruncate(descriptor, before.st_size))
        return nb_fail(error, NB_BAD_FILE, "%s: %s, and the last line is incomplete", path,
                       strerror(number));
    return nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(number));
}

static enum nb_status append(int descriptor, const char *path, cJSON *json,
                             struct nb_error *error)
{
    char *text = nb_json_print(json);
    if (!text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for a record", path);
    const char *excess = nb_record_excess(text, strlen(text));
    const enum nb_status status = excess ? nb_fail(error, NB_UNSUPPORTED, "%s: a record with %s", path, excess)
                                         : write_line(descriptor, path, text, error);
    cJSON_free(text);
    return status;
}

/* Whether the file at the path is still the one that was opened, as long as it was left. */
static enum nb_status check_in_place(const struct nb_store *store, struct nb_error *error)
{
    struct stat open_file;
    if (fstat(store->records, &open_file))
        return nb_fail(error, NB_BAD_FILE, "%s: %s", store->path, strerror(errno));
    if (!is_named(store->records, store->path))
        return nb_fail(error, NB_BAD_FILE, "%s: removed or replaced while the sweep was running; its records are lost, "
                       "the same command runs them again", store->path);
    if (open_file.st_size != store->size)
        return nb_fail(error, NB_BAD_FILE, "%s: changed by another program while the sweep was running: %lld bytes "
                       "instead of %lld", store->path, (long long)open_file.st_size, (long long)store->size);
    return NB_OK;
}

enum nb_status nb_store_append(struct nb_store *store, cJSON *record,
                               struct nb_error *error)
{
    enum nb_status status = check_in_place(store, error);
    if (!status)
        status = append(store->records, store->path, record, error);
    if (!status)
        store->size = lseek(store->records, 0, SEEK_END);
    /* Files on which synchronising makes no sense (some mounts) say EINVAL. */
    if (!status && fdatasync(store->records) && errno != EINVAL)
        return nb_fail(error, NB_BAD_FILE, "%s: %s", store->path, strerror(errno));
    return status;
}

enum nb_status nb_store_append_journal(struct nb_store *store, cJSON *entry,
                                       struct nb_error *error)
{
    return store->journal < 0 ? NB_OK : append(store->journal, store->journal_path, entry, error);
}

static enum nb_status ignore_record(void *context, const cJSON *record, struct nb_error *error)
{
    (void)context;
    (void)record;
    (void)error;
    return NB_OK;
}

enum nb_status nb_records_append(const char *path, cJSON *const *records, int count, struct nb_error *error)
{
    struct nb_store *store;
    enum nb_status status = nb_store_open(&store, path, ignore_record, NULL, NULL, error);
    for (int i = 0; i < count && !status; ++i)
        status = nb_store_append(store, records[i], error);
    nb_store_close(store);
    return status;
}

enum nb_status nb_store_finish(struct nb_store *store, struct nb_error *error)
{
    const enum nb_status status = check_in_place(store, error);
    if (status || store->journal < 0)
        return status;
    if (unlink(store->journal_path) && errno != ENOENT)
        return nb_fail(error, NB_BAD_FILE, "%s: %s", store->journal_path, strerror(errno));
    return NB_OK;
}

void nb_store_close(struct nb_store *store)
{
    if (!store)
        return;
    if (store->records >= 0)
        close(store->records);
    if (store->journal >= 0)
        close(store->journal);
    free(store->path);
    free(store->journal_path);
    free(store);
}
