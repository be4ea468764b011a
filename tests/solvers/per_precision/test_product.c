/* Products with a matrix in the layouts for products: the sums of its rows for panels of every height and
 * for symmetric slices, in every storage and with every level of vector instructions, the same bits for any
 * number of threads, and the right layout for each matrix. */
#include "solvers/block/product_private.h"
#include "tests/support/levels.h"
#include "tests/support/numbers.h"

#define U NB_UNIT_ROUNDOFF

/* Whether block (i, j) is there. */
typedef int pattern(int rows, int i, int j);

static struct nb_bsr build(int rows, pattern *is_there)
{
    struct nb_bsr matrix;
    int count = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
            count += is_there(rows, i, j);
    assert_int_equal(nb_bsr_allocate(&matrix, rows, rows, count, NULL), NB_OK);
    count = 0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j)
            if (is_there(rows, i, j))
                matrix.column[count++] = j;
        matrix.start[i + 1] = count;
    }
    return matrix;
}

/* To six digits, which every storage holds. */
static nb_matrix entry(double value)
{
    return (nb_matrix)(floor(value * 64) / 64);
}

/* Symmetric, and the same for the same block whatever the pattern. */
static void fill(struct nb_bsr *matrix, uint64_t salt)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const uint64_t a = (uint64_t)(3 * i + r), b = (uint64_t)(3 * j + c);
                    seed = salt + (a < b ? a : b) * 1000003u + (a < b ? b : a) * 7919u;
                    matrix->value[9 * (size_t)k + (size_t)(3 * r + c)] = entry(uniform());
                }
        }
}

static nb_real *vector(int n)
{
    nb_real *x = malloc((size_t)n * sizeof *x); /* to the entry: what lies behind must not be read */
    seed = 5;
    for (int i = 0; i < n; ++i)
        x[i] = (nb_real)uniform();
    return x;
}

/* Every row's sum in double, to the round-off of as many terms. */
static void check(const struct nb_bsr *matrix, const nb_real *x, const nb_real *y)
{
    for (int row = 0; row < 3 * matrix->rows; ++row) {
        const int i = row / 3, r = row % 3;
        double sum = 0, size = 0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c) {
                const double term = (double)matrix->value[9 * (size_t)k + (size_t)(3 * r + c)] *
                                    (double)x[3 * matrix->column[k] + c];
                sum += term;
                size += term < 0 ? -term : term;
            }
        const double error = (double)y[row] - sum;
        const int terms = 3 * (matrix->start[i + 1] - matrix->start[i]) + 4;
        assert_true((error < 0 ? -error : error) <= 2 * U * terms * size);
    }
}

static void check_storage(struct nb_bsr *matrix, enum nb_storage storage)
{
    struct nb_product *product = NULL;
    const int n = 3 * matrix->rows;
    OWNS(free_at) nb_real *x = vector(n), *y = malloc((size_t)n * sizeof *y);
    assert_int_equal(nb_product_create(&product, matrix, storage, 1, NULL), NB_OK);
    for (uint64_t salt = 1; salt <= 2; ++salt) {
        fill(matrix, salt);
        nb_product_refill(product, matrix);
        nb_product_multiply(product, x, y);
        check(matrix, x, y);
    }
    nb_product_free(product);
}

static void check_product(struct nb_bsr *matrix)
{
    for (int storage = 0; storage < NB_STORAGES; ++storage)
        check_storage(matrix, (enum nb_storage)storage);
}

/* Contacts i and j have the same columns where they are in the same group: of 1, 2, 3, ... contacts. */
static int group(int i)
{
    int g = 0;
    while ((g + 1) * (g + 2) / 2 <= i)
        ++g;
    return g;
}

static int growing_groups(int rows, int i, int j)
{
    (void)rows;
    const int difference = group(i) - group(j);
    return difference >= -1 && difference <= 1;
}

static int nothing(int rows, int i, int j)
{
    (void)rows, (void)i, (void)j;
    return 0;
}

static void check_panels(void)
{
    for (int rows = 0; rows < 20; ++rows) {
        OWNS(nb_bsr_free) struct nb_bsr matrix = build(rows, growing_groups);
        check_product(&matrix);
    }
    OWNS(nb_bsr_free) struct nb_bsr tall = build(190, growing_groups), empty = build(5, nothing);
    check_product(&tall);
    check_product(&empty);
}

TEST(test_panels_of_every_height)
{
    at_every_level(check_panels);
}

/* Neighbours, distant partners, and one contact that meets many. */
enum { LARGE = 5001, PARTNER = 4111 };

static int distant(int rows, int i, int j)
{
    const int d = i > j ? i - j : j - i;
    return d <= 12 || d == PARTNER || d == 17 || (i == rows / 2 && j % 11 == 0) ||
           (j == rows / 2 && i % 11 == 0);
}

static int one_sided(int rows, int i, int j)
{
    return distant(rows, i, j) && !(i == 100 && j == 101);
}

static void check_slices(void)
{
    OWNS(nb_bsr_free) struct nb_bsr matrix = build(LARGE, distant);
    const size_t all = 9 * (size_t)matrix.start[matrix.rows] * sizeof(nb_matrix);
    struct nb_product *product = NULL;
    assert_true(all > 4 << 20);
    assert_int_equal(nb_product_create(&product, &matrix, NB_FULL, 1, NULL), NB_OK);
    assert_true(nb_product_bytes(product) < 8 * all / 10);
    nb_product_free(product);
    check_product(&matrix);
}

TEST(test_slices_keep_half)
{
    at_every_level(check_slices);
}

TEST(test_a_pattern_that_is_not_symmetric)
{
    OWNS(nb_bsr_free) struct nb_bsr matrix = build(LARGE, one_sided);
    struct nb_product *product = NULL;
    assert_false(nb_slices_fit(&matrix));
    assert_int_equal(nb_product_create(&product, &matrix, NB_FULL, 1, NULL), NB_OK);
    assert_true(nb_product_bytes(product) >= 9 * (size_t)matrix.start[matrix.rows] * sizeof(nb_matrix));
    nb_product_free(product);
    check_product(&matrix);
}

static void product_with(const struct nb_bsr *matrix, enum nb_storage storage, int threads,
                         const nb_real *x, nb_real *y)
{
    struct nb_product *product = NULL;
    assert_int_equal(nb_product_create(&product, matrix, storage, threads, NULL), NB_OK);
    nb_product_refill(product, matrix);
    nb_product_multiply(product, x, y);
    nb_product_multiply(product, x, y); /* nothing is left over from the first */
    nb_product_free(product);
}

static void check_threads(pattern *is_there)
{
    OWNS(nb_bsr_free) struct nb_bsr matrix = build(LARGE, is_there);
    const int n = 3 * LARGE;
    OWNS(free_at) nb_real *x = vector(n), *one = malloc((size_t)n * sizeof *one), *more =
        malloc((size_t)n * sizeof *more);
    fill(&matrix, 3);
    for (int storage = 0; storage < NB_STORAGES; ++storage) {
        product_with(&matrix, (enum nb_storage)storage, 1, x, one);
        check(&matrix, x, one);
        for (int threads = 2; threads <= 3; ++threads) {
            product_with(&matrix, (enum nb_storage)storage, threads, x, more);
            assert_memory_equal(one, more, (size_t)n * sizeof *one);
        }
    }
}

TEST(test_threads_do_not_change_the_bits)
{
    check_threads(distant);
    check_threads(one_sided);
}

/* Both have fused multiply-add and sum in the same order. */
TEST(test_avx2_and_avx512_give_the_same_bits)
{
    if (!nb_simd_runs(NB_SIMD_AVX512))
        skip();
    for (int rows = 1; rows <= 20; ++rows) {
        const int large = rows == 20;
        struct nb_bsr matrix = large ? build(LARGE, distant) : build(rows, growing_groups);
        const size_t n = 3 * (size_t)matrix.rows;
        nb_real *x = vector((int)n), *y[2];
        fill(&matrix, 4);
        for (int storage = 0; storage < NB_STORAGES; ++storage) {
            for (int k = 0; k < 2; ++k) {
                y[k] = malloc(n * sizeof *x);
                set_level(k ? NB_SIMD_AVX512 : NB_SIMD_AVX2);
                product_with(&matrix, (enum nb_storage)storage, 1, x, y[k]);
            }
            unsetenv("NCPBENCH_SIMD");
            assert_memory_equal(y[0], y[1], n * sizeof *x);
            free(y[0]);
            free(y[1]);
        }
        nb_bsr_free(&matrix);
        free(x);
    }
}

/* --- 16-bit numbers, all of them, through narrowing, the layouts and their products --- */

enum { PATTERNS = 1 << 16, TRIPLES = PATTERNS / 3 + 1 };

static float expand(enum nb_storage storage, int number)
{
    const uint16_t half = (uint16_t)(number < PATTERNS ? number : 0);
    return storage == NB_F16 ? nb_f16_expand(half) : nb_bf16_expand(half);
}

/* Times one plus zeros: the sign of zero and what is no number do not show. */
static void check_number(enum nb_storage storage, int number, nb_real found)
{
    const float wanted = expand(storage, number);
    if (isnan(wanted) ? !isnan(found) : !((double)found == (double)wanted))
        fail_msg("number %04x of storage %d is %g, not %g", (unsigned)number, (int)storage,
                 (double)found, (double)wanted);
}

/* Groups of `height` rows, each with one block in the column of the next group's first row, or of the one
 * before: three numbers in its first scalar column. */
static void check_numbers_in_panels(const struct nb_product_kernels *kernels,
                                    enum nb_storage storage, int height)
{
    const int rows = (TRIPLES / (2 * height) + 1) * 2 * height;
    struct nb_panels panels = {.kernels = kernels, .storage = storage};
    OWNS(nb_bsr_free) struct nb_bsr matrix;
    OWNS(free_at) nb_real *x = calloc(3 * (size_t)rows, sizeof *x), *y = calloc(3 * (size_t)rows, sizeof *y);
    assert_int_equal(nb_bsr_allocate(&matrix, rows, rows, rows, NULL), NB_OK);
    for (int i = 0; i < rows; ++i) {
        matrix.start[i + 1] = i + 1;
        matrix.column[i] = (i / height ^ 1) * height;
        x[3 * matrix.column[i]] = 1;
        for (int r = 0; r < 3; ++r)
            matrix.value[9 * i + 3 * r] = (nb_matrix)expand(storage, 3 * i + r);
    }
    assert_int_equal(nb_panels_create(&panels, &matrix, NULL), NB_OK);
    nb_panels_refill(&panels, &matrix);
    nb_panels_multiply(&panels, x, y, 1);
    for (int i = 0; i < 3 * rows; ++i)
        check_number(storage, i, y[i]);
    nb_panels_free(&panels);
}

/* Pairs of rows: block (2k, 2k + 1) holds three numbers in its first column, or, for its mirror image, in its
 * first row. */
static void check_numbers_in_slices(const struct nb_product_kernels *kernels,
                                    enum nb_storage storage, int mirrored)
{
    const int rows = 2 * TRIPLES;
    struct nb_slices slices = {.kernels = kernels, .storage = storage};
    OWNS(nb_bsr_free) struct nb_bsr matrix;
    OWNS(free_at) nb_real *x = calloc(3 * (size_t)rows, sizeof *x), *y = calloc(3 * (size_t)rows, sizeof *y);
    assert_int_equal(nb_bsr_allocate(&matrix, rows, rows, 2 * rows, NULL), NB_OK);
    for (int i = 0; i < rows; ++i) {
        matrix.start[i + 1] = 2 * i + 2;
        matrix.column[2 * i] = i / 2 * 2;
        matrix.column[2 * i + 1] = i / 2 * 2 + 1;
        x[3 * i] = i % 2 != mirrored;
        for (int r = 0; r < 3 && i % 2 == 0; ++r)
            matrix.value[9 * (2 * i + 1) + (mirrored ? r : 3 * r)] =
                (nb_matrix)expand(storage, 3 * (i / 2) + r);
    }
    assert_int_equal(nb_slices_create(&slices, &matrix, 1, NULL), NB_OK);
    nb_slices_refill(&slices, &matrix, 1);
    nb_slices_multiply(&slices, x, y, 1);
    for (int i = 0; i < 3 * TRIPLES; ++i)
        check_number(storage, i, y[6 * (i / 3) + (mirrored ? 3 : 0) + i % 3]);
    nb_slices_free(&slices);
}

/* As solvers/block/half.h rounds: every number, its neighbours in float32, half way to the next and beside that;
 * subnormal numbers, infinity and what is no number among them. */
static void check_narrowing(const struct nb_product_kernels *kernels, enum nb_storage storage)
{
    enum { NEAR = 5, MANY = NEAR * PATTERNS };
    nb_matrix *from = malloc(MANY * sizeof *from);
    uint16_t *to = malloc(MANY * sizeof *to);
    const uint32_t half = storage == NB_F16 ? 1u << 12 : 1u << 15;
    for (int i = 0; i < MANY; ++i) {
        const uint32_t shift[NEAR] = {0, 1, half - 1, half, half + 1};
        from[i] = (nb_matrix)nb_float_of(nb_bits_of(expand(storage, i / NEAR)) + shift[i % NEAR]);
    }
    kernels->narrow[storage](MANY, from, to);
    for (int i = 0; i < MANY; ++i) {
        const float value = (float)from[i];
        const uint16_t wanted = storage == NB_F16 ? nb_f16_narrow(value) : nb_bf16_narrow(value);
        if (to[i] != wanted)
            fail_msg("%a becomes %04x, not %04x", (double)value, (unsigned)to[i], (unsigned)wanted);
    }
    for (size_t n = 0; n <= 17; ++n) { /* and nothing beyond */
        to[n] = 0x1234;
        kernels->narrow[storage](n, from + 7, to);
        assert_int_equal(to[n], 0x1234);
    }
    free(from);
    free(to);
}

TEST(test_every_16_bit_number_at_every_level)
{
    for (int level = 0; level < NB_SIMD_LEVELS; ++level) {
        if (!nb_simd_runs((enum nb_simd)level))
            continue;
        const struct nb_product_kernels *kernels = nb_product_kernels_of((enum nb_simd)level);
        for (int storage = NB_F16; storage <= NB_BF16; ++storage) {
            for (int height = 1; height <= NB_PANEL_ROWS; ++height)
                check_numbers_in_panels(kernels, (enum nb_storage)storage, height);
            check_numbers_in_slices(kernels, (enum nb_storage)storage, 0);
            check_numbers_in_slices(kernels, (enum nb_storage)storage, 1);
            check_narrowing(kernels, (enum nb_storage)storage);
        }
    }
}

TEST(test_an_unknown_level_is_refused)
{
    OWNS(nb_bsr_free) struct nb_bsr matrix = build(3, growing_groups);
    struct nb_product *product = NULL;
    setenv("NCPBENCH_SIMD", "avx3", 1);
    assert_refused(nb_product_create(&product, &matrix, NB_FULL, 1, &why), NB_BAD_INPUT, "avx3");
    assert_null(product);
    setenv("NCPBENCH_SIMD", "", 1); /* as if it were not set */
    assert_ok(nb_product_create(&product, &matrix, NB_FULL, 1, &why));
    unsetenv("NCPBENCH_SIMD");
    nb_product_free(product);
}
