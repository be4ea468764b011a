/* One step of frictional contact as a nonsmooth equation, for methods that solve it by themselves:
 *
 *     F(p; U + Sigma (p - a)) = 0,   M (u - u~) - J^T p = 0
 *
 * with the Alart-Curnier map F of each contact (alart_curnier.h), rho = 1/diag(J H^-1 J^T), and
 * U = violation(u) + (E/h^2) p asked to vanish where a row is bilateral. p = h lambda [N s]. The
 * proximal term Sigma (p - a), Sigma = sigma/rho, regularises what redundant contacts leave undetermined;
 * a is the anchor. A point is judged by the energy
 *
 *     ||(F, u)||^2 = sum F_i^2 / rho_i + (u - u~ - H^-1 J^T p)^T M (u - u~ - H^-1 J^T p)     [J].
 *
 * How u and p meet, and which linear system a Newton step solves, depends on what the step gives
 * (struct nb_formulation): bodies with blocks of inertia, or the Delassus operator alone. */
#ifndef NB_NONSMOOTH_SYSTEM_H
#define NB_NONSMOOTH_SYSTEM_H

#include "solvers/contact/precomputed_contact.h"
#include "solvers/model/model.h"
#include "solvers/outer/proximal_newton/newton_matrix.h"
#include "solvers/sparse/sparse_lu.h"
#include "solvers/strategy.h"

/* In the precision at hand. */
#define nb_dual_formulation NB(nb_dual_formulation)
#define nb_formulation NB(nb_formulation)
#define nb_nonsmooth NB(nb_nonsmooth)
#define nb_nonsmooth_begin NB(nb_nonsmooth_begin)
#define nb_nonsmooth_bilateral_tangent NB(nb_nonsmooth_bilateral_tangent)
#define nb_nonsmooth_create NB(nb_nonsmooth_create)
#define nb_nonsmooth_eliminate NB(nb_nonsmooth_eliminate)
#define nb_nonsmooth_evaluate NB(nb_nonsmooth_evaluate)
#define nb_nonsmooth_free NB(nb_nonsmooth_free)
#define nb_nonsmooth_is_regular NB(nb_nonsmooth_is_regular)
#define nb_nonsmooth_natural_norm NB(nb_nonsmooth_natural_norm)
#define nb_nonsmooth_softness NB(nb_nonsmooth_softness)
#define nb_nonsmooth_step NB(nb_nonsmooth_step)
#define nb_nonsmooth_step_length NB(nb_nonsmooth_step_length)
#define nb_nonsmooth_strays NB(nb_nonsmooth_strays)
#define nb_nonsmooth_weight NB(nb_nonsmooth_weight)
#define nb_primal_formulation NB(nb_primal_formulation)

struct nb_nonsmooth {
    struct NB(nb_model) *model;
    const struct nb_formulation *form;
    void *self;                  /* the form's own                                     */
    size_t rows, dofs;           /* 3 blocks, 3 nodes                                  */
    void *memory;                /* holds the arrays below, but for the form's        */
    nb_real *p, *u;              /* [rows], [dofs] present point                       */
    nb_real *step_p, *step_u;    /* Newton direction                                   */
    nb_real *anchor;             /* [rows] a                                           */
    nb_real *rho;                /* [rows] 1/W_ii, one value for both tangents         */
    nb_real *local;              /* [9 blocks] diagonal blocks of J H^-1 J^T + E/h^2   */
    struct NB(nb_precomputed_contact) *contact; /* [contacts] by local, for sweeps        */
    nb_real *velocity;           /* [rows] U where it was evaluated last               */
    nb_real *residual, *slope;   /* [rows] F, [9 blocks] dP/dz there                   */
    nb_real *contact_tangent;             /* [9 blocks] B = -dp/dU in a Newton step             */
    int *left_out;               /* [blocks] of its matrix: B is next to nothing       */
    nb_real *defect, *momentum;  /* [dofs] u - u~ - H^-1 J^T p there, and M times it   */
    nb_real *scratch;            /* [rows]                                             */
    nb_real defect_energy;       /* there                                              */
    nb_real sigma;               /* proximal weight, relative                          */
    nb_real softness;            /* of the elements at the beginning (nb_nonsmooth_softness) */
    nb_real *first_u;            /* [dofs] u~, kept where the Jacobian is constant     */
    nb_real first_norm;          /* at p = 0, u = u~, likewise                         */
    struct nb_newton_matrix *matrix; /* of a Newton step; the form's                 */
    enum nb_newton_factors factors;  /* of the bodies' matrix                           */
    int symmetric;                   /* contact_tangent is: Cholesky's factor will do, where there is one */
    double sweep_cost;          /* of a sweep, in operations; 0: the form cannot      */
    double step_cost;           /* of a Newton step                                   */
    double closed_contacts_cost;         /* its part that open contacts take none of           */
};

struct nb_formulation {
    enum nb_status (*create)(struct nb_nonsmooth *system, struct nb_error *error);
    /* Sets u~ into u, and local from the Jacobian there. */
    void (*begin)(struct nb_nonsmooth *system);
    /* velocity at (u, p), and the energy of the momentum's defect there. */
    nb_real (*evaluate)(struct nb_nonsmooth *system, const nb_real *u, const nb_real *p);
    /* step_p, step_u from the point evaluated last; nonzero where the matrix is singular. */
    enum nb_status (*direction)(struct nb_nonsmooth *system);
    /* One sweep of nonlinear Gauss-Seidel over the contacts from (u, p), as linear as they were at
     * begin, in order or backward. Returns the energy of the change of p, sum dp^2/rho. */
    nb_real (*sweep)(struct nb_nonsmooth *system, int backward);
    /* Brings u to p where evaluate and sweep do not need u; NULL: they do. */
    void (*complete)(struct nb_nonsmooth *system, const nb_real *p, nb_real *u);
    /* The same to what sweeps need, fast; NULL: complete does it. */
    void (*follow)(struct nb_nonsmooth *system, const nb_real *p, nb_real *u);
    /* Takes into evaluate what U of (u, p), u completed, differs from it by round-off. Zero, or NULL,
     * where it does not differ. Until begin. */
    int (*renew)(struct nb_nonsmooth *system);
    /* Parts of a Newton step, for methods with a B of their own at the contacts. In this order:
     * what the matrix takes from the point evaluated last, and the B of bilateral rows; */
    void (*linearise)(struct nb_nonsmooth *system);
    /* the factor, NB_BREAKDOWN where it is singular; */
    enum nb_status (*factorise)(struct nb_nonsmooth *system);
    /* step_p, dp at dU = 0, becomes dp, also of those left out; step_u is du, and scratch [rows] dU
     * without compliance. */
    void (*solve)(struct nb_nonsmooth *system);
    void (*free)(void *self);
};

extern const struct nb_formulation nb_primal_formulation, nb_dual_formulation;

/* Block row i needs no proximal term: three compliant rows, such as those of an element. */
static inline int nb_nonsmooth_is_regular(const struct nb_nonsmooth *system, size_t i)
{
    const nb_real *e = system->model->bilateral_compliance + 9 * i;
    return i < (size_t)system->model->bilateral_blocks && e[0] > 0 && e[4] > 0 && e[8] > 0;
}

/* Proximal weight of block row i where that of a contact is sigma. Bilateral rows do not open or slide: what
 * tells redundant ones apart is enough for them, and more would only be waited for. */
static inline nb_real nb_nonsmooth_weight(const struct nb_nonsmooth *system, size_t i, nb_real sigma)
{
    if (i >= (size_t)system->model->bilateral_blocks)
        return sigma;
    return nb_nonsmooth_is_regular(system, i) ? 0 : nb_min(sigma, nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF)));
}

/* B of bilateral row block i: (E/h^2 + Sigma)^-1. */
void nb_nonsmooth_bilateral_tangent(const struct nb_nonsmooth *system, int i, nb_real *contact_tangent);

/* A^-1 and B of block row i at the point evaluated last: dp = -A^-1 F - B dU, with P' the slope of the
 * projection A = 1 - (1 - sigma) P', B = A^-1 P' rho (bilateral: A = rho (E/h^2 + Sigma)). */
void nb_nonsmooth_eliminate(const struct nb_nonsmooth *system, int i, nb_real *inverse, nb_real *contact_tangent);

/* The model must outlive it. NB_UNSUPPORTED where this precision has no LU of that size. */
enum nb_status nb_nonsmooth_create(struct nb_nonsmooth **system, struct NB(nb_model) * model,
                                   enum nb_newton_factors factors, struct nb_error *error);
void nb_nonsmooth_free(struct nb_nonsmooth *system);

/* p = 0, u = u~; scales and local blocks. Returns ||(F, u)|| there. */
nb_real nb_nonsmooth_begin(struct nb_nonsmooth *system);

/* ||(F, u)|| at (u, p) with the proximal term. Leaves F, slopes, U and defect of that point. */
nb_real nb_nonsmooth_evaluate(struct nb_nonsmooth *system, const nb_real *u, const nb_real *p);

/* The same without the proximal term, at the point evaluated last. */
nb_real nb_nonsmooth_natural_norm(const struct nb_nonsmooth *system, const nb_real *p);

/* The fraction of step_u that stays within the largest turn and strain: no derivative tells further. */
nb_real nb_nonsmooth_step_length(const struct nb_nonsmooth *system);

/* Whether a motion turns a body (or strains an element) further from the free one than a Newton step may, and moves the
 * bodies with more kinetic energy: contacts alone give them none, but where the rows turn with the bodies. Overwrites
 * step_u. */
int nb_nonsmooth_strays(struct nb_nonsmooth *system, const nb_real *u);

/* Sum of the elements' E/h^2 over that of J H^-1 J^T + E/h^2, diagonals: about m/(h^2 k), how much less a
 * contact moves than its particle would if it were free. 1 without elements. */
nb_real nb_nonsmooth_softness(const struct nb_nonsmooth *system);

/* A Newton step from (u, p), which was evaluated last, full but for these limits;
 * *norm is ||(F, u)|| there and becomes that at its end. Nonzero if the matrix is singular or the end
 * not finite. Counts and times itself in run. */
enum nb_status nb_nonsmooth_step(struct nb_nonsmooth *system, struct nb_run *run, nb_real *norm);

#endif
