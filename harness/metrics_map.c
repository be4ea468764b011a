/* The natural map of the contact problem, as Siconos measures it (fc3d_compute_error.c and
 * gfc3d_compute_error.c of Siconos 4.6; design section 6):
 *
 *     F = R - P_K(R - U^),   U^ = U + (mu |U_T|, 0, 0),   K = {|R_T| <= mu R_N}.
 *
 * F = 0 if and only if R and U satisfy Signorini's condition and Coulomb's law (De Saxce and Feng
 * 1998; Acary et al. 2011). */
#include <float.h>
#include <math.h>

#include "harness/metrics_private.h"

double nb_worst(double a, double b)
{
    if (isnan(a))
        return a;
    return b <= a ? a : b;
}

double nb_least(double a, double b)
{
    if (isnan(a))
        return a;
    return a <= b ? a : b;
}

double nb_norm2(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

double nb_relative(double error, double divisor)
{
    if (!isfinite(divisor))
        return error + divisor;
    return divisor > sqrt(DBL_EPSILON) ? error / divisor : error;
}

void nb_project_on_cone(const double *z, double mu, double *projection)
{
    const double tangent = hypot(z[1], z[2]);
    double normal = z[0], scale = 1;
    if (mu * tangent <= -z[0]) {
        normal = 0;
        scale = 0;
    } else if (!(tangent <= mu * z[0])) {
        normal = (z[0] + mu * tangent) / (1 + mu * mu);
        scale = mu * normal / tangent;
    }
    projection[0] = normal;
    projection[1] = scale * z[1];
    projection[2] = scale * z[2];
}

/* Where z = R - U^ lies in K, F is U^ itself: under a large force R - z would be round-off. */
double nb_natural_map_squared(const double *impulse, const double *velocity, double mu)
{
    const double slip = hypot(velocity[1], velocity[2]);
    const double opened[3] = {velocity[0] + mu * slip, velocity[1], velocity[2]};
    double z[3], projection[3], sum = 0;
    for (int k = 0; k < 3; ++k)
        z[k] = impulse[k] - opened[k];
    nb_project_on_cone(z, mu, projection);
    for (int k = 0; k < 3; ++k) {
        const double f = projection[k] == z[k] ? opened[k] : impulse[k] - projection[k];
        sum += f * f;
    }
    return sum;
}

void nb_add_box_map(const double *impulse, const double *velocity, double mu, double *squares)
{
    const double bound = mu * nb_worst(0, impulse[0]);
    const double normal = impulse[0] - nb_worst(0, impulse[0] - velocity[0]);
    squares[0] += normal * normal;
    for (int t = 1; t < 3; ++t) {
        const double free = impulse[t] - velocity[t];
        const double tangent = impulse[t] - nb_least(nb_worst(free, -bound), bound);
        squares[1] += tangent * tangent;
    }
}
