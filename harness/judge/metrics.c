/* The judge: it evaluates gaps, velocities, impulses and the balance of momentum at (u, lambda) in float64, brings
 * the three forms of a step into one shape (metrics_private.h), and takes every metric of docs/theory/design.md,
 * section 6, from that. */
#include "harness/judge/metrics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "harness/judge/redistribute.h"
#include "harness/judge/unmoved.h"
#include "problems/base/arena.h"

/* The table of metrics as data: what harness/judge/metrics.h lists by rows, for whoever writes or reads them all. */

const struct nb_metric nb_metrics[NB_METRICS] = {
#define DESCRIBE(name, unit, scope, place, shown, column, meaning) \
    {#name, unit, meaning, offsetof(struct nb_metrics, name), NB_METRIC_OF_##scope, place, shown, column},
    NB_METRIC_ROWS(DESCRIBE)
};

double nb_metric_value(const struct nb_metrics *metrics, int index)
{
    double value;
    memcpy(&value, (const char *)metrics + nb_metrics[index].offset, sizeof value);
    return value;
}

const struct nb_metric *nb_metric_at(int index)
{
    return index >= 0 && index < NB_METRICS ? &nb_metrics[index] : NULL;
}

struct nb_metrics nb_metrics_unknown(void)
{
    struct nb_metrics metrics;
    const double unknown = NAN;
    for (int i = 0; i < NB_METRICS; ++i)
        memcpy((char *)&metrics + nb_metrics[i].offset, &unknown, sizeof unknown);
    return metrics;
}

int nb_metric_traced(enum nb_metric_scope scope, int place)
{
    int index = 0;
    while (index < NB_METRICS && (nb_metrics[index].scope != scope || nb_metrics[index].place != place))
        ++index;
    return index < NB_METRICS ? index : -1;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_judge *judge = data;
    const struct nb_problem *problem = judge->problem;
    const bool nonlinear = problem->form == NB_NONLINEAR;
    const int rows = 3 * judge->contacts + judge->bilaterals, own = nonlinear ? judge->bilaterals : 0;
    NB_ARRAY(arena, judge->own_force, judge->dofs);
    NB_ARRAY(arena, judge->own_constant, 3 * judge->contacts);
    NB_ARRAY(arena, judge->own_friction, judge->contacts);
    NB_ARRAYS(arena, own, judge->own_bilateral_constant, judge->own_compliance);
    NB_ARRAY(arena, judge->own_contact_compliance, problem->contacts.compliance ? 3 * judge->contacts : 0);
    NB_ARRAY(arena, judge->gap_terms, judge->contacts);
    NB_ARRAY(arena, judge->bilateral_terms, own);
    NB_ARRAY(arena, judge->joint_sign, problem->joints.count);
    NB_ARRAY(arena, judge->bilateral_value, own);
    NB_ARRAY(arena, judge->element_compliance, nonlinear ? 36 * problem->tetrahedra.count : 0);
    NB_ARRAY(arena, judge->row_length, own);
    NB_ARRAY(arena, judge->linear_lambda, rows);
    NB_ARRAY(arena, judge->linear_u, nonlinear ? nb_problem_linear_dofs(problem) : 0);
    NB_ARRAY(arena, judge->diagonal, 3 * judge->contacts);
    NB_ARRAYS(arena, judge->contacts, judge->r_normal, judge->r_friction);
    NB_ARRAY(arena, judge->at.position, nonlinear ? 3 * problem->bodies.count : 0);
    NB_ARRAY(arena, judge->at.orientation, nonlinear ? 4 * problem->bodies.count : 0);
    NB_ARRAY(arena, judge->at.particle, nonlinear ? 3 * problem->particles.count : 0);
    NB_ARRAYS(arena, judge->contacts, judge->pair, judge->gap);
    NB_ARRAYS(arena, rows, judge->velocity, judge->impulse);
    NB_ARRAYS(arena, judge->dofs, judge->momentum, judge->product);
}

/* By its own formula: e/h^2 of a contact's rows. */
static void prepare_compliance(struct nb_judge *judge)
{
    const struct nb_contacts *contacts = &judge->problem->contacts;
    const double square = judge->time_step * judge->time_step;
    for (int i = 0; contacts->compliance && i < contacts->count; ++i)
        for (int k = 0; k < 3; ++k)
            judge->own_contact_compliance[3 * i + k] = contacts->compliance[2 * i + (k > 0)] / square;
    judge->contact_compliance = contacts->compliance ? judge->own_contact_compliance : NULL;
}

/* Gaps and J of contacts and limits at judge->at. */
static void evaluate_contacts(struct nb_judge *judge)
{
    const struct nb_problem *problem = judge->problem;
    nb_rigid_contacts(problem, &judge->at, judge->gap, &judge->own_jacobian);
    nb_limits_evaluate(problem, &judge->at, judge->joint_sign,
                       judge->gap + problem->contacts.count, &judge->own_jacobian);
}

static enum nb_status create_judge(struct nb_judge **judge, const struct nb_problem *problem, bool whole,
                                   struct nb_error *error);

/* None where the linearised step cannot be held: its natural map is not known then. */
static enum nb_status judge_linearized(struct nb_judge *judge, struct nb_error *error)
{
    const enum nb_status status =
        nb_problem_linearize_in(judge->problem, DBL_EPSILON / 2, &judge->linearized, error);
    if (status)
        return status == NB_UNSUPPORTED ? NB_OK : status;
    return create_judge(&judge->linear_judge, &judge->linearized, false, error);
}

static enum nb_status prepare_nonlinear(struct nb_judge *judge, struct nb_error *error)
{
    const struct nb_problem *problem = judge->problem;
    enum nb_status status =
        nb_rigid_allocate(problem, &judge->own_mass, &judge->own_jacobian, error);
    if (status)
        return status;
    judge->mass = &judge->own_mass;
    judge->jacobian = &judge->own_jacobian;
    judge->friction = judge->own_friction;
    for (int i = 0; i < problem->contacts.count; ++i)
        judge->own_friction[i] = problem->contacts.friction[i];
    judge->force = judge->own_force;
    judge->constant = judge->own_constant;
    prepare_compliance(judge);
    nb_csr_multiply(judge->mass, problem->free_velocity, judge->own_force, 0);
    nb_rigid_advance(problem, NULL, &judge->at);
    nb_joints_signs(problem, &judge->at, judge->joint_sign);
    evaluate_contacts(judge);
    nb_rigid_gap_terms(problem, &judge->at, judge->gap_terms);
    nb_limits_terms(problem, &judge->at, judge->gap_terms + problem->contacts.count);
    for (int i = 0; i < judge->contacts; ++i)
        judge->own_constant[3 * i] = judge->gap[i] / problem->time_step;
    if (judge->bilaterals > 0)
        status = nb_judge_prepare_bilaterals(judge, error);
    return status ? status : judge_linearized(judge, error);
}

static void prepare_linear(struct nb_judge *judge)
{
    const struct nb_linear_step *linear = &judge->problem->linear;
    const double scale = nb_unmoved_scale(judge->problem);
    memcpy(judge->own_constant, linear->contact_velocity, 3 * (size_t)linear->contacts * sizeof *judge->own_constant);
    for (int i = 0; i < linear->contacts; ++i)
        judge->own_constant[3 * i] = nb_unmoved_velocity(judge->problem, i, scale);
    judge->constant = judge->own_constant;
    judge->bilateral_constant = linear->bilateral_velocity;
    judge->friction = linear->friction;
    if (judge->problem->form == NB_LINEAR_LOCAL) {
        judge->force_norm = hypot(nb_norm2(3 * judge->contacts, judge->constant),
                                  nb_norm2(judge->bilaterals, judge->bilateral_constant));
        for (int i = 0; i < 3 * judge->contacts; ++i)
            judge->diagonal[i] = nb_csr_diagonal(&linear->delassus, i);
        return;
    }
    judge->mass = &linear->mass;
    judge->jacobian = &linear->contact_jacobian;
    judge->bilateral = judge->bilaterals ? &linear->bilateral_jacobian : NULL;
    judge->force = linear->force;
}

/* A contact between sides that cannot move has no effective mass: it is measured unscaled. */
static double positive_or_one(double diagonal)
{
    return diagonal > 0 ? diagonal : 1;
}

static void scale_contacts(struct nb_judge *judge)
{
    const double h = judge->time_step;
    for (int i = 0; i < judge->contacts; ++i) {
        const double *diagonal = judge->diagonal + 3 * i;
        judge->r_normal[i] = h * h * positive_or_one(diagonal[0]);
        judge->r_friction[i] = h * positive_or_one(fmax(diagonal[1], diagonal[2]));
    }
}

/* The diagonal of W, and of a whole judge the scales of its step. */
static enum nb_status prepare_delassus(struct nb_judge *judge, bool whole, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    if (judge->mass)
        status = nb_mass_factor_create(&judge->factor, judge->mass, error);
    if (!status && judge->mass)
        status = nb_mass_factor_diagonal(judge->factor, judge->jacobian, judge->diagonal, error);
    for (int i = 0; i < 3 * judge->contacts && judge->contact_compliance; ++i)
        judge->diagonal[i] += judge->contact_compliance[i];
    if (!status && whole)
        status = nb_judge_find_pairs(judge, judge->pair, &judge->pairs, error);
    return status || !whole ? status : nb_judge_prepare_scale(judge, error);
}

static enum nb_status create_judge(struct nb_judge **judge, const struct nb_problem *problem, bool whole,
                                   struct nb_error *error)
{
    struct nb_judge *self = *judge = calloc(1, sizeof *self);
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to judge problem %s", problem->name);
    self->problem = problem;
    self->dofs = nb_problem_dofs(problem);
    self->contacts = nb_problem_contacts(problem);
    self->bilaterals = nb_problem_bilaterals(problem);
    self->first_strain = self->bilaterals;
    self->time_step = problem->time_step;
    self->memory = nb_arena_allocate(lay_out, self);
    enum nb_status status = self->memory ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to judge problem %s",
                                                           problem->name);
    if (!status && problem->form == NB_NONLINEAR)
        status = prepare_nonlinear(self, error);
    else if (!status)
        prepare_linear(self);
    status = status ? status : prepare_delassus(self, whole, error);
    if (status) {
        nb_judge_free(self);
        *judge = NULL;
        return status;
    }
    if (self->force)
        self->force_norm = nb_norm2(self->dofs, self->force);
    scale_contacts(self);
    return NB_OK;
}

enum nb_status nb_judge_create(struct nb_judge **judge, const struct nb_problem *problem,
                               struct nb_error *error)
{
    return create_judge(judge, problem, true, error);
}

void nb_judge_free(struct nb_judge *judge)
{
    if (!judge)
        return;
    nb_judge_free(judge->linear_judge);
    nb_problem_free(&judge->linearized);
    nb_csr_free(&judge->own_mass);
    nb_csr_free(&judge->own_jacobian);
    nb_csr_free(&judge->own_bilateral);
    nb_mass_factor_free(judge->factor);
    free(judge->scale.memory);
    free(judge->memory);
    free(judge);
}

/* Local form: U = W r + V l + q and V^T r + R l + s follow from the forces; what u says instead is
 * the mismatch. */
static void update_local(struct nb_judge *judge, const double *u)
{
    const int rows = 3 * judge->contacts;
    nb_csr_multiply(&judge->problem->linear.delassus, judge->impulse, judge->velocity, 0);
    for (int i = 0; i < judge->dofs; ++i) {
        judge->velocity[i] += i < rows ? judge->constant[i] : judge->bilateral_constant[i - rows];
        judge->momentum[i] = u[i] - judge->velocity[i];
        const double rounding = i < rows ? judge->problem->linear.contact_velocity[i] - judge->constant[i] : 0;
        if (fabs(judge->momentum[i]) <= fabs(rounding)) /* of a contact that nothing moves */
            judge->momentum[i] = 0;
    }
    judge->kinetic_energy = NAN;
}

static void update_momentum(struct nb_judge *judge, const double *u)
{
    double *product = judge->product, *momentum = judge->momentum;
    nb_csr_multiply(judge->mass, u, momentum, 0);
    judge->mass_norm = nb_norm2(judge->dofs, momentum);
    judge->kinetic_energy = 0;
    for (int i = 0; i < judge->dofs; ++i) {
        judge->kinetic_energy += u[i] * momentum[i] / 2;
        momentum[i] -= judge->force[i];
    }
    nb_csr_multiply_transposed(judge->jacobian, judge->impulse, product, 0);
    judge->contact_norm = nb_norm2(judge->dofs, product);
    for (int i = 0; i < judge->dofs; ++i)
        momentum[i] -= product[i];
    if (!judge->bilateral)
        return;
    nb_csr_multiply_transposed(judge->bilateral, judge->impulse + 3 * judge->contacts, product, 0);
    judge->bilateral_norm = nb_norm2(judge->dofs, product);
    for (int i = 0; i < judge->dofs; ++i)
        momentum[i] -= product[i];
}

static void update_velocity(struct nb_judge *judge, const double *u)
{
    const int rows = 3 * judge->contacts;
    nb_csr_multiply(judge->jacobian, u, judge->velocity, 0);
    if (judge->problem->form == NB_NONLINEAR) {
        for (int i = 0; i < judge->contacts; ++i)
            judge->velocity[3 * i] = judge->gap[i] / judge->time_step;
        for (int i = 0; i < rows && judge->contact_compliance; ++i)
            judge->velocity[i] += judge->contact_compliance[i] * judge->impulse[i];
        for (int i = 0; i < judge->contacts && judge->contact_compliance; ++i)
            judge->gap[i] = judge->time_step * judge->velocity[3 * i];
        nb_judge_bilateral_velocity(judge);
        return;
    }
    for (int i = 0; i < rows; ++i)
        judge->velocity[i] += judge->constant[i];
    if (!judge->bilateral)
        return;
    nb_csr_multiply(judge->bilateral, u, judge->velocity + rows, 0);
    for (int i = 0; i < judge->bilaterals; ++i)
        judge->velocity[rows + i] += judge->bilateral_constant[i];
}

void nb_judge_update(struct nb_judge *judge, const double *u, const double *lambda)
{
    const int rows = 3 * judge->contacts;
    for (int i = 0; i < rows; ++i)
        judge->impulse[i] = judge->time_step * lambda[judge->bilaterals + i];
    for (int i = 0; i < judge->bilaterals; ++i)
        judge->impulse[rows + i] = judge->time_step * lambda[i];
    if (judge->problem->form == NB_NONLINEAR) {
        nb_rigid_advance(judge->problem, u, &judge->at);
        evaluate_contacts(judge);
        nb_judge_evaluate_bilaterals(judge);
    }
    if (judge->problem->form == NB_LINEAR_LOCAL) {
        update_local(judge, u);
    } else {
        update_momentum(judge, u);
        update_velocity(judge, u);
    }
    if (judge->problem->form != NB_NONLINEAR)
        for (int i = 0; i < judge->contacts; ++i)
            judge->gap[i] = judge->time_step * judge->velocity[3 * i];
}

/* 0 open, 1 stick, 2 slip: the branch that the minimum map takes, see metrics.h. */
static int contact_status(const struct nb_judge *judge, int i)
{
    const double *impulse = judge->impulse + 3 * i, *velocity = judge->velocity + 3 * i;
    const double h = judge->time_step;
    if (!(judge->r_normal[i] * impulse[0] / h > judge->gap[i]))
        return 0;
    if (nb_judge_is_limit(judge, i))
        return 1;
    const double slip = hypot(velocity[1], velocity[2]);
    const double room = judge->r_friction[i] / h *
                        (judge->friction[i] * impulse[0] - hypot(impulse[1], impulse[2]));
    return slip > room ? 2 : 1;
}

static void measure_contact(const struct nb_judge *judge, int i, struct nb_metrics *metrics)
{
    const double *impulse = judge->impulse + 3 * i, *velocity = judge->velocity + 3 * i;
    const double h = judge->time_step, gap = judge->gap[i];
    const double slip = hypot(velocity[1], velocity[2]);
    const double force = hypot(impulse[1], impulse[2]) / h;
    const double room =
        judge->r_friction[i] * (judge->friction[i] * nb_worst(0, impulse[0]) / h - force);
    const double power = (velocity[1] * impulse[1] + velocity[2] * impulse[2]) / h;
    const double given_way = h * nb_judge_softness(judge, i, 0) * impulse[0];
    metrics->penetration = nb_worst(metrics->penetration, given_way - gap);
    metrics->normal_error = nb_worst(metrics->normal_error,
                                     fabs(nb_least(gap, judge->r_normal[i] * impulse[0] / h)));
    metrics->friction_error = nb_worst(metrics->friction_error, fabs(nb_least(slip, room)));
    metrics->misalignment = nb_worst(metrics->misalignment, power + slip * force);
    switch (contact_status(judge, i)) {
    case 0: metrics->open++; break;
    case 1: metrics->stick++; break;
    default: metrics->slip++; break;
    }
}

static int is_world(const struct nb_contacts *contacts, int contact, int side)
{
    return contacts->body[2 * contact + side] < 0 &&
           !(contacts->particle && contacts->particle[6 * contact + 3 * side] >= 0);
}

/* Only a nonlinear step knows which contacts touch the world. */
static double ground_force(const struct nb_judge *judge)
{
    const struct nb_contacts *contacts = &judge->problem->contacts;
    if (judge->problem->form != NB_NONLINEAR)
        return NAN;
    double sum = 0;
    for (int i = 0; i < contacts->count; ++i)
        if (is_world(contacts, i, 0) || is_world(contacts, i, 1))
            sum += judge->impulse[3 * i] / judge->time_step;
    return sum;
}

/* Displacements and turns apart from strains, and all of them as a velocity. */
static void measure_bilaterals(const struct nb_judge *judge, struct nb_metrics *metrics)
{
    for (int i = 0; i < judge->bilaterals; ++i) {
        const double velocity = fabs(judge->velocity[3 * judge->contacts + i]);
        double *error =
            i < judge->first_strain ? &metrics->bilateral_error : &metrics->strain_error;
        *error = nb_worst(*error, judge->time_step * velocity);
        metrics->bilateral_velocity = nb_worst(metrics->bilateral_velocity, nb_judge_length(judge, i) * velocity);
    }
}

void nb_judge_evaluate(struct nb_judge *judge, const double *u, const double *lambda,
                       struct nb_metrics *metrics)
{
    const double h = judge->time_step;
    memset(metrics, 0, sizeof *metrics);
    nb_judge_update(judge, u, lambda);
    for (int i = 0; i < judge->contacts; ++i)
        measure_contact(judge, i, metrics);
    measure_bilaterals(judge, metrics);
    for (int i = 0; i < judge->dofs; ++i)
        metrics->momentum_error = nb_worst(metrics->momentum_error, fabs(judge->momentum[i]));
    metrics->constraint_error =
        nb_worst(nb_worst(metrics->normal_error / h, metrics->friction_error),
                 metrics->bilateral_velocity);
    metrics->kinetic_energy = judge->kinetic_energy;
    metrics->normal_force = ground_force(judge);
    nb_judge_natural_map(judge, metrics);
    nb_judge_step_error(judge, metrics);
    metrics->ellipse_error = nb_judge_ellipse_error(judge);
    metrics->force_evenness = nb_judge_force_evenness(judge);
    metrics->natural_map_linearized = judge->problem->form == NB_NONLINEAR ? NAN : metrics->natural_map;
    if (judge->linear_judge) {
        struct nb_metrics linear;
        nb_problem_linear_multipliers(judge->problem, lambda, judge->linear_lambda);
        nb_problem_linear_velocities(judge->problem, u, lambda, judge->linear_u);
        nb_judge_update(judge->linear_judge, judge->linear_u, judge->linear_lambda);
        nb_judge_natural_map(judge->linear_judge, &linear);
        metrics->natural_map_linearized = linear.natural_map;
    }
}

void nb_judge_status(struct nb_judge *judge, const double *u, const double *lambda, int *status)
{
    nb_judge_update(judge, u, lambda);
    for (int i = 0; i < judge->contacts; ++i)
        status[i] = contact_status(judge, i);
}
