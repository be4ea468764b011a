/* Three-vectors in double, as arrays of three. */
#ifndef NB_VEC3_H
#define NB_VEC3_H

#include <math.h>

static inline double nb_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c may not overlap a or b. */
static inline void nb_cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* c = a - b; may overlap. */
static inline void nb_subtract3(const double *a, const double *b, double *c)
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[k] - b[k];
}

/* c = a + s b; may overlap. */
static inline void nb_add_scaled3(const double *a, double s, const double *b, double *c)
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[k] + s * b[k];
}

static inline double nb_norm3(const double *a)
{
    return sqrt(nb_dot3(a, a));
}

/* a / |a| in place; the caller sees to it that a is not zero. */
static inline void nb_normalise3(double *a)
{
    const double norm = nb_norm3(a);
    for (int k = 0; k < 3; ++k)
        a[k] /= norm;
}

#endif
