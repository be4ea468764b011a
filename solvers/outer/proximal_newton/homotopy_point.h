/* A point of the homotopy (homotopy.h): its contacts, geometry, and the directions from it. */
#ifndef NB_HOMOTOPY_POINT_H
#define NB_HOMOTOPY_POINT_H

#include "solvers/contact/smoothed_coulomb.h"
#include "solvers/outer/proximal_newton/homotopy.h"

/* In the precision at hand. */
#define nb_homotopy_contact NB(nb_homotopy_contact)
#define nb_homotopy_direction NB(nb_homotopy_direction)
#define nb_homotopy_effective_mass NB(nb_homotopy_effective_mass)
#define nb_homotopy_evaluate NB(nb_homotopy_evaluate)
#define nb_homotopy_factorise NB(nb_homotopy_factorise)
#define nb_homotopy_find_correction NB(nb_homotopy_find_correction)
#define nb_homotopy_find_slope NB(nb_homotopy_find_slope)
#define nb_homotopy_fix_geometry NB(nb_homotopy_fix_geometry)
#define nb_homotopy_restore_geometry NB(nb_homotopy_restore_geometry)

/* A change of the point: d(u, p), dv, dl. */
struct nb_homotopy_direction {
    nb_real *p, *u, *v, l;
};

struct nb_homotopy {
    struct nb_nonsmooth *system;
    size_t first;           /* row of the first contact                        */
    int bodies;             /* with a geometry of their own; else J is constant */
    nb_real *origin;        /* [dofs] u of the geometry                        */
    nb_real *offset;        /* [rows] U - S u there                            */
    nb_real *kept_p, *kept_u; /* [rows], [dofs] the last point on the curve     */
    nb_real *anchor;        /* [rows] a                                        */
    nb_real weight;         /* omega_0; 0: the homotopy from the convex relaxation */
    nb_real omega;          /* at the point evaluated last                     */
    struct nb_homotopy_direction slope;   /* d/dl                                          */
    struct nb_homotopy_direction newton;  /* back to the curve                              */
    struct nb_homotopy_direction tangent; /* of length 1                                   */
    struct nb_smoothed *contact; /* [contacts] at the present point        */
    nb_real l, kept_l;
    nb_real tau_0, rate, length; /* the rate of the homotopy from the relaxation */
    struct nb_run *run;     /* borrowed: counts the factorisations             */
    int limit;              /* of its iterations                               */
    int lost;               /* no step leads further                           */
    int moving;             /* the geometry is that of the present point       */
    int forward;            /* sign of the determinant there; 0: not known yet */
};

static inline struct nb_smoothed *nb_homotopy_contact(const struct nb_homotopy *self, size_t row)
{
    return self->contact + (row - self->first) / 3;
}

/* Effective mass of a contact by itself in x and z. */
static inline nb_real nb_homotopy_effective_mass(const struct nb_nonsmooth *system, size_t i, nb_real mu)
{
    return mu > 0 ? mu * nb_sqrt(system->rho[i] * system->rho[i + 1]) : system->rho[i];
}

/* The geometry becomes that of the system's u, and velocity U there; or is set anew after Newton's method,
 * which leaves its own: the system's u becomes the origin. */
void nb_homotopy_fix_geometry(struct nb_homotopy *self);
void nb_homotopy_restore_geometry(struct nb_homotopy *self);

/* Contacts, velocities and defect at the system's (u, p). Returns the largest F/nu, or what is left of the
 * motion's equation where that is more. */
nb_real nb_homotopy_evaluate(struct nb_homotopy *self);

/* Of the point evaluated last: the factor of d H/d(u, p) condensed to u, an iteration; */
enum nb_status nb_homotopy_factorise(struct nb_homotopy *self);
/* Newton's direction at fixed l, first; then d(u, p)/dl of the point itself, whatever is left of H. */
void nb_homotopy_find_correction(struct nb_homotopy *self);
void nb_homotopy_find_slope(struct nb_homotopy *self);

#endif
