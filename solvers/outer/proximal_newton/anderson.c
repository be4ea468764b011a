/* Anderson's acceleration with a window of three: the differences df_j, dG_j of the last sweeps are kept with their
 * products (a Gram matrix in the energy norm), the weights are its least-squares solution by a Cholesky factor, and
 * sweeps from before f grew, or weights of nearly parallel differences, are not used (Walker and Ni 2011). */
#include "solvers/outer/proximal_newton/anderson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/outer/proximal_newton/parameters.h"

enum { WINDOW = NB_ANDERSON_WINDOW };

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_anderson *a = data;
    NB_ARRAY(arena, a->begin, a->rows);
    NB_ARRAY(arena, a->end, a->length);
    NB_ARRAY(arena, a->change, a->rows);
    for (int k = 0; k < WINDOW; ++k) {
        NB_ARRAY(arena, a->d_end[k], a->length);
        NB_ARRAY(arena, a->d_change[k], a->rows);
    }
}

enum nb_status nb_anderson_create(struct nb_anderson *a, size_t rows, size_t others, struct nb_error *error)
{
    memset(a, 0, sizeof *a);
    a->rows = rows;
    a->length = rows + others;
    a->memory = nb_arena_allocate(lay_out, a);
    return a->memory ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to accelerate sweeps");
}

void nb_anderson_free(struct nb_anderson *a)
{
    free(a->memory);
    memset(a, 0, sizeof *a);
}

void nb_anderson_restart(struct nb_anderson *a)
{
    a->count = a->begun = a->filled = 0;
}

/* last becomes next. */
static void take_difference(size_t n, const nb_real *next, nb_real *last, nb_real *difference)
{
    for (size_t i = 0; i < n; ++i) {
        difference[i] = next[i] - last[i];
        last[i] = next[i];
    }
}

/* The differences of this sweep, and their products with those before, replace the oldest. */
static void remember(struct nb_anderson *a, const nb_real *rho, const nb_real *p, const nb_real *u)
{
    const int at = a->filled ? a->count % WINDOW : 0;
    nb_real *d_change = a->d_change[at];
    take_difference(a->rows, p, a->end, a->d_end[at]);
    if (a->length > a->rows)
        take_difference(a->length - a->rows, u, a->end + a->rows, a->d_end[at] + a->rows);
    for (size_t i = 0; i < a->rows; ++i) {
        const nb_real change = p[i] - a->begin[i];
        d_change[i] = change - a->change[i];
        a->change[i] = change;
    }
    if (a->filled) {
        a->count++;
        const int known = a->count < WINDOW ? a->count : WINDOW;
        nb_sum sum[WINDOW] = {0};
        for (size_t i = 0; i < a->rows; ++i)
            for (int j = 0; j < WINDOW; ++j)
                sum[j] += (nb_sum)(d_change[i] / rho[i]) * a->d_change[j][i];
        for (int j = 0; j < known; ++j)
            a->gram[at][j] = a->gram[j][at] = sum[j];
    }
    a->filled = 1;
}

/* Solves gram x = b in place by Cholesky's factor; zero where it is singular. */
static int solve(nb_sum gram[WINDOW][WINDOW], nb_sum *b, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            nb_sum sum = gram[i][j];
            for (int k = 0; k < j; ++k)
                sum -= gram[i][k] * gram[j][k];
            if (i == j && !(sum > 0))
                return 0;
            gram[i][j] = i == j ? (nb_sum)sqrt((double)sum) : sum / gram[j][j];
        }
        for (int k = 0; k < i; ++k)
            b[i] -= gram[i][k] * b[k];
        b[i] /= gram[i][i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k)
            b[i] -= gram[k][i] * b[k];
        b[i] /= gram[i][i];
    }
    return 1;
}

/* The weights of the differences, [WINDOW]; zero where there are none to trust. */
static int weigh(const struct nb_anderson *a, const nb_real *rho, nb_sum *weight)
{
    const int known = a->count < WINDOW ? a->count : WINDOW;
    nb_sum gram[WINDOW][WINDOW], size = 0;
    memcpy(gram, a->gram, sizeof gram);
    for (int j = 0; j < WINDOW; ++j)
        weight[j] = 0;
    for (size_t i = 0; i < a->rows; ++i)
        for (int j = 0; j < WINDOW; ++j)
            weight[j] += (nb_sum)(a->change[i] / rho[i]) * a->d_change[j][i];
    for (int j = 0; j < known; ++j)
        gram[j][j] *= 1 + NB_ANDERSON_SHIFT;
    for (int j = known; j < WINDOW; ++j)
        weight[j] = 0;
    if (known == 0 || !solve(gram, weight, known))
        return 0;
    for (int j = 0; j < known; ++j)
        size += weight[j] < 0 ? -weight[j] : weight[j];
    return size < NB_ANDERSON_LARGEST;
}

static void subtract(size_t n, nb_real *const *difference, size_t offset, const nb_sum *weight, nb_real *x)
{
    for (size_t i = 0; i < n; ++i)
        for (int j = 0; j < WINDOW; ++j)
            x[i] -= (nb_real)weight[j] * difference[j][offset + i];
}

void nb_anderson_step(struct nb_anderson *a, const nb_real *rho, nb_real size, nb_real *p, nb_real *u)
{
    nb_sum weight[WINDOW];
    if (a->filled && size > NB_ANDERSON_GROWTH * a->size)
        a->count = a->filled = 0;
    a->size = size;
    if (a->begun)
        remember(a, rho, p, u);
    if (a->begun && weigh(a, rho, weight)) {
        subtract(a->rows, a->d_end, 0, weight, p);
        subtract(a->length - a->rows, a->d_end, a->rows, weight, u);
    }
    a->begun = 1;
    memcpy(a->begin, p, a->rows * sizeof *p);
}
