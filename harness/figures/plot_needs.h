/* What a figure needs of records: of many thousand, reading and keeping more would take most of the time and memory. */
#ifndef NB_PLOT_NEEDS_H
#define NB_PLOT_NEEDS_H

#include "harness/figures/plot.h"

struct nb_plot_needs {
    const struct nb_figure *figure;
    struct nb_words traces, errors; /* names of those that the figure does not draw, for messages */
};

/* Whether the figure draws or groups by a member: an nb_wanted of a struct nb_plot_needs, which notes others. */
bool nb_plot_wants(void *needs, const char *outer, const char *inner);

#endif
