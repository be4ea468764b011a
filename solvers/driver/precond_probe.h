/* Is a preconditioner what Krylov methods assume? */
#ifndef NB_PRECOND_PROBE_H
#define NB_PRECOND_PROBE_H

#include "problems/base/status.h"
#include "problems/problem.h"
#include "solvers/precision.h"

#define nb_precond_probe NB(nb_precond_probe)

/* Tries P^-1 of that name on a given symmetric positive definite matrix [rows: a multiple of 3], or, NULL, on a chain
 * of contacts between bodies whose masses differ by up to 1e4: whether it writes all of z and nothing else, is finite,
 * linear, symmetric (y . P^-1 x = x . P^-1 y) and positive definite (x . P^-1 x > 0). NB_BREAKDOWN with what is wrong;
 * NB_UNSUPPORTED where it cannot be tried. */
enum nb_status nb_precond_probe(const char *name, const struct nb_csr *given, struct nb_error *error);

#endif
