/* Reads the text of an option or setting by its row (harness/records/values.h): a number strictly, as a whole and in
 * its range; a strategy by its kind's registry, settings included; a word by the list of its choices. */
#include "harness/records/values.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problems/base/numbers.h"
#include "problems/base/suggest.h"
#include "problems/io/regular_file.h"
#include "solvers/registry.h"

static void range_text(double minimum, double maximum, bool above, char *text, size_t size)
{
    if (isinf(maximum) || maximum == INT_MAX)
        snprintf(text, size, above ? "> %.15g" : ">= %.15g", minimum);
    else
        snprintf(text, size, above ? "%.15g < value <= %.15g" : "%.15g to %.15g", minimum, maximum);
}

static enum nb_status parse_number(const struct nb_option *option, const char *what, const char *text,
                                   double *value, struct nb_error *error)
{
    char range[64];
    double number;
    range_text(option->minimum, option->maximum, option->above_minimum, range, sizeof range);
    if (!nb_read_decimal(text, &number))
        return nb_fail(error, NB_BAD_INPUT, "%s: \"%s\" is not a number; allowed: %s", what, text,
                       range);
    if (number < option->minimum || number > option->maximum ||
        (option->above_minimum && number <= option->minimum))
        return nb_fail(error, NB_BAD_INPUT, "%s: %s is out of range; allowed: %s", what, text,
                       range);
    *value = number;
    return NB_OK;
}

enum nb_status nb_parse_integer(const char *what, const char *text, double minimum, double maximum,
                                int *value, struct nb_error *error)
{
    NB_DECIMAL_POINT;
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

const char *nb_choice_name(const char *choices, int index, char *text, size_t size)
{
    for (; index > 0 && *choices; --index) {
        choices += strcspn(choices, ",");
        choices += *choices == ',';
    }
    snprintf(text, size, "%.*s", (int)strcspn(choices, ","), choices);
    return text;
}

static enum nb_status parse_choice(const struct nb_option *option, const char *what, const char *text,
                                   int *index, struct nb_error *error)
{
    char known[400];
    *index = nb_choice_index(option->choices, text);
    if (*index >= 0)
        return NB_OK;
    nb_suggest_choice(text, option->choices, known, sizeof known);
    return nb_fail(error, NB_BAD_INPUT, "%s: unknown value \"%s\"; %s", what, text, known);
}

static enum nb_status read_name(const struct nb_option *option, const char *what, const char *text,
                                struct nb_error *error)
{
    enum nb_status status = NB_OK;
    char begin[64];
    int index;
    snprintf(begin, sizeof begin, "%s: ", what);
    if (option->kind)
        status = nb_registry_check(begin, option->kind, text, error);
    else if (option->choices)
        status = parse_choice(option, what, text, &index, error);
    if (!status && (option->kind || option->choices) && !(text = nb_intern(text)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory", what);
    if (!status)
        *(const char **)option->target = text;
    return status;
}

/* Told now, and not after hours of work whose result cannot be kept. */
static enum nb_status read_output(const struct nb_option *option, const char *what, const char *path,
                                  struct nb_error *error)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    struct nb_error reason;
    if (!*path) /* the parts of a name that begins with nothing would be hidden files */
        return nb_fail(error, NB_BAD_INPUT, "%s: the name is empty", what);
    if (length >= sizeof folder)
        return nb_fail(error, NB_BAD_INPUT, "%s: its folder's name is longer than %zu letters", what,
                       sizeof folder - 1);
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    if (access(folder, W_OK | X_OK) != 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: %s cannot be written: %s", what, path, strerror(errno));
    if (option->type == NB_OPTION_OUTPUT && nb_check_writable(path, &reason))
        return nb_fail(error, NB_BAD_INPUT, "%s: %s", what, reason.text);
    *(const char **)option->target = path;
    return NB_OK;
}

static enum nb_status read_flag(const struct nb_option *option, const char *what, const char *text,
                                struct nb_error *error)
{
    int index = 1;
    const enum nb_status status =
        text && option->choices ? parse_choice(option, what, text, &index, error) : NB_OK;
    if (!status)
        *(bool *)option->target = index;
    return status;
}

static enum nb_status read_choice(const struct nb_option *option, const char *what, const char *text,
                                  struct nb_error *error)
{
    int index;
    const enum nb_status status = parse_choice(option, what, text, &index, error);
    if (!status)
        *(int *)option->target = index;
    return status;
}

static enum nb_status read_number(const struct nb_option *option, const char *what, const char *text,
                                  struct nb_error *error)
{
    double *target = option->target;
    if (!option->none || strcmp(text, option->none))
        return parse_number(option, what, text, target, error);
    *target = NAN;
    return NB_OK;
}

static enum nb_status read_list(const struct nb_option *option, const char *what, const char *text,
                                struct nb_error *error)
{
    struct nb_option_list *list = option->target;
    const int room = (int)(sizeof list->item / sizeof *list->item);
    if (list->count == room)
        return nb_fail(error, NB_BAD_INPUT, "%s: given more than %d times", what, room);
    list->item[list->count++] = text;
    return NB_OK;
}

/* What a least number above one is for is told. */
static enum nb_status read_integer(const struct nb_option *option, const char *what, const char *text,
                                   struct nb_error *error)
{
    const enum nb_status status =
        nb_parse_integer(what, text, option->minimum, option->maximum, option->target, error);
    if (status && error && option->minimum > 1) {
        const size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, " (%s)", option->meaning);
    }
    return status;
}

enum nb_status nb_option_read(const struct nb_option *option, const char *what, const char *text,
                              struct nb_error *error)
{
    NB_DECIMAL_POINT;
    switch (option->type) {
    case NB_OPTION_FLAG:
        return read_flag(option, what, text, error);
    case NB_OPTION_CHOICE:
        return read_choice(option, what, text, error);
    case NB_OPTION_TEXT:
        return read_name(option, what, text, error);
    case NB_OPTION_OUTPUT:
    case NB_OPTION_PREFIX:
        return read_output(option, what, text, error);
    case NB_OPTION_INTEGER:
        return read_integer(option, what, text, error);
    case NB_OPTION_NUMBER:
        return read_number(option, what, text, error);
    case NB_OPTION_LIST:
        return read_list(option, what, text, error);
    case NB_OPTION_PATH:
        break; /* nb_case_set_problem */
    }
    return NB_OK;
}

void nb_suggest(const char *const *names, const char *name, char *text, size_t size)
{
    size_t count = 0;
    while (names[count])
        ++count;
    nb_suggest_name(name, names, count, text, size);
}
