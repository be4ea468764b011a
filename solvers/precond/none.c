/* P = 1. */
#include <string.h>

#include "solvers/strategy.h"

static void apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    (void)self;
    memcpy(z, r, op->size * sizeof *z);
}

const struct nb_precond NB(nb_precond_none) = {
    .name = "none",
    .title = "no preconditioner",
    .source = "",
    .apply = apply,
    .products_only = 1,
};
