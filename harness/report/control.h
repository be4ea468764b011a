/* Does the ruler measure what it should? Some cases of a sweep are timed twice, the second time under a hidden name
 * (`times.control` of their records): the same code, so that a verdict between the two is false. Up to one in twenty is
 * what an interval of 95 % allows; where there are more, by more than chance, the machine is less steady from process
 * to process, or from minute to minute, than the intervals know, and what it lacks is added to all of them. */
#ifndef NB_CONTROL_H
#define NB_CONTROL_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

struct nb_control {
    int pairs, different; /* of one and the same code; told apart all the same */
    double squares;       /* of the logarithms of their ratios, what the intervals know of left out */
    double all_squares;   /* nothing left out */
};

/* Adds what a record's times say; nothing where it has no control. */
enum nb_status nb_control_add(struct nb_control *control, const cJSON *record, struct nb_error *error);
/* Those of an array of records. */
enum nb_status nb_control_read(struct nb_control *control, const cJSON *records, struct nb_error *error);

/* Whether more are told apart than the level allows. */
bool nb_control_is_off(const struct nb_control *control);

/* The standard deviation of the logarithm of a ratio that intervals lack; 0 where the control is not off. */
double nb_control_spread(const struct nb_control *control);

/* A line; nothing where there is no pair. */
void nb_control_print(const struct nb_control *control, FILE *stream);

/* Adds it to a JSON object as "control": pairs, different, spread. */
void nb_control_add_json(cJSON *object, const struct nb_control *control);

#endif
