/* The Chebyshev semi-iteration (Golub and Varga 1961; Saad 2003, algorithm 12.1): no inner products. */
#ifndef NB_CHEBYSHEV_H
#define NB_CHEBYSHEV_H

#include "solvers/linear/krylov/lanczos.h"
#include "solvers/strategy.h"

#define nb_chebyshev_interval NB(nb_chebyshev_interval)
#define nb_chebyshev_solve NB(nb_chebyshev_solve)

/* Solves with P^-1 as given, whose P^-1 A has its eigenvalues in [spectrum.low, spectrum.high], or in what
 * nb_chebyshev_interval makes of it; smaller ones converge slowly, larger ones diverge. work [4 n]. */
struct nb_linear_report nb_chebyshev_solve(const struct nb_linear_task *task, nb_lanczos_precond *precond,
                                           const void *context,
                                           struct nb_spectrum spectrum, nb_real *work);

/* The interval that `iterations` iterations can flatten. Over [low, high] they leave an error of
 * 2 exp(-2 iterations sqrt(low / high)); a smaller low would leave more of everything, for the sake of
 * modes that are out of reach. So low is raised until that is 2 exp(-8), and kept apart from high. */
struct nb_spectrum nb_chebyshev_interval(struct nb_spectrum spectrum, int iterations);

#endif
