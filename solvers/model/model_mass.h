/* M itself, where most of the model needs H^-1 only: for methods that keep velocities. There is none of a local
 * problem (NB_INERTIA_DELASSUS). */
#ifndef NB_MODEL_MASS_H
#define NB_MODEL_MASS_H

#include "solvers/block/block3.h"
#include "solvers/model/model.h"

#define nb_mass_blocks NB(nb_mass_blocks)
#define nb_mass_multiply NB(nb_mass_multiply)
#define nb_mass_invert NB(nb_mass_invert)

/* inverse [9] = L^-T L^-1 of a symmetric positive definite block, summed in order; zero, and inverse untouched,
 * where it is not. */
static inline int nb_mass_invert(const nb_real *block, nb_real *inverse)
{
    nb_real factor[9];
    if (!nb_block_invert_factor(block, factor))
        return 0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            nb_real sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += factor[3 * k + r] * factor[3 * k + c];
            inverse[3 * r + c] = sum;
        }
    return 1;
}

/* blocks [9 nodes], zero on entry: the 3x3 diagonal blocks of M, 1 where nodes are padding. */
void nb_mass_blocks(const struct nb_model *model, nb_real *blocks);

/* out [3 nodes] = M u; blocks as above. */
void nb_mass_multiply(const struct nb_model *model, const nb_real *blocks, const nb_real *u, nb_real *out);

#endif
