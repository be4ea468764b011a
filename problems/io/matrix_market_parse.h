/* Matrix Market text as triplets. Each line is read once, by one rule: a library's reader beside our own checks
 * took the end of a long comment for the line of sizes, and a banner in other letters for a comment. */
#ifndef NB_MATRIX_MARKET_PARSE_H
#define NB_MATRIX_MARKET_PARSE_H

#include <stddef.h>

#include "problems/problem.h"

/* Entries in the order of the file, indices from 0; a symmetric file's entry beside the diagonal is followed by
 * its mirror image. Of an array (dense text) the zeros are left out, but for a vector's. */
struct nb_market {
    int rows, columns;
    struct nb_triplets entries; /* finite */
};

/* Reads content [size bytes] of the file at path. The message names path, line and what is wrong with it.
 * vector: a real array is expected instead of a matrix. The caller frees the entries. */
enum nb_status nb_market_read(const char *path, const void *content, size_t size, int vector,
                              struct nb_market *market, struct nb_error *error);

#endif
