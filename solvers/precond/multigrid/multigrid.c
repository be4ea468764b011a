/* The numbers of smoothed aggregation; see multigrid.h. */
#include "solvers/precond/multigrid/multigrid.h"

#include <string.h>

#include "problems/base/sorted.h"
#include "solvers/block/block3.h"

enum { POWER_ITERATIONS = 8, RELAXATIONS = 4 };

static void to_real(const nb_matrix *block, nb_real *out)
{
    for (int e = 0; e < 9; ++e)
        out[e] = (nb_real)block[e];
}

/* c += factor a b, and c += a^T b, row-major 3x3 */
static void add_product(const nb_real *a, const nb_real *b, nb_real factor, nb_real *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] += factor * (a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]);
}
static void add_transposed_product(const nb_real *a, const nb_real *b, nb_real *c)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] += a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

static int invert_diagonal(struct nb_multigrid_level *level)
{
    for (int i = 0; i < level->matrix->rows; ++i) {
        nb_real block[9];
        nb_bsr_diagonal_block(level->matrix, i, block);
        /* A coarse block may be singular: a direction that the aggregate lacks gets a harmless pivot. */
        const nb_real size = nb_max(block[0], nb_max(block[4], block[8]));
        if (!(size >= 0 && isfinite((double)size)))
            return 0;
        for (int e = 0; e < 9; e += 4)
            block[e] += size > 0 ? 64 * NB_REAL(NB_UNIT_ROUNDOFF) * size : 1;
        if (!nb_block_invert_spd(block, level->inverse + 9 * (size_t)i))
            return 0;
    }
    return 1;
}

static void apply_inverse_diagonal(const struct nb_multigrid_level *level, const nb_real *r, nb_real *z)
{
    for (int i = 0; i < level->matrix->rows; ++i)
        nb_block_apply(level->inverse + 9 * (size_t)i, r + 3 * (size_t)i, z + 3 * (size_t)i);
}

/* The smoother's factor 4/3 over an upper estimate of the largest eigenvalue of D^-1 A: below 2 over it,
 * so that smoothing reduces the error in the energy norm and the cycle is positive definite. */
static void estimate_omega(struct nb_multigrid_level *level)
{
    const size_t n = 3 * (size_t)level->matrix->rows;
    nb_real largest = 1;
    for (size_t i = 0; i < n; ++i)
        level->x[i] = (nb_real)(1 + (double)((i * 2654435761u) >> 4 & 255u) / 256.0);
    for (int k = 0; k < POWER_ITERATIONS; ++k) {
        nb_bsr_multiply(level->matrix, level->x, level->r, 1);
        apply_inverse_diagonal(level, level->r, level->b);
        const nb_real before = nb_norm(n, level->x, 1), after = nb_norm(n, level->b, 1);
        const nb_real growth = before > 0 ? after / before : 0;
        largest = growth > largest || k + 1 == POWER_ITERATIONS ? nb_max(growth, 1) : largest;
        for (size_t i = 0; i < n && after > 0; ++i)
            level->x[i] = level->b[i] / after;
    }
    level->omega = NB_REAL(4.0 / 3.0) / (NB_REAL(1.2) * largest);
}

/* shape -= omega D^-1 A shape, a few times, from the unit blocks, or from what the finer level hands on. */
static void relax_shape(struct nb_multigrid_level *level, int finest)
{
    const struct nb_bsr *matrix = level->matrix;
    if (finest)
        for (int i = 0; i < matrix->rows; ++i)
            for (int e = 0; e < 9; ++e)
                level->shape[9 * (size_t)i + (size_t)e] = e % 4 == 0;
    for (int k = 0; k < (finest ? RELAXATIONS : 1); ++k) {
        memset(level->tentative, 0, 9 * (size_t)matrix->rows * sizeof *level->tentative);
        for (int i = 0; i < matrix->rows; ++i) {
            nb_real sum[9] = {0}, block[9];
            for (int m = matrix->start[i]; m < matrix->start[i + 1]; ++m) {
                to_real(matrix->value + 9 * (size_t)m, block);
                add_product(block, level->shape + 9 * (size_t)matrix->column[m], 1, sum);
            }
            add_product(level->inverse + 9 * (size_t)i, sum, level->omega, level->tentative + 9 * (size_t)i);
        }
        for (size_t e = 0; e < 9 * (size_t)matrix->rows; ++e)
            level->shape[e] -= level->tentative[e];
    }
}

/* tentative = shape C^-T with C C^T the Gram matrix of the aggregate; C^T is the coarse shape. */
static void orthonormalise(struct nb_multigrid *grid, int l)
{
    struct nb_multigrid_level *level = &grid->level[l], *coarse = &grid->level[l + 1];
    nb_real *gram = coarse->tentative; /* free at this time */
    memset(gram, 0, 9 * (size_t)level->aggregates * sizeof *gram);
    for (int i = 0; i < level->matrix->rows; ++i)
        add_transposed_product(level->shape + 9 * (size_t)i, level->shape + 9 * (size_t)i,
                               gram + 9 * (size_t)level->aggregate[i]);
    for (int a = 0; a < level->aggregates; ++a) {
        nb_real *g = gram + 9 * (size_t)a, l_inverse[9], *up = coarse->shape + 9 * (size_t)a;
        const nb_real size = nb_max(g[0], nb_max(g[4], g[8]));
        for (int e = 0; e < 9; e += 4)
            g[e] += size > 0 ? 64 * NB_REAL(NB_UNIT_ROUNDOFF) * size : 1;
        if (!nb_block_invert_factor(g, l_inverse))
            for (int e = 0; e < 9; ++e)
                l_inverse[e] = e % 4 == 0;
        /* C^T = C^-1 (C C^T) */
        memset(up, 0, 9 * sizeof *up);
        add_product(l_inverse, g, 1, up);
        memcpy(g, l_inverse, sizeof l_inverse);
    }
    for (int i = 0; i < level->matrix->rows; ++i) {
        const nb_real *inverse = gram + 9 * (size_t)level->aggregate[i];
        for (int r = 0; r < 3; ++r)
            nb_block_apply(inverse, level->shape + 9 * (size_t)i + 3 * r,
                           level->tentative + 9 * (size_t)i + 3 * r);
    }
}

static void clear(struct nb_bsr *matrix)
{
    memset(matrix->value, 0, 9 * (size_t)matrix->start[matrix->rows] * sizeof *matrix->value);
}

/* P = (1 - omega D^-1 A) tentative */
static void smooth_prolongation(struct nb_multigrid_level *level)
{
    const struct nb_bsr *matrix = level->matrix;
    struct nb_bsr *p = &level->prolong;
    clear(p);
    for (int i = 0; i < matrix->rows; ++i) {
        for (int k = p->start[i]; k < p->start[i + 1]; ++k)
            level->slot[p->column[k]] = k;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            const size_t at = 9 * (size_t)level->slot[level->aggregate[j]];
            nb_real block[9], scaled[9] = {0}, out[9];
            to_real(matrix->value + 9 * (size_t)k, block);
            add_product(level->inverse + 9 * (size_t)i, block, -level->omega, scaled);
            for (int e = 0; e < 9 && j == i; e += 4)
                scaled[e] += 1;
            to_real(p->value + at, out);
            add_product(scaled, level->tentative + 9 * (size_t)j, 1, out);
            for (size_t e = 0; e < 9; ++e)
                p->value[at + e] = (nb_matrix)out[e];
        }
    }
}

/* out = a b in the pattern of out. slot [columns]. */
static void multiply(const struct nb_bsr *a, const struct nb_bsr *b, struct nb_bsr *out, int *slot)
{
    nb_real left[9], right[9], sum[9];
    clear(out);
    for (int i = 0; i < a->rows; ++i) {
        for (int k = out->start[i]; k < out->start[i + 1]; ++k)
            slot[out->column[k]] = k;
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            to_real(a->value + 9 * (size_t)k, left);
            for (int m = b->start[a->column[k]]; m < b->start[a->column[k] + 1]; ++m) {
                nb_matrix *to = out->value + 9 * (size_t)slot[b->column[m]];
                to_real(b->value + 9 * (size_t)m, right);
                to_real(to, sum);
                add_product(left, right, 1, sum);
                for (int e = 0; e < 9; ++e)
                    to[e] = (nb_matrix)sum[e];
            }
        }
    }
}

/* Position of column j in row i of a matrix that has it. */
static size_t position(const struct nb_bsr *matrix, int i, int j)
{
    return (size_t)nb_find_sorted(matrix->column, matrix->start[i], matrix->start[i + 1], j);
}

/* coarse = P^T (A P), row of A P by row, whose columns follow one another in a row of coarse; the lower triangle
 * mirrors the upper one, to the bit. */
static void galerkin(const struct nb_multigrid_level *level, struct nb_bsr *coarse)
{
    const struct nb_bsr *p = &level->prolong, *ap = &level->product;
    nb_real left[9], right[9], sum[9];
    clear(coarse);
    for (int i = 0; i < p->rows; ++i)
        for (int k = p->start[i]; k < p->start[i + 1]; ++k) {
            size_t at = position(coarse, p->column[k], p->column[k]);
            to_real(p->value + 9 * (size_t)k, left);
            for (int m = ap->start[i]; m < ap->start[i + 1]; ++m) {
                if (ap->column[m] < p->column[k])
                    continue;
                while (coarse->column[at] < ap->column[m])
                    ++at;
                nb_matrix *out = coarse->value + 9 * at;
                to_real(ap->value + 9 * (size_t)m, right);
                to_real(out, sum);
                add_transposed_product(left, right, sum);
                for (int e = 0; e < 9; ++e)
                    out[e] = (nb_matrix)sum[e];
            }
        }
    for (int i = 0; i < coarse->rows; ++i)
        for (int k = coarse->start[i]; k < coarse->start[i + 1] && coarse->column[k] <= i; ++k) {
            const nb_matrix *mirror = coarse->value + 9 * position(coarse, coarse->column[k], i);
            nb_matrix *own = coarse->value + 9 * (size_t)k;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    if (coarse->column[k] < i || c < r)
                        own[3 * r + c] = mirror[3 * c + r];
        }
}

int nb_multigrid_refill(struct nb_multigrid *grid, int l)
{
    struct nb_multigrid_level *level = &grid->level[l];
    if (!invert_diagonal(level))
        return 0;
    estimate_omega(level);
    if (!level->aggregate)
        return 1;
    relax_shape(level, l == 0);
    orthonormalise(grid, l);
    smooth_prolongation(level);
    multiply(level->matrix, &level->prolong, &level->product, level->slot);
    galerkin(level, &grid->level[l + 1].owned);
    return 1;
}
