/* A problem file as a sweep looks at it before it starts. */
#ifndef NB_EXAMINE_H
#define NB_EXAMINE_H

#include "harness/case/case.h"

/* Reads the case's files in a child process, for at most so many seconds: sets its problem_hash, and *systems to the
 * number of Newton systems. NB_BAD_FILE where the file cannot be read in that time, or reading ends the child. */
enum nb_status nb_examine_files(struct nb_case *setting, double limit, int *systems, struct nb_error *error);

#endif
