/* The factor omega of sor and ssor, as the CPU (relaxation.c) and a CUDA device (solvers/cuda/step/lanczos_stages.cuh)
 * choose it alike: Young's optimum for the smallest eigenvalue of D^-1 A that a few Lanczos steps see. */
#ifndef NB_SWEEP_FACTOR_H
#define NB_SWEEP_FACTOR_H

#include "solvers/precision.h"

enum { NB_SWEEP_FACTOR_STEPS = 10 };

/* Redundant contacts bring eigenvalues of nearly zero, which no sweep resolves; omega stays below 1.53. */
#define NB_SWEEP_LEAST_EIGENVALUE NB_REAL(0.05)

/* 2 / (1 + sqrt(1 - rho^2)) with rho = 1 - low (Young 1954). */
NB_BOTH nb_real NB(nb_sweep_factor)(nb_real low)
{
    const nb_real bounded = nb_min(nb_max(low, NB_SWEEP_LEAST_EIGENVALUE), 1);
    return 2 / (1 + nb_sqrt(bounded * (2 - bounded)));
}

/* The tridiagonal matrix [count] that conjugate gradients with these alpha and beta have built; beside[k] is between
 * k and k + 1 (Saad 2003, section 6.7.3). */
NB_BOTH void NB(nb_lanczos_matrix)(int count, const double *alpha, const double *beta, double *diagonal, double *beside)
{
    for (int k = 0; k < count; ++k) {
        diagonal[k] = 1 / alpha[k] + (k > 0 ? beta[k - 1] / alpha[k - 1] : 0);
        beside[k] = beta[k] > 0 ? sqrt(beta[k]) / alpha[k] : 0;
    }
}

#endif
