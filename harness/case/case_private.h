/* What case_run.c, case_step.c, case_system.c (a stored Newton system) and case_time.c (timed runs) share. */
#ifndef NB_CASE_PRIVATE_H
#define NB_CASE_PRIVATE_H

#include "harness/case/case_run.h"
#include "problems/io/problem_file.h"
#include "solvers/linear_solve.h"

struct nb_case_run {
    const struct nb_case *setting;
    double load, setup, start; /* [s]; start: NaN at rest */
    struct nb_previous_step previous;
    struct nb_features features; /* of the step in the file, linearised or not */
    struct nb_expected expected; /* of a timed run */
    bool warm;                   /* a timed run has been made */
    /* A step. */
    struct nb_problem problem;
    struct nb_problem given;          /* the solver's copy: whatever it writes, the judge has the other */
    struct nb_solver *solver;
    struct nb_judge *judge;
    double *u, *lambda;               /* of the last iterate */
    /* A linear system. */
    struct nb_newton_system system;
    struct nb_linear_bench *bench;
    double *scratch;                  /* [rows] */
    double *diagonal;                 /* [rows] of A; 1 where not positive, which no solver survives */
    struct nb_system_answer *answer;  /* NULL: not known */
};

/* Whether an error is so much larger that it is not that of the same solution; of one that is not finite
 * nothing is worse. */
bool nb_case_run_is_worse(const struct nb_case_run *run, double error, double than);

/* What is traced of each scope. The caller frees trace->store. */
enum nb_status nb_trace_allocate(struct nb_trace *trace, enum nb_metric_scope scope, int room, struct nb_error *error);

/* A new entry with all metrics of the scope that are traced; its index. */
int nb_trace_add(struct nb_trace *trace, int iteration, const struct nb_metrics *metrics);

/* All unknown. */
void nb_case_result_clear(struct nb_case_result *result);

/* Finds, for a converged step, velocity_spread (reference.c). Larger steps are not tried. */
enum { NB_SECOND_ANSWER_CONTACTS = 100 };
void nb_case_second_answer(const struct nb_case_run *run, struct nb_case_result *result);

enum nb_status nb_step_trace(struct nb_case_run *run, const struct nb_floor *floor,
                             const struct nb_case_watcher *watcher, struct nb_case_result *result,
                             struct nb_error *error);

/* Rows beyond which the factor for a reference would take far longer than the solve that it judges. */
enum { NB_REFERENCE_ROWS = 50000 };

enum nb_status nb_system_open(struct nb_case_run *run, struct nb_error *error);
/* A set-up [s] without what was set aside in it (solvers/aside.h): only methods of ours may set anything aside. */
double nb_case_own_setup(const struct nb_case *setting, double seconds, double aside);
enum nb_status nb_system_setup(struct nb_case_run *run, double *seconds, struct nb_error *error);
/* Judges the solution that the bench left; run->lambda holds it then. */
double nb_system_residual(struct nb_case_run *run);
enum nb_status nb_system_trace(struct nb_case_run *run, const struct nb_case_watcher *watcher,
                               struct nb_case_result *result, struct nb_error *error);

#endif
