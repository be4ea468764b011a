/* A record's text without the members that its reader does not want: parsing those would take most of the time, and
 * keeping them most of the memory. */
#ifndef NB_SIEVE_H
#define NB_SIEVE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a member is wanted: outer of the record, with inner NULL; and, of an object that is, inner of outer. The
 * context is the reader's. */
typedef bool nb_wanted(void *context, const char *outer, const char *inner);

/* Whether the name is in a list that ends with NULL. */
bool nb_is_one_of(const char *name, const char *const *names);

/* Copies the JSON object in text [length] to room [length], less what is not wanted; the length of the copy. 0 where
 * the text is not one, or its members are not separated as they must be; values that are left out are not checked
 * otherwise. */
size_t nb_sieve(const char *text, size_t length, nb_wanted *wanted, void *context, char *room);

#endif
