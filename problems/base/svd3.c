/* Jacobi's method: for the singular values one-sided, by rotations of the columns of F until they
 * are orthogonal (Hestenes 1958; Demmel and Veselic 1992 on its accuracy), for eigenvalues
 * two-sided.
 *
 *     F V = (b_1, b_2, b_3),   u_1 = b_1/|b_1|,  u_2 = b_2 without its part along u_1, normalised,
 *     u_3 = u_1 x u_2,   s_1 = |b_1|,  s_2 = u_2 . b_2,  s_3 = u_3 . b_3,
 *
 * so that U is a rotation as V is, and s_3 has the sign of det F, also where F is flat. */
#include "problems/base/svd3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problems/base/vec3.h"

/* Jacobi's method converges quadratically; three suffice but for scaling by many orders. */
enum { SWEEPS = 30 };

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* c and s of the rotation that makes [a b; b d] diagonal, by the smaller of the two angles. */
static void rotation(double a, double b, double d, double *c, double *s)
{
    const double ratio = (d - a) / (2 * b);
    const double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + hypot(1, ratio));
    *c = 1 / sqrt(1 + t * t);
    *s = t * *c;
}

/* Columns p and q of a matrix become c p - s q and s p + c q. */
static void rotate_columns(double *matrix, int p, int q, double c, double s)
{
    for (int row = 0; row < 3; ++row) {
        const double a = matrix[3 * row + p], b = matrix[3 * row + q];
        matrix[3 * row + p] = c * a - s * b;
        matrix[3 * row + q] = s * a + c * b;
    }
}

static void column(const double *matrix, int index, double *out)
{
    for (int row = 0; row < 3; ++row)
        out[row] = matrix[3 * row + index];
}

static void set_column(double *matrix, int index, const double *values)
{
    for (int row = 0; row < 3; ++row)
        matrix[3 * row + index] = values[row];
}

/* One sweep over the pairs of columns of b, kept in v; 0 where they are orthogonal already. */
static int orthogonalise(double *b, double *v)
{
    int changed = 0;
    for (int p = 0; p < 2; ++p)
        for (int q = p + 1; q < 3; ++q) {
            double x[3], y[3], c, s;
            column(b, p, x);
            column(b, q, y);
            const double xx = nb_dot3(x, x), xy = nb_dot3(x, y), yy = nb_dot3(y, y);
            if (xy == 0 || fabs(xy) <= 4 * DBL_EPSILON * sqrt(xx) * sqrt(yy))
                continue;
            rotation(xx, xy, yy, &c, &s);
            rotate_columns(b, p, q, c, s);
            rotate_columns(v, p, q, c, s);
            changed = 1;
        }
    return changed;
}

/* The longest column first; a swap turns one of the two round, so that v stays a rotation. */
static void sort_columns(double *b, double *v)
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int k = 0; k < 3; ++k) {
        double x[3], y[3];
        column(b, pairs[k][0], x);
        column(b, pairs[k][1], y);
        if (nb_dot3(x, x) < nb_dot3(y, y)) {
            rotate_columns(b, pairs[k][0], pairs[k][1], 0, -1);
            rotate_columns(v, pairs[k][0], pairs[k][1], 0, -1);
        }
    }
}

/* The unit vector along x, without its part along the unit vector `without` (NULL: none); where
 * nothing is left, any that is perpendicular to that. Twice is enough for orthogonality. */
static void direction(const double *x, const double *without, double *out)
{
    memcpy(out, x, 3 * sizeof *out);
    for (int turn = 0; turn < 2; ++turn) {
        if (without)
            nb_add_scaled3(out, -nb_dot3(without, out), without, out);
        if (nb_norm3(out) > 0)
            nb_normalise3(out);
    }
    if (nb_norm3(out) > 0.5)
        return;
    const double axis[3] = {1, 0, 0}, other[3] = {0, 1, 0};
    if (!without)
        memcpy(out, axis, sizeof axis);
    else
        nb_cross3(without, fabs(without[0]) < 0.5 ? axis : other, out);
    nb_normalise3(out);
}

static double largest_entry(const double *matrix)
{
    double largest = 0;
    for (int k = 0; k < 9; ++k)
        largest = fmax(largest, fabs(matrix[k]));
    return largest;
}

void nb_svd3(const double *f, double *u, double *s, double *v)
{
    const double scale = largest_entry(f);
    double b[9], column_of[3][3], axis[3][3];
    memcpy(v, identity, sizeof identity);
    for (int k = 0; k < 9; ++k)
        b[k] = scale > 0 ? f[k] / scale : 0;
    for (int sweep = 0; sweep < SWEEPS && orthogonalise(b, v); ++sweep)
        continue;
    sort_columns(b, v);
    for (int k = 0; k < 3; ++k)
        column(b, k, column_of[k]);
    direction(column_of[0], NULL, axis[0]);
    direction(column_of[1], axis[0], axis[1]);
    nb_cross3(axis[0], axis[1], axis[2]);
    for (int k = 0; k < 3; ++k) {
        s[k] = scale * nb_dot3(axis[k], column_of[k]);
        set_column(u, k, axis[k]);
    }
    for (int k = 1; k < 3; ++k) /* equal ones may differ in the last bit */
        if (fabs(s[k]) > s[k - 1])
            s[k] = copysign(s[k - 1], s[k]);
}

/* A becomes R^T A R for the rotation of columns and rows p and q, and v becomes v R. */
static int annihilate(double *a, double *v, int p, int q)
{
    const double size = fabs(a[4 * p]) + fabs(a[4 * q]);
    double c, s;
    if (a[3 * p + q] == 0 || fabs(a[3 * p + q]) <= DBL_EPSILON / 16 * size)
        return 0;
    rotation(a[4 * p], a[3 * p + q], a[4 * q], &c, &s);
    rotate_columns(a, p, q, c, s);
    for (int k = 0; k < 3; ++k) {
        const double x = a[3 * p + k], y = a[3 * q + k];
        a[3 * p + k] = c * x - s * y;
        a[3 * q + k] = s * x + c * y;
    }
    a[3 * p + q] = a[3 * q + p] = 0;
    rotate_columns(v, p, q, c, s);
    return 1;
}

void nb_eigen3(const double *a, double *e, double *v)
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    double work[9];
    memcpy(v, identity, sizeof identity);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            work[3 * i + j] = i < j ? a[3 * i + j] : a[3 * j + i];
    for (int sweep = 0, changed = 1; sweep < SWEEPS && changed; ++sweep) {
        changed = annihilate(work, v, 0, 1);
        changed |= annihilate(work, v, 0, 2);
        changed |= annihilate(work, v, 1, 2);
    }
    for (int k = 0; k < 3; ++k)
        e[k] = work[4 * k];
    for (int k = 0; k < 3; ++k) {
        const int p = pairs[k][0], q = pairs[k][1];
        if (e[p] <= e[q])
            continue;
        const double larger = e[p];
        e[p] = e[q];
        e[q] = larger;
        rotate_columns(v, p, q, 0, -1);
    }
}
