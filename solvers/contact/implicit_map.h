/* One contact of the implicit complementarity method (Todorov 2010, equations 10 to 14 with b = 0):
 *
 *     f_N = max(0, -x_N),  f_F = -s x_F,  s = min(1, mu f_N / |x_F|),  v = x + f
 *
 * so that f and v satisfy Signorini's condition and Coulomb's law for every x in R^3. f is
 * smooth in three regions, which meet in two edges: the plane x_N = 0 and the cone |x_F| = -mu
 * x_N, x_N <= 0. Vectors are normal first, in m/s. */
#ifndef NB_IMPLICIT_MAP_H
#define NB_IMPLICIT_MAP_H

#include "solvers/precision.h"

#define nb_implicit_basis NB(nb_implicit_basis)
#define nb_implicit_crossings NB(nb_implicit_crossings)
#define nb_implicit_force NB(nb_implicit_force)
#define nb_implicit_normal NB(nb_implicit_normal)
#define nb_implicit_project NB(nb_implicit_project)
#define nb_implicit_region NB(nb_implicit_region)
#define nb_implicit_slope NB(nb_implicit_slope)
#define nb_implicit_tangential NB(nb_implicit_tangential)

enum nb_implicit_region { NB_IMPLICIT_BREAK, NB_IMPLICIT_STICK, NB_IMPLICIT_SLIP };
enum nb_implicit_edge { NB_IMPLICIT_SMOOTH, NB_IMPLICIT_PLANE, NB_IMPLICIT_CONE };

static inline nb_real nb_implicit_tangential(const nb_real *x)
{
    return nb_sqrt(x[1] * x[1] + x[2] * x[2]);
}

static inline int nb_implicit_region(const nb_real *x, nb_real mu)
{
    if (!(x[0] < 0))
        return NB_IMPLICIT_BREAK;
    return nb_implicit_tangential(x) <= -mu * x[0] ? NB_IMPLICIT_STICK : NB_IMPLICIT_SLIP;
}

/* f [3] */
static inline void nb_implicit_force(const nb_real *x, nb_real mu, nb_real *f)
{
    const int region = nb_implicit_region(x, mu);
    const nb_real scale = region == NB_IMPLICIT_SLIP
                              ? -mu * x[0] / nb_implicit_tangential(x) : 1;
    f[0] = region == NB_IMPLICIT_BREAK ? 0 : -x[0];
    for (int t = 1; t < 3; ++t)
        f[t] = region == NB_IMPLICIT_BREAK ? 0 : -scale * x[t];
}

/* slope [9] = df/dx as the given region continues it to x, which may lie on its edge. */
static inline void nb_implicit_slope(const nb_real *x, nb_real mu, int region, nb_real *slope)
{
    for (int k = 0; k < 9; ++k)
        slope[k] = region == NB_IMPLICIT_STICK && k % 4 == 0 ? -1 : 0;
    if (region != NB_IMPLICIT_SLIP)
        return;
    slope[0] = -1;
    const nb_real length = nb_implicit_tangential(x);
    if (!(length > 0))
        return;
    const nb_real t1 = x[1] / length, t2 = x[2] / length;
    const nb_real turn = mu * nb_max(0, -x[0]) / length;
    slope[3] = mu * t1;
    slope[6] = mu * t2;
    slope[4] = -turn * t2 * t2;
    slope[8] = -turn * t1 * t1;
    slope[5] = slope[7] = turn * t1 * t2;
}

/* normal [3]: the unit normal of the edge at x, which points into the region `above`; the other
 * one is `below`. */
static inline void nb_implicit_normal(const nb_real *x, nb_real mu, int edge, nb_real *normal,
                                      int *above, int *below)
{
    const nb_real length = nb_implicit_tangential(x), unit = nb_sqrt(1 + mu * mu);
    normal[0] = edge == NB_IMPLICIT_CONE ? mu / unit : 1;
    for (int t = 1; t < 3; ++t)
        normal[t] = edge == NB_IMPLICIT_CONE && length > 0 ? x[t] / (length * unit) : 0;
    *above = edge == NB_IMPLICIT_CONE ? NB_IMPLICIT_SLIP : NB_IMPLICIT_BREAK;
    *below = edge == NB_IMPLICIT_CONE ? NB_IMPLICIT_STICK : NB_IMPLICIT_SLIP;
}

/* The columns of basis [9], row-major, span the edge's tangent plane at x and are orthonormal;
 * the last is zero on an edge. (29) prints mu (x_N - b) for the first entry along the cone; a
 * generator is (x_N - b, x_F), which alone is normal to the gradient of (27). */
static inline void nb_implicit_basis(const nb_real *x, int edge, nb_real *basis)
{
    for (int k = 0; k < 9; ++k)
        basis[k] = edge == NB_IMPLICIT_SMOOTH && k % 4 == 0 ? 1 : 0;
    if (edge == NB_IMPLICIT_PLANE)
        basis[3] = basis[7] = 1;
    if (edge != NB_IMPLICIT_CONE)
        return;
    const nb_real length = nb_implicit_tangential(x);
    const nb_real whole = nb_sqrt(x[0] * x[0] + length * length);
    for (int r = 0; r < 3 && whole > 0; ++r)
        basis[3 * r] = x[r] / whole;
    if (length > 0) {
        basis[4] = -x[2] / length;
        basis[7] = x[1] / length;
    }
}

/* x becomes the nearest point of the edge. */
static inline void nb_implicit_project(nb_real *x, nb_real mu, int edge)
{
    if (edge == NB_IMPLICIT_PLANE)
        x[0] = 0;
    if (edge != NB_IMPLICIT_CONE)
        return;
    const nb_real length = nb_implicit_tangential(x);
    const nb_real along = nb_max(0, (mu * length - x[0]) / (1 + mu * mu));
    x[0] = -along;
    for (int t = 1; t < 3; ++t)
        x[t] = length > 0 ? mu * along * (x[t] / length) : 0;
}

/* Where x + alpha d meets an edge, 0 < alpha < 1 (27): alpha [3] and edge [3], how many. */
static inline int nb_implicit_crossings(const nb_real *x, const nb_real *d, nb_real mu,
                                        nb_real *alpha, int *edge)
{
    const nb_real least = 4 * NB_REAL(NB_UNIT_ROUNDOFF), most = 1 - least;
    int count = 0;
    const nb_real plane = -x[0] / d[0];
    if (d[0] != 0 && plane > least && plane < most) {
        alpha[count] = plane;
        edge[count++] = NB_IMPLICIT_PLANE;
    }
    const nb_real a = mu * mu * d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    const nb_real b = mu * mu * x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    const nb_real c = mu * mu * x[0] * x[0] - x[1] * x[1] - x[2] * x[2];
    const nb_real square = b * b - a * c;
    if (!(square >= 0))
        return count;
    /* a alpha^2 + 2 b alpha + c = 0 without cancellation */
    const nb_real sum = -(b + (b < 0 ? -nb_sqrt(square) : nb_sqrt(square)));
    const nb_real root[2] = {sum / a, c / sum};
    for (int k = 0; k < 2; ++k)
        if (root[k] > least && root[k] < most && x[0] + root[k] * d[0] <= 0) {
            alpha[count] = root[k];
            edge[count++] = NB_IMPLICIT_CONE;
        }
    return count;
}

#endif
