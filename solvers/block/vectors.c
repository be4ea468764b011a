/* Inner products over pieces of 1024 entries, each in 32 partial sums, and then over the pieces in their order: the
 * bits do not depend on the number of threads. */
#include "solvers/block/vectors.h"

/* Partial sums of a bounded batch of pieces live on the stack; batches add up in order. An inner product has
 * 32 partial sums, four sets of eight, in vectors as wide as a register: wider ones stay in memory. */
enum { BATCH = 1024, PARALLEL_PIECES = 32, LANES = 8, SETS = 4 };
#ifdef __AVX512F__
enum { REGISTER = 64 };
#else
enum { REGISTER = 32 };
#endif
enum { PART = LANES * sizeof(nb_sum) > REGISTER ? LANES / 2 : LANES };
enum { PARTS = LANES / PART };

typedef nb_sum part __attribute__((vector_size(PART * sizeof(nb_sum))));
typedef nb_real part_loose
    __attribute__((vector_size(PART * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));

static inline part load(const nb_real *x)
{
    return __builtin_convertvector(*(const part_loose *)(const void *)x, part);
}

/* Four sets of partial sums: one alone would wait for itself. */
nb_sum nb_piece_dot(size_t n, const nb_real *x, const nb_real *y)
{
    part set[SETS * PARTS] = {{0}}, all[PARTS];
    size_t i = 0;
    for (; i + SETS * LANES <= n; i += SETS * LANES)
#pragma GCC unroll 8
        for (size_t s = 0; s < SETS * PARTS; ++s)
            set[s] += load(x + i + PART * s) * load(y + i + PART * s);
    for (; i + LANES <= n; i += LANES)
#pragma GCC unroll 2
        for (size_t s = 0; s < PARTS; ++s)
            set[s] += load(x + i + PART * s) * load(y + i + PART * s);
    for (size_t s = 0; s < PARTS; ++s)
        all[s] = (set[s] + set[s + PARTS]) + (set[s + 2 * PARTS] + set[s + 3 * PARTS]);
    const part low = all[0], high = all[PARTS - 1];
    const int first = PARTS == 1 ? 4 : 0; /* where lane 4 of the eight is in high */
    nb_sum sum = ((low[0] + low[1]) + (low[2] + low[3])) +
                 ((high[first] + high[first + 1]) + (high[first + 2] + high[first + 3]));
    for (; i < n; ++i)
        sum += (nb_sum)x[i] * (nb_sum)y[i];
    return sum;
}

nb_sum nb_piece_residual_square(size_t n, const nb_real *r, const nb_real *diagonal)
{
    nb_real scaled[NB_PIECE];
    for (size_t i = 0; i < n; ++i)
        scaled[i] = r[i] / (diagonal[i] > 0 ? diagonal[i] : 1);
    return nb_piece_dot(n, r, scaled);
}

void nb_pass_over(size_t n, int count, nb_pass *pass, const void *context, nb_sum *sum, int threads)
{
    const size_t pieces = (n + NB_PIECE - 1) / NB_PIECE;
    if (pieces <= 1) {
        pass(context, 0, n, sum);
        return;
    }
    for (int k = 0; k < count; ++k)
        sum[k] = 0;
    for (size_t first = 0; first < pieces; first += BATCH) {
        nb_sum partial[BATCH][NB_DOTS];
        const size_t batch = pieces - first < BATCH ? pieces - first : BATCH;
        const int parallel = threads > 1 && batch > PARALLEL_PIECES;
#pragma omp parallel for schedule(static) num_threads(threads) if (parallel)
        for (size_t p = 0; p < batch; ++p) {
            const size_t begin = (first + p) * NB_PIECE;
            pass(context, begin, begin + NB_PIECE < n ? begin + NB_PIECE : n, partial[p]);
        }
        for (size_t p = 0; p < batch; ++p)
            for (int k = 0; k < count; ++k)
                sum[k] += partial[p][k];
    }
}

struct dots {
    int count;
    const nb_real *const *x, *const *y;
    const nb_real *r, *diagonal; /* NULL: no residual */
};

static void pass_of_dots(const void *context, size_t begin, size_t end, nb_sum *sum)
{
    const struct dots *dots = context;
    for (int k = 0; k < dots->count; ++k)
        sum[k] = nb_piece_dot(end - begin, dots->x[k] + begin, dots->y[k] + begin);
    if (dots->r)
        sum[dots->count] = nb_piece_residual_square(end - begin, dots->r + begin, dots->diagonal + begin);
}

void nb_dots(size_t n, int count, const nb_real *const *x, const nb_real *const *y, nb_sum *sum, int threads)
{
    const struct dots dots = {count, x, y, NULL, NULL};
    nb_pass_over(n, count, pass_of_dots, &dots, sum, threads);
}

void nb_dots_and_residual(size_t n, int count, const nb_real *const *x, const nb_real *const *y, const nb_real *r,
                          const nb_real *diagonal, nb_sum *sum, int threads)
{
    const struct dots dots = {count, x, y, r, diagonal};
    nb_pass_over(n, count + 1, pass_of_dots, &dots, sum, threads);
}

nb_sum nb_dot(size_t n, const nb_real *x, const nb_real *y, int threads)
{
    nb_sum sum;
    nb_dots(n, 1, &x, &y, &sum, threads);
    return sum;
}

nb_real nb_residual_norm(size_t n, const nb_real *r, const nb_real *diagonal, int threads)
{
    nb_sum square;
    nb_dots_and_residual(n, 0, NULL, NULL, r, diagonal, &square, threads);
    return nb_sqrt((nb_real)square);
}

nb_real nb_norm(size_t n, const nb_real *x, int threads)
{
    return nb_sqrt((nb_real)nb_dot(n, x, x, threads));
}
