/* Preconditioned conjugate residuals on the mixed system, symmetric and indefinite: directions d with images A d
 * that are P^-1-orthogonal, each from P^-1 r, or from P^-1 A d where r has no part along it (Orthodir). */
#include "solvers/outer/mixed_conjugate_residual/mixed_residual.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/clock.h"
#include "solvers/model/model_mass.h"

void nb_mixed_residual_free(struct nb_mixed *self)
{
    if (!self)
        return;
    nb_mixed_free(&self->system);
    free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_mixed *self = data;
    const size_t dofs = self->system.dofs, contacts = (size_t)self->system.model->contacts;
    nb_real **whole[] = {&self->x, &self->r, &self->z, &self->az, &self->d, &self->ad, &self->w};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i)
        NB_ARRAY(arena, *whole[i], self->total);
    NB_ARRAY(arena, self->mz, dofs);
    NB_ARRAY(arena, self->md, dofs);
    NB_ARRAY(arena, self->unconstrained, dofs);
    NB_ARRAY(arena, self->velocity, self->system.rows);
    NB_ARRAY(arena, self->history, 3 * (size_t)self->average * contacts);
    NB_ARRAY(arena, self->state, contacts);
    NB_ARRAY(arena, self->samples, contacts);
}

enum nb_status nb_mixed_residual_create(struct nb_mixed **out, struct nb_model *model,
                                        int precond, int average, struct nb_error *error)
{
    struct nb_mixed *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the mixed conjugate residuals");
    self->average = average;
    enum nb_status status = nb_mixed_create(&self->system, model, precond, error);
    if (!status) {
        self->total = self->system.dofs + self->system.rows;
        self->memory = nb_arena_allocate(lay_out, self);
        if (!self->memory)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the mixed conjugate residuals");
    }
    if (status) {
        nb_mixed_residual_free(self);
        return status;
    }
    *out = self;
    return NB_OK;
}

static nb_sum dot(const struct nb_mixed *self, const nb_real *a, const nb_real *b)
{
    return nb_dot(self->total, a, b, self->system.model->threads);
}

nb_real nb_mixed_norm(const struct nb_mixed *self)
{
    return nb_sqrt(nb_max(0, (nb_real)dot(self, self->z, self->r)));
}

/* out = system times d, momentum = M d_u; d is zero in inactive rows. */
static void multiply(struct nb_mixed *self, const nb_real *d, nb_real *momentum, nb_real *out)
{
    struct nb_mixed_system *system = &self->system;
    const size_t dofs = system->dofs;
    nb_mass_multiply(system->model, system->mass, d, momentum);
    nb_model_gather(system->model, d + dofs, out);
    for (size_t i = 0; i < dofs; ++i)
        out[i] = momentum[i] - out[i];
    nb_mixed_velocity(system, d, d + dofs, 0, out + dofs);
    for (size_t i = 0; i < system->rows; ++i)
        out[dofs + i] *= -system->active[i];
}

void nb_mixed_restart(struct nb_mixed *self)
{
    struct nb_mixed_system *system = &self->system;
    const size_t dofs = system->dofs;
    nb_model_gather(system->model, self->x + dofs, self->r);
    for (size_t i = 0; i < dofs; ++i)
        self->r[i] += self->unconstrained[i];
    nb_mixed_velocity(system, self->x, self->x + dofs, 1, self->velocity);
    for (size_t i = 0; i < system->rows; ++i)
        self->r[dofs + i] = system->active[i] * self->velocity[i];
    nb_mixed_renew(system);
    nb_mixed_precondition(system, self->r, self->z);
    multiply(self, self->z, self->mz, self->az);
    memcpy(self->d, self->z, self->total * sizeof *self->d);
    memcpy(self->ad, self->az, self->total * sizeof *self->ad);
    memcpy(self->md, self->mz, dofs * sizeof *self->md);
}

void nb_mixed_relinearise(struct nb_mixed *self)
{
    nb_mixed_linearise(&self->system, self->x);
    nb_mixed_restart(self);
}

void nb_mixed_start(struct nb_mixed *self)
{
    const size_t contacts = (size_t)self->system.model->contacts;
    memset(self->x, 0, self->total * sizeof *self->x);
    memset(self->state, 0, contacts * sizeof *self->state);
    memset(self->samples, 0, contacts * sizeof *self->samples);
    for (size_t i = 0; i < self->system.rows; ++i)
        self->system.active[i] = i < self->system.bilateral;
    nb_mixed_force(&self->system, self->unconstrained);
    nb_mixed_relinearise(self);
}

/* x, r and P^-1 r after a step of length alpha. */
static void advance(struct nb_mixed *self, nb_real alpha)
{
    for (size_t i = 0; i < self->total; ++i) {
        self->x[i] += alpha * self->d[i];
        self->r[i] -= alpha * self->ad[i];
        self->z[i] -= alpha * self->w[i];
    }
    for (size_t i = 0; i < self->system.dofs; ++i)
        self->unconstrained[i] -= alpha * self->md[i];
}

/* The next direction, conjugate to the last one: from P^-1 r, or, where the residual had no part
 * along the last image, as may be where the system is indefinite, from P^-1 times that image
 * (Orthodir). */
static void next_direction(struct nb_mixed *self, int stalled, nb_sum square)
{
    const nb_real *seed = stalled ? self->w : self->z;
    multiply(self, seed, self->mz, self->az);
    const nb_real beta = (nb_real)(-dot(self, self->az, self->w) / square);
    for (size_t i = 0; i < self->total; ++i) {
        self->d[i] = seed[i] + beta * self->d[i];
        self->ad[i] = self->az[i] + beta * self->ad[i];
    }
    for (size_t i = 0; i < self->system.dofs; ++i)
        self->md[i] = self->mz[i] + beta * self->md[i];
}

int nb_mixed_iterate(struct nb_mixed *self, struct nb_run *run)
{
    const double begin = nb_seconds();
    const nb_real norm = nb_mixed_norm(self);
    nb_mixed_precondition(&self->system, self->ad, self->w);
    const nb_sum square = dot(self, self->ad, self->w), along = dot(self, self->z, self->ad);
    const nb_real alpha = (nb_real)(along / square);
    run->newton_iterations++;
    run->preconditioner_applications++;
    /* a longer step belongs to an eigenvalue that is round-off */
    const nb_real longest = 1 / (16 * NB_REAL(NB_UNIT_ROUNDOFF) * self->system.scale);
    const int possible = square > 0 && nb_abs(alpha) < longest;
    if (possible) {
        const nb_real bound = norm * nb_sqrt((nb_real)square);
        advance(self, alpha);
        next_direction(self, nb_abs((nb_real)along) <= nb_sqrt(NB_REAL(NB_UNIT_ROUNDOFF)) * bound, square);
        run->linear_iterations++;
        run->operator_applications++;
    }
    run->linear_seconds += nb_seconds() - begin;
    return possible;
}
