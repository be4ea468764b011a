/* Is B better than A? Records of two files, or of two methods among the same records, are paired by their settings
 * and compared at equal accuracy: the cost of each to the tolerance (harness/records/outcome.h), which by
 * default is the smallest error that both reach, pair by pair.
 *
 * The speed-up is the median ratio of a time of A to one of B, with an interval over the processes in which these were
 * taken (harness/records/interval.h); what the sweep's control says is in it (harness/report/control.h). The
 * verdict of a pair is "better" or "worse" where the interval excludes 1 and "not distinguishable" where it does
 * not; a method that alone does not reach the tolerance has lost. Over all pairs it is "not
 * decided" where one has fewer than five repetitions. The interval covers the noise of a run, not the
 * drift between two: pairs that were not timed in turn, in one batch of one sweep, get no verdict on times
 * (docs/guide/sweeps.md). Pairs are of one kind of machine; steps and linear systems are judged apart. Cases that hold
 * the value of --a or --b without reading it (harness/records/record.h) are neither A's nor B's, and no case is
 * compared with itself. */
#ifndef NB_COMPARE_H
#define NB_COMPARE_H

#include <cJSON.h>
#include <stdio.h>

#include "harness/records/outcome.h"
#include "harness/records/values.h"
#include "harness/report/control.h"
#include "harness/records/interval.h"
#include "problems/base/status.h"

/* What is compared. */
struct nb_comparison {
    struct nb_option_list a, b;   /* NAME=VALUE: which records are A's, B's; these names need not agree */
    struct nb_option_list across; /* further settings that need not agree */
    double tolerance;             /* 0: what both reach */
};

enum nb_pair_verdict {
    NB_PAIR_BETTER, NB_PAIR_WORSE,          /* both reach the tolerance, and B takes less time, or more */
    NB_PAIR_NOT_DISTINGUISHABLE,            /* likewise, and the interval includes 1 */
    NB_PAIR_NOT_TIMED, NB_PAIR_TIMED_APART, /* likewise, without a verdict on times */
    NB_PAIR_A_FAILS, NB_PAIR_B_FAILS,       /* it alone does not reach the tolerance */
    NB_PAIR_NEITHER                         /* neither does */
};

enum nb_verdict {
    NB_VERDICT_BETTER, NB_VERDICT_WORSE,
    NB_VERDICT_FASTER_FAILS_MORE, NB_VERDICT_SLOWER_FAILS_LESS,
    NB_VERDICT_MIXED, NB_VERDICT_NOT_DISTINGUISHABLE, NB_VERDICT_NOT_DECIDED
};

/* "better: A fails", as tables show it; "a_fails", as JSON has it. And of all pairs, "faster, but fails more often",
 * "faster_fails_more"; and of B against a rival, into text, "faster than jacobi, but fails more often". */
const char *nb_pair_verdict_text(enum nb_pair_verdict verdict);
const char *nb_pair_verdict_name(enum nb_pair_verdict verdict);
const char *nb_verdict_text(enum nb_verdict verdict);
const char *nb_verdict_name(enum nb_verdict verdict);
void nb_verdict_phrase(enum nb_verdict verdict, const char *rival, char *text, size_t size);

enum { NB_A = 0,
       NB_B = 1,
       NB_COMPARE_REPETITIONS = NB_OUTCOME_LEAST };

struct nb_pair {
    const cJSON *record[2];        /* of NB_A and NB_B; borrowed */
    int number;                    /* in the order of A's records */
    bool system;                   /* a linear system, not a step */
    char problem[320];             /* nb_outcome_instance */
    char *label;                   /* the problem and what tells the pair from the others; owned */
    double tolerance;              /* at which both are read */
    struct nb_outcome outcome[2];
    struct nb_effort effort[2];    /* what the times are made of */
    struct nb_interval speed_up;   /* time of A over that of B; NaN: one is not known */
    enum nb_pair_verdict verdict;
    const char *not_interleaved;   /* why there is no verdict on their times; NULL: they were taken in turn */
    bool copy;                     /* of an earlier pair's problem, by its hash: it does not count again */
    bool one_process;              /* A's repetitions, or B's, were made in one: the interval is of these alone */
    bool at_budget;                /* a step of which most linear solves spent their budgets */
};

/* Numbers of pairs. */
struct nb_tally {
    int reached[2];                /* A reaches the tolerance, B does */
    int better, worse;             /* both do, and the interval of the speed-up excludes 1 */
    int undecided;                 /* both do: not distinguishable, not timed, or timed apart */
    int fails[2];                  /* A alone does not, B alone does not */
    int neither;
    int timed, not_interleaved;    /* both do, and were timed in turn, or apart */
    int few;                       /* fewer than NB_COMPARE_REPETITIONS repetitions of A or B */
    int least;                     /* repetitions of the pair that was timed least often */
    int clear[2];                  /* of those where A is faster, and B is: by more than twice what would decide it */
    int one_process;               /* timed, with repetitions in one process */
    int prorated;                  /* timed, with a share of a longer run's time */
    int at_budget;
    int copies;                    /* which no other number has */
    const char *not_interleaved_reason; /* of the first that was timed apart */
};

/* All pairs of one kind. */
struct nb_comparison_part {
    struct nb_pair *pair;          /* [count], the result's */
    int count;
    struct nb_tally tally;
    int both;                      /* pairs in which both reach the tolerance: those of the mean of iterations */
    int problems, timed_problems;  /* of these, and of tally.timed pairs */
    struct nb_interval iterations; /* geometric means over the problems, A over B; NaN where none has one */
    struct nb_interval speed_up;
    enum nb_verdict verdict;       /* of B */
    enum nb_verdict so_far;        /* the same, but of too few repetitions what they say */
    char *sentence;                /* the verdict in words, "B is better"; owned */
};

struct nb_comparison_result {
    struct nb_comparison_part steps, systems;
    struct nb_control control;     /* of all records, what they say of the machine */
    int elsewhere;                 /* cases of A left out: their partners ran on another kind of machine */
    int unpaired[2];               /* cases of A, of B, without a partner, those of `elsewhere` among them */
    char alone[2][200];            /* the problem of the first of them */
    int unread;                    /* cases left out: their methods do not read what --a or --b names */
    struct nb_pair *pair;          /* owned: of both parts, steps first */
    int count;
    cJSON *first, *second;         /* owned: what nb_compare_files has read; else NULL */
};

/* Compares records in memory, JSON arrays of which A's are among the first, B's among the second; the same array
 * twice where --a and --b tell them apart. Adds problem_label to the first (harness/records/problem_name.h). The
 * records outlive the result. Fails where no pair is found, naming the settings in which the records differ, and
 * where nothing tells A from B. result is to be freed in any case. */
enum nb_status nb_compare_records(const struct nb_comparison *comparison, cJSON *first, cJSON *second,
                                  struct nb_comparison_result *result, struct nb_error *error);

/* The same of results files [count]: two without --a and --b are A's and B's; else the records of all are taken
 * together. */
enum nb_status nb_compare_files(const struct nb_comparison *comparison, const char *const *paths, int count,
                                struct nb_comparison_result *result, struct nb_error *error);

void nb_comparison_free(struct nb_comparison_result *result);

/* What a part that has pairs is made of: "steps" or "linear systems"; and whether, of steps, most linear solves of all
 * pairs spent their budgets. */
const char *nb_comparison_kind(const struct nb_comparison_part *part);

/* The rules of the words (compare_words.c), as tables in Markdown. */
void nb_comparison_print_rules(FILE *stream);

/* Tables, means, notes and verdicts, for a terminal. */
void nb_comparison_print(const struct nb_comparison_result *result, FILE *stream);

/* The same as a JSON object (docs/reference/output.md), to be freed by the caller. */
cJSON *nb_comparison_json(const struct nb_comparison *comparison, const struct nb_comparison_result *result);

/* Where a script is to stop, each kind with those before it. B fails: it alone does not reach the tolerance; where none
 * was given, its run alone did not end converged or at its floor. Iterations: in the geometric mean over the problems B
 * takes more than 1 + slower times as many, of its own or linear ones, whenever the two ran. B is worse: over the
 * steps, or over the linear systems, the whole interval of the geometric mean of time B / time A lies above 1 + slower.
 * Mixed: so does that of some pair. Times of fewer than five repetitions, or taken apart, do not count. */
enum nb_gate_kind { NB_GATE_NONE, NB_GATE_FAILS, NB_GATE_ITERATIONS, NB_GATE_WORSE, NB_GATE_MIXED };

struct nb_gate {
    enum nb_gate_kind kind;
    double slower; /* 0.05: by more than 5 % of time, or of iterations */
};

struct nb_gate_result {
    bool failed;
    char reason[400]; /* the first failure found; without one, the mean that is closest to a failure, or "" */
};

/* "fails", "iterations:5%", "worse", "worse:5%", "mixed", "mixed:5%". */
enum nb_status nb_gate_read(const char *text, struct nb_gate *gate, struct nb_error *error);

/* NB_BAD_INPUT where it cannot be judged: nothing was there to be, or, unless it failed anyhow, a case of A or of B has
 * no partner: a gate that cannot close is not a gate. */
enum nb_status nb_gate_judge(const struct nb_gate *gate, const struct nb_comparison *comparison,
                             const struct nb_comparison_result *found, struct nb_gate_result *result,
                             struct nb_error *error);

#endif
