/* Small helpers around cJSON: NaN and infinities are null in the text, and null reads as NaN. */
#ifndef NB_JSON_H
#define NB_JSON_H

#include <cJSON.h>
#include <stddef.h>

/* The number, or null where it is not finite. */
void nb_json_number(cJSON *object, const char *name, double value);

/* An array of the numbers [count], null where not finite. */
void nb_json_numbers(cJSON *object, const char *name, const double *values, size_t count);

/* The member's number, or NaN where it is missing or null. */
double nb_json_get(const cJSON *object, const char *name);

/* The member's text, or "" where it is missing; borrowed. */
const char *nb_json_string(const cJSON *object, const char *name);

/* The member of a member: nb_json_path(record, "settings", "linear"); NULL where missing. */
const cJSON *nb_json_path(const cJSON *object, const char *outer, const char *inner);

#endif
