/* What a Matrix Market text has to be before a library reads it: CHOLMOD sums entries of both triangles of a
 * symmetric file, makes numbers up for patterns, takes indices from 0 and reads 4.0D0 as 4, all without a
 * word. */
#ifndef NB_MATRIX_MARKET_CHECK_H
#define NB_MATRIX_MARKET_CHECK_H

#include <stdio.h>

#include "solvers/status.h"

/* Reads file, opened from path, to its end and goes back to its beginning. The message names path, line and
 * what is wrong with it. vector: a real array of one column is expected instead of a symmetric matrix. */
enum nb_status nb_matrix_market_check(const char *path, FILE *file, int vector, struct nb_error *error);

#endif
