/* Newton steps of rows by the spanning ones (reduced_rows.h): with A^-1 and B as of bodies (cone_bodies.c),
 *
 *     dp = -A^-1 F - B D dp.
 *
 * B of a sticking contact is next to infinity, and magnifies the round-off of D dp: what the rows' own equation
 * leaves is found, and answered, until it is far below what an inexact step may leave. Where that does not
 * come about the rows' own factor takes the step. */
#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/cone_delassus.h"

enum { REFINEMENTS = 4 };
#define REFINED NB_REAL(1e-2) /* of what an inexact step may leave */

/* out = -F - ((1 - P') + P' rho (D + E/h^2 + W)) dp; returns ||out||, in the energy norm. */
static nb_real find_rest(struct NB(nb_cone) *cone, const nb_real *dp, nb_real *out)
{
    const struct NB(nb_row_space) *self = cone->self;
    nb_real energy = 0;
    NB(nb_bsr_multiply)(self->matrix, dp, out, cone->model->threads);
    for (int i = 0; i < cone->model->blocks; ++i) {
        nb_real left[9], diagonal[9], own[3], part[3];
        NB(nb_row_space_linear)(cone, i, left, diagonal);
        NB(nb_block_apply)(left, out + 3 * i, part);
        NB(nb_block_apply)(diagonal, dp + 3 * i, own);
        for (int r = 3 * i; r < 3 * i + 3; ++r) {
            out[r] = -cone->residual[r] - (part[r - 3 * i] + own[r - 3 * i]);
            energy += out[r] * out[r] / cone->rho[r];
        }
    }
    return nb_sqrt(energy);
}

/* step_p += what the spanning rows give for that rest. */
static void add_answer(struct NB(nb_cone) *cone, const nb_real *rest)
{
    struct NB(nb_row_space) *self = cone->self;
    for (size_t i = 0; i < cone->rows; i += 3)
        NB(nb_block_apply)(self->inverse + 3 * i, rest + i, self->change + i);
    NB(nb_reduced_rows_solve)(self->reduced, cone->middle, self->change);
    for (size_t i = 0; i < cone->rows; ++i)
        cone->step_p[i] += self->change[i];
}

enum nb_status NB(nb_row_space_reduced_direction)(struct NB(nb_cone) *cone)
{
    struct NB(nb_row_space) *self = cone->self;
    const int bilateral = cone->model->bilateral_blocks;
    for (int i = 0; i < cone->model->blocks; ++i) {
        NB(nb_cone_eliminate)(cone, i, self->inverse + 9 * (size_t)i, cone->middle + 9 * (size_t)i);
        cone->left_out[i] = i >= bilateral && cone->middle[9 * (size_t)i] == 0; /* open */
    }
    cone->products = 0;
    if (NB(nb_reduced_rows_factorise)(self->reduced, cone->middle, cone->left_out))
        return NB_BREAKDOWN;
    for (size_t i = 0; i < cone->rows; ++i) {
        cone->step_p[i] = 0;
        cone->scratch[i] = -cone->residual[i];
    }
    add_answer(cone, cone->scratch);
    nb_real rest = find_rest(cone, cone->step_p, cone->scratch);
    for (int k = 0; k < REFINEMENTS && rest > REFINED * cone->tolerance; ++k) {
        add_answer(cone, cone->scratch);
        rest = find_rest(cone, cone->step_p, cone->scratch);
    }
    return rest <= cone->tolerance ? NB_OK : NB_BREAKDOWN;
}
