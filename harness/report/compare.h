/* Is B better than A? Records of two files, or of two methods in one file, are paired by their settings
 * and compared at equal accuracy: the cost of each to the tolerance (harness/records/outcome.h), which by
 * default is the smallest error that both reach, pair by pair.
 *
 * The speed-up is median time of A over that of B, with a bootstrap interval over the repetitions. The
 * verdict of a pair is "better" or "worse" where the interval excludes 1 and "not distinguishable"
 * where it does not; a method that alone does not reach the tolerance has lost. Over all pairs it is "not
 * decided" where one has fewer than five repetitions. The interval covers the noise within a run, not the
 * drift between two: pairs that were not timed in turn, in one batch of one sweep, get no verdict on times
 * (docs/guide/sweeps.md). Pairs are of one kind of machine; steps and linear systems are judged apart. Cases that hold
 * the value of --a or --b without reading it (harness/records/record.h) are neither A's nor B's, and no case is compared
 * with itself. */
#ifndef NB_COMPARE_H
#define NB_COMPARE_H

#include <stdio.h>

#include "harness/records/values.h"
#include "problems/base/status.h"

struct nb_comparison {
    const char *path_a, *path_b;
    struct nb_option_list a, b;   /* NAME=VALUE: which records are A's, B's; these names need not agree */
    struct nb_option_list across; /* further settings that need not agree */
    double tolerance;             /* 0: what both reach */
};

/* Fails where no pair is found, naming the settings in which the records differ, and where one file has
 * nothing to tell A from B. */
enum nb_status nb_compare(const struct nb_comparison *comparison, FILE *stream,
                          struct nb_error *error);

#endif
