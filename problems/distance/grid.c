/* A field as values at the nodes of a regular grid, trilinear between them; its gradient has the direction of the
 * interpolation's.
 *
 * Outside the grid, whose box holds the body, p being the nearest point of the box,
 *     phi(x) = sqrt(|x - p|^2 + max(phi(p), 0)^2):
 * as the box is convex, no point of the body is nearer to x, so that nothing is overlooked. */
#include <math.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/distance/distance.h"

/* The cell of p, its corner 0 as an index into the values, and where p is in it, in [0, 1]. */
static size_t locate(const struct nb_distance *field, const double *p, double *t)
{
    size_t first = 0, stride = 1;
    for (int k = 0; k < 3; ++k) {
        const double place = (p[k] - field->size[k + 1]) / field->size[0];
        const int last = field->nodes[k] - 2;
        const int cell = place < 0 ? 0 : place > last ? last : (int)place;
        t[k] = place - cell;
        first += stride * (size_t)cell;
        stride *= (size_t)field->nodes[k];
    }
    return first;
}

static double interpolate(const struct nb_distance *field, const double *p, double *gradient)
{
    double t[3], sum = 0;
    const size_t first = locate(field, p, t), row = (size_t)field->nodes[0], layer = row * (size_t)field->nodes[1];
    memset(gradient, 0, 3 * sizeof *gradient);
    for (int corner = 0; corner < 8; ++corner) {
        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        const double a = i ? t[0] : 1 - t[0], b = j ? t[1] : 1 - t[1], c = k ? t[2] : 1 - t[2];
        const double value = field->value[first + (size_t)i + row * (size_t)j + layer * (size_t)k];
        sum += a * b * c * value;
        gradient[0] += (i ? b * c : -b * c) * value / field->size[0];
        gradient[1] += (j ? a * c : -a * c) * value / field->size[0];
        gradient[2] += (k ? a * b : -a * b) * value / field->size[0];
    }
    return sum;
}

double nb_distance_grid(const struct nb_distance *field, const double *x, double *gradient)
{
    double p[3], way[3], slope[3], square = 0;
    for (int k = 0; k < 3; ++k) {
        const double low = field->size[k + 1], high = low + field->size[0] * (field->nodes[k] - 1);
        p[k] = fmax(low, fmin(high, x[k]));
        way[k] = x[k] - p[k];
        square += way[k] * way[k];
    }
    double phi = interpolate(field, p, slope);
    if (square > 0) {
        const double at = fmax(phi, 0);
        phi = sqrt(square + at * at);
        for (int k = 0; k < 3; ++k)
            slope[k] = (way[k] + (way[k] == 0 ? at * slope[k] : 0)) / phi;
    }
    if (gradient) {
        const double length = nb_norm3(slope);
        for (int k = 0; k < 3; ++k)
            gradient[k] = length > 0 ? slope[k] / length : k == 2;
    }
    return phi;
}
