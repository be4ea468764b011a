/* Distances in closed form: from a point (sphere), a segment (capsule) or a circle (torus) less a radius, and from a
 * box: |max(q, 0)| outside and max(q) inside, with q = |x| - half sides. */
#include <math.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/distance/distance.h"

/* |x - middle| - radius; in the middle itself the gradient is z. */
static double from_point(const double *x, const double *middle, double radius, double *gradient)
{
    double way[3];
    nb_subtract3(x, middle, way);
    const double length = nb_norm3(way);
    for (int k = 0; gradient && k < 3; ++k)
        gradient[k] = length > 0 ? way[k] / length : k == 2;
    return length - radius;
}

double nb_distance_sphere(const struct nb_distance *field, const double *x, double *gradient)
{
    static const double origin[3] = {0, 0, 0};
    return from_point(x, origin, field->size[0], gradient);
}

double nb_distance_capsule(const struct nb_distance *field, const double *x, double *gradient)
{
    const double middle[3] = {0, 0, fmax(-field->size[1], fmin(field->size[1], x[2]))};
    return from_point(x, middle, field->size[0], gradient);
}

double nb_distance_torus(const struct nb_distance *field, const double *x, double *gradient)
{
    const double along = hypot(x[0], x[1]);
    const double part = along > 0 ? field->size[0] / along : 0;
    const double middle[3] = {along > 0 ? part * x[0] : field->size[0], part * x[1], 0};
    return from_point(x, middle, field->size[1], gradient);
}

double nb_distance_box(const struct nb_distance *field, const double *x, double *gradient)
{
    double q[3], outside[3];
    int most = 0;
    for (int k = 0; k < 3; ++k) {
        q[k] = fabs(x[k]) - field->size[k];
        outside[k] = fmax(q[k], 0);
        most = q[k] > q[most] ? k : most;
    }
    const double length = nb_norm3(outside);
    for (int k = 0; gradient && k < 3; ++k)
        gradient[k] = (length > 0 ? outside[k] / length : k == most) * (x[k] < 0 ? -1 : 1);
    return length > 0 ? length : q[most];
}
