/* Bodies of revolution about z: cylinder, cone, spool. With r = |(x, y)| the distance is that of (r, z) from a polygon
 * of the half plane r >= 0, exactly, inside and outside: to the nearest of its edges, those on the axis left out, which
 * are no surface. A point is inside where a ray away from the axis crosses an odd number of edges. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problems/distance/distance.h"

int nb_distance_profile(const struct nb_distance *field, double *point)
{
    const double *s = field->size;
    const double cone[6] = {0, 0, s[0], 0, 0, s[1]};
    const double cylinder[8] = {0, -s[1], s[0], -s[1], s[0], s[1], 0, s[1]};
    const double end = s[2] + s[3]; /* a spool: drum, flanges, half the width between them, their thickness */
    const double spool[16] = {0, -end, s[1], -end, s[1], -s[2], s[0], -s[2], s[0], s[2], s[1], s[2], s[1], end, 0, end};
    switch (field->kind) {
    case NB_DISTANCE_CONE: memcpy(point, cone, sizeof cone); return 3;
    case NB_DISTANCE_CYLINDER: memcpy(point, cylinder, sizeof cylinder); return 4;
    case NB_DISTANCE_SPOOL: memcpy(point, spool, sizeof spool); return 8;
    default: return 0;
    }
}

/* The nearest place of the polygon so far: its squared distance, and the outward direction there. */
struct nearest {
    double square, normal[2];
    int corner; /* no edge's middle, but where two meet */
    double way[2];
};

/* Keeps the place on the edge from a to b where it is nearer to p. */
static void keep_nearer_edge(const double *a, const double *b, const double *p, struct nearest *best)
{
    const double along[2] = {b[0] - a[0], b[1] - a[1]}, from[2] = {p[0] - a[0], p[1] - a[1]};
    const double length = hypot(along[0], along[1]);
    const double t = (from[0] * along[0] + from[1] * along[1]) / (length * length), part = fmax(0, fmin(1, t));
    const double way[2] = {from[0] - part * along[0], from[1] - part * along[1]};
    const double square = way[0] * way[0] + way[1] * way[1];
    if (square >= best->square)
        return;
    *best = (struct nearest){square, {along[1] / length, -along[0] / length}, !(t > 0 && t < 1), {way[0], way[1]}};
}

/* Does the ray from p away from the axis cross the edge? */
static int crosses(const double *a, const double *b, const double *p)
{
    return (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
}

double nb_distance_revolved(const struct nb_distance *field, const double *x, double *gradient)
{
    double polygon[2 * NB_PROFILE];
    const int count = nb_distance_profile(field, polygon);
    const double p[2] = {hypot(x[0], x[1]), x[2]};
    struct nearest best = {.square = DBL_MAX};
    int inside = 0;
    for (int i = 0; i + 1 < count; ++i) {
        inside ^= crosses(polygon + 2 * i, polygon + 2 * i + 2, p);
        keep_nearer_edge(polygon + 2 * i, polygon + 2 * i + 2, p, &best);
    }
    const double distance = sqrt(best.square), sign = inside ? -1 : 1;
    if (gradient) {
        const int straight = !best.corner || !(distance > 0);
        const double radial = straight ? best.normal[0] : sign * best.way[0] / distance;
        gradient[0] = p[0] > 0 ? radial * x[0] / p[0] : radial;
        gradient[1] = p[0] > 0 ? radial * x[1] / p[0] : 0;
        gradient[2] = straight ? best.normal[1] : sign * best.way[1] / distance;
    }
    return sign * distance;
}
