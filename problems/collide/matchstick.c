/* The Matchstick model of anisotropic friction (problems/collide/matchstick.h). */
#include "problems/collide/matchstick.h"

#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"

static int has_structure(const struct nb_shape *shape)
{
    return nb_dot3(shape->structure, shape->structure) > 0;
}

/* The cell of an axis that a coordinate is in, or is nearest to; *part: where in it, 0 to 1. */
static int find_cell(double coordinate, double corner, double spacing, int nodes, double *part)
{
    const double place = fmin(fmax((coordinate - corner) / spacing, 0), nodes - 1);
    const int cell = (int)fmin(floor(place), nodes - 2);
    *part = place - cell;
    return cell;
}

double nb_structure_map_angle(const struct nb_structure_map *map, double x, double y)
{
    double s, t;
    const int i = find_cell(x, map->corner[0], map->spacing[0], map->nodes[0], &s);
    const int j = find_cell(y, map->corner[1], map->spacing[1], map->nodes[1], &t);
    const double *low = map->angle + (size_t)j * (size_t)map->nodes[0] + i, *high = low + map->nodes[0];
    return (1 - t) * ((1 - s) * low[0] + s * low[1]) + t * ((1 - s) * high[0] + s * high[1]);
}

/* Turns structure [3], in the shape's frame, as the shape's map does at a point [3] of the world. */
static void turn_by_map(const struct nb_problem *problem, const struct nb_shape *shape, const double *point,
                        double *structure)
{
    double rotation[9], offset[3], local[3];
    if (!shape->map.angle)
        return;
    nb_to_body_frame(&problem->bodies, shape->body, point, local);
    nb_add_scaled3(local, -1, shape->position, offset);
    nb_quaternion_matrix(shape->orientation, rotation);
    nb_rotate_back(rotation, offset, local);
    const double angle = nb_structure_map_angle(&shape->map, local[0], local[1]), c = cos(angle), s = sin(angle);
    const double x = structure[0], y = structure[1];
    structure[0] = c * x - s * y;
    structure[1] = s * x + c * y;
}

int nb_structure_direction(const struct nb_problem *problem, const struct nb_shape *shape, const double *point,
                           const double *normal, double *direction)
{
    double rotation[9], turned[3];
    if (!has_structure(shape))
        return 0;
    nb_quaternion_matrix(shape->orientation, rotation);
    memcpy(turned, shape->structure, sizeof turned);
    turn_by_map(problem, shape, point, turned);
    nb_rotate(rotation, turned, direction);
    if (shape->body >= 0) {
        nb_quaternion_matrix(problem->bodies.orientation + 4 * shape->body, rotation);
        memcpy(turned, direction, sizeof turned);
        nb_rotate(rotation, turned, direction);
    }
    nb_add_scaled3(direction, -nb_dot3(direction, normal), normal, direction);
    if (!(sqrt(nb_dot3(direction, direction)) > NB_LEAST_TILT))
        return 0;
    nb_normalise3(direction);
    return 1;
}

static double across_of(const struct nb_shape *shape)
{
    return has_structure(shape) ? shape->across : shape->friction;
}

double nb_contact_friction(const struct nb_problem *problem, const struct nb_shape *a, const double *point_a,
                           const struct nb_shape *b, const double *point_b, double *frame)
{
    const double along = fmax(a->friction, b->friction), across = fmax(across_of(a), across_of(b));
    const double mean = (along + across) / 2, normal[3] = {frame[0], frame[1], frame[2]};
    double s[2][3];
    nb_contact_frame(normal, frame);
    if (!has_structure(a) && !has_structure(b))
        return along;
    const int has[2] = {nb_structure_direction(problem, a, point_a, normal, s[0]),
                        nb_structure_direction(problem, b, point_b, normal, s[1])};
    if (!has[0] && !has[1])
        return mean;
    for (int side = 0; side < 2; ++side)
        if (!has[side])
            memcpy(s[side], s[1 - side], sizeof s[side]);
    const double cosine = nb_dot3(s[0], s[1]), d = 1 - acos(fmin(1, fabs(cosine))) / (M_PI / 2);
    const double coefficient[2] = {d * along + (1 - d) * mean, d * across + (1 - d) * mean};
    const double largest = fmax(coefficient[0], coefficient[1]);
    double *t = frame + 3;
    nb_add_scaled3(s[0], cosine < 0 ? -1 : 1, s[1], t);
    nb_normalise3(t);
    nb_cross3(normal, t, frame + 6);
    for (int k = 0; k < 3; ++k) {
        t[k] *= coefficient[0] / largest;
        frame[6 + k] *= coefficient[1] / largest;
    }
    return largest;
}
