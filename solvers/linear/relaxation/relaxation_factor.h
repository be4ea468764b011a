/* The relaxation factors of Jacobi, SOR and SSOR, as the CPU (relaxation.c, solvers/linear/krylov/lanczos.c) and a
 * CUDA device (solvers/cuda/step) estimate them alike:
 *
 *     Jacobi      omega = 1 / lambda_max(D^-1 A), by power iterations
 *     SOR, SSOR   omega = 2 / (1 + sqrt(1 - rho^2)), rho = 1 - lambda_min(D^-1 A) by Lanczos (Young 1954) */
#ifndef NB_RELAXATION_FACTOR_H
#define NB_RELAXATION_FACTOR_H

#include <stddef.h>

#include "solvers/precision.h"

#define nb_lanczos_matrix NB(nb_lanczos_matrix)
#define nb_sor_factor NB(nb_sor_factor)
#define nb_start_vector_entry NB(nb_start_vector_entry)

enum { NB_POWER_ITERATIONS = 10, NB_SOR_LANCZOS_STEPS = 10 };

/* Redundant contacts bring eigenvalues of nearly zero, which no sweep resolves; omega stays below 1.53. */
#define NB_SOR_LEAST_EIGENVALUE NB_REAL(0.05)

/* Entry i of D^(1/2) times the start vector of either: no eigenvector of low frequency resembles this hash. */
NB_BOTH nb_real nb_start_vector_entry(size_t i)
{
    return (nb_real)(1 + (double)((i * 2654435761u) >> 4 & 255u) / 256.0);
}

/* omega of SOR for the smallest eigenvalue `low`. */
NB_BOTH nb_real nb_sor_factor(nb_real low)
{
    const nb_real bounded = nb_min(nb_max(low, NB_SOR_LEAST_EIGENVALUE), 1);
    return 2 / (1 + nb_sqrt(bounded * (2 - bounded)));
}

/* The tridiagonal matrix [count] that conjugate gradients with these alpha and beta have built; beside[k] is between
 * k and k + 1 (Saad 2003, section 6.7.3). */
NB_BOTH void nb_lanczos_matrix(int count, const double *alpha, const double *beta, double *diagonal, double *beside)
{
    for (int k = 0; k < count; ++k) {
        diagonal[k] = 1 / alpha[k] + (k > 0 ? beta[k - 1] / alpha[k - 1] : 0);
        beside[k] = beta[k] > 0 ? sqrt(beta[k]) / alpha[k] : 0;
    }
}

#endif
