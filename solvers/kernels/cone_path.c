#include "solvers/kernels/cone_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/block3.h"
#include "solvers/kernels/cone_bodies.h"
#include "solvers/kernels/smoothed_cone.h"

/* tau_0 over the energy of what stops each contact by itself: large, so that theta is near 1 before the
 * weights of heavy bodies tell which contacts carry them. */
#define FIRST_BARRIER NB_REAL(1e6)
#define SOFT_SLIP NB_REAL(1e-3)
/* A contact whose force answers less than so much of 1/W_nn is left out of the matrix, which is the
 * sparser, though not out of the step. */
#define WEAK NB_REAL(1e-5)
#define BILATERAL_SIGMA NB_REAL(1e-8)
/* F/nu of a contact that is on the path, and of one at its beginning. */
#define NEAR NB_REAL(0.1)
#define NEAR_FIRST NB_REAL(0.01)
#define ASTRAY NB_REAL(10.) /* on the way back to it: what returns from further is on another curve */
enum { FIRST_STEPS = 100, MOVING_STEPS = 10, FIRST_HALVINGS = 7, CORRECTIONS = 6, SURE = 3, SHORTENINGS = 30 };
#define FIRST_LENGTH NB_REAL(0.5)
#define LONGEST NB_REAL(3.)
#define LEAP NB_REAL(5.) /* of l in one step: another curve */
#define RESCALED NB_REAL(100.) /* r in one step, at most */

/* A change of the point: d(u, p), dU, dv. */
struct direction {
    nb_real *p, *u, *v;
};

struct NB(nb_cone_path) {
    struct NB(nb_cone) *cone;
    size_t first;           /* row of the first contact                        */
    nb_real *storage;       /* owns the arrays below                           */
    nb_real *origin;        /* [dofs] u of the geometry                        */
    nb_real *offset;        /* [rows] U - S u there                            */
    nb_real *kept_p, *kept_u; /* [rows], [dofs] the last point on the path     */
    struct direction slope;   /* d/dl                                          */
    struct direction newton;  /* at fixed l                                    */
    struct direction tangent; /* of length 1                                   */
    struct NB(nb_smoothed) *contact; /* [contacts] at the present point        */
    nb_real l, kept_l, tangent_l;
    nb_real tau_0, rate, length;
    struct nb_run *run;     /* borrowed: counts the factorisations             */
    int limit;              /* of its iterations                               */
    int lost;               /* no step leads further                           */
    int moving;             /* the geometry is that of the present point       */
    int forward;            /* sign of the determinant there; 0: not known yet */
};

int NB(nb_cone_path_fits)(const struct NB(nb_cone) *cone)
{
    return sizeof(nb_real) == sizeof(double) && cone->form == &NB(nb_cone_bodies) &&
           cone->model->inertia_kind == NB_INERTIA_BLOCKS && cone->model->contacts > 0;
}

enum nb_status NB(nb_cone_path_create)(struct NB(nb_cone_path) **out, struct NB(nb_cone) *cone,
                                       struct nb_error *error)
{
    struct NB(nb_cone_path) *self = calloc(1, sizeof *self);
    *out = self;
    if (self) {
        self->cone = cone;
        self->first = 3 * (size_t)cone->model->bilateral_blocks;
        self->storage = calloc(8 * cone->rows + 5 * cone->dofs + 1, sizeof *self->storage);
        self->contact = calloc((size_t)cone->model->contacts + 1, sizeof *self->contact);
    }
    if (!self || !self->storage || !self->contact) {
        NB(nb_cone_path_free)(self);
        *out = NULL;
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the path of %d contacts",
                       cone->model->contacts);
    }
    nb_real **rows[] = {&self->offset, &self->kept_p, &self->slope.p, &self->slope.v,
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

static struct NB(nb_smoothed) *contact_of(const struct NB(nb_cone_path) *self, size_t row)
{
    return self->contact + (row - self->first) / 3;
}

static struct NB(nb_smoothing) place(const struct NB(nb_cone_path) *self)
{
    const nb_real left = (nb_real)exp(-(double)(self->rate * self->l));
    return (struct NB(nb_smoothing)){.tau = self->tau_0 * (nb_real)exp(-(double)self->l),
                                     .theta = 1 - left,
                                     .theta_slope = self->rate * left};
}

/* Effective mass of a contact by itself in x and z. */
static nb_real own_scale(const struct NB(nb_cone) *cone, size_t i, nb_real mu)
{
    return mu > 0 ? mu * nb_sqrt(cone->rho[i] * cone->rho[i + 1]) : cone->rho[i];
}

/* U at u in the path's geometry. */
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

/* What nb_cone_evaluate leaves, in the path's geometry and of the bilateral rows' F alone. */
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
    for (size_t i = 0; i < self->first; ++i)
        cone->residual[i] = cone->rho[i] * cone->velocity[i];
}

/* Largest F/nu, and what is left of the motion's equation beside it. */
static nb_real evaluate(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    const struct NB(nb_smoothing) at = place(self);
    nb_real most = 0;
    if (self->moving)
        NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    else
        evaluate_here(self);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        struct NB(nb_smoothed) *c = contact_of(self, i);
        const nb_real eps = SOFT_SLIP * nb_sqrt(at.tau / own_scale(cone, i, c->mu));
        NB(nb_smoothed_evaluate)(c, cone->p + i, cone->velocity + i, eps, &at);
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
    NB(nb_cone_bodies_linearise)(cone);
    cone->sigma = 0;
}

/* B = -dp/dU of a contact. Zero where it is weak. */
static int fill_middle(const struct NB(nb_smoothed) *c, nb_real rho, nb_real *middle)
{
    nb_real most = 0;
    for (int k = 0; k < 3; ++k) {
        const nb_real unit[3] = {k == 0, k == 1, k == 2};
        nb_real dz[3], dx[3], dp[3];
        NB(nb_smoothed_velocity)(c, unit, dz);
        NB(nb_smoothed_answer)(c, dz, dx);
        NB(nb_smoothed_impulse)(c, dx, dp);
        for (int r = 0; r < 3; ++r) {
            middle[3 * r + k] = -dp[r];
            most = nb_max(most, nb_abs(dp[r]));
        }
    }
    return most >= WEAK * rho;
}

static enum nb_status factorise(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    struct NB(nb_body_space) *space = cone->self;
    if (self->moving)
        linearise(cone);
    for (size_t i = self->first; i < cone->rows; i += 3)
        if (!fill_middle(contact_of(self, i), cone->rho[i], space->middle + 3 * i))
            memset(space->middle + 3 * i, 0, 9 * sizeof *space->middle);
    if (self->run->newton_iterations >= self->limit)
        return NB_BREAKDOWN;
    self->run->newton_iterations++;
    self->run->linear_iterations++;
    const enum nb_status status = NB(nb_cone_bodies_factorise)(cone);
    for (size_t i = self->first; i < cone->rows; i += 3)
        fill_middle(contact_of(self, i), cone->rho[i], space->middle + 3 * i);
    return status;
}

/* The direction whose dp at du = 0 stands in the cone's step_p, and the motion's defect in momentum. */
static void solve(struct NB(nb_cone_path) *self, int moves, struct direction *out)
{
    struct NB(nb_cone) *cone = self->cone;
    NB(nb_cone_bodies_solve)(cone);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = contact_of(self, i);
        nb_real dz[3];
        NB(nb_smoothed_velocity)(c, cone->scratch + i, dz);
        dz[0] += (nb_real)moves * c->drift;
        out->v[i] = (c->mu > 0 ? c->mu : 1) * cone->step_p[i] - c->r * dz[0];
        for (size_t k = 1; k < 3; ++k)
            out->v[i + k] = c->mu > 0 ? cone->step_p[i + k] - c->r * dz[k] : 0;
    }
    memcpy(out->p, cone->step_p, cone->rows * sizeof *out->p);
    memcpy(out->u, cone->step_u, cone->dofs * sizeof *out->u);
}

static void find_newton(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    NB(nb_cone_bodies_condense)(cone);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = contact_of(self, i);
        nb_real dx[3];
        NB(nb_smoothed_correct)(c, dx);
        NB(nb_smoothed_impulse)(c, dx, cone->step_p + i);
    }
    solve(self, 0, &self->newton);
}

/* Of the point itself, whatever is left of H there. */
static void find_slope(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    memset(cone->momentum, 0, cone->dofs * sizeof *cone->momentum);
    memset(cone->step_p, 0, self->first * sizeof *cone->step_p);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = contact_of(self, i);
        nb_real dx[3];
        NB(nb_smoothed_drift)(c, dx);
        NB(nb_smoothed_impulse)(c, dx, cone->step_p + i);
    }
    solve(self, 1, &self->slope);
}

static nb_real product(const struct NB(nb_cone_path) *self, const nb_real *a, const nb_real *b)
{
    nb_real sum = 0;
    for (size_t i = self->first; i < self->cone->rows; i += 3) {
        const struct NB(nb_smoothed) *c = contact_of(self, i);
        sum += (a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2]) /
               (c->nu * c->nu + c->v[0] * c->v[0] + c->v[1] * c->v[1] + c->v[2] * c->v[2]);
    }
    return sum / (nb_real)self->cone->model->contacts;
}

static void add(const struct NB(nb_cone_path) *self, nb_real t, const struct direction *step)
{
    struct NB(nb_cone) *cone = self->cone;
    for (size_t i = 0; i < cone->rows; ++i)
        cone->p[i] += t * step->p[i];
    for (size_t i = 0; i < cone->dofs; ++i)
        cone->u[i] += t * step->u[i];
}

static void rescale(struct NB(nb_cone_path) *self)
{
    for (size_t i = self->first; i < self->cone->rows; i += 3) {
        struct NB(nb_smoothed) *c = contact_of(self, i);
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

/* J and S at the origin, which Newton's method leaves for others; the cone's u becomes the origin. */
static void set_geometry(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    struct NB(nb_body_space) *space = cone->self;
    memcpy(cone->u, self->origin, cone->dofs * sizeof *cone->u);
    NB(nb_model_evaluate)(cone->model, cone->u);
    linearise(cone);
    memset(space->pairs, 0, 9 * (size_t)space->pair_start[cone->model->blocks] * sizeof *space->pairs);
}

/* Newton's method at fixed l. Returns F/nu at its end. */
static nb_real settle(struct NB(nb_cone_path) *self, int steps)
{
    nb_real norm = evaluate(self);
    for (int k = 0; k < steps && norm > NEAR_FIRST; ++k) {
        if (factorise(self))
            break;
        find_newton(self);
        nb_real t = 1, now = 0;
        add(self, t, &self->newton);
        for (int n = 0; !((now = evaluate(self)) < norm) && n < FIRST_HALVINGS; ++n, t /= 2)
            add(self, -t / 2, &self->newton);
        norm = now;
        if (norm < NEAR_FIRST) {
            rescale(self);
            norm = evaluate(self);
        }
    }
    return norm;
}

/* p that puts each contact on the path for z = e, and tau_0. */
static void begin_contacts(struct NB(nb_cone_path) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    nb_real speed = 0, mass = 0;
    for (size_t i = self->first; i < cone->rows; ++i)
        speed = nb_max(speed, nb_abs(cone->velocity[i]));
    speed = speed > 0 ? speed : 1;
    for (size_t i = self->first; i < cone->rows; i += 3)
        mass += cone->rho[i] / (nb_real)cone->model->contacts;
    self->tau_0 = FIRST_BARRIER * mass * speed * speed;
    for (size_t i = self->first; i < cone->rows; i += 3) {
        struct NB(nb_smoothed) *c = contact_of(self, i);
        c->mu = cone->model->friction[(i - self->first) / 3];
        c->r = own_scale(cone, i, c->mu);
        cone->p[i] = nb_sqrt(c->r * self->tau_0) / (c->mu > 0 ? c->mu : 1);
        cone->p[i + 1] = cone->p[i + 2] = 0;
    }
}

void NB(nb_cone_path_begin)(struct NB(nb_cone_path) *self, double rate,
                            struct nb_run *run, int limit)
{
    struct NB(nb_cone) *cone = self->cone;
    memcpy(self->origin, cone->u, cone->dofs * sizeof *cone->u);
    set_geometry(self);
    memset(self->offset, 0, cone->rows * sizeof *self->offset);
    find_velocity(self, self->origin, cone->velocity);
    for (size_t i = 0; i < cone->rows; ++i)
        self->offset[i] = cone->model->violation[i] - cone->velocity[i];
    find_velocity(self, self->origin, cone->velocity);
    self->run = run;
    self->limit = limit;
    self->rate = (nb_real)rate;
    self->l = 0;
    self->length = FIRST_LENGTH;
    self->forward = self->moving = 0;
    begin_contacts(self);
    self->lost = !(settle(self, FIRST_STEPS) <= NEAR);
    if (!self->lost) {
        keep(self);
        return;
    }
    memset(self->kept_p, 0, cone->rows * sizeof *self->kept_p);
    memcpy(self->kept_u, self->origin, cone->dofs * sizeof *self->kept_u);
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
    if (settle(self, MOVING_STEPS) <= NEAR)
        keep(self);
    else
        self->moving = 0;
    return self->moving;
}

/* At the point evaluated last, which is on the path. */
static enum nb_status find_tangent(struct NB(nb_cone_path) *self)
{
    const struct NB(nb_cone) *cone = self->cone;
    const struct NB(nb_body_space) *space = cone->self;
    const enum nb_status status = factorise(self);
    if (status)
        return status;
    const int sign = nb_sparse_lu_sign(space->lu);
    find_slope(self);
    if (self->forward == 0)
        self->forward = sign;
    self->tangent_l = (nb_real)(sign * self->forward) /
                      nb_sqrt(product(self, self->slope.v, self->slope.v) + 1);
    for (size_t i = 0; i < cone->rows; ++i) {
        self->tangent.p[i] = self->tangent_l * self->slope.p[i];
        self->tangent.v[i] = self->tangent_l * self->slope.v[i];
    }
    for (size_t i = 0; i < cone->dofs; ++i)
        self->tangent.u[i] = self->tangent_l * self->slope.u[i];
    return NB_OK;
}

/* From the kept point along the tangent, and back to the path across it. Corrections, 0: failed. */
static int follow(struct NB(nb_cone_path) *self)
{
    restore(self);
    add(self, self->length, &self->tangent);
    self->l += self->length * self->tangent_l;
    nb_real norm = evaluate(self);
    for (int k = 1; k <= CORRECTIONS; ++k) {
        const nb_real before = norm;
        if (!(norm <= ASTRAY) || factorise(self))
            return 0;
        find_newton(self);
        find_slope(self);
        const nb_real dl = -product(self, self->tangent.v, self->newton.v) /
                           (product(self, self->tangent.v, self->slope.v) + self->tangent_l);
        add(self, 1, &self->newton);
        add(self, dl, &self->slope);
        self->l += dl;
        norm = evaluate(self);
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
        set_geometry(self);
    restore(self);
    evaluate(self);
    rescale(self);
    evaluate(self);
    if (find_tangent(self))
        return 0;
    for (int k = 0; k < SHORTENINGS && self->run->newton_iterations < self->limit;
         ++k, self->length /= 3) {
        const int corrections = follow(self);
        if (corrections == 0)
            continue;
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
