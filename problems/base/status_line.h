/* One line that tells how far long work is: in place on a terminal, elsewhere a new line every ten seconds. */
#ifndef NB_STATUS_LINE_H
#define NB_STATUS_LINE_H

#include <stdbool.h>
#include <stdio.h>

struct nb_status_line {
    FILE *stream;   /* NULL: silent */
    bool terminal, shown;
    double begun, last;
};

void nb_status_line_begin(struct nb_status_line *line, FILE *stream);

/* Whether it is time to show a new text: so that nobody makes one in vain. */
bool nb_status_line_is_due(const struct nb_status_line *line);
void nb_status_line_show(struct nb_status_line *line, const char *text);

/* Wipes the line off a terminal. */
void nb_status_line_end(struct nb_status_line *line);

#endif
