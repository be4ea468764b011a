/* Comma-separated values (RFC 4180). */
#ifndef NB_CSV_H
#define NB_CSV_H

#include <cJSON.h>
#include <stdio.h>

/* A text, in quotes where it needs them; a number with 17 digits; a truth value; nothing of null and NULL. */
void nb_csv_item(const cJSON *item, FILE *stream);

#endif
