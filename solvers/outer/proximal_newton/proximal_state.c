/* Iterates and incumbents of proximal_newton. The incumbent is the point of least natural norm of an attempt, the
 * centre the solution of the last proximal problem that was solved; the better of the incumbents of all attempts is
 * the result.
 *
 * A nonlinear step may have more than one solution. Contacts keep their points in the bodies and their normals in the
 * world, so that logs which lie side by side have one in which they turn by up to 1.8 rad, through each other, at many
 * times the energy. Newton's method finds it from points of a homotopy that are far from the free motion. */
#include "solvers/outer/proximal_newton/proximal_state.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/outer/proximal_newton/parameters.h"

void nb_proximal_free(void *data)
{
    struct nb_proximal *self = data;
    if (!self)
        return;
    nb_homotopy_free(self->homotopy);
    nb_interior_free(self->interior);
    nb_nonsmooth_free(self->system);
    nb_anderson_free(&self->anderson);
    free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_proximal *self = data;
    struct nb_iterate *points[] = {&self->incumbent, &self->centre, &self->earlier, &self->astray};
    NB_ARRAY(arena, self->previous, self->system->rows);
    nb_softening_lay_out(self, arena);
    for (size_t k = 0; k < sizeof points / sizeof *points; ++k) {
        NB_ARRAY(arena, points[k]->p, self->system->rows);
        NB_ARRAY(arena, points[k]->u, self->system->dofs);
    }
    /* Interior points come before homotopies, which keep nothing from one run to the next: they share memory. */
    const size_t place = arena->used;
    if (self->interior)
        nb_interior_lay_out(self->interior, arena);
    const size_t end = arena->used;
    arena->used = self->homotopy ? place : end;
    if (self->homotopy)
        nb_homotopy_lay_out(self->homotopy, arena);
    arena->used = end > arena->used ? end : arena->used;
}

enum nb_status nb_proximal_create(struct nb_proximal **out, struct NB(nb_model) * model, struct nb_error *error)
{
    struct nb_proximal *self = calloc(1, sizeof *self);
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    enum nb_status status = nb_nonsmooth_create(&self->system, model, NB_FACTORS_BOTH, error);
    if (status)
        return status;
    if (nb_homotopy_applies(self->system))
        status = nb_homotopy_create(&self->homotopy, self->system, error);
    if (!status && nb_newton_matrix_has_symmetric(self->system->matrix))
        status = nb_interior_create(&self->interior, self->system, error);
    if (!status && !(self->memory = nb_arena_allocate(lay_out, self)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    if (!status && model->constant)
        status = nb_anderson_create(&self->anderson, self->system->rows,
                                    self->system->form->follow ? 0 : self->system->dofs, error);
    return status;
}

void nb_iterate_save(const struct nb_nonsmooth *system, struct nb_iterate *point, nb_real norm)
{
    point->norm = norm;
    memcpy(point->p, system->p, system->rows * sizeof *point->p);
    memcpy(point->u, system->u, system->dofs * sizeof *point->u);
}

void nb_iterate_restore(struct nb_nonsmooth *system, const struct nb_iterate *point)
{
    memcpy(system->p, point->p, system->rows * sizeof *point->p);
    memcpy(system->u, point->u, system->dofs * sizeof *point->u);
}

nb_real nb_proximal_scale(const struct nb_nonsmooth *system, nb_real start)
{
    nb_real sum = start * start;
    for (size_t i = 0; i < system->rows; ++i)
        sum += system->p[i] * system->p[i] / system->rho[i];
    return nb_sqrt(sum);
}

/* Where constraints contradict each other the norm falls by ever less while the forces grow without
 * bound: forces far beyond what stops the motion have to earn it. */
void nb_proximal_update_incumbent(struct nb_proximal *self)
{
    const nb_real natural = nb_nonsmooth_natural_norm(self->system, self->system->p);
    const int huge = nb_proximal_scale(self->system, 0) > NB_FORCES_GROWN * self->start;
    if (natural < (huge ? NB_EARNED : 1) * self->incumbent.norm)
        nb_iterate_save(self->system, &self->incumbent, natural);
}

void nb_proximal_set_centre(struct nb_proximal *self)
{
    nb_iterate_save(self->system, &self->centre, nb_nonsmooth_natural_norm(self->system, self->system->p));
}

int nb_proximal_set_aside(struct nb_proximal *self)
{
    const struct nb_iterate storage = self->astray;
    if (self->restart == 0 || !(self->incumbent.norm <= NB_FAR * self->start) ||
        !nb_nonsmooth_strays(self->system, self->incumbent.u))
        return 0;
    if (self->incumbent.norm < self->astray.norm) {
        self->astray = self->incumbent;
        self->incumbent = storage;
    }
    self->incumbent.norm = NB_REAL(INFINITY);
    return 1;
}

const struct nb_iterate *nb_proximal_best(const struct nb_proximal *self)
{
    const int earlier =
        self->restart > 0 && (self->soft.softness > 1 || self->earlier.norm <= self->incumbent.norm);
    const struct nb_iterate *point = earlier ? &self->earlier : &self->incumbent;
    return point->norm > NB_FAR * self->start && self->astray.norm < point->norm ? &self->astray : point;
}

void nb_proximal_write_solution(const struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    const struct nb_iterate *point = nb_proximal_best(self);
    const nb_real *p = self->sweeping ? system->p : point->p;
    /* The point itself stays: a run that is watched goes through the same bits as one that is not. */
    memcpy(task->u, self->sweeping ? system->u : point->u, system->dofs * sizeof *task->u);
    if (self->sweeping && system->form->follow)
        system->form->follow(system, p, task->u);
    else if (system->form->complete)
        system->form->complete(system, p, task->u);
    for (size_t i = 0; i < system->rows; ++i)
        task->lambda[i] = p[i] / system->model->time_step;
}

void nb_proximal_publish(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const int iteration = task->run->newton_iterations;
    if (!task->observer)
        return;
    nb_proximal_write_solution(self, task);
    self->stop = task->report(task, iteration, iteration > 0 ? &report : NULL);
}

int nb_proximal_may_continue(const struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    return !self->stop && task->run->newton_iterations < task->iterations;
}
