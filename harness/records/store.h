/* The results file: append-only JSON Lines (docs/reference/records.md), and beside it, while a sweep runs,
 * the journal of finished parts of unfinished cases.
 *
 * A record is appended whole by one write and synchronised; a line that a power cut or kill -9 has
 * torn is the last one, begins like a record or is all zeros, and is cut off when the file is next opened for
 * writing. Blank lines are passed over. Any other line that is not a record is an error: the file may be somebody
 * else's, and so is a longer one than NB_RECORD_BYTES and a record in which an array stands where an object has to.
 * Control characters in texts are written and read as '?'. What is only read may be compressed by gzip.
 *
 * A results file that is removed, replaced or changed by another program while it is open is an error of the next
 * append, or of nb_store_finish. The journal is a cache: one that cannot be read is set aside as PATH.journal.damaged,
 * with a notice, and where none can be written the sweep goes on without. */
#ifndef NB_STORE_H
#define NB_STORE_H

#include <cJSON.h>

#include "harness/records/compact.h"
#include "problems/base/status.h"

/* What a record has at most, so that a small compressed file cannot take all memory: bytes, and values, of which each
 * takes 80 bytes when it is parsed. */
enum { NB_RECORD_BYTES = 160 << 20, NB_RECORD_VALUES = 6 << 20 };

/* Called for each line; any status but NB_OK ends the reading and is handed on. */
typedef enum nb_status nb_store_callback(void *context, const cJSON *record,
                                         struct nb_error *error);

/* Reads the records of a results file and changes nothing. A torn last line is left out, with a
 * notice on stderr; any other line that is not a JSON object is an error naming file and line. */
enum nb_status nb_store_read(const char *path, nb_store_callback *callback, void *context,
                             struct nb_error *error);

/* How a file is read, and, in a callback, where the record stands. */
struct nb_store_reading {
    nb_json_keep *wanted;      /* the members that the callback is given; NULL: all */
    void *context;          /* of wanted */
    bool quiet;             /* a torn last line is left out without a notice */
    long offset;            /* out: of the record's line in the file */
    size_t length;          /* out: of the line, without its end */
    bool taken;             /* set by the callback: the record is its own, to delete */
};
enum nb_status nb_store_read_parts(const char *path, nb_store_callback *callback, void *context,
                                   struct nb_store_reading *reading, struct nb_error *error);

struct nb_store;

/* Opens or creates PATH and PATH.journal for one writer (a second one is refused), cuts off torn
 * last lines, and hands all records, then all journal entries, to the callbacks. With journal NULL
 * there is no journal, and one that exists is left alone. */
enum nb_status nb_store_open(struct nb_store **store, const char *path, nb_store_callback *record,
                             nb_store_callback *journal, void *context, struct nb_error *error);

/* The same, of records the members alone that are wanted; of journal entries all. On a file system without locks it is
 * refused unless one writer is certain, `sole`; nb_store_open takes it to be. */
enum nb_status nb_store_open_parts(struct nb_store **store, const char *path, bool sole, nb_json_keep *wanted,
                                   nb_store_callback *record, nb_store_callback *journal, void *context,
                                   struct nb_error *error);

/* Appends one line. On failure (disk full) the file is cut back to what it was. */
enum nb_status nb_store_append(struct nb_store *store, cJSON *record,
                               struct nb_error *error);
enum nb_status nb_store_append_journal(struct nb_store *store, cJSON *entry,
                                       struct nb_error *error);

/* Appends records [count] to the file at path, for a command that writes them and no more. */
enum nb_status nb_records_append(const char *path, cJSON *const *records, int count, struct nb_error *error);

/* Keeps sweeps and merges from a results file, which it makes if it is missing, while another takes its place:
 * refused where one is writing to it. nb_store_unlock removes what was made and is still empty; {.descriptor = -1} is
 * fine. */
struct nb_store_lock {
    const char *path; /* borrowed */
    int descriptor;
    bool made;
};
enum nb_status nb_store_lock(const char *path, struct nb_store_lock *lock, struct nb_error *error);
void nb_store_unlock(struct nb_store_lock *lock);

/* Removes the journal: the sweep is complete. NB_BAD_FILE where the results file is not what was written. */
enum nb_status nb_store_finish(struct nb_store *store, struct nb_error *error);

/* Closes the files; the lock ends with the last process that has them open. NULL is fine. */
void nb_store_close(struct nb_store *store);

#endif
