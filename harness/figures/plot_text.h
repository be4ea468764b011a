/* Writing text files that gnuplot reads. */
#ifndef NB_PLOT_TEXT_H
#define NB_PLOT_TEXT_H

#include <stdio.h>

#include "problems/base/status.h"

/* Opens FOLDER/NAME.SUFFIX for writing; its path is put into path [size]. */
enum nb_status nb_text_open(const char *folder, const char *name, const char *suffix, char *path,
                            size_t size, FILE **file, struct nb_error *error);

/* Closes; fails where anything written has not reached the file. */
enum nb_status nb_text_close(FILE *file, const char *path, struct nb_error *error);

/* A gnuplot string with its quotes, whatever the text holds; control characters become blanks. */
void nb_text_quote(FILE *file, const char *text);

/* Text for a comment: control characters, which would end it, become blanks. */
void nb_text_plain(FILE *file, const char *text);

/* 1e-8 in the place of 1e-08: the first exponent of a text. */
void nb_text_short_exponent(char *text);

/* A number that gnuplot reads back with the same bits, or NaN. */
void nb_text_number(FILE *file, double value);

/* "array NAME[count] = [...]". */
void nb_text_array(FILE *file, const char *name, const double *values, int count);

#endif
