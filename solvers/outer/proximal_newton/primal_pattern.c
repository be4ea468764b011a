/* Set-up of a Newton step of bodies: the pattern of M - d(J^T p)/du + J^T B S. Its blocks are those
 * of H and, for each block row, of every pair of its nodes. */
#include <stdlib.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/dual_system.h"
#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/outer/proximal_newton/primal_system.h"
#include "solvers/sparse/clique_pattern.h"

void nb_primal_system_free(void *data)
{
    struct nb_primal_system *self = data;
    if (!self)
        return;
    nb_newton_matrix_free(self->matrix);
    NB(nb_bsr_free)(&self->mass);
    free(self->mass_diagonal);
    free(self->pair_start);
    free(self->memory);
    free(self);
}

/* First entry in the matrix' values of block (a, b): column 3 b of the pattern lists rows 3 a to
 * 3 a + 2. */
static int find_block(const struct nb_clique_pattern *blocks, int a, int b)
{
    const int first = blocks->start[b];
    return 9 * first + 3 * (nb_clique_pattern_find(blocks, a, b) - first);
}

static void place_pairs(const struct NB(nb_model) *model, struct nb_primal_system *self,
                        const struct nb_clique_pattern *blocks)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    for (int b = 0; b < model->nodes; ++b) {
        self->stride[b] = 3 * (blocks->start[b + 1] - blocks->start[b]);
        for (int k = self->mass.start[b]; k < self->mass.start[b + 1]; ++k)
            self->mass_at[k] = find_block(blocks, b, self->mass.column[k]);
    }
    for (int i = 0, at = 0; i < model->blocks; ++i)
        for (int j = jacobian->start[i]; j < jacobian->start[i + 1]; ++j)
            for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
                self->pair_at[at++] = find_block(blocks, jacobian->column[j], jacobian->column[k]);
}

/* For a symmetric B of each block. A nonlinear step's is with J for S and without the curvature: of contacts these are
 * small beside J^T B J, of joints under large forces they are not. */
static int is_symmetric(const struct NB(nb_model) *model)
{
    if (!model->constant)
        return model->bilateral_blocks == 0;
    return model->inertia_kind == NB_INERTIA_BLOCKS || nb_dual_system_is_symmetric(&model->problem->linear.mass);
}

/* The Newton matrix, each block as three by three entries. */
static enum nb_status create_matrix(const struct NB(nb_model) * model, struct nb_primal_system *self,
                                    const struct nb_clique_pattern *blocks, enum nb_newton_factors factors,
                                    struct nb_error *error)
{
    const int nodes = model->nodes, *start = blocks->start, *row = blocks->row;
    int *column = malloc((3 * (size_t)nodes + 1) * sizeof *column);
    int *entry = malloc((9 * (size_t)start[nodes] + 1) * sizeof *entry);
    enum nb_status status = NB_OK;
    if (!column || !entry) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton matrix's pattern");
        goto done;
    }
    column[0] = 0;
    for (int b = 0, at = 0; b < nodes; ++b)
        for (int c = 0; c < 3; ++c) {
            for (int k = start[b]; k < start[b + 1]; ++k)
                for (int r = 0; r < 3; ++r)
                    entry[at++] = 3 * row[k] + r;
            column[3 * b + c + 1] = at;
        }
    status = nb_newton_matrix_create(&self->matrix, 3 * nodes, column, entry,
                                     is_symmetric(model) ? factors : NB_FACTORS_LU, error);
done:
    free(column);
    free(entry);
    return status;
}

static enum nb_status order_pattern(const struct NB(nb_model) * model, struct nb_primal_system *self,
                                    enum nb_newton_factors factors, struct nb_error *error)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    struct nb_clique_pattern blocks;
    enum nb_status status = nb_clique_pattern_create(&blocks, model->nodes, model->blocks, jacobian->start,
                                                     jacobian->column, self->mass.start, self->mass.column, error);
    if (status)
        return status;
    place_pairs(model, self, &blocks);
    status = create_matrix(model, self, &blocks, factors, error);
    nb_clique_pattern_free(&blocks);
    return status;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_primal_system *self = data;
    NB_ARRAY(arena, self->pair_at, self->pair_start[self->blocks]);
    NB_ARRAY(arena, self->stride, self->nodes);
    NB_ARRAY(arena, self->mass_at, self->mass.start[self->nodes]);
    const size_t place = arena->used;
    NB_ARRAY(arena, self->weighted, 9 * self->entries);
    if (self->curved) { /* sweeps are over when S is needed */
        const size_t end = arena->used;
        arena->used = place;
        NB_ARRAY(arena, self->slope, 9 * self->entries);
        arena->used = end > arena->used ? end : arena->used;
        NB_ARRAY(arena, self->pairs, 9 * self->bilateral_pairs);
    }
    NB_ARRAY(arena, self->offset, 3 * self->blocks);
    NB_ARRAY(arena, self->solution, 3 * self->nodes);
}

static enum nb_status allocate(const struct NB(nb_model) *model, struct nb_primal_system *self,
                               struct nb_error *error)
{
    self->blocks = (size_t)model->blocks;
    self->nodes = (size_t)model->nodes;
    self->entries = (size_t)model->jacobian.start[model->blocks];
    self->curved = !model->constant;
    self->pair_start = calloc(self->blocks + 1, sizeof *self->pair_start);
    for (int i = 0; self->pair_start && i < model->blocks; ++i) {
        const int count = model->jacobian.start[i + 1] - model->jacobian.start[i];
        self->pair_start[i + 1] = self->pair_start[i] + count * count;
    }
    self->bilateral_pairs = self->pair_start ? (size_t)self->pair_start[model->bilateral_blocks] : 0;
    self->memory = self->pair_start ? nb_arena_allocate(lay_out, self) : NULL;
    return self->memory ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the bodies' Newton matrix");
}

/* H from its inverse's blocks. */
static enum nb_status fill_blocks(const struct NB(nb_model) *model, struct NB(nb_bsr) *mass, struct nb_error *error)
{
    const enum nb_status status = NB(nb_bsr_allocate)(mass, model->nodes, model->nodes, model->nodes, error);
    for (int i = 0; !status && i < model->nodes; ++i) {
        nb_real block[9];
        NB(nb_block_invert)(model->inverse_mass + 9 * (size_t)i, block);
        mass->start[i + 1] = i + 1;
        mass->column[i] = i;
        for (int k = 0; k < 9; ++k)
            mass->value[9 * (size_t)i + (size_t)k] = (nb_matrix)block[k];
    }
    return status;
}

/* A general M as given, in a symmetric pattern; padding velocities have the mass 1. */
static enum nb_status fill_general(const struct NB(nb_model) *model, struct nb_primal_system *self,
                                   struct nb_error *error)
{
    const struct nb_csr *mass = &model->problem->linear.mass;
    const int size = 3 * model->nodes;
    const size_t entries = 2 * (size_t)mass->start[mass->rows] + 3;
    int *row = malloc(entries * sizeof *row), *column = malloc(entries * sizeof *column);
    double *value = malloc(entries * sizeof *value);
    struct nb_csr padded = {0};
    enum nb_status status = NB_OK;
    int count = 0;
    self->mass_diagonal = calloc((size_t)size + 1, sizeof *self->mass_diagonal);
    if (!row || !column || !value || !self->mass_diagonal) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the mass matrix");
        goto done;
    }
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k) {
            const int j = mass->column[k];
            row[count] = column[count + 1] = i;
            column[count] = row[count + 1] = j;
            value[count++] = mass->value[k];
            value[count++] = 0;
            if (j == i)
                self->mass_diagonal[i] = (nb_real)mass->value[k];
        }
    for (int i = mass->rows; i < size; ++i) {
        row[count] = column[count] = i;
        value[count++] = 1;
        self->mass_diagonal[i] = 1;
    }
    status = nb_csr_from_triplets(&padded, size, size, count, row, column, value, error);
    if (!status)
        status = NB(nb_bsr_from_csr)(&self->mass, &padded, 1, error);
done:
    nb_csr_free(&padded);
    free(row);
    free(column);
    free(value);
    return status;
}

static void set_costs(struct nb_nonsmooth *system, const struct nb_primal_system *self)
{
    const struct NB(nb_model) *model = system->model;
    const double rows = model->blocks, blocks = model->jacobian.start[model->blocks];
    /* Stresses of elements that are stiff for their particles' mass settle together: what a few sweeps
     * leave of them is further from a solution than none. With a general M, a contact's force moves
     * all that M couples. */
    const int stiff = !model->constant && model->problem->tetrahedra.count > 0;
    if (!self->mass_diagonal && !stiff)
        system->sweep_cost = 2 * NB_COST_BLOCK * blocks + NB_COST_CONTACT * rows;
    system->step_cost = NB_COST_FLOP * nb_newton_matrix_operations(self->matrix) +
                       9 * NB_COST_ENTRY * self->pair_start[model->blocks] + NB_COST_MAP * rows;
}

enum nb_status nb_primal_system_create(struct nb_nonsmooth *system, struct nb_error *error)
{
    const struct NB(nb_model) *model = system->model;
    struct nb_primal_system *self = calloc(1, sizeof *self);
    system->self = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the bodies' Newton matrix");
    enum nb_status status = model->inertia_kind == NB_INERTIA_BLOCKS
                                ? fill_blocks(model, &self->mass, error)
                                : fill_general(model, self, error);
    if (!status)
        status = allocate(model, self, error);
    if (!status)
        status = order_pattern(model, self, system->factors, error);
    system->matrix = self->matrix;
    if (!status)
        set_costs(system, self);
    return status;
}
