/* What is compiled in, by kind and name: the rows come from the files in the slot folders.
 *
 * Kinds: solver, ncp, scaling, linear, precond, operator, precision, scene. */
#ifndef NB_REGISTRY_H
#define NB_REGISTRY_H

#include <stddef.h>

#include "problems/base/status.h"

struct nb_registry_row {
    const char *kind;  /* "linear"                                   */
    const char *name;  /* as on the command line: "pcr"              */
    const char *title; /* as in a figure's key: "PCR" or a sentence  */
    const char *file;  /* without folder and suffix; NULL: of a plugin, or a scene */
};

/* All kinds, in the order of the pipeline; NULL ends the list. */
const char *const *nb_registry_kinds(void);

/* Whether all that is compiled in has what the commands and searches by name read; NB_BAD_FILE names the file that
 * lacks it. To be asked first. */
enum nb_status nb_registry_check_rows(struct nb_error *error);

/* Row `index` of a kind, or NULL past the end or for an unknown kind. Rows are sorted by name. */
const struct nb_registry_row *nb_registry_row(const char *kind, size_t index);

/* The row of that name, or NULL; settings after a colon are not looked at (solvers/settings.h). */
const struct nb_registry_row *nb_registry_find(const char *kind, const char *name);

/* The hash of the file that a strategy or precision is in, or of its plugin, 16 hexadecimal digits; NULL
 * where there is none of that name. */
const char *nb_registry_source(const char *kind, const char *name);

/* Into text: the nearest name of a kind, or all (problems/base/suggest.h). */
void nb_registry_suggest(const char *kind, const char *name, char *text, size_t size);

/* Whether the nonlinear method of that name takes no part of the options but its iterations, shift
 * and precision: its NCP function, scaling and linear solver are its own. */
int nb_registry_self_contained(const char *solver);

/* Whether a timed run of that method is to be the only one of its process, and its own warm-up. */
int nb_registry_is_fresh(const char *solver);

/* The settings of the strategy of that kind and name, ended by a NULL name; NULL: it has none. Solvers,
 * linear solvers and preconditioners may have some. */
struct nb_setting;
const struct nb_setting *nb_registry_settings(const char *kind, const char *name);

/* Whether a choice, a name with the settings that may follow it, can be used; the message begins with
 * what ("" or "--linear: "), lists what is known and suggests the nearest. */
enum nb_status nb_registry_check(const char *what, const char *kind, const char *choice,
                                 struct nb_error *error);

/* Whether the linear solver of that name uses a preconditioner; others run with `none` only. */
int nb_registry_uses_precond(const char *linear);

#endif
