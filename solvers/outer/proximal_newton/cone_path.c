#include "solvers/outer/proximal_newton/cone_path_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* tau_0 over the energy of what stops each contact by itself: large, so that theta is near 1 before the
 * weights of heavy bodies tell which contacts carry them. */
#define FIRST_BARRIER NB_REAL(1e6)
/* F/nu of a contact that is on the path, and of one at its beginning. */
#define NEAR NB_REAL(0.1)
#define NEAR_FIRST NB_REAL(0.01)
#define ASTRAY NB_REAL(10.) /* on the way back to it: what returns from further is on another curve */
enum { FIRST_STEPS = 100, MOVING_STEPS = 10, FIRST_HALVINGS = 7, CORRECTIONS = 6, SURE = 3, SHORTENINGS = 15,
       RESCALINGS = 5, MISSES = 2 }; /* of steps in a row before the kept point is looked at */
#define FIRST_LENGTH NB_REAL(0.5)
#define LONGEST NB_REAL(3.)
#define LEAP NB_REAL(5.) /* of l in one step: another curve */
#define RESCALED NB_REAL(100.) /* r in one step, at most */

int NB(nb_cone_path_fits)(const struct NB(nb_cone) *cone)
{
    return sizeof(nb_real) == sizeof(double) && cone->model->contacts > 0 &&
           NB(nb_cone_matrix_has_factor)(cone->matrix);
}

enum nb_status NB(nb_cone_path_create)(struct NB(nb_cone_path) **out, struct NB(nb_cone) *cone,
                                       struct nb_error *error)
{
    struct NB(nb_cone_path) *self = calloc(1, sizeof *self);
    *out = self;
    if (self) {
        self->cone = cone;
        self->bodies = cone->form == &NB(nb_cone_bodies) && cone->model->inertia_kind == NB_INERTIA_BLOCKS;
        self->first = 3 * (size_t)cone->model->bilateral_blocks;
        self->storage = calloc(9 * cone->rows + 5 * cone->dofs + 1, sizeof *self->storage);
        self->contact = calloc((size_t)cone->model->contacts + 1, sizeof *self->contact);
    }
    if (!self || !self->storage || !self->contact) {
        NB(nb_cone_path_free)(self);
        *out = NULL;
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the path of %d contacts",
                       cone->model->contacts);
    }
    nb_real **rows[] = {&self->offset, &self->kept_p, &self->anchor, &self->slope.p, &self->slope.v,
                        &self->newton.p, &self->newton.v, &self->tangent.p, &self->tangent.v};
    nb_real **dofs[] = {&self->origin, &self->kept_u, &self->slope.u, &self->newton.u,
                        &self->tangent.u};
    nb_real *next = self->storage;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k, next += cone->rows)
        *rows[k] = next;
    for (size_t k = 0; k < sizeof dofs / sizeof *dofs; ++k, next += cone->dofs)
        *dofs[k] = next;
    return NB_OK;
}

void NB(nb_cone_path_free)(struct NB(nb_cone_path) *self)
{
    if (!self)
        return;
    free(self->storage);
    free(self->contact);
    free(self);
}

static nb_real product(const struct NB(nb_cone_path) *self, const nb_real *a, const nb_real *b)
{
    nb_real sum = 0;
    for (size_t i = self->first; i < self->cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = NB(nb_path_contact)(self, i);
        sum += (a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2]) /
               (c->nu * c->nu + c->v[0] * c->v[0] + c->v[1] * c->v[1] + c->v[2] * c->v[2]);
    }
    return sum / (nb_real)self->cone->model->contacts;
}

static void add(struct NB(nb_cone_path) *self, nb_real t, const struct NB(nb_path_direction) *step)
{
    struct NB(nb_cone) *cone = self->cone;
    for (size_t i = 0; i < cone->rows; ++i)
        cone->p[i] += t * step->p[i];
    for (size_t i = 0; i < cone->dofs; ++i)
        cone->u[i] += t * step->u[i];
    self->l += t * step->l;
}

static void rescale(struct NB(nb_cone_path) *self)
{
    for (size_t i = self->first; i < self->cone->rows; i += 3) {
        struct NB(nb_smoothed) *c = NB(nb_path_contact)(self, i);
        c->r = nb_min(RESCALED * c->r, nb_max(NB(nb_smoothed_scale)(c), c->r / RESCALED));
    }
}

static void keep(struct NB(nb_cone_path) *self)
{
    memcpy(self->kept_p, self->cone->p, self->cone->rows * sizeof *self->kept_p);
    memcpy(self->kept_u, self->cone->u, self->cone->dofs * sizeof *self->kept_u);
    self->kept_l = self->l;
}

static void restore(struct NB(nb_cone_path) *self)
{
    memcpy(self->cone->p, self->kept_p, self->cone->rows * sizeof *self->kept_p);
    memcpy(self->cone->u, self->kept_u, self->cone->dofs * sizeof *self->kept_u);
    self->l = self->kept_l;
}

/* out += t slope */
static void add_slope(const struct NB(nb_cone_path) *self, nb_real t, struct NB(nb_path_direction) *out)
{
    for (size_t i = 0; i < self->cone->rows; ++i) {
        out->p[i] += t * self->slope.p[i];
        out->v[i] += t * self->slope.v[i];
    }
    for (size_t i = 0; i < self->cone->dofs; ++i)
        out->u[i] += t * self->slope.u[i];
    out->l += t;
}

/* Newton's direction from the point evaluated last, at fixed l or across the tangent. */
static enum nb_status find_correction(struct NB(nb_cone_path) *self, int across)
{
    const enum nb_status status = NB(nb_path_factorise)(self);
    if (status)
        return status;
    NB(nb_path_find_newton)(self);
    self->newton.l = 0;
    if (across) {
        NB(nb_path_find_slope)(self);
        add_slope(self, -product(self, self->tangent.v, self->newton.v) /
                            (product(self, self->tangent.v, self->slope.v) + self->tangent.l), &self->newton);
    }
    return NB_OK;
}

/* Newton's method, with shorter steps where a full one leads away. Returns F/nu at its end. */
static nb_real settle(struct NB(nb_cone_path) *self, int steps, int across)
{
    nb_real norm = NB(nb_path_evaluate)(self);
    for (int k = 0; k < steps && norm > NEAR_FIRST; ++k) {
        if (find_correction(self, across))
            break;
        nb_real t = 1, now = 0;
        add(self, t, &self->newton);
        for (int n = 0; !((now = NB(nb_path_evaluate)(self)) < norm) && n < FIRST_HALVINGS; ++n, t /= 2)
            add(self, -t / 2, &self->newton);
        norm = now;
        if (norm < NEAR_FIRST) {
            rescale(self);
            norm = NB(nb_path_evaluate)(self);
        }
    }
    return norm;
}

/* Of the mean contact at the largest velocity. */
static nb_real contact_energy(const struct NB(nb_cone_path) *self)
{
    const struct NB(nb_cone) *cone = self->cone;
    nb_real speed = 0, mass = 0;
    for (size_t i = self->first; i < cone->rows; ++i)
        speed = nb_max(speed, nb_abs(cone->velocity[i]));
    speed = speed > 0 ? speed : 1;
    for (size_t i = self->first; i < cone->rows; i += 3)
        mass += cone->rho[i] / (nb_real)cone->model->contacts;
    return mass * speed * speed;
}

/* p that puts each contact on the path for z = e, and tau_0. */
static void begin_contacts(struct NB(nb_cone_path) *self, nb_real barrier)
{
    struct NB(nb_cone) *cone = self->cone;
    self->tau_0 = barrier * contact_energy(self);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        struct NB(nb_smoothed) *c = NB(nb_path_contact)(self, i);
        c->mu = cone->model->friction[(i - self->first) / 3];
        c->r = NB(nb_path_own_scale)(cone, i, c->mu);
        cone->p[i] = nb_sqrt(c->r * self->tau_0) / (c->mu > 0 ? c->mu : 1);
        cone->p[i + 1] = cone->p[i + 2] = 0;
    }
}

/* To l = 0 from the present (u, p), which is kept where that fails. */
static void begin(struct NB(nb_cone_path) *self, struct nb_run *run, int limit)
{
    self->run = run;
    self->limit = limit;
    self->length = FIRST_LENGTH;
    self->forward = 0;
    keep(self);
    self->lost = !(settle(self, FIRST_STEPS, 0) <= NEAR);
    if (!self->lost)
        keep(self);
}

void NB(nb_cone_path_begin)(struct NB(nb_cone_path) *self, double rate, struct nb_run *run, int limit)
{
    NB(nb_path_fix_geometry)(self);
    self->rate = (nb_real)rate;
    self->weight = self->l = 0;
    self->moving = 0;
    begin_contacts(self, FIRST_BARRIER);
    begin(self, run, limit);
    if (self->lost) {
        memset(self->kept_p, 0, self->cone->rows * sizeof *self->kept_p);
        memcpy(self->kept_u, self->origin, self->cone->dofs * sizeof *self->kept_u);
    }
}

void NB(nb_cone_path_begin_at)(struct NB(nb_cone_path) *self, const nb_real *u, const nb_real *p,
                               double weight, struct nb_run *run, int limit)
{
    struct NB(nb_cone) *cone = self->cone;
    NB(nb_path_fix_geometry)(self);
    self->weight = (nb_real)weight;
    self->l = 0;
    self->moving = !cone->model->constant;
    begin_contacts(self, self->weight * self->weight);
    memcpy(self->anchor, p, cone->rows * sizeof *p);
    memcpy(cone->p, p, cone->rows * sizeof *p);
    memcpy(cone->u, u, cone->dofs * sizeof *u);
    for (int k = 0; k < RESCALINGS; ++k) {
        NB(nb_path_evaluate)(self);
        rescale(self);
    }
    begin(self, run, limit);
}

int NB(nb_cone_path_move)(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    if (self->moving || self->lost || cone->model->constant)
        return 0;
    restore(self);
    memcpy(cone->step_u, cone->u, cone->dofs * sizeof *cone->u);
    if (NB(nb_cone_step_length)(cone) < 1)
        return 0;
    self->moving = 1;
    if (settle(self, MOVING_STEPS, 0) <= NEAR)
        keep(self);
    else
        self->moving = 0;
    return self->moving;
}

/* At the kept point. */
static enum nb_status find_tangent(struct NB(nb_cone_path) *self)
{
    struct NB(nb_path_direction) *tangent = &self->tangent;
    restore(self);
    NB(nb_path_evaluate)(self);
    rescale(self);
    NB(nb_path_evaluate)(self);
    const enum nb_status status = NB(nb_path_factorise)(self);
    if (status)
        return status;
    const int sign = NB(nb_cone_matrix_sign)(self->cone->matrix);
    NB(nb_path_find_slope)(self);
    if (self->forward == 0)
        self->forward = sign;
    memset(tangent->p, 0, self->cone->rows * sizeof *tangent->p);
    memset(tangent->v, 0, self->cone->rows * sizeof *tangent->v);
    memset(tangent->u, 0, self->cone->dofs * sizeof *tangent->u);
    tangent->l = 0;
    add_slope(self, (nb_real)(sign * self->forward) /
                        nb_sqrt(product(self, self->slope.v, self->slope.v) + 1), tangent);
    return NB_OK;
}

/* A kept point may be near to the curve and yet out of reach of full steps, however short the way along the
 * tangent: it comes nearer, if it can. */
static enum nb_status come_nearer(struct NB(nb_cone_path) *self)
{
    restore(self);
    if (settle(self, CORRECTIONS, 1) <= NEAR)
        keep(self);
    return find_tangent(self);
}

/* From the kept point along the tangent, and back to the path across it. Corrections, 0: failed. */
static int follow(struct NB(nb_cone_path) *self)
{
    restore(self);
    add(self, self->length, &self->tangent);
    nb_real norm = NB(nb_path_evaluate)(self);
    for (int k = 1; k <= CORRECTIONS; ++k) {
        const nb_real before = norm;
        if (!(norm <= ASTRAY) || find_correction(self, 1))
            return 0;
        add(self, 1, &self->newton);
        norm = NB(nb_path_evaluate)(self);
        if (!(nb_abs(self->l - self->kept_l) <= LEAP) || (k >= SURE && norm > before))
            return 0;
        if (norm <= NEAR)
            return k;
    }
    return 0;
}

/* A step along the curve to a point that is kept. Zero where none is found. */
static int go_on(struct NB(nb_cone_path) *self)
{
    if (!self->moving)
        NB(nb_path_set_geometry)(self);
    if (find_tangent(self))
        return 0;
    for (int k = 0; k < SHORTENINGS && self->run->newton_iterations < self->limit;
         ++k, self->length /= 3) {
        const int corrections = follow(self);
        if (corrections == 0) {
            if (k == MISSES && come_nearer(self))
                return 0;
            continue;
        }
        if (self->l < 0)
            return 0;
        const nb_real easy = corrections <= 2   ? NB_REAL(1.6)
                             : corrections == 3 ? NB_REAL(1.1)
                                                : NB_REAL(0.6);
        self->length = nb_min(easy * self->length, LONGEST);
        keep(self);
        return 1;
    }
    return 0;
}

nb_real NB(nb_cone_path_step)(struct NB(nb_cone_path) *self)
{
    self->lost = self->lost || !go_on(self);
    if (!self->lost)
        return NB(nb_cone_natural)(self->cone, self->cone->p);
    restore(self);
    return (nb_real)INFINITY;
}

nb_real NB(nb_cone_path_left)(const struct NB(nb_cone_path) *self)
{
    return (nb_real)exp(-(double)self->kept_l);
}
