/* What a name that is not known was meant to be, for messages: no name is taken that is not exact. */
#ifndef NB_SUGGEST_H
#define NB_SUGGEST_H

#include <stddef.h>

/* How far a name is from a known one: but for case and - or _ the same, another word for it (the table in suggest.c),
 * one letter or two that changed places, the beginning or end of it, a part of it, so many letters more. */
enum { NB_SAME_NAME, NB_SYNONYM, NB_ONE_LETTER, NB_ITS_BEGINNING, NB_A_PART, NB_LETTERS, NB_NOT_NEAR = 1000 };

/* The nearest of known [count], at most `room` of those equally near; their number, 0 where none is near. *how, unless
 * NULL, is how near. */
size_t nb_nearest_names(const char *name, const char *const *known, size_t count, const char **nearest, size_t room,
                        int *how);

/* The first of them, or NULL. */
const char *nb_nearest_name(const char *name, const char *const *known, size_t count);

/* Into text [size >= 1]: "nearest: b", behind which stands "; known: a, b, c" where it may not be meant. */
void nb_suggest_name(const char *name, const char *const *known, size_t count, char *text, size_t size);

/* The same of a comma-separated list. */
void nb_suggest_choice(const char *name, const char *choices, char *text, size_t size);

#endif
