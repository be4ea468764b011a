/* M^-1, and of each row of J: the diagonal of the Delassus matrix J M^-1 J^T, for the mass scaling (Macklin et al.
 * 2019, section 7), and of what J u is made up, for accuracy floors.
 *
 * M = P^T L L^T P by CHOLMOD, and (J M^-1 J^T)_ii = ||L^-1 P j_i||^2. Each row of J is sparse, so
 * the triangular solve visits only the rows that the elimination tree reaches from its entries
 * (Gilbert and Peierls 1988): for rigid bodies that is the block of each body. M^-1 j_i takes the trees of
 * these blocks whole. */
#include <cholmod.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "problems/base/arena.h"
#include "problems/base/sorted.h"

struct triangle {
    int n;
    const int *start, *count, *row, *order; /* order[new] = old; the diagonal leads a column */
    const double *value;
    int *inverse;   /* [n] inverse[old] = new       */
    int *reached;   /* [n] rows visited, ascending  */
    int *lowest;    /* [n] of a root: the lowest row of its tree */
    char *marked;   /* [n]                          */
    double *x;      /* [n] zero between solves      */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct triangle *t = data;
    NB_ARRAYS(arena, t->n, t->inverse, t->reached, t->lowest, t->marked, t->x);
}

/* What is to be known of row i of J. */
typedef double row_measure(const struct triangle *t, const struct nb_csr *jacobian, int i,
                           const double *force, const double *terms);

/* Scatters row i of J into x and collects the rows that its solve touches. */
static int reach(const struct triangle *t, const struct nb_csr *jacobian, int i)
{
    int count = 0;
    for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
        int node = t->inverse[jacobian->column[k]];
        t->x[node] += jacobian->value[k];
        while (node >= 0 && !t->marked[node]) {
            t->marked[node] = 1;
            t->reached[count++] = node;
            node = t->count[node] > 1 ? t->row[t->start[node] + 1] : -1;
        }
    }
    nb_sort_ints(t->reached, count);
    return count;
}

/* x = L^-1 P j_i; returns how many of its rows are reached. */
static int solve_forward(const struct triangle *t, const struct nb_csr *jacobian, int i)
{
    const int count = reach(t, jacobian, i);
    for (int k = 0; k < count; ++k) {
        const int node = t->reached[k], begin = t->start[node];
        const double x = t->x[node] /= t->value[begin];
        for (int e = begin + 1; e < begin + t->count[node]; ++e)
            t->x[t->row[e]] -= t->value[e] * x;
        t->marked[node] = 0;
    }
    return count;
}

static double squared_norm(const struct triangle *t, const struct nb_csr *jacobian, int i,
                           const double *force, const double *terms)
{
    const int count = solve_forward(t, jacobian, i);
    double sum = 0;
    (void)force;
    (void)terms;
    for (int k = 0; k < count; ++k) {
        const int node = t->reached[k];
        sum += t->x[node] * t->x[node];
        t->x[node] = 0;
    }
    return sum;
}

/* |M^-1 j_i . force| + |M^-1 j_i| . terms: each tree that was reached from its root, the last of its rows, down. */
static double sum_of_terms(const struct triangle *t, const struct nb_csr *jacobian, int i,
                           const double *force, const double *terms)
{
    const int count = solve_forward(t, jacobian, i);
    double sum = 0, free_velocity = 0;
    for (int k = 0; k < count; ++k) {
        const int root = t->reached[k];
        if (t->count[root] > 1)
            continue;
        for (int node = root; node >= t->lowest[root]; --node) {
            const int begin = t->start[node];
            for (int e = begin + 1; e < begin + t->count[node]; ++e)
                t->x[node] -= t->value[e] * t->x[t->row[e]];
            t->x[node] /= t->value[begin];
            free_velocity += t->x[node] * force[t->order[node]];
            sum += fabs(t->x[node]) * terms[t->order[node]];
        }
        for (int node = t->lowest[root]; node <= root; ++node)
            t->x[node] = 0;
    }
    return fabs(free_velocity) + sum;
}

/* Rows of a tree follow each other (CHOLMOD's postorder), with the root last: a row without others below its
 * diagonal. */
static void find_lowest(const struct triangle *t)
{
    for (int node = 0, lowest = 0; node < t->n; ++node) {
        t->lowest[node] = lowest;
        if (t->count[node] <= 1)
            lowest = node + 1;
    }
}

static enum nb_status solve_rows(const cholmod_factor *factor, const struct nb_csr *jacobian,
                                 row_measure *measure, const double *force, const double *terms,
                                 double *result, struct nb_error *error)
{
    struct triangle t = {.n = (int)factor->n, .start = factor->p, .count = factor->nz, .row = factor->i,
                         .order = factor->Perm, .value = factor->x};
    void *memory = nb_arena_allocate(lay_out, &t);
    if (!memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solve with %d rows", t.n);
    for (int k = 0; k < t.n; ++k)
        t.inverse[t.order[k]] = k;
    find_lowest(&t);
    for (int i = 0; i < jacobian->rows; ++i)
        result[i] = measure(&t, jacobian, i, force, terms);
    free(memory);
    return NB_OK;
}

/* (M + M^T)/2, its lower triangle: files of others hold matrices that are symmetric but for round-off, or less.
 * NULL: no memory. */
static cholmod_sparse *symmetric_part(const struct nb_csr *mass, cholmod_common *common)
{
    const size_t n = (size_t)mass->rows;
    double half[2] = {0.5, 0};
    /* Compressed rows are the transposed matrix's compressed columns. */
    cholmod_sparse view = {.nrow = n, .ncol = n, .nzmax = (size_t)mass->start[n],
                           .p = mass->start, .i = mass->column, .x = mass->value,
                           .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE,
                           .sorted = 1, .packed = 1};
    cholmod_sparse *other = cholmod_transpose(&view, 1, common);
    cholmod_sparse *whole = other ? cholmod_add(&view, other, half, half, 1, 1, common) : NULL;
    cholmod_sparse *lower = whole ? cholmod_copy(whole, -1, 1, common) : NULL;
    cholmod_free_sparse(&other, common);
    cholmod_free_sparse(&whole, common);
    return lower;
}

struct nb_mass_factor {
    cholmod_common common;
    cholmod_factor *factor; /* NULL: M has no rows        */
    cholmod_dense *solution, *workspace[2]; /* kept from solve to solve */
};

enum nb_status nb_mass_factor_create(struct nb_mass_factor **out, const struct nb_csr *mass, struct nb_error *error)
{
    struct nb_mass_factor *self = *out = calloc(1, sizeof *self);
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to factorise the mass matrix");
    cholmod_start(&self->common);
    if (mass->rows == 0)
        return NB_OK;
    self->common.print = 0;
    self->common.supernodal = CHOLMOD_SIMPLICIAL;
    self->common.final_ll = 1;
    const size_t n = (size_t)mass->rows;
    enum nb_status status = NB_OK;
    cholmod_sparse *lower = symmetric_part(mass, &self->common);
    self->factor = lower ? cholmod_analyze(lower, &self->common) : NULL;
    if (!self->factor || !cholmod_factorize(lower, self->factor, &self->common) ||
        self->common.status == CHOLMOD_OUT_OF_MEMORY)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to factorise the mass matrix");
    else if (self->factor->minor < n)
        status = nb_fail(error, NB_BAD_INPUT, "the mass matrix M is not positive definite (at pivot %zu of %zu)",
                         self->factor->minor, n);
    cholmod_free_sparse(&lower, &self->common);
    if (status) {
        nb_mass_factor_free(self);
        *out = NULL;
    }
    return status;
}

void nb_mass_factor_free(struct nb_mass_factor *factor)
{
    if (!factor)
        return;
    cholmod_free_dense(&factor->solution, &factor->common);
    cholmod_free_dense(&factor->workspace[0], &factor->common);
    cholmod_free_dense(&factor->workspace[1], &factor->common);
    cholmod_free_factor(&factor->factor, &factor->common);
    cholmod_finish(&factor->common);
    free(factor);
}

enum nb_status nb_mass_factor_solve(struct nb_mass_factor *factor, const double *b, double *x)
{
    const size_t n = factor->factor ? factor->factor->n : 0;
    cholmod_dense right = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = (double *)b, .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    if (n == 0)
        return NB_OK;
    if (!cholmod_solve2(CHOLMOD_A, factor->factor, &right, NULL, &factor->solution, NULL, &factor->workspace[0],
                        &factor->workspace[1], &factor->common))
        return NB_OUT_OF_MEMORY;
    memcpy(x, factor->solution->x, n * sizeof *x);
    return NB_OK;
}

enum nb_status nb_mass_factor_diagonal(const struct nb_mass_factor *factor, const struct nb_csr *jacobian,
                                       double *diagonal, struct nb_error *error)
{
    if (!factor->factor || jacobian->rows == 0)
        return NB_OK;
    return solve_rows(factor->factor, jacobian, squared_norm, NULL, NULL, diagonal, error);
}

enum nb_status nb_mass_factor_terms(const struct nb_mass_factor *factor, const struct nb_csr *jacobian,
                                    const double *force, const double *terms, double *sums, struct nb_error *error)
{
    if (!factor->factor || jacobian->rows == 0)
        return NB_OK;
    return solve_rows(factor->factor, jacobian, sum_of_terms, force, terms, sums, error);
}
