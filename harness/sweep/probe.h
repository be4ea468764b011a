/* Tries a plugin's preconditioner in a child process, so that a crash or an endless loop in it is a
 * finding. */
#ifndef NB_PROBE_H
#define NB_PROBE_H

#include <stdbool.h>
#include <stddef.h>

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
