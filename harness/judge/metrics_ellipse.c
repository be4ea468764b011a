/* The friction ellipse in plain form, a second time and from the surfaces alone. Between shapes with structure a
 * contact has the axes t, b and the coefficients mu_t, mu_b of Erleben et al. 2020 (Macklin 2020, equations 28 to 34);
 * its force F and its slip v, vectors of the tangent plane, meet
 *
 *     used = sqrt((F.t/mu_t)^2 + (F.b/mu_b)^2) <= lambda_n,
 *     F.v + lambda_n sqrt((mu_t v.t)^2 + (mu_b v.b)^2) = 0,
 *
 * where the left side of the second is never negative in the ellipse, and 0 of the force that dissipates most. Of the
 * contact only its normal, its forces and its slip are read: one whose tangents or whose friction are not those of its
 * surfaces is found, however well its step is solved. What shapes touch is known by their bodies, and by the plane that
 * a point lies on; where the shapes of a body differ, its contacts are left out. */
#include <math.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "problems/base/vec3.h"
#include "problems/collide/matchstick.h"

/* Directions and places that are one differ by rounding, a few DBL_EPSILON: those that differ by less than its root,
 * half of the digits, are the same. */
static const double rounding = 0x1p-26;

struct surface {
    double along, across;
    double direction[3]; /* of its structure, in the tangent plane, unit; 0: none */
    bool structured;
};

/* x + 2 w (q x x) + 2 q x (q x x), q = (w, q) */
static void turn(const double *quaternion, double *x)
{
    double once[3], twice[3];
    nb_cross3(quaternion + 1, x, once);
    nb_cross3(quaternion + 1, once, twice);
    for (int k = 0; k < 3; ++k)
        x[k] += 2 * (quaternion[0] * once[k] + twice[k]);
}

static void turn_back(const double *quaternion, double *x)
{
    const double back[4] = {quaternion[0], -quaternion[1], -quaternion[2], -quaternion[3]};
    turn(back, x);
}

/* The contact's point on the surface of that side, in the frame of a shape of its body: a round body's is stored in its
 * middle, from which its radius leads to the other side. */
static void find_place(const struct nb_problem *problem, const struct nb_shape *shape, int contact, int side, double *x)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const double radius = contacts->radius ? contacts->radius[2 * contact + side] : 0;
    double out[3];
    memcpy(out, contacts->frame + 9 * contact, sizeof out);
    if (shape->body >= 0)
        turn_back(problem->bodies.orientation + 4 * shape->body, out);
    for (int k = 0; k < 3; ++k)
        x[k] = contacts->point[6 * contact + 3 * side + k] + (side == 0 ? -radius : radius) * out[k] -
               shape->position[k];
    turn_back(shape->orientation, x);
}

/* The map's angle at x, y: each node's, weighted by 1 - |distance in nodes| along either axis. */
static double angle_at(const struct nb_structure_map *map, const double *x)
{
    double sum = 0, place[2];
    for (int k = 0; k < 2; ++k)
        place[k] = fmax(0, fmin(map->nodes[k] - 1, (x[k] - map->corner[k]) / map->spacing[k]));
    const int first[2] = {(int)place[0], (int)place[1]};
    for (int j = first[1]; j <= first[1] + 1 && j < map->nodes[1]; ++j)
        for (int i = first[0]; i <= first[0] + 1 && i < map->nodes[0]; ++i)
            sum += (1 - fabs(place[0] - i)) * (1 - fabs(place[1] - j)) *
                   map->angle[(size_t)j * (size_t)map->nodes[0] + (size_t)i];
    return sum;
}

static struct surface surface_of(const struct nb_problem *problem, const struct nb_shape *shape, int contact, int side)
{
    const double *normal = problem->contacts.frame + 9 * contact;
    struct surface surface = {.along = shape->friction, .across = shape->friction};
    double x[3];
    memcpy(x, shape->structure, sizeof x);
    surface.structured = nb_dot3(x, x) > 0;
    if (!surface.structured)
        return surface;
    surface.across = shape->across;
    if (shape->map.angle) {
        double place[3];
        find_place(problem, shape, contact, side, place);
        const double half = angle_at(&shape->map, place) / 2, about_z[4] = {cos(half), 0, 0, sin(half)};
        turn(about_z, x);
    }
    turn(shape->orientation, x);
    if (shape->body >= 0)
        turn(problem->bodies.orientation + 4 * shape->body, x);
    const double upwards = nb_dot3(x, normal);
    for (int k = 0; k < 3; ++k)
        x[k] -= upwards * normal[k];
    const double length = nb_norm3(x);
    for (int k = 0; k < 3; ++k)
        surface.direction[k] = length > NB_LEAST_TILT ? x[k] / length : 0;
    return surface;
}

static bool is_same(const struct surface *a, const struct surface *b)
{
    double between[3];
    nb_cross3(a->direction, b->direction, between);
    return a->structured == b->structured && a->along == b->along && a->across == b->across &&
           (nb_dot3(a->direction, a->direction) > 0) == (nb_dot3(b->direction, b->direction) > 0) &&
           nb_norm3(between) < rounding;
}

/* Whether a side's point of the contact lies on that plane, and the normals agree. The point is rounded as what it
 * comes of: itself, the plane's position and that of the body on the other side. */
static bool is_on_plane(const struct nb_problem *problem, const struct nb_shape *plane, int contact, int side)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const double *normal = contacts->frame + 9 * contact, *point = contacts->point + 6 * contact + 3 * side;
    const double *position = plane->position;
    const int other = contacts->body[2 * contact + 1 - side];
    const double *centre = other >= 0 ? problem->bodies.position + 3 * other : position;
    double own[3] = {0, 0, 1}, between[3];
    turn(plane->orientation, own);
    nb_cross3(own, normal, between);
    const double out = fabs(nb_dot3(own, point) - nb_dot3(own, position));
    const double size = nb_norm3(point) + nb_norm3(position) + nb_norm3(centre);
    return nb_norm3(between) < rounding && out <= rounding * size;
}

/* The surface of that side: of the plane that it lies on, else of all other shapes of its body; false where they
 * differ, or where there is none. */
static bool find_surface(const struct nb_problem *problem, int contact, int side, struct surface *surface)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const int body = contacts->body[2 * contact + side];
    bool found = false, alike = true;
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        const bool plane = shape->kind == NB_SHAPE_PLANE;
        if (shape->body != body || shape->kind == NB_SHAPE_SURFACE ||
            (plane && !is_on_plane(problem, shape, contact, side)))
            continue;
        const struct surface next = surface_of(problem, shape, contact, side);
        alike = !found || (alike && is_same(surface, &next));
        *surface = next;
        found = true;
        if (plane)
            return true;
    }
    return found && alike;
}

/* mu [2] along and across the unit vector t [3]; false where the surfaces do not say. */
static bool find_ellipse(const struct nb_problem *problem, int contact, double *mu, double *t)
{
    const struct nb_contacts *contacts = &problem->contacts;
    struct surface side[2];
    for (int s = 0; s < 2; ++s)
        if ((contacts->particle && contacts->particle[6 * contact + 3 * s] >= 0) ||
            !find_surface(problem, contact, s, &side[s]))
            return false;
    if (!side[0].structured && !side[1].structured)
        return false;
    const double along = fmax(side[0].along, side[1].along), across = fmax(side[0].across, side[1].across);
    double *a = side[0].direction, *b = side[1].direction, between[3];
    if (nb_dot3(a, a) == 0)
        memcpy(a, b, sizeof side[0].direction);
    if (nb_dot3(b, b) == 0)
        memcpy(b, a, sizeof side[1].direction);
    nb_cross3(a, b, between);
    const double cosine = nb_dot3(a, b), angle = atan2(nb_norm3(between), fabs(cosine));
    const double aligned = nb_dot3(a, a) > 0 ? 1 - angle / (M_PI / 2) : 0;
    mu[0] = aligned * along + (1 - aligned) * (along + across) / 2;
    mu[1] = aligned * across + (1 - aligned) * (along + across) / 2;
    for (int k = 0; k < 3; ++k)
        t[k] = nb_dot3(a, a) > 0 ? a[k] + (cosine < 0 ? -b[k] : b[k]) : contacts->frame[9 * contact + 3 + k];
    const double length = nb_norm3(t);
    for (int k = 0; k < 3; ++k)
        t[k] /= length;
    return true;
}

/* Force and slip of the contact as vectors: sums over its tangents, whose lengths are in D lambda_f once, and twice in
 * D^T u. */
static void find_vectors(const struct nb_judge *judge, int contact, double *force, double *slip)
{
    const double *frame = judge->problem->contacts.frame + 9 * contact;
    memset(force, 0, 3 * sizeof *force);
    memset(slip, 0, 3 * sizeof *slip);
    for (int row = 1; row < 3; ++row) {
        const double *tangent = frame + 3 * row, square = nb_dot3(tangent, tangent);
        for (int k = 0; k < 3; ++k) {
            force[k] += judge->impulse[3 * contact + row] / judge->time_step * tangent[k];
            slip[k] += judge->velocity[3 * contact + row] / square * tangent[k];
        }
    }
}

/* The larger of both errors, relative to the most that friction could do: with the largest normal force of the step,
 * along the slip or, of what sticks, what it has to slide. */
static double ellipse_error(const struct nb_judge *judge, int contact, const double *mu, const double *t,
                            double largest)
{
    const double normal_force = fmax(0, judge->impulse[3 * contact] / judge->time_step);
    const double speed = nb_step_scale_of(judge, contact, 1), most = fmax(mu[0], mu[1]);
    double force[3], slip[3], b[3];
    nb_cross3(judge->problem->contacts.frame + 9 * contact, t, b);
    find_vectors(judge, contact, force, slip);
    const double *axis[2] = {t, b};
    double used = 0, support = 0;
    for (int k = 0; k < 2; ++k) {
        used = hypot(used, nb_step_relative(nb_dot3(force, axis[k]), mu[k]));
        support = hypot(support, mu[k] * nb_dot3(slip, axis[k]));
    }
    const double excess = fmax(0, used - normal_force);
    const double undissipated = fabs(nb_dot3(force, slip) + normal_force * support);
    const double fastest = fmax(speed, nb_norm3(slip));
    return nb_worst(nb_step_relative(excess, largest), nb_step_relative(undissipated, most * largest * fastest));
}

static bool has_structure(const struct nb_problem *problem)
{
    for (int i = 0; i < problem->shape_count; ++i)
        if (nb_dot3(problem->shapes[i].structure, problem->shapes[i].structure) > 0)
            return true;
    return false;
}

double nb_judge_ellipse_error(const struct nb_judge *judge)
{
    const struct nb_problem *problem = judge->problem;
    double worst = NAN, largest = 0;
    if (problem->form != NB_NONLINEAR || !has_structure(problem))
        return NAN;
    for (int i = 0; i < problem->contacts.count; ++i)
        largest = nb_worst(largest, judge->impulse[3 * i] / judge->time_step);
    for (int i = 0; i < problem->contacts.count; ++i) {
        double mu[2], t[3];
        if (!find_ellipse(problem, i, mu, t))
            continue;
        const double error = ellipse_error(judge, i, mu, t, largest);
        worst = isnan(worst) ? error : nb_worst(worst, error);
    }
    return worst;
}
