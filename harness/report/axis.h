/* What parts things, such as the cases of a page: the values in order of their first thing, and which one each has. */
#ifndef NB_AXIS_H
#define NB_AXIS_H

#include <stdbool.h>

#include "harness/records/index.h"
#include "problems/base/status.h"

enum { NB_AXIS_TEXT = 2048 };

struct nb_axis {
    const char *name; /* of a page's: the setting; "problem": what is solved; "method": all settings that vary */
    bool strategy;    /* one of code, not a number */
    int count, room, first_room;
    char **value;          /* [count], owned */
    struct nb_index index; /* of them */
    int *of;               /* [things]; -1: it has none, as a case whose method does not read the setting */
    int *first;            /* [count] the first thing that has the value, and [things] the next one; -1: none */
    int *next;
};

/* Whether the setting says by what a problem is solved; the others say what is solved and how it is measured. */
bool nb_axis_says_how(const char *setting);

/* Fills an axis, of which the name is set, with what a function says of each thing, into text [NB_AXIS_TEXT], which is
 * empty before; "" for nothing. */
typedef void nb_axis_text(const void *context, int thing, const char *name, char *text);
enum nb_status nb_axis_fill(struct nb_axis *axis, int things, nb_axis_text *text_of, const void *context,
                            struct nb_error *error);
void nb_axis_free(struct nb_axis *axis);

/* Whether no thing before it has its value, which it must have. */
bool nb_axis_is_first(const struct nb_axis *axis, int thing);

#endif
