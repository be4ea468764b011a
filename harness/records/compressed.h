/* Results files may be compressed by gzip, as those in data/records/ are: for reading only. */
#ifndef NB_COMPRESSED_H
#define NB_COMPRESSED_H

#include <stdbool.h>
#include <stdio.h>

#include "problems/base/status.h"

/* As nb_open_regular; what is compressed, by its first two bytes, is read uncompressed. Damage shows as an error of the
 * stream, EILSEQ. */
enum nb_status nb_open_compressed(const char *path, FILE **file, struct nb_error *error);

/* The same, in which positions can be sought: of what is compressed a temporary copy. */
enum nb_status nb_open_seekable(const char *path, FILE **file, bool *temporary, struct nb_error *error);

#endif
