/* Predictor and corrector along the curve of homotopy.h, with its length as the parameter (Allgower and Georg 1990):
 *
 *     predictor    (u, p, l) += length t,   t the unit tangent, forward as sign det dH/d(u, p) tells;
 *     corrector    Newton's method on H = 0 across t: H_x dx + H_l dl = -H,   t . (dx, dl) = 0,
 *
 * by two solves with one factor, of Newton's direction and of dx/dl. A step whose corrections do not fall, or lead to
 * another curve, is shortened to a third; one that takes few is followed by a longer one. The factor is the bodies'
 * or the rows' (struct nb_formulation), and is all that an iteration counts. */
#include "solvers/outer/proximal_newton/homotopy_point.h"
#include "solvers/outer/proximal_newton/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int nb_homotopy_applies(const struct nb_nonsmooth *system)
{
    return sizeof(nb_real) == sizeof(double) && system->model->contacts > 0 &&
           nb_newton_matrix_has_lu(system->matrix);
}

void nb_homotopy_lay_out(void *data, struct nb_arena *arena)
{
    struct nb_homotopy *self = data;
    nb_real **rows[] = {&self->offset, &self->kept_p, &self->anchor, &self->slope.p, &self->slope.v,
                        &self->newton.p, &self->newton.v, &self->tangent.p, &self->tangent.v};
    nb_real **dofs[] = {&self->origin, &self->kept_u, &self->slope.u, &self->newton.u,
                        &self->tangent.u};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        NB_ARRAY(arena, *rows[k], self->system->rows);
    for (size_t k = 0; k < sizeof dofs / sizeof *dofs; ++k)
        NB_ARRAY(arena, *dofs[k], self->system->dofs);
    NB_ARRAY(arena, self->contact, self->system->model->contacts);
}

enum nb_status nb_homotopy_create(struct nb_homotopy **out, struct nb_nonsmooth *system, struct nb_error *error)
{
    struct nb_homotopy *self = calloc(1, sizeof *self);
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a homotopy");
    self->system = system;
    self->bodies = system->form == &nb_primal_formulation && system->model->inertia_kind == NB_INERTIA_BLOCKS;
    self->first = 3 * (size_t)system->model->bilateral_blocks;
    return NB_OK;
}

void nb_homotopy_free(struct nb_homotopy *self)
{
    free(self);
}

static nb_real inner_product(const struct nb_homotopy *self, const nb_real *a, const nb_real *b)
{
    nb_real sum = 0;
    for (size_t i = self->first; i < self->system->rows; i += 3) {
        const struct nb_smoothed *c = nb_homotopy_contact(self, i);
        sum += (a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2]) /
               (c->nu * c->nu + c->v[0] * c->v[0] + c->v[1] * c->v[1] + c->v[2] * c->v[2]);
    }
    return sum / (nb_real)self->system->model->contacts;
}

static void add_step(struct nb_homotopy *self, nb_real t, const struct nb_homotopy_direction *step)
{
    struct nb_nonsmooth *system = self->system;
    for (size_t i = 0; i < system->rows; ++i)
        system->p[i] += t * step->p[i];
    for (size_t i = 0; i < system->dofs; ++i)
        system->u[i] += t * step->u[i];
    self->l += t * step->l;
}

static void rescale(struct nb_homotopy *self)
{
    for (size_t i = self->first; i < self->system->rows; i += 3) {
        struct nb_smoothed *c = nb_homotopy_contact(self, i);
        c->r = nb_min(NB_LARGEST_RESCALING * c->r, nb_max(nb_smoothed_scale(c), c->r / NB_LARGEST_RESCALING));
    }
}

static void save_point(struct nb_homotopy *self)
{
    memcpy(self->kept_p, self->system->p, self->system->rows * sizeof *self->kept_p);
    memcpy(self->kept_u, self->system->u, self->system->dofs * sizeof *self->kept_u);
    self->kept_l = self->l;
}

static void restore_point(struct nb_homotopy *self)
{
    memcpy(self->system->p, self->kept_p, self->system->rows * sizeof *self->kept_p);
    memcpy(self->system->u, self->kept_u, self->system->dofs * sizeof *self->kept_u);
    self->l = self->kept_l;
}

/* out += t slope */
static void add_slope(const struct nb_homotopy *self, nb_real t, struct nb_homotopy_direction *out)
{
    for (size_t i = 0; i < self->system->rows; ++i) {
        out->p[i] += t * self->slope.p[i];
        out->v[i] += t * self->slope.v[i];
    }
    for (size_t i = 0; i < self->system->dofs; ++i)
        out->u[i] += t * self->slope.u[i];
    out->l += t;
}

/* Newton's direction from the point evaluated last, at fixed l or across the tangent. */
static enum nb_status correction_direction(struct nb_homotopy *self, int across)
{
    const enum nb_status status = nb_homotopy_factorise(self);
    if (status)
        return status;
    nb_homotopy_find_correction(self);
    self->newton.l = 0;
    if (across) {
        nb_homotopy_find_slope(self);
        add_slope(self, -inner_product(self, self->tangent.v, self->newton.v) /
                            (inner_product(self, self->tangent.v, self->slope.v) + self->tangent.l), &self->newton);
    }
    return NB_OK;
}

/* Newton's method, with shorter steps where a full one leads away. Returns F/nu at its end. */
static nb_real correct_to_curve(struct nb_homotopy *self, int steps, int across)
{
    nb_real norm = nb_homotopy_evaluate(self);
    for (int k = 0; k < steps && norm > NB_ON_CURVE_FIRST; ++k) {
        if (correction_direction(self, across))
            break;
        nb_real t = 1, now = 0;
        add_step(self, t, &self->newton);
        for (int n = 0; !((now = nb_homotopy_evaluate(self)) < norm) && n < NB_START_HALVINGS; ++n, t /= 2)
            add_step(self, -t / 2, &self->newton);
        norm = now;
        if (norm < NB_ON_CURVE_FIRST) {
            rescale(self);
            norm = nb_homotopy_evaluate(self);
        }
    }
    return norm;
}

/* Of the mean contact at the largest velocity. */
static nb_real contact_energy(const struct nb_homotopy *self)
{
    const struct nb_nonsmooth *system = self->system;
    nb_real speed = 0, mass = 0;
    for (size_t i = self->first; i < system->rows; ++i)
        speed = nb_max(speed, nb_abs(system->velocity[i]));
    speed = speed > 0 ? speed : 1;
    for (size_t i = self->first; i < system->rows; i += 3)
        mass += system->rho[i] / (nb_real)system->model->contacts;
    return mass * speed * speed;
}

/* p that puts each contact on the curve for z = e, and tau_0. */
static void begin_contacts(struct nb_homotopy *self, nb_real barrier)
{
    struct nb_nonsmooth *system = self->system;
    self->tau_0 = barrier * contact_energy(self);
    for (size_t i = self->first; i < system->rows; i += 3) {
        struct nb_smoothed *c = nb_homotopy_contact(self, i);
        c->mu = system->model->friction[(i - self->first) / 3];
        c->r = nb_homotopy_effective_mass(system, i, c->mu);
        system->p[i] = nb_sqrt(c->r * self->tau_0) / (c->mu > 0 ? c->mu : 1);
        system->p[i + 1] = system->p[i + 2] = 0;
    }
}

/* To l = 0 from the present (u, p), which is kept where that fails. */
static void begin_at_point(struct nb_homotopy *self, struct nb_run *run, int limit)
{
    self->run = run;
    self->limit = limit;
    self->length = NB_LENGTH_FIRST;
    self->forward = 0;
    save_point(self);
    self->lost = !(correct_to_curve(self, NB_START_STEPS, 0) <= NB_ON_CURVE);
    if (!self->lost)
        save_point(self);
}

void nb_homotopy_begin(struct nb_homotopy *self, double rate, struct nb_run *run, int limit)
{
    nb_homotopy_fix_geometry(self);
    self->rate = (nb_real)rate;
    self->weight = self->l = 0;
    self->moving = 0;
    memset(self->anchor, 0, self->system->rows * sizeof *self->anchor);
    begin_contacts(self, NB_BARRIER_FIRST);
    begin_at_point(self, run, limit);
    if (self->lost) {
        memset(self->kept_p, 0, self->system->rows * sizeof *self->kept_p);
        memcpy(self->kept_u, self->origin, self->system->dofs * sizeof *self->kept_u);
    }
}

void nb_homotopy_begin_at(struct nb_homotopy *self, const nb_real *u, const nb_real *p,
                          double weight, struct nb_run *run, int limit)
{
    struct nb_nonsmooth *system = self->system;
    nb_homotopy_fix_geometry(self);
    self->weight = (nb_real)weight;
    self->l = 0;
    self->moving = !system->model->constant;
    begin_contacts(self, self->weight * self->weight);
    memcpy(self->anchor, p, system->rows * sizeof *p);
    memcpy(system->p, p, system->rows * sizeof *p);
    memcpy(system->u, u, system->dofs * sizeof *u);
    for (int k = 0; k < NB_START_RESCALINGS; ++k) {
        nb_homotopy_evaluate(self);
        rescale(self);
    }
    begin_at_point(self, run, limit);
}

int nb_homotopy_update_geometry(struct nb_homotopy *self)
{
    struct nb_nonsmooth *system = self->system;
    if (self->moving || self->lost || system->model->constant)
        return 0;
    restore_point(self);
    memcpy(system->step_u, system->u, system->dofs * sizeof *system->u);
    if (nb_nonsmooth_step_length(system) < 1)
        return 0;
    self->moving = 1;
    if (correct_to_curve(self, NB_GEOMETRY_STEPS, 0) <= NB_ON_CURVE)
        save_point(self);
    else
        self->moving = 0;
    return self->moving;
}

/* At the kept point. */
static enum nb_status find_tangent(struct nb_homotopy *self)
{
    struct nb_homotopy_direction *tangent = &self->tangent;
    restore_point(self);
    nb_homotopy_evaluate(self);
    rescale(self);
    nb_homotopy_evaluate(self);
    const enum nb_status status = nb_homotopy_factorise(self);
    if (status)
        return status;
    const int sign = nb_newton_matrix_sign(self->system->matrix);
    nb_homotopy_find_slope(self);
    if (self->forward == 0)
        self->forward = sign;
    memset(tangent->p, 0, self->system->rows * sizeof *tangent->p);
    memset(tangent->v, 0, self->system->rows * sizeof *tangent->v);
    memset(tangent->u, 0, self->system->dofs * sizeof *tangent->u);
    tangent->l = 0;
    add_slope(self, (nb_real)(sign * self->forward) /
                        nb_sqrt(inner_product(self, self->slope.v, self->slope.v) + 1), tangent);
    return NB_OK;
}

/* A kept point may be near to the curve and yet out of reach of full steps, however short the way along the
 * tangent: it comes nearer, if it can. */
static enum nb_status correct_kept_point(struct nb_homotopy *self)
{
    restore_point(self);
    if (correct_to_curve(self, NB_CURVE_CORRECTIONS, 1) <= NB_ON_CURVE)
        save_point(self);
    return find_tangent(self);
}

/* From the kept point along the tangent, and back to the curve across it. Corrections, 0: failed. */
static int predict_and_correct(struct nb_homotopy *self)
{
    restore_point(self);
    add_step(self, self->length, &self->tangent);
    nb_real norm = nb_homotopy_evaluate(self);
    for (int k = 1; k <= NB_CURVE_CORRECTIONS; ++k) {
        const nb_real before = norm;
        if (!(norm <= NB_OTHER_CURVE) || correction_direction(self, 1))
            return 0;
        add_step(self, 1, &self->newton);
        norm = nb_homotopy_evaluate(self);
        if (!(nb_abs(self->l - self->kept_l) <= NB_LARGEST_DL) || (k >= NB_MONOTONE_FROM && norm > before))
            return 0;
        if (norm <= NB_ON_CURVE)
            return k;
    }
    return 0;
}

/* A step along the curve to a point that is kept. Zero where none is found. */
static int advance(struct nb_homotopy *self)
{
    if (!self->moving)
        nb_homotopy_restore_geometry(self);
    if (find_tangent(self))
        return 0;
    for (int k = 0; k < NB_SHORTENINGS && self->run->newton_iterations < self->limit;
         ++k, self->length /= 3) {
        const int corrections = predict_and_correct(self);
        if (corrections == 0) {
            if (k == NB_RECENTRE_AFTER && correct_kept_point(self))
                return 0;
            continue;
        }
        if (self->l < 0)
            return 0;
        const nb_real growth = corrections <= 2   ? NB_LENGTH_EASY
                               : corrections == 3 ? NB_LENGTH_FAIR
                                                  : NB_LENGTH_HARD;
        self->length = nb_min(growth * self->length, NB_LENGTH_MOST);
        save_point(self);
        return 1;
    }
    return 0;
}

nb_real nb_homotopy_step(struct nb_homotopy *self)
{
    self->lost = self->lost || !advance(self);
    if (!self->lost)
        return nb_nonsmooth_natural_norm(self->system, self->system->p);
    restore_point(self);
    return (nb_real)INFINITY;
}

nb_real nb_homotopy_remaining(const struct nb_homotopy *self)
{
    return (nb_real)exp(-(double)self->kept_l);
}
