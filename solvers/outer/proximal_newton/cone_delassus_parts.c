/* Parts of a Newton step of rows, for a B = -dp/dU of the caller's own (cone.h): with c = dp at dU = 0
 *
 *     (1 + B D) dp = c,
 *
 * whose rows the LU scales: B goes from next to nothing where a contact opens to next to infinity where it
 * sticks. There c - B D dp would have no digits left; dp itself is the unknown. */
#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/cone_delassus.h"

void NB(nb_row_space_linearise)(struct NB(nb_cone) *cone)
{
    for (int i = 0; i < cone->model->bilateral_blocks; ++i)
        NB(nb_cone_bilateral_middle)(cone, i, cone->middle + 9 * (size_t)i);
}

enum nb_status NB(nb_row_space_factorise)(struct NB(nb_cone) *cone)
{
    static const nb_real none[9] = {0}, one[9] = {[0] = 1, [4] = 1, [8] = 1};
    struct NB(nb_row_space) *self = cone->self;
    for (int i = 0; i < cone->model->blocks; ++i)
        NB(nb_row_space_fill)(self, i, cone->left_out[i] ? none : cone->middle + 9 * (size_t)i, one);
    return NB(nb_cone_matrix_factorise)(self->newton);
}

void NB(nb_row_space_solve)(struct NB(nb_cone) *cone)
{
    struct NB(nb_row_space) *self = cone->self;
    for (size_t i = 0; i < cone->rows; ++i)
        self->solution[i] = (double)cone->step_p[i];
    NB(nb_cone_matrix_solve)(self->newton, self->solution);
    for (size_t i = 0; i < cone->rows; ++i)
        cone->step_p[i] = (nb_real)self->solution[i];
    NB(nb_bsr_multiply)(self->matrix, cone->step_p, cone->scratch, cone->model->threads);
    for (size_t i = 0; i < cone->rows; i += 3) {
        nb_real change[3];
        if (!cone->left_out[i / 3])
            continue;
        NB(nb_block_apply)(cone->middle + 3 * i, cone->scratch + i, change);
        for (size_t r = 0; r < 3; ++r)
            cone->step_p[i + r] -= change[r];
    }
}
