/* The parts of a comparison: pairs of records (compare_pairs.c), their labels (compare.c), and what all pairs
 * of a kind say together (compare_verdict.c). */
#ifndef NB_COMPARE_PRIVATE_H
#define NB_COMPARE_PRIVATE_H

#include "harness/report/compare.h"

enum { NB_COMPARE_NAME = 64, NB_COMPARE_VALUE = 512 };

/* Fails, naming the settings in which the records differ, if there is no pair. */
enum nb_status nb_pairs_find(const struct nb_comparison *comparison, const cJSON *first,
                             const cJSON *second, struct nb_comparison_result *result, struct nb_error *error);

/* Whether the setting must agree within a pair. */
bool nb_pairs_must_agree(const struct nb_comparison *comparison, const char *name);

/* Whether two records have different values of a setting. */
bool nb_pairs_differ(const cJSON *a, const cJSON *b, const char *name);

/* The words by the rules of compare_words.c; so_far: however few the repetitions are. */
enum nb_pair_verdict nb_pair_rule(const struct nb_pair *pair);
enum nb_verdict nb_verdict_rule(const struct nb_tally *tally, const struct nb_interval *speed_up, bool so_far);

/* Tally, verdict and sentence of pairs of one kind whose mean speed-up is known. */
enum nb_status nb_comparison_judge(struct nb_comparison_part *part, struct nb_error *error);

enum nb_pair_verdict nb_pair_verdict_of(const cJSON *pair);

/* The repetitions of A or B, whichever has fewer. */
int nb_pair_repetitions(const struct nb_pair *pair);

#endif
