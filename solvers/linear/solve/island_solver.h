/* Block-diagonal decomposition by connected components: the islands of the operator, the components of its graph, are
 * systems of their own, each with its solver and preconditioner, solved in parallel; and the same in another precision,
 * all rows being one island if not asked otherwise, with iterative refinement in the run's own (Wilkinson 1963; Higham
 * 2002, section 12.1):
 *
 *     r = b - A x,   solve  (S A S + E) d = S r  in the lower precision,   x += S d,   S ~ diag A ^-1/2
 *
 * S being powers of two, so that scaling rounds nothing and no entry leaves the range of f16: the diagonal lies
 * between 1/2 and 4, and where A is positive definite no entry is larger. f16 and bf16 are float32
 * arithmetic with matrix entries rounded to 11 and 8 bits. Products read them from 16-bit storage
 * (solvers/block/product.h), the diagonal in float32; preconditioners and sweeps use the same numbers in
 * float32. Tolerances are of r in the norm of (diag A)^-1. Rounding may
 * make a nearly singular matrix indefinite; E is the diagonal matrix u sum_j |(S A S)_ij| that keeps it positive
 * definite, and refinement undoes it. */
#ifndef NB_ISLAND_SOLVER_H
#define NB_ISLAND_SOLVER_H

#include "solvers/strategy.h"

#define nb_island_solver_create NB(nb_island_solver_create)
#define nb_island_solver_free NB(nb_island_solver_free)
#define nb_island_solver_restart NB(nb_island_solver_restart)
#define nb_island_solver_solve NB(nb_island_solver_solve)
#define nb_island_solver_update NB(nb_island_solver_update)

struct NB(nb_island_solver); /* opaque */

/* value: of the common settings of the linear solver. The operator must be assembled. */
enum nb_status nb_island_solver_create(struct NB(nb_island_solver) **solver, struct nb_operator *op,
                                   const struct nb_options *options, const double *value,
                                   struct nb_error *error);
void nb_island_solver_free(struct NB(nb_island_solver) *solver);
enum nb_status nb_island_solver_update(struct NB(nb_island_solver) *solver, struct nb_error *error);
/* A run begins: forgets what the islands carry from one matrix to the next. */
void nb_island_solver_restart(struct NB(nb_island_solver) *solver);

/* With islands, the iterations are those of the island that took most, and only the end is observed. */
struct nb_linear_report nb_island_solver_solve(struct NB(nb_island_solver) *solver,
                                           const struct nb_linear_task *task);

#endif
