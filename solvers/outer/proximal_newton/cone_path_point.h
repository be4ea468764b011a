/* A point of the path of cone_path.h: its contacts, geometry, and the directions from it. */
#ifndef NB_CONE_PATH_POINT_H
#define NB_CONE_PATH_POINT_H

#include "solvers/contact/smoothed_cone.h"
#include "solvers/outer/proximal_newton/cone_path.h"

/* A change of the point: d(u, p), dv, dl. */
struct NB(nb_path_direction) {
    nb_real *p, *u, *v, l;
};

struct NB(nb_cone_path) {
    struct NB(nb_cone) *cone;
    size_t first;           /* row of the first contact                        */
    int bodies;             /* with a geometry of their own; else J is constant */
    nb_real *storage;       /* owns the arrays below                           */
    nb_real *origin;        /* [dofs] u of the geometry                        */
    nb_real *offset;        /* [rows] U - S u there                            */
    nb_real *kept_p, *kept_u; /* [rows], [dofs] the last point on the path     */
    nb_real *anchor;        /* [rows] a                                        */
    nb_real weight;         /* omega_0; 0: the path from the convex relaxation */
    nb_real omega;          /* at the point evaluated last                     */
    struct NB(nb_path_direction) slope;   /* d/dl                                          */
    struct NB(nb_path_direction) newton;  /* back to the path                              */
    struct NB(nb_path_direction) tangent; /* of length 1                                   */
    struct NB(nb_smoothed) *contact; /* [contacts] at the present point        */
    nb_real l, kept_l;
    nb_real tau_0, rate, length; /* the rate of the path from the relaxation */
    struct nb_run *run;     /* borrowed: counts the factorisations             */
    int limit;              /* of its iterations                               */
    int lost;               /* no step leads further                           */
    int moving;             /* the geometry is that of the present point       */
    int forward;            /* sign of the determinant there; 0: not known yet */
};

static inline struct NB(nb_smoothed) *NB(nb_path_contact)(const struct NB(nb_cone_path) *self, size_t row)
{
    return self->contact + (row - self->first) / 3;
}

/* Effective mass of a contact by itself in x and z. */
static inline nb_real NB(nb_path_own_scale)(const struct NB(nb_cone) *cone, size_t i, nb_real mu)
{
    return mu > 0 ? mu * nb_sqrt(cone->rho[i] * cone->rho[i + 1]) : cone->rho[i];
}

/* The geometry becomes that of the cone's u, and velocity U there; or is set anew after Newton's method,
 * which leaves its own: the cone's u becomes the origin. */
void NB(nb_path_fix_geometry)(struct NB(nb_cone_path) *self);
void NB(nb_path_set_geometry)(struct NB(nb_cone_path) *self);

/* Contacts, velocities and defect at the cone's (u, p). Returns the largest F/nu, or what is left of the
 * motion's equation where that is more. */
nb_real NB(nb_path_evaluate)(struct NB(nb_cone_path) *self);

/* Of the point evaluated last: the factor of d H/d(u, p) condensed to u, an iteration; */
enum nb_status NB(nb_path_factorise)(struct NB(nb_cone_path) *self);
/* Newton's direction at fixed l, first; then d(u, p)/dl of the point itself, whatever is left of H. */
void NB(nb_path_find_newton)(struct NB(nb_cone_path) *self);
void NB(nb_path_find_slope)(struct NB(nb_cone_path) *self);

#endif
