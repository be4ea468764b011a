/* Exponents of two of a step's time step, lengths or velocities, and effective masses, from its arrays alone
 * (intrinsic_units.h). Means are those of the exponents: they shift exactly where a unit changes by a power of two. */
#include "solvers/intrinsic_units.h"

#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"

/* Contacts that separate by less than this part of the largest velocity are at rest: what they have is rounding. */
#define AT_REST 0x1p-20

/* What has been seen of a step. */
struct scales {
    double needed, largest; /* velocity to take away; of any row */
    double elastic_mass;    /* of all particles: one of them is no measure of the body that it is a node of */
    long exponents, count;  /* sum of ilogb(W_ii), and of how many */
};

static void see_inertia(struct scales *scales, double inverse_mass)
{
    if (!(inverse_mass > 0) || !isfinite(inverse_mass))
        return;
    scales->exponents += ilogb(inverse_mass);
    scales->count++;
}

static void see_velocity(struct scales *scales, double velocity, double needed)
{
    if (!isfinite(velocity))
        return;
    scales->largest = fmax(scales->largest, fabs(velocity));
    scales->needed = fmax(scales->needed, needed);
}

/* Row i of J with M_jj instead of M: W_ii, and U from u_j = f_j / M_jj. */
static double row_of(const struct nb_linear_step *step, const struct nb_csr *jacobian, int i, double *velocity)
{
    double inverse_mass = 0;
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        const double m = nb_csr_diagonal(&step->mass, jacobian->column[k]), j = jacobian->value[k];
        if (!(m > 0))
            continue;
        inverse_mass += j * j / m;
        *velocity += j * step->force[jacobian->column[k]] / m;
    }
    return inverse_mass;
}

static void see_linear(struct scales *scales, const struct nb_problem *problem)
{
    const struct nb_linear_step *step = &problem->linear;
    const int local = problem->form == NB_LINEAR_LOCAL;
    for (int i = 0; i < 3 * step->contacts; ++i) {
        double velocity = step->contact_velocity[i];
        const double w = local ? nb_csr_diagonal(&step->delassus, i)
                               : row_of(step, &step->contact_jacobian, i, &velocity);
        see_velocity(scales, velocity, i % 3 == 0 ? -velocity : 0);
        if (i % 3 == 0)
            see_inertia(scales, w);
    }
    for (int i = 0; i < step->bilaterals; ++i) {
        double velocity = step->bilateral_velocity[i];
        const double w = local ? nb_csr_diagonal(&step->delassus, 3 * step->contacts + i)
                               : row_of(step, &step->bilateral_jacobian, i, &velocity);
        see_velocity(scales, velocity, fabs(velocity));
        if (step->contacts == 0)
            see_inertia(scales, w);
    }
}

/* A contact's side: n . its velocity, and 1/m. */
struct side {
    double speed, inverse_mass;
};

static void add_body(const struct nb_problem *problem, int body, const double *point, const double *normal,
                     struct side *side)
{
    const double *u = problem->free_velocity + 6 * (size_t)body;
    double rotation[9], arm[3], turning[3];
    nb_quaternion_matrix(problem->bodies.orientation + 4 * (size_t)body, rotation);
    nb_rotate(rotation, point, arm);
    nb_cross3(u + 3, arm, turning);
    side->speed += nb_dot3(normal, u) + nb_dot3(normal, turning);
    side->inverse_mass += 1 / problem->bodies.mass[body];
}

static void add_particle(const struct scales *scales, const struct nb_problem *problem, int particle, double weight,
                         const double *normal,
                         struct side *side)
{
    const size_t first = 6 * (size_t)problem->bodies.count;
    side->speed += weight * nb_dot3(normal, problem->free_velocity + first + 3 * (size_t)particle);
    side->inverse_mass += weight * weight / scales->elastic_mass;
}

static struct side side_of(const struct scales *scales, const struct nb_problem *problem, int contact, int which)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const double *normal = contacts->frame + 9 * (size_t)contact;
    const size_t at = 6 * (size_t)contact + 3 * (size_t)which;
    const int body = contacts->body[2 * contact + which];
    struct side side = {0, 0};
    if (body >= 0)
        add_body(problem, body, contacts->point + at, normal, &side);
    for (size_t k = at; contacts->particle && k < at + 3 && contacts->particle[k] >= 0; ++k)
        add_particle(scales, problem, contacts->particle[k], contacts->weight[k], normal, &side);
    return side;
}

/* U_n = C_n/h + the rate of C_n, by the free velocity. */
static void see_contact(struct scales *scales, const struct nb_problem *problem, int contact)
{
    const struct side a = side_of(scales, problem, contact, 0), b = side_of(scales, problem, contact, 1);
    const double velocity = nb_contact_gap(problem, contact) / problem->time_step + a.speed - b.speed;
    see_velocity(scales, velocity, -velocity);
    see_inertia(scales, a.inverse_mass + b.inverse_mass);
}

/* Bilateral rows: by all that moves. */
static void see_free_motion(struct scales *scales, const struct nb_problem *problem)
{
    const int held = nb_problem_bilaterals(problem) > 0, alone = problem->contacts.count == 0;
    const int bodies = problem->bodies.count, particles = problem->particles.count;
    for (int i = 0; i < 2 * bodies + particles; ++i) {
        if (i < 2 * bodies && i % 2)
            continue; /* a rotation */
        const double *u = problem->free_velocity + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k)
            see_velocity(scales, u[k], held ? fabs(u[k]) : 0);
        if (alone)
            see_inertia(scales, 1 / (i < 2 * bodies ? problem->bodies.mass[i / 2]
                                                    : scales->elastic_mass));
    }
}

static long floor_mean(long sum, long count)
{
    return (sum >= 0 ? sum : sum - count + 1) / count;
}

/* The mean exponent of the bodies' radii of gyration. */
static int mean_radius(const struct nb_problem *problem)
{
    const struct nb_bodies *bodies = &problem->bodies;
    long sum = 0;
    for (int i = 0; i < bodies->count; ++i) {
        const double *inertia = bodies->inertia + 9 * (size_t)i;
        sum += ilogb(sqrt((inertia[0] + inertia[4] + inertia[8]) / bodies->mass[i]));
    }
    return (int)floor_mean(sum, bodies->count);
}

struct nb_units nb_intrinsic_units(const struct nb_problem *problem)
{
    struct scales scales = {0};
    struct nb_units factor = {1, 1, 1};
    for (int i = 0; i < problem->particles.count; ++i)
        scales.elastic_mass += problem->particles.mass[i];
    for (int i = 0; i < problem->contacts.count; ++i)
        see_contact(&scales, problem, i);
    if (problem->form == NB_NONLINEAR)
        see_free_motion(&scales, problem);
    else
        see_linear(&scales, problem);
    factor.time = ldexp(1, -ilogb(problem->time_step));
    if (scales.count > 0)
        factor.mass = ldexp(1, (int)floor_mean(scales.exponents, scales.count));
    const double velocity = fmax(scales.needed, AT_REST * scales.largest);
    if (problem->bodies.count > 0)
        factor.length = ldexp(1, -mean_radius(problem));
    else if (velocity > 0)
        factor.length = ldexp(factor.time, -ilogb(velocity));
    return factor;
}
