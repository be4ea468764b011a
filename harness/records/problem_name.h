/* Names of problems as they are shown, and by which records are grouped. Files with different content may have the same
 * name, as a scene that was exported again with other parameters: such a name is followed by the beginning of the
 * content's hash, arch#07af0b. Files with the same content are one problem, under the name that comes first. */
#ifndef NB_PROBLEM_NAME_H
#define NB_PROBLEM_NAME_H

#include <cJSON.h>
#include <stddef.h>

#include "problems/base/status.h"

enum { NB_PROBLEM_NAME = 256, NB_PROBLEM_HASH = 65 };

/* Adds the member problem_label to every case among the records whose name is not enough;
 * nb_outcome_instance (harness/records/outcome.h) and reports look for it. */
enum nb_status nb_problems_tell_apart(cJSON *records, struct nb_error *error);

#endif
