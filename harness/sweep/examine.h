/* The problem files of a sweep as it looks at them before it starts. */
#ifndef NB_EXAMINE_H
#define NB_EXAMINE_H

#include "harness/case/case.h"

/* Reads the files of cases [count] in turn in a child process, each for at most the time limit of its case and no less
 * than least_limit: sets their problem_hash, and systems [count] to the numbers of Newton systems. NB_BAD_FILE where a
 * file cannot be read in that time, or reading it ends the child. */
enum nb_status nb_examine_files(struct nb_case *const *cases, int count, double least_limit, int *systems,
                                struct nb_error *error);

#endif
