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
#include "problems/base/numbers.h"
#include "problems/io/regular_file.h"

/* Goes through the lines of a results file: a record, blank, or the torn last one; anything else is refused. Of a
 * record the members that its reader does not want are left out before it is parsed. */

/* One pass over a stream of lines. */
struct nb_scan {
    const char *path;
    long good_bytes; /* up to the end of the last whole record             */
    bool torn;       /* the last line ends within a record                 */
    bool unended;    /* the last record is whole, but has no end of line   */
    struct nb_store_reading *reading; /* what is wanted; where the line stands */
    char *room;      /* for what is wanted of a line [room_size]           */
    size_t room_size;
};

/* Why a record's text [length] may not be read or written: "more than 160 MiB"; NULL: it may. */
static const char *record_excess(const char *text, size_t length)
{
    size_t values = 0;
    for (size_t i = 0; i < length; ++i)
        values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return length > NB_RECORD_BYTES    ? "more than 160 MiB"
           : values > NB_RECORD_VALUES ? "more than 6 million values"
                                       : NULL;
}

/* The object of a line [length], which ends with it; NULL if it is not one. */
static cJSON *parse_line(const char *line, size_t length)
{
    const char *end = line;
    cJSON *json = record_excess(line, length) ? NULL : cJSON_ParseWithLengthOpts(line, length, &end, false);
    while (end < line + length && strchr(" \t\r\n", *end) && *end)
        ++end;
    if (cJSON_IsObject(json) && end == line + length) {
        nb_json_without_controls(json);
        return json;
    }
    cJSON_Delete(json);
    return NULL;
}

/* The same of what is wanted of the line alone. */
static cJSON *parse_wanted(struct nb_scan *scan, const char *line, size_t length)
{
    if (scan->room_size < length) {
        const size_t wanted = length + length / 4;
        char *room = realloc(scan->room, wanted);
        if (!room)
            return parse_line(line, length);
        scan->room = room;
        scan->room_size = wanted;
    }
    const size_t kept = nb_json_filter(line, length, scan->reading->wanted, scan->reading->context, scan->room);
    return kept ? parse_line(scan->room, kept) : NULL;
}

static enum nb_status refuse_line(const struct nb_scan *scan, const char *line, size_t length, int number,
                                  struct nb_error *error)
{
    const char *excess = record_excess(line, length);
    return nb_json_starved()
               ? nb_fail(error, NB_OUT_OF_MEMORY, "%s:%d: no memory for a record", scan->path, number)
           : excess
               ? nb_fail(error, NB_BAD_FILE, "%s:%d: a line with %s, which no record has", scan->path, number, excess)
               : nb_fail(error, NB_BAD_FILE, "%s:%d: not a JSON object, or more than one; records are what "
                         "a sweep or `solve --json` writes, one a line", scan->path, number);
}

/* A member of a record that is an array where readers go through an object's members by their names; NULL: none. */
static const char *misplaced_array(const cJSON *record)
{
    static const char *const objects[] = {"settings", "trace",      "errors",   "times", "counts",    "sizes",
                                          "features", "strategies", "provenance", "floor", "reference", "best"};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; ++i)
        if (cJSON_IsArray(nb_json_member(record, objects[i])))
            return objects[i];
    return cJSON_IsArray(nb_json_path(record, "settings", "parameters")) ? "settings.parameters" : NULL;
}

/* What editors and `cat` leave between records. */
static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if (!strchr(" \t\r\n", line[i]) || !line[i])
            return false;
    return true;
}

/* A torn last line begins like a record, or is zeros: what some file systems have of it after a power cut. */
static bool is_torn(const char *line, size_t length)
{
    size_t zeros = 0;
    while (zeros < length && !line[zeros])
        ++zeros;
    return line[0] == '{' || zeros == length;
}

static enum nb_status scan_line(struct nb_scan *scan, const char *line, size_t length, int number,
                                bool last, nb_store_callback *callback, void *context,
                                struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const bool ended = line[length - 1] == '\n';
    if (is_blank(line, length)) {
        scan->good_bytes += (long)length;
        scan->unended = !ended;
        return NB_OK;
    }
    cJSON *json = scan->reading->wanted ? parse_wanted(scan, line, length) : parse_line(line, length);
    scan->reading->offset = scan->good_bytes;
    scan->reading->length = length - ended;
    scan->reading->taken = false;
    const char *array = cJSON_HasObjectItem(json, "kind") ? misplaced_array(json) : NULL;
    if (array) {
        status = nb_fail(error, NB_BAD_FILE, "%s:%d: %s is an array; a record has an object there", scan->path, number,
                         array);
    } else if (json) { /* editors and scripts leave out the last end of line */
        scan->good_bytes += (long)length;
        scan->unended = !ended;
        status = callback(context, json, error);
    } else if (last && !ended && is_torn(line, length) && !nb_json_starved()) {
        scan->torn = true;
    } else { /* not ours: cutting it off could destroy somebody's file */
        status = refuse_line(scan, line, length, number, error);
    }
    if (!scan->reading->taken)
        cJSON_Delete(json);
    return status;
}

/* True where nothing follows. */
static bool at_end(FILE *file)
{
    const int next = getc(file);
    if (next == EOF)
        return true;
    ungetc(next, file);
    return false;
}

/* Reads a line as getline does, but at most one byte more than a record may have. */
static ssize_t read_line(char **line, size_t *room, FILE *file)
{
    size_t length = 0;
    for (int c; length <= NB_RECORD_BYTES && (c = getc_unlocked(file)) != EOF;) {
        if (length == *room) {
            const size_t wanted = *room ? 2 * *room : 4096;
            char *grown = realloc(*line, wanted);
            if (!grown) {
                errno = ENOMEM;
                return -1;
            }
            *line = grown;
            *room = wanted;
        }
        (*line)[length++] = (char)c;
        if (c == '\n')
            break;
    }
    return length && !ferror(file) ? (ssize_t)length : -1;
}

/* Hands every record to the callback; good_bytes, torn and unended tell how the file ends. */
static enum nb_status scan_lines(struct nb_scan *scan, FILE *file, nb_store_callback *callback, void *context,
                                 struct nb_error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    enum nb_status status = NB_OK;
    for (int number = 1; !status && (length = read_line(&line, &room, file)) > 0; ++number)
        status = scan_line(scan, line, (size_t)length, number, at_end(file), callback, context,
                           error);
    if (!status && !feof(file)) /* an error of the file, or no memory for a line */
        status = nb_fail(error, errno == ENOMEM ? NB_OUT_OF_MEMORY : NB_BAD_FILE, "%s: %s", scan->path,
                         errno == EILSEQ ? "its compressed data are damaged, or end early" : strerror(errno));
    free(line);
    free(scan->room);
    scan->room = NULL;
    return status;
}

struct nb_store {
    int records, journal; /* file descriptors; journal -1: it has not begun */
    bool made, failed;    /* the results file was not there before; something was not written */
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
    status = scan_lines(&scan, file, callback, context, error);
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
static enum nb_status scan_descriptor(int descriptor, const char *path, nb_json_keep *wanted,
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
    enum nb_status status = scan_lines(&scan, file, callback, context, error);
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

/* Nobody needs an empty file; it is there no more than if it had not been tried to write one. */
static void remove_empty(int descriptor, const char *path)
{
    struct stat about;
    if (descriptor >= 0 && is_named(descriptor, path) && !fstat(descriptor, &about) && !about.st_size)
        unlink(path);
}

void nb_store_unlock(struct nb_store_lock *lock)
{
    if (lock->descriptor < 0)
        return;
    if (lock->made)
        remove_empty(lock->descriptor, lock->path);
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
    status = status ? status : scan_descriptor(store->journal, store->journal_path, NULL, entry, context, &reason);
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

enum nb_status nb_store_open_parts(struct nb_store **out, const char *path, bool sole, nb_json_keep *wanted,
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
    store->made = access(path, F_OK) != 0;
    if ((status = open_locked(path, 0, sole ? TELL : REFUSE, &store->records, error)))
        goto cleanup;
    if ((status = scan_descriptor(store->records, path, wanted, record, context, error)))
        goto cleanup;
    store->size = lseek(store->records, 0, SEEK_END);
    if (journal)
        status = open_journal(store, journal, context, error);
cleanup:
    store->failed = status != NB_OK;
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
    const char *excess = record_excess(text, strlen(text));
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
    status = status ? status : append(store->records, store->path, record, error);
    store->failed |= status != NB_OK;
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
    const enum nb_status status = store->journal < 0 ? NB_OK
                                                     : append(store->journal, store->journal_path, entry, error);
    store->failed |= status != NB_OK;
    return status;
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
    if (store->failed && store->made)
        remove_empty(store->records, store->path);
    if (store->failed)
        remove_empty(store->journal, store->journal_path);
    if (store->records >= 0)
        close(store->records);
    if (store->journal >= 0)
        close(store->journal);
    free(store->path);
    free(store->journal_path);
    free(store);
}
