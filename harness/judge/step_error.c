/* The error of a step as a backward error: how far each contact is from the nearest state that satisfies Signorini's
 * condition and Coulomb's law exactly, and what such impulses leave unexplained of the velocities, as velocities
 * relative to what the step has to do (docs/theory/measure.md).
 *
 * Normal velocities are relative to V_N, tangential ones to V_T, and w times impulses likewise. In these units
 * Coulomb's law keeps its form, with mu V_N / V_T for mu. The exact states (U, r) of a contact are, with t a unit
 * vector of the tangent plane,
 *
 *     open   r = 0,                 U_N >= 0
 *     stick  r in K,                U = 0
 *     slip   r = rho (1, mu t),     U = (0, -s t),    rho, s >= 0.
 *
 * The distance to each is the largest of |dU| and |dr|. Slip is tried along the directions of r_T, of -U_T, and of
 * r_T - U_T; the state that is nearest gives the named errors and the admissible impulse. */
#include <math.h>
#include <string.h>

#include "harness/judge/metrics_private.h"

/* Errors of one contact, and the impulse of the exact state, all relative. */
struct distance {
    double penetration, complementarity, cone, sliding;
    double impulse[3];
};

static double total(const struct distance *d)
{
    return nb_worst(nb_worst(d->penetration, d->complementarity), nb_worst(d->cone, d->sliding));
}

/* The distance of r to K = {|r_T| <= mu r_N}, for any mu: 1 + mu^2 is never formed. */
static double cone_distance(double normal, double tangent, double mu)
{
    const double length = hypot(1, mu);
    if (tangent <= mu * normal)
        return 0;
    if (normal + mu * tangent <= 0)
        return hypot(normal, tangent);
    return tangent / length - mu / length * normal;
}

static struct distance open_state(const double *impulse, const double *velocity)
{
    struct distance d = {.penetration = nb_worst(0, -velocity[0]), .complementarity = nb_worst(0, impulse[0])};
    d.cone = nb_worst(0, -impulse[0]);
    d.sliding = hypot(impulse[1], impulse[2]);
    return d;
}

static struct distance stick_state(const double *impulse, const double *velocity, double mu)
{
    struct distance d = {.penetration = nb_worst(0, -velocity[0]), .complementarity = nb_worst(0, velocity[0]),
                         .sliding = hypot(velocity[1], velocity[2])};
    d.cone = cone_distance(impulse[0], hypot(impulse[1], impulse[2]), mu);
    nb_project_on_cone(impulse, mu, d.impulse);
    return d;
}

/* Slip along the direction of (x, y); open if that has no length. */
static struct distance slip_state(const double *impulse, const double *velocity, double mu, double x, double y)
{
    const double size = hypot(x, y), length = hypot(1, mu);
    if (!(size > 0 && isfinite(size)))
        return open_state(impulse, velocity);
    const double t[2] = {x / size, y / size};
    const double along = impulse[1] * t[0] + impulse[2] * t[1], across = impulse[2] * t[0] - impulse[1] * t[1];
    const double slip = fmax(0, -(velocity[1] * t[0] + velocity[2] * t[1]));
    const double ray = fmax(0, impulse[0] / length + mu / length * along) / length;
    const double off = ray > 0 ? along / length - mu / length * impulse[0] : hypot(impulse[0], along);
    const double moved = hypot(velocity[1] + slip * t[0], velocity[2] + slip * t[1]);
    struct distance d = {.impulse = {ray, mu * ray * t[0], mu * ray * t[1]}};
    d.penetration = nb_worst(0, -velocity[0]);
    d.complementarity = nb_worst(0, velocity[0]);
    d.cone = cone_distance(impulse[0], hypot(impulse[1], impulse[2]), mu);
    d.sliding = nb_worst(moved, hypot(off, across));
    return d;
}

static struct distance nearest_state(const double *r, const double *u, double mu)
{
    const struct distance states[] = {
        open_state(r, u), stick_state(r, u, mu), slip_state(r, u, mu, -u[1], -u[2]),
        slip_state(r, u, mu, r[1], r[2]), slip_state(r, u, mu, r[1] - u[1], r[2] - u[2])};
    int best = 0;
    for (int k = 1; k < (int)(sizeof states / sizeof *states); ++k)
        if (total(&states[k]) < total(&states[best]))
            best = k;
    return states[best];
}

/* Impulses of contacts that are given more than once are added up in the first, along its tangents. */
static void add_up_impulses(const struct nb_judge *judge)
{
    const struct nb_step_scale *scale = &judge->scale;
    memset(scale->impulse, 0, 3 * (size_t)judge->contacts * sizeof *scale->impulse);
    for (int i = 0; i < judge->contacts; ++i) {
        const double *own = judge->impulse + 3 * (size_t)i;
        double *sum = scale->impulse + 3 * (size_t)scale->first[i], tangents[2];
        nb_turn_back(&scale->turn[i], own + 1, tangents);
        sum[0] += own[0];
        sum[1] += tangents[0];
        sum[2] += tangents[1];
    }
}

/* That sum along the tangents of contact i. */
static void whole_impulse(const struct nb_judge *judge, int i, double impulse[3])
{
    const struct nb_step_scale *scale = &judge->scale;
    const double *sum = scale->impulse + 3 * (size_t)scale->first[i];
    impulse[0] = sum[0];
    nb_turn_tangents(&scale->turn[i], sum + 1, impulse + 1);
}

/* U of contact i by the given u: in a local form judge->velocity is what the impulses make of it. */
static void contact_velocity(const struct nb_judge *judge, int i, double velocity[3])
{
    const bool local = judge->problem->form == NB_LINEAR_LOCAL;
    for (int k = 0; k < 3; ++k)
        velocity[k] = judge->velocity[3 * i + k] + (local ? judge->momentum[3 * i + k] : 0);
}

/* A limit of a joint has no tangents. */
static void make_relative(const struct nb_judge *judge, int i, const double *given, double factor, double relative[3])
{
    const bool limit = nb_judge_is_limit(judge, i);
    for (int k = 0; k < 3; ++k)
        relative[k] = k > 0 && limit ? 0 : nb_step_relative(factor * given[k], nb_step_scale_of(judge, i, k));
}

/* mu in the units of a contact: 0 of a limit. */
static double relative_friction(const struct nb_judge *judge, int i)
{
    const double normal = judge->scale.velocity[i], sliding = judge->scale.sliding[i];
    if (nb_judge_is_limit(judge, i))
        return 0;
    return sliding > 0 ? judge->friction[i] * (normal / sliding) : judge->friction[i];
}

/* Contacts that are given more than once share an impulse, but none of them pulls, or rubs beyond its cone: by how much
 * more than the sum of them. */
static double own_cone_excess(const struct nb_judge *judge, int i, const double *sum, double mu)
{
    const double *own = judge->impulse + 3 * i;
    double r[3];
    if (!memcmp(own, judge->scale.impulse + 3 * judge->scale.first[i], 3 * sizeof *own))
        return 0;
    make_relative(judge, i, own, judge->scale.inverse_mass[i], r);
    return nb_worst(0, cone_distance(r[0], hypot(r[1], r[2]), mu) -
                           cone_distance(sum[0], hypot(sum[1], sum[2]), mu));
}

static struct distance contact_distance(const struct nb_judge *judge, int i)
{
    const struct nb_step_scale *scale = &judge->scale;
    const double w = scale->inverse_mass[i], mu = relative_friction(judge, i);
    double velocity[3], impulse[3], r[3], u[3];
    contact_velocity(judge, i, velocity);
    make_relative(judge, i, velocity, 1, u);
    whole_impulse(judge, i, impulse);
    make_relative(judge, i, impulse, w, r);
    struct distance d = nearest_state(r, u, mu);
    for (int k = 0; k < 3; ++k)
        scale->dropped[3 * i + k] = scale->first[i] == i && w > 0 && !(k > 0 && nb_judge_is_limit(judge, i))
                                        ? (r[k] - d.impulse[k]) * nb_step_scale_of(judge, i, k) / w
                                        : 0;
    d.cone = nb_worst(d.cone, own_cone_excess(judge, i, r, mu));
    return d;
}

double nb_judge_contact_error(const struct nb_judge *judge, int contact)
{
    const struct distance d = contact_distance(judge, contact);
    return total(&d);
}

static void measure_contacts(const struct nb_judge *judge, struct nb_metrics *metrics)
{
    double worst = -1;
    for (int i = 0; i < judge->contacts; ++i) {
        const struct distance d = contact_distance(judge, i);
        const double error = total(&d);
        metrics->step_penetration = nb_worst(metrics->step_penetration, d.penetration);
        metrics->step_complementarity = nb_worst(metrics->step_complementarity, d.complementarity);
        metrics->step_cone = nb_worst(metrics->step_cone, d.cone);
        metrics->step_sliding = nb_worst(metrics->step_sliding, d.sliding);
        if (!(error <= worst)) {
            worst = error;
            metrics->worst_contact = i;
        }
    }
}

static void measure_bilaterals(const struct nb_judge *judge, struct nb_metrics *metrics)
{
    for (int i = 0; i < judge->bilaterals; ++i) {
        const double error = fabs(judge->velocity[3 * judge->contacts + i]);
        metrics->step_bilateral = nb_worst(metrics->step_bilateral,
                                           nb_step_relative(error, judge->scale.velocity[judge->contacts + i]));
    }
}

/* The largest of the rows' velocities relative to their scales. */
static double largest_row(const struct nb_judge *judge)
{
    const struct nb_step_scale *scale = &judge->scale;
    double largest = 0;
    for (int i = 0; i < judge->contacts; ++i) {
        double v[3];
        make_relative(judge, i, scale->row + 3 * i, 1, v);
        largest = nb_worst(largest, hypot(v[0], hypot(v[1], v[2])));
    }
    for (int i = 0; i < judge->bilaterals; ++i)
        largest = nb_worst(largest, nb_step_relative(fabs(scale->row[3 * judge->contacts + i]),
                                                     scale->velocity[judge->contacts + i]));
    return largest;
}

/* The energy of what is unexplained of each island's velocities, relative to that of what the island has to do. */
static double largest_energy(const struct nb_judge *judge)
{
    const struct nb_step_scale *scale = &judge->scale;
    const int first_dof = judge->contacts + judge->bilaterals;
    double largest = 0;
    for (int i = 0; i < first_dof + judge->dofs; ++i)
        largest = nb_worst(largest, nb_step_relative(scale->unexplained_energy[i], scale->energy[i]));
    return sqrt(largest);
}

/* Local form: u - (W r' + V l + q; V^T r' + R l + s); the energy is that of the impulses r - r', (r - r') . W (r - r'),
 * as in a global form whose momentum is in balance. */
static double local_momentum(const struct nb_judge *judge)
{
    const struct nb_step_scale *scale = &judge->scale;
    const int rows = 3 * judge->contacts;
    memset(scale->dropped + rows, 0, (size_t)judge->bilaterals * sizeof(double));
    nb_csr_multiply(&judge->problem->linear.delassus, scale->dropped, scale->row, 0);
    for (int i = 0; i < rows; ++i)
        scale->unexplained_energy[scale->island[i / 3]] += scale->dropped[i] * scale->row[i];
    for (int i = 0; i < rows + judge->bilaterals; ++i)
        scale->row[i] += judge->momentum[i];
    return nb_worst(largest_row(judge), largest_energy(judge));
}

/* M u - f - J^T r' - G l, r' admissible, as the velocities that it makes; soft contacts give way by C (r - r'). */
static double global_momentum(const struct nb_judge *judge)
{
    const struct nb_step_scale *scale = &judge->scale;
    const int rows = 3 * judge->contacts, first_dof = judge->contacts + judge->bilaterals;
    nb_csr_multiply_transposed(judge->jacobian, scale->dropped, scale->unexplained, 0);
    for (int k = 0; k < judge->dofs; ++k)
        scale->unexplained[k] += judge->momentum[k];
    if (nb_mass_factor_solve(judge->factor, scale->unexplained, scale->explained))
        return NAN;
    for (int k = 0; k < judge->dofs; ++k)
        scale->unexplained_energy[scale->island[first_dof + k]] += scale->unexplained[k] * scale->explained[k];
    nb_csr_multiply(judge->jacobian, scale->explained, scale->row, 0);
    for (int i = 0; i < rows && judge->contact_compliance; ++i) {
        const double moved = judge->contact_compliance[i] * scale->dropped[i];
        scale->row[i] += moved;
        scale->unexplained_energy[scale->island[i / 3]] += moved * scale->dropped[i];
    }
    if (judge->bilateral)
        nb_csr_multiply(judge->bilateral, scale->explained, scale->row + rows, 0);
    return nb_worst(largest_row(judge), largest_energy(judge));
}

void nb_judge_step_error(const struct nb_judge *judge, struct nb_metrics *metrics)
{
    metrics->worst_contact = NAN;
    add_up_impulses(judge);
    measure_contacts(judge, metrics);
    measure_bilaterals(judge, metrics);
    memset(judge->scale.unexplained_energy, 0,
           (size_t)(judge->contacts + judge->bilaterals + judge->dofs) * sizeof(double));
    metrics->step_momentum =
        judge->problem->form == NB_LINEAR_LOCAL ? local_momentum(judge) : global_momentum(judge);
    const double parts[] = {metrics->step_penetration, metrics->step_complementarity, metrics->step_cone,
                            metrics->step_sliding, metrics->step_bilateral, metrics->step_momentum};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k)
        metrics->step_error = nb_worst(metrics->step_error, parts[k]);
}
