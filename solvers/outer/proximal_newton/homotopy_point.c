/* A point of the homotopy: each contact's smoothed law and its derivatives (smoothed_coulomb.h), the factor of
 * dH/d(u, p) condensed to u, or to p, and the two directions from there, Newton's at fixed l and d(u, p)/dl. The
 * contact tangent operator is B = -dp/dU = (1 - R omega/rho)^-1 R with the response R = dp/dU of the law without the
 * proximal term. */
#include "solvers/outer/proximal_newton/homotopy_point.h"

#include <math.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/outer/proximal_newton/primal_system.h"

static struct nb_smoothing smoothing_at_l(const struct nb_homotopy *self)
{
    const nb_real left = self->weight > 0 ? 0 : (nb_real)exp(-(double)(self->rate * self->l));
    return (struct nb_smoothing){.tau = self->tau_0 * (nb_real)exp(-(double)self->l),
                                 .theta = 1 - left,
                                 .theta_slope = self->rate * left};
}

/* out += omega/rho change */
static void add_weighted(const struct nb_homotopy *self, size_t i, const nb_real *change, nb_real *out)
{
    for (size_t k = 0; k < 3; ++k)
        out[k] += self->omega / self->system->rho[i + k] * change[k];
}

/* out = p - a of a contact */
static void offset_from_anchor(const struct nb_homotopy *self, size_t i, nb_real *out)
{
    for (size_t k = 0; k < 3; ++k)
        out[k] = self->system->p[i + k] - self->anchor[i + k];
}

/* U at u in the homotopy's geometry, of bodies. */
static void find_velocity(const struct nb_homotopy *self, const nb_real *u, nb_real *out)
{
    const struct NB(nb_bsr) *jacobian = &self->system->model->jacobian;
    for (size_t i = 0; i < (size_t)self->system->model->blocks; ++i) {
        nb_real slope[9], part[3];
        memcpy(out + 3 * i, self->offset + 3 * i, 3 * sizeof *out);
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            nb_primal_slope(self->system, (size_t)k, slope);
            NB(nb_block_apply)
            (slope, u + 3 * (size_t)jacobian->column[k], part);
            for (size_t r = 0; r < 3; ++r)
                out[3 * i + r] += part[r];
        }
    }
}

/* What nb_nonsmooth_evaluate leaves, in the homotopy's geometry and without F. */
static void evaluate_at_fixed_geometry(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    const struct nb_primal_system *space = system->self;
    nb_real energy = 0;
    find_velocity(self, system->u, system->velocity);
    NB(nb_model_add_compliance)(system->model, system->p, system->velocity);
    NB(nb_model_defect)(system->model, system->u, system->p, system->momentum, system->defect);
    NB(nb_bsr_multiply)(&space->mass, system->defect, system->momentum, system->model->threads);
    for (size_t i = 0; i < system->dofs; ++i)
        energy += system->defect[i] * system->momentum[i];
    system->defect_energy = nb_max(energy, 0);
}

nb_real nb_homotopy_evaluate(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    const struct nb_smoothing at = smoothing_at_l(self);
    nb_real most = 0;
    self->omega = self->weight * (nb_real)exp(-(double)self->l);
    if (self->moving || !self->bodies)
        nb_nonsmooth_evaluate(system, system->u, system->p);
    else
        evaluate_at_fixed_geometry(self);
    for (size_t i = self->first; i < system->rows; i += 3) {
        struct nb_smoothed *c = nb_homotopy_contact(self, i);
        const nb_real eps = NB_SOFT_SLIP * nb_sqrt(at.tau / nb_homotopy_effective_mass(system, i, c->mu));
        nb_real offset[3], U[3];
        memcpy(U, system->velocity + i, sizeof U);
        offset_from_anchor(self, i, offset);
        add_weighted(self, i, offset, U);
        nb_smoothed_evaluate(c, system->p + i, U, eps, &at);
        const nb_real size = nb_sqrt(c->map[0] * c->map[0] + c->map[1] * c->map[1] +
                                     c->map[2] * c->map[2]) / c->nu;
        most = size <= most ? most : size; /* NaN too */
    }
    const nb_real defect = nb_sqrt(system->defect_energy / (at.tau * (nb_real)system->model->contacts));
    return defect <= most ? most : defect;
}

static void linearise_bilateral(struct nb_nonsmooth *system)
{
    system->sigma = NB_BILATERAL_SIGMA;
    system->form->linearise(system);
    system->sigma = 0;
}

/* dp = response dU of a contact where its velocity does not depend on p. */
static void contact_response(const struct nb_smoothed *c, nb_real *response)
{
    for (int k = 0; k < 3; ++k) {
        const nb_real unit[3] = {k == 0, k == 1, k == 2};
        nb_real dz[3], dx[3], dp[3];
        nb_smoothed_velocity(c, unit, dz);
        nb_smoothed_response(c, dz, dx);
        nb_smoothed_impulse(c, dx, dp);
        for (int r = 0; r < 3; ++r)
            response[3 * r + k] = dp[r];
    }
}

/* What the proximal term leaves of a dp: out = (1 - response omega/rho)^-1. */
static void proximal_factor(const struct nb_homotopy *self, size_t i, const nb_real *response, nb_real *out)
{
    nb_real held[9];
    for (int k = 0; k < 9; ++k)
        held[k] = (k % 4 == 0) - response[k] * self->omega / self->system->rho[i + (size_t)(k % 3)];
    NB(nb_block_invert)(held, out);
}

/* dp of a contact, found without the proximal term, becomes that with it. */
static void apply_proximal_term(const struct nb_homotopy *self, size_t i, nb_real *dp)
{
    nb_real response[9], factor[9];
    const nb_real free[3] = {dp[0], dp[1], dp[2]};
    if (!(self->weight > 0))
        return;
    contact_response(nb_homotopy_contact(self, i), response);
    proximal_factor(self, i, response, factor);
    NB(nb_block_apply)(factor, free, dp);
}

/* B = -dp/dU of a contact, and whether it is too weak for the matrix. */
static void fill_contact_tangent(struct nb_homotopy *self, size_t i)
{
    struct nb_nonsmooth *system = self->system;
    nb_real response[9], factor[9], most = 0;
    contact_response(nb_homotopy_contact(self, i), response);
    if (self->weight > 0) {
        nb_real free[9];
        memcpy(free, response, sizeof free);
        proximal_factor(self, i, free, factor);
        NB(nb_block_times)(factor, free, response);
    }
    for (int k = 0; k < 9; ++k) {
        system->contact_tangent[3 * i + (size_t)k] = -response[k];
        most = nb_max(most, nb_abs(response[k]));
    }
    system->left_out[i / 3] = !(most >= NB_WEAK_CONTACT * system->rho[i]);
}

enum nb_status nb_homotopy_factorise(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    if (self->moving)
        linearise_bilateral(system);
    for (size_t i = self->first; i < system->rows; i += 3)
        fill_contact_tangent(self, i);
    if (self->run->newton_iterations >= self->limit)
        return NB_BREAKDOWN;
    self->run->newton_iterations++;
    self->run->linear_iterations++;
    return system->form->factorise(system);
}

/* The direction whose dp at du = 0 stands in the system's step_p, and the motion's defect in momentum. */
static void solve_direction(struct nb_homotopy *self, int moves, struct nb_homotopy_direction *out)
{
    struct nb_nonsmooth *system = self->system;
    system->form->solve(system);
    for (size_t i = self->first; i < system->rows; i += 3) {
        const struct nb_smoothed *c = nb_homotopy_contact(self, i);
        nb_real offset[3], dU[3], dz[3];
        memcpy(dU, system->scratch + i, sizeof dU);
        offset_from_anchor(self, i, offset);
        for (size_t k = 0; k < 3; ++k)
            offset[k] = system->step_p[i + k] - (nb_real)moves * offset[k];
        add_weighted(self, i, offset, dU);
        nb_smoothed_velocity(c, dU, dz);
        dz[0] += (nb_real)moves * c->drift;
        out->v[i] = (c->mu > 0 ? c->mu : 1) * system->step_p[i] - c->r * dz[0];
        for (size_t k = 1; k < 3; ++k)
            out->v[i + k] = c->mu > 0 ? system->step_p[i + k] - c->r * dz[k] : 0;
    }
    memcpy(out->p, system->step_p, system->rows * sizeof *out->p);
    memcpy(out->u, system->step_u, system->dofs * sizeof *out->u);
}

void nb_homotopy_find_correction(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    for (size_t i = 0; i < self->first; i += 3) {
        NB(nb_block_apply)(system->contact_tangent + 3 * i, system->velocity + i, system->step_p + i);
        for (size_t k = i; k < i + 3; ++k)
            system->step_p[k] = -system->step_p[k];
    }
    for (size_t i = self->first; i < system->rows; i += 3) {
        const struct nb_smoothed *c = nb_homotopy_contact(self, i);
        nb_real dx[3];
        nb_smoothed_correct(c, dx);
        nb_smoothed_impulse(c, dx, system->step_p + i);
        apply_proximal_term(self, i, system->step_p + i);
    }
    solve_direction(self, 0, &self->newton);
}

void nb_homotopy_find_slope(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    memset(system->momentum, 0, system->dofs * sizeof *system->momentum);
    memset(system->step_p, 0, self->first * sizeof *system->step_p);
    for (size_t i = self->first; i < system->rows; i += 3) {
        const struct nb_smoothed *c = nb_homotopy_contact(self, i);
        nb_real offset[3], dU[3] = {0, 0, 0}, dz[3], dx[3], pull[3];
        offset_from_anchor(self, i, offset);
        add_weighted(self, i, offset, dU);
        nb_smoothed_velocity(c, dU, dz);
        nb_smoothed_response(c, dz, pull);
        nb_smoothed_drift(c, dx);
        for (int k = 0; k < 3; ++k)
            dx[k] -= pull[k]; /* omega falls as tau does */
        nb_smoothed_impulse(c, dx, system->step_p + i);
        apply_proximal_term(self, i, system->step_p + i);
    }
    solve_direction(self, 1, &self->slope);
}

void nb_homotopy_restore_geometry(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    struct nb_primal_system *space = system->self;
    memcpy(system->u, self->origin, system->dofs * sizeof *system->u);
    if (self->bodies)
        NB(nb_model_evaluate)(system->model, system->u);
    linearise_bilateral(system);
    if (self->bodies)
        space->curved = 0;
}

void nb_homotopy_fix_geometry(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    memcpy(self->origin, system->u, system->dofs * sizeof *system->u);
    nb_homotopy_restore_geometry(self);
    if (!self->bodies) {
        system->form->evaluate(system, system->u, system->p);
        return;
    }
    memset(self->offset, 0, system->rows * sizeof *self->offset);
    find_velocity(self, self->origin, system->velocity);
    for (size_t i = 0; i < system->rows; ++i)
        self->offset[i] = system->model->violation[i] - system->velocity[i];
    memcpy(system->velocity, system->model->violation, system->rows * sizeof *system->velocity);
}
