/* The parts of a verdict: comparisons and what is said of them (verdict.c). */
#ifndef NB_TRY_PRIVATE_H
#define NB_TRY_PRIVATE_H

#include "harness/report/compare.h"
#include "harness/try/try.h"

enum { NB_TRY_SENTENCES = 6 };

struct nb_try_found {
    const struct nb_try *request;
    struct nb_comparison_result against[NB_TRY_RIVALS]; /* A the rival, B the candidate */
    bool judged;                                        /* whether a case of the candidate's was done */
    char *sentence[NB_TRY_SENTENCES + 1];               /* owned, ended by NULL; the first is the verdict */
};

/* The verdict, what the probe found, where it helps and hurts most, where it fails, what it had no time for. */
enum nb_status nb_try_sentences(struct nb_try_found *found, struct nb_error *error);

#endif
