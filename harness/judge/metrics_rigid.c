/* Bodies, particles and contacts for the judge: q+ = q- (+) h u, C_n = n . (a - b) - d and its
 * Jacobian by the velocity (v, omega), world frame (Macklin et al. 2019, equations 9, 41 and 89):
 *
 *     row of axis e:   (e, r_a x e) on side a,   -(e, r_b x e) on side b,   r = R(q) p -+ rho n,
 *     w_k e on particle k of a deformable side a, -w_k e on those of b.
 *
 * Written apart from solvers/ so that one mistake cannot hide in both. */
#include <math.h>
#include <string.h>

#include "harness/judge/metrics_private.h"

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

static void fill_mass(const struct nb_problem *problem, struct nb_csr *mass)
{
    const struct nb_bodies *bodies = &problem->bodies;
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
    for (int i = 6 * bodies->count; i < mass->rows; ++i) {
        mass->column[at] = i;
        mass->value[at++] = problem->particles.mass[(i - 6 * bodies->count) / 3];
        mass->start[i + 1] = at;
    }
}

/* What of a contact moves: bodies (width 6) and particles (3), in ascending order, without repeats. */
enum { MOST_MOVERS = 6 };
struct mover {
    int column, width;
};

static int insert(struct mover *movers, int count, int column, int width)
{
    int at = count;
    for (int k = 0; k < count; ++k)
        if (movers[k].column == column)
            return count;
    for (; at > 0 && movers[at - 1].column > column; --at)
        movers[at] = movers[at - 1];
    movers[at] = (struct mover){column, width};
    return count + 1;
}

static int movers_of(const struct nb_problem *problem, int contact, struct mover *movers)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const int limit = contact - contacts->count; /* of a joint */
    const int *body = limit < 0 ? contacts->body + 2 * contact
                                : problem->joints.body + 2 * problem->limits.joint[limit];
    int count = 0;
    for (int s = 0; s < 2; ++s)
        if (body[s] >= 0)
            count = insert(movers, count, 6 * body[s], 6);
    for (int k = 0; limit < 0 && contacts->particle && k < 6; ++k) {
        const int particle = contacts->particle[6 * contact + k];
        if (particle >= 0)
            count = insert(movers, count, 6 * problem->bodies.count + 3 * particle, 3);
    }
    return count;
}

static void fill_pattern(const struct nb_problem *problem, struct nb_csr *jacobian)
{
    int at = 0;
    for (int row = 0; row < jacobian->rows; ++row) {
        struct mover movers[MOST_MOVERS];
        const int count = movers_of(problem, row / 3, movers);
        for (int m = 0; m < count; ++m)
            for (int k = 0; k < movers[m].width; ++k)
                jacobian->column[at++] = movers[m].column + k;
        jacobian->start[row + 1] = at;
    }
}

enum nb_status nb_rigid_allocate(const struct nb_problem *problem, struct nb_csr *mass,
                                 struct nb_csr *jacobian, struct nb_error *error)
{
    const int dofs = 6 * problem->bodies.count + 3 * problem->particles.count;
    const int contacts = nb_problem_contacts(problem);
    int entries = 0;
    for (int i = 0; i < contacts; ++i) {
        struct mover movers[MOST_MOVERS];
        const int count = movers_of(problem, i, movers);
        for (int m = 0; m < count; ++m)
            entries += 3 * movers[m].width;
    }
    enum nb_status status = nb_csr_allocate(
        mass, dofs, dofs, 12 * problem->bodies.count + 3 * problem->particles.count, error);
    status = status ? status : nb_csr_allocate(jacobian, 3 * contacts, dofs, entries, error);
    if (status) {
        nb_csr_free(mass);
        return status;
    }
    fill_mass(problem, mass);
    fill_pattern(problem, jacobian);
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

void nb_rigid_advance(const struct nb_problem *problem, const double *u,
                      const struct nb_configuration *at)
{
    const struct nb_bodies *bodies = &problem->bodies;
    const double h = u ? problem->time_step : 0;
    const int of_bodies = 6 * bodies->count;
    for (int i = 0; i < 3 * bodies->count; ++i)
        at->position[i] = bodies->position[i] + (u ? h * u[6 * (i / 3) + i % 3] : 0);
    for (int i = 0; i < 4 * bodies->count; ++i)
        at->orientation[i] = bodies->orientation[i];
    for (int body = 0; u && body < bodies->count; ++body)
        advance_quaternion(bodies->orientation + 4 * body, u + 6 * body + 3, h,
                           at->orientation + 4 * body);
    for (int i = 0; i < 3 * problem->particles.count; ++i)
        at->particle[i] = problem->particles.position[i] + (u ? h * u[of_bodies + i] : 0);
}

/* Particle k of a side, or -1. */
static int corner(const struct nb_contacts *contacts, int contact, int side, int k)
{
    return contacts->particle ? contacts->particle[6 * contact + 3 * side + k] : -1;
}

/* The arm R p - rho n of side a, or R p + rho n of side b, and the point x + arm; for the world x
 * and R p are 0 and the stored point, for a deformable side x is the point of its particles and R p
 * 0. */
static void locate(const struct nb_contacts *contacts, const struct nb_configuration *at,
                   int contact, int side, double arm[3], double point[3])
{
    const int body = contacts->body[2 * contact + side];
    const double *local = contacts->point + 6 * contact + 3 * side;
    const double radius = contacts->radius ? contacts->radius[2 * contact + side] : 0;
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (body >= 0)
        rotation_of(at->orientation + 4 * body, rotation);
    for (int k = 0; k < 3; ++k) {
        const double outward = radius * contacts->frame[9 * contact + k];
        arm[k] = dot3(rotation + 3 * k, local) + (side == 0 ? -outward : outward);
        point[k] = arm[k] + (body >= 0 ? at->position[3 * body + k] : 0);
        for (int c = 0; c < 3 && corner(contacts, contact, side, c) >= 0; ++c)
            point[k] += contacts->weight[6 * contact + 3 * side + c] *
                        at->particle[3 * corner(contacts, contact, side, c) + k];
    }
}

/* Adds a side's row of the axis, sign (axis, arm x axis) on its body or its particles' weights, to the
 * blocks of that row. */
static void add_side(const struct nb_problem *problem, int contact, int side, const double *axis,
                     const double *arm, struct nb_csr *jacobian, int row)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const int body = contacts->body[2 * contact + side], of_bodies = 6 * problem->bodies.count;
    const double sign = side ? -1 : 1;
    for (int e = jacobian->start[row], width; e < jacobian->start[row + 1]; e += width) {
        const int column = jacobian->column[e];
        double *value = jacobian->value + e;
        width = column < of_bodies ? 6 : 3;
        for (int k = 0; width == 6 && column == 6 * body && k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            value[k] += sign * axis[k];
            value[3 + k] += sign * (arm[i] * axis[j] - arm[j] * axis[i]);
        }
        for (int c = 0; width == 3 && c < 3; ++c)
            if (of_bodies + 3 * corner(contacts, contact, side, c) == column)
                for (int k = 0; k < 3; ++k)
                    value[k] += sign * contacts->weight[6 * contact + 3 * side + c] * axis[k];
    }
}

void nb_rigid_contacts(const struct nb_problem *problem, const struct nb_configuration *at,
                       double *gap, struct nb_csr *jacobian)
{
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        const double *frame = contacts->frame + 9 * i;
        double arm[2][3], point[2][3];
        for (int s = 0; s < 2; ++s)
            locate(contacts, at, i, s, arm[s], point[s]);
        const double between[3] = {point[0][0] - point[1][0], point[0][1] - point[1][1],
                                   point[0][2] - point[1][2]};
        gap[i] = dot3(frame, between) - contacts->thickness[i];
        for (int row = 3 * i; row < 3 * i + 3; ++row) {
            for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e)
                jacobian->value[e] = 0;
            for (int s = 0; s < 2; ++s)
                add_side(problem, i, s, frame + 3 * (row % 3), arm[s], jacobian, row);
        }
    }
}

/* |n| . (|x_A| + |R p_A| + |x_B| + |R p_B|) + |d|, |x| the weighted sum of particles where a side
 * is deformable: what rounding sees of a gap taken from positions. */
void nb_rigid_gap_terms(const struct nb_problem *problem, const struct nb_configuration *at,
                        double *terms)
{
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        terms[i] = fabs(contacts->thickness[i]);
        for (int s = 0; s < 2; ++s) {
            const int body = contacts->body[2 * i + s];
            double arm[3], point[3];
            locate(contacts, at, i, s, arm, point);
            for (int k = 0; k < 3; ++k) {
                double size = fabs(arm[k]) + (body < 0 ? 0 : fabs(at->position[3 * body + k]));
                for (int c = 0; c < 3 && corner(contacts, i, s, c) >= 0; ++c)
                    size += contacts->weight[6 * i + 3 * s + c] *
                            fabs(at->particle[3 * corner(contacts, i, s, c) + k]);
                terms[i] += fabs(contacts->frame[9 * i + k]) * size;
            }
        }
    }
}
