/* The Jordan algebra of the second-order cone |a_t| <= a_0 in three dimensions, and the scaling W of
 * Nesterov and Todd, W = beta (2 v v^T - diag(1, -1, -1)), which takes x and W^-1 z to one point
 * (Andersen, Dahl and Vandenberghe 2003; Vandenberghe 2010, section 4). */
#ifndef NB_JORDAN3_H
#define NB_JORDAN3_H

#include "solvers/precision.h"

/* a_0^2 - |a_t|^2 */
static inline nb_real NB(nb_jordan_determinant)(const nb_real *a)
{
    const nb_real length = nb_sqrt(a[1] * a[1] + a[2] * a[2]);
    return (a[0] - length) * (a[0] + length);
}

/* c = a o b */
static inline void NB(nb_jordan_product)(const nb_real *a, const nb_real *b, nb_real *c)
{
    c[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    c[1] = a[0] * b[1] + b[0] * a[1];
    c[2] = a[0] * b[2] + b[0] * a[2];
}

/* c with a o c = b, a inside the cone */
static inline void NB(nb_jordan_divide)(const nb_real *a, const nb_real *b, nb_real *c)
{
    const nb_real determinant = NB(nb_jordan_determinant)(a), dot = a[1] * b[1] + a[2] * b[2];
    c[0] = (a[0] * b[0] - dot) / determinant;
    for (int k = 1; k < 3; ++k)
        c[k] = (b[k] - a[k] * c[0]) / a[0];
}

/* The largest t with a + t d in the cone, a inside it. */
static inline nb_real NB(nb_jordan_reach)(const nb_real *a, const nb_real *d)
{
    const nb_real square = d[1] * d[1] + d[2] * d[2] - d[0] * d[0];
    const nb_real middle = a[1] * d[1] + a[2] * d[2] - a[0] * d[0];
    const nb_real rest = -NB(nb_jordan_determinant)(a);
    const nb_real discriminant = middle * middle - square * rest;
    nb_real reach = d[0] < 0 ? -a[0] / d[0] : NB_REAL(1e30);
    if (!(discriminant >= 0))
        return reach;
    const nb_real root = nb_sqrt(discriminant);
    const nb_real below[2] = {root - middle, -root - middle}; /* t = rest / below */
    for (int k = 0; k < 2; ++k)
        if (below[k] < 0 && rest / below[k] < reach)
            reach = rest / below[k];
    return reach;
}

struct NB(nb_jordan_scaling) {
    nb_real w[3]; /* 2 w w^T - diag(1, -1, -1) = W^2 / beta^2 */
    nb_real v[3];
    nb_real beta;
};

/* From x and z inside the cone. */
static inline void NB(nb_jordan_scale)(const nb_real *x, const nb_real *z,
                                       struct NB(nb_jordan_scaling) *scaling)
{
    const nb_real nx = nb_sqrt(NB(nb_jordan_determinant)(x));
    const nb_real nz = nb_sqrt(NB(nb_jordan_determinant)(z));
    const nb_real dot = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (nx * nz);
    const nb_real gamma = 2 * nb_sqrt((1 + dot) / 2);
    for (int k = 0; k < 3; ++k)
        scaling->w[k] = (z[k] / nz + (k == 0 ? x[k] : -x[k]) / nx) / gamma;
    const nb_real length = nb_sqrt(2 * (scaling->w[0] + 1));
    for (int k = 0; k < 3; ++k)
        scaling->v[k] = (scaling->w[k] + (nb_real)(k == 0)) / length;
    scaling->beta = nb_sqrt(nz / nx);
}

/* out = W a */
static inline void NB(nb_jordan_apply)(const struct NB(nb_jordan_scaling) *scaling, const nb_real *a,
                                       nb_real *out)
{
    const nb_real *v = scaling->v;
    const nb_real twice = 2 * (v[0] * a[0] + v[1] * a[1] + v[2] * a[2]);
    out[0] = scaling->beta * (v[0] * twice - a[0]);
    out[1] = scaling->beta * (v[1] * twice + a[1]);
    out[2] = scaling->beta * (v[2] * twice + a[2]);
}

/* out = W^-1 a */
static inline void NB(nb_jordan_apply_inverse)(const struct NB(nb_jordan_scaling) *scaling,
                                               const nb_real *a, nb_real *out)
{
    const nb_real *v = scaling->v;
    const nb_real twice = 2 * (v[0] * a[0] - v[1] * a[1] - v[2] * a[2]);
    out[0] = (v[0] * twice - a[0]) / scaling->beta;
    out[1] = (a[1] - v[1] * twice) / scaling->beta;
    out[2] = (a[2] - v[2] * twice) / scaling->beta;
}

#endif
