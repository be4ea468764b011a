/* The line below a figure: what all that it shows have in common. */
#ifndef NB_SHARED_H
#define NB_SHARED_H

#include "harness/figures/plot.h"

enum { NB_SHARED_PARTS = 10 };

/* The settings that all records of the figure share, those of them that read the setting (harness/records/record.h):
 * method, linear solver, preconditioner, NCP function, scaling, precision, budgets, damping, tolerance; what the figure
 * groups its curves or panels by is left out. part [NB_SHARED_PARTS]; returns their number. */
int nb_plot_shared(const struct nb_figure *figure, const struct nb_plot_data *data, const struct cJSON *records,
                   const char *variant, char part[][NB_PLOT_NAME]);

#endif
