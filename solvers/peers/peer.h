/* Other libraries' linear solvers as rows of the registry, so that they run in the same sweep on the
 * same matrices and are judged by the same code. Built with `make PEERS=1` only
 * (scripts/install_deps.sh --peers).
 *
 * A peer works in double on the scalar entries of the Schur complement; set-up converts the matrix, and
 * what is timed as the solve is the library's own call. */
#ifndef NB_PEER_H
#define NB_PEER_H

#include "solvers/solve.h"

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
    int direct;
    int observes; /* solve calls observe after every iteration; else it is run again for each */
    /* method is the library's own name of what is wanted. The system is borrowed and keeps its pattern. */
    enum nb_status (*create)(void **self, const struct nb_peer_system *system, const char *method,
                             struct nb_error *error);
    enum nb_status (*update)(void *self, struct nb_error *error); /* the system's values are new */
    struct nb_linear_report (*solve)(void *self, const struct nb_peer_task *task);
    void (*free)(void *self);
};

extern const struct nb_peer nb_peer_petsc, nb_peer_hypre, nb_peer_eigen, nb_peer_cholmod;

#endif
