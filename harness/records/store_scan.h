/* Reading a results file line by line: what the store's readers and writers share (harness/records/store.h). */
#ifndef NB_STORE_SCAN_H
#define NB_STORE_SCAN_H

#include <stdio.h>

#include "harness/records/store.h"

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
const char *nb_record_excess(const char *text, size_t length);

/* Hands every record to the callback; good_bytes, torn and unended tell how the file ends. */
enum nb_status nb_scan_lines(struct nb_scan *scan, FILE *file, nb_store_callback *callback, void *context,
                             struct nb_error *error);

#endif
