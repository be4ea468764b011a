/* A block row of its own in a sweep: three bilateral rows, or a contact (precomputed_contact.h). */
#ifndef NB_BLOCK_RELAXATION_H
#define NB_BLOCK_RELAXATION_H

#include "solvers/block/block3.h"
#include "solvers/contact/precomputed_contact.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"

/* In the precision at hand. */
#define nb_local_bilateral NB(nb_local_bilateral)
#define nb_local_solve NB(nb_local_solve)
#define nb_nonsmooth_relax_block NB(nb_nonsmooth_relax_block)

/* x = A^-1 b for a symmetric positive definite 3x3; zero where it is not. */
static inline int nb_local_solve(const nb_real *a, const nb_real *b, nb_real *x)
{
    const nb_real c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
                  c2 = a[3] * a[7] - a[4] * a[6];
    const nb_real determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
    const nb_real least = NB_REAL(NB_UNIT_ROUNDOFF) * a[0] * a[4] * a[8];
    if (!(determinant > least))
        return 0;
    const nb_real scale = 1 / determinant;
    x[0] = scale * (c0 * b[0] + (a[2] * a[7] - a[1] * a[8]) * b[1] +
                    (a[1] * a[5] - a[2] * a[4]) * b[2]);
    x[1] = scale * (c1 * b[0] + (a[0] * a[8] - a[2] * a[6]) * b[1] +
                    (a[2] * a[3] - a[0] * a[5]) * b[2]);
    x[2] = scale * (c2 * b[0] + (a[1] * a[6] - a[0] * a[7]) * b[1] +
                    (a[0] * a[4] - a[1] * a[3]) * b[2]);
    return 1;
}

/* Moves p [3] of three bilateral rows to where they are solved, U = velocity at the present p; a little
 * where the block is singular. */
static inline void nb_local_bilateral(const nb_real *block, const nb_real *velocity, nb_real *p)
{
    nb_real change[3];
    if (!nb_local_solve(block, velocity, change))
        for (int r = 0; r < 3; ++r)
            change[r] = block[4 * r] > 0 ? velocity[r] / (3 * block[4 * r]) : 0;
    for (int r = 0; r < 3; ++r)
        p[r] -= change[r];
}

/* Moves p of block row i to where it is solved, velocity [3] = U without the compliance of bilateral
 * rows. change [3] is p's; returns its energy. */
static inline nb_real nb_nonsmooth_relax_block(struct nb_nonsmooth *system, int i, nb_real *velocity, nb_real *change)
{
    const struct NB(nb_model) *model = system->model;
    const nb_real *rho = system->rho + 3 * (size_t)i;
    nb_real *p = system->p + 3 * (size_t)i, energy = 0;
    const nb_real before[3] = {p[0], p[1], p[2]};
    if (i < model->bilateral_blocks) {
        NB(nb_block_apply)(model->bilateral_compliance + 9 * (size_t)i, p, change);
        for (int r = 0; r < 3; ++r)
            velocity[r] += change[r];
        nb_local_bilateral(system->local + 9 * (size_t)i, velocity, p);
    } else {
        NB(nb_precomputed_contact_solve)(system->contact + i - model->bilateral_blocks, velocity, p);
    }
    for (int r = 0; r < 3; ++r) {
        change[r] = p[r] - before[r];
        energy += change[r] * change[r] / rho[r];
    }
    return energy;
}

#endif
