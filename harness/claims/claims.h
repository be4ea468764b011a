/* What papers claim, judged on records.
 *
 * A list (INI, data/claims.list; docs/reference/claims.md) has a section [claim ID] for each claim: where it stands and
 * what it says, which records decide it, and a predicate of one number. The number comes of all pairs of a record that
 * passes the filters `where` and `a` and one that passes `where` and `b` and agrees with it in `each`:
 *
 *     x = y(a) / y(b)        y is value / over of a record, value where over is not given
 *     x = y(a)               without b
 *     x = share of a with y <= reaches, over the same share of b (or 1)     with reaches: one x in all
 *     x = median of a's y over that of b's (or 1)                           with pool = medians: one x in all
 *
 * and with `along` one such x at every entry of a range of the traces. 0 / 0 is 1: both are as good. The claim holds
 * where a share of at least `share` of the x fulfils the predicate,
 * x <= (1 + tolerance) P (at_most), x >= (1 - tolerance) P (at_least) or |x - P| <= tolerance |P| (equals; of
 * P = 0 the tolerance is absolute). The number told is the x that decides: where it fulfils the predicate the share is
 * reached. So the nearest change that turns the verdict is that of this x to the threshold: the factor between them is
 * the margin, and below NB_CLAIM_NARROW the verdict is narrow. With `varies` every value of a setting is judged by
 * itself, and where they differ the verdict is "depends".
 *
 * A value is NAME or OUTER.INNER, a number of the record, or NAME:REDUCTION of an array of its trace, where `error` is
 * that by which it is judged; with `accuracy` it is the `time`, the `whole_time` (a system's set-up, too) or the
 * `iterations` to that error (harness/records/outcome.h). A trace begins at the index `from` and, but for `reached`,
 * ends at its first entry that is at most `until`; what is below `floor` counts as `floor`: there is rounding. A run
 * that failed has an infinite value, and a claim whose number is not finite, or whose runs have not `converged`, is
 * not decided. Neither is a ratio of times that scatter by more than lies between it and the threshold. A run that
 * broke down on the way decides nothing, as nobody knows what it would have come to: the claim is decided if the other
 * numbers suffice whatever it were, and with `breakdown = counts`, of sentences about breaking down. */
#ifndef NB_CLAIMS_H
#define NB_CLAIMS_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/records/filter.h"
#include "harness/records/index.h"
#include "problems/base/status.h"

/* The keys of a section, in the order of nb_claim_keys. */
enum nb_claim_key {
    NB_CLAIM_SOURCE, NB_CLAIM_SAYS, NB_CLAIM_WHERE, NB_CLAIM_A, NB_CLAIM_B, NB_CLAIM_EACH, NB_CLAIM_VALUE,
    NB_CLAIM_OVER, NB_CLAIM_FROM, NB_CLAIM_UNTIL, NB_CLAIM_FLOOR, NB_CLAIM_ALONG, NB_CLAIM_POOL, NB_CLAIM_ACCURACY,
    NB_CLAIM_REACHES, NB_CLAIM_CONVERGED, NB_CLAIM_BREAKDOWN, NB_CLAIM_VARIES, NB_CLAIM_SHARE, NB_CLAIM_NEEDS,
    NB_CLAIM_AT_MOST, NB_CLAIM_AT_LEAST, NB_CLAIM_EQUALS, NB_CLAIM_TOLERANCE, NB_CLAIM_AGAINST, NB_CLAIM_PRINTED,
    NB_CLAIM_DEPARTS, NB_CLAIM_LEAVES_OUT, NB_CLAIM_EXPECTED, NB_CLAIM_FIGURE, NB_CLAIM_COMMAND, NB_CLAIM_NOTE,
    NB_CLAIM_NOT_TESTABLE, NB_CLAIM_SCENE, NB_CLAIM_STATE, NB_CLAIM_KEYS
};

/* "depends": it holds for some values of `varies` only. */
enum nb_claim_verdict { NB_CLAIM_HOLDS, NB_CLAIM_DOES_NOT_HOLD, NB_CLAIM_DEPENDS, NB_CLAIM_NOT_DECIDED,
                        NB_CLAIM_UNTESTABLE, NB_CLAIM_VERDICTS };

/* A verdict is narrow where a smaller factor than this lies between its number and the threshold. */
#define NB_CLAIM_NARROW 1.1

/* Beyond this factor no plausible change of the records turns it: a claim that holds needs records as its control. */
#define NB_CLAIM_WIDE 100.

enum { NB_CLAIM_VARIED = 3 }; /* so many values of `varies` at least */

/* "does not hold", as tables show it; "does_not_hold", as lists and JSON have it. */
extern const char *const nb_claim_verdict_texts[NB_CLAIM_VERDICTS];
extern const char *const nb_claim_verdict_names[NB_CLAIM_VERDICTS];

enum nb_claim_predicate { NB_PREDICATE_AT_MOST, NB_PREDICATE_AT_LEAST, NB_PREDICATE_EQUALS };

/* How an array of a trace becomes one number. */
enum nb_claim_reduction {
    NB_REDUCE_NONE, /* a number of the record itself, else the last entry */
    NB_REDUCE_LAST, NB_REDUCE_FIRST, NB_REDUCE_LEAST, NB_REDUCE_LARGEST,
    NB_REDUCE_CHANGE, /* the largest distance of an entry from the first */
    NB_REDUCE_RISE,   /* the product of all factors by which it grows from one entry to the next: 1 if it never does */
    NB_REDUCE_GROWTH, /* last over first */
    NB_REDUCE_SPREAD, /* largest over least */
    NB_REDUCE_ORDER,  /* of convergence, where it falls most: log(e_k+1 / e_k) / log(e_k / e_k-1) */
    NB_REDUCE_DEVIATION, /* standard deviation over mean */
    NB_REDUCE_REACHED, /* the index from which on all are at most `until`; infinite if the last is not */
    NB_REDUCE_ENTRY   /* that of an index, from 0; the last one where it ends before */
};
#define NB_CLAIM_REDUCTIONS "none,last,first,least,largest,change,rise,growth,spread,order,deviation,reached"

struct nb_claim_value {
    char name[64]; /* "" : none */
    enum nb_claim_reduction reduction;
    int index;     /* of NB_REDUCE_ENTRY */
};

/* A section: a claim, or a system of the sources and what has become of it here. */
struct nb_claim {
    bool system;
    char id[48];
    int line;
    char *text[NB_CLAIM_KEYS];    /* as in the file; NULL: not given. Owned */
    int text_line[NB_CLAIM_KEYS];
    /* Of a claim that can be tested: */
    struct nb_filters where, a, b, against;
    struct nb_words each, explained; /* names for which leaves_out has a reason */
    struct nb_claim_value value, over, converged;
    double until, floor, accuracy, reaches; /* NaN: not given */
    double share, printed, tolerance;
    double converged_at;          /* the largest value of `converged` that a decided claim's records have */
    int along[2];                 /* the first and the last index; -1: not along traces */
    int from;                     /* the index of the first entry of traces that counts */
    int medians;                  /* pool = medians */
    int breakdown_counts;         /* breakdown = counts */
    int needs;                    /* so many x at least, or it is not decided */
    enum nb_claim_predicate predicate;
    enum nb_claim_verdict expected;
};

struct nb_claims {
    char *path;
    struct nb_claim *claim; /* [count] */
    int count;
};

/* Reads the list at path. Errors name file, line, section and key, and what is allowed. */
enum nb_status nb_claims_read(const char *path, struct nb_claims *claims, struct nb_error *error);
void nb_claims_free(struct nb_claims *claims);

/* What `claims --check` finds of a decided claim. */
enum nb_claim_check { NB_CHECK_NONE, NB_CHECK_FINE,
    NB_CHECK_FIXED,   /* no change of the records can turn it */
    NB_CHECK_ALIKE,   /* the control fulfils it, too */
    NB_CHECK_CONTROL, /* it needs records as a control, and there are none */
    NB_CHECK_BUILDS,  /* what it compares was made by several builds */
    NB_CHECK_LEAVES,  /* it leaves cases out and does not say why */
    NB_CHECK_WHOLE,   /* it says why, and leaves none out */
    NB_CHECK_NOTE,    /* its note asks for a number that no record has */
    NB_CHECKS
};

struct nb_claim_result {
    enum nb_claim_verdict verdict;
    enum nb_claim_check check;
    bool hidden;       /* not asked for by its verdict: not printed */
    bool differs;      /* from what the list expects */
    bool lacks;        /* not decided for lack of records */
    bool scatters;     /* not decided, as times scatter */
    bool broke_down;   /* not decided, and would be without the numbers of runs that broke down */
    double number;     /* ours; NaN where there is none */
    double margin;     /* the factor between it and the threshold, at least 1; NaN where it is not decided */
    int count, fulfil; /* how many x there are, and how many fulfil the predicate */
    int values, hold;  /* of `varies`, and for how many it holds; 0: it is not given */
    char reason[240];  /* why it is not decided */
    int builds;        /* of the program that made its records */
    char build[128];   /* their commits, with commas between */
    char left_out[128]; /* the names of what leaves_out lacks, or has in vain */
    char *note;        /* with its numbers; NULL: none. Owned */
    bool note_lacks;   /* no record has one of them */
};
void nb_claim_results_free(struct nb_claim_result *results, int count);

/* The record's value, of claim->value or claim->over; NaN where it has none of that name. */
double nb_claim_value_of(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value);

/* Whether the value would be what a run had come to when it broke down, crashed or ran out of something, which decides
 * nothing: all but what is known without the run (is_of_problem in harness/claims/list.c), its steps, and entries of
 * its trace from before. false with breakdown = counts. */
bool nb_claim_broke_down(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value);

/* Whether the claim's numbers are times, or ratios of times: times.median, time or whole_time. */
bool nb_claim_is_time(const struct nb_claim *claim);

/* Such a time of each repetition of the record, in seconds [NB_OUTCOME_REPETITIONS]; their number, 0 where it was not
 * timed or did not get to the accuracy. */
int nb_claim_times(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value,
                   double *seconds);

/* Whether the ratio of times a [a_count] over b [b_count], or if exchanged its inverse, may be on either side of the
 * claim's threshold: fewer than NB_OUTCOME_LEAST of one side say nothing, else its interval of 95 % has both. */
bool nb_claim_scatters(const struct nb_claim *claim, const double *a, int a_count, const double *b, int b_count,
                       bool exchanged);

/* What claims are judged on. */
struct nb_claim_records {
    const cJSON **record; /* [count] of a list that is borrowed */
    int count;
    unsigned char **known; /* [filters][count]: which records pass each filter, of those that were asked for */
    struct nb_index texts; /* of these filters */
    int filters, room;
};
enum nb_status nb_claim_records_open(const cJSON *list, struct nb_claim_records *records, struct nb_error *error);
void nb_claim_records_close(struct nb_claim_records *records);

/* Whether each record is of the claim's side a or b, to be freed: those that pass `where` and the side's filters.
 * `instead` (NULL: none) stands in the place of those of `where` and `a` of the same names, of b of those of `where`:
 * a control may be the same comparison elsewhere. NULL where memory is short. */
bool *nb_claim_choose(const struct nb_claim *claim, bool of_b, const struct nb_filters *instead,
                      struct nb_claim_records *records, struct nb_error *error);

/* Judges one claim, which is no system. complete: what lacks records differs, too. */
enum nb_status nb_claim_judge(const struct nb_claim *claim, struct nb_claim_records *records, bool complete,
                              struct nb_claim_result *result, struct nb_error *error);

/* Judges with other filters, as nb_claim_choose has them; exchanged: of all numbers the inverse, as if a and b had
 * changed places. */
enum nb_status nb_claim_judge_as(const struct nb_claim *claim, struct nb_claim_records *records,
                                 const struct nb_filters *instead, bool exchanged, struct nb_claim_result *result,
                                 struct nb_error *error);

/* NAME or NAME:REDUCTION; NULL, or what is wrong with it. */
const char *nb_claim_value_read(const char *text, struct nb_claim_value *value);

/* The factor between x and the threshold, at least 1. */
double nb_claim_margin(const struct nb_claim *claim, double x);
bool nb_claim_narrow(const struct nb_claim *claim, const struct nb_claim_result *result);

/* Sets result->check of a claim that has been judged. complete: a reason for leaving nothing out is refused, too. */
enum nb_status nb_claim_check(const struct nb_claim *claim, struct nb_claim_records *records, bool complete,
                              struct nb_claim_result *result, struct nb_error *error);

/* Adds the settings along which the claim leaves cases out: those of its filters without which it would have more
 * numbers, but for those that name a method or that b has, too. */
enum nb_status nb_claim_find_left_out(const struct nb_claim *claim, struct nb_claim_records *records,
                                      struct nb_words *names, struct nb_error *error);

/* Whether two records agree in what these names say. */
bool nb_claim_agree(const struct nb_words *names, const cJSON *a, const cJSON *b);

/* Whether it leaves cases out by our choice, not by the source's. */
bool nb_claim_chooses(const struct nb_claim *claim);
/* A line for each decided claim; returns how many are refused. */
int nb_claims_print_checks(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                           FILE *stream);

/* Sets result->note: the note with each {VALUE FILTER...} replaced by that value of the records that pass `where`, `a`
 * and these filters, "LEAST to LARGEST" of several; and result->note_lacks where none has one. */
enum nb_status nb_claim_fill_note(const struct nb_claim *claim, struct nb_claim_records *records,
                                  struct nb_claim_result *result, struct nb_error *error);

/* Writes the verdicts, results [claims->count], of the claims whose id has the pattern (NULL: all): for a terminal, and
 * as a JSON object (docs/reference/output.md), of which scripts/paper/page.py makes a page. */
void nb_claims_print(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                     FILE *stream);
cJSON *nb_claims_json(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern);

/* What a claim demands of its number, as in "<= 0.1", into text [size]. */
const char *nb_claim_demand(const struct nb_claim *claim, char *text, size_t size);

/* Whether a section is a claim that the pattern chooses. */
bool nb_claim_chosen(const struct nb_claim *claim, const char *pattern);

#endif
