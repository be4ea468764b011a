#include "solvers/outer/dual/projection.h"

#include <string.h>

#include "solvers/contact/coulomb.h"

enum { POWER_ITERATIONS = 30 };

static nb_real positive(nb_real value) { return value > 0 ? value : 1; }

void NB(nb_metric)(const struct NB(nb_dual_step) *step, enum nb_metric kind, nb_real *metric)
{
    const nb_real *diagonal = step->op.diagonal;
    nb_sum all = 0;
    for (size_t i = 0; i < step->rows; ++i)
        all += (nb_sum)diagonal[i];
    for (size_t i = 0; i < step->rows; i += 3)
        for (size_t r = 0; r < 3; ++r) {
            const nb_real mean = (diagonal[i] + diagonal[i + 1] + diagonal[i + 2]) / 3;
            if (kind == NB_METRIC_UNIFORM)
                metric[i + r] = positive((nb_real)(all / (nb_sum)step->rows));
            else
                metric[i + r] = positive(i < step->bilateral ? diagonal[i + r] : mean);
        }
}

nb_real NB(nb_metric_eigenvalue)(struct NB(nb_dual_step) *step, const nb_real *metric,
                                 nb_real *work)
{
    const size_t n = step->rows;
    nb_real *x = work, *y = work + n, norm = 1;
    unsigned seed = 1;
    for (size_t i = 0; i < n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (nb_real)(seed >> 8) / (1 << 24) - NB_REAL(0.5);
    }
    for (int k = 0; k < POWER_ITERATIONS; ++k) {
        NB(nb_operator_apply)(&step->op, x, y);
        for (size_t i = 0; i < n; ++i)
            y[i] /= metric[i];
        norm = NB(nb_norm)(n, y, step->model->threads);
        if (!(norm > 0))
            return 1;
        for (size_t i = 0; i < n; ++i)
            x[i] = y[i] / norm;
    }
    return norm;
}

void NB(nb_open_by_slip)(const struct NB(nb_dual_step) *step, const nb_real *slip,
                         nb_real *velocity)
{
    for (size_t i = step->bilateral; i < step->rows; i += 3)
        velocity[i] += step->model->friction[(i - step->bilateral) / 3] *
                       NB(nb_length2)(slip[i + 1], slip[i + 2]);
}

void NB(nb_projected_step)(const struct NB(nb_dual_step) *step, const nb_real *metric, nb_real rho,
                           const nb_real *x, const nb_real *velocity, nb_real *out)
{
    for (size_t i = 0; i < step->rows; ++i)
        out[i] = x[i] - rho * velocity[i] / metric[i];
    for (size_t i = step->bilateral; i < step->rows; i += 3)
        NB(nb_project_cone)(out + i, step->model->friction[(i - step->bilateral) / 3]);
}

nb_real NB(nb_metric_distance)(const struct NB(nb_dual_step) *step, const nb_real *metric,
                               const nb_real *x, const nb_real *y, int inverse)
{
    nb_sum sum = 0;
    for (size_t i = 0; i < step->rows; ++i) {
        const nb_real change = x[i] - y[i];
        sum += (nb_sum)(inverse ? change * change / metric[i] : change * change * metric[i]);
    }
    return (nb_real)sum;
}
