/* Tries a plugin's preconditioner in a child process, so that a crash or an endless loop in it is a
 * finding. */
#ifndef NB_PROBE_H
#define NB_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* True where something is wrong; finding [size] says what, as in "not symmetric: ...". */
bool nb_probe_precond(const char *precond, const char *precision, char *finding, size_t size);

/* The same in every precision, up to the first finding, which then names its precision; kept for the plugin's records
 * (solvers/plugin.h). */
bool nb_probe_precisions(const char *precond, char *finding, size_t size);

#endif
