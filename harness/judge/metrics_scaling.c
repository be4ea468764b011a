/* Of each row of J: the diagonal of the Delassus matrix J M^-1 J^T, for the mass scaling (Macklin et al.
 * 2019, section 7), and of what J u is made up, for accuracy floors.
 *
 * M = P^T L L^T P by CHOLMOD, and (J M^-1 J^T)_ii = ||L^-1 P j_i||^2. Each row of J is sparse, so
 * the triangular solve visits only the rows that the elimination tree reaches from its entries
 * (Gilbert and Peierls 1988): for rigid bodies that is the block of each body. M^-1 j_i takes the trees of
 * these blocks whole. */
#include <cholmod.h>
#include <math.h>
#include <stdlib.h>

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
    NB_ARRAY(arena, t->inverse, t->n);
    NB_ARRAY(arena, t->reached, t->n);
    NB_ARRAY(arena, t->lowest, t->n);
    NB_ARRAY(arena, t->marked, t->n);
    NB_ARRAY(arena, t->x, t->n);
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

static enum nb_status measure_rows(const struct nb_csr *mass, const struct nb_csr *jacobian,
                                   row_measure *measure, const double *force, const double *terms,
                                   double *result, struct nb_error *error)
{
    if (mass->rows == 0 || jacobian->rows == 0)
        return NB_OK;
    const size_t n = (size_t)mass->rows;
    enum nb_status status = NB_OK;
    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.final_ll = 1;
    cholmod_sparse *lower = symmetric_part(mass, &common);
    cholmod_factor *factor = lower ? cholmod_analyze(lower, &common) : NULL;
    if (!factor || !cholmod_factorize(lower, factor, &common) ||
        common.status == CHOLMOD_OUT_OF_MEMORY)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to factorise the mass matrix");
    else if (factor->minor < n)
        status = nb_fail(error, NB_BAD_INPUT,
                         "the mass matrix M is not positive definite (at pivot %zu of %zu)",
                         factor->minor, n);
    else
        status = solve_rows(factor, jacobian, measure, force, terms, result, error);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&lower, &common);
    cholmod_finish(&common);
    return status;
}

enum nb_status nb_delassus_diagonal(const struct nb_csr *mass, const struct nb_csr *jacobian,
                                    double *diagonal, struct nb_error *error)
{
    return measure_rows(mass, jacobian, squared_norm, NULL, NULL, diagonal, error);
}

enum nb_status nb_velocity_terms(const struct nb_csr *mass, const struct nb_csr *jacobian,
                                 const double *force, const double *terms, double *sums,
                                 struct nb_error *error)
{
    return measure_rows(mass, jacobian, sum_of_terms, force, terms, sums, error);
}
