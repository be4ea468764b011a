/* Options and settings as data: a row says what a value is, and one function reads its text, whether it stands on
 * the command line or in a sweep's spec. Messages name the option, the text and what is allowed. */
#ifndef NB_VALUES_H
#define NB_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/records/index.h"
#include "problems/base/status.h"

enum nb_option_type {
    NB_OPTION_FLAG,    /* bool: given or not; with choices, the first of two words or the second */
    NB_OPTION_CHOICE,  /* an enum or int: the index of one of the choices                 */
    NB_OPTION_TEXT,    /* const char *, borrowed; with a kind or choices kept for good    */
    NB_OPTION_OUTPUT,  /* const char *, borrowed: a file to write, in a folder that is there */
    NB_OPTION_PREFIX,  /* the same: with what the names of such files begin               */
    NB_OPTION_PATH,    /* char []: a problem file, or what follows from it                */
    NB_OPTION_INTEGER, /* int                                                             */
    NB_OPTION_NUMBER,  /* double                                                          */
    NB_OPTION_LIST     /* struct nb_option_list                                           */
};

struct nb_option {
    const char *name;        /* on the command line, without the dashes            */
    char letter;             /* short form, or 0                                   */
    enum nb_option_type type;
    void *target;            /* of the type above; its value beforehand is the default */
    double minimum, maximum; /* for integers and numbers, both allowed             */
    bool above_minimum;      /* the minimum itself is not allowed                  */
    bool of_newton;          /* Newton's method alone reads it                     */
    const char *none;        /* the word for a number that is not given, or NULL   */
    const char *kind;        /* registry kind that lists the values, or NULL       */
    const char *choices;     /* comma-separated values, or NULL                    */
    const char *argument;    /* how help calls the value: "N"; NULL: takes none    */
    const char *meaning;
};

/* A repeatable option's values, borrowed from argv. */
struct nb_option_list {
    int count;
    const char *item[64];
};

/* Reads the text into the option's target, which stays as it was where the text is refused; `what` names the option
 * in the message. text: NULL where the option takes none. */
enum nb_status nb_option_read(const struct nb_option *option, const char *what, const char *text,
                              struct nb_error *error);

/* Strict integers: the whole text, in range. */
enum nb_status nb_parse_integer(const char *what, const char *text, double minimum, double maximum, int *value,
                                struct nb_error *error);

/* A comma-separated list of names, such as "scaled,true", and one name in it: its index or -1. */
int nb_choice_index(const char *choices, const char *name);

/* The name at that index of the list, into text [size]; "" past the end. */
const char *nb_choice_name(const char *choices, int index, char *text, size_t size);

/* Into text: the nearest of names ended by NULL, or all (problems/base/suggest.h). */
void nb_suggest(const char *const *names, const char *name, char *text, size_t size);

#endif
