/* Solve one time step of frictional contact with any registered combination.
 *
 * The solver reports what it did, never how good it is: the harness judges (u, lambda) with its
 * own float64 code (harness/judge/metrics.h). To stop at a tolerance, the harness counts iterations in
 * an observed run and repeats exactly that many in the timed ones. */
#ifndef NB_SOLVE_H
#define NB_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include "problems/base/status.h"
#include "problems/problem.h"

/* The nonlinear method's own limit (struct nb_solver_strategy). */
#define NB_OWN_ITERATIONS (-1)

/* How the islands of a step are solved, which nothing couples (problems/split.h). */
enum nb_islands_choice {
    NB_ISLANDS_OWN,     /* as the method's default is (struct nb_solver_strategy): apart, or together for a reason */
    NB_ISLANDS_APART,   /* each by itself, to its own end */
    NB_ISLANDS_TOGETHER /* all as one system              */
};

/* Names are those that `ncpbench list` prints. nb_options_default gives the defaults. */
struct nb_options {
    const char *solver;      /* nonlinear method and its own settings, as in
                                "pgs:friction=cone" (solvers/settings.h)       */
    const char *ncp;         /* NCP function, as in "fb"                       */
    const char *scaling;     /* complementarity scaling, as in "mass"          */
    const char *newton_form; /* scaled | true (docs/theory/design.md, section 1)      */
    const char *linear;      /* linear solver and its settings, as in "pcr"    */
    const char *precond;     /* preconditioner and its settings, as in "ic0"   */
    const char *operator_form; /* assembled | factored                         */
    const char *precision;   /* of solvers/precision/, as in "f64"             */
    int newton_iterations;   /* N >= 0, or NB_OWN_ITERATIONS                   */
    int linear_iterations;   /* M >= 0 a Newton iteration; direct solvers ignore it */
    double damping;          /* t in (0, 1]: fraction of the Newton step taken */
    double shift;            /* epsilon >= 0: max(epsilon, 16 units of the precision) times the
                                mean diagonal of J M^-1 J^T is added to the Schur diagonal
                                (8.4); 0: nothing is */
    int threads;             /* >= 1; the result does not depend on it         */
    enum nb_islands_choice islands; /* of a step                               */
    bool warm_start;         /* in a simulation, each step begins at the last one's solution
                                (harness/simulate/warm_start.h)                       */
    int refine;              /* in a simulation, how often a step is solved again with the contacts of its end
                                (harness/simulate/refine.h)                           */
};

/* The default method is proximal_newton, with its own limit of iterations. */
struct nb_options nb_options_default(void);

/* newton_iterations, or the method's own limit where it is NB_OWN_ITERATIONS. */
int nb_options_iterations(const struct nb_options *options);

/* Apart or together, as the method's default is where the options ask for that. */
enum nb_islands_choice nb_options_islands(const struct nb_options *options);

/* Checks ranges and names; the message lists the known names and suggests the nearest. */
enum nb_status nb_options_validate(const struct nb_options *options, struct nb_error *error);

/* 2^-53 for f64, 2^-24 for f32; 0 for an unknown precision. */
double nb_unit_roundoff(const char *precision);

/* How a linear solver ended (docs/theory/design.md, section 4), the worst last; from NB_LINEAR_NON_FINITE on x is no
 * answer. */
enum nb_linear_ending {
    NB_LINEAR_CONVERGED,
    NB_LINEAR_ITERATION_LIMIT,
    NB_LINEAR_STAGNATED,
    NB_LINEAR_BREAKDOWN,
    NB_LINEAR_NON_FINITE,
    NB_LINEAR_FAILED /* not by its arithmetic: a lost device, a kernel's timeout */
};

struct nb_linear_report {
    enum nb_linear_ending ending;
    int iterations;
    const char *detail; /* which scalar broke down, NB_LINEAR_ON_AN_EDGE, or ""; static storage */
};

/* A line search ended where a contact changes between sticking, slipping and open. */
#define NB_LINEAR_ON_AN_EDGE "on an edge"

/* Called after every nonlinear iteration (and once before the first, iteration 0) with the iterate
 * widened to double: u [nb_problem_dofs], lambda [nb_problem_multipliers]; linear is the last
 * linear solve, NULL at iteration 0. Return false to stop the run. */
struct nb_observer {
    void *context;
    bool (*observe)(void *context, int iteration, const double *u, const double *lambda,
                    const struct nb_linear_report *linear);
    /* The same of one island of those that are solved apart, in the unknowns of nb_solver_island, before the whole is
     * shown: return false where it is done. NULL: each goes on until it ends by itself or by the run's limit. */
    bool (*observe_island)(void *context, int island, int iteration, const double *u, const double *lambda);
};

/* Times of single applications of the preconditioner: of every 16th, and of fewer where there are many, as reading a
 * clock takes time itself. */
struct nb_application_times {
    long elsewhere;           /* applications whose time is known otherwise: those of islands */
    double elsewhere_seconds; /* all of theirs */
    int kept, every;          /* samples; every so many-th 16th one is taken, 0 before the first */
    double sample[64];        /* [kept], in seconds */
};

/* What a run did. Times are wall-clock seconds; set-up happens in nb_solver_create. Of islands that are solved apart,
 * iterations and applications of the operator are those of the island that took most; the rest is added up. */
struct nb_run {
    int newton_iterations;
    long linear_iterations;
    long operator_applications;
    long preconditioner_applications;
    struct nb_application_times applications; /* those of the preconditioner that were timed */
    size_t product_bytes;    /* of A and its indices, that one product of a linear bench reads; 0: unknown */
    double assembly_seconds; /* evaluation, assembly, factorisation */
    double preparation_seconds; /* of these, preconditioner and linear solver: factorise, estimate */
    double linear_seconds;   /* linear solves                       */
    double untimed_seconds;  /* of the run, but no part of the method, as it alone says (nb_method_task) */
    bool broke_down;         /* a linear solver or the iteration met a value it cannot use */
    char detail[160];        /* why, "" otherwise */
};

/* Seconds of all applications of the preconditioner: the median of the samples times their number, at most
 * linear_seconds, of which they are a part; NaN: none was timed. And takes those of an island's run over to that of the
 * whole. */
double nb_run_application(const struct nb_run *run);
void nb_run_add_applications(struct nb_run *run, const struct nb_run *island);

struct nb_solver; /* opaque: options, workspace, one precision */

/* Allocates everything and does the symbolic work. The problem must outlive the solver and is
 * validated by the caller. NB_UNSUPPORTED with the reason for impossible combinations. */
enum nb_status nb_solver_create(struct nb_solver **solver, const struct nb_problem *problem,
                                const struct nb_options *options, struct nb_error *error);

/* Where runs begin instead of u = 0, lambda = 0; sizes as in problems/problem.h. NB_UNSUPPORTED where the
 * method has a start of its own. */
enum nb_status nb_solver_start(struct nb_solver *solver, const double *u, const double *lambda,
                               struct nb_error *error);

/* What each run but the first begins with, and is timed with: the methods' set-up, made anew. */
enum nb_status nb_solver_renew(struct nb_solver *solver, struct nb_error *error);

/* Runs `iterations` nonlinear iterations, of each island, from u = 0, lambda = 0. observer may be NULL (the timed
 * case): then nothing is allocated. Of islands that are solved apart it is shown iterates of the whole step when all
 * have run, iteration k being the k-th of each island or its last; where they take too much memory, of every second
 * iteration, every fourth, ... and the last. Breaking down is a result: NB_OK with run->broke_down. */
enum nb_status nb_solver_run(struct nb_solver *solver, int iterations,
                             const struct nb_observer *observer, struct nb_run *run,
                             struct nb_error *error);

/* The last iterate, widened to double. u [nb_problem_dofs], lambda [nb_problem_multipliers]. */
void nb_solver_solution(const struct nb_solver *solver, double *u, double *lambda);

/* The Newton system that the solver would solve at the given iterate (float64 only): H, J and diag C
 * as in (53), b the right-hand side of (59), for export. What is kept from iterates before is not in it:
 * friction=staggered has the Gamma of this one, and newton:geometric_stiffness=diagonal, where there are
 * particles, and geometric_stiffness=bodies are NB_UNSUPPORTED. The caller frees with nb_newton_system_free
 * (problems/io/problem_file.h). */
struct nb_newton_system;
enum nb_status nb_solver_system(struct nb_solver *solver, const double *u, const double *lambda,
                                struct nb_newton_system *system, struct nb_error *error);

/* The islands that are solved apart, 1 where the step is one or they are solved together, and the step of each,
 * borrowed. */
int nb_solver_islands(const struct nb_solver *solver);
const struct nb_problem *nb_solver_island(const struct nb_solver *solver, int island);

/* The iterations [nb_solver_islands] that each island took in the last observed run, and how many it may take at most
 * in coming runs, NULL: as many as the run. A timed run repeats an observed one by them. */
void nb_solver_taken(const struct nb_solver *solver, int *iterations);
void nb_solver_limit(struct nb_solver *solver, const int *iterations);

void nb_solver_free(struct nb_solver *solver);

#endif
