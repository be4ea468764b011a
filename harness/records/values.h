/* Values of settings as text, the same on the command line, in a sweep's spec and in records: numbers with
 * their ranges, names with the nearest known one, and which settings Newton's method alone reads. */
#ifndef NB_VALUES_H
#define NB_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "problems/base/status.h"
#include "solvers/solve.h"

/* A repeatable option's values, borrowed from argv. */
struct nb_option_list {
    int count;
    const char *item[64];
};

/* Whether only Newton's method reads the option or setting of that name, "newton-form" or "newton_form". */
bool nb_options_of_newton(const char *name);

/* What only Newton's method reads becomes that of a command that does not name it. */
void nb_options_forget_newton(struct nb_options *options);

/* Strict numbers: the whole text, in range; the message names what, the text and the range. */
enum nb_status nb_parse_integer(const char *what, const char *text, double minimum, double maximum,
                                int *value, struct nb_error *error);
enum nb_status nb_parse_number(const char *what, const char *text, double minimum, double maximum,
                               bool above_minimum, double *value, struct nb_error *error);

/* A comma-separated list of names, such as "scaled,true", and one name in it: its index or -1. */
int nb_choice_index(const char *choices, const char *name);

/* The allowed range of one setting of struct nb_options, shared by command line and sweeps. */
struct nb_range {
    const char *name;
    double minimum, maximum;
    bool above_minimum;
};
const struct nb_range *nb_range_find(const char *name);

/* Into text: "known: a, b, c; nearest: b", for names ended by NULL. */
void nb_suggest(const char *const *names, const char *name, char *text, size_t size);

#endif
