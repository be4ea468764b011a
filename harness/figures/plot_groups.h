/* Which records belong to a figure, and to which of its variants, panels and curves. */
#ifndef NB_PLOT_GROUPS_H
#define NB_PLOT_GROUPS_H

#include "harness/figures/plot.h"

/* The place of a word among words, or -1. */
int nb_words_find(const struct nb_words *words, const char *word);

/* Adds the word where it is not there yet; false: it is too long, or there is no room. */
bool nb_words_add(struct nb_words *words, const char *word);

/* The first of the patterns (fnmatch, or the text itself) that a text has, or -1. */
int nb_words_match(const struct nb_words *patterns, const char *text);

/* The words with commas between them; "..." stands for those that text [size], of 8 or more, has no room for. */
void nb_words_join(const struct nb_words *words, char *text, size_t size);

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
