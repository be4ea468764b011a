/* The parts of a comparison: pairs of records (compare_pairs.c), their labels (compare_label.c), and what all pairs
 * of a kind say together (compare_verdict.c). */
#ifndef NB_COMPARE_PRIVATE_H
#define NB_COMPARE_PRIVATE_H

#include "harness/report/compare.h"

enum { NB_COMPARE_NAME = 64, NB_COMPARE_VALUE = 512 };

/* Fails, naming the settings in which the records differ, where there is no pair. */
enum nb_status nb_pairs_find(const struct nb_comparison *comparison, const cJSON *first,
                             const cJSON *second, struct nb_comparison_result *result, struct nb_error *error);

/* Whether the record has every NAME=VALUE of the list, and its method reads them all. */
bool nb_pairs_match(const cJSON *record, const struct nb_option_list *list);
/* Whether it has them; *reads: whether its method reads them all. */
bool nb_pairs_have(const cJSON *record, const struct nb_option_list *list, bool *reads);

/* Refuses a list, of that option, with a setting that no record has, or a value. */
enum nb_status nb_pairs_check(const char *option, const struct nb_option_list *list, const cJSON *records,
                              struct nb_error *error);

/* The comparison, with newton_iters among `across` where it is of two solvers, each of which has one value of it: how
 * many iterations a method is allowed is its own, as by default, and what counts is the time to the tolerance. */
struct nb_comparison nb_pairs_except_limits(const struct nb_comparison *comparison, const cJSON *first,
                                            const cJSON *second);

/* Whether the setting must agree within a pair. */
bool nb_pairs_must_agree(const struct nb_comparison *comparison, const char *name);

/* Whether two records have different values of a setting. */
bool nb_pairs_differ(const cJSON *a, const cJSON *b, const char *name);

/* Sets the labels of pairs of one kind. */
enum nb_status nb_pairs_label(const struct nb_comparison *comparison, struct nb_comparison_part *part,
                              struct nb_error *error);

/* Tally, verdict and sentence of pairs of one kind whose mean speed-up is known. */
enum nb_status nb_comparison_judge(struct nb_comparison_part *part, struct nb_error *error);

/* The pairs as JSON has them, for cJSON_Delete. */
cJSON *nb_comparison_pairs(const struct nb_comparison_part *part);
enum nb_pair_verdict nb_pair_verdict_of(const cJSON *pair);

/* The repetitions of A or B, whichever has fewer. */
int nb_pair_repetitions(const struct nb_pair *pair);

#endif
