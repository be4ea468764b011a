/* Gauss-Newton on ||r||^2 / 2 with the damping of Levenberg and Marquardt, in the tangent planes of the edges that
 * stay active (Todorov 2010, section III): the element of the subdifferential on an edge (25), (26), the normal
 * matrix B^T J^T J B and its Newton point (22), the Cauchy point (24), and the iteration III.E. */
#include "solvers/outer/implicit_complementarity/implicit_newton.h"

#include <string.h>

#include "problems/base/clock.h"
#include "solvers/block/block3.h"
#include "solvers/block/block_factor.h"

/* lambda falls and grows by this; its least and its first value are units of the precision, and the
 * root of one (the paper prints neither). */
static const nb_real lambda_change = 10;
enum { LEAST_LAMBDA_UNITS = 64 };
#define FIRST_LAMBDA nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF))

static nb_real friction_of(const struct nb_implicit *self, size_t row)
{
    return self->rows.model->friction[(row - self->rows.bilateral) / 3];
}

static int threads_of(const struct nb_implicit *self) { return self->rows.model->threads; }

static void scale(struct nb_implicit *self)
{
    const nb_real *diagonal = self->rows.op.diagonal;
    const size_t n = self->rows.size;
    nb_real sum = 0;
    for (size_t i = self->rows.bilateral; i < n; ++i)
        sum += diagonal[i];
    const nb_real mean = sum > 0 ? sum / (nb_real)(n - self->rows.bilateral) : 1;
    for (size_t i = 0; i < self->rows.bilateral; ++i)
        self->sigma[i] = diagonal[i] > 0 ? 1 / diagonal[i] : 1;
    for (size_t i = self->rows.bilateral; i < n; ++i) {
        const nb_real *d = diagonal + i - i % 3;
        const nb_real own = (d[0] + d[1] + d[2]) / 3;
        self->sigma[i] = self->scale == NB_IMPLICIT_UNSCALED      ? 1
                         : self->scale == NB_IMPLICIT_BY_CONTACT && own > 0 ? 1 / own
                                                                  : 1 / mean;
    }
}

nb_real nb_implicit_evaluate(struct nb_implicit *self, const nb_real *x, nb_real *out)
{
    const size_t n = self->rows.size, bilateral = self->rows.bilateral;
    for (size_t i = 0; i < bilateral; ++i)
        out[i] = -x[i];
    for (size_t i = bilateral; i < n; i += 3)
        nb_implicit_force(x + i, friction_of(self, i), out + i);
    for (size_t i = 0; i < n; ++i)
        self->p[i] = self->sigma[i] * out[i];
    nb_step_rows_velocity(&self->rows, self->p, self->velocity);
    for (size_t i = 0; i < n; ++i)
        out[i] = self->velocity[i] - out[i] - x[i];
    self->tried++;
    return (nb_real)(nb_dot(n, out, out, threads_of(self)) / 2);
}

void nb_implicit_linearise(struct nb_implicit *self)
{
    const size_t n = self->rows.size;
    nb_step_rows_linearise(&self->rows);
    scale(self);
    memcpy(self->work, self->p, n * sizeof *self->work);
    nb_step_rows_velocity(&self->rows, self->work, self->velocity);
    for (size_t i = 0; i < n; ++i)
        self->x[i] = (i < self->rows.bilateral ? 0 : self->velocity[i]) -
                     self->work[i] / self->sigma[i];
    memset(self->on, 0, (size_t)self->rows.model->contacts * sizeof *self->on);
    self->objective = nb_implicit_evaluate(self, self->x, self->residual);
}

void nb_implicit_transposed(struct nb_implicit *self, const nb_real *r, nb_real *out)
{
    nb_operator_apply(&self->rows.op, r, out);
    for (size_t i = 0; i < self->rows.size; ++i)
        out[i] = self->sigma[i] * out[i] - r[i];
}

/* d^T J_k^T r of one contact for its slope in one region. */
static nb_real directional(const nb_real *slope, const nb_real *d, const nb_real *back,
                           const nb_real *residual)
{
    nb_real moved[3], sum = 0;
    nb_block_apply(slope, d, moved);
    for (int r = 0; r < 3; ++r)
        sum += back[r] * moved[r] - residual[r] * d[r];
    return sum;
}

/* Whether l can only be reduced along the edge (25); the element of the subdifferential (26). */
static int choose_slope(const struct nb_implicit *self, size_t row, int edge, nb_real *slope)
{
    const nb_real *x = self->x + row, mu = friction_of(self, row);
    nb_real normal[3], one[9], two[9];
    int above, below;
    nb_implicit_normal(x, mu, edge, normal, &above, &below);
    nb_implicit_slope(x, mu, above, one);
    nb_implicit_slope(x, mu, below, two);
    const nb_real d1 = directional(one, normal, self->back + row, self->residual + row);
    const nb_real d2 = -directional(two, normal, self->back + row, self->residual + row);
    const int active = d1 >= 0 && d2 >= 0;
    const nb_real share = active ? (d1 + d2 > 0 ? d2 / (d1 + d2) : NB_REAL(0.5)) : d1 < d2;
    for (int k = 0; k < 9; ++k)
        slope[k] = share * one[k] + (1 - share) * two[k];
    return active;
}

void nb_implicit_prepare(struct nb_implicit *self)
{
    const size_t bilateral = self->rows.bilateral;
    nb_implicit_transposed(self, self->residual, self->back);
    for (size_t i = 0; i < self->rows.size; i += 3) {
        nb_real *slope = self->slope + 3 * i;
        int edge = NB_IMPLICIT_SMOOTH;
        if (i < bilateral) {
            nb_implicit_slope(self->x + i, 0, NB_IMPLICIT_STICK, slope);
        } else {
            const size_t contact = (i - bilateral) / 3;
            const nb_real mu = friction_of(self, i);
            nb_implicit_slope(self->x + i, mu, nb_implicit_region(self->x + i, mu), slope);
            if (self->on[contact] && choose_slope(self, i, self->on[contact], slope) &&
                self->edges <= NB_IMPLICIT_TANGENT)
                edge = self->on[contact];
            self->active[contact] = edge;
        }
        nb_implicit_basis(self->x + i, edge, self->basis + 3 * i);
        nb_real *gradient = self->gradient + i;
        for (int r = 0; r < 3; ++r)
            gradient[r] = -self->residual[i + (size_t)r];
        nb_block_transposed_apply_add(slope, self->back + i, gradient);
    }
}

/* Whether a step in its tangent plane leaves the edge of contact k: a cone is curved. */
static int leaves_edge(const struct nb_implicit *self, int k)
{
    return self->active[k] == NB_IMPLICIT_CONE && self->edges != NB_IMPLICIT_FOLLOWED;
}

void nb_implicit_return_to_edges(const struct nb_implicit *self, nb_real *x)
{
    for (int k = 0; k < self->rows.model->contacts; ++k) {
        const size_t i = self->rows.bilateral + 3 * (size_t)k;
        if (self->active[k] && !leaves_edge(self, k))
            nb_implicit_project(x + i, friction_of(self, i), self->active[k]);
    }
}

void nb_implicit_stay_on_edges(struct nb_implicit *self)
{
    for (int k = 0; k < self->rows.model->contacts; ++k)
        self->on[k] = leaves_edge(self, k) ? NB_IMPLICIT_SMOOTH : self->active[k];
}

/* J B: block (i, j) is W_ij sigma_j G_j - [i = j] (G_j + B_j), G = df/dx B. */
static void fill_jacobian(struct nb_implicit *self)
{
    const struct nb_bsr *d = self->rows.op.matrix;
    for (int i = 0; i < d->rows; ++i)
        for (int k = d->start[i]; k < d->start[i + 1]; ++k) {
            const size_t j = (size_t)d->column[k];
            const nb_real *basis = self->basis + 9 * j;
            nb_real moved[9], scaled[9];
            nb_matrix *out = self->jacobian + 9 * (size_t)k;
            nb_block_times(self->slope + 9 * j, basis, moved);
            for (size_t e = 0; e < 9; ++e)
                scaled[e] = self->sigma[3 * j + e / 3] * moved[e];
            nb_block_multiply(d->value + 9 * (size_t)k, scaled, out);
            for (int e = 0; e < 9 && (int)j == i; ++e)
                out[e] -= (nb_matrix)(moved[e] + basis[e]);
        }
}

/* c += a^T b */
static void add_transposed_product(const nb_matrix *a, const nb_matrix *b, nb_matrix *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] += a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

/* The blocks (j, k) of B^T J^T J B with k >= j, which the factor reads; its mean diagonal. */
static nb_real fill_normal_matrix(struct nb_implicit *self)
{
    const struct nb_bsr *w = self->rows.op.matrix;
    struct nb_bsr *normal = &self->normal;
    nb_real sum = 0;
    memset(normal->value, 0, 9 * (size_t)normal->start[w->rows] * sizeof *normal->value);
    for (int j = 0; j < w->rows; ++j) {
        for (int m = normal->start[j]; m < normal->start[j + 1]; ++m)
            self->where[normal->column[m]] = m;
        for (int k = w->start[j]; k < w->start[j + 1]; ++k) {
            const int i = w->column[k];
            const nb_matrix *left = self->jacobian + 9 * (size_t)self->mirror[k];
            for (int m = w->start[i + 1] - 1; m >= w->start[i] && w->column[m] >= j; --m)
                add_transposed_product(left, self->jacobian + 9 * (size_t)m,
                                       normal->value + 9 * (size_t)self->where[w->column[m]]);
        }
        const nb_matrix *own = normal->value + 9 * (size_t)self->where[j];
        sum += own[0] + own[4] + own[8];
    }
    return w->rows > 0 ? sum / (3 * (nb_real)w->rows) : 1;
}

/* B^T J^T J B + lambda into the factor; 1 where B has a zero column. */
static void fill_factor(struct nb_implicit *self)
{
    const struct nb_bsr *normal = &self->normal;
    const nb_real shift = self->lambda * self->mean;
    for (int j = 0; j < normal->rows; ++j)
        for (int m = normal->start[j]; m < normal->start[j + 1]; ++m) {
            nb_real block[9];
            for (size_t e = 0; e < 9; ++e)
                block[e] = (nb_real)normal->value[9 * (size_t)m + e];
            for (size_t e = 0; e < 9 && normal->column[m] == j; e += 4)
                block[e] = block[e] > 0 ? block[e] + shift : 1;
            nb_block_factor_set(self->factor, normal, j, m, block);
        }
}

/* step = -B (B^T H B)^-1 B^T g, lambda raised until there is a factor. Zero where there is none. */
static int newton_step(struct nb_implicit *self)
{
    const nb_real most = 1e6;
    fill_jacobian(self);
    self->mean = fill_normal_matrix(self);
    for (; self->lambda < most; self->lambda *= lambda_change) {
        fill_factor(self);
        if (nb_factor_update(self->factor, NULL) == NB_OK)
            break;
    }
    if (!(self->lambda < most))
        return 0;
    for (size_t i = 0; i < self->rows.size; i += 3) {
        for (size_t r = 0; r < 3; ++r)
            self->work[i + r] = 0;
        nb_block_transposed_apply_add(self->basis + 3 * i, self->gradient + i, self->work + i);
    }
    if (nb_block_factor_solve(self->factor, self->work))
        return 0;
    for (size_t i = 0; i < self->rows.size; i += 3) {
        nb_block_apply(self->basis + 3 * i, self->work + i, self->step + i);
        for (size_t r = 0; r < 3; ++r)
            self->step[i + r] = -self->step[i + r];
    }
    return 1;
}

nb_real nb_implicit_newton_point(struct nb_implicit *self)
{
    const size_t n = self->rows.size;
    if (!newton_step(self))
        return 0;
    for (size_t i = 0; i < n; ++i)
        self->newton[i] = self->x[i] + self->step[i];
    nb_implicit_return_to_edges(self, self->newton);
    return (nb_real)(-nb_dot(n, self->gradient, self->step, threads_of(self)) / 2);
}

/* out = J d = W Sigma f' d - f' d - d */
static void multiply(struct nb_implicit *self, const nb_real *d, nb_real *out)
{
    const size_t n = self->rows.size;
    for (size_t i = 0; i < n; i += 3) {
        nb_block_apply(self->slope + 3 * i, d + i, self->work + i);
        for (size_t r = 0; r < 3; ++r)
            self->trial[i + r] = self->sigma[i + r] * self->work[i + r];
    }
    nb_operator_apply(&self->rows.op, self->trial, out);
    for (size_t i = 0; i < n; ++i)
        out[i] -= self->work[i] + d[i];
}

/* The Cauchy point (24), (28), projected on active edges. */
static void cauchy_point(struct nb_implicit *self)
{
    const size_t n = self->rows.size;
    const int threads = threads_of(self);
    for (size_t i = 0; i < n; i += 3) { /* B B^T g */
        nb_real inner[3] = {0, 0, 0};
        nb_block_transposed_apply_add(self->basis + 3 * i, self->gradient + i, inner);
        nb_block_apply(self->basis + 3 * i, inner, self->step + i);
    }
    multiply(self, self->step, self->best);
    const nb_sum slope = nb_dot(n, self->step, self->step, threads);
    const nb_sum curvature = nb_dot(n, self->best, self->best, threads) +
                             self->lambda * self->mean * slope;
    const nb_real length = curvature > 0 ? (nb_real)(slope / curvature) : 0;
    for (size_t i = 0; i < n; ++i)
        self->cauchy[i] = self->x[i] - length * self->step[i];
    nb_implicit_return_to_edges(self, self->cauchy);
}

/* Takes the Newton point where l falls there by half of what was predicted. */
static int accept_newton(struct nb_implicit *self, nb_real predicted)
{
    const size_t n = self->rows.size;
    const nb_real tried = nb_implicit_evaluate(self, self->newton, self->residual_trial);
    if (!(self->objective - tried >= predicted / 2) || !(tried < self->objective))
        return 0;
    memcpy(self->x, self->newton, n * sizeof *self->x);
    memcpy(self->residual, self->residual_trial, n * sizeof *self->residual);
    nb_implicit_stay_on_edges(self);
    self->objective = tried;
    return 1;
}

int nb_implicit_iterate(struct nb_implicit *self, struct nb_run *run)
{
    const nb_real least = LEAST_LAMBDA_UNITS * NB_REAL(NB_UNIT_ROUNDOFF);
    const double begin = nb_seconds();
    self->tried = self->crossed = 0;
    nb_implicit_prepare(self);
    const nb_real predicted = nb_implicit_newton_point(self);
    const double solved = nb_seconds();
    run->linear_seconds += solved - begin;
    run->newton_iterations++;
    int better = predicted > 0 && accept_newton(self, predicted);
    if (better) {
        self->lambda = nb_max(self->lambda / lambda_change, least);
    } else {
        self->lambda *= lambda_change;
        cauchy_point(self);
        if (!(predicted > 0))
            memcpy(self->newton, self->cauchy, self->rows.size * sizeof *self->newton);
        better = nb_implicit_search(self);
    }
    run->linear_iterations += self->tried;
    run->assembly_seconds += nb_seconds() - solved;
    return better;
}

void nb_implicit_start(struct nb_implicit *self)
{
    const size_t n = self->rows.size;
    const int contacts = self->rows.model->contacts;
    nb_step_rows_start(&self->rows);
    scale(self);
    self->lambda = FIRST_LAMBDA;
    self->tried = 0;
    memset(self->x, 0, n * sizeof *self->x);
    memset(self->on, 0, (size_t)contacts * sizeof *self->on);
    memset(self->active, 0, (size_t)contacts * sizeof *self->active);
    self->objective = nb_implicit_evaluate(self, self->x, self->residual);
    if (!self->sticking)
        return;
    nb_implicit_transposed(self, self->residual, self->back);
    for (size_t i = 0; i < n; i += 3) { /* J = -W Sigma: all rows as if they stuck */
        nb_implicit_slope(self->x + i, 0, NB_IMPLICIT_STICK, self->slope + 3 * i);
        nb_implicit_basis(self->x + i, NB_IMPLICIT_SMOOTH, self->basis + 3 * i);
        for (size_t r = 0; r < 3; ++r)
            self->gradient[i + r] = -self->back[i + r] - self->residual[i + r];
    }
    if (newton_step(self))
        memcpy(self->x, self->step, n * sizeof *self->x);
    self->objective = nb_implicit_evaluate(self, self->x, self->residual);
}

void nb_implicit_start_warm(struct nb_implicit *self, const nb_real *u, const nb_real *lambda)
{
    const struct nb_model *model = self->rows.model;
    for (size_t i = 0; i < self->rows.size; ++i)
        self->p[i] = model->time_step * lambda[i];
    memcpy(self->rows.u, u, 3 * (size_t)model->nodes * sizeof *u);
    memset(self->active, 0, (size_t)model->contacts * sizeof *self->active);
    self->lambda = FIRST_LAMBDA;
    self->tried = 0;
    nb_implicit_linearise(self);
}
