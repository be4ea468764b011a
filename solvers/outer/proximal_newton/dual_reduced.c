/* Newton steps of rows by a basis of them (reduced_matrix.h): with A^-1 and B as of bodies (primal_system.c),
 *
 *     dp = -A^-1 F - B W dp.
 *
 * B of a sticking contact is next to infinity, and magnifies the round-off of W dp: what the rows' own equation
 * leaves is found, and answered, until it is far below the residual of the step. Where that does not come about the
 * rows' own factor takes the step. */
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/dual_system.h"
#include "solvers/outer/proximal_newton/parameters.h"

/* out = -F - ((1 - P') + P' rho (W + E/h^2 + Sigma)) dp; returns ||out||, in the energy norm. */
static nb_real row_residual(struct nb_nonsmooth *system, const nb_real *dp, nb_real *out)
{
    const struct nb_dual_system *self = system->self;
    nb_real energy = 0;
    NB(nb_bsr_multiply)(self->matrix, dp, out, system->model->threads);
    for (int i = 0; i < system->model->blocks; ++i) {
        nb_real left[9], diagonal[9], own[3], part[3];
        nb_dual_system_row_block(system, i, left, diagonal);
        NB(nb_block_apply)(left, out + 3 * i, part);
        NB(nb_block_apply)(diagonal, dp + 3 * i, own);
        for (int r = 3 * i; r < 3 * i + 3; ++r) {
            out[r] = -system->residual[r] - (part[r - 3 * i] + own[r - 3 * i]);
            energy += out[r] * out[r] / system->rho[r];
        }
    }
    return nb_sqrt(energy);
}

/* step_p += what the basis rows give for that residual. */
static void add_reduced_correction(struct nb_nonsmooth *system, const nb_real *residual)
{
    struct nb_dual_system *self = system->self;
    for (size_t i = 0; i < system->rows; i += 3)
        NB(nb_block_apply)(self->inverse + 3 * i, residual + i, self->change + i);
    nb_reduced_matrix_solve(self->reduced, system->contact_tangent, self->change);
    for (size_t i = 0; i < system->rows; ++i)
        system->step_p[i] += self->change[i];
}

enum nb_status nb_dual_system_reduced_direction(struct nb_nonsmooth *system)
{
    struct nb_dual_system *self = system->self;
    const int bilateral = system->model->bilateral_blocks;
    for (int i = 0; i < system->model->blocks; ++i) {
        nb_nonsmooth_eliminate(system, i, self->inverse + 9 * (size_t)i, system->contact_tangent + 9 * (size_t)i);
        system->left_out[i] = i >= bilateral && system->contact_tangent[9 * (size_t)i] == 0; /* open */
    }
    if (nb_reduced_matrix_factorise(self->reduced, system->contact_tangent, system->left_out))
        return NB_BREAKDOWN;
    memset(system->step_p, 0, system->rows * sizeof *system->step_p);
    const nb_real norm = row_residual(system, system->step_p, system->scratch);
    nb_real residual = norm;
    for (int k = 0; k < NB_REFINEMENTS && residual > NB_REFINED * norm; ++k) {
        add_reduced_correction(system, system->scratch);
        residual = row_residual(system, system->step_p, system->scratch);
    }
    return residual <= NB_INEXACT * norm ? NB_OK : NB_BREAKDOWN;
}
