/* 3x3 blocks, row-major, in the present precision. */
#ifndef NB_BLOCK3_H
#define NB_BLOCK3_H

#include "solvers/precision.h"

/* c = a b */
static inline void NB(nb_block_multiply)(const nb_matrix *a, const nb_real *b, nb_matrix *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] = (nb_matrix)(a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] +
                                       a[3 * i + 2] * b[6 + j]);
}

/* c += a b^T */
static inline void NB(nb_block_add_product)(const nb_matrix *a, const nb_matrix *b, nb_real *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] += (nb_real)(a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] +
                                      a[3 * i + 2] * b[3 * j + 2]);
}

/* y = a x, y += a x, y += a^T x for vectors of three */
static inline void NB(nb_block_apply)(const nb_real *a, const nb_real *x, nb_real *y)
{
    for (int i = 0; i < 3; ++i)
        y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}
static inline void NB(nb_block_apply_add)(const nb_matrix *a, const nb_real *x, nb_real *y)
{
    for (int i = 0; i < 3; ++i)
        y[i] += (nb_real)(a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2]);
}
static inline void NB(nb_block_apply_transposed_add)(const nb_matrix *a, const nb_real *x,
                                                     nb_real *y)
{
    for (int j = 0; j < 3; ++j)
        y[j] += (nb_real)(a[j] * x[0] + a[3 + j] * x[1] + a[6 + j] * x[2]);
}

#endif
