/* The sets of one contact's impulses R = (R_n, R_t1, R_t2) [N s]: the Coulomb cone
 * K = {|R_T| <= mu R_n}, its section at a given R_n, and the box that engines take for it. */
#ifndef NB_COULOMB_H
#define NB_COULOMB_H

#include "solvers/precision.h"

#define nb_clamp NB(nb_clamp)
#define nb_largest_eigenvalue2 NB(nb_largest_eigenvalue2)
#define nb_length2 NB(nb_length2)
#define nb_project_cone NB(nb_project_cone)
#define nb_project_disc NB(nb_project_disc)

static inline nb_real nb_length2(nb_real x, nb_real y) { return nb_sqrt(x * x + y * y); }
static inline nb_real nb_clamp(nb_real x, nb_real bound)
{
    return nb_max(-bound, nb_min(bound, x));
}

/* r = P_K(r), in the Euclidean norm. */
static inline void nb_project_cone(nb_real *r, nb_real mu)
{
    const nb_real length = nb_length2(r[1], r[2]);
    if (mu * length <= -r[0]) {
        r[0] = r[1] = r[2] = 0;
    } else if (!(length <= mu * r[0])) {
        const nb_real normal = (r[0] + mu * length) / (1 + mu * mu);
        const nb_real scale = mu * normal / length;
        r[0] = normal;
        r[1] *= scale;
        r[2] *= scale;
    }
}

/* Tangents [2] onto the disc of that radius. */
static inline void nb_project_disc(nb_real *t, nb_real radius)
{
    const nb_real length = nb_length2(t[0], t[1]);
    if (length > radius) {
        t[0] *= radius / length;
        t[1] *= radius / length;
    }
}

/* The larger eigenvalue of the symmetric block [a b; b c]. */
static inline nb_real nb_largest_eigenvalue2(nb_real a, nb_real b, nb_real c)
{
    return (a + c) / 2 + nb_length2((a - c) / 2, b);
}

#endif
