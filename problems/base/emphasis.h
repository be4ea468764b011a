/* Colour and bold on a terminal, and nowhere else: not where NO_COLOR is set, nor on a terminal that has none. */
#ifndef NB_EMPHASIS_H
#define NB_EMPHASIS_H

#include <stdbool.h>
#include <stdio.h>

enum nb_emphasis { NB_PLAIN, NB_HEADING, NB_GOOD, NB_BAD, NB_DOUBTFUL };

/* Whether the stream is a terminal that takes escape sequences (TERM is not "dumb"). */
bool nb_takes_escapes(FILE *stream);

/* What to print before words to be shown so; NB_PLAIN ends it. "" where the stream shows none. */
const char *nb_emphasis(FILE *stream, enum nb_emphasis how);

/* Prints words so. */
void nb_print_emphasised(FILE *stream, enum nb_emphasis how, const char *words);

#endif
