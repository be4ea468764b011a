/* Settings of one strategy, as data: a table of names, ranges and meanings next to the strategy. A
 * choice of strategy is a text, the name and then its settings,
 *
 *     pgs:friction=cone:relaxation=1.3
 *
 * so that command line, sweeps, records and figures pass settings on without knowing them. */
#ifndef NB_SETTINGS_H
#define NB_SETTINGS_H

#include <stddef.h>

#include "problems/base/status.h"

struct nb_setting {
    const char *name;        /* NULL ends a table                                  */
    double value;            /* the default; of a choice: its index                */
    double minimum, maximum; /* of a number, both allowed; INFINITY: no limit      */
    int above_minimum;       /* the minimum itself is not allowed                  */
    int whole;               /* whole numbers only                                 */
    const char *choices;     /* comma-separated words instead of a number, or NULL */
    const char *meaning;
    int text;                /* any text without a colon instead of a number: nb_settings_text has it */
};

/* Settings of one strategy, at most. */
enum { NB_SETTINGS_MAX = 12 };

/* What every linear solver can be told: the first rows of its table of settings. */
enum { NB_LINEAR_TOL, NB_LINEAR_START, NB_LINEAR_ISLANDS, NB_LINEAR_IN, NB_LINEAR_COMMON };
#define NB_LINEAR_COMMON_SETTINGS                                                               \
    {.name = "tol", .minimum = 0, .maximum = 1,                                                 \
     .meaning = "stop at ||b - A x|| <= tol ||b|| in the norm of diag(A)^-1; 0: spend all iterations"}, \
    {.name = "start", .choices = "zero,last",                                                   \
     .meaning = "start from zero, or from the solution of the Newton iteration before"},        \
    {.name = "islands", .choices = "no,yes",                                                    \
     .meaning = "solve the islands apart, in parallel, each to its own tolerance"},             \
    {.name = "in", .choices = "same,f32,f16,bf16",                                         \
     .meaning = "solve in this precision, refined in the run's; 16 bits are storage only"}

/* Values of the table's settings, defaults where the text has none; one that is set twice is refused.
 * value may be NULL: check only.
 * The message names the setting and what it allows. table may be NULL: nothing can be set. */
enum nb_status nb_settings_read(const struct nb_setting *table, const char *text, double *value,
                                struct nb_error *error);

/* The value in `choice` of the setting `name`, which is a text, or "" where it is not given, at most size - 1
 * characters. */
void nb_settings_text(const char *choice, const char *name, char *text, size_t size);

/* Length of the strategy's name at the beginning of the text. */
size_t nb_settings_name_length(const char *text);

/* The allowed values in words, as in "> 0, < 2" or "box, cone". */
void nb_setting_range(const struct nb_setting *setting, char *text, size_t size);

/* The default in words. */
void nb_setting_default(const struct nb_setting *setting, char *text, size_t size);

#endif
