/* Runs one case in this process: an observed run that is judged after every iteration, and timed
 * runs of exactly as many iterations without an observer, so that judging is never timed. */
#ifndef NB_CASE_RUN_H
#define NB_CASE_RUN_H

#include <cJSON.h>

#include "harness/case/case.h"
#include "harness/judge/ending.h"
#include "harness/floor/floor.h"
#include "harness/floor/floor_linear.h"
#include "harness/judge/features.h"
#include "harness/judge/metrics.h"
#include "harness/judge/redistribute.h"
#include "harness/judge/step_condition.h"
#include "problems/base/clock.h"
#include "problems/problem.h"
#include "solvers/solve.h"

/* How long something took, less what others took meanwhile: other programs on its processor, or the quota of its
 * container. A process that never waits of its own accord, which the system counts, is ready to run all the time; what
 * its clock is then ahead of its processor time is not its own. The processor time of all threads counts, so that
 * threads make it too long, never too short. One that has waited for something, or was stopped, if only once, has the
 * whole clock, as has one with a CUDA device: that works on while the process is kept from its processor. */

struct nb_own_time {
    double clock, processor; /* [s] */
    long waits;              /* of its own accord */
};

struct nb_own_time nb_own_time_begin(void);

/* Seconds of its own since then; *waited: what the clock says beyond. */
double nb_own_time_end(const struct nb_own_time *begin, double *waited);

/* One entry an iteration, starting with iteration 0: of a step all columns but those of a system's metrics, of a
 * linear system the iteration and its metrics. Columns of metrics stand first, by their index. */
enum nb_trace_column { NB_TRACE_ITERATION = NB_METRICS, NB_TRACE_STEP, NB_TRACE_LINEAR, NB_TRACE_COLUMNS };
struct nb_trace {
    int count, room;
    double *store;
    double *column[NB_TRACE_COLUMNS]; /* [room] each; NULL: not traced */
};

/* The step before, at whose solution a solve began. */
struct nb_previous_step {
    const char *ending;      /* static storage; NULL: it began elsewhere */
    char hash[NB_HASH_SIZE];
    int iterations, found;   /* until its end; contacts that were found again */
    double error;            /* step_error at its end */
};

/* What the observed run found. Errors without a meaning are NaN. */
struct nb_case_result {
    const char *ending;      /* as in docs/reference/records.md; static storage        */
    char detail[256];
    bool retry; /* failed by what lies outside of the case: a problem that cannot be read, or was replaced */
    bool complete;           /* there is something to time                   */
    int dofs, contacts, bilaterals, rows;
    int largest_island;          /* contacts of the island that has most; 0: not known */
    struct nb_features features; /* of the step in the file; unknown of a linear system */
    int entries;             /* of a linear system's matrix; 0 otherwise     */
    int iterations;          /* that a timed run repeats                     */
    int islands;             /* that are solved apart; 0: none are           */
    int *island_iterations;  /* [islands] that a timed run repeats of each   */
    struct nb_run counts;    /* iterations, applications and times of the observed run */
    double load, setup, start; /* [s]; start: until it was known where to begin, NaN at rest */
    struct nb_previous_step previous;
    double solving;          /* [s] spent in the solver, set-up included     */
    double running;          /* [s] of them the observed run, without it     */
    enum nb_metric_scope scope; /* of the metrics that were judged            */
    struct nb_metrics errors;
    struct nb_exact_report reference; /* of a linear system                    */
    struct nb_floor_linear linear_floor; /* means nothing without a reference  */
    int further;                         /* iterations beyond them that the answer took (nb_case_run_sharpen) */
    int best_iteration;
    double best_error;
    struct nb_step_condition condition; /* at the end of a step; NaN: not known */
    double velocity_spread; /* of another right answer, over V; 0: none was found; NaN: not looked for */
    struct nb_trace trace;
};
void nb_case_result_free(struct nb_case_result *result);

/* How a case ends that could not run with that status. */
const char *nb_case_ending_of(enum nb_status status);

/* The result of a case that could not run: the metrics of its mode, all unknown. */
void nb_case_result_failed(struct nb_case_result *result, const struct nb_case *setting, enum nb_status status,
                           const char *detail);

/* What was seen cannot be trusted, or cannot be timed. */
void nb_case_result_broken(struct nb_case_result *result, const char *detail);

/* Told about every new entry of the trace; may be NULL. */
struct nb_case_watcher {
    void *context;
    void (*watch)(void *context, const struct nb_trace *trace, int entry);
};

struct nb_case_run; /* opaque */

/* Reads the problem, for all cases that it serves; setting is to outlive it. */
enum nb_status nb_case_run_load(struct nb_case_run **run, const struct nb_case *setting, struct nb_error *error);
bool nb_case_run_serves(const struct nb_case_run *run, const struct nb_case *setting);
/* The answer of a linear system, which is found into `place`, zeroed, of that size (0: it has none), and taken from
 * there, by any process that has loaded it. An observed run that has not been given it finds it for itself. */
size_t nb_case_run_answer_size(const struct nb_case_run *run);
enum nb_status nb_case_run_find_answer(const struct nb_case_run *run, void *place, struct nb_error *error);
enum nb_status nb_case_run_take_answer(struct nb_case_run *run, const void *place, struct nb_error *error);
bool nb_case_run_knows_answer(const struct nb_case_run *run);
/* Gives the solver of the case a copy of the problem and sets it up; once. */
enum nb_status nb_case_run_begin(struct nb_case_run *run, const struct nb_case *setting, struct nb_error *error);
/* Both. */
enum nb_status nb_case_run_open(struct nb_case_run **run, const struct nb_case *setting,
                                struct nb_error *error);
/* Reads the problem and the solution that its file holds; for nb_case_run_stored, no solver being there to run. */
enum nb_status nb_case_run_open_stored(struct nb_case_run **run, const struct nb_case *setting,
                                       struct nb_error *error);
void nb_case_run_close(struct nb_case_run *run);

/* The observed run. floor decides whether the accuracy floor was reached; NULL: not known.
 * Breaking down is a result. The caller frees the result in any case. */
enum nb_status nb_case_run_trace(struct nb_case_run *run, const struct nb_floor *floor,
                                 const struct nb_case_watcher *watcher,
                                 struct nb_case_result *result, struct nb_error *error);

/* Where the step converged, but its velocities are uncertain by more than 30 tolerances, the observed run goes on until
 * they are not, or are no longer sharpened: an answer is asked for its velocities, within about a hundred tolerances.
 * u, lambda, errors and condition become those of the surest iterate; trace, counts and times stay. */
enum nb_status nb_case_run_sharpen(struct nb_case_run *run, struct nb_case_result *result, struct nb_error *error);

/* The answer's contact forces become those of least norm (harness/judge/redistribute.h), and errors and condition those
 * of that answer, unless these are worse than the errors before, the tolerance and rounding: then all stays, and kept
 * is false. before: the errors until then. */
struct nb_case_share {
    struct nb_redistribution found;
    struct nb_metrics before, after;
    bool kept;
};
enum nb_status nb_case_run_redistribute(struct nb_case_run *run, struct nb_case_result *result,
                                        struct nb_case_share *share, struct nb_error *error);

/* The solution of the file, judged: a trace of one entry. The caller frees the result in any case. */
enum nb_status nb_case_run_stored(struct nb_case_run *run, const struct nb_case_watcher *watcher,
                                  struct nb_case_result *result, struct nb_error *error);

/* Sets the solver of a linear system up anew, as before a repetition. *seconds: NaN of a step, whose
 * solver stays. */
enum nb_status nb_case_run_setup(struct nb_case_run *run, double *seconds, struct nb_error *error);

/* What timed runs have to reach, where the observed run was another process's: its last step_error or
 * residual, the Newton or linear iterations that it counted, and how long it took [s]. */
struct nb_expected {
    double error;
    long iterations;
    double seconds;
};
void nb_case_run_expect(struct nb_case_run *run, struct nb_expected expected);

/* And the iterations that each island took there, of those that are solved apart. */
void nb_case_run_expect_islands(struct nb_case_run *run, const int *iterations, int islands);

/* Seconds that a repetition takes at least: of shorter solves there are several in it. */
#define NB_REPETITION_LEAST 0.005

/* A repetition: some solves of a case. */
struct nb_repetition {
    int solves;
    double seconds;   /* of one solve (harness/case/case_time.c) */
    double waited;    /* what the clock says beyond, of one solve */
    double throttled; /* [s] in which its container was stopped for its quota meanwhile; NaN: not known */
    double setup;     /* likewise, of a linear system, beside `seconds`; of a step a part of them; NaN: not made */
    double spent;     /* in all, by the clock, the warm-up included */
};

/* Times repetition->solves runs of `iterations` iterations. The last one is then judged: NB_BREAKDOWN where it is worse
 * than the observed run, or misses a tolerance that this one reached. */
enum nb_status nb_case_run_time(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                struct nb_error *error);

/* The same after a warm-up where it is the first of the run: solves until it is warm, or of a long one its first
 * iterations. Where repetition->solves is 0, it finds out how many make a repetition. */
enum nb_status nb_case_run_repeat(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                  struct nb_error *error);

/* The one repetition of a process that has made nothing yet: warm-up, set-up of a linear system, and repetition. */
enum nb_status nb_case_run_repeat_apart(struct nb_case_run *run, int iterations, struct nb_repetition *repetition,
                                        struct nb_error *error);

/* The step as it was solved (linearised where asked), and the last iterate; borrowed. */
const struct nb_problem *nb_case_run_problem(const struct nb_case_run *run);
void nb_case_run_solution(const struct nb_case_run *run, const double **u, const double **lambda);

#endif
