/* Products of some rows of one run with its couples (solvers/kernels/delassus.h). */
#ifndef NB_DELASSUS_STRIP_H
#define NB_DELASSUS_STRIP_H

#include "solvers/kernels/delassus.h"

/* Up to NB_PANEL_ROWS block rows of one run, and where their products go. */
struct NB(nb_strip) {
    const nb_matrix *left;       /* the rows by columns                            */
    size_t left_length;          /* entries from one of the columns to the next    */
    const nb_matrix *weighted;   /* all rows, by blocks                            */
    const int *stretch;          /* as in struct nb_delassus                       */
    nb_matrix *out;              /* by columns; set by the caller, and             */
    size_t length;               /* entries from one of them to the next: likewise */
};

/* weighted = L J G in the rows of one run; scale [3 blocks] is diag L. */
void NB(nb_delassus_weigh_run)(const struct NB(nb_delassus) *delassus,
                               const struct NB(nb_model) *model, const nb_real *scale, int run);

/* Rows i to end of one run, by columns in that thread's room. */
struct NB(nb_strip) NB(nb_strip_make)(const struct NB(nb_delassus) *delassus,
                                      const struct NB(nb_bsr) *jacobian, int thread, int i, int end);

/* The products of so many block rows with so many couples, one after the other. */
void NB(nb_strip_fill)(int rows, const struct NB(nb_strip) *strip,
                       const struct NB(nb_couple) *couple, int count);

/* The products of one block row with so many columns: blocks [9 count], row-major. */
void NB(nb_strip_blocks)(const struct NB(nb_strip) *strip, const struct NB(nb_single) *single,
                         int count, nb_matrix *block);

#endif
