/* Rigid bodies for the judge: q+ = q- (+) h u, C_n = n . (a - b) - d and its Jacobian by the
 * velocity (v, omega), world frame (Macklin et al. 2019, equations 9, 41 and 89):
 *
 *     row of axis e:   (e, r_a x e) on side a,   -(e, r_b x e) on side b,   r = R(q) p -+ rho n.
 *
 * Written apart from solvers/ so that one mistake cannot hide in both. */
#include <math.h>
#include <string.h>

#include "harness/metrics_private.h"

static void rotation_of(const double *quaternion, double rotation[9])
{
    const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    const double values[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(rotation, values, sizeof values);
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* I_world = R I R^T */
static void world_inertia(const double *quaternion, const double *inertia, double world[9])
{
    double r[9], half[9];
    rotation_of(quaternion, r);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            half[3 * i + j] = r[3 * i] * inertia[j] + r[3 * i + 1] * inertia[3 + j] +
                              r[3 * i + 2] * inertia[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            world[3 * i + j] = dot3(half + 3 * i, r + 3 * j);
}

static void fill_mass(const struct nb_bodies *bodies, struct nb_csr *mass)
{
    int at = 0;
    for (int body = 0; body < bodies->count; ++body) {
        double inertia[9];
        world_inertia(bodies->orientation + 4 * body, bodies->inertia + 9 * body, inertia);
        for (int k = 0; k < 3; ++k) {
            mass->column[at] = 6 * body + k;
            mass->value[at++] = bodies->mass[body];
            mass->start[6 * body + k + 1] = at;
        }
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) {
                mass->column[at] = 6 * body + 3 + j;
                mass->value[at++] = inertia[3 * k + j];
            }
            mass->start[6 * body + 3 + k + 1] = at;
        }
    }
}

/* The sides of a contact that move, in ascending order of their body. */
static int moving_sides(const int *body, int sides[2])
{
    int count = 0;
    const int first = body[1] < body[0];
    for (int k = 0; k < 2; ++k)
        if (body[(first + k) % 2] >= 0)
            sides[count++] = (first + k) % 2;
    return count;
}

static void fill_pattern(const struct nb_contacts *contacts, struct nb_csr *jacobian)
{
    int at = 0;
    for (int row = 0; row < 3 * contacts->count; ++row) {
        const int *body = contacts->body + 2 * (row / 3);
        int sides[2];
        const int count = moving_sides(body, sides);
        for (int s = 0; s < count; ++s)
            for (int k = 0; k < 6; ++k)
                jacobian->column[at++] = 6 * body[sides[s]] + k;
        jacobian->start[row + 1] = at;
    }
}

enum nb_status nb_rigid_allocate(const struct nb_problem *problem, struct nb_csr *mass,
                                 struct nb_csr *jacobian, struct nb_error *error)
{
    const int dofs = 6 * problem->bodies.count;
    int entries = 0;
    for (int side = 0; side < 2 * problem->contacts.count; ++side)
        entries += problem->contacts.body[side] >= 0 ? 18 : 0;
    enum nb_status status =
        nb_csr_allocate(mass, dofs, dofs, 12 * problem->bodies.count, error);
    if (!status)
        status = nb_csr_allocate(jacobian, 3 * problem->contacts.count, dofs, entries, error);
    if (status) {
        nb_csr_free(mass);
        return status;
    }
    fill_mass(&problem->bodies, mass);
    fill_pattern(&problem->contacts, jacobian);
    return NB_OK;
}

/* theta+ = theta- + h/2 (0, omega) theta-, normalised (89). */
static void advance_quaternion(const double *old, const double *omega, double h, double *out)
{
    const double x = omega[0], y = omega[1], z = omega[2];
    const double rate[4] = {-x * old[1] - y * old[2] - z * old[3],
                            x * old[0] + y * old[3] - z * old[2],
                            y * old[0] + z * old[1] - x * old[3],
                            z * old[0] + x * old[2] - y * old[1]};
    double square = 0;
    for (int k = 0; k < 4; ++k) {
        out[k] = old[k] + h / 2 * rate[k];
        square += out[k] * out[k];
    }
    for (int k = 0; k < 4; ++k)
        out[k] /= sqrt(square);
}

void nb_rigid_advance(const struct nb_problem *problem, const double *u, double *position,
                      double *orientation)
{
    const struct nb_bodies *bodies = &problem->bodies;
    if (bodies->count == 0)
        return;
    memcpy(position, bodies->position, 3 * (size_t)bodies->count * sizeof *position);
    memcpy(orientation, bodies->orientation, 4 * (size_t)bodies->count * sizeof *orientation);
    if (!u)
        return;
    for (int body = 0; body < bodies->count; ++body) {
        for (int k = 0; k < 3; ++k)
            position[3 * body + k] += problem->time_step * u[6 * body + k];
        advance_quaternion(bodies->orientation + 4 * body, u + 6 * body + 3, problem->time_step,
                           orientation + 4 * body);
    }
}

/* The arm R p - rho n of side a, or R p + rho n of side b, and the point x + arm; for the world x and
 * R p are 0 and the stored point. */
static void locate(const struct nb_contacts *contacts, const double *position,
                   const double *orientation, int contact, int side, double arm[3], double point[3])
{
    const int body = contacts->body[2 * contact + side];
    const double *local = contacts->point + 6 * contact + 3 * side;
    const double radius = contacts->radius ? contacts->radius[2 * contact + side] : 0;
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (body >= 0)
        rotation_of(orientation + 4 * body, rotation);
    for (int k = 0; k < 3; ++k) {
        const double outward = radius * contacts->frame[9 * contact + k];
        arm[k] = dot3(rotation + 3 * k, local) + (side == 0 ? -outward : outward);
        point[k] = arm[k] + (body >= 0 ? position[3 * body + k] : 0);
    }
}

static void fill_block(double *value, double sign, const double *axis, const double *arm)
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        value[k] = sign * axis[k];
        value[3 + k] = sign * (arm[i] * axis[j] - arm[j] * axis[i]);
    }
}

void nb_rigid_contacts(const struct nb_problem *problem, const double *position,
                       const double *orientation, double *gap, struct nb_csr *jacobian)
{
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        const int *body = contacts->body + 2 * i;
        const double *frame = contacts->frame + 9 * i;
        double arm[2][3], point[2][3];
        for (int s = 0; s < 2; ++s)
            locate(contacts, position, orientation, i, s, arm[s], point[s]);
        const double between[3] = {point[0][0] - point[1][0], point[0][1] - point[1][1],
                                   point[0][2] - point[1][2]};
        gap[i] = dot3(frame, between) - contacts->thickness[i];
        int sides[2];
        const int count = moving_sides(body, sides);
        for (int row = 0; row < 3; ++row)
            for (int s = 0; s < count; ++s)
                fill_block(jacobian->value + jacobian->start[3 * i + row] + 6 * s,
                           sides[s] ? -1 : 1, frame + 3 * row, arm[sides[s]]);
    }
}

/* |n| . (|x_A| + |R p_A| + |x_B| + |R p_B|) + |d|: what rounding sees of a gap taken from
 * positions. */
void nb_rigid_gap_terms(const struct nb_problem *problem, const double *position,
                        const double *orientation, double *terms)
{
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        terms[i] = fabs(contacts->thickness[i]);
        for (int s = 0; s < 2; ++s) {
            const int body = contacts->body[2 * i + s];
            double arm[3], point[3];
            locate(contacts, position, orientation, i, s, arm, point);
            for (int k = 0; k < 3; ++k)
                terms[i] += fabs(contacts->frame[9 * i + k]) *
                            (fabs(arm[k]) + (body < 0 ? 0 : fabs(position[3 * body + k])));
        }
    }
}
