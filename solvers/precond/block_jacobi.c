/* Block Jacobi: P is the diagonal of A in blocks, each solved exactly. A block is one contact (3x3), the
 * contacts of one body (each contact goes with one of its two), or an island, where this is the exact
 * solution for all islands of up to 64 contacts; larger ones are cut by bodies. */
#include "solvers/precond/parts/subdomains.h"

#include <stdlib.h>

#include "solvers/block/block3.h"

enum { CONTACT, BODY, ISLAND };

static const struct nb_setting settings[] = {
    {.name = "over", .choices = "contact,body,island", .meaning = "what a block is"},
    {.name = NULL}};

struct block_jacobi {
    void *subdomains;  /* or else                  */
    nb_real *inverse;  /* [9 blocks], of contacts  */
};

static void release(void *self)
{
    struct block_jacobi *jacobi = self;
    if (!jacobi)
        return;
    NB(nb_subdomains_free)(jacobi->subdomains);
    free(jacobi->inverse);
    free(jacobi);
}

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    *self = NULL;
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED, "block_jacobi needs the assembled operator");
    struct block_jacobi *jacobi = calloc(1, sizeof *jacobi);
    const int over = (int)op->precond_setting[0];
    *self = jacobi;
    if (!jacobi)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for block_jacobi");
    if (over != CONTACT)
        return NB(nb_subdomains_setup)(&jacobi->subdomains, op,
                                       over == BODY ? NB_SUBDOMAINS_BODIES : NB_SUBDOMAINS_ISLANDS,
                                       "block_jacobi", error);
    jacobi->inverse = malloc((3 * op->size + 1) * sizeof *jacobi->inverse);
    return jacobi->inverse ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for block_jacobi");
}

static enum nb_status update(void *self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    const struct block_jacobi *jacobi = self;
    if (jacobi->subdomains)
        return NB(nb_subdomains_update)(jacobi->subdomains, op, error);
    for (int i = 0; i < op->matrix->rows; ++i) {
        nb_real block[9];
        NB(nb_bsr_diagonal_block)(op->matrix, i, block);
        if (!NB(nb_block_invert_spd)(block, jacobi->inverse + 9 * (size_t)i))
            return nb_fail(error, NB_BREAKDOWN,
                           "block_jacobi: diagonal block %d is not positive definite", i);
    }
    return NB_OK;
}

static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    const struct block_jacobi *jacobi = self;
    if (jacobi->subdomains) {
        NB(nb_subdomains_apply)(jacobi->subdomains, op, r, z);
        return;
    }
    for (size_t i = 0; i < op->size / 3; ++i)
        NB(nb_block_apply)(jacobi->inverse + 9 * i, r + 3 * i, z + 3 * i);
}

const struct NB(nb_precond) NB(nb_precond_block_jacobi) = {
    .name = "block_jacobi",
    .title = "diagonal blocks of contacts, bodies or islands",
    .source = "Saad 2003, section 4.1.1",
    .settings = settings,
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = release,
};
