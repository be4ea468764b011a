/* (1 + B W) dp = c by a basis of W's rows (row_basis.h): W = J M^-1 J^T with M = W_bb of the basis, so that
 * (M + J^T B J) y = J^T c and dp = c - B J y. The pattern, a clique of columns for each block row of J, and the places
 * of its products are found once; for new B the matrix is assembled and factorised. */
#include "solvers/outer/proximal_newton/reduced_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/outer/proximal_newton/parameters.h"
#include "solvers/sparse/clique_pattern.h"

void nb_reduced_matrix_free(struct nb_reduced_matrix *self)
{
    if (!self)
        return;
    nb_row_basis_free(&self->span);
    nb_newton_matrix_free(self->matrix);
    free(self->pair_start);
    free(self->memory);
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

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_reduced_matrix *self = data;
    NB_ARRAY(arena, self->pair_at, self->pair_start[self->span.blocks]);
    NB_ARRAY(arena, self->own, self->span.rank);
    NB_ARRAY(arena, self->weighted, 3 * self->most);
    NB_ARRAY(arena, self->y, self->span.rank);
}

static enum nb_status allocate(struct nb_reduced_matrix *self, struct nb_error *error)
{
    const struct nb_row_basis *span = &self->span;
    self->pair_start = calloc((size_t)span->blocks + 1, sizeof *self->pair_start);
    for (int i = 0; self->pair_start && i < span->blocks; ++i) {
        const int count = columns_of(span, i);
        self->most = count > self->most ? count : self->most;
        self->pair_start[i + 1] = self->pair_start[i] + (size_t)count * (size_t)count;
    }
    self->memory = self->pair_start ? nb_arena_allocate(lay_out, self) : NULL;
    return self->memory ? NB_OK
                        : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix of %d rows", span->rank);
}

/* Where the entries of J^T B J go, and a basis row's place among the columns of its block row. */
static void place_pairs(struct nb_reduced_matrix *self, const struct nb_clique_pattern *pattern)
{
    const struct nb_row_basis *span = &self->span;
    for (int i = 0; i < span->blocks; ++i) {
        const int *column = span->column + span->start[i], count = columns_of(span, i);
        int *at = self->pair_at + self->pair_start[i];
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < count; ++b)
                *at++ = nb_clique_pattern_find(pattern, column[a], column[b]);
        for (int b = 0; b < count; ++b)
            if (span->row[column[b]] / 3 == i)
                self->own[column[b]] = b;
    }
}

static enum nb_status order_pattern(struct nb_reduced_matrix *self, struct nb_error *error)
{
    const struct nb_row_basis *span = &self->span;
    struct nb_clique_pattern pattern;
    enum nb_status status = nb_clique_pattern_create(&pattern, span->rank, span->blocks, span->start, span->column,
                                                     NULL, NULL, error);
    if (status)
        return status;
    place_pairs(self, &pattern);
    self->entries = (size_t)pattern.start[span->rank];
    status = nb_newton_matrix_create(&self->matrix, span->rank, pattern.start, pattern.row, NB_FACTORS_LU,
                                     error);
    nb_clique_pattern_free(&pattern);
    return status;
}

static enum nb_status find_span(const struct NB(nb_bsr) *W, struct nb_row_basis *span, struct nb_error *error)
{
    const size_t entries = 9 * (size_t)W->start[W->rows];
    double *value = malloc((entries + 1) * sizeof *value);
    if (!value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu entries", entries);
    for (size_t k = 0; k < entries; ++k)
        value[k] = (double)W->value[k];
    const enum nb_status status = nb_row_basis_find(span, W->rows, W->start, W->column, value, error);
    free(value);
    return status;
}

enum nb_status nb_reduced_matrix_create(struct nb_reduced_matrix **out, const struct NB(nb_bsr) * W,
                                        struct nb_error *error)
{
    struct nb_reduced_matrix *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a Newton matrix");
    enum nb_status status = find_span(W, &self->span, error);
    const double pairs = status ? 0 : count_pairs(&self->span);
    const int fits = self->span.rank > 0 && pairs <= NB_MOST_PAIRS * 9 * W->start[W->rows];
    if (!status && fits)
        status = allocate(self, error);
    if (!status && fits)
        status = order_pattern(self, error);
    if (status || !fits) {
        nb_reduced_matrix_free(self);
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

enum nb_status nb_reduced_matrix_factorise(struct nb_reduced_matrix *self, const nb_real *contact_tangent,
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

void nb_reduced_matrix_solve(struct nb_reduced_matrix *self, const nb_real *contact_tangent, nb_real *p)
{
    const struct nb_row_basis *span = &self->span;
    memset(self->y, 0, (size_t)span->rank * sizeof *self->y);
    for (int i = 0; i < span->blocks; ++i) {
        const double own[3] = {(double)p[3 * i], (double)p[3 * i + 1], (double)p[3 * i + 2]};
        nb_row_basis_add_transposed(span, i, own, self->y);
    }
    nb_newton_matrix_solve(self->matrix, self->y);
    for (int i = 0; i < span->blocks; ++i) {
        double moved[3];
        const nb_real *b = contact_tangent + 9 * (size_t)i;
        nb_row_basis_apply(span, i, self->y, moved);
        for (int r = 0; r < 3; ++r)
            p[3 * i + r] -= (nb_real)((double)b[3 * r] * moved[0] + (double)b[3 * r + 1] * moved[1] +
                                      (double)b[3 * r + 2] * moved[2]);
    }
}
