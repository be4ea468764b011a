/* The mixed system's products, and its preconditioners from 3x3 blocks: of M, and of the Schur complement
 * J M^^-1 J^T + C on the active rows (Verschoor and Jalba 2019). */
#include "solvers/outer/mixed_conjugate_residual/mixed_system.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/model/model_mass.h"

void nb_mixed_free(struct nb_mixed_system *system)
{
    free(system->memory);
    memset(system, 0, sizeof *system);
}

/* inverse of a symmetric positive definite block; of its diagonal where it is not. */
static void invert(const nb_real *block, nb_real *inverse)
{
    if (nb_mass_invert(block, inverse))
        return;
    for (int e = 0; e < 9; ++e)
        inverse[e] = e % 4 ? 0 : block[e] > 0 ? 1 / block[e] : 1;
}

static void keep_diagonal(nb_real *block)
{
    for (int e = 0; e < 9; ++e)
        if (e % 4)
            block[e] = 0;
}

static void fill_mass(struct nb_mixed_system *system)
{
    const struct nb_model *model = system->model;
    nb_mass_blocks(model, system->mass);
    system->scale = system->precond == NB_MIXED_NONE ? 0 : 1;
    for (size_t i = 0; i < 3 * system->dofs && system->precond == NB_MIXED_NONE; ++i)
        system->scale = nb_max(system->scale, nb_abs(system->mass[i]));
    for (int node = 0; node < model->nodes; ++node) {
        nb_real block[9];
        memcpy(block, system->mass + 9 * (size_t)node, sizeof block);
        if (system->precond == NB_MIXED_DIAGONAL)
            keep_diagonal(block);
        invert(block, system->inverse_mass + 9 * (size_t)node);
    }
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_mixed_system *system = data;
    NB_ARRAY(arena, system->mass, 3 * system->dofs);
    NB_ARRAY(arena, system->inverse_mass, 3 * system->dofs);
    NB_ARRAY(arena, system->dof_work, system->dofs);
    NB_ARRAY(arena, system->inverse_schur, 3 * system->rows);
    NB_ARRAY(arena, system->active, system->rows);
    NB_ARRAY(arena, system->base, system->rows);
    NB_ARRAY(arena, system->rho, system->rows);
    NB_ARRAY(arena, system->row_work, system->rows);
}

enum nb_status nb_mixed_create(struct nb_mixed_system *system, struct nb_model *model,
                               int precond, struct nb_error *error)
{
    memset(system, 0, sizeof *system);
    if (model->inertia_kind == NB_INERTIA_DELASSUS)
        return nb_fail(error, NB_UNSUPPORTED, "mixed_conjugate_residual solves for velocities and "
                       "forces together and needs a mass matrix; a local problem has none");
    system->model = model;
    system->precond = precond;
    system->dofs = 3 * (size_t)model->nodes;
    system->rows = 3 * (size_t)model->blocks;
    system->bilateral = 3 * (size_t)model->bilateral_blocks;
    system->memory = nb_arena_allocate(lay_out, system);
    if (!system->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the mixed system");
    fill_mass(system);
    return NB_OK;
}

void nb_mixed_force(const struct nb_mixed_system *system, nb_real *out)
{
    if (system->model->force)
        memcpy(out, system->model->force, system->dofs * sizeof *out);
    else
        nb_mass_multiply(system->model, system->mass, system->model->free_velocity, out);
}

void nb_mixed_velocity(const struct nb_mixed_system *system, const nb_real *u,
                       const nb_real *p, int with_base, nb_real *velocity)
{
    nb_bsr_multiply(&system->model->jacobian, u, velocity, system->model->threads);
    nb_model_add_compliance(system->model, p, velocity);
    for (size_t i = 0; i < system->rows && with_base; ++i)
        velocity[i] += system->base[i];
}

/* Block i of J M^^-1 J^T. */
static void delassus_block(const struct nb_mixed_system *system, int i, nb_real *block)
{
    const struct nb_bsr *jacobian = &system->model->jacobian;
    memset(block, 0, 9 * sizeof *block);
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        nb_matrix weighted[9];
        nb_block_multiply(jacobian->value + 9 * (size_t)k,
                          system->inverse_mass + 9 * (size_t)jacobian->column[k], weighted);
        nb_block_add_product(weighted, jacobian->value + 9 * (size_t)k, block);
    }
}

/* The same plus C, restricted to active rows. */
static void schur_block(const struct nb_mixed_system *system, int i, nb_real *block)
{
    const struct nb_model *model = system->model;
    const nb_real *active = system->active + 3 * (size_t)i;
    delassus_block(system, i, block);
    for (int e = 0; e < 9 && i < model->bilateral_blocks; ++e)
        block[e] += model->bilateral_compliance[9 * (size_t)i + (size_t)e];
    for (int e = 0; e < 9; ++e)
        if (active[e / 3] * active[e % 3] == 0)
            block[e] = e % 4 == 0;
    if (system->precond == NB_MIXED_DIAGONAL)
        keep_diagonal(block);
}

void nb_mixed_linearise(struct nb_mixed_system *system, const nb_real *u)
{
    struct nb_model *model = system->model;
    nb_model_evaluate(model, u);
    nb_bsr_multiply(&model->jacobian, u, system->base, model->threads);
    for (size_t i = 0; i < system->rows; ++i)
        system->base[i] = model->violation[i] - system->base[i];
    for (int i = 0; i < model->blocks; ++i) {
        nb_real block[9];
        delassus_block(system, i, block);
        for (int r = 0; r < 3; ++r)
            system->rho[3 * i + r] = block[4 * r] > 0 ? 1 / block[4 * r] : 1;
    }
}

void nb_mixed_renew(struct nb_mixed_system *system)
{
    for (int i = 0; i < system->model->blocks; ++i) {
        nb_real block[9];
        schur_block(system, i, block);
        invert(block, system->inverse_schur + 9 * (size_t)i);
    }
}

void nb_mixed_precondition(struct nb_mixed_system *system, const nb_real *r, nb_real *out)
{
    const struct nb_bsr *jacobian = &system->model->jacobian;
    const size_t dofs = system->dofs, n = system->rows;
    const int threads = system->model->threads, block = system->precond == NB_MIXED_BLOCK;
    if (system->precond == NB_MIXED_NONE) {
        memcpy(out, r, (dofs + n) * sizeof *out);
        return;
    }
    for (size_t i = 0; i < dofs; i += 3)
        nb_block_apply(system->inverse_mass + 3 * i, r + i, out + i);
    memset(system->row_work, 0, n * sizeof *system->row_work);
    if (block)
        nb_bsr_multiply(jacobian, out, system->row_work, threads);
    for (size_t i = 0; i < n; ++i)
        system->row_work[i] = system->active[i] * (system->row_work[i] + r[dofs + i]);
    for (size_t i = 0; i < n; i += 3)
        nb_block_apply(system->inverse_schur + 3 * i, system->row_work + i, out + dofs + i);
    for (size_t i = 0; i < n; ++i)
        out[dofs + i] *= system->active[i];
    if (!block)
        return;
    nb_model_gather(system->model, out + dofs, system->dof_work);
    for (size_t i = 0; i < dofs; i += 3) {
        nb_real moved[3];
        nb_block_apply(system->inverse_mass + 3 * i, system->dof_work + i, moved);
        for (size_t k = 0; k < 3; ++k)
            out[i + k] += moved[k];
    }
}
