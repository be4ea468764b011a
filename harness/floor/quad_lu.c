/* A dense LU factorisation P A = L U in quad precision, with the largest entry of each column as pivot. */
#include "harness/floor/quad_lu.h"

#include <stdlib.h>

#include "problems/base/arena.h"

struct nb_quad_lu {
    int order;
    __float128 *entry; /* [n n] by rows: U, and below its diagonal L */
    __float128 *work;  /* [n]                                        */
    int *row;          /* [n] which row of A stands in row i         */
    void *memory;      /* of these arrays                            */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_quad_lu *lu = data;
    NB_ARRAY(arena, lu->entry, (size_t)lu->order * (size_t)lu->order);
    NB_ARRAY(arena, lu->work, lu->order);
    NB_ARRAY(arena, lu->row, lu->order);
}

void nb_quad_lu_free(struct nb_quad_lu *lu)
{
    if (!lu)
        return;
    free(lu->memory);
    free(lu);
}

static __float128 magnitude(__float128 x) { return x < 0 ? -x : x; }

/* The largest entry of the column comes to the diagonal; 0 where there is none. */
static int pivot(struct nb_quad_lu *lu, int k)
{
    const int n = lu->order;
    int best = k;
    for (int i = k + 1; i < n; ++i)
        if (magnitude(lu->entry[(size_t)i * (size_t)n + (size_t)k]) >
            magnitude(lu->entry[(size_t)best * (size_t)n + (size_t)k]))
            best = i;
    for (int j = 0; j < n && best != k; ++j) {
        __float128 *a = &lu->entry[(size_t)k * (size_t)n + (size_t)j];
        __float128 *b = &lu->entry[(size_t)best * (size_t)n + (size_t)j];
        const __float128 kept = *a;
        *a = *b;
        *b = kept;
    }
    const int row = lu->row[k];
    lu->row[k] = lu->row[best];
    lu->row[best] = row;
    return magnitude(lu->entry[(size_t)k * (size_t)n + (size_t)k]) > 0;
}

static int factorise(struct nb_quad_lu *lu)
{
    const int n = lu->order;
    for (int k = 0; k < n; ++k) {
        if (!pivot(lu, k))
            return 0;
        const __float128 *top = lu->entry + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; ++i) {
            __float128 *row = lu->entry + (size_t)i * (size_t)n;
            if (row[k] == 0)
                continue;
            const __float128 factor = row[k] /= top[k];
            for (int j = k + 1; j < n; ++j)
                row[j] -= factor * top[j];
        }
    }
    return 1;
}

enum nb_status nb_quad_lu_create(struct nb_quad_lu **out, const struct nb_csr *matrix,
                                 struct nb_error *error)
{
    const size_t n = (size_t)matrix->rows;
    struct nb_quad_lu *lu = calloc(1, sizeof *lu);
    *out = NULL;
    if (lu)
        lu->order = matrix->rows;
    if (!lu || !(lu->memory = nb_arena_allocate(lay_out, lu))) {
        free(lu);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense quad matrix of order %zu", n);
    }
    for (int i = 0; i < matrix->rows; ++i) {
        lu->row[i] = i;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            lu->entry[(size_t)i * n + (size_t)matrix->column[k]] += matrix->value[k];
    }
    if (!factorise(lu)) {
        nb_quad_lu_free(lu);
        return nb_fail(error, NB_BREAKDOWN, "the matrix is singular in quad precision");
    }
    *out = lu;
    return NB_OK;
}

void nb_quad_lu_solve(const struct nb_quad_lu *lu, __float128 *x)
{
    const int n = lu->order;
    __float128 *y = lu->work;
    for (int i = 0; i < n; ++i) {
        __float128 sum = x[lu->row[i]];
        for (int j = 0; j < i; ++j)
            sum -= lu->entry[(size_t)i * (size_t)n + (size_t)j] * y[j];
        y[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        const __float128 *row = lu->entry + (size_t)i * (size_t)n;
        for (int j = i + 1; j < n; ++j)
            y[i] -= row[j] * y[j];
        y[i] /= row[i];
    }
    for (int i = 0; i < n; ++i)
        x[i] = y[i];
}
