/* The loops of solvers/kernels/delassus_fill.c: entries of X X^T, each the sum of the same products in the same
 * order whatever the rows and columns beside it. The left operand is kept by columns, as vectors take it, and
 * the right one by blocks, whose entries are at constant distances. */
#include "solvers/kernels/delassus_strip.h"
#include "solvers/kernels/product_private.h"

/* A vector is a cache line. */
enum { MOST_NODES = 4, TALLEST = NB_PANEL_ROWS };
enum { WIDE = 64 / sizeof(nb_real), VECTORS = (3 * TALLEST + WIDE - 1) / WIDE };

typedef nb_real wide __attribute__((vector_size(WIDE * sizeof(nb_real))));
typedef nb_matrix wide_stored
    __attribute__((vector_size(WIDE * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));
typedef nb_matrix half_stored
    __attribute__((vector_size(WIDE / 2 * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));
typedef nb_matrix quarter_stored
    __attribute__((vector_size(WIDE / 4 * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));
typedef nb_real four __attribute__((vector_size(4 * sizeof(nb_real))));
typedef nb_matrix four_stored
    __attribute__((vector_size(4 * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));

static inline wide load(const nb_matrix *value)
{
    return __builtin_convertvector(*(const wide_stored *)(const void *)value, wide);
}

static inline four load_four(const nb_matrix *value)
{
    return __builtin_convertvector(*(const four_stored *)(const void *)value, four);
}

static inline void store_four(nb_matrix *out, four value)
{
    *(four_stored *)(void *)out = __builtin_convertvector(value, four_stored);
}

/* The first so many lanes, a constant at each call. */
static inline __attribute__((always_inline)) void store(nb_matrix *out, wide sum, const int count)
{
    union {
        wide_stored all;
        half_stored half[2];
        quarter_stored quarter[4];
        nb_matrix lane[WIDE];
    } part = {.all = __builtin_convertvector(sum, wide_stored)};
    int at = 0;
    if (count >= WIDE) {
        *(wide_stored *)(void *)out = part.all;
        return;
    }
    if (count & WIDE / 2) {
        *(half_stored *)(void *)out = part.half[0];
        at = WIDE / 2;
    }
    if (count & WIDE / 4) {
        *(quarter_stored *)(void *)(out + at) = part.quarter[4 * at / WIDE];
        at += WIDE / 4;
    }
#pragma GCC unroll 3
    for (; at < count; ++at)
        out[at] = part.lane[at];
}

/* From row `at` on, over one stretch of so many nodes: the left operand stays in registers. Constants at each
 * call but for strip and couple; what vectors read past the rows ends in lanes that are dropped. */
static inline __attribute__((always_inline)) void
fill_short(const int height, const int nodes, const struct NB(nb_strip) *strip,
           const struct NB(nb_couple) *couple, const int at)
{
    const int vectors = (height + WIDE - 1) / WIDE;
    const size_t left_length = strip->left_length, length = strip->length;
    const size_t right_length = 9 * (size_t)couple->length;
    const nb_matrix *left = strip->left + 3 * left_length * (size_t)couple->only[0] + at;
    const nb_matrix *right = strip->weighted + 9 * ((size_t)couple->right + (size_t)couple->only[1]);
    nb_matrix *out = strip->out + at;
    wide row[3 * MOST_NODES][VECTORS];
#pragma GCC unroll 12
    for (int n = 0; n < 3 * nodes; ++n, left += left_length)
#pragma GCC unroll 3
        for (int s = 0; s < vectors; ++s)
            row[n][s] = load(left + WIDE * s);
    for (int c = couple->rows; c > 0; --c, right += right_length) {
        wide sum[3][VECTORS] = {{{0}}}; /* a sum of products alone would leave it open which is rounded */
#pragma GCC unroll 12
        for (int n = 0; n < 3 * nodes; ++n)
#pragma GCC unroll 3
            for (int k = 0; k < 3; ++k)
#pragma GCC unroll 3
                for (int s = 0; s < vectors; ++s)
                    sum[k][s] += row[n][s] * (nb_real)right[9 * (n / 3) + 3 * k + n % 3];
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k, out += length)
#pragma GCC unroll 3
            for (int s = 0; s < vectors; ++s)
                store(out + WIDE * s, sum[k][s], height - WIDE * s);
    }
}

/* Block column c over any stretches. */
static inline __attribute__((always_inline)) void fill_column(const int height,
                                                              const struct NB(nb_strip) *strip,
                                                              const struct NB(nb_couple) *couple, int c)
{
    const int vectors = (height + WIDE - 1) / WIDE;
    const nb_matrix *other =
        strip->weighted + 9 * ((size_t)couple->right + (size_t)c * (size_t)couple->length);
    wide sum[3][VECTORS] = {{{0}}};
    for (int q = couple->first; q < couple->first + couple->stretches; ++q) {
        const int *stretch = strip->stretch + 3 * (size_t)q;
        const nb_matrix *left = strip->left + 3 * strip->left_length * (size_t)stretch[0];
        const nb_matrix *right = other + 9 * (size_t)stretch[1];
        for (int node = 0; node < stretch[2]; ++node, right += 9)
#pragma GCC unroll 3
            for (int n = 0; n < 3; ++n, left += strip->left_length)
#pragma GCC unroll 3
                for (int s = 0; s < vectors; ++s) {
                    const wide row = load(left + WIDE * s);
#pragma GCC unroll 3
                    for (int k = 0; k < 3; ++k)
                        sum[k][s] += row * (nb_real)right[3 * k + n];
                }
    }
    nb_matrix *out = strip->out + 3 * (size_t)c * strip->length;
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k, out += strip->length)
#pragma GCC unroll 3
        for (int s = 0; s < vectors; ++s)
            store(out + WIDE * s, sum[k][s], height - WIDE * s);
}

static inline __attribute__((always_inline)) void
fill_rows(const int rows, struct NB(nb_strip) strip, const struct NB(nb_couple) *couple, int count)
{
    const int height = 3 * rows, first = height > 2 * WIDE ? 2 * WIDE : height;
    for (const struct NB(nb_couple) *end = couple + count; couple < end; ++couple) {
        if (couple->stretches == 1 && couple->only[2] == 2) {
            fill_short(height, 2, &strip, couple, 0);
        } else if (couple->stretches == 1 && couple->only[2] == 4) {
            fill_short(first, 4, &strip, couple, 0);
            if (height > first)
                fill_short(height - first, 4, &strip, couple, first);
        } else {
            for (int c = 0; c < couple->rows; ++c)
                fill_column(height, &strip, couple, c);
        }
        strip.out += 3 * strip.length * (size_t)couple->rows;
    }
}

void NB(nb_strip_fill)(int rows, const struct NB(nb_strip) *strip,
                       const struct NB(nb_couple) *couple, int count)
{
    switch (rows) {
    case 1: fill_rows(1, *strip, couple, count); break;
    case 2: fill_rows(2, *strip, couple, count); break;
    case 3: fill_rows(3, *strip, couple, count); break;
    case 4: fill_rows(4, *strip, couple, count); break;
    case 5: fill_rows(5, *strip, couple, count); break;
    case 6: fill_rows(6, *strip, couple, count); break;
    case 7: fill_rows(7, *strip, couple, count); break;
    default: fill_rows(TALLEST, *strip, couple, count);
    }
}

/* The fourth lane falls on what is written next, or between the columns. */
struct NB(nb_strip) NB(nb_strip_make)(const struct NB(nb_delassus) *delassus,
                                      const struct NB(nb_bsr) *jacobian, int thread, int i, int end)
{
    nb_matrix *left = delassus->room + (size_t)thread * delassus->room_length;
    const nb_matrix *block = delassus->weighted + 9 * (size_t)jacobian->start[i];
    const size_t left_length = (size_t)(3 * (end - i) + 4) / 4 * 4;
    const int nodes = jacobian->start[i + 1] - jacobian->start[i];
    for (int row = 0; row < end - i; ++row) {
        nb_matrix *column = left + 3 * row;
        for (int k = 0; k < nodes; ++k, block += 9, column += 3 * left_length) {
            const four low = load_four(block), middle = load_four(block + 4),
                       high = load_four(block + 5);
            store_four(column, __builtin_shufflevector(low, middle, 0, 3, 6, 6));
            store_four(column + left_length, __builtin_shufflevector(low, middle, 1, 4, 7, 7));
            store_four(column + 2 * left_length, __builtin_shufflevector(low, high, 2, 4, 7, 7));
        }
    }
    return (struct NB(nb_strip)){
        .left = left,
        .left_length = left_length,
        .weighted = delassus->weighted,
        .stretch = delassus->stretch,
    };
}

/* Nodes are a constant where it matters. */
static inline __attribute__((always_inline)) void
fill_block(const struct NB(nb_strip) *strip, const struct NB(nb_single) *single, const int nodes,
           nb_matrix *block)
{
    const nb_matrix *left = strip->left + 3 * strip->left_length * (size_t)single->left;
    const nb_matrix *right = strip->weighted + 9 * (size_t)single->right;
    four sum[3] = {{0}};
#pragma GCC unroll 2
    for (int node = 0; node < nodes; ++node, right += 9)
#pragma GCC unroll 3
        for (int n = 0; n < 3; ++n, left += strip->left_length)
#pragma GCC unroll 3
            for (int k = 0; k < 3; ++k)
                sum[k] += load_four(left) * (nb_real)right[3 * k + n];
    const four start = __builtin_shufflevector(sum[0], sum[1], 0, 4, 1, 5);
    const four end = __builtin_shufflevector(sum[0], sum[1], 2, 6, 2, 6);
    const four middle = __builtin_shufflevector(start, sum[2], 3, 5, 3, 5);
    store_four(block, __builtin_shufflevector(start, sum[2], 0, 1, 4, 2));
    store_four(block + 4, __builtin_shufflevector(middle, end, 0, 1, 4, 5));
    block[8] = (nb_matrix)sum[2][2];
}

void NB(nb_strip_blocks)(const struct NB(nb_strip) *strip, const struct NB(nb_single) *single,
                         int count, nb_matrix *block)
{
    const struct NB(nb_strip) kept = *strip; /* else each store might have changed it */
    for (const struct NB(nb_single) *end = single + count; single < end; ++single, block += 9)
        if (single->nodes == 2) /* a rigid body */
            fill_block(&kept, single, 2, block);
        else
            fill_block(&kept, single, single->nodes, block);
}

/* Three rows of L J G in one node, G by rows in the first three lanes; where it is diagonal, all of it in the
 * first. */
static inline __attribute__((always_inline)) void weigh_block(const nb_matrix *block,
                                                              const nb_real *scale, const four *root,
                                                              const int diagonal, nb_matrix *out)
{
    four row[3];
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r, block += 3)
        row[r] = scale[r] * (diagonal ? load_four(block) * root[0]
                                      : (nb_real)block[0] * root[0] + (nb_real)block[1] * root[1] +
                                            (nb_real)block[2] * root[2]);
    store_four(out, row[0]);
    store_four(out + 3, row[1]);
    store_four(out + 5, __builtin_shufflevector(row[1], row[2], 2, 4, 5, 6));
}

/* L J G of a run in the k-th of its nodes. */
static void weigh_node(const struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                       const nb_real *scale, int run, int k)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    const int first = delassus->run_start[run], begin = jacobian->start[first];
    const size_t step = 9 * (size_t)(jacobian->start[first + 1] - begin);
    const nb_real *root = model->inverse_root + 9 * (size_t)jacobian->column[begin + k];
    size_t at = 9 * ((size_t)begin + (size_t)k);
    int diagonal = 1;
    for (int e = 1; e < 8; ++e)
        diagonal &= e == 4 || root[e] == 0;
    four row[3] = {{root[0], root[4], root[8]}};
    for (int r = 0; r < 3 && !diagonal; ++r)
        row[r] = (four){root[3 * r], root[3 * r + 1], root[3 * r + 2]};
    for (int i = first; i < delassus->run_start[run + 1]; ++i, at += step)
        if (diagonal)
            weigh_block(jacobian->value + at, scale + 3 * (size_t)i, row, 1, delassus->weighted + at);
        else
            weigh_block(jacobian->value + at, scale + 3 * (size_t)i, row, 0, delassus->weighted + at);
}

void NB(nb_delassus_weigh_run)(const struct NB(nb_delassus) *delassus,
                               const struct NB(nb_model) *model, const nb_real *scale, int run)
{
    const int i = delassus->run_start[run];
    const int nodes = model->jacobian.start[i + 1] - model->jacobian.start[i];
    for (int k = 0; k < nodes; ++k)
        weigh_node(delassus, model, scale, run, k);
}
