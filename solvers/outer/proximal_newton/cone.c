/* What both forms of a step share: the map, its norm, and the Newton step. */
#include "solvers/outer/proximal_newton/cone.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/block/block3.h"
#include "solvers/contact/alart_curnier.h"

/* Forcing terms of inexact steps: what a linear solve leaves of the norm. */
#define FORCING NB_REAL(0.9)
#define MOST_FORCING NB_REAL(0.01)
#define LEAST_FORCING NB_REAL(1e-6)
#define MOST_LEFT NB_REAL(0.5)
/* A step that leaves more of the norm has not paid. */
#define PAYS NB_REAL(0.9)

void NB(nb_cone_free)(struct NB(nb_cone) *cone)
{
    if (!cone)
        return;
    if (cone->form)
        cone->form->free(cone->self);
    free(cone->storage);
    free(cone->contact);
    free(cone->left_out);
    free(cone);
}

static enum nb_status allocate(struct NB(nb_cone) *cone, struct nb_error *error)
{
    nb_real **rows[] = {&cone->p, &cone->step_p, &cone->anchor, &cone->rho,
                        &cone->velocity, &cone->residual, &cone->scratch};
    nb_real **blocks[] = {&cone->local, &cone->slope, &cone->middle};
    nb_real **dofs[] = {&cone->u, &cone->step_u, &cone->defect, &cone->momentum, &cone->first_u};
    const size_t count[] = {sizeof rows / sizeof *rows, sizeof blocks / sizeof *blocks,
                            sizeof dofs / sizeof *dofs};
    cone->storage = calloc((count[0] + 3 * count[1]) * cone->rows + count[2] * cone->dofs + 1,
                           sizeof *cone->storage);
    cone->contact = calloc((size_t)cone->model->contacts + 1, sizeof *cone->contact);
    cone->left_out = calloc(cone->rows / 3 + 1, sizeof *cone->left_out);
    if (!cone->storage || !cone->contact || !cone->left_out)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu rows of contact", cone->rows);
    nb_real *next = cone->storage;
    for (size_t i = 0; i < count[0]; ++i, next += cone->rows)
        *rows[i] = next;
    for (size_t i = 0; i < count[1]; ++i, next += 3 * cone->rows)
        *blocks[i] = next;
    for (size_t i = 0; i < count[2]; ++i, next += cone->dofs)
        *dofs[i] = next;
    return NB_OK;
}

/* A linear step with far more velocities than rows is smaller in its rows. */
static const struct NB(nb_cone_form) *choose_form(const struct NB(nb_model) *model)
{
    const int blocks = model->inertia_kind == NB_INERTIA_BLOCKS;
    const int most = blocks ? 2 * model->blocks : model->blocks - 1;
    const int bodies = model->inertia_kind != NB_INERTIA_DELASSUS &&
                       (!model->constant || model->nodes <= most);
    return bodies ? &NB(nb_cone_bodies) : &NB(nb_cone_delassus);
}

static void scale_rows(struct NB(nb_cone) *cone)
{
    const size_t bilateral = 3 * (size_t)cone->model->bilateral_blocks;
    for (size_t i = 0; i < cone->rows; i += 3) {
        const nb_real *block = cone->local + 3 * i;
        const nb_real diagonal[3] = {block[0], block[4], block[8]};
        const nb_real tangent = nb_max(diagonal[1], diagonal[2]);
        for (size_t r = 0; r < 3; ++r) {
            const nb_real own = i < bilateral || r == 0 ? diagonal[r] : tangent;
            cone->rho[i + r] = 1 / (own > 0 ? own : 1);
        }
    }
}

/* Energy of F at p, proximal weight sigma; slope NULL: F is not kept. Where the projection does nothing F is
 * p - z without the difference: rho U is far smaller than the round-off of p under a large force, most of all
 * in the rotations of light bodies. */
static nb_real map(const struct NB(nb_cone) *cone, const nb_real *p, nb_real sigma, nb_real *out,
                   nb_real *slope)
{
    const size_t bilateral = 3 * (size_t)cone->model->bilateral_blocks;
    nb_real energy = 0;
    for (size_t i = 0; i < cone->rows; i += 3) {
        const nb_real weight = NB(nb_cone_weight)(cone, i / 3, sigma);
        nb_real z[3], back[3], projection[3] = {0, 0, 0}, unwanted[9];
        for (size_t r = i; r < i + 3; ++r) {
            const nb_real away = p[r] - cone->anchor[r];
            back[r - i] = cone->rho[r] * cone->velocity[r] + weight * away;
            z[r - i] = p[r] - back[r - i];
        }
        if (i >= bilateral)
            NB(nb_cone_product)(z, cone->model->friction[(i - bilateral) / 3], projection,
                                slope ? slope + 3 * i : unwanted);
        for (size_t r = i; r < i + 3; ++r) {
            const int within = i < bilateral || projection[r - i] == z[r - i];
            const nb_real f = within ? back[r - i] : p[r] - projection[r - i];
            energy += f * f / cone->rho[r];
            if (slope)
                out[r] = f;
        }
    }
    return energy;
}

void NB(nb_cone_bilateral_middle)(const struct NB(nb_cone) *cone, int i, nb_real *middle)
{
    const nb_real *rho = cone->rho + 3 * (size_t)i;
    const nb_real sigma = NB(nb_cone_weight)(cone, (size_t)i, cone->sigma);
    nb_real held[9];
    for (int k = 0; k < 9; ++k)
        held[k] = cone->model->bilateral_compliance[9 * (size_t)i + (size_t)k] +
                  (k % 4 == 0 ? sigma / rho[k / 4] : 0);
    NB(nb_block_invert)(held, middle);
}

void NB(nb_cone_eliminate)(const struct NB(nb_cone) *cone, int i, nb_real *inverse, nb_real *middle)
{
    const nb_real *rho = cone->rho + 3 * (size_t)i, *slope = cone->slope + 9 * (size_t)i;
    nb_real a[9];
    if (i < cone->model->bilateral_blocks) {
        NB(nb_cone_bilateral_middle)(cone, i, middle);
        for (int k = 0; k < 9; ++k)
            inverse[k] = middle[k] / rho[k % 3];
        return;
    }
    for (int k = 0; k < 9; ++k)
        a[k] = (nb_real)(k % 4 == 0) - (1 - cone->sigma) * slope[k];
    NB(nb_block_invert)(a, inverse);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            middle[3 * r + c] = (inverse[3 * r] * slope[c] + inverse[3 * r + 1] * slope[3 + c] +
                                 inverse[3 * r + 2] * slope[6 + c]) * rho[c];
}

nb_real NB(nb_cone_evaluate)(struct NB(nb_cone) *cone, const nb_real *u, const nb_real *p)
{
    cone->defect_energy = cone->form->evaluate(cone, u, p);
    return nb_sqrt(map(cone, p, cone->sigma, cone->residual, cone->slope) + cone->defect_energy);
}

nb_real NB(nb_cone_natural)(const struct NB(nb_cone) *cone, const nb_real *p)
{
    return nb_sqrt(map(cone, p, 0, NULL, NULL) + cone->defect_energy);
}

static void prepare_contacts(struct NB(nb_cone) *cone)
{
    const nb_real *block = cone->local + 9 * (size_t)cone->model->bilateral_blocks;
    for (int i = 0; i < cone->model->contacts; ++i, block += 9)
        NB(nb_prepare_contact)(block, cone->model->friction[i], cone->contact + i);
}

/* p = 0, u = u~ by the form, and the norm there. */
static nb_real find_first(struct NB(nb_cone) *cone)
{
    memset(cone->p, 0, cone->rows * sizeof *cone->p);
    memset(cone->anchor, 0, cone->rows * sizeof *cone->anchor);
    cone->sigma = 0;
    cone->form->begin(cone);
    scale_rows(cone);
    cone->softness = NB(nb_cone_softness)(cone);
    prepare_contacts(cone);
    return NB(nb_cone_evaluate)(cone, cone->u, cone->p);
}

nb_real NB(nb_cone_begin)(struct NB(nb_cone) *cone)
{
    NB(nb_cone_matrix_forget)(cone->matrix);
    if (!cone->model->constant)
        return find_first(cone);
    memset(cone->p, 0, cone->rows * sizeof *cone->p);
    memset(cone->anchor, 0, cone->rows * sizeof *cone->anchor);
    cone->sigma = 0;
    memcpy(cone->u, cone->first_u, cone->dofs * sizeof *cone->u);
    for (int i = 0; i < cone->model->contacts; ++i)
        cone->contact[i].alpha = 0;
    return cone->first_norm;
}

enum nb_status NB(nb_cone_create)(struct NB(nb_cone) **out, struct NB(nb_model) *model,
                                  enum nb_inner_method inner, struct nb_error *error)
{
    struct NB(nb_cone) *cone = calloc(1, sizeof *cone);
    *out = NULL;
    if (!cone)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a step's contacts");
    cone->model = model;
    cone->inner = inner;
    cone->rows = 3 * (size_t)model->blocks;
    cone->dofs = 3 * (size_t)model->nodes;
    enum nb_status status = allocate(cone, error);
    if (!status) {
        cone->form = choose_form(model);
        status = cone->form->create(cone, error);
    }
    if (status) {
        NB(nb_cone_free)(cone);
        return status;
    }
    if (model->constant) {
        cone->first_norm = find_first(cone);
        memcpy(cone->first_u, cone->u, cone->dofs * sizeof *cone->u);
    }
    *out = cone;
    return NB_OK;
}

/* Goes on by t steps; the norm there. */
static nb_real move(struct NB(nb_cone) *cone, nb_real t)
{
    for (size_t i = 0; i < cone->rows; ++i)
        cone->p[i] += t * cone->step_p[i];
    for (size_t i = 0; i < cone->dofs; ++i)
        cone->u[i] += t * cone->step_u[i];
    NB(nb_model_clear_axes)(cone->model, cone->p);
    return NB(nb_cone_evaluate)(cone, cone->u, cone->p);
}

/* Eisenstat and Walker 1996, choice 2: as much as the last step left of the norm, squared. A proximal problem
 * asks for a tenth of its first norm, which its first step should not miss by inexactness. */
static void set_tolerance(struct NB(nb_cone) *cone, nb_real norm)
{
    const nb_real ratio = cone->former > 0 ? norm / cone->former : 1;
    cone->tolerance = norm * nb_max(nb_min(FORCING * ratio * ratio, MOST_FORCING), LEAST_FORCING);
    cone->most_left = MOST_LEFT * norm;
    cone->former = norm;
}

enum nb_status NB(nb_cone_step)(struct NB(nb_cone) *cone, struct nb_run *run, nb_real *norm)
{
    const double begin = nb_seconds();
    set_tolerance(cone, *norm);
    const enum nb_status status = cone->form->direction(cone);
    const double directed = nb_seconds();
    run->assembly_seconds += directed - begin;
    run->newton_iterations++;
    if (status)
        return status;
    run->linear_iterations += cone->products > 0 ? cone->products : 1;
    const nb_real before = *norm;
    nb_real t = NB(nb_cone_step_length)(cone);
    *norm = move(cone, t);
    for (int k = 0; k < cone->halvings && !(*norm < before); ++k, t /= 2)
        *norm = move(cone, -t / 2);
    if (cone->products > 0)
        NB(nb_cone_matrix_judge)(cone->matrix, *norm < PAYS * before);
    run->linear_seconds += nb_seconds() - directed;
    return isfinite(*norm) ? NB_OK : NB_BREAKDOWN;
}
