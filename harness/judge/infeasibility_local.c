/* The rows of the local form: with w the diagonal, w^-1/2 W w^-1/2 of the normal and bilateral rows of each island is
 * L L^T by a Cholesky factorisation with pivoting (LAPACK's dpstrf), which ends at the rank; then A = w^1/2 L. That
 * only finds impulses: their effect is taken from W itself. The size of a row is the root of its w, the speed of a
 * coordinate 1. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/disjoint_sets.h"

static void join_delassus(const struct nb_rows *rows, int *parent)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    for (int i = 0; i < delassus->rows; ++i)
        for (int k = delassus->start[i]; k < delassus->start[i + 1]; ++k)
            if (delassus->value[k] != 0)
                nb_set_join(parent, nb_rows_from_full(rows, i), nb_rows_from_full(rows, delassus->column[k]));
}

/* w of a contact is the mean of its block's diagonal; 1 of rows that no impulse moves. */
static void weigh_local(struct nb_rows *rows)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    for (int i = 0; i < delassus->rows; ++i)
        rows->size[nb_rows_from_full(rows, i)] += nb_csr_diagonal(delassus, i) / (i < 3 * rows->contacts ? 3 : 1);
    for (int i = 0; i < rows->rows; ++i)
        rows->size[i] = rows->size[i] > 0 ? sqrt(rows->size[i]) : 1;
}

/* An island's part of W, its symmetric part, scaled to w = 1. place [rows]: of a row in its island. */
static void fill_dense(const struct nb_rows *rows, int n, const int *member, const int *place, double *dense)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (int m = 0; m < n; ++m) {
        const int i = member[m], full = nb_rows_to_full(rows, i);
        for (int k = delassus->start[full]; k < delassus->start[full + 1]; ++k) {
            const int j = nb_rows_from_full(rows, delassus->column[k]);
            if (nb_rows_to_full(rows, j) != delassus->column[k] || delassus->value[k] == 0)
                continue;
            const double value = delassus->value[k] / (2 * rows->size[i] * rows->size[j]);
            dense[(size_t)m * (size_t)n + (size_t)place[j]] += value;
            dense[(size_t)place[j] * (size_t)n + (size_t)m] += value;
        }
    }
}

/* A's rows of one island, from its first column on; *columns grows by the rank. */
static enum nb_status factor_island(struct nb_rows *rows, int n, const int *member, const int *place,
                                    struct nb_triplets *entries, int *columns, struct nb_error *error)
{
    double *dense = malloc(((size_t)n * (size_t)n) * sizeof *dense);
    lapack_int *pivot = malloc((size_t)n * sizeof *pivot), rank = 0;
    bool held = dense && pivot;
    if (held) {
        fill_dense(rows, n, member, place, dense);
        LAPACKE_dpstrf(LAPACK_COL_MAJOR, 'L', n, dense, n, pivot, &rank, n * DBL_EPSILON);
    }
    for (int m = 0; held && m < n; ++m)
        for (int k = 0; held && k < rank && k <= m; ++k) {
            const int i = member[pivot[m] - 1];
            const double value = rows->size[i] * dense[(size_t)k * (size_t)n + (size_t)m];
            held = nb_triplets_add(entries, i, *columns + k, value);
        }
    *columns += (int)rank;
    free(dense);
    free(pivot);
    return held ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to factorise W of %d rows", n);
}

/* member [rows]: rows by island; place [rows]. */
static enum nb_status factor_islands(struct nb_rows *rows, int *member, int *place, struct nb_triplets *entries,
                                     int *columns, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    int *begin = calloc((size_t)rows->islands + 2, sizeof *begin);
    if (!begin)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", rows->islands);
    for (int i = 0; i < rows->rows; ++i)
        ++begin[rows->island[i] + 2];
    for (int k = 0; k < rows->islands; ++k)
        begin[k + 2] += begin[k + 1];
    for (int i = 0; i < rows->rows; ++i)
        member[begin[rows->island[i] + 1]++] = i;
    for (int k = 0; k < rows->islands && !status; ++k) {
        const int n = begin[k + 1] - begin[k];
        for (int m = 0; m < n; ++m)
            place[member[begin[k] + m]] = m;
        status = n > NB_INFEASIBILITY_LOCAL_ROWS
                     ? nb_fail(error, NB_UNSUPPORTED, "an island of %d rows is over %d", n, NB_INFEASIBILITY_LOCAL_ROWS)
                     : factor_island(rows, n, member + begin[k], place, entries, columns, error);
    }
    free(begin);
    return status;
}

/* Columns belong to the islands of their rows; one that is in no row stays in the last island. */
enum nb_status nb_rows_prepare_local(struct nb_rows *rows, struct nb_error *error)
{
    struct nb_triplets entries = {0};
    int columns = 0, *member = malloc(2 * ((size_t)rows->rows + 1) * sizeof *member);
    if (!member)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d rows", rows->rows);
    weigh_local(rows);
    for (int i = 0; i < rows->rows; ++i)
        rows->island[i] = i;
    join_delassus(rows, rows->island);
    rows->islands = nb_rows_label(rows->island, rows->rows);
    enum nb_status status = factor_islands(rows, member, member + rows->rows, &entries, &columns, error);
    rows->dofs = columns > 0 ? columns : 1;
    if (!status)
        status = nb_csr_from_triplets(&rows->jacobian, rows->rows, rows->dofs, entries.count, entries.row,
                                      entries.column, entries.value, error);
    for (int k = 0; k < entries.count && !status; ++k)
        rows->island[rows->rows + entries.column[k]] = rows->island[entries.row[k]];
    for (int k = 0; k < rows->dofs; ++k)
        rows->speed[k] = 1;
    nb_triplets_free(&entries);
    free(member);
    return status;
}

/* W^T r: none where each of its sums is within the rounding of the entries of W that it is made of. */
void nb_rows_local_effect(struct nb_rows *rows, const double *impulse, double *effect)
{
    const struct nb_csr *delassus = &rows->problem->linear.delassus;
    __float128 *sum = rows->product, *terms = rows->product + delassus->rows;
    memset(sum, 0, 2 * (size_t)delassus->rows * sizeof *sum);
    for (int i = 0; i < rows->rows; ++i) {
        const int full = nb_rows_to_full(rows, i);
        for (int k = delassus->start[full]; impulse[i] != 0 && k < delassus->start[full + 1]; ++k) {
            const __float128 term = (__float128)impulse[i] * delassus->value[k];
            sum[delassus->column[k]] += term;
            terms[delassus->column[k]] += term < 0 ? -term : term;
        }
    }
    for (int i = 0; i < delassus->rows; ++i)
        if (!(fabs((double)sum[i]) <= NB_INFEASIBILITY_ROUNDING * DBL_EPSILON * (double)terms[i]))
            effect[rows->island[nb_rows_from_full(rows, i)]] = INFINITY;
}
