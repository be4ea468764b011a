/* The steps of the interior-point iteration that interior_point.c describes: scaled velocities, the scaling of Nesterov
 * and Todd at each contact, directions by the form's factor, and the two targets, the boundary of the cones for the
 * predictor and their centre for the corrector. */
#include "solvers/outer/interior_point/interior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/block/block3.h"
#include "solvers/outer/interior_point/second_order_cone.h"
#include "solvers/outer/proximal_newton/parameters.h"

struct nb_interior {
    struct nb_nonsmooth *system; /* the caller's, as is the memory of the arrays */
    nb_real *scale;             /* [rows] E: r = E x, y = E U; 0: no cone there, as of tangents without friction */
    nb_real *x, *y;             /* [rows] in L                                                                 */
    nb_real *infeasible;        /* [rows] y(u) - y                                                             */
    nb_real *dx, *dy;           /* [rows] direction                                                            */
    nb_real *target;            /* [rows] c in V dx + V^-1 dy = c                                              */
    nb_real *forward, *inverse; /* [9 blocks] V, V^-1                                                         */
    nb_real *share;             /* [bilateral rows] -B' times their violation                                  */
    nb_real *slope;             /* [rows] of s in the scaled tangential velocity, behind 0; 0 where s is held    */
    int implicit;               /* s is part of the step, not held in it                                       */
};

void nb_interior_free(struct nb_interior *self)
{
    free(self);
}

void nb_interior_lay_out(void *data, struct nb_arena *arena)
{
    struct nb_interior *self = data;
    const size_t rows = self->system->rows;
    nb_real **vectors[] = {&self->scale, &self->x, &self->y, &self->infeasible,
                           &self->dx, &self->dy, &self->target, &self->slope};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        NB_ARRAY(arena, *vectors[k], rows);
    NB_ARRAY(arena, self->share, 3 * (size_t)self->system->model->bilateral_blocks);
    NB_ARRAY(arena, self->forward, 3 * rows);
    NB_ARRAY(arena, self->inverse, 3 * rows);
}

enum nb_status nb_interior_create(struct nb_interior **out, struct nb_nonsmooth *system, struct nb_error *error)
{
    struct nb_interior *self = calloc(1, sizeof *self);
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an interior point");
    self->system = system;
    return NB_OK;
}

static size_t first_row(const struct nb_interior *self)
{
    return 3 * (size_t)self->system->model->bilateral_blocks;
}

static nb_real friction_of(const struct nb_interior *self, size_t row)
{
    return self->system->model->friction[(row - first_row(self)) / 3];
}

/* E = (1/mu, 1, 1) / sqrt(w); without friction (1, 0, 0) / sqrt(w). */
static void set_scales(struct nb_interior *self)
{
    const struct nb_nonsmooth *system = self->system;
    for (size_t i = first_row(self); i < system->rows; i += 3) {
        const nb_real mu = friction_of(self, i), *rho = system->rho + i;
        const nb_real root = nb_sqrt(3 / (1 / rho[0] + 1 / rho[1] + 1 / rho[2]));
        self->scale[i] = mu > 0 ? root / mu : nb_sqrt(rho[0]);
        self->scale[i + 1] = self->scale[i + 2] = mu > 0 ? root : 0;
    }
}

/* y(u) by the velocity that was evaluated last. */
static void scaled_velocity(const struct nb_interior *self, size_t i, nb_real *y)
{
    const nb_real *velocity = self->system->velocity + i, *scale = self->scale + i;
    for (int k = 0; k < 3; ++k)
        y[k] = scale[k] * velocity[k];
    y[0] += nb_sqrt(y[1] * y[1] + y[2] * y[2]);
}

/* u and r as they stand: velocities, Jacobian, bilateral rows, and what is infeasible; the natural norm. */
static nb_real evaluate(struct nb_interior *self)
{
    struct nb_nonsmooth *system = self->system;
    memcpy(system->anchor, system->p, system->rows * sizeof *system->p);
    system->sigma = NB_BILATERAL_SIGMA;
    const nb_real norm = nb_nonsmooth_evaluate(system, system->u, system->p);
    system->form->linearise(system);
    for (int i = 0; i < system->model->bilateral_blocks; ++i) {
        nb_real inverse[9], tangent[9], *share = self->share + 3 * (size_t)i;
        nb_nonsmooth_eliminate(system, i, inverse, tangent);
        NB(nb_block_apply)(inverse, system->residual + 3 * (size_t)i, share);
    }
    for (size_t i = first_row(self); i < system->rows; i += 3) {
        nb_real y[3];
        scaled_velocity(self, i, y);
        for (size_t k = 0; k < 3; ++k)
            self->infeasible[i + k] = self->scale[i + k] > 0 ? y[k] - self->y[i + k] : 0;
    }
    return norm;
}

/* x and y on the axes of the cones, at the largest speed of a contact. */
nb_real nb_interior_begin(struct nb_interior *self, int implicit)
{
    self->implicit = implicit;
    struct nb_nonsmooth *system = self->system;
    nb_real speed = 0, y[3];
    nb_nonsmooth_begin(system);
    nb_nonsmooth_evaluate(system, system->u, system->p); /* of a later run, too */
    set_scales(self);
    for (size_t i = first_row(self); i < system->rows; i += 3) {
        scaled_velocity(self, i, y);
        for (int k = 0; k < 3; ++k)
            speed = nb_max(speed, nb_abs(y[k]));
    }
    for (size_t i = first_row(self); i < system->rows; ++i) {
        self->x[i] = self->y[i] = i % 3 == 0 ? speed : 0;
        system->p[i] = self->scale[i] * self->x[i];
    }
    memset(self->slope, 0, system->rows * sizeof *self->slope);
    memset(system->left_out, 0, (size_t)system->model->blocks * sizeof *system->left_out);
    return evaluate(self);
}

/* d s/d y_T = y_T / |(y_T, nu)| by u, nu^2 = x_0 y_0. */
static void find_slope(const struct nb_interior *self, size_t i)
{
    const nb_real *scale = self->scale + i, *velocity = self->system->velocity + i;
    const nb_real a = scale[1] * velocity[1], b = scale[2] * velocity[2];
    const nb_real size = nb_sqrt(a * a + b * b + self->x[i] * self->y[i]);
    self->slope[i + 1] = self->implicit && size > 0 ? a / size : 0;
    self->slope[i + 2] = self->implicit && size > 0 ? b / size : 0;
}

/* V of each contact, and the matrix with B = E V^-2 (1 + e s') E. */
static enum nb_status factorise(struct nb_interior *self)
{
    struct nb_nonsmooth *system = self->system;
    for (size_t i = first_row(self); i < system->rows; i += 3) {
        nb_real *inverse = self->inverse + 3 * i, square[9];
        nb_soc_scaling(self->x + i, self->y + i, self->forward + 3 * i, inverse);
        NB(nb_block_times)(inverse, inverse, square);
        find_slope(self, i);
        for (size_t k = 0; k < 9; ++k)
            square[k] += square[k - k % 3] * self->slope[i + k % 3];
        for (size_t k = 0; k < 9; ++k)
            system->contact_tangent[3 * i + k] = self->scale[i + k / 3] * square[k] * self->scale[i + k % 3];
    }
    system->symmetric = !self->implicit;
    const enum nb_status status = system->form->factorise(system);
    system->symmetric = 0;
    return status;
}

/* The direction with V dx + V^-1 dy = target. */
static void find_direction(struct nb_interior *self)
{
    struct nb_nonsmooth *system = self->system;
    const size_t first = first_row(self);
    for (size_t i = 0; i < first; ++i)
        system->step_p[i] = -self->share[i];
    for (size_t i = first; i < system->rows; i += 3) { /* dx at dU = 0, dy = infeasible */
        nb_real slack[3], wanted[3];
        NB(nb_block_apply)(self->inverse + 3 * i, self->infeasible + i, slack);
        for (size_t k = 0; k < 3; ++k)
            slack[k] = self->target[i + k] - slack[k];
        NB(nb_block_apply)(self->inverse + 3 * i, slack, wanted);
        for (size_t k = 0; k < 3; ++k)
            system->step_p[i + k] = self->scale[i + k] * wanted[k];
    }
    system->form->solve(system);
    for (size_t i = first; i < system->rows; ++i) {
        const nb_real scale = self->scale[i];
        self->dx[i] = scale > 0 ? system->step_p[i] / scale : 0;
        self->dy[i] = scale > 0 ? scale * system->scratch[i] + self->infeasible[i] : 0;
    }
    for (size_t i = first; i < system->rows; i += 3)
        for (size_t k = i + 1; k < i + 3; ++k)
            self->dy[i] += self->slope[k] * self->scale[k] * system->scratch[k];
}

static nb_real longest_step(const struct nb_interior *self)
{
    nb_real t = 1;
    for (size_t i = first_row(self); i < self->system->rows; i += 3) {
        t = nb_min(t, nb_soc_longest_step(self->x + i, self->dx + i));
        t = nb_min(t, nb_soc_longest_step(self->y + i, self->dy + i));
    }
    return t;
}

/* (x + t dx) . (y + t dy) */
static double gap(const struct nb_interior *self, nb_real t)
{
    double sum = 0;
    for (size_t i = first_row(self); i < self->system->rows; ++i)
        sum += (double)(self->x[i] + t * self->dx[i]) * (double)(self->y[i] + t * self->dy[i]);
    return sum;
}

/* s where the predictor leads takes the place of what the matrix knows of it, in what the corrector is to make good:
 * else s lags behind U_T by an iteration, and y by what is left of it. */
static void predict_slip(struct nb_interior *self)
{
    const struct nb_nonsmooth *system = self->system;
    for (size_t i = first_row(self); i < system->rows; i += 3) {
        const nb_real *scale = self->scale + i, *from = system->velocity + i, *change = system->scratch + i;
        nb_real before[2], after[2];
        for (int k = 0; k < 2; ++k) {
            before[k] = scale[k + 1] * from[k + 1];
            after[k] = before[k] + scale[k + 1] * change[k + 1];
            self->infeasible[i] -= self->slope[i + 1 + (size_t)k] * scale[k + 1] * change[k + 1];
        }
        self->infeasible[i] += nb_sqrt(after[0] * after[0] + after[1] * after[1]) -
                               nb_sqrt(before[0] * before[0] + before[1] * before[1]);
    }
}

/* Towards x o y = 0: V dx + V^-1 dy = -V x. */
static void aim_at_boundary(struct nb_interior *self)
{
    for (size_t i = first_row(self); i < self->system->rows; i += 3) {
        NB(nb_block_apply)(self->forward + 3 * i, self->x + i, self->target + i);
        for (size_t k = 0; k < 3; ++k)
            self->target[i + k] = -self->target[i + k];
    }
}

/* Towards x o y = tau e, with what the predictor leaves: l o target = tau e - l o l - V^-1 dy o V dx, l = V x. */
static void aim_at_centre(struct nb_interior *self, nb_real tau)
{
    for (size_t i = first_row(self); i < self->system->rows; i += 3) {
        nb_real l[3], square[3], dx[3], dy[3], second[3];
        NB(nb_block_apply)(self->forward + 3 * i, self->x + i, l);
        NB(nb_block_apply)(self->forward + 3 * i, self->dx + i, dx);
        NB(nb_block_apply)(self->inverse + 3 * i, self->dy + i, dy);
        nb_soc_product(l, l, square);
        nb_soc_product(dy, dx, second);
        for (size_t k = 0; k < 3; ++k)
            square[k] = (k == 0 ? tau : 0) - square[k] - second[k];
        nb_soc_divide(l, square, self->target + i);
    }
}

/* What Mehrotra's rule gives for tau, and at least a share of the infeasible part of the gap. */
static nb_real centre(const struct nb_interior *self, nb_real t)
{
    const size_t contacts = (self->system->rows - first_row(self)) / 3;
    const double now = gap(self, 0), left = fmin(fmax(gap(self, t) / now, 0), 1);
    double missed = 0;
    for (size_t i = first_row(self); i < self->system->rows; ++i)
        missed += fabs((double)(self->infeasible[i] * self->x[i]));
    const double share = fmin(1, (double)NB_INFEASIBLE_SHARE * missed / now);
    return (nb_real)(fmax(left * left * left, share) * now / (double)contacts);
}

static void take_step(struct nb_interior *self, nb_real t)
{
    struct nb_nonsmooth *system = self->system;
    const size_t first = first_row(self);
    for (size_t i = 0; i < system->dofs; ++i)
        system->u[i] += t * system->step_u[i];
    for (size_t i = 0; i < first; ++i)
        system->p[i] += t * system->step_p[i];
    for (size_t i = first; i < system->rows; ++i) {
        self->x[i] += t * self->dx[i];
        self->y[i] += t * self->dy[i];
        system->p[i] = self->scale[i] * self->x[i];
    }
    NB(nb_model_clear_axes)(system->model, system->p);
}

const char *nb_interior_iterate(struct nb_interior *self, struct nb_run *run, nb_real *norm)
{
    struct nb_nonsmooth *system = self->system;
    const double start = nb_seconds();
    nb_real t = 1;
    const enum nb_status status = factorise(self);
    const double factorised = nb_seconds();
    run->assembly_seconds += factorised - start;
    if (status)
        return "the Newton matrix is singular";
    aim_at_boundary(self);
    find_direction(self);
    if (system->rows > first_row(self)) {
        predict_slip(self);
        aim_at_centre(self, centre(self, longest_step(self)));
        find_direction(self);
        t = nb_min(1, NB_BOUNDARY * longest_step(self));
    }
    if (!(t > 0) || !isfinite(gap(self, t)))
        return "the step's length is zero or not finite";
    take_step(self, nb_min(t, nb_nonsmooth_step_length(system)));
    *norm = evaluate(self);
    run->linear_seconds += nb_seconds() - factorised;
    run->linear_iterations += 2;
    run->newton_iterations++;
    return isfinite(*norm) ? NULL : "the point is not finite";
}
