/* The interior-point iteration on a step of frictional contact (interior_point.c has the method, interior.c its
 * steps): a method of its own, and a start for others that keep the step as struct nb_nonsmooth. */
#ifndef NB_INTERIOR_H
#define NB_INTERIOR_H

#include "problems/base/arena.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"

#define nb_interior NB(nb_interior)
#define nb_interior_begin NB(nb_interior_begin)
#define nb_interior_create NB(nb_interior_create)
#define nb_interior_free NB(nb_interior_free)
#define nb_interior_iterate NB(nb_interior_iterate)
#define nb_interior_lay_out NB(nb_interior_lay_out)

struct nb_interior; /* opaque */

/* The system is the caller's and must outlive it. The arrays are to be laid out before it begins, in memory of the
 * caller's, which may be anything between its runs. */
enum nb_status nb_interior_create(struct nb_interior **self, struct nb_nonsmooth *system, struct nb_error *error);
void nb_interior_lay_out(void *self, struct nb_arena *arena);
void nb_interior_free(struct nb_interior *self);

/* The system's point becomes p on the axes of the cones, u = u~; the natural norm ||(F, u)|| there. Implicit: with s as
 * part of each step, whose matrix is not symmetric then. */
nb_real nb_interior_begin(struct nb_interior *self, int implicit);

/* An iteration from the point that was evaluated last, by this or by begin; the norm where it ends. Why there is none
 * or no further one, NULL: there may be. */
const char *nb_interior_iterate(struct nb_interior *self, struct nb_run *run, nb_real *norm);

#endif
