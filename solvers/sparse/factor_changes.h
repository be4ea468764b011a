/* Up- and downdates of a sparse factor for a matrix whose diagonal has changed in few places (Davis and Hager
 * 2001, CHOLMOD's Modify module):
 *
 *     A + sum_i d_i e_i e_i^T = L D L^T,   d_i > 0 as one update, d_i < 0 as one downdate. */
#ifndef NB_FACTOR_CHANGES_H
#define NB_FACTOR_CHANGES_H

#include <cholmod.h>

#include "problems/base/status.h"

struct nb_factor_changes; /* opaque: the values that were factorised */

/* limit: share of the diagonal that may change, in (0, 1]. The matrix is a lower triangle, packed. */
enum nb_status nb_factor_changes_create(struct nb_factor_changes **changes, const cholmod_sparse *matrix,
                                        double limit, struct nb_error *error);

/* A full factorisation of these values has succeeded. */
void nb_factor_changes_keep(struct nb_factor_changes *changes, const cholmod_sparse *matrix);

/* Changes the factor to one of the matrix; 0 where that has to be factorised: too much has changed, anything
 * beside the diagonal has, twenty updates have gathered rounding, or the result is not positive definite. */
int nb_factor_changes_apply(struct nb_factor_changes *changes, const cholmod_sparse *matrix,
                            cholmod_factor *factor, cholmod_common *common);

long nb_factor_changes_count(const struct nb_factor_changes *changes);
void nb_factor_changes_free(struct nb_factor_changes *changes);

#endif
