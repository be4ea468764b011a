/* Tries a plugin's preconditioner in a child process, so that a crash or an endless loop in it is a
 * finding. */
#ifndef NB_PROBE_H
#define NB_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/case/case.h"

/* The problem files of a sweep as it looks at them before it starts. */

/* Reads the files of cases [count] in turn in a child process, each for at most the time limit of its case and no less
 * than least_limit: sets their problem_hash and unknowns, and systems [count] to the numbers of Newton systems; a file
 * whose number is below 0 beforehand is left alone. NB_BAD_FILE where a file cannot be read in that time, or reading it
 * ends the child. */
enum nb_status nb_examine_files(struct nb_case *const *cases, int count, double least_limit, int *systems,
                                struct nb_error *error);

/* True where something is wrong; finding [size] says what, as in "not symmetric: ...". */
bool nb_probe_precond(const char *precond, const char *precision, char *finding, size_t size);

/* The same on the matrix of a problem file's system, or, -1, on that of its step's first Newton iteration; of
 * Matrix Market text on that. False also where there is no such matrix, or it is too large. */
bool nb_probe_system(const char *precond, const char *precision, const char *file, int system, char *finding,
                     size_t size);

/* The first in every precision, up to the first finding, which then names its precision; kept for the plugin's records
 * (solvers/plugin.h). */
bool nb_probe_precisions(const char *precond, char *finding, size_t size);

#endif
