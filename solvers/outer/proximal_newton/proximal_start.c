/* Ways to the point from which Newton's method begins: sweeps, a path, a given start. */
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/outer/proximal_newton/proximal.h"
#include "solvers/outer/proximal_newton/sweep_watch.h"

enum { SWEEPS = 3 };
/* Sweeps stop at this change over the first, or near round-off; Newton's method is taken to need so many
 * steps for the same, and without contacts so few. */
#define SWEEP_AIM 1e-9
enum { NEWTON_STEPS = 6, LINEAR_STEPS = 2 };
/* The first sweeps find out who touches whom; what they change tells acceleration nothing. */
enum { PLAIN_SWEEPS = 3 };
enum { STIR_SWEEPS = 100 };
/* Newton's method is tried from the path where its norm is so much of the first one, then of that at the
 * last try; of the best point's norm where the path begins there. It ends where round-off is all that moves. */
#define FIRST_TRY NB_REAL(0.3)
#define NEXT_TRY NB_REAL(0.2)
#define PATH_END NB_REAL(1e-20)
#define WARM NB_REAL(0.1) /* a start's norm over that at p = 0, at most */

void NB(nb_proximal_sweep_a_little)(struct NB(nb_proximal) *self,
                                    const struct NB(nb_method_task) *task)
{
    for (int k = 0; k < 2 * SWEEPS; ++k)
        self->cone->form->sweep(self->cone, k % 2);
    task->run->newton_iterations++;
}

/* Of the Newton steps that would do what is left to the sweeps, in operations. Open contacts are not part of
 * the factor, whose price grows with the square (sparse) to the cube (full) of its rows. */
static double price_of_newton(const struct NB(nb_cone) *cone)
{
    const struct NB(nb_model) *model = cone->model;
    const size_t blocks = cone->rows / 3;
    size_t closed = 0;
    for (size_t i = 0; i < blocks; ++i)
        closed += i < (size_t)model->bilateral_blocks || cone->p[3 * i] > 0;
    const double share = blocks > 0 ? (double)closed / (double)blocks : 0;
    return (model->contacts > 0 ? NEWTON_STEPS : LINEAR_STEPS) *
           (cone->step_price - cone->closed_price * (1 - share * share));
}

int NB(nb_proximal_sweep)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    struct nb_sweep_watch watch = {
        .sweep_price = cone->sweep_price,
        .aim = fmax(SWEEP_AIM, 16 * NB_UNIT_ROUNDOFF),
    };
    const double begin = nb_seconds();
    int pays = 1;
    self->sweeping = 1;
    nb_real size = 0;
    NB(nb_anderson_restart)(&self->anderson);
    while (pays && NB(nb_proximal_may_continue)(self, task)) {
        if (watch.count >= PLAIN_SWEEPS)
            NB(nb_anderson_step)(&self->anderson, cone->rho, size, cone->p, cone->u);
        size = cone->form->sweep(cone, 0);
        watch.newton_price = price_of_newton(cone);
        pays = nb_sweep_pays(&watch, sqrt((double)size));
        task->run->newton_iterations++;
        task->run->linear_iterations++;
        if (pays)
            NB(nb_proximal_publish)(self, task);
    }
    task->run->linear_seconds += nb_seconds() - begin;
    return !pays;
}

void NB(nb_proximal_hand_over)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    if (self->sweeping && cone->form->follow)
        cone->form->follow(cone, cone->p, cone->u);
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    self->sweeping = 0;
    NB(nb_proximal_keep_best)(self);
    NB(nb_proximal_keep_centre)(self);
    if (self->best.norm < self->start) /* what is nearly solved needs little regularisation */
        self->sigma *= sqrt((double)(self->best.norm / self->start));
    NB(nb_proximal_publish)(self, task);
}

void NB(nb_proximal_go_along)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task)
{
    const double begin = nb_seconds();
    nb_real norm = self->path_norm;
    if (norm == 0 && self->way->weight > 0) {
        norm = self->anchor_norm = self->former.norm;
        NB(nb_cone_path_begin_at)(self->path, self->former.u, self->former.p, self->way->weight, task->run,
                                  task->iterations);
    } else if (norm == 0) {
        norm = self->start * FIRST_TRY / NEXT_TRY;
        NB(nb_cone_path_begin)(self->path, self->way->path, task->run, task->iterations);
    }
    const nb_real wanted = norm * NEXT_TRY;
    self->path_ended = 0;
    while (!self->path_ended && norm > wanted && NB(nb_proximal_may_continue)(self, task)) {
        NB(nb_cone_path_move)(self->path);
        const nb_real next = NB(nb_cone_path_step)(self->path);
        NB(nb_proximal_publish)(self, task);
        self->path_ended = !isfinite(next) || NB(nb_cone_path_left)(self->path) < PATH_END;
        norm = isfinite(next) ? next : norm;
    }
    self->path_norm = norm;
    task->run->assembly_seconds += nb_seconds() - begin;
}

int NB(nb_proximal_take_start)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    nb_real given = 0;
    for (size_t i = 0; i < cone->rows; ++i)
        given = nb_max(given, nb_abs(task->lambda[i]));
    if (self->attempt > 0 || !(given > 0))
        return 0;
    memcpy(cone->u, task->u, cone->dofs * sizeof *cone->u);
    for (size_t i = 0; i < cone->rows; ++i)
        cone->p[i] = cone->model->time_step * task->lambda[i];
    if (cone->form->follow)
        cone->form->follow(cone, cone->p, cone->u);
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    NB(nb_proximal_keep_best)(self);
    if (self->best.norm < WARM * self->start)
        return 1;
    self->start = NB(nb_cone_begin)(cone);
    NB(nb_point_keep)(cone, &self->best, self->start);
    return 0;
}

void NB(nb_proximal_stir)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task)
{
    struct NB(nb_cone) *cone = self->cone;
    nb_real size = 0;
    NB(nb_anderson_restart)(&self->anderson);
    for (int k = 0; k < STIR_SWEEPS; ++k) {
        NB(nb_anderson_step)(&self->anderson, cone->rho, size, cone->p, cone->u);
        size = cone->form->sweep(cone, 0);
    }
    if (cone->form->follow)
        cone->form->follow(cone, cone->p, cone->u);
    NB(nb_cone_evaluate)(cone, cone->u, cone->p);
    NB(nb_proximal_keep_best)(self);
    NB(nb_proximal_keep_centre)(self);
    task->run->newton_iterations++;
    NB(nb_proximal_publish)(self, task);
}
