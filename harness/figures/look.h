/* One colour, marker, dash and name for a method, in every figure.
 *
 * The table is in plots/style.gp, a line each:
 *
 *     #: look KIND NAME COLOUR MARKER DASH [TITLE]
 *
 * with KIND one of the registry's or `arithmetic`, COLOUR in hexadecimal, MARKER one of NB_MARKERS and DASH one of
 * NB_DASHES. A strategy that is compiled in and is not there has one of four further colours, by its name. Any other
 * name is a user's own: black, thicker, with a star where that is free. Linear
 * solver and preconditioner together, pcr+ic0, have colour and marker of the preconditioner and the dash of a row of
 * KIND `pair` for the linear solver, hollow where it is not solid. No two curves of a figure have the same marker and
 * dash, so that it can be read in grey: one that would, as newton:step=armijo beside newton, takes the next that is
 * free, and, where it has settings of its own, a colour that no other has.
 *
 * The title is that of the table, else the registry's, with the settings behind it. */
#ifndef NB_LOOK_H
#define NB_LOOK_H

#include <stdbool.h>

#include "harness/figures/plot.h"

#define NB_MARKERS "circle,square,triangle,diamond,nabla,pentagon,plus,cross,star," \
                   "open_circle,open_square,open_triangle,open_diamond,open_nabla,open_pentagon"
#define NB_DASHES "solid,dashed,dotted,dashdot"

struct nb_look {
    unsigned colour; /* 0xRRGGBB */
    int marker;      /* index in NB_MARKERS */
    int dash;        /* index in NB_DASHES  */
    bool own;        /* neither in the table nor compiled in: a user's own */
    char title[2 * NB_PLOT_NAME];
};

/* The looks of values of the setting, look [values->count]. Values of a setting that names no method, as of problem or
 * damping, are told apart by slot [values->count], from 1, alone. Fails where the table cannot be read. */
enum nb_status nb_looks_assign(const char *setting, const struct nb_words *values, const int *slot,
                               struct nb_look *look, struct nb_error *error);

/* The title of one value of a setting; the value itself where it names no method. */
void nb_look_title(const char *setting, const char *value, char *title, size_t size);

/* The hollow version of a marker, or itself if it has none; and gnuplot's numbers. */
int nb_marker_hollow(int marker);
int nb_marker_point_type(int marker);

#endif
