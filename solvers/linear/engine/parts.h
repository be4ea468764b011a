/* A linear solve in parts, each a system of its own with its own solver and preconditioner: the islands of
 * the operator (the components of its graph), solved in parallel, and the same in another precision with
 * iterative refinement in the run's own (Wilkinson 1963; Higham 2002, section 12.1):
 *
 *     r = b - A x,   solve  (S A S + E) d = S r  in the lower precision,   x += S d,   S ~ diag A ^-1/2
 *
 * S being powers of two, so that scaling rounds nothing and no entry leaves the range of f16: the diagonal lies
 * between 1/2 and 4, and where A is positive definite no entry is larger. tf32, f16 and bf16 are float32
 * arithmetic with matrix entries rounded to 11, 11 and 8 bits. Products read the latter two from 16-bit storage
 * (solvers/block/product.h), the diagonal in float32; preconditioners and sweeps use the same numbers in
 * float32, and tf32 is stored so throughout: its accuracy, not its speed. Tolerances are of S r. Rounding may
 * make a nearly singular matrix indefinite; E is the diagonal matrix u sum_j |(S A S)_ij| that keeps it positive
 * definite, and refinement undoes it. */
#ifndef NB_PARTS_H
#define NB_PARTS_H

#include "solvers/strategy.h"

struct NB(nb_parts); /* opaque */

/* value: of the common settings of the linear solver. The operator must be assembled. */
enum nb_status NB(nb_parts_create)(struct NB(nb_parts) **parts, struct NB(nb_operator) *op,
                                   const struct nb_options *options, const double *value,
                                   struct nb_error *error);
void NB(nb_parts_free)(struct NB(nb_parts) *parts);
enum nb_status NB(nb_parts_update)(struct NB(nb_parts) *parts, struct nb_error *error);
/* A run begins: forgets what the parts carry from one matrix to the next. */
void NB(nb_parts_restart)(struct NB(nb_parts) *parts);

/* With islands, the iterations are those of the island that took most, and only the end is observed. */
struct nb_linear_report NB(nb_parts_solve)(struct NB(nb_parts) *parts,
                                           const struct NB(nb_linear_task) *task);

#endif
