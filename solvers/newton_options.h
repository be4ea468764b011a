/* The options that Newton's method alone reads: its NCP function, scaling, operator, linear solver and what goes with
 * them. A method that has its own linear solver (nb_registry_self_contained) reads none of them. */
#ifndef NB_NEWTON_OPTIONS_H
#define NB_NEWTON_OPTIONS_H

#include <stdbool.h>

/* Whether the setting of that name, as records have it, is one of them. */
bool nb_is_newton_option(const char *name);

#endif
