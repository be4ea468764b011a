/* Set-up of a Newton step of bodies: the pattern of M - d(J^T p)/du + J^T B S. Its blocks are those
 * of H and, for each block row, of every pair of its nodes. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "solvers/block/block3.h"
#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/outer/proximal_newton/primal_system.h"

void nb_primal_system_free(void *data)
{
    struct nb_primal_system *self = data;
    if (!self)
        return;
    nb_newton_matrix_free(self->matrix);
    free(self->pair_start);
    free(self->pair_at);
    free(self->stride);
    free(self->mass_at);
    free(self->weighted);
    NB(nb_bsr_free)(&self->mass);
    free(self->mass_diagonal);
    free(self->slope);
    free(self->pairs);
    free(self->inverse);
    free(self->offset);
    free(self->solution);
    free(self->right_side);
    free(self);
}

static void insert(int a, int *list, int *count)
{
    int place = (*count)++;
    for (; place > 0 && list[place - 1] > a; --place)
        list[place] = list[place - 1];
    list[place] = a;
}

/* Nodes that share a block row or an entry of H with node b, b included, ascending. */
static int neighbours(const struct NB(nb_model) *model, const struct nb_primal_system *self,
                      int b, int *mark,
                      int *list)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    int count = 0;
    for (int k = self->mass.start[b]; k < self->mass.start[b + 1]; ++k) {
        mark[self->mass.column[k]] = b + 1;
        insert(self->mass.column[k], list, &count);
    }
    for (int m = model->node_start[b]; m < model->node_start[b + 1]; ++m) {
        const int row = model->block_row[model->node_block[m]];
        for (int k = jacobian->start[row]; k < jacobian->start[row + 1]; ++k) {
            const int a = jacobian->column[k];
            if (mark[a] == b + 1)
                continue;
            mark[a] = b + 1;
            insert(a, list, &count);
        }
    }
    return count;
}

/* Block columns of the pattern: start [nodes + 1] counts blocks, row [blocks]. */
static int *block_pattern(const struct NB(nb_model) *model, const struct nb_primal_system *self,
                          int *start,
                          int *mark, int *list)
{
    int total = 0;
    for (int b = 0; b < model->nodes; ++b)
        total += neighbours(model, self, b, mark, list);
    int *row = malloc(((size_t)total + 1) * sizeof *row);
    if (!row)
        return NULL;
    memset(mark, 0, (size_t)model->nodes * sizeof *mark);
    for (int b = 0; b < model->nodes; ++b) {
        const int count = neighbours(model, self, b, mark, list);
        start[b + 1] = start[b] + count;
        memcpy(row + start[b], list, (size_t)count * sizeof *row);
    }
    return row;
}

/* First entry in the matrix' values of block (a, b): column 3 b of the pattern lists rows 3 a to
 * 3 a + 2. */
static int find_block(const int *start, const int *row, int a, int b)
{
    const int at = nb_find_sorted(row, start[b], start[b + 1], a);
    return 9 * start[b] + 3 * (at - start[b]);
}

static void place_pairs(const struct NB(nb_model) *model, struct nb_primal_system *self,
                        const int *start,
                        const int *row)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    for (int b = 0; b < model->nodes; ++b) {
        self->stride[b] = 3 * (start[b + 1] - start[b]);
        for (int k = self->mass.start[b]; k < self->mass.start[b + 1]; ++k)
            self->mass_at[k] = find_block(start, row, b, self->mass.column[k]);
    }
    for (int i = 0, at = 0; i < model->blocks; ++i)
        for (int j = jacobian->start[i]; j < jacobian->start[i + 1]; ++j)
            for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
                self->pair_at[at++] =
                    find_block(start, row, jacobian->column[j], jacobian->column[k]);
}

static enum nb_status order_scalars(const struct NB(nb_model) *model,
                                    struct nb_primal_system *self,
                                    const int *start, const int *row, enum nb_inner_method inner,
                                    struct nb_error *error)
{
    const int nodes = model->nodes;
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
    status = nb_newton_matrix_create(&self->matrix, 3 * nodes, column, entry, inner, model->threads,
                                     error);
done:
    free(column);
    free(entry);
    return status;
}

static enum nb_status order_pattern(const struct NB(nb_model) *model,
                                    struct nb_primal_system *self, enum nb_inner_method inner,
                                    struct nb_error *error)
{
    const size_t nodes = (size_t)model->nodes;
    int *start = calloc(nodes + 1, sizeof *start), *row = NULL;
    int *mark = calloc(nodes + 1, sizeof *mark), *list = malloc((nodes + 1) * sizeof *list);
    enum nb_status status = NB_OK;
    if (start && mark && list)
        row = block_pattern(model, self, start, mark, list);
    if (!row) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton matrix's pattern");
        goto done;
    }
    place_pairs(model, self, start, row);
    status = order_scalars(model, self, start, row, inner, error);
done:
    free(start);
    free(row);
    free(mark);
    free(list);
    return status;
}

static enum nb_status allocate(const struct nb_nonsmooth *system, struct nb_primal_system *self,
                               struct nb_error *error)
{
    const struct NB(nb_model) *model = system->model;
    const size_t blocks = (size_t)model->blocks, nodes = (size_t)model->nodes;
    const size_t entries = 9 * (size_t)model->jacobian.start[model->blocks];
    self->pair_start = calloc(blocks + 1, sizeof *self->pair_start);
    if (!self->pair_start)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the bodies' Newton matrix");
    for (int i = 0; i < model->blocks; ++i) {
        const int count = model->jacobian.start[i + 1] - model->jacobian.start[i];
        self->pair_start[i + 1] = self->pair_start[i] + count * count;
    }
    const size_t pairs = (size_t)self->pair_start[blocks];
    self->pair_at = malloc((pairs + 1) * sizeof *self->pair_at);
    self->stride = malloc((nodes + 1) * sizeof *self->stride);
    self->mass_at = malloc(((size_t)self->mass.start[nodes] + 1) * sizeof *self->mass_at);
    self->weighted = malloc((entries + 1) * sizeof *self->weighted);
    self->slope = malloc((entries + 1) * sizeof *self->slope);
    self->pairs = malloc((9 * pairs + 1) * sizeof *self->pairs);
    self->inverse = malloc((9 * blocks + 1) * sizeof *self->inverse);
    self->offset = malloc((3 * blocks + 1) * sizeof *self->offset);
    self->solution = malloc((3 * nodes + 1) * sizeof *self->solution);
    self->right_side = malloc((3 * nodes + 1) * sizeof *self->right_side);
    if (!self->pair_at || !self->stride || !self->mass_at || !self->weighted ||
        !self->slope || !self->pairs || !self->inverse || !self->offset ||
        !self->solution || !self->right_side)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the bodies' Newton matrix");
    return NB_OK;
}

/* H from its inverse's blocks. */
static enum nb_status fill_blocks(const struct NB(nb_model) *model, struct NB(nb_bsr) *mass,
                                  struct nb_error *error)
{
    const enum nb_status status = NB(nb_bsr_allocate)(mass, model->nodes, model->nodes,
                                                      model->nodes,
                                                      error);
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
        status = allocate(system, self, error);
    if (!status)
        status = order_pattern(model, self, system->inner, error);
    system->matrix = self->matrix;
    if (!status)
        set_costs(system, self);
    return status;
}
