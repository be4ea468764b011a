/* The formulas of Alizadeh and Goldfarb 2003, sections 4 and 6, for three components. */
#include "solvers/outer/interior_point/second_order_cone.h"

#include <math.h>

/* Of a point that rounding has put on the boundary or beyond. */
#define LEAST_DETERMINANT (NB_REAL(NB_UNIT_ROUNDOFF) * NB_REAL(NB_UNIT_ROUNDOFF))

nb_real nb_soc_determinant(const nb_real *x)
{
    const nb_real tangent = nb_sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - tangent) * (x[0] + tangent);
}

/* det x of a point of the interior. */
static nb_real positive_determinant(const nb_real *x)
{
    return nb_max(nb_soc_determinant(x), LEAST_DETERMINANT * x[0] * x[0]);
}

void nb_soc_product(const nb_real *x, const nb_real *y, nb_real *out)
{
    const nb_real first = x[0] * y[0] + x[1] * y[1] + x[2] * y[2], y0 = y[0];
    out[1] = x[0] * y[1] + y0 * x[1];
    out[2] = x[0] * y[2] + y0 * x[2];
    out[0] = first;
}

void nb_soc_divide(const nb_real *x, const nb_real *y, nb_real *out)
{
    const nb_real first = (x[0] * y[0] - x[1] * y[1] - x[2] * y[2]) / positive_determinant(x);
    out[1] = (y[1] - x[1] * first) / x[0];
    out[2] = (y[2] - x[2] * first) / x[0];
    out[0] = first;
}

void nb_soc_scaling(const nb_real *x, const nb_real *y, nb_real *scale, nb_real *inverse)
{
    const nb_real size_x = nb_sqrt(positive_determinant(x)), size_y = nb_sqrt(positive_determinant(y));
    const nb_real size = nb_sqrt(size_y / size_x);
    nb_real w[3], dot = 0;
    for (int k = 0; k < 3; ++k)
        dot += x[k] / size_x * (y[k] / size_y);
    const nb_real norm = 2 * nb_sqrt((1 + dot) / 2);
    for (int k = 0; k < 3; ++k)
        w[k] = (y[k] / size_y + (k == 0 ? 1 : -1) * (x[k] / size_x)) / norm;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            const nb_real v = r == 0   ? w[c]
                              : c == 0 ? w[r]
                                       : (nb_real)(r == c) + w[r] * w[c] / (1 + w[0]);
            scale[3 * r + c] = size * v;
            inverse[3 * r + c] = ((r == 0) == (c == 0) ? v : -v) / size;
        }
}

nb_real nb_soc_longest_step(const nb_real *x, const nb_real *step)
{
    const nb_real a = nb_soc_determinant(step), c = nb_max(nb_soc_determinant(x), 0);
    const nb_real b = x[0] * step[0] - x[1] * step[1] - x[2] * step[2], root = b * b - a * c;
    nb_real longest = 1;
    if (step[0] < 0)
        longest = nb_min(longest, -x[0] / step[0]);
    if (root < 0)
        return longest;
    const nb_real q = -(b + (b < 0 ? -1 : 1) * nb_sqrt(root)), ends[] = {q / a, c / q};
    for (int k = 0; k < 2; ++k)
        if (ends[k] > 0 && ends[k] < longest)
            longest = ends[k];
    return longest;
}
