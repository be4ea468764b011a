/* Parts of a Newton step of rows, for a B = -dp/dU of the caller's own (nonsmooth_system.h): with c = dp at dU = 0
 *
 *     (1 + B D) dp = c,
 *
 * whose rows the LU scales: B goes from next to nothing where a contact opens to next to infinity where it
 * sticks. There c - B D dp would have no digits left; dp itself is the unknown. */
#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/dual_system.h"

void nb_dual_system_linearise(struct nb_nonsmooth *system)
{
    for (int i = 0; i < system->model->bilateral_blocks; ++i)
        nb_nonsmooth_bilateral_tangent(system, i, system->contact_tangent + 9 * (size_t)i);
}

enum nb_status nb_dual_system_factorise(struct nb_nonsmooth *system)
{
    static const nb_real none[9] = {0}, one[9] = {[0] = 1, [4] = 1, [8] = 1};
    struct nb_dual_system *self = system->self;
    for (int i = 0; i < system->model->blocks; ++i)
        nb_dual_system_fill_row(self, i, system->left_out[i] ? none : system->contact_tangent + 9 * (size_t)i, one);
    return nb_newton_matrix_factorise(self->newton);
}

void nb_dual_system_solve(struct nb_nonsmooth *system)
{
    struct nb_dual_system *self = system->self;
    for (size_t i = 0; i < system->rows; ++i)
        self->solution[i] = (double)system->step_p[i];
    nb_newton_matrix_solve(self->newton, self->solution);
    for (size_t i = 0; i < system->rows; ++i)
        system->step_p[i] = (nb_real)self->solution[i];
    NB(nb_bsr_multiply)(self->matrix, system->step_p, system->scratch, system->model->threads);
    for (size_t i = 0; i < system->rows; i += 3) {
        nb_real change[3];
        if (!system->left_out[i / 3])
            continue;
        NB(nb_block_apply)(system->contact_tangent + 3 * i, system->scratch + i, change);
        for (size_t r = 0; r < 3; ++r)
            system->step_p[i + r] -= change[r];
    }
}
