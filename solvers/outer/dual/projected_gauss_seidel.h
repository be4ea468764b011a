/* Sweeps of projected Gauss-Seidel over the rows of the dual problem, in place on p:
 *
 *     p_i <- P_i(p_i - omega U_i / W_ii)
 *
 * with U_i from the newest p. Bilateral rows are not projected; normals go to R_n >= 0; tangents to
 * the box |R_ti| <= mu R_n, one after the other, or both at once to the disc |R_T| <= mu R_n or to a pyramid's
 * polygon in it or around it (solvers/contact/pyramid.h), then with the largest eigenvalue of their block for both,
 * so that the force opposes the slip. A row without response, W_ii <= 0, is left as it is.
 *
 * With a pyramid the fixed points are the solutions of the linear complementarity problem of
 * solvers/outer/lemke.c. That problem itself has a row of zero diagonal for each contact, by which no sweep can
 * divide. */
#ifndef NB_PROJECTED_GAUSS_SEIDEL_H
#define NB_PROJECTED_GAUSS_SEIDEL_H

#include "solvers/outer/dual/dual.h"

#define nb_projected_gauss_seidel NB(nb_projected_gauss_seidel)
#define nb_pgs_bounds NB(nb_pgs_bounds)
#define nb_pgs_setup NB(nb_pgs_setup)
#define nb_block_row_velocity NB(nb_block_row_velocity)

/* Settings of methods that sweep; the first rows of their tables. */
enum { NB_PGS_FRICTION, NB_PGS_RELAXATION, NB_PGS_DIRECTIONS, NB_PGS_COMMON };
enum { NB_PGS_BOX, NB_PGS_CONE, NB_PGS_INNER, NB_PGS_OUTER };
#define NB_PGS_SETTINGS                                                                     \
    [NB_PGS_FRICTION] = {.name = "friction", .value = NB_PGS_BOX, .choices = "box,cone,inner,outer", \
                         .meaning = "bounds of the tangents; inner, outer: a pyramid in, around the cone"}, \
    [NB_PGS_RELAXATION] = {.name = "relaxation", .value = 1, .minimum = 0, .maximum = 2,    \
                           .above_minimum = 1, .meaning = "factor omega of the sweeps"},    \
    [NB_PGS_DIRECTIONS] = NB_PYRAMID_DIRECTIONS

/* The bounds that value [NB_PGS_FRICTION] asks for. */
static inline enum nb_friction_bounds nb_pgs_bounds(const double *value)
{
    const int friction = (int)value[NB_PGS_FRICTION];
    return friction >= NB_PGS_INNER ? NB_FRICTION_PYRAMID
                                    : friction == NB_PGS_CONE ? NB_FRICTION_CONE : NB_FRICTION_BOX;
}

/* The method's .setup: the pyramid of the settings. */
static inline enum nb_status nb_pgs_setup(struct nb_dual *dual, struct nb_error *error)
{
    (void)error;
    dual->pyramid = nb_pyramid_make((int)dual->value[NB_PGS_DIRECTIONS], dual->value[NB_PGS_FRICTION] == NB_PGS_OUTER);
    return NB_OK;
}

/* One sweep, with omega of the settings. bounds: NB_FRICTION_BOX, _CONE, _PYRAMID or _NONE. */
void nb_projected_gauss_seidel(struct nb_dual *dual, enum nb_friction_bounds bounds);

/* U [3] of block row i at p; returns its diagonal block [9], or NULL where it has none. */
const nb_matrix *nb_block_row_velocity(const struct nb_dual *dual, int i, nb_real *velocity);

#endif
