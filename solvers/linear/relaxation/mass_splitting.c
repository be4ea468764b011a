/* P_i = A_ii + the shares of the other contacts in the masses of row i's bodies (Tonge, Benevolenski and Voroshilov
 * 2012), or the sums of |A| over the rows, inverted block by block; the low end of P^-1 A by Lanczos. */
#include "solvers/linear/relaxation/mass_splitting.h"

#include <stdlib.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/linear/krylov/lanczos.h"
#include "solvers/linear/relaxation/relaxation.h"
#include "solvers/model/model.h"

enum { ESTIMATE_STEPS = 12 };

void nb_mass_splitting_free(void *self)
{
    struct nb_mass_splitting *split = self;
    if (split)
        free(split->memory);
    free(split);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_mass_splitting *split = data;
    NB_ARRAY(arena, split->inverse, 9 * (size_t)split->blocks);
    NB_ARRAY(arena, split->work, 12 * (size_t)split->blocks);
}

enum nb_status nb_mass_splitting_setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    struct nb_mass_splitting *split = calloc(1, sizeof *split);
    *self = split;
    if (!split)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for mass splitting");
    split->blocks = op->matrix->rows;
    split->memory = nb_arena_allocate(lay_out, split);
    return split->memory ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for mass splitting");
}

/* block += sum over nodes of (n - 1) L J H^-1 J^T L */
static void add_shares(const struct nb_operator *op, int i, nb_real *block)
{
    const struct nb_model *model = op->model;
    const struct nb_bsr *jacobian = &model->jacobian;
    const nb_real *scale = op->row_scale + 3 * (size_t)i;
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        const int node = jacobian->column[k];
        const nb_real others = (nb_real)(model->node_start[node + 1] - model->node_start[node] - 1);
        nb_matrix weighted[9];
        nb_real share[9] = {0};
        nb_block_multiply(jacobian->value + 9 * (size_t)k, model->inverse_mass + 9 * (size_t)node, weighted);
        nb_block_add_product(weighted, jacobian->value + 9 * (size_t)k, share);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                block[3 * r + c] += others * scale[r] * share[3 * r + c] * scale[c];
    }
}

static void row_sums(const struct nb_bsr *matrix, int i, nb_real *block)
{
    for (int e = 0; e < 9; ++e)
        block[e] = 0;
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
        for (int e = 0; e < 9; ++e)
            block[4 * (e / 3)] += nb_abs((nb_real)matrix->value[9 * (size_t)k + (size_t)e]);
}

static enum nb_status invert_blocks(struct nb_mass_splitting *split,
                                    const struct nb_operator *op, struct nb_error *error)
{
    const int bodies = op->model && op->model->inertia_kind == NB_INERTIA_BLOCKS && op->row_scale;
    for (int i = 0; i < split->blocks; ++i) {
        nb_real block[9] = {0};
        if (bodies) {
            nb_bsr_diagonal_block(op->matrix, i, block);
            add_shares(op, i, block);
        } else {
            row_sums(op->matrix, i, block);
        }
        if (!nb_block_invert_spd(block, split->inverse + 9 * (size_t)i))
            return nb_fail(error, NB_BREAKDOWN, "mass splitting: block %d is not positive definite", i);
    }
    return NB_OK;
}

void nb_mass_splitting_apply(const void *context, const nb_real *r, nb_real *z)
{
    const struct nb_mass_splitting *split = context;
    for (int i = 0; i < split->blocks; ++i)
        nb_block_apply(split->inverse + 9 * (size_t)i, r + 3 * (size_t)i, z + 3 * (size_t)i);
}

enum nb_status nb_mass_splitting_update(void *self, struct nb_operator *op, struct nb_error *error)
{
    struct nb_mass_splitting *split = self;
    enum nb_status status = nb_check_diagonal(op, error);
    if (!status)
        status = invert_blocks(split, op, error);
    if (status)
        return status;
    const struct nb_spectrum spectrum =
        nb_lanczos(op, nb_mass_splitting_apply, split, ESTIMATE_STEPS, split->work);
    op->applications += spectrum.products;
    split->low = nb_min(spectrum.low, 1);
    return NB_OK;
}
