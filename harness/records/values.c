/* Values of settings as text (harness/records/values.h). */
#include "harness/records/values.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/registry.h"

static void range_text(double minimum, double maximum, bool above, char *text, size_t size)
{
    if (isinf(maximum) || maximum >= INT_MAX)
        snprintf(text, size, above ? "> %.15g" : ">= %.15g", minimum);
    else
        snprintf(text, size, above ? "%.15g < value <= %.15g" : "%.15g to %.15g", minimum, maximum);
}

enum nb_status nb_parse_number(const char *what, const char *text, double minimum, double maximum,
                               bool above_minimum, double *value, struct nb_error *error)
{
    char range[64], *end;
    errno = 0;
    const double number = strtod(text, &end);
    range_text(minimum, maximum, above_minimum, range, sizeof range);
    if (end == text || *end || isspace((unsigned char)*text) || !isfinite(number))
        return nb_fail(error, NB_BAD_INPUT, "%s: \"%s\" is not a number; allowed: %s", what, text,
                       range);
    if (number < minimum || number > maximum || (above_minimum && number <= minimum))
        return nb_fail(error, NB_BAD_INPUT, "%s: %s is out of range; allowed: %s", what, text,
                       range);
    *value = number;
    return NB_OK;
}

enum nb_status nb_parse_integer(const char *what, const char *text, double minimum, double maximum,
                                int *value, struct nb_error *error)
{
    char range[64], *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    range_text(minimum, maximum, false, range, sizeof range);
    if (end == text || *end || isspace((unsigned char)*text))
        return nb_fail(error, NB_BAD_INPUT, "%s: \"%s\" is not a whole number; allowed: %s", what,
                       text, range);
    if (errno || (double)number < minimum || (double)number > maximum || number > INT_MAX)
        return nb_fail(error, NB_BAD_INPUT, "%s: %s is out of range; allowed: %s", what, text,
                       range);
    *value = (int)number;
    return NB_OK;
}

int nb_choice_index(const char *choices, const char *name)
{
    const size_t length = strlen(name);
    int index = 0;
    for (const char *start = choices; *start; ++index) {
        const size_t span = strcspn(start, ",");
        if (span == length && !memcmp(start, name, length))
            return index;
        start += span + (start[span] == ',');
    }
    return -1;
}

/* One table for the command line and the sweep's spec, so that both allow the same. */
static const struct nb_range ranges[] = {
    {"newton-iters", 0, 100000, false},
    {"linear-iters", 0, 1000000, false},
    {"damping", 0, 1, true},
    {"shift", 0, INFINITY, false},
    {"threads", 1, 1024, false},
    {"tol", 0, INFINITY, true},
    {"repetitions", 5, 10000, false},
    {"time_limit", 0, 1000000, true},
    {"memory_limit", 16, 134217728, false},
    {"system", 0, 1000000, false},
};

const struct nb_range *nb_range_find(const char *name)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i)
        if (!strcmp(ranges[i].name, name))
            return &ranges[i];
    return NULL;
}

/* Options that only Newton's method reads, and where they are kept. */
#define OF_NEWTON(name, member) \
    {name, offsetof(struct nb_options, member), sizeof((struct nb_options *)NULL)->member}
static const struct {
    const char *name;
    size_t offset, size;
} of_newton[] = {
    OF_NEWTON("ncp", ncp),
    OF_NEWTON("scaling", scaling),
    OF_NEWTON("newton-form", newton_form),
    OF_NEWTON("operator", operator_form),
    OF_NEWTON("damping", damping),
    OF_NEWTON("linear", linear),
    OF_NEWTON("precond", precond),
    OF_NEWTON("linear-iters", linear_iterations),
};

/* Names are the same where one has - and the other _. */
static bool same_name(const char *option, const char *name)
{
    for (; *option && (*option == *name || (*option == '-' && *name == '_')); ++option)
        ++name;
    return *option == *name;
}

bool nb_options_of_newton(const char *name)
{
    for (size_t i = 0; i < sizeof of_newton / sizeof *of_newton; ++i)
        if (same_name(of_newton[i].name, name))
            return true;
    return false;
}

void nb_options_forget_newton(struct nb_options *options)
{
    const struct nb_options usual = nb_options_default();
    for (size_t i = 0; i < sizeof of_newton / sizeof *of_newton; ++i)
        memcpy((char *)options + of_newton[i].offset, (const char *)&usual + of_newton[i].offset,
               of_newton[i].size);
}

void nb_suggest(const char *const *names, const char *name, char *text, size_t size)
{
    size_t count = 0;
    while (names[count])
        ++count;
    nb_suggest_name(name, names, count, text, size);
}
