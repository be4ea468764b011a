#include "solvers/sparse/factor_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UPDATES = 20 };

struct nb_factor_changes {
    int limit;           /* changed entries at most                          */
    int valid, updates;  /* a factor of `value` is there; since it was computed */
    long count;
    double *value;       /* [entries] of the matrix that the factor is of    */
    int *row;            /* [limit] changed, and                             */
    double *change;      /* [limit] by how much                              */
    /* C with one entry a column, for CHOLMOD. */
    int *start, *index;  /* [limit + 1], [limit]                             */
    double *root;        /* [limit]                                          */
    int *place;          /* [n] inverse of the factor's permutation          */
};

void nb_factor_changes_free(struct nb_factor_changes *changes)
{
    if (!changes)
        return;
    free(changes->value);
    free(changes->row);
    free(changes->change);
    free(changes->start);
    free(changes->index);
    free(changes->root);
    free(changes->place);
    free(changes);
}

enum nb_status nb_factor_changes_create(struct nb_factor_changes **out, const cholmod_sparse *matrix,
                                        double limit, struct nb_error *error)
{
    struct nb_factor_changes *changes = calloc(1, sizeof *changes);
    *out = changes;
    if (!changes)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a factor's changes");
    const size_t most = (size_t)(limit * (double)matrix->nrow);
    changes->limit = (int)most;
    changes->value = malloc((matrix->nzmax + 1) * sizeof *changes->value);
    changes->row = malloc((most + 1) * sizeof *changes->row);
    changes->change = malloc((most + 1) * sizeof *changes->change);
    changes->start = malloc((most + 1) * sizeof *changes->start);
    changes->index = malloc((most + 1) * sizeof *changes->index);
    changes->root = malloc((most + 1) * sizeof *changes->root);
    changes->place = malloc((matrix->nrow + 1) * sizeof *changes->place);
    if (changes->value && changes->row && changes->change && changes->start && changes->index &&
        changes->root && changes->place)
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a factor's changes of order %zu",
                   matrix->nrow);
}

long nb_factor_changes_count(const struct nb_factor_changes *changes) { return changes->count; }

void nb_factor_changes_keep(struct nb_factor_changes *changes, const cholmod_sparse *matrix)
{
    const int *start = matrix->p;
    memcpy(changes->value, matrix->x, (size_t)start[matrix->nrow] * sizeof *changes->value);
    changes->valid = 1;
    changes->updates = 0;
}

/* How many diagonal entries have changed; -1 where there is more. A column begins with its diagonal. */
static int find_changes(struct nb_factor_changes *changes, const cholmod_sparse *matrix)
{
    const int *start = matrix->p, *row = matrix->i;
    const double *value = matrix->x;
    int count = 0;
    for (int j = 0; j < (int)matrix->ncol; ++j)
        for (int k = start[j]; k < start[j + 1]; ++k) {
            if (value[k] == changes->value[k])
                continue;
            if (row[k] != j || count == changes->limit || !isfinite(value[k]))
                return -1;
            changes->row[count] = j;
            changes->change[count++] = value[k] - changes->value[k];
        }
    return count;
}

/* The part of the changes with that sign, in one call. */
static int modify(struct nb_factor_changes *changes, int count, int update, cholmod_factor *factor,
                  cholmod_common *common)
{
    int columns = 0;
    for (int k = 0; k < count; ++k) {
        if ((changes->change[k] > 0) != update)
            continue;
        changes->start[columns] = columns;
        changes->index[columns] = changes->place[changes->row[k]];
        changes->root[columns++] = sqrt(fabs(changes->change[k]));
    }
    changes->start[columns] = columns;
    if (columns == 0)
        return 1;
    cholmod_sparse c = {.nrow = factor->n, .ncol = (size_t)columns, .nzmax = (size_t)columns,
                        .p = changes->start, .i = changes->index, .x = changes->root,
                        .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE,
                        .sorted = 1, .packed = 1};
    return cholmod_updown(update, &c, factor, common) && common->status == CHOLMOD_OK;
}

static int is_positive(const cholmod_factor *factor)
{
    const int *start = factor->p;
    const double *value = factor->x;
    for (size_t j = 0; j < factor->n; ++j)
        if (!(value[start[j]] > 0))
            return 0;
    return 1;
}

int nb_factor_changes_apply(struct nb_factor_changes *changes, const cholmod_sparse *matrix,
                            cholmod_factor *factor, cholmod_common *common)
{
    const int *order = factor->Perm;
    const int count = changes->valid && changes->updates < MOST_UPDATES
                          ? find_changes(changes, matrix) : -1;
    changes->valid = count >= 0;
    if (count < 0)
        return 0;
    for (int j = 0; j < (int)factor->n; ++j)
        changes->place[order[j]] = j;
    /* Updates first: what lies between is then positive definite if both ends are. */
    changes->valid = modify(changes, count, 1, factor, common) &&
                     modify(changes, count, 0, factor, common) && is_positive(factor);
    if (!changes->valid)
        return 0;
    for (int k = 0; k < count; ++k) {
        const int *start = matrix->p;
        const int at = start[changes->row[k]];
        changes->value[at] = ((const double *)matrix->x)[at];
    }
    changes->updates++;
    changes->count++;
    return 1;
}
