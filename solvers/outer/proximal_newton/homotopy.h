/* A homotopy from the convex relaxation of a step of bodies to Coulomb's law, for steps on which Newton's
 * method finds no solution. On it each contact is smoothed (smoothed_coulomb.h),
 *
 *     H(u, p, l) = 0:   M (u - u~) = J^T p,   x o z = tau e,   tau = tau_0 e^-l,
 *                       theta = 1 - e^(-rate l),   eps = 1e-3 sqrt(tau/r_0)
 *
 * At l = 0 the solution is unique. Where a velocity lies strictly inside the dual cones all solutions
 * for tau <= tau_0 and 0 <= theta <= 1 are bounded: such a velocity w has
 * (u - w)^T M (u - u~) = p^T J (u - w) <= tau a contact. So for almost every u~ the curve from the
 * one at l = 0 has no end but l = infinity: Coulomb's law (the continuation behind Acary's and Cadoux's
 * proofs of existence). In l it may turn back, and in a jammed filling does so many times, where
 * methods that lower tau alone must fail. So its length leads (Keller 1977; Allgower and Georg 1990,
 * chapters 2 to 6): a step along the tangent, and Newton's method back across it; the sign of
 * det d H/d(u, p) tells which way is forward.
 *
 * A second homotopy begins near a given point (u, p), where Newton's method and the first one end: with the
 * proximal term of nonsmooth_system.h,
 *
 *     U + (omega/rho) (p - a) in place of U,   omega = omega_0 e^-l,   theta = 1,   a = the given p
 *
 * and tau_0 = omega_0^2 times the energy of a contact. For a large omega there is one solution, near a;
 * the rest holds as above, and where a is nearly a solution the way may be short (a homotopy of fixed
 * points: Allgower and Georg 1990, chapter 11).
 *
 * Of a step that gives the Delassus operator alone (dual_system.c) the curve is the same one, in p:
 * U = W p + q.
 *
 * Lengths are measured in dv/|(v, nu)| of the contacts, changes relative to the size of force and
 * velocity, so that the masses play no part. The step's geometry stays as it is at the beginning
 * (J constant) until nb_homotopy_update_geometry. */
#ifndef NB_HOMOTOPY_H
#define NB_HOMOTOPY_H

#include "problems/base/arena.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"

/* In the precision at hand. */
#define nb_homotopy NB(nb_homotopy)
#define nb_homotopy_applies NB(nb_homotopy_applies)
#define nb_homotopy_begin NB(nb_homotopy_begin)
#define nb_homotopy_begin_at NB(nb_homotopy_begin_at)
#define nb_homotopy_create NB(nb_homotopy_create)
#define nb_homotopy_free NB(nb_homotopy_free)
#define nb_homotopy_lay_out NB(nb_homotopy_lay_out)
#define nb_homotopy_remaining NB(nb_homotopy_remaining)
#define nb_homotopy_step NB(nb_homotopy_step)
#define nb_homotopy_update_geometry NB(nb_homotopy_update_geometry)

struct nb_homotopy; /* opaque */

/* Whether this step has it: one with contacts, in double precision, whose system makes LU factors. */
int nb_homotopy_applies(const struct nb_nonsmooth *system);

/* The system must outlive it and be one to which it applies. The arrays are to be laid out before it begins, in memory
 * of the caller's, which is the homotopy's from a beginning on until it is of no more use. */
enum nb_status nb_homotopy_create(struct nb_homotopy **homotopy, struct nb_nonsmooth *system, struct nb_error *error);
void nb_homotopy_lay_out(void *homotopy, struct nb_arena *arena);

/* To l = 0 with the geometry of the system's u, which was evaluated last, and that rate. From now
 * on run, which must outlive it or the next beginning, counts an iteration a factorisation, up to limit. */
void nb_homotopy_begin(struct nb_homotopy *homotopy, double rate, struct nb_run *run, int limit);

/* The same on the homotopy from (u, p), with omega_0 = weight; a contact's energy is that of the mean one at the
 * largest velocity of the system's u, which was evaluated last. */
void nb_homotopy_begin_at(struct nb_homotopy *homotopy, const nb_real *u, const nb_real *p,
                          double weight, struct nb_run *run, int limit);

/* One step from where the last one led, whatever the system's (u, p) is now; its end becomes that, and is
 * not evaluated. Returns ||(F, u)|| of the exact law there in the homotopy's geometry, infinity where the
 * curve is lost or the limit is reached: then (u, p) is the last point on it; where there is none, p = 0 or
 * the point from which it was to begin. */
nb_real nb_homotopy_step(struct nb_homotopy *homotopy);

/* From now on the geometry goes with the point, where the present one comes near to the curve of that:
 * not 0. */
int nb_homotopy_update_geometry(struct nb_homotopy *homotopy);

/* e^-l */
nb_real nb_homotopy_remaining(const struct nb_homotopy *homotopy);

void nb_homotopy_free(struct nb_homotopy *homotopy);

#endif
