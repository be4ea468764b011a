/* The natural map of the contact problem, as Siconos measures it (fc3d_compute_error.c and
 * gfc3d_compute_error.c of Siconos 4.6; docs/theory/design.md, section 6):
 *
 *     F = R - P_K(R - U^),   U^ = U + (mu |U_T|, 0, 0),   K = {|R_T| <= mu R_N}.
 *
 * F = 0 if and only if R and U satisfy Signorini's condition and Coulomb's law (De Saxce and Feng
 * 1998; Acary et al. 2011). */
#include <float.h>
#include <math.h>

#include "harness/judge/metrics_private.h"

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

/* What the natural map's parts are relative to: its momentum, which a local problem's map has not, and its contacts and
 * bilateral rows. */
static void map_scales(const struct nb_judge *judge, double *momentum, double *contact)
{
    const int rows = 3 * judge->contacts;
    double impulses = 0;
    for (int i = 0; i < judge->bilaterals; ++i)
        impulses += pow(judge->impulse[rows + i] / nb_judge_length(judge, i), 2);
    *momentum = nb_worst(nb_worst(judge->force_norm, judge->mass_norm),
                         nb_worst(judge->contact_norm, judge->bilateral_norm));
    *contact = nb_worst(nb_norm2(rows, judge->velocity),
                        hypot(nb_norm2(rows, judge->impulse), sqrt(impulses)));
    if (judge->problem->form == NB_LINEAR_LOCAL)
        *contact = nb_worst(*contact, judge->force_norm);
}

void nb_judge_natural_map(const struct nb_judge *judge, struct nb_metrics *metrics)
{
    const int rows = 3 * judge->contacts;
    double sum = 0, bilateral = 0, box[2] = {0, 0}, scale, divisor;
    for (int i = 0; i < judge->contacts; ++i) {
        const double *impulse = judge->impulse + 3 * i, *velocity = judge->velocity + 3 * i;
        sum += nb_natural_map_squared(impulse, velocity, judge->friction[i]);
        nb_add_box_map(impulse, velocity, judge->friction[i], box);
    }
    for (int i = 0; i < judge->bilaterals; ++i)
        bilateral += pow(judge->velocity[rows + i] * nb_judge_length(judge, i), 2);
    map_scales(judge, &scale, &divisor);
    const double absolute = sqrt(sum + bilateral);
    const int local = judge->problem->form == NB_LINEAR_LOCAL;
    const double momentum = local ? 0 : nb_relative(nb_norm2(judge->dofs, judge->momentum), scale);
    metrics->natural_map_absolute = absolute;
    metrics->force_norm = nb_norm2(rows, judge->impulse);
    metrics->natural_map = momentum + nb_relative(absolute, divisor);
    metrics->box_map = momentum + nb_relative(sqrt(box[0] + box[1] + bilateral), divisor);
    metrics->box_normal = nb_relative(sqrt(box[0]), divisor);
    metrics->box_friction = nb_relative(sqrt(box[1]), divisor);
}
