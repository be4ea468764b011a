#include "solvers/precond/parts/subdomains.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/block/dense_small.h"

void NB(nb_subdomains_free)(void *self)
{
    struct NB(nb_subdomains) *sub = self;
    if (!sub)
        return;
    nb_block_sets_free(&sub->sets);
    free(sub->factor_start);
    free(sub->factor);
    free(sub->weight);
    free(sub->local);
    free(sub->work);
    free(sub);
}

/* Islands up to the limit stay whole; the rows of larger ones are divided among their bodies. */
static enum nb_status whole_islands(struct nb_block_sets *bodies, const struct NB(nb_bsr) *matrix,
                                    int *owner, struct nb_error *error)
{
    struct nb_block_sets islands = {0};
    enum nb_status status =
        nb_block_islands(matrix->rows, matrix->start, matrix->column, &islands, error);
    int at = 0, count = 0;
    if (status)
        return status;
    int *start = malloc(((size_t)matrix->rows + 1) * sizeof *start);
    int *member = malloc(((size_t)matrix->rows + 1) * sizeof *member);
    if (!start || !member)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands");
    for (int i = 0; i < matrix->rows; ++i)
        owner[i] = 0;
    for (int s = 0; s < islands.count && !status; ++s) {
        if (islands.start[s + 1] - islands.start[s] > NB_SUBDOMAIN_LIMIT)
            continue;
        start[count++] = at;
        for (int m = islands.start[s]; m < islands.start[s + 1]; ++m)
            owner[member[at++] = islands.member[m]] = 1;
    }
    for (int s = 0; s < bodies->count && !status; ++s) {
        if (owner[bodies->member[bodies->start[s]]])
            continue; /* a body is in one island: so are all of its rows */
        start[count++] = at;
        for (int m = bodies->start[s]; m < bodies->start[s + 1]; ++m)
            member[at++] = bodies->member[m];
    }
    nb_block_sets_free(&islands);
    if (status) {
        free(start);
        free(member);
        return status;
    }
    start[count] = at;
    nb_block_sets_free(bodies);
    *bodies = (struct nb_block_sets){.count = count, .start = start, .member = member};
    return NB_OK;
}

static enum nb_status find_sets(struct NB(nb_subdomains) *sub, const struct NB(nb_bsr) *matrix,
                                enum nb_subdomain_kind kind, struct nb_error *error)
{
    enum nb_status status =
        nb_block_cliques(matrix->rows, matrix->start, matrix->column, &sub->sets, error);
    if (!status && kind != NB_SUBDOMAINS_OVERLAPPING)
        nb_block_sets_partition(&sub->sets, matrix->rows, sub->local);
    if (!status && kind == NB_SUBDOMAINS_ISLANDS)
        status = whole_islands(&sub->sets, matrix, sub->local, error);
    return status ? status : nb_block_sets_split(&sub->sets, NB_SUBDOMAIN_LIMIT, error);
}

static enum nb_status allocate(struct NB(nb_subdomains) *sub, int rows, struct nb_error *error)
{
    const struct nb_block_sets *sets = &sub->sets;
    size_t total = 0;
    sub->factor_start = malloc(((size_t)sets->count + 1) * sizeof *sub->factor_start);
    sub->weight = calloc((size_t)rows + 1, sizeof *sub->weight);
    sub->work = malloc(3 * NB_SUBDOMAIN_LIMIT * sizeof *sub->work);
    if (!sub->factor_start || !sub->weight || !sub->work)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d subdomains", sets->count);
    for (int s = 0; s < sets->count; ++s) {
        const size_t order = 3 * (size_t)(sets->start[s + 1] - sets->start[s]);
        sub->factor_start[s] = total;
        total += order * order;
    }
    sub->factor = malloc((total + 1) * sizeof *sub->factor);
    if (!sub->factor)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d subdomains", sets->count);
    for (int m = 0; m < sets->start[sets->count]; ++m)
        sub->weight[sets->member[m]] += 1;
    for (int i = 0; i < rows; ++i) {
        sub->weight[i] = 1 / nb_sqrt(sub->weight[i]);
        sub->local[i] = -1;
    }
    return NB_OK;
}

enum nb_status NB(nb_subdomains_setup)(void **self, const struct NB(nb_operator) *op,
                                       enum nb_subdomain_kind kind, const char *name,
                                       struct nb_error *error)
{
    *self = NULL;
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED, "%s needs the assembled operator", name);
    struct NB(nb_subdomains) *sub = calloc(1, sizeof *sub);
    *self = sub;
    if (!sub)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
    sub->local = malloc(((size_t)op->matrix->rows + 1) * sizeof *sub->local);
    if (!sub->local)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
    const enum nb_status status = find_sets(sub, op->matrix, kind, error);
    return status ? status : allocate(sub, op->matrix->rows, error);
}

/* A_k, dense, from the rows of the set. */
static void extract(const struct NB(nb_subdomains) *sub, const struct NB(nb_bsr) *matrix,
                    const int *member, int count, nb_real *dense)
{
    const size_t order = 3 * (size_t)count;
    memset(dense, 0, order * order * sizeof *dense);
    for (int a = 0; a < count; ++a)
        sub->local[member[a]] = a;
    for (int a = 0; a < count; ++a)
        for (int k = matrix->start[member[a]]; k < matrix->start[member[a] + 1]; ++k) {
            const int b = sub->local[matrix->column[k]];
            if (b < 0)
                continue;
            for (size_t e = 0; e < 9; ++e)
                dense[(3 * (size_t)a + e / 3) * order + 3 * (size_t)b + e % 3] =
                    (nb_real)matrix->value[9 * (size_t)k + e];
        }
    for (int a = 0; a < count; ++a)
        sub->local[member[a]] = -1;
}

enum nb_status NB(nb_subdomains_update)(void *self, const struct NB(nb_operator) *op,
                                        struct nb_error *error)
{
    const struct NB(nb_subdomains) *sub = self;
    const struct nb_block_sets *sets = &sub->sets;
    for (int s = 0; s < sets->count; ++s) {
        const int *member = sets->member + sets->start[s];
        const int count = sets->start[s + 1] - sets->start[s];
        nb_real *dense = sub->factor + sub->factor_start[s];
        extract(sub, op->matrix, member, count, dense);
        const int done = NB(nb_dense_factor)(3 * count, dense);
        if (done < 3 * count)
            return nb_fail(error, NB_BREAKDOWN,
                           "the diagonal of block row %d is not positive: no subdomain can be solved",
                           member[done / 3]);
    }
    return NB_OK;
}

void NB(nb_subdomains_apply)(const void *self, const struct NB(nb_operator) *op, const nb_real *r,
                             nb_real *z)
{
    const struct NB(nb_subdomains) *sub = self;
    const struct nb_block_sets *sets = &sub->sets;
    memset(z, 0, op->size * sizeof *z);
    for (int s = 0; s < sets->count; ++s) {
        const int *member = sets->member + sets->start[s];
        const int count = sets->start[s + 1] - sets->start[s];
        for (int a = 0; a < count; ++a)
            for (int e = 0; e < 3; ++e)
                sub->work[3 * a + e] = sub->weight[member[a]] * r[3 * member[a] + e];
        NB(nb_dense_solve)(3 * count, sub->factor + sub->factor_start[s], sub->work);
        for (int a = 0; a < count; ++a)
            for (int e = 0; e < 3; ++e)
                z[3 * member[a] + e] += sub->weight[member[a]] * sub->work[3 * a + e];
    }
}
