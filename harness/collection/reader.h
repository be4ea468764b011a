/* One process that reads the files of a collection, one after the other. `info` has each reading tried in a process of
 * its own, which is most of the time of a small file, and there are three readings a file; what ends this process is
 * read in that way. */
#ifndef NB_COLLECTION_READER_H
#define NB_COLLECTION_READER_H

#include <cJSON.h>

#include "harness/sweep/child.h"

struct nb_reader_apart {
    struct nb_child child; /* begins as {0}: it starts where it is needed */
};

/* As nb_problem_facts (harness/collection/facts.h), with the same answers. */
enum nb_status nb_facts_read_apart(struct nb_reader_apart *reader, const char *path, cJSON **facts,
                                   struct nb_error *error);

/* Ends the process, if there is one. */
void nb_reader_apart_end(struct nb_reader_apart *reader);

#endif
