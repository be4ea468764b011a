#include "solvers/kernels/half_operator.h"

#include <stdlib.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Fewer blocks are not worth waking a second thread for. */
enum { PARALLEL_BLOCKS = 20000, ROW_SLICE = 64 };

/* Block rows begin to end of A x. */
typedef void row_product(const struct NB(nb_operator) *op, const nb_real *x, nb_real *y, int begin, int end);

struct half {
    enum nb_half_format format;
    row_product *multiply;
    uint16_t *value; /* [9 blocks] as op->matrix has them, zeros on the diagonal */
};

static void release(struct NB(nb_operator) *op)
{
    struct half *self = op->self;
    if (self)
        free(self->value);
    free(self);
    op->self = NULL;
}

void NB(nb_half_refill)(struct NB(nb_operator) *op)
{
    const struct NB(nb_bsr) *matrix = op->matrix;
    struct half *self = op->self;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (size_t e = 0; e < 9; ++e) {
                const int diagonal = matrix->column[k] == i && e % 4 == 0;
                const size_t at = 9 * (size_t)k + e;
                self->value[at] = nb_half_narrow(self->format, diagonal ? 0 : (float)matrix->value[at]);
            }
}

/* --- products: the loop of solvers/kernels/matrix.c, with entries that are expanded on the way --- */

typedef float stored __attribute__((vector_size(8 * sizeof(float))));
typedef nb_real four __attribute__((vector_size(4 * sizeof(nb_real))));
typedef nb_real eight __attribute__((vector_size(8 * sizeof(nb_real))));
typedef nb_real four_loose
    __attribute__((vector_size(4 * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));

/* Eight entries of a block, and its ninth. */
struct entries {
    stored most;
    float last;
};
typedef struct entries expander(const uint16_t *block);

struct row_sum {
    eight most;
    nb_real last;
};

static inline __attribute__((always_inline)) void add_block(const struct entries *block, four x,
                                                            struct row_sum *sum)
{
    sum->most += __builtin_convertvector(block->most, eight) *
                 __builtin_shufflevector(x, x, 0, 1, 2, 0, 1, 2, 0, 1);
    sum->last += (nb_real)block->last * x[2];
}

/* Columns ascend, so that only the last block of a row can be in the last column, whose x has no entry after
 * its three. */
static inline __attribute__((always_inline)) void
multiply_row(const struct half *self, const struct NB(nb_bsr) *matrix, const nb_real *diagonal,
             const nb_real *x, nb_real *y, int i, expander *expand)
{
    struct row_sum even = {{0}, 0}, odd = {{0}, 0};
    const int *column = matrix->column, stop = matrix->start[i + 1];
    int k = matrix->start[i];
    for (; k + 2 < stop; k += 2) {
        const struct entries a = expand(self->value + 9 * (size_t)k);
        const struct entries b = expand(self->value + 9 * (size_t)k + 9);
        add_block(&a, *(const four_loose *)(const void *)(x + 3 * (size_t)column[k]), &even);
        add_block(&b, *(const four_loose *)(const void *)(x + 3 * (size_t)column[k + 1]), &odd);
    }
    for (; k < stop; ++k) {
        const struct entries a = expand(self->value + 9 * (size_t)k);
        const nb_real *v = x + 3 * (size_t)column[k];
        add_block(&a, (four){v[0], v[1], v[2], 0}, &even);
    }
    const eight sum = even.most + odd.most;
    y[0] = diagonal[0] * x[3 * i] + (sum[0] + sum[1] + sum[2]);
    y[1] = diagonal[1] * x[3 * i + 1] + (sum[3] + sum[4] + sum[5]);
    y[2] = diagonal[2] * x[3 * i + 2] + (sum[6] + sum[7] + (even.last + odd.last));
}

static inline __attribute__((always_inline)) void
multiply_rows(const struct NB(nb_operator) *op, const nb_real *x, nb_real *y, int begin, int end,
              expander *expand)
{
    for (int i = begin; i < end; ++i)
        multiply_row(op->self, op->matrix, op->diagonal + 3 * (size_t)i, x, y + 3 * (size_t)i, i, expand);
}

static inline struct entries expand_bf16(const uint16_t *block)
{
    struct entries out;
    for (int e = 0; e < 8; ++e)
        out.most[e] = nb_bf16_expand(block[e]);
    out.last = nb_bf16_expand(block[8]);
    return out;
}

static inline struct entries expand_f16(const uint16_t *block)
{
    struct entries out;
    for (int e = 0; e < 8; ++e)
        out.most[e] = nb_f16_expand(block[e]);
    out.last = nb_f16_expand(block[8]);
    return out;
}

static void rows_bf16(const struct NB(nb_operator) *op, const nb_real *x, nb_real *y, int begin, int end)
{
    multiply_rows(op, x, y, begin, end, expand_bf16);
}

static void rows_f16(const struct NB(nb_operator) *op, const nb_real *x, nb_real *y, int begin, int end)
{
    multiply_rows(op, x, y, begin, end, expand_f16);
}

#ifdef __x86_64__
#define F16C __attribute__((target("avx,f16c")))
F16C static inline struct entries expand_f16c(const uint16_t *block)
{
    const __m128i half = _mm_loadu_si128((const __m128i *)(const void *)block);
    return (struct entries){(stored)_mm256_cvtph_ps(half), _cvtsh_ss(block[8])};
}

F16C static void rows_f16c(const struct NB(nb_operator) *op, const nb_real *x, nb_real *y, int begin,
                           int end)
{
    multiply_rows(op, x, y, begin, end, expand_f16c);
}
#endif

static row_product *find_rows(enum nb_half_format format, int portable)
{
    if (format == NB_BF16)
        return rows_bf16;
#ifdef __x86_64__
    if (!portable && nb_has_f16c())
        return rows_f16c;
#else
    (void)portable;
#endif
    return rows_f16;
}

static void apply(const struct NB(nb_operator) *op, const nb_real *x, nb_real *y)
{
    const struct half *self = op->self;
    const int rows = op->matrix->rows, threads = op->threads;
    /* Even an inactive parallel region costs as much as a small product. */
    if (threads <= 1 || op->matrix->start[rows] <= PARALLEL_BLOCKS) {
        self->multiply(op, x, y, 0, rows);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int slice = 0; slice < rows; slice += ROW_SLICE)
        self->multiply(op, x, y, slice, slice + ROW_SLICE < rows ? slice + ROW_SLICE : rows);
}

static void relax(struct NB(nb_operator) *op, const nb_real *b, nb_real *x, nb_real omega, int backward)
{
    NB(nb_bsr_relax)(op->matrix, op->diagonal, b, x, omega, backward);
}

static const struct NB(nb_operator_strategy) strategy = {
    .name = "half",
    .title = "assembled 3x3 blocks of 16-bit entries",
    .apply = apply,
    .relax = relax,
    .free = release,
};

enum nb_status NB(nb_half_attach)(struct NB(nb_operator) *op, enum nb_half_format format,
                                  int portable, struct nb_error *error)
{
    const size_t entries = 9 * (size_t)op->matrix->start[op->matrix->rows];
    struct half *self = calloc(1, sizeof *self);
    if (self)
        self->value = malloc((entries + 1) * sizeof *self->value);
    if (!self || !self->value) {
        free(self);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu entries of 16 bits", entries);
    }
    self->format = format;
    self->multiply = find_rows(format, portable);
    op->self = self;
    op->strategy = &strategy;
    NB(nb_half_refill)(op);
    return NB_OK;
}
