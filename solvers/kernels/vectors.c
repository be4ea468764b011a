#include "solvers/kernels/vectors.h"

/* Partial sums of a bounded batch of pieces live on the stack; batches add up in order. */
enum { BATCH = 1024, PARALLEL_PIECES = 32, LANES = 8, SETS = 4 };

typedef nb_sum eight __attribute__((vector_size(LANES * sizeof(nb_sum))));
typedef nb_real eight_loose
    __attribute__((vector_size(LANES * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));

/* Four sets of partial sums: one alone would wait for itself. */
nb_sum NB(nb_piece_dot)(size_t n, const nb_real *x, const nb_real *y)
{
    eight set[SETS] = {{0}};
    size_t i = 0;
    for (; i + SETS * LANES <= n; i += SETS * LANES)
        for (size_t s = 0; s < SETS; ++s) {
            const eight_loose a = *(const eight_loose *)(const void *)(x + i + LANES * s);
            const eight_loose b = *(const eight_loose *)(const void *)(y + i + LANES * s);
            set[s] += __builtin_convertvector(a, eight) * __builtin_convertvector(b, eight);
        }
    for (; i + LANES <= n; i += LANES) {
        const eight_loose a = *(const eight_loose *)(const void *)(x + i);
        const eight_loose b = *(const eight_loose *)(const void *)(y + i);
        set[0] += __builtin_convertvector(a, eight) * __builtin_convertvector(b, eight);
    }
    const eight all = (set[0] + set[1]) + (set[2] + set[3]);
    nb_sum sum = ((all[0] + all[1]) + (all[2] + all[3])) + ((all[4] + all[5]) + (all[6] + all[7]));
    for (; i < n; ++i)
        sum += (nb_sum)x[i] * (nb_sum)y[i];
    return sum;
}

void NB(nb_pass_over)(size_t n, int count, NB(nb_pass) *pass, const void *context, nb_sum *sum,
                      int threads)
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
};

static void pass_of_dots(const void *context, size_t begin, size_t end, nb_sum *sum)
{
    const struct dots *dots = context;
    for (int k = 0; k < dots->count; ++k)
        sum[k] = NB(nb_piece_dot)(end - begin, dots->x[k] + begin, dots->y[k] + begin);
}

void NB(nb_dots)(size_t n, int count, const nb_real *const *x, const nb_real *const *y, nb_sum *sum,
                 int threads)
{
    const struct dots dots = {count, x, y};
    NB(nb_pass_over)(n, count, pass_of_dots, &dots, sum, threads);
}

nb_sum NB(nb_dot)(size_t n, const nb_real *x, const nb_real *y, int threads)
{
    nb_sum sum;
    NB(nb_dots)(n, 1, &x, &y, &sum, threads);
    return sum;
}

nb_real NB(nb_norm)(size_t n, const nb_real *x, int threads)
{
    return nb_sqrt((nb_real)NB(nb_dot)(n, x, x, threads));
}
