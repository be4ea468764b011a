/* Problems in the plane (spacedim 2), read as problems in space: private to problems/io.
 *
 * A contact (n, t) becomes (n, t, s) with a second tangent s that no motion of the plane has. A
 * mass of its own, at rest and free of force, gives u_s = r_s / m, so that r_s = 0 is part of a
 * solution and the disk |r_T| <= mu r_n is the interval |r_t| <= mu r_n: the solutions (u, r) of the
 * plane with u_s = r_s = 0 are solutions in space, and every method and measure serves both. The
 * mass is that of the other tangent, so that neither is scaled by the other: W_ss = W_tt, and in a
 * global problem 1/m = sum over d of H_dt^2 / M_dd. */
#ifndef NB_IO_FCLIB_PLANAR_H
#define NB_IO_FCLIB_PLANAR_H

#include "problems/io/parts.h"

/* Moves the entries' rows, or columns, of contacts to their places in space: 2 c + r to 3 c + r. */
void nb_planar_move(int count, int *index);

/* spacedim of the group of a linear file, 2 or 3; 3 of a nonlinear one, whose group is not read. */
int nb_read_dimension(struct nb_reader *reader, enum nb_form form);

/* A vector of contacts, [dimension c] in the file, as [3 c]: 0 along s. The caller frees. */
double *nb_read_contact_rows(struct nb_reader *reader, const char *name, int dimension,
                             int contacts);

/* A vector of velocities or impulses as [dofs]; of the plane the file has [dofs - c], and those of
 * the contacts' masses, the last, are 0. The caller frees. */
double *nb_read_velocities(struct nb_reader *reader, const char *name, int dimension, int dofs,
                           int contacts);

/* Adds W_ss = W_tt, or 1 where that is not positive, to a matrix already moved [3 c x 3 c]. */
void nb_planar_add_delassus(struct nb_reader *reader, struct nb_triplets *delassus, int contacts);

/* Adds a mass for each contact's s to M [n x n], which becomes [n + c], and its row to H, already
 * moved [n x 3 c]. */
void nb_planar_add_masses(struct nb_reader *reader, struct nb_triplets *mass, struct nb_triplets *h,
                          int dofs, int contacts);

#endif
