/* Central differences (gradient_check.h). Changes are of the size of what is changed: masses, friction and moduli by
 * themselves; velocities by the root of E/M_kk, E the mean energy of u and u~ in a velocity; forces by what makes such
 * velocities in a step, positions by what they move by in one. Changes are made smaller until no contact changes its
 * state and half of the change gives the same slope to a 256th. */
#include "harness/gradient/gradient_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/random.h"
#include "problems/variation.h"

enum { HALVINGS = 8, REDUCTION = 8 };
static const double first_change = 0x1p-8;

struct check {
    const struct nb_problem *problem;
    const struct nb_options *options;
    const struct nb_gradient *gradient;
    const double *weight, *lambda;
    enum nb_gradient_to to;
    int size, dofs, multipliers;
    void *memory;
    double *slope, *change; /* [size] the gradient, and by how much each parameter changes at e = 1 */
    double *moved;          /* [size] at the present e */
    double *speed, *mass;   /* [dofs] scales of velocities; M_kk */
    double *u, *forces;     /* [dofs], [multipliers] of a changed step */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct check *c = data;
    NB_ARRAYS(arena, c->size, c->slope, c->change, c->moved);
    NB_ARRAYS(arena, c->dofs, c->speed, c->mass, c->u);
    NB_ARRAY(arena, c->forces, c->multipliers);
}

enum nb_status nb_gradient_answer(const struct nb_problem *problem, const struct nb_options *options, double *u,
                                  double *lambda, struct nb_error *error)
{
    struct nb_solver *solver = NULL;
    struct nb_run run;
    enum nb_status status = nb_solver_create(&solver, problem, options, error);
    status = status ? status : nb_solver_run(solver, nb_options_iterations(options), NULL, &run, error);
    if (!status)
        nb_solver_solution(solver, u, lambda);
    nb_solver_free(solver);
    return status;
}

/* The compliance of an entry, or what makes its normal give way by a hundredth of the largest motion. */
static double compliance_of(const struct check *c, int i)
{
    const struct nb_problem *problem = c->problem;
    const int contacts = nb_problem_contacts(problem), plain = c->size - contacts;
    int at = i;
    if (i >= plain) {
        const double force = c->lambda[nb_problem_bilaterals(problem) + 3 * (i - plain)];
        double moved = 0;
        for (int k = 0; k < c->dofs; ++k)
            moved = fmax(moved, problem->time_step * c->speed[k]);
        return force > 0 ? moved / 100 / force : 0;
    }
    for (int j = 0; j < problem->joints.count; ++j) {
        const int rows = nb_joint_rows((enum nb_joint_kind)problem->joints.kind[j]);
        if (at < rows)
            return problem->joints.compliance[6 * j + at];
        at -= rows;
    }
    if (at < 3 * problem->attachments.count)
        return problem->attachments.compliance[at / 3];
    at -= 3 * problem->attachments.count;
    if (at < problem->distances.count)
        return problem->distances.compliance[at];
    return problem->ties.compliance[(at - problem->distances.count) / 3];
}

static double size_of(const struct check *c, int i)
{
    const struct nb_problem *problem = c->problem;
    const int bodies = problem->bodies.count;
    switch (c->to) {
    case NB_GRADIENT_velocity:
        return c->speed[i];
    case NB_GRADIENT_position:
        return problem->time_step * c->speed[i < 3 * bodies ? 6 * (i / 3) + i % 3 : 3 * bodies + i];
    case NB_GRADIENT_mass:
        return i < bodies ? problem->bodies.mass[i] : problem->particles.mass[i - bodies];
    case NB_GRADIENT_friction:
        return problem->form == NB_NONLINEAR ? problem->contacts.friction[i] : problem->linear.friction[i];
    case NB_GRADIENT_force:
        return c->mass[i] * c->speed[i] / problem->time_step;
    case NB_GRADIENT_compliance:
        return compliance_of(c, i);
    default:
        return 1;
    }
}

static void change_compliance(struct nb_problem *problem, const double *change, const double *lambda)
{
    const double *of = change;
    const int bilaterals = nb_problem_bilaterals(problem), contacts = problem->contacts.count;
    for (int i = 0; i < problem->joints.count; ++i)
        for (int r = 0; r < nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]); ++r)
            problem->joints.compliance[6 * i + r] += *of++;
    for (int i = 0; i < problem->attachments.count; ++i, of += 3)
        problem->attachments.compliance[i] += *of;
    for (int i = 0; i < problem->distances.count; ++i)
        problem->distances.compliance[i] += *of++;
    for (int i = 0; i < problem->ties.count; ++i, of += 3)
        problem->ties.compliance[i] += *of;
    for (int i = 0; i < contacts; ++i)
        problem->contacts.thickness[i] -= *of++ * lambda[bilaterals + 3 * i];
    for (int i = 0; i < problem->limits.count; ++i) {
        const double room = *of++ * lambda[bilaterals + 3 * (contacts + i)];
        problem->limits.bound[i] += problem->limits.side[i] == NB_LIMIT_LOWER ? -room : room;
    }
}

static enum nb_status apply(const struct check *c, struct nb_problem *problem, double e, struct nb_error *error)
{
    double *friction = problem->form == NB_NONLINEAR ? problem->contacts.friction : problem->linear.friction;
    const int bodies = problem->bodies.count;
    const bool masses = c->to == NB_GRADIENT_mass;
    for (int i = 0; i < c->size; ++i)
        c->moved[i] = masses ? 1 + e * c->change[i] / size_of(c, i) : e * c->change[i];
    switch (c->to) {
    case NB_GRADIENT_velocity:
        return nb_problem_add_velocity(problem, c->moved, error);
    case NB_GRADIENT_position:
        for (int i = 0; i < c->size; ++i) {
            if (i < 3 * bodies)
                problem->bodies.position[i] += c->moved[i];
            else
                problem->particles.position[i - 3 * bodies] += c->moved[i];
        }
        break;
    case NB_GRADIENT_mass:
        return nb_problem_scale_masses(problem, c->moved, error);
    case NB_GRADIENT_friction:
        for (int i = 0; i < c->size; ++i)
            friction[i] += c->moved[i];
        break;
    case NB_GRADIENT_force:
        return nb_problem_push(problem, c->moved, error);
    case NB_GRADIENT_compliance:
        change_compliance(problem, c->moved, c->lambda);
        break;
    default:
        for (int i = 0; i < 2 * problem->tetrahedra.count; ++i)
            problem->tetrahedra.lame[i] *= exp(c->moved[i / 2]);
    }
    return NB_OK;
}

/* y of the changed step; *same becomes false where a contact has another state. */
static enum nb_status evaluate(const struct check *c, double e, double *y, bool *same, struct nb_error *error)
{
    struct nb_problem changed;
    struct nb_gradient *there = NULL;
    struct nb_error reason;
    enum nb_status status = nb_problem_copy(c->problem, &changed, error);
    if (status)
        return status;
    if (!(status = apply(c, &changed, e, error)) &&
        !(status = nb_gradient_answer(&changed, c->options, c->u, c->forces, error))) {
        *y = 0;
        for (int k = 0; k < c->dofs; ++k)
            *y += c->weight[k] * c->u[k];
        if (nb_gradient_create(&there, &changed, c->u, c->forces, &reason))
            *same = false;
        for (int i = 0; there && i < nb_problem_contacts(c->problem); ++i)
            *same &= nb_gradient_state(there, i) == nb_gradient_state(c->gradient, i);
    }
    nb_gradient_free(there);
    nb_problem_free(&changed);
    return status;
}

static enum nb_status difference(const struct check *c, double e, double *slope, bool *same, struct nb_error *error)
{
    double after = 0, before = 0;
    enum nb_status status = evaluate(c, e, &after, same, error);
    if (!status && *same)
        status = evaluate(c, -e, &before, same, error);
    *slope = (after - before) / (2 * e);
    return status;
}

static enum nb_status find_scales(struct check *c, const double *u, struct nb_error *error)
{
    struct nb_csr own = {0};
    double energy = 0;
    enum nb_status status = NB_OK;
    if (c->problem->form == NB_NONLINEAR && (status = nb_problem_mass(c->problem, &own, error)))
        return status;
    const struct nb_csr *mass = c->problem->form == NB_NONLINEAR ? &own : &c->problem->linear.mass;
    for (int k = 0; k < c->dofs; ++k) {
        c->mass[k] = nb_csr_diagonal(mass, k);
        const double freely = c->problem->form == NB_NONLINEAR ? c->problem->free_velocity[k]
                                                               : c->problem->linear.force[k] / c->mass[k];
        energy += c->mass[k] * (u[k] * u[k] + freely * freely) / c->dofs;
    }
    for (int k = 0; k < c->dofs; ++k)
        c->speed[k] = sqrt(energy / c->mass[k]);
    nb_csr_free(&own);
    return NB_OK;
}

/* Three rows of one compliance, so many times from row `first` on: where one has no slope, all three are left alone. */
static void join_rows(struct check *c, int first, int count)
{
    for (int i = first; i < first + 3 * count; i += 3) {
        const bool known = !isnan(c->slope[i] + c->slope[i + 1] + c->slope[i + 2]);
        for (int k = 0; k < 3; ++k) {
            c->change[i + k] = c->change[i];
            c->slope[i + k] = known ? c->slope[i + k] : NAN;
        }
    }
}

/* Those of attachments, and of ties. */
static void join_threes(struct check *c)
{
    const struct nb_problem *problem = c->problem;
    int first = 0;
    for (int j = 0; j < problem->joints.count; ++j)
        first += nb_joint_rows((enum nb_joint_kind)problem->joints.kind[j]);
    join_rows(c, first, problem->attachments.count);
    join_rows(c, first + 3 * problem->attachments.count + problem->distances.count, problem->ties.count);
}

static void choose_change(struct check *c)
{
    uint64_t chance = 1;
    for (int i = 0; i < c->size; ++i) {
        const double x = nb_random_signed(&chance);
        c->change[i] = (x + copysign(1, x)) / 2 * size_of(c, i);
    }
    if (c->to == NB_GRADIENT_compliance)
        join_threes(c);
    for (int i = 0; i < c->size; ++i)
        if (isnan(c->slope[i]))
            c->slope[i] = c->change[i] = 0;
}

static enum nb_status compare(const struct check *c, double *result, struct nb_error *error)
{
    double expected = 0, sum = 0, least = 0, once = 0, twice = 0, e = first_change;
    for (int i = 0; i < c->size; ++i) {
        expected += c->slope[i] * c->change[i];
        sum += fabs(c->slope[i] * c->change[i]);
    }
    for (int k = 0; k < c->dofs; ++k)
        least += fabs(c->weight[k]) * c->speed[k];
    *result = NAN;
    for (int k = 0; k < HALVINGS; ++k, e /= REDUCTION) {
        bool same = true;
        enum nb_status status = difference(c, e, &once, &same, error);
        if (!status && same)
            status = difference(c, e / 2, &twice, &same, error);
        if (status)
            return status;
        const double scale = fmax(sum, least * first_change);
        if (!same || fabs(twice - once) > first_change * scale)
            continue;
        *result = fabs((4 * twice - once) / 3 - expected) / scale;
        break;
    }
    return NB_OK;
}

enum nb_status nb_gradient_check(const struct nb_gradient *gradient, const struct nb_problem *problem,
                                 const struct nb_options *options, const double *weight, const double *u,
                                 const double *lambda, enum nb_gradient_to to, double *result,
                                 struct nb_error *error)
{
    struct check c = {.problem = problem, .options = options, .gradient = gradient, .weight = weight,
                      .lambda = lambda, .to = to, .size = nb_gradient_size(problem, to),
                      .dofs = nb_problem_dofs(problem), .multipliers = nb_problem_multipliers(problem)};
    *result = 0;
    if (c.size == 0)
        return NB_OK;
    c.memory = nb_arena_allocate(lay_out, &c);
    if (!c.memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the check of a gradient");
    enum nb_status status = find_scales(&c, u, error);
    if (!status) {
        nb_gradient_take(gradient, to, c.slope);
        choose_change(&c);
        status = compare(&c, result, error);
    }
    free(c.memory);
    return status;
}
