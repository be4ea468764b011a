/* Accuracy floors and errors of a linear system, scaled as its reference solution is (exact_linear.h): norm-wise
 * ||B|| ||y|| and cond(B), component-wise |B||y| + |c| and |B^-1| (|B||y| + |c|), each times the unit round-off. */
#include "harness/floor/floor_linear.h"

#include <math.h>
#include <stddef.h>

/* NaN counts as the largest. */
static double larger(double a, double b) { return b <= a ? a : b; }

static double over(double value, double scale) { return scale > 0 ? value / scale : 0; }

struct nb_floor_linear nb_floor_linear_at(struct nb_exact *exact, const double *b,
                                          const double *solution, double unit_roundoff, double *work)
{
    const struct nb_csr *matrix = nb_exact_matrix(exact);
    const double *scale = nb_exact_scale(exact);
    double norm = 0, size = 0, right_side = 0, component = 0, terms = 0, right_sides = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        double sum = 0;
        work[i] = fabs(scale[i] * b[i]);
        right_side = larger(right_side, work[i]);
        size = larger(size, fabs(solution[i] / scale[i]));
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            sum += fabs(matrix->value[k]);
            work[i] += fabs(matrix->value[k] * (solution[j] / scale[j]));
        }
        norm = larger(norm, sum);
        component = larger(component, work[i]);
        terms += work[i] * work[i];
        right_sides += scale[i] * b[i] * scale[i] * b[i];
    }
    const struct nb_floor_linear floor = {
        .residual = unit_roundoff * over(norm * size, right_side),
        .forward = size > 0 ? unit_roundoff * norm * nb_exact_inverse(exact, NULL) : 0,
        .component_residual = unit_roundoff * over(component, right_side),
        .component_forward = unit_roundoff * over(nb_exact_inverse(exact, work), size),
        .component_norm = unit_roundoff * over(sqrt(terms), sqrt(right_sides))};
    return floor;
}

struct nb_floor_linear nb_floor_linear_times(const struct nb_floor_linear *floor, double factor)
{
    return (struct nb_floor_linear){.residual = factor * floor->residual,
                                    .forward = factor * floor->forward,
                                    .component_residual = factor * floor->component_residual,
                                    .component_forward = factor * floor->component_forward,
                                    .component_norm = factor * floor->component_norm};
}

struct nb_error_linear nb_error_linear_of(const struct nb_exact *exact, const double *b,
                                          const double *solution, const double *x)
{
    const struct nb_csr *matrix = nb_exact_matrix(exact);
    const double *scale = nb_exact_scale(exact);
    double residual = 0, error = 0, right_side = 0, size = 0;
    for (int i = 0; i < matrix->rows; ++i) {
        __float128 sum = scale[i] * b[i];
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            sum -= (__float128)matrix->value[k] * (x[matrix->column[k]] / scale[matrix->column[k]]);
        residual = larger(residual, fabs((double)sum));
        error = larger(error, fabs((x[i] - solution[i]) / scale[i]));
        right_side = larger(right_side, fabs(scale[i] * b[i]));
        size = larger(size, fabs(solution[i] / scale[i]));
    }
    return (struct nb_error_linear){over(residual, right_side), over(error, size)};
}
