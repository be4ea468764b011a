/* The loops of products, for the vector instructions and under the name NB_LEVEL of the file that includes
 * this: product_portable.c, product_avx2.c, product_avx512.c. Nothing else may be defined here that other
 * files call, and no thread started. */
#include <string.h>

#include "solvers/block/half_vectors.h"
#include "solvers/block/product_private.h"
#include "solvers/block/simd_vectors.h"

/* Entries of a panel that are fetched into the nearest cache ahead of their use, and bytes of a slice. */
enum { AHEAD = 256, BYTES_AHEAD = 2048, LINE = 64, TALLEST = NB_PANEL_ROWS };
enum { WIDE = NB_WIDE, HALF = WIDE / 2, STRIPS = 3 * TALLEST / WIDE };

/* Vectors of so many entries, in the state's precision and as the matrix has them, and how they are read: from
 * number `at` of the matrix on. */
#define VECTORS(type, lanes)                                                                      \
    typedef nb_real type __attribute__((vector_size(lanes * sizeof(nb_real))));                   \
    typedef nb_matrix type##_stored __attribute__((vector_size(lanes * sizeof(nb_matrix)),        \
                                                   aligned(sizeof(nb_matrix)), may_alias));       \
    INLINE type load_##type(const int storage, const void *value, size_t at)                      \
    {                                                                                             \
        const uint16_t *half = (const uint16_t *)value + at;                                      \
        if (storage == NB_F16)                                                                    \
            return __builtin_convertvector(nb_f16_expand_##lanes(half), type);                    \
        if (storage == NB_BF16)                                                                   \
            return __builtin_convertvector(nb_bf16_expand_##lanes(half), type);                   \
        const void *full = (const nb_matrix *)value + at;                                         \
        return __builtin_convertvector(*(const type##_stored *)full, type);                       \
    }
#if NB_WIDE == 16
VECTORS(wide, 16)
VECTORS(narrow, 8)
#elif NB_WIDE == 8
VECTORS(wide, 8)
VECTORS(narrow, 4)
#elif NB_WIDE == 4
VECTORS(wide, 4)
VECTORS(narrow, 2)
#else
VECTORS(wide, 2)
VECTORS(narrow, 1)
#endif
VECTORS(four, 4)
typedef nb_real four_loose
    __attribute__((vector_size(4 * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));
typedef nb_matrix eight_stored
    __attribute__((vector_size(8 * sizeof(nb_matrix)), aligned(sizeof(nb_matrix)), may_alias));

INLINE void fetch(const int storage, const void *value, size_t at)
{
    if (storage == NB_FULL)
        __builtin_prefetch((const nb_matrix *)value + at);
    else
        __builtin_prefetch((const uint16_t *)value + at);
}

/* --- panels --- */

/* One panel of so many block rows, a constant at each call like the storage. Three sets of sums, one for each
 * column of a block, keep the multiply-add units busy. The vector of the rows left over reaches into the next
 * column; what it finds there ends in lanes that are dropped. */
INLINE void multiply_panel(const int storage, const int blocks, const void *value, size_t at,
                           const int *restrict column, int count, const nb_real *restrict x,
                           nb_real *restrict y)
{
    const int strips = 3 * blocks / WIDE, left = 3 * blocks % WIDE;
    const int each = LINE / (int)(storage == NB_FULL ? sizeof(nb_matrix) : sizeof(uint16_t));
    const int lines = (9 * blocks + each - 1) / each;
    wide sum[3][STRIPS + 1] = {{{0}}};
    narrow small[3] = {{0}};
    for (int k = 0; k < count; ++k) {
        const nb_real *v = x + 3 * (size_t)column[k];
#pragma GCC unroll 9
        for (int l = 0; l < lines; ++l)
            fetch(storage, value, at + AHEAD + (size_t)(each * l));
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c, at += 3 * (size_t)blocks) {
#pragma GCC unroll 12
            for (int s = 0; s < strips; ++s)
                sum[c][s] += load_wide(storage, value, at + (size_t)(WIDE * s)) * v[c];
            if (left > HALF)
                sum[c][strips] += load_wide(storage, value, at + (size_t)(WIDE * strips)) * v[c];
            else if (left > 0)
                small[c] += load_narrow(storage, value, at + (size_t)(WIDE * strips)) * v[c];
        }
    }
#pragma GCC unroll 13
    for (int s = 0; s < strips + (left > HALF); ++s) {
        const wide total = sum[0][s] + sum[1][s] + sum[2][s];
        memcpy(y + WIDE * s, &total, (size_t)(s < strips ? WIDE : left) * sizeof *y);
    }
    if (left > 0 && left <= HALF) {
        const narrow total = small[0] + small[1] + small[2];
        memcpy(y + WIDE * strips, &total, (size_t)left * sizeof *y);
    }
}

INLINE void multiply_panels(const int storage, const struct nb_panels *panels, const nb_real *x,
                            nb_real *y, int begin, int end)
{
    const void *value = storage == NB_FULL ? (const void *)panels->value : panels->half;
    for (int p = begin; p < end; ++p) {
        const size_t at = panels->offset[p], first = 3 * (size_t)panels->row[p];
        const int *column = panels->column + panels->start[p];
        const int count = panels->start[p + 1] - panels->start[p];
        const int rows = panels->row[p + 1] - panels->row[p];
        nb_real *out = y + first;
        switch (rows) {
        case 1: multiply_panel(storage, 1, value, at, column, count, x, out); break;
        case 2: multiply_panel(storage, 2, value, at, column, count, x, out); break;
        case 3: multiply_panel(storage, 3, value, at, column, count, x, out); break;
        case 4: multiply_panel(storage, 4, value, at, column, count, x, out); break;
        case 5: multiply_panel(storage, 5, value, at, column, count, x, out); break;
        case 6: multiply_panel(storage, 6, value, at, column, count, x, out); break;
        case 7: multiply_panel(storage, 7, value, at, column, count, x, out); break;
        default: multiply_panel(storage, TALLEST, value, at, column, count, x, out);
        }
        if (storage != NB_FULL)
            for (int r = 0; r < 3 * rows; ++r)
                out[r] += panels->diagonal[first + (size_t)r] * x[first + (size_t)r];
    }
}

/* --- symmetric slices --- */

/* x_j, and in the fourth lane whatever comes after it, which no sum uses. `last` holds the last block. */
INLINE four load_x(const nb_real *x, int j, int end, four last)
{
    if (j == end)
        return last;
    return *(const four_loose *)(const void *)(x + 3 * (size_t)j);
}

/* The first two rows of a block in 16 bits take one conversion. */
INLINE void load_two(nb_float_8 most, four *row)
{
    row[0] = __builtin_convertvector(__builtin_shufflevector(most, most, 0, 1, 2, 3), four);
    row[1] = __builtin_convertvector(__builtin_shufflevector(most, most, 3, 4, 5, 6), four);
}

/* The rows of one block, and the fetching of what comes later: more than a line where a block is longer. */
INLINE void load_block(const int storage, const void *value, size_t at, four *row)
{
    if (storage == NB_F16)
        load_two(nb_f16_expand_8((const uint16_t *)value + at), row);
    else if (storage == NB_BF16)
        load_two(nb_bf16_expand_8((const uint16_t *)value + at), row);
    else
        for (int r = 0; r < 2; ++r)
            row[r] = load_four(storage, value, at + 3 * (size_t)r);
    row[2] = load_four(storage, value, at + 6);
    const size_t ahead = BYTES_AHEAD / (storage == NB_FULL ? sizeof(nb_matrix) : sizeof(uint16_t));
    fetch(storage, value, at + ahead);
    if (storage == NB_FULL && 9 * sizeof(nb_matrix) > LINE)
        fetch(storage, value, at + ahead + LINE / sizeof(nb_matrix));
}

/* The row's sum is that of the first three lanes of each part. */
INLINE void add_rows(const four *row, four x, four *sum)
{
    for (int r = 0; r < 3; ++r)
        sum[r] += row[r] * x;
}

INLINE void multiply_slice(const int storage, const struct nb_slices *slices,
                           const nb_real *restrict x, nb_real *restrict y, int slice,
                           four *restrict mirror)
{
    const int begin = slice * slices->length, end = slices->rows - 1;
    const int stop = begin + slices->length < slices->rows ? begin + slices->length : slices->rows;
    const void *value = storage == NB_FULL ? (const void *)slices->value : slices->half;
    const nb_real *tail = x + 3 * (size_t)end;
    const four last = {tail[0], tail[1], tail[2], 0}, zero = {0};
    size_t at = nb_slices_offset(slices, begin);
    for (int i = begin; i < stop; ++i) {
        const size_t first = 3 * (size_t)i;
        const nb_real *own = x + first;
        four row[3], sum[3] = {{0}};
        load_block(storage, value, at, row);
        add_rows(row, load_x(x, i, end, last), sum);
        at += 9;
        for (int k = slices->inner_start[i]; k < slices->inner_start[i + 1]; ++k, at += 9) {
            four *other = mirror + slices->inner[k];
            load_block(storage, value, at, row);
            add_rows(row, load_x(x, begin + slices->inner[k], end, last), sum);
            *other += row[0] * own[0] + row[1] * own[1] + row[2] * own[2];
        }
        for (int k = slices->outer_start[i]; k < slices->outer_start[i + 1]; ++k, at += 9) {
            load_block(storage, value, at, row);
            add_rows(row, load_x(x, slices->outer[k], end, last), sum);
        }
        for (size_t r = 0; r < 3; ++r)
            y[first + r] = sum[r][0] + sum[r][1] + sum[r][2] + mirror[i - begin][r];
        mirror[i - begin] = zero;
        if (storage != NB_FULL)
            for (size_t r = 0; r < 3; ++r)
                y[first + r] += slices->diagonal[first + r] * own[r];
    }
}

/* --- narrowing --- */

#ifdef __F16C__
static void narrow_f16(size_t n, const nb_matrix *from, uint16_t *to)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const eight_stored *full = (const eight_stored *)(const void *)(from + i);
        const nb_float_8 value = __builtin_convertvector(*full, nb_float_8);
        _mm_storeu_si128((__m128i *)(void *)(to + i),
                         _mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT));
    }
    for (; i < n; ++i)
        to[i] = _cvtss_sh((float)from[i], _MM_FROUND_TO_NEAREST_INT);
}
#else
static void narrow_f16(size_t n, const nb_matrix *from, uint16_t *to)
{
    for (size_t i = 0; i < n; ++i)
        to[i] = nb_f16_narrow((float)from[i]);
}
#endif

/* Compilers turn this into vectors. AVX-512's own instruction takes subnormal numbers for zero. */
static void narrow_bf16(size_t n, const nb_matrix *from, uint16_t *to)
{
    for (size_t i = 0; i < n; ++i)
        to[i] = nb_bf16_narrow((float)from[i]);
}

/* --- one function for each storage --- */

#define KERNELS(storage)                                                                          \
    static void panels_##storage(const struct nb_panels *panels, const nb_real *x,            \
                                 nb_real *y, int begin, int end)                                  \
    {                                                                                             \
        multiply_panels(storage, panels, x, y, begin, end);                                       \
    }                                                                                             \
    static void slice_##storage(const struct nb_slices *slices, const nb_real *x, nb_real *y, \
                                int slice, nb_real *mirror)                                       \
    {                                                                                             \
        multiply_slice(storage, slices, x, y, slice, (four *)(void *)mirror);                     \
    }
KERNELS(NB_FULL)
KERNELS(NB_F16)
KERNELS(NB_BF16)

const struct nb_product_kernels NB_OF(NB_LEVEL) = {
    .panels = {panels_NB_FULL, panels_NB_F16, panels_NB_BF16},
    .slice = {slice_NB_FULL, slice_NB_F16, slice_NB_BF16},
    .narrow = {NULL, narrow_f16, narrow_bf16},
};
