/* Power iterations for the largest eigenvalue of D^-1 A, and the start of Lanczos steps for its smallest one: what
 * solvers/linear/engine/relaxation.c, lanczos.c and the CUDA device have to do alike, so that all relax by the same
 * factor. */
#ifndef NB_POWER_START_H
#define NB_POWER_START_H

#include <stddef.h>

#include "solvers/precision.h"

enum { NB_POWER_ITERATIONS = 10 };

/* Entry i of D^(1/2) times the start: no eigenvector of low frequency resembles this hash. */
NB_BOTH nb_real NB(nb_power_start)(size_t i)
{
    return (nb_real)(1 + (double)((i * 2654435761u) >> 4 & 255u) / 256.0);
}

#endif
