#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/outer/proximal_newton/reduced_matrix.h"
#include "problems/base/sorted.h"

#include <stdlib.h>
#include <string.h>

void NB(nb_reduced_rows_free)(struct nb_reduced_matrix *self)
{
    if (!self)
        return;
    nb_row_basis_rows_free(&self->span);
    nb_newton_matrix_free(self->matrix);
    free(self->pair_start);
    free(self->pair_at);
    free(self->own);
    free(self->weighted);
    free(self->y);
    free(self);
}

static int columns_of(const struct nb_row_basis *span, int i)
{
    return span->start[i + 1] - span->start[i];
}

static double count_pairs(const struct nb_row_basis *span)
{
    double pairs = 0;
    for (int i = 0; i < span->blocks; ++i)
        pairs += (double)columns_of(span, i) * columns_of(span, i);
    return pairs;
}

/* Block rows of J by its columns: those of column b are block[start[b]] to block[start[b + 1] - 1]. */
static void transpose(const struct nb_row_basis *span, int *start, int *block)
{
    for (int k = 0; k < span->start[span->blocks]; ++k)
        start[span->column[k] + 1]++;
    for (int b = 0; b < span->rank; ++b)
        start[b + 1] += start[b];
    for (int i = span->blocks; i-- > 0;)
        for (int k = span->start[i]; k < span->start[i + 1]; ++k)
            block[--start[span->column[k] + 1]] = i;
    /* now start[b + 1] is where column b begins */
    memmove(start, start + 1, (size_t)span->rank * sizeof *start);
    start[span->rank] = span->start[span->blocks];
}

/* What the set-up needs: J by columns, and the pattern of the matrix by columns. */
struct pattern {
    int *start, *block;  /* block rows of J's column b: block[start[b]] to block[start[b + 1] - 1] */
    int *first, *row;    /* rows of the matrix' column b, ascending                               */
    int *mark, *place;   /* [rank] the column that met this row last, and its place in it         */
};

static void free_pattern(struct pattern *pattern)
{
    free(pattern->start);
    free(pattern->block);
    free(pattern->first);
    free(pattern->row);
    free(pattern->mark);
    free(pattern->place);
}

/* Rows of column b of the matrix into list, in any order; returns how many. */
static int list_rows(const struct nb_row_basis *span, struct pattern *pattern, int b, int *list)
{
    int count = 0;
    for (int m = pattern->start[b]; m < pattern->start[b + 1]; ++m)
        for (int k = span->start[pattern->block[m]]; k < span->start[pattern->block[m] + 1]; ++k)
            if (pattern->mark[span->column[k]] != b) {
                pattern->mark[span->column[k]] = b;
                list[count++] = span->column[k];
            }
    return count;
}

/* Where column b's entries of J^T B J and of M go. */
static void place_column(struct nb_reduced_matrix *self, struct pattern *pattern, int b)
{
    const struct nb_row_basis *span = &self->span;
    for (int at = pattern->first[b]; at < pattern->first[b + 1]; ++at)
        pattern->place[pattern->row[at]] = at;
    for (int m = pattern->start[b]; m < pattern->start[b + 1]; ++m) {
        const int i = pattern->block[m], first = span->start[i], count = columns_of(span, i);
        int own = 0;
        while (span->column[first + own] != b)
            ++own;
        for (int a = 0; a < count; ++a)
            self->pair_at[self->pair_start[i] + (size_t)(a * count + own)] =
                pattern->place[span->column[first + a]];
        if (i == span->row[b] / 3)
            self->own[b] = own;
    }
}

static enum nb_status order_pattern(struct nb_reduced_matrix *self, struct pattern *pattern, int threads,
                                    struct nb_error *error)
{
    const struct nb_row_basis *span = &self->span;
    transpose(span, pattern->start, pattern->block);
    memset(pattern->mark, -1, (size_t)span->rank * sizeof *pattern->mark);
    for (int b = 0; b < span->rank; ++b)
        pattern->first[b + 1] = pattern->first[b] + list_rows(span, pattern, b, pattern->place);
    pattern->row = malloc(((size_t)pattern->first[span->rank] + 1) * sizeof *pattern->row);
    if (!pattern->row)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix of %d rows", span->rank);
    memset(pattern->mark, -1, (size_t)span->rank * sizeof *pattern->mark);
    for (int b = 0; b < span->rank; ++b) {
        int *rows = pattern->row + pattern->first[b];
        nb_sort_ints(rows, list_rows(span, pattern, b, rows));
        place_column(self, pattern, b);
    }
    self->entries = (size_t)pattern->first[span->rank];
    return nb_newton_matrix_create(&self->matrix, span->rank, pattern->first, pattern->row, NB_INNER_DIRECT, threads,
                                   error);
}

static enum nb_status allocate(struct nb_reduced_matrix *self, struct pattern *pattern, double pairs,
                               struct nb_error *error)
{
    const struct nb_row_basis *span = &self->span;
    const size_t rank = (size_t)span->rank;
    int most = 0;
    self->pair_start = calloc((size_t)span->blocks + 1, sizeof *self->pair_start);
    self->pair_at = malloc(((size_t)pairs + 1) * sizeof *self->pair_at);
    self->own = malloc((rank + 1) * sizeof *self->own);
    self->y = malloc((rank + 1) * sizeof *self->y);
    for (int i = 0; self->pair_start && i < span->blocks; ++i) {
        const int count = columns_of(span, i);
        most = count > most ? count : most;
        self->pair_start[i + 1] = self->pair_start[i] + (size_t)count * (size_t)count;
    }
    self->weighted = malloc((3 * (size_t)most + 1) * sizeof *self->weighted);
    pattern->start = calloc(rank + 1, sizeof *pattern->start);
    pattern->block = malloc(((size_t)span->start[span->blocks] + 1) * sizeof *pattern->block);
    pattern->first = calloc(rank + 1, sizeof *pattern->first);
    pattern->mark = malloc((rank + 1) * sizeof *pattern->mark);
    pattern->place = malloc((rank + 1) * sizeof *pattern->place);
    if (self->pair_start && self->pair_at && self->own && self->y && self->weighted && pattern->start &&
        pattern->block && pattern->first && pattern->mark && pattern->place)
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix of %d rows", span->rank);
}

static enum nb_status find_span(const struct NB(nb_bsr) *D, struct nb_row_basis *span,
                                struct nb_error *error)
{
    const size_t entries = 9 * (size_t)D->start[D->rows];
    double *value = malloc((entries + 1) * sizeof *value);
    if (!value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu entries", entries);
    for (size_t k = 0; k < entries; ++k)
        value[k] = (double)D->value[k];
    const enum nb_status status = nb_row_basis_rows_find(span, D->rows, D->start, D->column, value, error);
    free(value);
    return status;
}

enum nb_status NB(nb_reduced_rows_create)(struct nb_reduced_matrix **out, const struct NB(nb_bsr) *D,
                                          int threads, struct nb_error *error)
{
    struct nb_reduced_matrix *self = calloc(1, sizeof *self);
    struct pattern pattern = {0};
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix");
    enum nb_status status = find_span(D, &self->span, error);
    const double pairs = status ? 0 : count_pairs(&self->span);
    const int fits = self->span.rank > 0 && pairs <= NB_MOST_PAIRS * 9 * D->start[D->rows];
    if (!status && fits)
        status = allocate(self, &pattern, pairs, error);
    if (!status && fits)
        status = order_pattern(self, &pattern, threads, error);
    free_pattern(&pattern);
    if (status || !fits) {
        NB(nb_reduced_rows_free)(self);
        return status;
    }
    self->operations = nb_newton_matrix_operations(self->matrix) + 3 * pairs;
    *out = self;
    return NB_OK;
}

/* Adds J^T B J of block row i. */
static void add_row(const struct nb_reduced_matrix *self, int i, const nb_real *contact_tangent, double *value)
{
    const struct nb_row_basis *span = &self->span;
    const int count = columns_of(span, i);
    const double *jacobian = span->value + 3 * (size_t)span->start[i];
    const int *at = self->pair_at + self->pair_start[i];
    double *weighted = self->weighted;
    for (int b = 0; b < count; ++b)
        for (int r = 0; r < 3; ++r)
            weighted[3 * b + r] = (double)contact_tangent[3 * r] * jacobian[3 * b] +
                                  (double)contact_tangent[3 * r + 1] * jacobian[3 * b + 1] +
                                  (double)contact_tangent[3 * r + 2] * jacobian[3 * b + 2];
    for (int a = 0; a < count; ++a, jacobian += 3)
        for (int b = 0; b < count; ++b)
            value[*at++] += jacobian[0] * weighted[3 * b] + jacobian[1] * weighted[3 * b + 1] +
                            jacobian[2] * weighted[3 * b + 2];
}

enum nb_status NB(nb_reduced_rows_factorise)(struct nb_reduced_matrix *self, const nb_real *contact_tangent,
                                             const int *left_out)
{
    const struct nb_row_basis *span = &self->span;
    double *value = nb_newton_matrix_values(self->matrix);
    memset(value, 0, self->entries * sizeof *value);
    for (int b = 0; b < span->rank; ++b) {
        const int i = span->row[b] / 3, count = columns_of(span, i);
        const double *jacobian = span->value + 3 * (size_t)span->start[i] + span->row[b] % 3;
        for (int a = 0; a < count; ++a)
            value[self->pair_at[self->pair_start[i] + (size_t)(a * count + self->own[b])]] = jacobian[3 * a];
    }
    for (int i = 0; i < span->blocks; ++i)
        if (!left_out[i])
            add_row(self, i, contact_tangent + 9 * (size_t)i, value);
    return nb_newton_matrix_factorise(self->matrix);
}

void NB(nb_reduced_rows_solve)(struct nb_reduced_matrix *self, const nb_real *contact_tangent, nb_real *p)
{
    const struct nb_row_basis *span = &self->span;
    memset(self->y, 0, (size_t)span->rank * sizeof *self->y);
    for (int i = 0; i < span->blocks; ++i) {
        const double own[3] = {(double)p[3 * i], (double)p[3 * i + 1], (double)p[3 * i + 2]};
        nb_row_basis_rows_add_transposed(span, i, own, self->y);
    }
    nb_newton_matrix_solve(self->matrix, self->y);
    for (int i = 0; i < span->blocks; ++i) {
        double moved[3];
        const nb_real *b = contact_tangent + 9 * (size_t)i;
        nb_row_basis_rows_apply(span, i, self->y, moved);
        for (int r = 0; r < 3; ++r)
            p[3 * i + r] -= (nb_real)((double)b[3 * r] * moved[0] + (double)b[3 * r + 1] * moved[1] +
                                      (double)b[3 * r + 2] * moved[2]);
    }
}
