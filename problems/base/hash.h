/* SHA-256 (FIPS 180-4), by which records know problems, cases and plugins: what sha256sum prints. */
#ifndef NB_HASH_H
#define NB_HASH_H

#include <stddef.h>

#include "problems/base/status.h"

#define NB_HASH_SIZE 65       /* 64 hexadecimal digits and the end */
#define NB_SHORT_HASH_SIZE 17 /* 16 digits, which suffice where no one chooses what is hashed */

/* The first size - 1 digits of the hash of data [bytes], size being one of the two above. NB_OUT_OF_MEMORY if
 * the library has none. */
enum nb_status nb_hash(const void *data, size_t bytes, char *text, size_t size, struct nb_error *error);

#endif
