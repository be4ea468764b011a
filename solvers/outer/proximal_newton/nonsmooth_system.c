/* What the primal and the dual formulation share: the Alart-Curnier map F with its proximal term and slopes P', the
 * energy norm, the elimination dp = -A^-1 F - B dU of a contact, and the Newton step, full but for the limits of
 * step_limits.c. */
#include "solvers/outer/proximal_newton/nonsmooth_system.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/clock.h"
#include "solvers/block/block3.h"
#include "solvers/contact/alart_curnier.h"
#include "solvers/outer/proximal_newton/parameters.h"

void nb_nonsmooth_free(struct nb_nonsmooth *system)
{
    if (!system)
        return;
    if (system->form)
        system->form->free(system->self);
    free(system->memory);
    free(system);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_nonsmooth *system = data;
    nb_real **rows[] = {&system->p, &system->step_p, &system->anchor, &system->rho,
                        &system->velocity, &system->residual, &system->scratch};
    nb_real **blocks[] = {&system->local, &system->slope, &system->contact_tangent};
    nb_real **dofs[] = {&system->u, &system->step_u, &system->defect, &system->momentum, &system->first_u};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        NB_ARRAY(arena, *rows[i], system->rows);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        NB_ARRAY(arena, *blocks[i], 3 * system->rows);
    for (size_t i = 0; i < sizeof dofs / sizeof *dofs; ++i)
        NB_ARRAY(arena, *dofs[i], system->dofs);
    NB_ARRAY(arena, system->contact, system->model->contacts);
    NB_ARRAY(arena, system->left_out, system->rows / 3);
}

/* A linear step with far more velocities than rows is smaller in its rows. */
static const struct nb_formulation *choose_form(const struct NB(nb_model) *model)
{
    const int blocks = model->inertia_kind == NB_INERTIA_BLOCKS;
    const int most = blocks ? 2 * model->blocks : model->blocks - 1;
    const int bodies = model->inertia_kind != NB_INERTIA_DELASSUS &&
                       (!model->constant || model->nodes <= most);
    return bodies ? &nb_primal_formulation : &nb_dual_formulation;
}

static void scale_rows(struct nb_nonsmooth *system)
{
    const size_t bilateral = 3 * (size_t)system->model->bilateral_blocks;
    for (size_t i = 0; i < system->rows; i += 3) {
        const nb_real *block = system->local + 3 * i;
        const nb_real diagonal[3] = {block[0], block[4], block[8]};
        const nb_real tangent = nb_max(diagonal[1], diagonal[2]);
        for (size_t r = 0; r < 3; ++r) {
            const nb_real own = i < bilateral || r == 0 ? diagonal[r] : tangent;
            system->rho[i + r] = 1 / (own > 0 ? own : 1);
        }
    }
}

/* Energy of F at p, proximal weight sigma; slope NULL: F is not kept. Where the projection does nothing F is
 * p - z without the difference: rho U is far smaller than the round-off of p under a large force, most of all
 * in the rotations of light bodies. */
static nb_real map(const struct nb_nonsmooth *system, const nb_real *p, nb_real sigma, nb_real *out, nb_real *slope)
{
    const size_t bilateral = 3 * (size_t)system->model->bilateral_blocks;
    nb_real energy = 0;
    for (size_t i = 0; i < system->rows; i += 3) {
        const nb_real weight = nb_nonsmooth_weight(system, i / 3, sigma);
        nb_real z[3], back[3], projection[3] = {0, 0, 0}, unwanted[9];
        for (size_t r = i; r < i + 3; ++r) {
            const nb_real away = p[r] - system->anchor[r];
            back[r - i] = system->rho[r] * system->velocity[r] + weight * away;
            z[r - i] = p[r] - back[r - i];
        }
        if (i >= bilateral)
            NB(nb_cone_product)(z, system->model->friction[(i - bilateral) / 3], projection,
                                slope ? slope + 3 * i : unwanted);
        for (size_t r = i; r < i + 3; ++r) {
            const int within = i < bilateral || projection[r - i] == z[r - i];
            const nb_real f = within ? back[r - i] : p[r] - projection[r - i];
            energy += f * f / system->rho[r];
            if (slope)
                out[r] = f;
        }
    }
    return energy;
}

void nb_nonsmooth_bilateral_tangent(const struct nb_nonsmooth *system, int i, nb_real *contact_tangent)
{
    const nb_real *rho = system->rho + 3 * (size_t)i;
    const nb_real sigma = nb_nonsmooth_weight(system, (size_t)i, system->sigma);
    nb_real held[9];
    for (int k = 0; k < 9; ++k)
        held[k] = system->model->bilateral_compliance[9 * (size_t)i + (size_t)k] +
                  (k % 4 == 0 ? sigma / rho[k / 4] : 0);
    NB(nb_block_invert)(held, contact_tangent);
}

void nb_nonsmooth_eliminate(const struct nb_nonsmooth *system, int i, nb_real *inverse, nb_real *contact_tangent)
{
    const nb_real *rho = system->rho + 3 * (size_t)i, *slope = system->slope + 9 * (size_t)i;
    nb_real a[9];
    if (i < system->model->bilateral_blocks) {
        nb_nonsmooth_bilateral_tangent(system, i, contact_tangent);
        for (int k = 0; k < 9; ++k)
            inverse[k] = contact_tangent[k] / rho[k % 3];
        return;
    }
    for (int k = 0; k < 9; ++k)
        a[k] = (nb_real)(k % 4 == 0) - (1 - system->sigma) * slope[k];
    NB(nb_block_invert)(a, inverse);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            contact_tangent[3 * r + c] = (inverse[3 * r] * slope[c] + inverse[3 * r + 1] * slope[3 + c] +
                                          inverse[3 * r + 2] * slope[6 + c]) * rho[c];
}

nb_real nb_nonsmooth_evaluate(struct nb_nonsmooth *system, const nb_real *u, const nb_real *p)
{
    system->defect_energy = system->form->evaluate(system, u, p);
    return nb_sqrt(map(system, p, system->sigma, system->residual, system->slope) + system->defect_energy);
}

nb_real nb_nonsmooth_natural_norm(const struct nb_nonsmooth *system, const nb_real *p)
{
    return nb_sqrt(map(system, p, 0, NULL, NULL) + system->defect_energy);
}

static void prepare_contacts(struct nb_nonsmooth *system)
{
    const nb_real *block = system->local + 9 * (size_t)system->model->bilateral_blocks;
    for (int i = 0; i < system->model->contacts; ++i, block += 9)
        NB(nb_precompute_contact)(block, system->model->friction[i], system->contact + i);
}

/* p = 0, u = u~ by the form, and the norm there. */
static nb_real find_first(struct nb_nonsmooth *system)
{
    memset(system->p, 0, system->rows * sizeof *system->p);
    memset(system->anchor, 0, system->rows * sizeof *system->anchor);
    system->sigma = 0;
    system->form->begin(system);
    scale_rows(system);
    system->softness = nb_nonsmooth_softness(system);
    prepare_contacts(system);
    return nb_nonsmooth_evaluate(system, system->u, system->p);
}

nb_real nb_nonsmooth_begin(struct nb_nonsmooth *system)
{
    if (!system->model->constant)
        return find_first(system);
    memset(system->p, 0, system->rows * sizeof *system->p);
    memset(system->anchor, 0, system->rows * sizeof *system->anchor);
    system->sigma = 0;
    memcpy(system->u, system->first_u, system->dofs * sizeof *system->u);
    for (int i = 0; i < system->model->contacts; ++i)
        system->contact[i].alpha = 0;
    return system->first_norm;
}

enum nb_status nb_nonsmooth_create(struct nb_nonsmooth **out, struct NB(nb_model) * model,
                                   enum nb_newton_factors factors, struct nb_error *error)
{
    struct nb_nonsmooth *system = calloc(1, sizeof *system);
    *out = NULL;
    if (!system)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a step's contacts");
    system->model = model;
    system->factors = factors;
    system->rows = 3 * (size_t)model->blocks;
    system->dofs = 3 * (size_t)model->nodes;
    system->memory = nb_arena_allocate(lay_out, system);
    enum nb_status status = NB_OK;
    if (!system->memory)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu rows of contact", system->rows);
    if (!status) {
        system->form = choose_form(model);
        status = system->form->create(system, error);
    }
    if (status) {
        nb_nonsmooth_free(system);
        return status;
    }
    if (model->constant) {
        system->first_norm = find_first(system);
        memcpy(system->first_u, system->u, system->dofs * sizeof *system->u);
    }
    *out = system;
    return NB_OK;
}

/* Goes on by the fraction t of the step; the norm there. */
static nb_real take_step(struct nb_nonsmooth *system, nb_real t)
{
    for (size_t i = 0; i < system->rows; ++i)
        system->p[i] += t * system->step_p[i];
    for (size_t i = 0; i < system->dofs; ++i)
        system->u[i] += t * system->step_u[i];
    NB(nb_model_clear_axes)(system->model, system->p);
    return nb_nonsmooth_evaluate(system, system->u, system->p);
}

enum nb_status nb_nonsmooth_step(struct nb_nonsmooth *system, struct nb_run *run, nb_real *norm)
{
    const double begin = nb_seconds();
    const enum nb_status status = system->form->direction(system);
    const double directed = nb_seconds();
    run->assembly_seconds += directed - begin;
    run->newton_iterations++;
    if (status)
        return status;
    run->linear_iterations++;
    *norm = take_step(system, nb_nonsmooth_step_length(system));
    run->linear_seconds += nb_seconds() - directed;
    return isfinite(*norm) ? NB_OK : NB_BREAKDOWN;
}
