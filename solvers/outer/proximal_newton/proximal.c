#include "solvers/outer/proximal_newton/proximal.h"

#include <stdlib.h>
#include <string.h>

static void free_point(struct NB(nb_point) *point)
{
    free(point->p);
    free(point->u);
}

static int allocate_point(struct NB(nb_point) *point, size_t rows, size_t dofs)
{
    point->p = calloc(rows, sizeof *point->p);
    point->u = calloc(dofs, sizeof *point->u);
    return point->p && point->u;
}

void NB(nb_proximal_free)(void *data)
{
    struct NB(nb_proximal) *self = data;
    if (!self)
        return;
    NB(nb_cone_path_free)(self->path);
    NB(nb_cone_free)(self->cone);
    free_point(&self->best);
    free_point(&self->centre);
    free_point(&self->former);
    free(self->previous);
    NB(nb_anderson_free)(&self->anderson);
    free(self);
}

enum nb_status NB(nb_proximal_create)(struct NB(nb_proximal) **out, struct NB(nb_model) *model,
                                      enum nb_inner_method inner, struct nb_error *error)
{
    const size_t rows = 3 * (size_t)model->blocks + 1, dofs = 3 * (size_t)model->nodes + 1;
    struct NB(nb_proximal) *self = calloc(1, sizeof *self);
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    self->previous = calloc(rows, sizeof(nb_real));
    if (!allocate_point(&self->best, rows, dofs) || !allocate_point(&self->centre, rows, dofs) ||
        !allocate_point(&self->former, rows, dofs) || !self->previous)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the proximal Newton method");
    enum nb_status status = NB(nb_cone_create)(&self->cone, model, inner, error);
    if (!status && model->constant)
        status = NB(nb_anderson_create)(&self->anderson, self->cone->rows,
                                        self->cone->form->follow ? 0 : self->cone->dofs, error);
    if (!status && NB(nb_cone_path_fits)(self->cone))
        status = NB(nb_cone_path_create)(&self->path, self->cone, error);
    return status;
}

void NB(nb_point_keep)(const struct NB(nb_cone) *cone, struct NB(nb_point) *point, nb_real norm)
{
    point->norm = norm;
    memcpy(point->p, cone->p, cone->rows * sizeof *point->p);
    memcpy(point->u, cone->u, cone->dofs * sizeof *point->u);
}

void NB(nb_point_restore)(struct NB(nb_cone) *cone, const struct NB(nb_point) *point)
{
    memcpy(cone->p, point->p, cone->rows * sizeof *point->p);
    memcpy(cone->u, point->u, cone->dofs * sizeof *point->u);
}

nb_real NB(nb_proximal_scale)(const struct NB(nb_cone) *cone, nb_real start)
{
    nb_real sum = start * start;
    for (size_t i = 0; i < cone->rows; ++i)
        sum += cone->p[i] * cone->p[i] / cone->rho[i];
    return nb_sqrt(sum);
}

/* Where constraints contradict each other the norm falls by ever less while the forces grow without
 * bound: forces far beyond what stops the motion have to earn it. */
void NB(nb_proximal_keep_best)(struct NB(nb_proximal) *self)
{
    const nb_real natural = NB(nb_cone_natural)(self->cone, self->cone->p);
    const int huge = NB(nb_proximal_scale)(self->cone, 0) > NB_FORCES_GROWN * self->start;
    if (natural < (huge ? NB_REAL(0.5) : 1) * self->best.norm)
        NB(nb_point_keep)(self->cone, &self->best, natural);
}

void NB(nb_proximal_keep_centre)(struct NB(nb_proximal) *self)
{
    NB(nb_point_keep)(self->cone, &self->centre, NB(nb_cone_natural)(self->cone, self->cone->p));
}

void NB(nb_proximal_hand_out)(const struct NB(nb_proximal) *self,
                              const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    const int former = self->attempt > 0 && self->former.norm <= self->best.norm;
    const struct NB(nb_point) *point = former ? &self->former : &self->best;
    const nb_real *p = self->sweeping ? cone->p : point->p;
    /* The point itself stays: a run that is watched goes through the same bits as one that is not. */
    memcpy(task->u, self->sweeping ? cone->u : point->u, cone->dofs * sizeof *task->u);
    if (self->sweeping && cone->form->follow)
        cone->form->follow(cone, p, task->u);
    else if (cone->form->complete)
        cone->form->complete(cone, p, task->u);
    for (size_t i = 0; i < cone->rows; ++i)
        task->lambda[i] = p[i] / cone->model->time_step;
}

void NB(nb_proximal_publish)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task)
{
    const struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const int iteration = task->run->newton_iterations;
    if (!task->observer)
        return;
    NB(nb_proximal_hand_out)(self, task);
    self->stop = task->report(task, iteration, iteration > 0 ? &report : NULL);
}

int NB(nb_proximal_may_continue)(const struct NB(nb_proximal) *self,
                                 const struct NB(nb_method_task) *task)
{
    return !self->stop && task->run->newton_iterations < task->iterations;
}
