/* 3x3 blocks, row-major, in the present precision. */
#ifndef NB_BLOCK3_H
#define NB_BLOCK3_H

#include "solvers/precision.h"

#define nb_block_add_product NB(nb_block_add_product)
#define nb_block_apply NB(nb_block_apply)
#define nb_block_apply_add NB(nb_block_apply_add)
#define nb_block_apply_transposed_add NB(nb_block_apply_transposed_add)
#define nb_block_invert NB(nb_block_invert)
#define nb_block_invert_factor NB(nb_block_invert_factor)
#define nb_block_invert_spd NB(nb_block_invert_spd)
#define nb_block_lower_apply NB(nb_block_lower_apply)
#define nb_block_lower_apply_transposed NB(nb_block_lower_apply_transposed)
#define nb_block_multiply NB(nb_block_multiply)
#define nb_block_times NB(nb_block_times)
#define nb_block_transposed_apply_add NB(nb_block_transposed_apply_add)

/* c = a b */
NB_BOTH void nb_block_multiply(const nb_matrix *a, const nb_real *b, nb_matrix *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] = (nb_matrix)(a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] +
                                       a[3 * i + 2] * b[6 + j]);
}

/* The same in the state's precision. */
NB_BOTH void nb_block_times(const nb_real *a, const nb_real *b, nb_real *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* c += a b^T */
NB_BOTH void nb_block_add_product(const nb_matrix *a, const nb_matrix *b, nb_real *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] += (nb_real)(a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] +
                                      a[3 * i + 2] * b[3 * j + 2]);
}

NB_BOTH nb_real NB(nb_dot3)(const nb_real *a, const nb_real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b, which overlaps neither. */
NB_BOTH void NB(nb_cross3)(const nb_real *a, const nb_real *b, nb_real *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* y = a x, y += a x, y += a^T x for vectors of three */
NB_BOTH void nb_block_apply(const nb_real *a, const nb_real *x, nb_real *y)
{
    for (int i = 0; i < 3; ++i)
        y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}
NB_BOTH void nb_block_apply_add(const nb_matrix *a, const nb_real *x, nb_real *y)
{
    for (int i = 0; i < 3; ++i)
        y[i] += (nb_real)(a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2]);
}
NB_BOTH void nb_block_apply_transposed_add(const nb_matrix *a, const nb_real *x,
                                                 nb_real *y)
{
    for (int j = 0; j < 3; ++j)
        y[j] += (nb_real)(a[j] * x[0] + a[3 + j] * x[1] + a[6 + j] * x[2]);
}

NB_BOTH void nb_block_transposed_apply_add(const nb_real *a, const nb_real *x, nb_real *y)
{
    for (int j = 0; j < 3; ++j)
        y[j] += a[j] * x[0] + a[3 + j] * x[1] + a[6 + j] * x[2];
}

/* out = a^-1, general. */
NB_BOTH void nb_block_invert(const nb_real *a, nb_real *out)
{
    const nb_real c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
                  c2 = a[3] * a[7] - a[4] * a[6];
    const nb_real scale = 1 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
    out[0] = scale * c0, out[3] = scale * c1, out[6] = scale * c2;
    out[1] = scale * (a[2] * a[7] - a[1] * a[8]);
    out[4] = scale * (a[0] * a[8] - a[2] * a[6]);
    out[7] = scale * (a[1] * a[6] - a[0] * a[7]);
    out[2] = scale * (a[1] * a[5] - a[2] * a[4]);
    out[5] = scale * (a[2] * a[3] - a[0] * a[5]);
    out[8] = scale * (a[0] * a[4] - a[1] * a[3]);
}

/* inverse = L^-1 of the Cholesky factor a = L L^T, lower triangular with zeros above; the upper
 * triangle of a is not read. Zero where a is not positive definite. */
NB_BOTH int nb_block_invert_factor(const nb_real *a, nb_real *inverse)
{
    const nb_real l00 = nb_sqrt(a[0]), l10 = a[3] / l00, l20 = a[6] / l00;
    const nb_real l11 = nb_sqrt(a[4] - l10 * l10), l21 = (a[7] - l20 * l10) / l11;
    const nb_real l22 = nb_sqrt(a[8] - l20 * l20 - l21 * l21);
    if (!(l00 > 0 && l11 > 0 && l22 > 0)) /* negative roots are NaN */
        return 0;
    inverse[0] = 1 / l00, inverse[4] = 1 / l11, inverse[8] = 1 / l22;
    inverse[3] = -l10 * inverse[0] * inverse[4];
    inverse[7] = -l21 * inverse[4] * inverse[8];
    inverse[6] = -(l20 * inverse[0] + l21 * inverse[3]) * inverse[8];
    inverse[1] = inverse[2] = inverse[5] = 0;
    return 1;
}

/* inverse = a^-1 = L^-T L^-1; zero where a is not positive definite. */
NB_BOTH int nb_block_invert_spd(const nb_real *a, nb_real *inverse)
{
    nb_real l[9];
    if (!nb_block_invert_factor(a, l))
        return 0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            inverse[3 * r + c] = l[r] * l[c] + l[3 + r] * l[3 + c] + l[6 + r] * l[6 + c];
    return 1;
}

/* y = l x and y = l^T x for lower triangular l. */
NB_BOTH void nb_block_lower_apply(const nb_real *l, const nb_real *x, nb_real *y)
{
    y[0] = l[0] * x[0];
    y[1] = l[3] * x[0] + l[4] * x[1];
    y[2] = l[6] * x[0] + l[7] * x[1] + l[8] * x[2];
}
NB_BOTH void nb_block_lower_apply_transposed(const nb_real *l, const nb_real *x, nb_real *y)
{
    y[0] = l[0] * x[0] + l[3] * x[1] + l[6] * x[2];
    y[1] = l[4] * x[1] + l[7] * x[2];
    y[2] = l[8] * x[2];
}

#endif
