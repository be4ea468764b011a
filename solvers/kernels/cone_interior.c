#include "solvers/kernels/cone_interior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/block3.h"
#include "solvers/kernels/cone_bodies.h"
#include "solvers/kernels/jordan3.h"

/* Of the forces at the start over those that stop each contact by itself. */
#define FIRST_FORCE NB_REAL(1e3)
#define LEAST_CENTRING NB_REAL(0.1) /* |U_T| moves on: a gap ahead of it does not pay */
#define REACH NB_REAL(0.95)         /* of the way to the boundary of the cones */
/* A contact whose force answers less than so much of 1/W_nn is left out of the matrix, which is the
 * sparser; its force still follows, one iteration late. */
#define WEAK NB_REAL(1e-4)
#define BILATERAL_SIGMA NB_REAL(1e-8)
#define SHORTEST NB_REAL(1e-8) /* step */

struct NB(nb_cone_interior) {
    struct NB(nb_cone) *cone;
    size_t first;              /* row of the first contact                  */
    nb_real *storage;          /* owns the arrays below, [rows] each        */
    nb_real *y, *step_y;
    nb_real *defect;           /* U + (mu |U_T|, 0, 0) - y                  */
    nb_real *affine_p, *affine_y; /* the predictor's                        */
    struct NB(nb_jordan_scaling) *scaling; /* [contacts]                    */
};

int NB(nb_cone_interior_fits)(const struct NB(nb_cone) *cone)
{
    return sizeof(nb_real) == sizeof(double) && cone->form == &NB(nb_cone_bodies) &&
           cone->model->inertia_kind == NB_INERTIA_BLOCKS && cone->model->contacts > 0;
}

enum nb_status NB(nb_cone_interior_create)(struct NB(nb_cone_interior) **out,
                                           struct NB(nb_cone) *cone, struct nb_error *error)
{
    struct NB(nb_cone_interior) *self = calloc(1, sizeof *self);
    *out = self;
    if (self) {
        self->cone = cone;
        self->first = 3 * (size_t)cone->model->bilateral_blocks;
        self->storage = calloc(5 * cone->rows + 1, sizeof *self->storage);
        self->scaling = calloc((size_t)cone->model->contacts + 1, sizeof *self->scaling);
    }
    if (!self || !self->storage || !self->scaling) {
        NB(nb_cone_interior_free)(self);
        *out = NULL;
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for interior points of %d contacts",
                       cone->model->contacts);
    }
    self->y = self->storage;
    self->step_y = self->y + cone->rows;
    self->defect = self->step_y + cone->rows;
    self->affine_p = self->defect + cone->rows;
    self->affine_y = self->affine_p + cone->rows;
    return NB_OK;
}

void NB(nb_cone_interior_free)(struct NB(nb_cone_interior) *self)
{
    if (!self)
        return;
    free(self->storage);
    free(self->scaling);
    free(self);
}

static nb_real friction_of(const struct NB(nb_cone_interior) *self, size_t row)
{
    return self->cone->model->friction[(row - self->first) / 3];
}

/* x of p; without friction the normal alone counts. */
static void force_in(nb_real mu, const nb_real *p, nb_real *x)
{
    x[0] = mu > 0 ? mu * p[0] : p[0];
    x[1] = mu > 0 ? p[1] : 0;
    x[2] = mu > 0 ? p[2] : 0;
}

/* z of y, and p of x. */
static void velocity_in(nb_real mu, const nb_real *y, nb_real *z)
{
    z[0] = mu > 0 ? y[0] / mu : y[0];
    z[1] = mu > 0 ? y[1] : 0;
    z[2] = mu > 0 ? y[2] : 0;
}

void NB(nb_cone_interior_begin)(struct NB(nb_cone_interior) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    nb_real speed = 0;
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    for (size_t i = self->first; i < cone->rows; ++i)
        speed = nb_max(speed, nb_abs(cone->velocity[i]));
    speed = speed > 0 ? speed : 1;
    memset(self->y, 0, cone->rows * sizeof *self->y);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        cone->p[i] = FIRST_FORCE * cone->rho[i] * speed;
        cone->p[i + 1] = cone->p[i + 2] = 0;
        self->y[i] = speed;
    }
    cone->sigma = 0;
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
}

/* B of a contact; zero where it is weak. */
static void fill_middle(const struct NB(nb_jordan_scaling) *scaling, nb_real mu, nb_real rho,
                        nb_real *middle)
{
    const nb_real flip[3] = {scaling->w[0], -scaling->w[1], -scaling->w[2]};
    const nb_real to_p[3] = {mu > 0 ? 1 / mu : 1, mu > 0, mu > 0};
    nb_real most = 0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            const nb_real identity = r != c ? 0 : r == 0 ? -1 : 1;
            middle[3 * r + c] = to_p[r] * to_p[c] * (2 * flip[r] * flip[c] + identity) /
                                (scaling->beta * scaling->beta);
            most = nb_max(most, nb_abs(middle[3 * r + c]));
        }
    if (most < WEAK * rho)
        memset(middle, 0, 9 * sizeof *middle);
}

/* Scalings, defects and the matrix at the point evaluated last. */
static enum nb_status prepare(struct NB(nb_cone_interior) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    struct NB(nb_body_space) *space = cone->self;
    for (size_t i = self->first; i < cone->rows; i += 3) {
        struct NB(nb_jordan_scaling) *scaling = self->scaling + (i - self->first) / 3;
        const nb_real mu = friction_of(self, i), *velocity = cone->velocity + i;
        nb_real x[3], z[3];
        force_in(mu, cone->p + i, x);
        velocity_in(mu, self->y + i, z);
        NB(nb_jordan_scale)(x, z, scaling);
        fill_middle(scaling, mu, cone->rho[i], space->middle + 3 * i);
        for (size_t r = i; r < i + 3; ++r)
            self->defect[r] = velocity[r - i] - self->y[r];
        self->defect[i] += mu * nb_sqrt(velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    }
    return NB(nb_cone_bodies_factorise)(cone);
}

/* A contact's dp for dU = 0: x o z goes to tau e, and y to U; of the predictor's second order if it is
 * given. */
static void aim(const struct NB(nb_cone_interior) *self, size_t i, nb_real tau, int second)
{
    const struct NB(nb_jordan_scaling) *scaling = self->scaling + (i - self->first) / 3;
    struct NB(nb_cone) *cone = self->cone;
    const nb_real mu = friction_of(self, i);
    nb_real lambda[3], a[3], b[3], right[3];
    force_in(mu, cone->p + i, a);
    NB(nb_jordan_apply)(scaling, a, lambda);
    NB(nb_jordan_product)(lambda, lambda, right);
    for (int k = 0; k < 3; ++k)
        right[k] = (k == 0 ? tau : 0) - right[k];
    if (second) {
        nb_real scaled[3], product[3];
        force_in(mu, self->affine_p + i, a);
        NB(nb_jordan_apply)(scaling, a, scaled);
        velocity_in(mu, self->affine_y + i, a);
        NB(nb_jordan_apply_inverse)(scaling, a, b);
        NB(nb_jordan_product)(scaled, b, product);
        for (int k = 0; k < 3; ++k)
            right[k] -= product[k];
    }
    NB(nb_jordan_divide)(lambda, right, a);
    velocity_in(mu, self->defect + i, right);
    NB(nb_jordan_apply_inverse)(scaling, right, b);
    for (int k = 0; k < 3; ++k)
        a[k] -= b[k];
    NB(nb_jordan_apply_inverse)(scaling, a, b);
    velocity_in(mu, b, cone->step_p + i);
}

/* step_p, step_u, step_y for that tau */
static enum nb_status find_step(struct NB(nb_cone_interior) *self, nb_real tau, int second)
{
    struct NB(nb_cone) *cone = self->cone;
    NB(nb_cone_bodies_condense)(cone);
    for (size_t i = self->first; i < cone->rows; i += 3)
        aim(self, i, tau, second);
    const enum nb_status status = NB(nb_cone_bodies_solve)(cone);
    for (size_t i = self->first; i < cone->rows; ++i)
        self->step_y[i] = self->defect[i] + cone->scratch[i];
    return status;
}

/* How far both cones let the step go, at most 1. */
static nb_real reach(const struct NB(nb_cone_interior) *self)
{
    const struct NB(nb_cone) *cone = self->cone;
    nb_real most = NB_REAL(1e30);
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const nb_real mu = friction_of(self, i);
        nb_real a[3], d[3];
        force_in(mu, cone->p + i, a);
        force_in(mu, cone->step_p + i, d);
        most = nb_min(most, NB(nb_jordan_reach)(a, d));
        velocity_in(mu, self->y + i, a);
        velocity_in(mu, self->step_y + i, d);
        most = nb_min(most, NB(nb_jordan_reach)(a, d));
    }
    return most;
}

/* Mean of y . p a contact after so much of the step. */
static nb_real gap(const struct NB(nb_cone_interior) *self, nb_real t)
{
    const struct NB(nb_cone) *cone = self->cone;
    nb_real sum = 0;
    for (size_t i = self->first; i < cone->rows; i += 3) {
        const size_t rows = friction_of(self, i) > 0 ? 3 : 1;
        for (size_t r = i; r < i + rows; ++r)
            sum += (cone->p[r] + t * cone->step_p[r]) * (self->y[r] + t * self->step_y[r]);
    }
    return sum / (nb_real)cone->model->contacts;
}

static void move(struct NB(nb_cone_interior) *self, nb_real t)
{
    struct NB(nb_cone) *cone = self->cone;
    for (size_t i = 0; i < cone->rows; ++i) {
        cone->p[i] += t * cone->step_p[i];
        self->y[i] += t * self->step_y[i];
    }
    for (size_t i = 0; i < cone->dofs; ++i)
        cone->u[i] += t * cone->step_u[i];
}

nb_real NB(nb_cone_interior_step)(struct NB(nb_cone_interior) *self)
{
    struct NB(nb_cone) *cone = self->cone;
    memcpy(cone->anchor, cone->p, cone->rows * sizeof *cone->p);
    cone->sigma = BILATERAL_SIGMA;
    NB(nb_cone_bodies_linearise)(cone);
    if (prepare(self) || find_step(self, 0, 0))
        return (nb_real)INFINITY;
    memcpy(self->affine_p, cone->step_p, cone->rows * sizeof *cone->step_p);
    memcpy(self->affine_y, self->step_y, cone->rows * sizeof *self->step_y);
    const nb_real present = gap(self, 0), left = gap(self, nb_min(1, reach(self))) / present;
    const nb_real centring = nb_min(nb_max(left * left * left, LEAST_CENTRING), 1);
    if (find_step(self, centring * present, 1))
        return (nb_real)INFINITY;
    const nb_real t = nb_min(nb_min(1, REACH * reach(self)), NB(nb_cone_step_length)(cone));
    if (!(t > SHORTEST))
        return (nb_real)INFINITY;
    move(self, t);
    cone->sigma = 0;
    return NB(nb_cone_evaluate)(cone, cone->u, cone->p);
}
