/* Other libraries' solvers as rows of the registry, so that they run in the same sweep on the same problems
 * and are judged by the same code. Built with `make PEERS=1` only (scripts/install_deps.sh --peers). Each
 * library is one file here, which knows nothing of our precisions, and a row for each kind of thing that it is,
 * in solvers/peers/linear/, precond/, operator/ or solver/; what it offers are settings of that row.
 *
 * Linear solvers, preconditioners and products work in double on the scalar entries of the Schur complement;
 * set-up converts the matrix, and what is timed as the solve is the library's own call. */
#ifndef NB_PEER_H
#define NB_PEER_H

#include "problems/problem.h"
#include "solvers/settings.h"
#include "solvers/solve.h"

/* --- linear solvers, preconditioners, products --- */

/* A as scalar compressed rows, both triangles, columns ascending. */
struct nb_peer_system {
    int rows;
    int *start, *column;
    double *value;
};

struct nb_peer_task {
    const double *b;
    double *x;         /* in: zero; out: the result */
    int iterations;    /* at most                   */
    double tolerance;  /* relative, in the library's own norm; 0: as far as the iterations go */
    void (*observe)(void *context, int iteration, const double *x); /* or NULL */
    void *context;
};

struct nb_peer {
    int observes; /* solve calls observe after every iteration; else it is run again for each */
    /* value: of the library's own settings, in the order of its table. The system is borrowed and keeps its
     * pattern. */
    enum nb_status (*create)(void **self, const struct nb_peer_system *system, const double *value,
                             struct nb_error *error);
    enum nb_status (*update)(void *self, struct nb_error *error); /* the system's values are new */
    struct nb_linear_report (*solve)(void *self, const struct nb_peer_task *task);
    void (*free)(void *self);
    /* In the place of solve, of what is no solver: z = P^-1 r of a preconditioner, z = A r of a product; r, z [rows].
     * False: the library fails. */
    int (*apply)(void *self, const double *r, double *z);
};

extern const struct nb_peer nb_peer_petsc, nb_peer_hypre, nb_peer_eigen, nb_peer_cholmod;
extern const struct nb_peer nb_peer_petsc_precond, nb_peer_hypre_precond, nb_peer_rsb;

/* The common settings and PETSc's; those of its preconditioners. */
extern const struct nb_setting nb_petsc_settings[], nb_petsc_precond_settings[];

/* Starts MPI where it does not run yet and calls start, which may be NULL; the process keeps its handlers of signals.
 * Not 0: it failed. */
int nb_peer_start(int (*start)(void));

/* --- solvers of frictional contact: linear steps without bilateral rows --- */

struct nb_peer_contact {
    const char *library;
    /* value: of the settings. NB_UNSUPPORTED with the reason for steps that it cannot take. */
    enum nb_status (*create)(void **self, const struct nb_problem *problem, const double *value,
                             struct nb_error *error);
    /* At most `iterations` iterations of its own from zero; returns how many it made, and adds to *untimed the
     * seconds that were no part of the solve. */
    int (*solve)(void *self, int iterations, double *untimed);
    /* r [3 contacts] [N s] and u: U of a local problem, v of a global one. */
    void (*solution)(void *self, double *r, double *u);
    void (*free)(void *self);
};

extern const struct nb_peer_contact nb_peer_siconos, nb_peer_mujoco;
extern const struct nb_setting nb_siconos_settings[], nb_mujoco_settings[];

#endif
