#include "solvers/outer/proximal_newton/cone_path_point.h"

#include <math.h>
#include <string.h>

#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/cone_bodies.h"

#define SOFT_SLIP NB_REAL(1e-3)
/* A contact whose force answers less than so much of 1/W_nn is left out of the matrix, which is the
 * sparser, though not out of the step. */
#define WEAK NB_REAL(1e-5)
#define BILATERAL_SIGMA NB_REAL(1e-8)

static struct NB(nb_smoothing) place(const struct NB(nb_cone_path) *self)
{
    const nb_real left = self->weight > 0 ? 0 : (nb_real)exp(-(double)(self->rate * self->l));
    return (struct NB(nb_smoothing)){.tau = self->tau_0 * (nb_real)exp(-(double)self->l),
                                     .theta = 1 - left,
                                     .theta_slope = self->rate * left};
}

/* out += omega/rho change */
static void add_weighted(const struct NB(nb_cone_path) *self, size_t i, const nb_real *change, nb_real *out)
{
    for (size_t k = 0; k < 3; ++k)
        out[k] += self->omega / self->cone->rho[i + k] * change[k];
}

/* out = p - a of a contact */
static void find_way(const struct NB(nb_cone_path) *self, size_t i, nb_real *out)
{
    for (size_t k = 0; k < 3; ++k)
        out[k] = self->cone->p[i + k] - self->anchor[i + k];
}

/* U at u in the path's geometry, of bodies. */
static void find_velocity(const struct NB(nb_cone_path) *self, const nb_real *u, nb_real *out)
{
    const struct NB(nb_bsr) *jacobian = &self->cone->model->jacobian;
    const struct NB(nb_body_space) *space = self->cone->self;
    for (size_t i = 0; i < (size_t)self->cone->model->blocks; ++i) {
        nb_real part[3];
        memcpy(out + 3 * i, self->offset + 3 * i, 3 * sizeof *out);
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            NB(nb_block_apply)(space->slope + 9 * (size_t)k,
                               u + 3 * (size_t)jacobian->column[k], part);
            for (size_t r = 0; r < 3; ++r)
                out[3 * i + r] += part[r];
        }
    }
}

/* What nb_cone_evaluate leaves, in the path's geometry and without F. */
static void evaluate_here(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    const struct NB(nb_body_space) *space = cone->self;
    nb_real energy = 0;
    find_velocity(self, cone->u, cone->velocity);
    NB(nb_model_add_compliance)(cone->model, cone->p, cone->velocity);
    NB(nb_model_defect)(cone->model, cone->u, cone->p, cone->momentum, cone->defect);
    NB(nb_bsr_multiply)(&space->mass, cone->defect, cone->momentum, cone->model->threads);
    for (size_t i = 0; i < cone->dofs; ++i)
        energy += cone->defect[i] * cone->momentum[i];
    cone->defect_energy = nb_max(energy, 0);
}

nb_real NB(nb_path_evaluate)(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    const struct NB(nb_smoothing) at = place(self);
    nb_real most = 0;
    self->omega = self->weight * (nb_real)exp(-(double)self->l);
    if (self->moving || !self->bodies)
        NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    else
        evaluate_here(self);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        struct NB(nb_smoothed) *c = NB(nb_path_contact)(self, i);
        const nb_real eps = SOFT_SLIP * nb_sqrt(at.tau / NB(nb_path_own_scale)(cone, i, c->mu));
        nb_real way[3], U[3];
        memcpy(U, cone->velocity + i, sizeof U);
        find_way(self, i, way);
        add_weighted(self, i, way, U);
        NB(nb_smoothed_evaluate)(c, cone->p + i, U, eps, &at);
        const nb_real size = nb_sqrt(c->map[0] * c->map[0] + c->map[1] * c->map[1] +
                                     c->map[2] * c->map[2]) / c->nu;
        most = size <= most ? most : size; /* NaN too */
    }
    const nb_real defect = nb_sqrt(cone->defect_energy / (at.tau * (nb_real)cone->model->contacts));
    return defect <= most ? most : defect;
}

static void linearise(struct NB(nb_cone) *cone)
{
    cone->sigma = BILATERAL_SIGMA;
    cone->form->linearise(cone);
    cone->sigma = 0;
}

/* dp = answer dU of a contact where its velocity does not depend on p. */
static void find_answer(const struct NB(nb_smoothed) *c, nb_real *answer)
{
    for (int k = 0; k < 3; ++k) {
        const nb_real unit[3] = {k == 0, k == 1, k == 2};
        nb_real dz[3], dx[3], dp[3];
        NB(nb_smoothed_velocity)(c, unit, dz);
        NB(nb_smoothed_answer)(c, dz, dx);
        NB(nb_smoothed_impulse)(c, dx, dp);
        for (int r = 0; r < 3; ++r)
            answer[3 * r + k] = dp[r];
    }
}

/* What the proximal term leaves of a dp: out = (1 - answer omega/rho)^-1. */
static void find_share(const struct NB(nb_cone_path) *self, size_t i, const nb_real *answer, nb_real *out)
{
    nb_real held[9];
    for (int k = 0; k < 9; ++k)
        held[k] = (k % 4 == 0) - answer[k] * self->omega / self->cone->rho[i + (size_t)(k % 3)];
    NB(nb_block_invert)(held, out);
}

/* dp of a contact, found without the proximal term, becomes that with it. */
static void hold(const struct NB(nb_cone_path) *self, size_t i, nb_real *dp)
{
    nb_real answer[9], share[9];
    const nb_real free[3] = {dp[0], dp[1], dp[2]};
    if (!(self->weight > 0))
        return;
    find_answer(NB(nb_path_contact)(self, i), answer);
    find_share(self, i, answer, share);
    NB(nb_block_apply)(share, free, dp);
}

/* B = -dp/dU of a contact, and whether it is too weak for the matrix. */
static void fill_middle(struct NB(nb_cone_path) *self, size_t i)
{
    struct NB(nb_cone) *cone = self->cone;
    nb_real answer[9], share[9], most = 0;
    find_answer(NB(nb_path_contact)(self, i), answer);
    if (self->weight > 0) {
        nb_real free[9];
        memcpy(free, answer, sizeof free);
        find_share(self, i, free, share);
        NB(nb_block_times)(share, free, answer);
    }
    for (int k = 0; k < 9; ++k) {
        cone->middle[3 * i + (size_t)k] = -answer[k];
        most = nb_max(most, nb_abs(answer[k]));
    }
    cone->left_out[i / 3] = !(most >= WEAK * cone->rho[i]);
}

enum nb_status NB(nb_path_factorise)(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    if (self->moving)
        linearise(cone);
    for (size_t i = self->first; i < cone->rows; i += 3)
        fill_middle(self, i);
    if (self->run->newton_iterations >= self->limit)
        return NB_BREAKDOWN;
    self->run->newton_iterations++;
    self->run->linear_iterations++;
    return cone->form->factorise(cone);
}

/* The direction whose dp at du = 0 stands in the cone's step_p, and the motion's defect in momentum. */
static void solve(struct NB(nb_cone_path) *self, int moves, struct NB(nb_path_direction) *out)
{
    struct NB(nb_cone) *cone = self->cone;
    cone->form->solve(cone);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = NB(nb_path_contact)(self, i);
        nb_real way[3], dU[3], dz[3];
        memcpy(dU, cone->scratch + i, sizeof dU);
        find_way(self, i, way);
        for (size_t k = 0; k < 3; ++k)
            way[k] = cone->step_p[i + k] - (nb_real)moves * way[k];
        add_weighted(self, i, way, dU);
        NB(nb_smoothed_velocity)(c, dU, dz);
        dz[0] += (nb_real)moves * c->drift;
        out->v[i] = (c->mu > 0 ? c->mu : 1) * cone->step_p[i] - c->r * dz[0];
        for (size_t k = 1; k < 3; ++k)
            out->v[i + k] = c->mu > 0 ? cone->step_p[i + k] - c->r * dz[k] : 0;
    }
    memcpy(out->p, cone->step_p, cone->rows * sizeof *out->p);
    memcpy(out->u, cone->step_u, cone->dofs * sizeof *out->u);
}

void NB(nb_path_find_newton)(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    for (size_t i = 0; i < self->first; i += 3) {
        NB(nb_block_apply)(cone->middle + 3 * i, cone->velocity + i, cone->step_p + i);
        for (size_t k = i; k < i + 3; ++k)
            cone->step_p[k] = -cone->step_p[k];
    }
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = NB(nb_path_contact)(self, i);
        nb_real dx[3];
        NB(nb_smoothed_correct)(c, dx);
        NB(nb_smoothed_impulse)(c, dx, cone->step_p + i);
        hold(self, i, cone->step_p + i);
    }
    solve(self, 0, &self->newton);
}

void NB(nb_path_find_slope)(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    memset(cone->momentum, 0, cone->dofs * sizeof *cone->momentum);
    memset(cone->step_p, 0, self->first * sizeof *cone->step_p);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = NB(nb_path_contact)(self, i);
        nb_real way[3], dU[3] = {0, 0, 0}, dz[3], dx[3], pull[3];
        find_way(self, i, way);
        add_weighted(self, i, way, dU);
        NB(nb_smoothed_velocity)(c, dU, dz);
        NB(nb_smoothed_answer)(c, dz, pull);
        NB(nb_smoothed_drift)(c, dx);
        for (int k = 0; k < 3; ++k)
            dx[k] -= pull[k]; /* omega falls as tau does */
        NB(nb_smoothed_impulse)(c, dx, cone->step_p + i);
        hold(self, i, cone->step_p + i);
    }
    solve(self, 1, &self->slope);
}

void NB(nb_path_set_geometry)(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    struct NB(nb_body_space) *space = cone->self;
    memcpy(cone->u, self->origin, cone->dofs * sizeof *cone->u);
    if (self->bodies)
        NB(nb_model_evaluate)(cone->model, cone->u);
    linearise(cone);
    if (self->bodies)
        memset(space->pairs, 0, 9 * (size_t)space->pair_start[cone->model->blocks] * sizeof *space->pairs);
}

void NB(nb_path_fix_geometry)(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    memcpy(self->origin, cone->u, cone->dofs * sizeof *cone->u);
    NB(nb_path_set_geometry)(self);
    if (!self->bodies) {
        cone->form->evaluate(cone, cone->u, cone->p);
        return;
    }
    memset(self->offset, 0, cone->rows * sizeof *self->offset);
    find_velocity(self, self->origin, cone->velocity);
    for (size_t i = 0; i < cone->rows; ++i)
        self->offset[i] = cone->model->violation[i] - cone->velocity[i];
    memcpy(cone->velocity, cone->model->violation, cone->rows * sizeof *cone->velocity);
}
