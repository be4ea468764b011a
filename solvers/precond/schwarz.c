/* Overlapping additive Schwarz over bodies: all contacts of one body are solved together, exactly, and
 * every contact takes the mean of what its two bodies say,
 *
 *     P^-1 = sum over bodies k of X R_k^T (R_k A R_k^T)^-1 R_k X,  X = 1 / sqrt(bodies of the contact)
 *
 * The contacts of a body are a clique of A, small and dense, so that a local solve needs no fill; a heavy
 * body's contacts, which relaxation brings into balance one by one, are balanced at once. */
#include "solvers/precond/parts/subdomains.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_subdomains_setup)(self, op, NB_SUBDOMAINS_OVERLAPPING, "schwarz", error);
}

const struct NB(nb_precond) NB(nb_precond_schwarz) = {
    .name = "schwarz",
    .title = "overlapping exact solves of each body's contacts",
    .source = "ours; Toselli and Widlund 2005, section 1.5, of additive Schwarz methods",
    .setup = setup,
    .update = NB(nb_subdomains_update),
    .apply = NB(nb_subdomains_apply),
    .free = NB(nb_subdomains_free),
};
