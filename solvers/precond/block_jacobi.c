/* Block Jacobi: P is the block diagonal of A (Saad 2003, section 4.1.1), each block solved exactly. A block is
 *
 *   contact  one block row, its 3x3 block inverted;
 *   body     the contacts of one body, each contact going with one of its two: a clique of A's graph;
 *   island   a component of A's graph, so that the solution is exact; islands of more than 64 contacts are cut by
 *            bodies.
 *
 * Blocks of bodies and islands have dense Cholesky factors. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/block/dense_small.h"
#include "solvers/sparse/block_graph.h"
#include "solvers/strategy.h"

enum { OVER, SETTINGS };
enum { CONTACT, BODY, ISLAND };
enum { LIMIT = 64 }; /* block rows in a block: larger ones are cut */

static const struct nb_setting settings[] = {
    {.name = "over", .choices = "contact,body,island", .meaning = "what a block is"},
    {.name = NULL}};

struct block_jacobi {
    int over, rows;
    nb_real *inverse;          /* [9 rows] where a block is a contact; else NULL       */
    struct nb_block_sets sets; /* the block rows of each block                         */
    int *local;                /* [rows] place in the block at hand, or -1             */
    nb_real *work;             /* [3 LIMIT]                                            */
    void *memory;              /* of these arrays                                      */
    size_t *factor_start;      /* [blocks] of each dense factor                        */
    nb_real *factor;
};

static void release(void *data)
{
    struct block_jacobi *self = data;
    if (!self)
        return;
    nb_block_sets_free(&self->sets);
    free(self->memory);
    free(self->factor_start);
    free(self->factor);
    free(self);
}

/* Islands up to the limit become blocks, in place of the bodies in them. taken [rows] is overwritten. */
static enum nb_status join_islands(struct nb_block_sets *bodies, const struct nb_bsr *matrix,
                                   int *taken, struct nb_error *error)
{
    struct nb_block_sets islands = {0}, joined = {0};
    enum nb_status status =
        nb_block_islands(matrix->rows, matrix->start, matrix->column, &islands, error);
    int at = 0;
    if (status)
        return status;
    joined.start = malloc(((size_t)matrix->rows + 1) * sizeof *joined.start);
    joined.member = malloc(((size_t)matrix->rows + 1) * sizeof *joined.member);
    if (!joined.start || !joined.member) {
        nb_block_sets_free(&islands);
        nb_block_sets_free(&joined);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands");
    }
    memset(taken, 0, (size_t)matrix->rows * sizeof *taken);
    for (int s = 0; s < islands.count; ++s) {
        if (islands.start[s + 1] - islands.start[s] > LIMIT)
            continue;
        joined.start[joined.count++] = at;
        for (int m = islands.start[s]; m < islands.start[s + 1]; ++m)
            taken[joined.member[at++] = islands.member[m]] = 1;
    }
    for (int s = 0; s < bodies->count; ++s) {
        if (taken[bodies->member[bodies->start[s]]])
            continue; /* a body is in one island: so are all of its rows */
        joined.start[joined.count++] = at;
        for (int m = bodies->start[s]; m < bodies->start[s + 1]; ++m)
            joined.member[at++] = bodies->member[m];
    }
    joined.start[joined.count] = at;
    nb_block_sets_free(&islands);
    nb_block_sets_free(bodies);
    *bodies = joined;
    return NB_OK;
}

static enum nb_status find_blocks(struct block_jacobi *self, const struct nb_bsr *matrix,
                                  struct nb_error *error)
{
    enum nb_status status =
        nb_block_cliques(matrix->rows, matrix->start, matrix->column, &self->sets, error);
    if (status)
        return status;
    nb_block_sets_partition(&self->sets, matrix->rows, self->local);
    if (self->over == ISLAND)
        status = join_islands(&self->sets, matrix, self->local, error);
    return status ? status : nb_block_sets_split(&self->sets, LIMIT, error);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct block_jacobi *self = data;
    const int contacts = self->over == CONTACT ? self->rows : 0, larger = self->rows - contacts;
    NB_ARRAY(arena, self->inverse, 9 * contacts);
    NB_ARRAY(arena, self->local, larger);
    NB_ARRAY(arena, self->work, 3 * LIMIT);
}

static enum nb_status allocate_factors(struct block_jacobi *self, struct nb_error *error)
{
    const struct nb_block_sets *sets = &self->sets;
    size_t total = 0;
    self->factor_start = malloc(((size_t)sets->count + 1) * sizeof *self->factor_start);
    for (int s = 0; self->factor_start && s < sets->count; ++s) {
        const size_t order = 3 * (size_t)(sets->start[s + 1] - sets->start[s]);
        self->factor_start[s] = total;
        total += order * order;
    }
    self->factor = malloc((total + 1) * sizeof *self->factor);
    for (int i = 0; i < self->rows; ++i)
        self->local[i] = -1;
    return self->factor_start && self->factor
               ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d blocks", sets->count);
}

static enum nb_status setup(void **out, const struct nb_operator *op, struct nb_error *error)
{
    struct block_jacobi *self = calloc(1, sizeof *self);
    double value[SETTINGS];
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for block_jacobi");
    enum nb_status status = nb_settings_read(settings, op->options->precond, value, error);
    if (status)
        return status;
    self->over = (int)value[OVER];
    self->rows = op->matrix->rows;
    self->memory = nb_arena_allocate(lay_out, self);
    if (!self->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for block_jacobi");
    if (self->over == CONTACT)
        return NB_OK;
    status = find_blocks(self, op->matrix, error);
    return status ? status : allocate_factors(self, error);
}

/* The block of A in the given rows, dense. */
static void gather_block(const struct block_jacobi *self, const struct nb_bsr *matrix,
                         const int *member, int count, nb_real *dense)
{
    const size_t order = 3 * (size_t)count;
    memset(dense, 0, order * order * sizeof *dense);
    for (int a = 0; a < count; ++a)
        self->local[member[a]] = a;
    for (int a = 0; a < count; ++a)
        for (int k = matrix->start[member[a]]; k < matrix->start[member[a] + 1]; ++k) {
            const int b = self->local[matrix->column[k]];
            if (b < 0)
                continue;
            for (size_t e = 0; e < 9; ++e)
                dense[(3 * (size_t)a + e / 3) * order + 3 * (size_t)b + e % 3] =
                    (nb_real)matrix->value[9 * (size_t)k + e];
        }
    for (int a = 0; a < count; ++a)
        self->local[member[a]] = -1;
}

static enum nb_status invert_contacts(const struct block_jacobi *self,
                                      const struct nb_bsr *matrix, struct nb_error *error)
{
    for (int i = 0; i < self->rows; ++i) {
        nb_real block[9];
        nb_bsr_diagonal_block(matrix, i, block);
        if (!nb_block_invert_spd(block, self->inverse + 9 * (size_t)i))
            return nb_fail(error, NB_BREAKDOWN,
                           "block_jacobi: diagonal block %d is not positive definite", i);
    }
    return NB_OK;
}

static enum nb_status update(void *data, const struct nb_operator *op, struct nb_error *error)
{
    const struct block_jacobi *self = data;
    const struct nb_block_sets *sets = &self->sets;
    if (self->over == CONTACT)
        return invert_contacts(self, op->matrix, error);
    for (int s = 0; s < sets->count; ++s) {
        const int *member = sets->member + sets->start[s];
        const int count = sets->start[s + 1] - sets->start[s];
        nb_real *dense = self->factor + self->factor_start[s];
        gather_block(self, op->matrix, member, count, dense);
        const int done = nb_dense_factor(3 * count, dense);
        if (done < 3 * count)
            return nb_fail(error, NB_BREAKDOWN,
                           "the diagonal of block row %d is not positive: no subdomain can be solved",
                           member[done / 3]);
    }
    return NB_OK;
}

static void apply(const void *data, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const struct block_jacobi *self = data;
    const struct nb_block_sets *sets = &self->sets;
    for (size_t i = 0; self->over == CONTACT && i < op->size / 3; ++i)
        nb_block_apply(self->inverse + 9 * i, r + 3 * i, z + 3 * i);
    for (int s = 0; s < sets->count; ++s) {
        const int *member = sets->member + sets->start[s];
        const int count = sets->start[s + 1] - sets->start[s];
        for (int a = 0; a < count; ++a)
            memcpy(self->work + 3 * a, r + 3 * (size_t)member[a], 3 * sizeof *r);
        nb_dense_solve(3 * count, self->factor + self->factor_start[s], self->work);
        for (int a = 0; a < count; ++a)
            memcpy(z + 3 * (size_t)member[a], self->work + 3 * a, 3 * sizeof *z);
    }
}

const struct nb_precond NB(nb_precond_block_jacobi) = {
    .name = "block_jacobi",
    .title = "diagonal blocks of contacts, bodies or islands",
    .source = "Saad 2003, section 4.1.1",
    .settings = settings,
    .needs_matrix = 1,
    .setup = setup,
    .update = update,
    .apply = apply,
    .free = release,
};
