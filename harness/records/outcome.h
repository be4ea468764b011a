/* What a case cost to reach an accuracy, read from its record (docs/reference/records.md).
 *
 * Accuracy is the harness's own: the step error of a step (docs/theory/measure.md), the relative residual of a linear
 * system (nb_outcome_metric), judged after every iteration of the observed run. The cost is that of the first iteration
 * k at which it is small enough: k iterations, or k/K of the time of a whole run of K iterations, in which every
 * iteration is taken to cost the same; those of a nonlinear method may not, and with a tolerance in the
 * sweep's spec k = K. A case that crashed, broke down or ran out of time or memory, if only in a repetition, reached
 * nothing, whatever its observed run had come to. Of a linear system the set-up comes before it, where factors and
 * preconditioners are made. */
#ifndef NB_OUTCOME_H
#define NB_OUTCOME_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { NB_OUTCOME_REPETITIONS = 64,
       NB_OUTCOME_LEAST = 5 /* below, an interval says little */ };

struct nb_outcome {
    int iterations;    /* k, at least 1; 0 where the tolerance was not reached      */
    int total_iterations; /* K; 0 where the case could not run                         */
    bool prorated;        /* of a step: k < K, so that its time is a share of a longer run's */
    double best;       /* smallest error of the trace; infinity: it has no error */
    int repetitions;   /* timed repetitions of the run, at most NB_OUTCOME_REPETITIONS */
    double seconds[NB_OUTCOME_REPETITIONS]; /* of a whole run                       */
    double setup[NB_OUTCOME_REPETITIONS];   /* before it, of a linear system; else 0 */
};

/* Whether the record is of a linear system, not of a step. */
bool nb_outcome_is_system(const cJSON *record);

/* The metric by which a record is judged, in its `trace` and its `errors`: the only place that names it. Records of
 * before there was a step error are judged by the natural map. And its
 * value at the end of the run, NaN where nothing was judged. */
const char *nb_outcome_metric(const cJSON *record);
double nb_outcome_accuracy(const cJSON *record);

/* The accuracy at which a record is compared with others: what is asked for, but of a linear system that was given a
 * tolerance (setting `tol`, which no linear solver reads) that one. */
double nb_outcome_tolerance(const cJSON *record, double asked);

/* The tolerance that all cases among the records were given; 0: they differ, or had none. */
double nb_outcome_common_tolerance(const cJSON *records);

/* Whether its ending is that of a run that came to no end, or is not known, or contradicts the record's own
 * errors; and whether it is that of a run that solved its problem. Every reader of outcomes takes it from here. */
bool nb_outcome_failed_to_run(const cJSON *record);
bool nb_outcome_is_solved(const cJSON *record);

void nb_outcome_read(const cJSON *record, double tolerance, struct nb_outcome *outcome);

/* Median seconds until the tolerance; infinity where it was not reached or nothing was timed. */
double nb_outcome_time(const struct nb_outcome *outcome);

/* The same of every repetition, into seconds [NB_OUTCOME_REPETITIONS]; their number, 0 where there is no
 * such time. And the seconds of one iteration, without the set-up. */
int nb_outcome_times(const struct nb_outcome *outcome, double *seconds);
int nb_outcome_iteration_times(const struct nb_outcome *outcome, double *seconds);
/* nb_outcome_times of a record at the tolerance that is asked for. */
int nb_outcome_seconds(const cJSON *record, double asked, double *seconds);

/* What stands behind a time, of the iterations until the tolerance: linear iterations, seconds of set-up and
 * preparation (factors, preconditioner), applications of the preconditioner and their seconds. NaN where it is not
 * known, as of seconds that are more than the time behind which they stand. */
struct nb_effort {
    double linear_iterations, setup, applications, application;
};
struct nb_effort nb_outcome_effort(const cJSON *record, const struct nb_outcome *outcome);

/* Whether most linear solves of a step took all the iterations that they were allowed (`linear_iters`): of those a
 * better preconditioner could save none. */
bool nb_outcome_spent_budget(const cJSON *record);

/* Why the times of two records were not taken in turn; NULL: they were. */
const char *nb_outcome_not_interleaved(const cJSON *a, const cJSON *b);

/* What is compared between methods: problem, with its hash where others have its name
 * (harness/records/problem_name.h), mode, stored system, linearised or not, as text. */
void nb_outcome_instance(const cJSON *record, char *text, size_t size);

/* The problem alone: one for all its systems, steps and settings. */
void nb_outcome_problem(const cJSON *record, char *text, size_t size);

/* Whether the repetitions of a record were made in processes of their own; those of older records were in one. */
bool nb_outcome_in_processes(const cJSON *record);

#endif
