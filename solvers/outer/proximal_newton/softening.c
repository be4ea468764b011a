/* Restart along a path of softer steps. Cloth under pressure buckles: where h^2 k/m is large, Newton's method ends
 * between the many ways in which edges can fold. With distances that are softer there are fewer, and each solution
 * leads to that of rows a little stiffer:
 *
 *     E_k = s_k E,   s_0 = NB_SOFTER, from p = 0 and u~;   s_k+1 = max(1, s_k/r) from the solution for s_k,
 *
 * to NB_FAR of the first norm each, the last, s = 1, to the end. Where a point is not reached, r becomes its root and
 * the point before leads to a nearer one; where r has come near 1, another path begins at a softness NB_SOFTER times
 * as large. Rows of elements are evaluated anew at each point and stay as they are. */
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/outer/proximal_newton/proximal_state.h"

static int applies(const struct NB(nb_model) *model)
{
    const struct nb_distances *distances = &model->problem->distances;
    int soft = 0;
    for (int i = 0; i < distances->count; ++i)
        soft |= distances->compliance[i] > 0;
    return soft && !model->constant;
}

static size_t entries(const struct nb_proximal *self)
{
    return 9 * (size_t)self->system->model->bilateral_blocks;
}

void nb_softening_lay_out(struct nb_proximal *self, struct nb_arena *arena)
{
    if (!applies(self->system->model))
        return;
    NB_ARRAY(arena, self->soft.compliance, entries(self));
    NB_ARRAY(arena, self->soft.solved.p, self->system->rows);
    NB_ARRAY(arena, self->soft.solved.u, self->system->dofs);
}

void nb_softening_apply(struct nb_proximal *self, nb_real softness)
{
    for (size_t i = 0; i < entries(self); ++i)
        self->system->model->bilateral_compliance[i] = softness * self->soft.compliance[i];
    self->soft.softness = softness;
}

static void begin_path(struct nb_softening *soft, nb_real first)
{
    soft->first = first;
    soft->ratio = NB_STIFFENED;
    soft->reached = 0;
}

int nb_softening_begin(struct nb_proximal *self, const struct NB(nb_method_task) *task)
{
    struct nb_softening *soft = &self->soft;
    if (soft->first == 0) {
        memcpy(soft->compliance, self->system->model->bilateral_compliance, entries(self) * sizeof *soft->compliance);
        begin_path(soft, NB_SOFTER);
        nb_softening_apply(self, soft->first);
    }
    if (soft->reached == 0)
        return 0;
    nb_iterate_restore(self->system, &soft->solved);
    self->incumbent.norm = NB_REAL(INFINITY); /* it was another step's */
    self->sigma = NB_SIGMA_FIRST;
    self->floor = self->momentum = 0;
    self->stagnant = 0;
    nb_proximal_begin_newton(self, task);
    return 1;
}

/* The softness after that of the model; 0: there is none. */
static nb_real next_softness(struct nb_proximal *self)
{
    struct nb_softening *soft = &self->soft;
    if (self->incumbent.norm <= NB_FAR * self->start) {
        nb_iterate_restore(self->system, &self->incumbent);
        nb_iterate_save(self->system, &soft->solved, self->incumbent.norm);
        soft->reached = soft->softness;
        return nb_max(1, soft->reached / soft->ratio);
    }
    soft->ratio = nb_sqrt(soft->ratio);
    if (soft->reached > 0 && soft->ratio > NB_STIFFENED_LEAST)
        return nb_max(1, soft->reached / soft->ratio);
    begin_path(soft, soft->first * NB_SOFTER);
    return soft->first < NB_SOFTEST ? soft->first : 0;
}

int nb_softening_next(struct nb_proximal *self)
{
    const nb_real softness = next_softness(self);
    nb_softening_apply(self, softness > 0 ? softness : 1);
    if (softness == 0)
        self->incumbent.norm = NB_REAL(INFINITY);
    return softness > 0;
}
