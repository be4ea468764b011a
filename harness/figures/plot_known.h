/* Names that a figure may ask for: settings of the records, and numbers in them. */
#ifndef NB_PLOT_KNOWN_H
#define NB_PLOT_KNOWN_H

#include "harness/figures/plot.h"

/* What a figure needs of records: of many thousand, reading and keeping more would take most of the time and memory. */

struct nb_plot_needs {
    const struct nb_figure *figure;
    struct nb_words traces, errors; /* names of those that the figure does not draw, for messages */
};

/* Whether the figure draws or groups by a member: an nb_json_keep of a struct nb_plot_needs, which notes others. */
bool nb_plot_wants(void *needs, const char *outer, const char *inner);

/* Whether the records have the settings by which the figure groups and filters, and, check_values, the numbers that it
 * draws; NB_BAD_INPUT names what is missing, what is nearest to it, and all that could have been asked for. needs: what
 * of the records was left out; NULL: nothing. */
enum nb_status nb_plot_check_settings(const struct nb_figure *figure, const struct cJSON *records, const char *source,
                                      struct nb_error *error);
enum nb_status nb_plot_check_values(const struct nb_figure *figure, const struct cJSON *records,
                                    const struct nb_plot_needs *needs, const char *source, struct nb_error *error);

/* What stands at the axis of a column: its name in words with the unit, "constraint error [m/s]"; of `error` the metric
 * by which this record is judged (harness/records/outcome.h). */
void nb_plot_label(const struct cJSON *record, const char *column, char *text, size_t size);

#endif
