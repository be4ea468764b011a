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
    double own, waited;   /* [s] of all timed runs: what was theirs, and what the clock says beyond */
    double throttled;     /* [s] of that, at most: containers were stopped for their quotas */
};

/* Adds what a record's times say. */
void nb_control_add(struct nb_control *control, const cJSON *record);
/* Those of an array of records. */
void nb_control_read(struct nb_control *control, const cJSON *records);

/* Whether more are told apart than the level allows. */
bool nb_control_is_off(const struct nb_control *control);

/* The standard deviation of the logarithm of a ratio that intervals lack; 0 where the control is not off. */
double nb_control_spread(const struct nb_control *control);

/* The share of the clock in timed runs that was not theirs (harness/case/case_run.h); NaN: no record says. */
double nb_control_waited(const struct nb_control *control);

/* Lines of at most two sentences, which begin so: what the control says, where there is a pair, and what was waited,
 * where it is at least 1 %. */
enum { NB_CONTROL_LINES = 2,
       NB_CONTROL_TEXT = 240 };
int nb_control_lines(const struct nb_control *control, char line[NB_CONTROL_LINES][NB_CONTROL_TEXT]);
void nb_control_print(const struct nb_control *control, const char *begin, FILE *stream);

/* Adds it to a JSON object as "control": pairs, different, spread, waited (a share), throttled. */
void nb_control_add_json(cJSON *object, const struct nb_control *control);

#endif
