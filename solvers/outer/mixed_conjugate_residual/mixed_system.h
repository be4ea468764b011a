/* The mixed system of one active set, and its preconditioners (Verschoor and Jalba 2019; the
 * text at hand is the authors' overview, which gives no formulae):
 *
 *     [ M   -J^T ] [u]   [ f + J_K^T p_K ]
 *     [ -J   -C  ] [p] = [ base          ]          p over the active rows A, J = J_A, C = E/h^2
 *
 * symmetric and indefinite. The second row says that active rows have velocity J u + base + C p
 * = 0. p_K are the friction impulses of sliding contacts, known in each system. */
#ifndef NB_MIXED_SYSTEM_H
#define NB_MIXED_SYSTEM_H

#include "solvers/model/model.h"
#include "solvers/strategy.h"

#define nb_mixed_create NB(nb_mixed_create)
#define nb_mixed_force NB(nb_mixed_force)
#define nb_mixed_free NB(nb_mixed_free)
#define nb_mixed_linearise NB(nb_mixed_linearise)
#define nb_mixed_precondition NB(nb_mixed_precondition)
#define nb_mixed_renew NB(nb_mixed_renew)
#define nb_mixed_system NB(nb_mixed_system)
#define nb_mixed_velocity NB(nb_mixed_velocity)

enum nb_mixed_precond { NB_MIXED_NONE, NB_MIXED_DIAGONAL, NB_MIXED_BLOCK };

struct nb_mixed_system {
    struct nb_model *model;     /* borrowed */
    int precond;                /* enum nb_mixed_precond                             */
    nb_real scale;              /* of the eigenvalues of P^-1 times the system       */
    size_t dofs, rows, bilateral; /* 3 nodes; n rows, the first so many bilateral    */
    void *memory;               /* of the arrays below                               */
    nb_real *mass;              /* [9 nodes] 3x3 diagonal blocks of M                */
    nb_real *inverse_mass;      /* [9 nodes] their inverses, or those of diagonals   */
    nb_real *inverse_schur;     /* [9 blocks] of J M^^-1 J^T + C on active rows, M^ the above */
    nb_real *active;            /* [n] 1: the row is in A, 0: it is not              */
    nb_real *base;              /* [n]                                               */
    nb_real *rho;               /* [n] 1 over the diagonal of J M^^-1 J^T, all rows  */
    nb_real *row_work, *dof_work; /* [n], [3 nodes]                                  */
};

/* The model must outlive it. NB_UNSUPPORTED for a local problem, which has no mass matrix. */
enum nb_status nb_mixed_create(struct nb_mixed_system *system, struct nb_model *model,
                               int precond, struct nb_error *error);
void nb_mixed_free(struct nb_mixed_system *system);

/* J, C, base and rho at u. */
void nb_mixed_linearise(struct nb_mixed_system *system, const nb_real *u);

/* out [3 nodes] = f */
void nb_mixed_force(const struct nb_mixed_system *system, nb_real *out);

/* velocity [n] = J u + base + C p in every row; with_base = 0: J u + C p. */
void nb_mixed_velocity(const struct nb_mixed_system *system, const nb_real *u,
                       const nb_real *p, int with_base, nb_real *velocity);

/* The active set or J changed: renews the preconditioner. */
void nb_mixed_renew(struct nb_mixed_system *system);

/* out = P^-1 r for (u, p) stacked [3 nodes + n], symmetric positive definite; 0 in inactive rows.
 *
 *     diagonal   P = diag(M^, S^), both diagonal
 *     block      P = L diag(M^, S^) L^T, L = [1 0; -J M^^-1 1]
 *
 * The inverse of the system by blocks, with M and its Schur complement replaced by their 3x3
 * diagonal blocks and the complement's sign turned: were they exact, P^-1 times the system would
 * have the eigenvalues 1 and -1. */
void nb_mixed_precondition(struct nb_mixed_system *system, const nb_real *r, nb_real *out);

#endif
