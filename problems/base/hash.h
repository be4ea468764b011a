/* FNV-1a, 64 bit (Fowler, Noll and Vo 1991), by which records and plugins name contents. */
#ifndef NB_HASH_H
#define NB_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "problems/base/status.h"

#define NB_HASH_START UINT64_C(0xcbf29ce484222325)
#define NB_HASH_SIZE 17 /* 16 hexadecimal digits and the end */

/* The hash of what was hashed before (first: NB_HASH_START) followed by data [size bytes]. */
uint64_t nb_hash(uint64_t before, const void *data, size_t size);

/* Continues *value with the file's content. NB_BAD_FILE if it cannot be read. */
enum nb_status nb_hash_file(const char *path, uint64_t *value, struct nb_error *error);

void nb_hash_print(uint64_t value, char text[NB_HASH_SIZE]);

#endif
