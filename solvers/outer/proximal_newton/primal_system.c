/* Steps of bodies with blocks of inertia: u and p are both unknown, and p is eliminated from a
 * Newton step. With P' the slope of a contact's projection, the rows of dF give
 *
 *     dp = -A^-1 F - B S du,   A = 1 - (1 - sigma) P',   B = A^-1 P' rho,
 *     (bilateral: A = rho (E/h^2 + Sigma), B = (E/h^2 + Sigma)^-1),
 *
 * with S = d violation/du, so that one sparse matrix of the bodies' size remains:
 *
 *     (M - d(J^T p)/du + J^T B S) du = -M defect - J^T A^-1 F.
 *
 * An open contact has B = 0 and takes no part; redundant contacts only add up. */
#include <stdlib.h>
#include <string.h>

#include "solvers/outer/proximal_newton/primal_system.h"
#include "solvers/block/block3.h"
#include "solvers/delassus/delassus.h"
#include "solvers/outer/proximal_newton/block_relaxation.h"

/* M u - f - J^T p of a general M, and its energy by M's diagonal. */
static nb_real general_defect(struct nb_nonsmooth *system, const struct nb_primal_system *self, const nb_real *u,
                              const nb_real *p)
{
    const struct NB(nb_model) *model = system->model;
    nb_real energy = 0;
    NB(nb_model_gather)(model, p, system->defect);
    NB(nb_bsr_multiply)(&self->mass, u, system->momentum, model->threads);
    for (size_t i = 0; i < system->dofs; ++i) {
        system->momentum[i] = (system->momentum[i] - model->force[i]) - system->defect[i];
        energy += system->momentum[i] * system->momentum[i] / self->mass_diagonal[i];
    }
    return energy;
}

/* velocity = violation + (E/h^2) p; momentum = M (u - u~) - J^T p. */
static nb_real evaluate(struct nb_nonsmooth *system, const nb_real *u, const nb_real *p)
{
    struct NB(nb_model) *model = system->model;
    const struct nb_primal_system *self = system->self;
    nb_real energy = 0;
    NB(nb_model_evaluate)(model, u);
    for (size_t i = 0; i < system->rows; ++i)
        system->velocity[i] = model->violation[i];
    NB(nb_model_add_compliance)(model, p, system->velocity);
    if (self->mass_diagonal)
        return general_defect(system, self, u, p);
    NB(nb_model_defect)(model, u, p, system->momentum, system->defect);
    NB(nb_bsr_multiply)(&self->mass, system->defect, system->momentum, model->threads);
    for (size_t i = 0; i < system->dofs; ++i)
        energy += system->defect[i] * system->momentum[i];
    return nb_max(energy, 0);
}

/* The diagonal blocks of J H^-1 J^T + E/h^2 with the Jacobian of the last evaluation. */
static void fill_local(struct nb_nonsmooth *system, struct nb_primal_system *self)
{
    const struct NB(nb_model) *model = system->model;
    const struct NB(nb_bsr) *stored = &model->delassus;
    if (!self->mass_diagonal)
        NB(nb_weigh_jacobian)(model, self->weighted);
    for (int i = 0; i < model->blocks; ++i) {
        nb_real *block = system->local + 9 * (size_t)i;
        memset(block, 0, 9 * sizeof *block);
        if (self->mass_diagonal)
            NB(nb_bsr_diagonal_block)(stored, i, block);
        else
            for (int k = model->jacobian.start[i]; k < model->jacobian.start[i + 1]; ++k)
                NB(nb_block_add_product)(self->weighted + 9 * (size_t)k,
                                         model->jacobian.value + 9 * (size_t)k, block);
        for (int k = 0; k < 9 && i < model->bilateral_blocks; ++k)
            block[k] += model->bilateral_compliance[9 * (size_t)i + (size_t)k];
    }
}

/* u~ solves the step without forces, which is linear; a second pass brings a general factor's error
 * to round-off. */
static void begin(struct nb_nonsmooth *system)
{
    struct nb_primal_system *self = system->self;
    memset(system->u, 0, system->dofs * sizeof *system->u);
    NB(nb_model_evaluate)(system->model, system->u); /* J of an attempt that ended in NaN */
    for (int pass = 0; pass < (self->mass_diagonal ? 2 : 1); ++pass) {
        NB(nb_model_defect)(system->model, system->u, system->p, system->momentum, system->defect);
        for (size_t i = 0; i < system->dofs; ++i)
            system->u[i] -= system->defect[i];
    }
    evaluate(system, system->u, system->p);
    fill_local(system, self);
    NB(nb_bsr_multiply)(&system->model->jacobian, system->u, self->offset, system->model->threads);
    for (size_t i = 0; i < system->rows; ++i)
        self->offset[i] = system->model->violation[i] - self->offset[i];
}

/* Adds a^T b to the pair's block; a and b row-major. */
static void add_pair(double *value, int stride, const nb_matrix *a, const nb_real *b)
{
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            value[c * stride + r] += (double)((nb_real)a[r] * b[c] + (nb_real)a[3 + r] * b[3 + c] +
                                              (nb_real)a[6 + r] * b[6 + c]);
}

/* Block k of S, or of J. */
static void slope_block(const struct nb_nonsmooth *system, int by_jacobian, size_t k, nb_real *out)
{
    const nb_matrix *jacobian = system->model->jacobian.value + 9 * k;
    if (!by_jacobian)
        nb_primal_slope(system, k, out);
    for (int e = 0; by_jacobian && e < 9; ++e)
        out[e] = (nb_real)jacobian[e];
}

static void fill_mass(const struct nb_primal_system *self, double *value)
{
    const int nodes = (int)self->nodes;
    for (int b = 0, at = 0; b < nodes; ++b, at += 3 * self->stride[b - 1])
        memset(value + at, 0, 3 * (size_t)self->stride[b] * sizeof *value);
    for (int b = 0; b < nodes; ++b)
        for (int k = self->mass.start[b]; k < self->mass.start[b + 1]; ++k)
            for (int e = 0; e < 9; ++e)
                value[self->mass_at[k] + e % 3 * self->stride[self->mass.column[k]] + e / 3] =
                    (double)self->mass.value[9 * (size_t)k + (size_t)e];
}

/* d(J^T p)/du of block row i, kept or in `room`. */
static const nb_real *pairs_of(const struct nb_nonsmooth *system, const struct nb_primal_system *self, int i,
                               nb_real *room)
{
    if (i < system->model->bilateral_blocks)
        return self->pairs + 9 * (size_t)self->pair_start[i];
    NB(nb_model_contact_pairs)
    (system->model, i, system->u, system->p, room);
    return room;
}

/* Symmetric: with J for S and without the curvature, which a linear step does not have. */
static void fill_matrix(const struct nb_nonsmooth *system, struct nb_primal_system *self, int symmetric)
{
    const struct NB(nb_model) *model = system->model;
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    const int curved = self->curved && !symmetric;
    double *value = nb_newton_matrix_values(self->matrix);
    nb_real room[9 * NB_CONTACT_NODES * NB_CONTACT_NODES];
    fill_mass(self, value);
    for (int i = 0; i < model->blocks; ++i) {
        const int first = jacobian->start[i], count = jacobian->start[i + 1] - first;
        const nb_real *contact_tangent = system->contact_tangent + 9 * (size_t)i;
        if (system->left_out[i])
            continue;
        const nb_real *pairs = curved ? pairs_of(system, self, i, room) : NULL;
        for (int k = 0; k < count; ++k) {
            nb_real slope[9], right[9];
            const int stride = self->stride[jacobian->column[first + k]];
            slope_block(system, symmetric, (size_t)(first + k), slope);
            NB(nb_block_times)(contact_tangent, slope, right);
            for (int j = 0; j < count; ++j) {
                const int pair = j * count + k;
                double *block = value + self->pair_at[self->pair_start[i] + pair];
                add_pair(block, stride, jacobian->value + 9 * (size_t)(first + j), right);
                for (int e = 0; pairs && e < 9; ++e)
                    block[e % 3 * stride + e / 3] -= (double)pairs[9 * pair + e];
            }
        }
    }
}

/* dp -= B S du, scratch = S du */
static void recover_impulse(struct nb_nonsmooth *system)
{
    const struct NB(nb_bsr) *jacobian = &system->model->jacobian;
    for (int i = 0; i < system->model->blocks; ++i) {
        nb_real moved[3] = {0, 0, 0}, change[3];
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            nb_real s[9];
            nb_primal_slope(system, (size_t)k, s);
            const nb_real *du = system->step_u + 3 * (size_t)jacobian->column[k];
            for (int r = 0; r < 3; ++r)
                moved[r] += s[3 * r] * du[0] + s[3 * r + 1] * du[1] + s[3 * r + 2] * du[2];
        }
        NB(nb_block_apply)(system->contact_tangent + 9 * (size_t)i, moved, change);
        for (int r = 0; r < 3; ++r) {
            system->scratch[3 * i + r] = moved[r];
            system->step_p[3 * i + r] -= change[r];
        }
    }
}

static void find_curvature(struct nb_nonsmooth *system)
{
    struct nb_primal_system *self = system->self;
    self->curved = !system->model->constant;
    if (self->curved) {
        NB(nb_model_curvature)
        (system->model, system->u, system->p, self->pair_start, self->slope, self->pairs);
    }
}

static void linearise(struct nb_nonsmooth *system)
{
    find_curvature(system);
    for (int i = 0; i < system->model->bilateral_blocks; ++i)
        nb_nonsmooth_bilateral_tangent(system, i, system->contact_tangent + 9 * (size_t)i);
}

static enum nb_status factorise(struct nb_nonsmooth *system)
{
    struct nb_primal_system *self = system->self;
    const int symmetric = system->symmetric && nb_newton_matrix_has_symmetric(self->matrix);
    fill_matrix(system, self, symmetric);
    return symmetric ? nb_newton_matrix_factorise_symmetric(self->matrix) : nb_newton_matrix_factorise(self->matrix);
}

static void set_right_side(const struct nb_nonsmooth *system, struct nb_primal_system *self)
{
    NB(nb_model_gather)(system->model, system->step_p, system->step_u);
    for (size_t i = 0; i < system->dofs; ++i)
        self->solution[i] = (double)(system->step_u[i] - system->momentum[i]);
}

static void take_solution(struct nb_nonsmooth *system, const struct nb_primal_system *self)
{
    for (size_t i = 0; i < system->dofs; ++i)
        system->step_u[i] = (nb_real)self->solution[i];
    recover_impulse(system);
}

static void solve(struct nb_nonsmooth *system)
{
    struct nb_primal_system *self = system->self;
    set_right_side(system, self);
    nb_newton_matrix_solve(self->matrix, self->solution);
    take_solution(system, self);
}

/* B of block row i, and step_p = -A^-1 F. */
static void condense(struct nb_nonsmooth *system, int i)
{
    nb_real inverse[9], *step = system->step_p + 3 * (size_t)i;
    nb_nonsmooth_eliminate(system, i, inverse, system->contact_tangent + 9 * (size_t)i);
    NB(nb_block_apply)
    (inverse, system->residual + 3 * (size_t)i, step);
    for (int r = 0; r < 3; ++r)
        step[r] = -step[r];
}

static enum nb_status direction(struct nb_nonsmooth *system)
{
    struct nb_primal_system *self = system->self;
    find_curvature(system);
    for (int i = 0; i < system->model->blocks; ++i) {
        condense(system, i);
        system->left_out[i] = i >= system->model->bilateral_blocks &&
                              system->contact_tangent[9 * (size_t)i] == 0; /* open */
    }
    fill_matrix(system, self, 0);
    const enum nb_status status = nb_newton_matrix_factorise(self->matrix);
    if (!status)
        solve(system);
    return status;
}

/* U of block row i from u, without compliance. */
static void row_velocity(const struct nb_nonsmooth *system, const struct nb_primal_system *self, int i, nb_real *out)
{
    const struct NB(nb_bsr) *jacobian = &system->model->jacobian;
    memcpy(out, self->offset + 3 * (size_t)i, 3 * sizeof *out);
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
        NB(nb_block_apply_add)(jacobian->value + 9 * (size_t)k,
                               system->u + 3 * (size_t)jacobian->column[k], out);
}

static nb_real sweep(struct nb_nonsmooth *system, int backward)
{
    const struct nb_primal_system *self = system->self;
    const struct NB(nb_bsr) *jacobian = &system->model->jacobian;
    const int blocks = system->model->blocks;
    nb_real energy = 0;
    for (int k = 0; k < blocks; ++k) {
        const int i = backward ? blocks - 1 - k : k;
        nb_real velocity[3], change[3];
        row_velocity(system, self, i, velocity);
        const nb_real own = nb_nonsmooth_relax_block(system, i, velocity, change);
        energy += own;
        for (int j = jacobian->start[i]; own > 0 && j < jacobian->start[i + 1]; ++j)
            NB(nb_block_apply_transposed_add)(self->weighted + 9 * (size_t)j, change,
                                              system->u + 3 * (size_t)jacobian->column[j]);
    }
    return energy;
}

const struct nb_formulation nb_primal_formulation = {
    .create = nb_primal_system_create,
    .begin = begin,
    .evaluate = evaluate,
    .direction = direction,
    .sweep = sweep,
    .linearise = linearise,
    .factorise = factorise,
    .solve = solve,
    .free = nb_primal_system_free,
};
