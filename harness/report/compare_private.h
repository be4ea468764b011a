/* The parts of a comparison: pairs of records (compare_pairs.c), what is said of them (compare_print.c). */
#ifndef NB_COMPARE_PRIVATE_H
#define NB_COMPARE_PRIVATE_H

#include <cJSON.h>

#include "harness/records/outcome.h"
#include "harness/report/bootstrap.h"
#include "harness/report/compare.h"

enum { NB_COMPARE_VALUE = 512, NB_COMPARE_REPETITIONS = 5 /* below, an interval says little */ };

struct nb_pair {
    const cJSON *a, *b;
    int number;  /* in the order of A's records */
    char problem[320];
    char *label; /* the problem and what tells the pair from the others; owned */
    double tolerance;
    struct nb_outcome outcome_a, outcome_b;
    struct nb_interval speed_up; /* NaN where not both reach the tolerance */
    const char *verdict;
    const char *apart;           /* why there is no verdict on their times; NULL: there is */
    bool system, spent;          /* a linear system; a step of which all linear solves spent their budgets */
};

struct nb_pairs {
    struct nb_pair *pair;
    int count, room;
    int elsewhere; /* cases of A that have partners on other kinds of machines only */
    int unread; /* cases left out: they hold what --a or --b asks for, and their methods do not read it */
};

/* Fails, naming the settings in which the records differ, where there is no pair. */
enum nb_status nb_pairs_find(const struct nb_comparison *comparison, const cJSON *first,
                             const cJSON *second, struct nb_pairs *pairs, struct nb_error *error);

/* Whether the setting must agree within a pair. */
bool nb_pairs_must_agree(const struct nb_comparison *comparison, const char *name);

/* Whether two records have different values of a setting. */
bool nb_pairs_differ(const cJSON *a, const cJSON *b, const char *name);

/* The table of the pairs; sets their labels. */
enum nb_status nb_pairs_print(const struct nb_comparison *comparison, struct nb_pairs *pairs,
                              FILE *stream, struct nb_error *error);

/* What stands behind the times: linear iterations, set-up, applications; nothing where no record tells. */
void nb_pairs_print_effort(const struct nb_pairs *pairs, FILE *stream);

/* In how many pairs A and B are of different builds, hosts, kernels or libraries. */
void nb_pairs_print_provenance(const struct nb_pairs *pairs, FILE *stream);

/* The verdict over all pairs; speed_up: its mean over the pairs that have one, NaN where none has. */
void nb_pairs_print_verdict(const struct nb_pairs *pairs, const struct nb_interval *speed_up,
                            FILE *stream);

#endif
