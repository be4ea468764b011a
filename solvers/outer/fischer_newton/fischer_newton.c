/* One step of generalised Newton on Phi(p) = 0: an element of the B-subdifferential, the direction by sparse LU or by
 * conjugate gradients on differences of Phi, and the Armijo search, which falls back on the gradient of
 * ||Phi||^2 / 2 (Silcowitz, Niebe and Erleben 2009; Billups 1995). */
#include "solvers/outer/fischer_newton/fischer_newton.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/clock.h"
#include "solvers/block/block3.h"
#include "solvers/contact/box_fischer.h"

/* c of the Armijo condition (38). */
static const nb_real sufficient = NB_REAL(1e-4);

void nb_fischer_free(struct nb_fischer *self)
{
    if (!self)
        return;
    nb_step_rows_free(&self->rows);
    nb_block_lu_free(&self->lu);
    free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_fischer *self = data;
    const size_t n = self->rows.size;
    nb_real **by_row[] = {&self->rho, &self->p, &self->trial, &self->velocity, &self->phi,
                          &self->phi_trial, &self->by_velocity, &self->direction, &self->product,
                          &self->residual, &self->search};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; ++i)
        NB_ARRAY(arena, *by_row[i], n);
    NB_ARRAY(arena, self->own, 3 * n);
    NB_ARRAY(arena, self->step, n);
}

enum nb_status nb_fischer_create(struct nb_fischer **out, struct nb_model *model,
                                 const struct nb_fischer_settings *settings, int threads,
                                 struct nb_error *error)
{
    struct nb_fischer *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Fischer-Newton method");
    self->settings = *settings;
    enum nb_status status = nb_step_rows_create(&self->rows, model, threads, 1, error);
    if (!status && !(self->memory = nb_arena_allocate(lay_out, self)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Fischer-Newton method");
    if (!status && !settings->conjugate)
        status = nb_block_lu_create(&self->lu, self->rows.op.matrix, error);
    if (status) {
        nb_fischer_free(self);
        return status;
    }
    *out = self;
    return NB_OK;
}

static void scale(struct nb_fischer *self)
{
    for (size_t i = 0; i < self->rows.size; ++i)
        self->rho[i] = self->settings.scaled && self->rows.op.diagonal[i] > 0
                           ? 1 / self->rows.op.diagonal[i] : 1;
}

void nb_fischer_start(struct nb_fischer *self)
{
    memset(self->p, 0, self->rows.size * sizeof *self->p);
    nb_step_rows_start(&self->rows);
    scale(self);
}

void nb_fischer_linearise(struct nb_fischer *self)
{
    nb_step_rows_linearise(&self->rows);
    scale(self);
}

static nb_real friction_of(const struct nb_fischer *self, size_t row)
{
    return self->rows.model->friction[(row - self->rows.bilateral) / 3];
}

/* ||Phi(p)||, Phi into out. */
static nb_real evaluate(struct nb_fischer *self, const nb_real *p, nb_real *out)
{
    const size_t n = self->rows.size;
    nb_step_rows_velocity(&self->rows, p, self->velocity);
    for (size_t i = 0; i < n; ++i)
        self->velocity[i] *= self->rho[i];
    for (size_t i = 0; i < self->rows.bilateral; ++i)
        out[i] = -self->velocity[i];
    for (size_t i = self->rows.bilateral; i < n; i += 3)
        nb_box_fischer(p + i, self->velocity + i, friction_of(self, i), self->with_friction, out + i);
    return nb_norm(n, out, self->rows.model->threads);
}

nb_real nb_fischer_evaluate(struct nb_fischer *self)
{
    return evaluate(self, self->p, self->phi);
}

/* One direction for all kinks, as in Billups 1995, theorem 3.2.10: dp = 1 in their rows, 0
 * elsewhere. */
static void choose_direction(struct nb_fischer *self)
{
    const size_t n = self->rows.size;
    int kinks = 0;
    memset(self->direction, 0, n * sizeof *self->direction);
    memset(self->product, 0, n * sizeof *self->product);
    for (size_t i = self->rows.bilateral; i < n; ++i) {
        const size_t r = i % 3, first = i - r;
        if (nb_box_fischer_kink(self->p + first, self->velocity + first, friction_of(self, i),
                                (int)r)) {
            self->direction[i] = 1;
            kinks++;
        }
    }
    if (kinks == 0)
        return;
    nb_operator_apply(&self->rows.op, self->direction, self->product);
    for (size_t i = 0; i < n; ++i)
        self->product[i] *= self->rho[i];
}

void nb_fischer_subdifferential(struct nb_fischer *self)
{
    const size_t bilateral = self->rows.bilateral;
    choose_direction(self);
    memset(self->own, 0, 3 * bilateral * sizeof *self->own);
    for (size_t i = 0; i < bilateral; ++i)
        self->by_velocity[i] = -1;
    for (size_t i = bilateral; i < self->rows.size; i += 3)
        nb_box_fischer_slope(self->p + i, self->velocity + i, friction_of(self, i),
                             self->with_friction, self->direction + i, self->product + i,
                             self->own + 3 * i, self->by_velocity + i);
}

/* -H into the factor: -own on the diagonal, -dPhi/dy rho W everywhere. */
static void fill_matrix(struct nb_fischer *self)
{
    const struct nb_bsr *matrix = self->rows.op.matrix;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const nb_matrix *d = matrix->value + 9 * (size_t)k;
            nb_real block[9];
            for (int e = 0; e < 9; ++e) {
                const size_t row = 3 * (size_t)i + (size_t)(e / 3);
                block[e] = -self->by_velocity[row] * self->rho[row] * (nb_real)d[e];
                if (matrix->column[k] == i)
                    block[e] -= self->own[9 * (size_t)i + (size_t)e];
            }
            nb_block_lu_set(&self->lu, k, block);
        }
}

/* dp = (epsilon - H)^-1 Phi; zero where that is singular. */
static int solve_exactly(struct nb_fischer *self)
{
    const double least = 16 * NB_UNIT_ROUNDOFF, damping = self->settings.damping;
    fill_matrix(self);
    if (damping > 0)
        nb_block_lu_shift(&self->lu, self->rows.op.matrix, damping > least ? damping : least);
    if (nb_sparse_lu_update(self->lu.lu, NULL))
        return 0;
    for (size_t i = 0; i < self->rows.size; ++i)
        self->step[i] = (double)self->phi[i];
    nb_sparse_lu_solve(self->lu.lu, self->step);
    for (size_t i = 0; i < self->rows.size; ++i)
        if (!isfinite(self->step[i]))
            return 0;
    return 1;
}

/* dp = -H^T Phi = -(own^T Phi + W (rho dPhi/dy Phi)). */
static void descend(struct nb_fischer *self)
{
    const size_t n = self->rows.size;
    for (size_t i = 0; i < n; ++i)
        self->direction[i] = self->rho[i] * self->by_velocity[i] * self->phi[i];
    nb_operator_apply(&self->rows.op, self->direction, self->product);
    for (size_t i = 0; i < n; i += 3) {
        nb_real sum[3] = {self->product[i], self->product[i + 1], self->product[i + 2]};
        nb_block_transposed_apply_add(self->own + 3 * i, self->phi + i, sum);
        for (size_t r = 0; r < 3; ++r)
            self->step[i + r] = -(double)sum[r];
    }
}

/* out = -H d by a difference of Phi along d (34); trial and phi_trial are scratch. */
static void difference(struct nb_fischer *self, const nb_real *d, nb_real *out)
{
    const size_t n = self->rows.size;
    const int threads = self->rows.model->threads;
    const nb_real length = nb_norm(n, d, threads), size = nb_norm(n, self->p, threads);
    const nb_real scaled = nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF)) *
                           nb_max(size, nb_norm(n, self->phi, threads)) / length;
    for (size_t i = 0; i < n; ++i)
        self->trial[i] = self->p[i] + scaled * d[i];
    evaluate(self, self->trial, self->phi_trial);
    for (size_t i = 0; i < n; ++i)
        out[i] = (self->phi[i] - self->phi_trial[i]) / scaled;
}

/* Conjugate gradients on -H dp = Phi with Fletcher and Reeves' beta and the exact minimiser
 * along each direction, though H is not symmetric. Ends where the curvature is not positive. */
static int solve_by_gradients(struct nb_fischer *self)
{
    const size_t n = self->rows.size;
    const int threads = self->rows.model->threads;
    int k = 0;
    memset(self->step, 0, n * sizeof *self->step);
    memcpy(self->residual, self->phi, n * sizeof *self->phi);
    memcpy(self->search, self->phi, n * sizeof *self->phi);
    nb_sum square = nb_dot(n, self->residual, self->residual, threads);
    const nb_sum least = square * NB_UNIT_ROUNDOFF;
    while (k < self->settings.conjugate_iterations && square > least) {
        difference(self, self->search, self->product);
        const nb_sum curvature = nb_dot(n, self->search, self->product, threads);
        if (!(curvature > 0))
            break;
        const nb_real alpha = (nb_real)(square / curvature);
        for (size_t i = 0; i < n; ++i) {
            self->step[i] += (double)(alpha * self->search[i]);
            self->residual[i] -= alpha * self->product[i];
        }
        const nb_sum next = nb_dot(n, self->residual, self->residual, threads);
        const nb_real beta = (nb_real)(next / square);
        for (size_t i = 0; i < n; ++i)
            self->search[i] = self->residual[i] + beta * self->search[i];
        square = next;
        ++k;
    }
    return k;
}

/* Takes p + alpha dp; alpha falls until Psi does by `slope` alpha. Zero where it never does. */
static int search_line(struct nb_fischer *self, nb_real slope, nb_real *norm)
{
    const size_t n = self->rows.size;
    const nb_real before = *norm * *norm;
    nb_real alpha = 1;
    for (int k = 0; k <= self->settings.halvings; ++k, alpha /= 2) {
        for (size_t i = 0; i < n; ++i)
            self->trial[i] = self->p[i] + alpha * (nb_real)self->step[i];
        const nb_real tried = evaluate(self, self->trial, self->phi_trial);
        const int untested = !self->settings.searching && isfinite(tried);
        if (!untested && !(tried * tried <= before - 2 * alpha * sufficient * slope))
            continue;
        memcpy(self->p, self->trial, n * sizeof *self->p);
        memcpy(self->phi, self->phi_trial, n * sizeof *self->phi);
        *norm = tried;
        return 1;
    }
    return 0;
}

static double squared(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
        sum += x[i] * x[i];
    return sum;
}

/* Along -H^T Phi, whose slope of Psi is -||H^T Phi||^2; the first trial is where the linear
 * model of Phi would end. */
static int search_gradient(struct nb_fischer *self, nb_real *norm)
{
    const size_t n = self->rows.size;
    descend(self);
    const double slope = squared(n, self->step);
    if (!(slope > 0) || !isfinite(slope))
        return 0;
    const double first = (double)*norm * (double)*norm / slope;
    for (size_t i = 0; i < n; ++i)
        self->step[i] *= first;
    return search_line(self, (nb_real)(slope * first), norm);
}

int nb_fischer_step(struct nb_fischer *self, struct nb_run *run,
                    struct nb_linear_report *report, nb_real *norm)
{
    const double begin = nb_seconds();
    nb_fischer_subdifferential(self);
    const int solved = self->settings.conjugate ? solve_by_gradients(self) : solve_exactly(self);
    const double done = nb_seconds();
    *report = (struct nb_linear_report){
        solved ? NB_LINEAR_CONVERGED : NB_LINEAR_BREAKDOWN, self->settings.conjugate ? solved : 1,
        solved ? "" : self->settings.conjugate ? "curvature" : "singular Newton matrix"};
    run->linear_seconds += done - begin;
    run->linear_iterations += report->iterations;
    run->newton_iterations++;
    int better = solved && search_line(self, *norm * *norm, norm);
    if (!better)
        better = search_gradient(self, norm);
    if (!better)
        *norm = nb_fischer_evaluate(self);
    run->assembly_seconds += nb_seconds() - done;
    return better;
}
