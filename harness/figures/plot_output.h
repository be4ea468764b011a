/* The folder of figures: all files of one run are made in a hidden folder and moved when all are there. */
#ifndef NB_PLOT_OUTPUT_H
#define NB_PLOT_OUTPUT_H

#include <limits.h>
#include <stdio.h>

#include "problems/base/status.h"

struct nb_plot_output {
    const char *directory; /* made if it is missing */
    FILE *list;            /* takes the paths of the files; NULL: nobody wants them */
    char folder[PATH_MAX]; /* out: the hidden one */
    size_t made;           /* length of the first part of directory that was made; 0: all was there */
};

/* Removes a folder with the files in it, hidden ones and folders apart. */
void nb_output_remove(const char *folder);

#endif
