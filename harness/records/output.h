/* The stream for what programs read: records and documents of --json, tables of --csv. Nothing else may be in it, but
 * a plugin and its libraries print what they like. */
#ifndef NB_OUTPUT_H
#define NB_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

/* Standard output, until it is kept apart. */
FILE *nb_output(void);

/* From here on nb_output() is what standard output was, and what others print there goes to standard error. Call it
 * once, before a plugin is loaded. */
enum nb_status nb_output_keep_apart(struct nb_error *error);

/* In a fork that speaks for this program from here on: other copies of it say nothing. */
void nb_output_take_over(void);

/* Whether all of it could be written. */
bool nb_output_is_whole(void);

#endif
