/* The parts of a verdict: comparisons and the curve (judge.c), and what is said of them (verdict.c). */
#ifndef NB_TRY_PRIVATE_H
#define NB_TRY_PRIVATE_H

#include "harness/report/compare.h"
#include "harness/report/curve.h"
#include "harness/sweep/spec.h"
#include "harness/try/try.h"

enum { NB_TRY_SENTENCES = 6 };

struct nb_try_found {
    const struct nb_try *request;
    struct nb_comparison comparison[NB_TRY_RIVALS]; /* A the rival, B the candidate, by these names: */
    char side[NB_TRY_RIVALS + 1][NB_TRY_NAME + 16];
    struct nb_comparison_result against[NB_TRY_RIVALS];
    bool judged;                                        /* whether a case of the candidate's was done */
    struct nb_curve curve;                              /* of --vary; of no values without it */
    bool drawn;                                         /* as the figure of this name; else why not */
    char figure[200];
    char *sentence[NB_TRY_SENTENCES + 1];               /* owned, ended by NULL; the first is the verdict */
};

/* Whether the value of the candidate's kind is the candidate, with whatever settings. */
bool nb_try_is_candidate(const struct nb_try *request, const char *value);

/* Reads --vary, once the candidate has its settings and the spec's groups are known; and the curve of its values,
 * which is still to be filled. */
enum nb_status nb_vary_read(struct nb_try *request, const struct nb_spec *spec, struct nb_error *error);
void nb_vary_curve(const struct nb_try *request, struct nb_curve *curve);

/* The verdict, what the probe found, where it helps and hurts most, where it fails, what it had no time for. */
enum nb_status nb_try_sentences(struct nb_try_found *found, struct nb_error *error);

/* The sentences, with the table of rivals behind the first, at most 14 lines; and the curve. */
void nb_try_print(const struct nb_try_found *found, FILE *stream);

#endif
