/* The table of kinds of fields, and what is the same for all. */
#include "problems/distance/distance.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "problems/validate/validate_parts.h"

struct kind {
    const char *name;
    int sizes;
    double (*at)(const struct nb_distance *field, const double *x, double *gradient);
};

static const struct kind kinds[NB_DISTANCE_KINDS] = {
    [NB_DISTANCE_SPHERE] = {"sphere", 1, nb_distance_sphere},
    [NB_DISTANCE_BOX] = {"box", 3, nb_distance_box},
    [NB_DISTANCE_CAPSULE] = {"capsule", 2, nb_distance_capsule},
    [NB_DISTANCE_TORUS] = {"torus", 2, nb_distance_torus},
    [NB_DISTANCE_CYLINDER] = {"cylinder", 2, nb_distance_revolved},
    [NB_DISTANCE_CONE] = {"cone", 2, nb_distance_revolved},
    [NB_DISTANCE_SPOOL] = {"spool", 4, nb_distance_revolved},
    [NB_DISTANCE_GRID] = {"grid", 4, nb_distance_grid},
};

const char *nb_distance_name(int kind)
{
    return kind >= 0 && kind < NB_DISTANCE_KINDS ? kinds[kind].name : NULL;
}

int nb_distance_sizes(int kind)
{
    return nb_distance_name(kind) ? kinds[kind].sizes : 0;
}

double nb_distance_at(const struct nb_distance *field, const double *x, double *gradient)
{
    return kinds[field->kind].at(field, x, gradient);
}

static void set_bounds(double across, double low, double high, double *lower, double *upper)
{
    for (int k = 0; k < 2; ++k) {
        lower[k] = -across;
        upper[k] = across;
    }
    lower[2] = low;
    upper[2] = high;
}

void nb_distance_bounds(const struct nb_distance *field, double *lower, double *upper)
{
    const double *s = field->size;
    switch (field->kind) {
    case NB_DISTANCE_SPHERE: set_bounds(s[0], -s[0], s[0], lower, upper); return;
    case NB_DISTANCE_CAPSULE: set_bounds(s[0], -s[1] - s[0], s[1] + s[0], lower, upper); return;
    case NB_DISTANCE_TORUS: set_bounds(s[0] + s[1], -s[1], s[1], lower, upper); return;
    case NB_DISTANCE_CYLINDER: set_bounds(s[0], -s[1], s[1], lower, upper); return;
    case NB_DISTANCE_CONE: set_bounds(s[0], 0, s[1], lower, upper); return;
    case NB_DISTANCE_SPOOL: set_bounds(s[1], -s[2] - s[3], s[2] + s[3], lower, upper); return;
    default:
        for (int k = 0; k < 3; ++k) {
            const int grid = field->kind == NB_DISTANCE_GRID;
            lower[k] = grid ? s[k + 1] : -s[k];
            upper[k] = grid ? s[k + 1] + s[0] * (field->nodes[k] - 1) : s[k];
        }
    }
}

double nb_distance_depth(const struct nb_distance *field)
{
    const double *s = field->size;
    switch (field->kind) {
    case NB_DISTANCE_SPHERE:
    case NB_DISTANCE_CAPSULE: return s[0];
    case NB_DISTANCE_BOX: return fmin(s[0], fmin(s[1], s[2]));
    case NB_DISTANCE_TORUS: return s[1];
    case NB_DISTANCE_CYLINDER: return fmin(s[0], s[1]);
    case NB_DISTANCE_CONE: return s[0] * s[1] / (s[0] + hypot(s[0], s[1])); /* of the sphere in it */
    case NB_DISTANCE_SPOOL: return fmin(s[0], s[3] / 2);
    default: return 0;
    }
}

static enum nb_status check_grid(const struct nb_distance *field, const char *what, struct nb_error *error)
{
    long long count = 1;
    for (int k = 0; k < 3; ++k) {
        if (field->nodes[k] < 2 || field->nodes[k] > NB_LARGEST_COUNT)
            return nb_fail(error, NB_BAD_INPUT, "%s: a grid has %d nodes along an axis, needs 2", what,
                           field->nodes[k]);
        count *= field->nodes[k];
        if (count > NB_LARGEST_COUNT)
            return nb_fail(error, NB_BAD_INPUT, "%s: a grid has too many nodes", what);
    }
    for (long long i = 0; field->value && i < count; ++i)
        if (!isfinite(field->value[i]))
            return nb_fail(error, NB_BAD_INPUT, "%s: value %lld of a grid is %g m, not a finite number", what, i,
                           field->value[i]);
    return field->value ? NB_OK : nb_fail(error, NB_BAD_INPUT, "%s: a grid has no values", what);
}

enum nb_status nb_distance_check(const struct nb_distance *field, const char *what, struct nb_error *error)
{
    const double *s = field->size;
    const char *name = nb_distance_name((int)field->kind);
    if (!name)
        return nb_fail(error, NB_BAD_INPUT, "%s: kind %d, must be 0 to %d", what, (int)field->kind,
                       NB_DISTANCE_KINDS - 1);
    const int grid = field->kind == NB_DISTANCE_GRID;
    for (int k = 0; k < nb_distance_sizes((int)field->kind); ++k)
        if (!isfinite(s[k]) || (s[k] <= 0 && (!grid || k == 0)))
            return nb_fail(error, NB_BAD_INPUT, "%s: size %d of a %s is %g m, must be %s", what, k, name, s[k],
                           grid && k ? "finite" : "positive and finite");
    if (field->kind == NB_DISTANCE_TORUS && !(s[1] < s[0]))
        return nb_fail(error, NB_BAD_INPUT, "%s: a torus has the tube %g m, must be below its ring, %g m", what, s[1],
                       s[0]);
    if (field->kind == NB_DISTANCE_SPOOL && !(s[0] < s[1]))
        return nb_fail(error, NB_BAD_INPUT, "%s: a spool has the drum %g m, must be below its flanges, %g m", what,
                       s[0], s[1]);
    return grid ? check_grid(field, what, error) : NB_OK;
}
