/* Names of problems as they are shown. Files with different content may have the same name, as a scene that
 * was exported again with other parameters: such a name is followed by the beginning of the content's hash,
 * arch#07af0b. */
#ifndef NB_PROBLEM_NAME_H
#define NB_PROBLEM_NAME_H

#include <cJSON.h>
#include <stddef.h>

#include "problems/base/status.h"

enum { NB_PROBLEM_NAME = 256, NB_PROBLEM_HASH = 17 };

/* Every name with every hash that it was met with. */
struct nb_problem_names {
    struct nb_problem_content *content;
    int count, room;
};

/* Takes note of the problem of a record's case. */
enum nb_status nb_problem_names_add(struct nb_problem_names *names, const cJSON *record,
                                    struct nb_error *error);
void nb_problem_names_free(struct nb_problem_names *names);

/* Into text: the name, with the hash where the name alone is not enough. */
void nb_problem_label(const struct nb_problem_names *names, const char *name, const char *hash,
                      char *text, size_t size);

/* Adds the member problem_label to every case among the records whose name is not enough;
 * nb_outcome_instance (harness/records/outcome.h) looks for it. */
enum nb_status nb_problems_tell_apart(cJSON *records, struct nb_error *error);

#endif
