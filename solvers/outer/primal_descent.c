/* Primal descent on the velocities, with relaxed contact and friction and a diagonal preconditioner:
 *
 *     u <- u - alpha P (M (u - u~) - J^T p(u))
 *     normal     p_n = h k_n max(0, -C_n)^(exponent - 1)
 *     friction   p_t = -min(h k_f, mu p_n / |u_s|) u_s,   u_s = D^T u
 *     bilateral  p_b = -c_b / (h (E/h^2)),  no stiffer than 1/E = k_n
 *     P^-1       = M + J^T K J, K = dp/dU with friction's scalar Hessian (136), or the full one (135), which takes
 *                  what turns the direction of slip alone (hessian); its diagonal, or its 3x3 blocks a node (precond)
 *
 * J and the gaps are evaluated anew in every iteration. k_n = 0 and k_f = 0 choose the stiffness by the
 * contact's own mass: h^2 k_n = kappa / [J M^-1 J^T]_nn, h k_f likewise, so that units do not matter.
 *
 * This is another model than Signorini's and Coulomb's: contacts yield by C_n = -lambda_n/k_n and creep
 * by |u_s| = |lambda_f|/k_f, and the natural map stays above zero. update = N > 0 adds the fixed point
 * that removes both (method of multipliers): every N iterations p becomes the p_0 of
 *
 *     p_n = max(0, p_n0 - h^2 k_n C_n/h),   p_t = P_D(mu p_n)(p_t0 - h k_f u_s),
 *
 * and of bilateral rows stiffer than k_n. It needs exponent = 2. There is no mass in a local problem,
 * and so no primal method.
 *
 * Macklin et al. 2020, Primal/Dual Descent Methods for Dynamics; in Macklin's thesis chapter 5,
 * equations 104 to 116, 128 to 136 and algorithm 2. Wang and Yang 2016. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/clock.h"
#include "solvers/block/block3.h"
#include "solvers/contact/coulomb.h"
#include "solvers/model/model_mass.h"
#include "solvers/outer/dual/acceleration.h"
#include "solvers/outer/dual/dual.h"

enum { ALPHA, K_N, K_F, KAPPA, EXPONENT, PRECOND, HESSIAN, UPDATE, MOMENTUM, RADIUS, SETTINGS };

static const struct nb_setting settings[] = {
    [ALPHA] = {.name = "alpha", .value = 0.5, .minimum = 0, .maximum = 2, .above_minimum = 1,
               .meaning = "step length"},
    [K_N] = {.name = "k_n", .value = 0, .minimum = 0, .maximum = INFINITY,
             .meaning = "normal stiffness [N/m]; 0: by kappa"},
    [K_F] = {.name = "k_f", .value = 0, .minimum = 0, .maximum = INFINITY,
             .meaning = "friction stiffness [N s/m]; 0: by kappa"},
    [KAPPA] = {.name = "kappa", .value = 10, .minimum = 0, .maximum = INFINITY,
               .above_minimum = 1, .meaning = "stiffness relative to the contact's inertia"},
    [EXPONENT] = {.name = "exponent", .value = 2, .minimum = 2, .maximum = 8,
                  .meaning = "p of the normal potential"},
    [PRECOND] = {.name = "precond", .value = 0, .choices = "diagonal,block",
                 .meaning = "preconditioner"},
    [HESSIAN] = {.name = "hessian", .value = 0, .choices = "scalar,full",
                 .meaning = "of sliding friction: as across the slip in all directions, or none along it"},
    [UPDATE] = {.name = "update", .value = 0, .minimum = 0, .maximum = 100000, .whole = 1,
                .meaning = "iterations between updates of the multipliers; 0: relaxed model"},
    [MOMENTUM] = NB_MOMENTUM_SETTING,
    [RADIUS] = NB_RADIUS_SETTING,
    [SETTINGS] = {.name = NULL},
};

struct descent {
    struct nb_model *model;
    double value[SETTINGS];
    struct nb_acceleration acceleration;
    size_t rows, bilateral, nodes;    /* nodes: 3 a node                                */
    void *memory;                     /* of the arrays below                            */
    nb_real *p, *p0, *slope, *softness; /* [n] impulse, its fixed part, K; 1/(h^2 k) [1/kg] */
    nb_real *along;                   /* [n] K is diag(slope) - along along^T in the tangents of a contact */
    nb_real *u, *y, *gradient, *scratch; /* [3 nodes] iterate, extrapolated              */
    nb_real *previous;                /* [3 nodes] the iterate before                   */
    nb_real *mass, *hessian;          /* [9 nodes / 3] blocks of M, of P^-1             */
};

static void release(void *data)
{
    struct descent *self = data;
    if (self)
        free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct descent *self = data;
    nb_real **by_row[] = {&self->p, &self->p0, &self->slope, &self->softness, &self->along};
    nb_real **by_velocity[] = {&self->u, &self->y, &self->gradient, &self->scratch, &self->previous,
                               &self->acceleration.before};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; ++i)
        NB_ARRAY(arena, *by_row[i], self->rows);
    for (size_t i = 0; i < sizeof by_velocity / sizeof *by_velocity; ++i)
        NB_ARRAY(arena, *by_velocity[i], self->nodes);
    NB_ARRAY(arena, self->mass, 3 * self->nodes);
    NB_ARRAY(arena, self->hessian, 3 * self->nodes);
}

/* inverse = a^-1 of a symmetric positive definite block; zero where it is not. */
static void invert(const nb_real *a, nb_real *inverse)
{
    if (!nb_mass_invert(a, inverse))
        memset(inverse, 0, 9 * sizeof *inverse);
}

static enum nb_status setup(void **out, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    *out = NULL;
    if (model->inertia_kind == NB_INERTIA_DELASSUS)
        return nb_fail(error, NB_UNSUPPORTED,
                       "primal_descent needs a mass matrix, which a local problem does not have");
    struct descent *self = calloc(1, sizeof *self);
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for primal descent");
    self->model = model;
    self->rows = 3 * (size_t)model->blocks;
    self->bilateral = 3 * (size_t)model->bilateral_blocks;
    self->nodes = 3 * (size_t)model->nodes;
    enum nb_status status = nb_settings_read(settings, options->solver, self->value, error);
    if (!status && self->value[UPDATE] > 0 && self->value[EXPONENT] != 2)
        status = nb_fail(error, NB_BAD_INPUT,
                         "primal_descent: update > 0 needs exponent=2, not %g",
                         self->value[EXPONENT]);
    if (!status && !(self->memory = nb_arena_allocate(lay_out, self)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for primal descent");
    if (status) {
        release(self);
        return status;
    }
    self->acceleration.kind = (enum nb_momentum_kind)self->value[MOMENTUM];
    self->acceleration.radius = (nb_real)self->value[RADIUS];
    nb_mass_blocks(model, self->mass);
    *out = self;
    return NB_OK;
}

/* 1/(h^2 k_n) and 1/(h k_f) of every row; the stiffest contact's for bilateral rows without one. */
static void fill_softness(struct descent *self)
{
    const double h = (double)self->model->time_step;
    const double normal = self->value[K_N] * h * h, tangent = self->value[K_F] * h;
    nb_real *softness = self->softness;
    nb_model_diagonal(self->model, softness);
    for (size_t i = 0; i < self->rows; ++i) {
        const double fixed = i >= self->bilateral && i % 3 > 0 ? tangent : normal;
        const nb_real own = softness[i] > 0 ? softness[i] : 1;
        softness[i] = fixed > 0 ? (nb_real)(1 / fixed) : own / (nb_real)self->value[KAPPA];
    }
    for (size_t i = self->bilateral; i < self->rows; i += 3)
        softness[i + 1] = softness[i + 2] = nb_max(softness[i + 1], softness[i + 2]);
}

/* The three bilateral rows of block i: U + C p + S (p - p_0) = 0 with C = E/h^2 and S what its diagonal
 * lacks to 1/(h^2 k_n). */
static void bilateral_force(struct descent *self, size_t i)
{
    const nb_real *compliance = self->model->bilateral_compliance + 3 * i;
    nb_real sum[9], inverse[9], rate[3];
    memcpy(sum, compliance, sizeof sum);
    for (size_t r = 0; r < 3; ++r) {
        const nb_real lacking = nb_max(0, self->softness[i + r] - compliance[4 * r]);
        sum[4 * r] += lacking;
        rate[r] = lacking * self->p0[i + r] - self->model->violation[i + r];
    }
    invert(sum, inverse);
    nb_block_apply(inverse, rate, self->p + i);
    for (size_t r = 0; r < 3; ++r)
        self->slope[i + r] = nb_abs(inverse[3 * r]) + nb_abs(inverse[3 * r + 1]) +
                             nb_abs(inverse[3 * r + 2]);
}

static void normal_force(struct descent *self, size_t i)
{
    const nb_real h = self->model->time_step, stiffness = 1 / self->softness[i];
    const double exponent = self->value[EXPONENT];
    self->p[i] = self->p0[i] - stiffness * self->model->violation[i];
    self->slope[i] = self->p[i] > 0 ? stiffness : 0;
    self->p[i] = nb_max(0, self->p[i]);
    if (exponent > 2 && self->p[i] > 0) { /* -C_n^(p - 2) more than the quadratic potential's */
        const nb_real depth = -h * self->model->violation[i];
        const nb_real factor = (nb_real)pow((double)depth, exponent - 2);
        self->slope[i] = stiffness * (nb_real)(exponent - 1) * factor;
        self->p[i] *= factor;
    }
}

/* Both tangents of the contact whose normal is row i. */
static void friction_force(struct descent *self, size_t i)
{
    const nb_real mu = self->model->friction[(i - self->bilateral) / 3];
    const nb_real stiffness = 1 / self->softness[i + 1], limit = mu * self->p[i];
    nb_real *t = self->p + i + 1;
    for (size_t r = 0; r < 2; ++r)
        t[r] = self->p0[i + 1 + r] - stiffness * self->model->violation[i + 1 + r];
    const nb_real length = nb_length2(t[0], t[1]);
    const nb_real share = length > limit ? limit / length : 1;
    t[0] *= share;
    t[1] *= share;
    self->slope[i + 1] = self->slope[i + 2] = stiffness * share;
    const nb_real along = self->value[HESSIAN] > 0 && share < 1 ? nb_sqrt(stiffness * share) / limit : 0;
    for (size_t r = 0; r < 2; ++r)
        self->along[i + 1 + r] = limit > 0 ? along * t[r] : 0;
}

/* p and K at velocity y. */
static void forces(struct descent *self)
{
    nb_model_evaluate(self->model, self->y);
    for (size_t i = 0; i < self->bilateral; i += 3)
        bilateral_force(self, i);
    for (size_t i = self->bilateral; i < self->rows; i += 3) {
        normal_force(self, i);
        friction_force(self, i);
    }
}

/* M (y - u~) - J^T p; M y - f where M and f are given. */
static void gradient(struct descent *self)
{
    const struct nb_model *model = self->model;
    const int given = model->mass_values != NULL;
    nb_real *out = self->gradient, *moved = self->previous;
    nb_model_gather(model, self->p, self->scratch);
    for (size_t i = 0; i < self->nodes && !given; ++i)
        moved[i] = self->y[i] - model->free_velocity[i];
    nb_mass_multiply(model, self->mass, given ? self->y : moved, out);
    for (size_t i = 0; i < self->nodes; ++i)
        out[i] = (given ? out[i] - model->force[i] : out[i]) - self->scratch[i];
}

/* Subtracts from the block of a node what its contact's friction lacks along the slip; j [9] its Jacobian. */
static void subtract_along(const nb_real *along, const nb_matrix *j, nb_real *out)
{
    nb_real w[3];
    for (int a = 0; a < 3; ++a)
        w[a] = along[1] * (nb_real)j[3 + a] + along[2] * (nb_real)j[6 + a];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            out[3 * a + b] -= w[a] * w[b];
}

/* Blocks of M + J^T K J. */
static void fill_hessian(struct descent *self)
{
    const struct nb_bsr *jacobian = &self->model->jacobian;
    memcpy(self->hessian, self->mass, 3 * self->nodes * sizeof *self->mass);
    for (int i = 0; i < jacobian->rows; ++i)
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            const nb_matrix *j = jacobian->value + 9 * (size_t)k;
            nb_real *out = self->hessian + 9 * (size_t)jacobian->column[k];
            for (int r = 0; r < 3; ++r)
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b)
                        out[3 * a + b] += self->slope[3 * i + r] *
                                          (nb_real)(j[3 * r + a] * j[3 * r + b]);
            if (self->value[HESSIAN] > 0 && 3 * (size_t)i >= self->bilateral)
                subtract_along(self->along + 3 * (size_t)i, j, out);
        }
}

/* u = y - alpha P gradient */
static void descend(struct descent *self)
{
    const nb_real alpha = (nb_real)self->value[ALPHA];
    for (size_t node = 0; node < self->nodes / 3; ++node) {
        const nb_real *block = self->hessian + 9 * node, *d = self->gradient + 3 * node;
        nb_real inverse[9] = {0}, step[3];
        if (self->value[PRECOND] > 0)
            invert(block, inverse);
        for (int r = 0; r < 3 && !(self->value[PRECOND] > 0); ++r)
            inverse[4 * r] = block[4 * r] > 0 ? 1 / block[4 * r] : 0;
        nb_block_apply(inverse, d, step);
        for (size_t r = 0; r < 3; ++r)
            self->u[3 * node + r] = self->y[3 * node + r] - alpha * step[r];
    }
}

/* Leaves p of u, y = u. */
static int publish(struct descent *self, const struct nb_method_task *task)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    const int iteration = task->run->newton_iterations;
    memcpy(self->scratch, self->y, self->nodes * sizeof *self->y);
    memcpy(self->y, self->u, self->nodes * sizeof *self->y);
    forces(self);
    memcpy(self->y, self->scratch, self->nodes * sizeof *self->y);
    memcpy(task->u, self->u, self->nodes * sizeof *self->u);
    for (size_t i = 0; i < self->rows; ++i)
        task->lambda[i] = self->p[i] / self->model->time_step;
    return task->report(task, iteration, iteration > 0 ? &report : NULL);
}

/* u = u~ and the stiffnesses there. */
static void restart(struct descent *self)
{
    memset(self->p, 0, self->rows * sizeof *self->p);
    memset(self->p0, 0, self->rows * sizeof *self->p0);
    nb_model_respond(self->model, self->p, self->scratch, self->gradient, self->u);
    memcpy(self->y, self->u, self->nodes * sizeof *self->u);
    nb_model_evaluate(self->model, self->u);
    fill_softness(self);
    nb_acceleration_restart(&self->acceleration, self->nodes, self->u);
}

static int is_finite(const struct descent *self)
{
    for (size_t i = 0; i < self->nodes; ++i)
        if (!isfinite(self->u[i]))
            return 0;
    return 1;
}

/* Nonzero ends the run: nothing changes any more, or cannot be used. */
static int iterate(struct descent *self, const struct nb_method_task *task)
{
    const int update = (int)self->value[UPDATE];
    const double begin = nb_seconds();
    forces(self);
    gradient(self);
    fill_hessian(self);
    memcpy(self->previous, self->u, self->nodes * sizeof *self->u);
    descend(self);
    task->run->assembly_seconds += nb_seconds() - begin;
    if (!is_finite(self)) {
        memcpy(self->u, self->previous, self->nodes * sizeof *self->u);
        return nb_break_down(task, "the velocity is not finite");
    }
    nb_extrapolate(&self->acceleration, self->nodes, self->u, self->y);
    task->run->newton_iterations++;
    task->run->linear_iterations++;
    if (update > 0 && task->run->newton_iterations % update == 0)
        memcpy(self->p0, self->p, self->rows * sizeof *self->p);
    return 0;
}

static enum nb_status run(void *data, const struct nb_method_task *task,
                          struct nb_error *error)
{
    struct descent *self = data;
    (void)error;
    restart(self);
    int stop = publish(self, task);
    for (int k = 1; k <= task->iterations && !stop; ++k) {
        stop = iterate(self, task);
        if (task->observer && !task->run->broke_down)
            stop = publish(self, task) || stop;
    }
    if (!task->observer)
        publish(self, task);
    return NB_OK;
}

/* Stiffnesses are [N/m], [N s/m]; an exponent above 2 takes a power of a length. */
static int own_units(const struct nb_options *options)
{
    double value[SETTINGS];
    return !nb_settings_read(settings, options->solver, value, NULL) &&
           (value[K_N] > 0 || value[K_F] > 0 || value[EXPONENT] != 2);
}

const struct nb_solver_strategy NB(nb_solver_primal_descent) = {
    .name = "primal_descent",
    .title = "primal descent, relaxed contact",
    .source = "Macklin et al. 2020, Primal/Dual Descent Methods for Dynamics",
    .self_contained = 1,
    .iterations = NB_FIRST_ORDER_ITERATIONS,
    .settings = settings,
    .own_units = own_units,
    .setup = setup,
    .run = run,
    .free = release,
};
