/* The metric D of projection methods, the power iteration for the largest eigenvalue of D^-1 W, and projected
 * steps p - rho D^-1 U^ on the Coulomb cones (De Saxce and Feng 1998). */
#include "solvers/outer/dual/projection.h"

#include <string.h>

#include "solvers/contact/coulomb.h"

enum { POWER_ITERATIONS = 30 };

static nb_real positive(nb_real value) { return value > 0 ? value : 1; }

void nb_metric_update(struct nb_dual *dual)
{
    const nb_real *diagonal = dual->step.op.diagonal;
    const size_t n = dual->step.size;
    nb_sum all = 0;
    for (size_t i = 0; i < n; ++i)
        all += (nb_sum)diagonal[i];
    for (size_t i = 0; i < n; i += 3)
        for (size_t r = 0; r < 3; ++r) {
            const nb_real mean = (diagonal[i] + diagonal[i + 1] + diagonal[i + 2]) / 3;
            if (dual->value[NB_PROJECTION_METRIC] > 0)
                dual->metric[i + r] = positive((nb_real)(all / (nb_sum)n));
            else
                dual->metric[i + r] = positive(i < dual->step.bilateral ? diagonal[i + r] : mean);
        }
}

nb_real nb_metric_eigenvalue(struct nb_dual *dual, nb_real *x, nb_real *y)
{
    const size_t n = dual->step.size;
    nb_real norm = 1;
    unsigned seed = 1;
    for (size_t i = 0; i < n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (nb_real)(seed >> 8) / (1 << 24) - NB_REAL(0.5);
    }
    for (int k = 0; k < POWER_ITERATIONS; ++k) {
        nb_operator_apply(&dual->step.op, x, y);
        for (size_t i = 0; i < n; ++i)
            y[i] /= dual->metric[i];
        norm = nb_norm(n, y, dual->step.model->threads);
        if (!(norm > 0))
            return 1;
        for (size_t i = 0; i < n; ++i)
            x[i] = y[i] / norm;
    }
    return norm;
}

void nb_open_by_slip(const struct nb_dual *dual, const nb_real *slip, nb_real *velocity)
{
    for (size_t i = dual->step.bilateral; i < dual->step.size; i += 3)
        velocity[i] += nb_dual_friction(dual, i) * nb_length2(slip[i + 1], slip[i + 2]);
}

void nb_cone_velocity(struct nb_dual *dual, const nb_real *x, nb_real *velocity)
{
    nb_dual_velocity(dual, x, velocity);
    if (dual->bounds == NB_FRICTION_CONE)
        nb_open_by_slip(dual, velocity, velocity);
}

void nb_projected_step(const struct nb_dual *dual, nb_real rho, const nb_real *x,
                       const nb_real *velocity, nb_real *out)
{
    for (size_t i = 0; i < dual->step.size; ++i)
        out[i] = x[i] - rho * velocity[i] / dual->metric[i];
    for (size_t i = dual->step.bilateral; i < dual->step.size; i += 3)
        nb_project_cone(out + i, nb_dual_friction(dual, i));
}

nb_real nb_metric_distance(const struct nb_dual *dual, const nb_real *x, const nb_real *y, int inverse)
{
    const nb_real *metric = dual->metric;
    nb_sum sum = 0;
    for (size_t i = 0; i < dual->step.size; ++i) {
        const nb_real change = x[i] - y[i];
        sum += (nb_sum)(inverse ? change * change / metric[i] : change * change * metric[i]);
    }
    return (nb_real)sum;
}
