/* The point from which Newton's method begins: what Gauss-Seidel sweeps leave, an interior or a homotopy's point, or
 * a given start. Sweeps of a linear step are accelerated (anderson.h) and end where Newton steps are expected to cost
 * less (sweep_cost.h); where they leave a large one far from a solution, interior points come next. A homotopy is
 * followed until its norm has fallen to NB_FIRST_TRY of the first one, then to NB_NEXT_TRY of that of the last try, or,
 * where it begins at the incumbent, of the incumbent's. */
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/outer/proximal_newton/proximal_state.h"
#include "solvers/outer/proximal_newton/sweep_cost.h"

void nb_proximal_presweep(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    for (int k = 0; k < 2 * NB_PRESWEEPS; ++k)
        self->system->form->sweep(self->system, k % 2);
    task->run->newton_iterations++;
}

/* Of the blocks, those that carry a force, and bilateral ones. */
static double closed_share(const struct nb_nonsmooth *system)
{
    const size_t blocks = system->rows / 3;
    size_t closed = 0;
    for (size_t i = 0; i < blocks; ++i)
        closed += i < (size_t)system->model->bilateral_blocks || system->p[3 * i] > 0;
    return blocks > 0 ? (double)closed / (double)blocks : 0;
}

/* Of the Newton steps that would do what is left to the sweeps, in operations. Open contacts are not part of
 * the factor, whose cost grows with the square (sparse) to the cube (full) of its rows. */
static double cost_of_newton(const struct nb_nonsmooth *system)
{
    const double share = closed_share(system);
    return (system->model->contacts > 0 ? NB_SWEEP_NEWTON_STEPS : NB_SWEEP_LINEAR_STEPS) *
           (system->step_cost - system->closed_contacts_cost * (1 - share * share));
}

int nb_proximal_sweep(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    struct nb_sweep_cost watch = {
        .sweep_cost = system->sweep_cost,
        .aim = fmax(NB_SWEEP_AIM, 16 * NB_UNIT_ROUNDOFF),
    };
    const double begin = nb_seconds();
    int pays = 1;
    self->sweeping = 1;
    nb_real size = 0;
    nb_anderson_restart(&self->anderson);
    while (pays && nb_proximal_may_continue(self, task)) {
        if (watch.count >= NB_PLAIN_SWEEPS)
            nb_anderson_step(&self->anderson, system->rho, size, system->p, system->u);
        size = system->form->sweep(system, 0);
        watch.newton_cost = cost_of_newton(system);
        pays = nb_sweeps_are_worthwhile(&watch, sqrt((double)size));
        task->run->newton_iterations++;
        task->run->linear_iterations++;
        if (pays)
            nb_proximal_publish(self, task);
    }
    task->run->linear_seconds += nb_seconds() - begin;
    return !pays;
}

void nb_proximal_begin_newton(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    if (self->sweeping && system->form->follow)
        system->form->follow(system, system->p, system->u);
    nb_nonsmooth_evaluate(system, system->u, system->p);
    self->sweeping = 0;
    nb_proximal_update_incumbent(self);
    nb_proximal_set_centre(self);
    if (self->incumbent.norm < self->start) /* what is nearly solved needs little regularisation */
        self->sigma *= sqrt((double)(self->incumbent.norm / self->start));
    nb_proximal_publish(self, task);
}

void nb_proximal_follow_homotopy(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    const struct nb_restart *strategy = &nb_restarts[self->restart];
    const double begin = nb_seconds();
    nb_real norm = self->homotopy_norm;
    if (norm == 0 && strategy->omega > 0) {
        norm = self->anchor_norm = self->earlier.norm;
        nb_homotopy_begin_at(self->homotopy, self->earlier.u, self->earlier.p, strategy->omega, task->run,
                             task->iterations);
    } else if (norm == 0) {
        norm = self->start * NB_FIRST_TRY / NB_NEXT_TRY;
        nb_homotopy_begin(self->homotopy, strategy->rate, task->run, task->iterations);
    }
    const nb_real wanted = norm * NB_NEXT_TRY;
    self->homotopy_ended = 0;
    while (!self->homotopy_ended && norm > wanted && nb_proximal_may_continue(self, task)) {
        nb_homotopy_update_geometry(self->homotopy);
        const nb_real next = nb_homotopy_step(self->homotopy);
        nb_proximal_publish(self, task);
        self->homotopy_ended = !isfinite(next) || nb_homotopy_remaining(self->homotopy) < NB_HOMOTOPY_END;
        norm = isfinite(next) ? next : norm;
    }
    self->homotopy_norm = norm;
    task->run->assembly_seconds += nb_seconds() - begin;
}

/* Whether fewer blocks part than do not, at the velocities evaluated last. That tells more than the forces do: a few
 * sweeps bring no force to most contacts of a large step at rest, but those that they do not reach do not part. */
static int is_mostly_closed(const struct nb_nonsmooth *system)
{
    const size_t first = 3 * (size_t)system->model->bilateral_blocks;
    nb_real speed = 0;
    size_t open = 0;
    for (size_t i = first; i < system->rows; ++i)
        speed = nb_max(speed, nb_abs(system->velocity[i]));
    for (size_t i = first; i < system->rows; i += 3)
        open += system->p[i] <= 0 && system->velocity[i] > NB_FAR * speed;
    return 2 * open < system->rows / 3;
}

int nb_proximal_wants_interior(const struct nb_proximal *self)
{
    const int dear = nb_newton_matrix_operations(self->system->matrix) >= NB_SMALL_FACTOR;
    return self->interior && self->interior_first && dear && self->incumbent.norm > NB_FAR * self->start &&
           is_mostly_closed(self->system);
}

/* Each costs a factor, as a Newton step does, but their number hardly grows with the step. */
void nb_proximal_follow_interior(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    const nb_real from = self->incumbent.norm;
    const int first = task->run->newton_iterations;
    nb_real norm = nb_interior_begin(self->interior, 0);
    int stagnant = 0;
    self->followed = 1;
    while (stagnant < NB_INTERIOR_PATIENCE && self->incumbent.norm > NB_SOLVED * self->start &&
           nb_proximal_may_continue(self, task) && !nb_interior_iterate(self->interior, task->run, &norm)) {
        const nb_real before = self->incumbent.norm;
        nb_proximal_update_incumbent(self);
        nb_proximal_publish(self, task);
        stagnant = self->incumbent.norm < before ? 0 : stagnant + 1;
    }
    if (self->incumbent.norm < from) {
        nb_iterate_restore(system, &self->incumbent);
        nb_iterate_save(system, &self->centre, self->incumbent.norm);
        self->sigma *= sqrt((double)(self->incumbent.norm / from));
    } else {
        nb_iterate_restore(system, &self->centre);
    }
    self->begun += task->run->newton_iterations - first;
}

int nb_proximal_warm_start(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    nb_real given = 0;
    for (size_t i = 0; i < system->rows; ++i)
        given = nb_max(given, nb_abs(task->lambda[i]));
    if (!(given > 0))
        return 0;
    memcpy(system->u, task->u, system->dofs * sizeof *system->u);
    for (size_t i = 0; i < system->rows; ++i)
        system->p[i] = system->model->time_step * task->lambda[i];
    if (system->form->follow)
        system->form->follow(system, system->p, system->u);
    nb_nonsmooth_evaluate(system, system->u, system->p);
    nb_proximal_update_incumbent(self);
    if (self->incumbent.norm < NB_WARM * self->start)
        return 1;
    self->start = nb_nonsmooth_begin(system);
    nb_iterate_save(system, &self->incumbent, self->start);
    return 0;
}

void nb_proximal_perturb(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_nonsmooth *system = self->system;
    nb_real size = 0;
    nb_anderson_restart(&self->anderson);
    for (int k = 0; k < NB_PERTURBING_SWEEPS; ++k) {
        nb_anderson_step(&self->anderson, system->rho, size, system->p, system->u);
        size = system->form->sweep(system, 0);
    }
    if (system->form->follow)
        system->form->follow(system, system->p, system->u);
    nb_nonsmooth_evaluate(system, system->u, system->p);
    nb_proximal_update_incumbent(self);
    nb_proximal_set_centre(self);
    task->run->newton_iterations++;
    nb_proximal_publish(self, task);
}
