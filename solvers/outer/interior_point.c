/* Interior-point method on second-order cones for Coulomb friction. With contacts scaled by their effective mass w and
 * their friction, x = sqrt(w) (mu r_N, r_T) and y = (U_N / mu + s, U_T) / sqrt(w), s = |U_T|, both cones are L
 * (second_order_cone.h), and a step is
 *
 *     M (u - u~) = J^T r,   y = y(u),   x, y in L,   x o y = 0.
 *
 * Each iteration takes Mehrotra's predictor and corrector towards x o y = tau e, in the scaling V of Nesterov and Todd,
 * V x = V^-1 y; one factor serves both, of M + J^T B J with B = V^-2 of each contact (or, where W is all there is, of
 * 1 + B W). s is renewed twice, for the predictor and, where that leads, for the corrector: or it lags behind U_T by
 * an iteration. As s moves, y(u) - y stays: tau is at least a part of what that leaves, without which steps come too
 * near to the boundary of the cones. x and y take steps of one length. Bilateral rows have B = (E/h^2)^-1, hard ones a
 * proximal term. A nonlinear step is linearised anew in each iteration, with its curvature: without it, as the
 * default takes these iterations on steps of contacts alone, a box that is pushed sideways over another stands still.
 *
 * That is with s held in each step, whose matrix is symmetric. With s as part of the step, y' = E (1 + e s') U',
 * s' = y_T / |(y_T, sqrt(x_0 y_0))|, fewer iterations lead to more solutions where contacts slide under large forces,
 * by an LU factor. Large linear steps begin with s held, others with s as part; where none of many iterations finds a
 * better point, the other takes over from the beginning. The result is the point of least natural norm
 * (nonsmooth_system.h).
 *
 * Acary, Armand and Nguyen 2023 (s in each iteration); Mehrotra 1992; Nesterov and Todd 1997; Alizadeh and Goldfarb
 * 2003. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/outer/interior_point/interior.h"
#include "solvers/outer/proximal_newton/parameters.h"

struct interior_point {
    struct nb_nonsmooth *system;
    struct nb_interior *interior;
    void *memory;
    nb_real *p, *u; /* [rows], [dofs] the best point so far, ...       */
    nb_real norm;   /* ... its natural norm                            */
    int ended;      /* the run: solved, or its limit                   */
    int shown;      /* the iteration that was shown last; -1: none     */
};

static void release(void *data)
{
    struct interior_point *self = data;
    if (!self)
        return;
    nb_interior_free(self->interior);
    nb_nonsmooth_free(self->system);
    free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct interior_point *self = data;
    nb_interior_lay_out(self->interior, arena);
    NB_ARRAY(arena, self->p, self->system->rows);
    NB_ARRAY(arena, self->u, self->system->dofs);
}

static enum nb_status setup(void **out, struct NB(nb_model) *model, const struct nb_options *options,
                            struct nb_error *error)
{
    (void)options;
    struct interior_point *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an interior point");
    const enum nb_newton_factors factors = model->constant ? NB_FACTORS_BOTH : NB_FACTORS_LU;
    enum nb_status status = nb_nonsmooth_create(&self->system, model, factors, error);
    if (!status)
        status = nb_interior_create(&self->interior, self->system, error);
    if (!status && !(self->memory = nb_arena_allocate(lay_out, self)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an interior point of %zu rows", self->system->rows);
    if (status)
        release(self);
    else
        *out = self;
    return status;
}

/* The present point becomes the best one. */
static void keep(struct interior_point *self, nb_real norm)
{
    const struct nb_nonsmooth *system = self->system;
    memcpy(self->p, system->p, system->rows * sizeof *self->p);
    memcpy(self->u, system->u, system->dofs * sizeof *self->u);
    self->norm = norm;
}

static int report(struct interior_point *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    const struct nb_linear_report solved = {NB_LINEAR_CONVERGED, 2, ""};
    const int iteration = task->run->newton_iterations;
    memcpy(task->u, self->u, system->dofs * sizeof *task->u);
    if (system->form->complete)
        system->form->complete(system, self->p, task->u);
    for (size_t i = 0; i < system->rows; ++i)
        task->lambda[i] = self->p[i] / system->model->time_step;
    // A step that fails before it counts leaves nothing new to show.
    if (!task->observer || iteration == self->shown)
        return 0;
    self->shown = iteration;
    return task->report(task, iteration, iteration > 0 ? &solved : NULL);
}

/* Whether the best point is a solution to round-off, beside the first norm and the energy of p. */
static int at_rounding(const struct interior_point *self, nb_real start)
{
    nb_real sum = start * start;
    for (size_t i = 0; i < self->system->rows; ++i)
        sum += self->p[i] * self->p[i] / self->system->rho[i];
    return self->norm <= NB_REAL(NB_UNIT_ROUNDOFF) * nb_sqrt(sum);
}

/* From the beginning, until the run ends or many iterations have found no better point than those before. Returns why
 * there is no next iteration. */
static const char *follow(struct interior_point *self, const struct NB(nb_method_task) * task, int implicit)
{
    const char *reason = NULL;
    const nb_real start = nb_interior_begin(self->interior, implicit);
    nb_real norm = start, least = start;
    if (norm < self->norm)
        keep(self, norm);
    for (int stagnant = 0; !reason && stagnant < NB_INTERIOR_PATIENCE; ++stagnant) {
        const int stop = report(self, task), limit = task->run->newton_iterations >= task->iterations;
        self->ended = stop || limit || at_rounding(self, start);
        if (self->ended)
            return NULL;
        reason = nb_interior_iterate(self->interior, task->run, &norm);
        if (reason || !(norm < least))
            continue;
        least = norm;
        stagnant = -1;
        if (norm < self->norm)
            keep(self, norm);
    }
    return reason;
}

static enum nb_status run(void *data, const struct NB(nb_method_task) * task, struct nb_error *error)
{
    struct interior_point *self = data;
    const char *reason = NULL;
    const int dear = nb_newton_matrix_has_symmetric(self->system->matrix);
    (void)error;
    self->norm = NB_REAL(INFINITY);
    self->ended = 0;
    self->shown = -1;
    for (int k = 0; k < 2 && !self->ended; ++k)
        reason = follow(self, task, dear ? k : !k);
    if (!self->ended)
        report(self, task);
    if (reason)
        snprintf(task->run->detail, sizeof task->run->detail, "%s", reason);
    return NB_OK;
}

const struct NB(nb_solver_strategy) NB(nb_solver_interior_point) = {
    .name = "interior_point",
    .title = "interior point on second-order cones",
    .source = "Acary, Armand and Nguyen 2023",
    .self_contained = 1,
    .iterations = NB_INTERIOR_LIMIT,
    .setup = setup,
    .run = run,
    .free = release,
};
