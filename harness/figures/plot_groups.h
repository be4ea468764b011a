/* Which records belong to a figure, and to which of its variants, panels and curves. */
#ifndef NB_PLOT_GROUPS_H
#define NB_PLOT_GROUPS_H

#include "harness/figures/plot.h"

/* The values of a setting in the records that pass the figure's first `filters` filters and belong to
 * the variant (NULL: to any): those of `first` in its order, then the rest in alphabetical order.
 * NB_UNSUPPORTED where there are more than a figure can show. */
enum nb_status nb_plot_collect(const struct nb_figure *figure, int filters, const char *variant,
                               const struct cJSON *records, const struct nb_grouping *grouping,
                               struct nb_words *words, struct nb_error *error);

/* How many records that pass the filters a profile leaves out, as their methods do not read the setting
 * (harness/records/record.h), and these methods. */
int nb_plot_unread(const struct nb_figure *figure, const char *name, const struct cJSON *records,
                   struct nb_words *methods);

#endif
