/* Products with a matrix in the layouts for products: the sums of its rows for panels of every height and
 * for symmetric slices, the same bits for any number of threads, and the right layout for each matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solvers/kernels/product_private.h"
#include "tests/numbers.h"

#define U NB_UNIT_ROUNDOFF

/* Whether block (i, j) is there. */
typedef int pattern(int rows, int i, int j);

static struct NB(nb_bsr) build(int rows, pattern *is_there)
{
    struct NB(nb_bsr) matrix;
    int count = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
            count += is_there(rows, i, j);
    assert_int_equal(NB(nb_bsr_allocate)(&matrix, rows, rows, count, NULL), NB_OK);
    count = 0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j)
            if (is_there(rows, i, j))
                matrix.column[count++] = j;
        matrix.start[i + 1] = count;
    }
    return matrix;
}

/* Symmetric, and the same for the same block whatever the pattern. */
static void fill(struct NB(nb_bsr) *matrix, uint64_t salt)
{
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const uint64_t a = (uint64_t)(3 * i + r), b = (uint64_t)(3 * j + c);
                    seed = salt + (a < b ? a : b) * 1000003u + (a < b ? b : a) * 7919u;
                    matrix->value[9 * (size_t)k + (size_t)(3 * r + c)] = (nb_matrix)uniform();
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
static void check(const struct NB(nb_bsr) *matrix, const nb_real *x, const nb_real *y)
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

static void check_product(struct NB(nb_bsr) *matrix)
{
    struct NB(nb_product) *product = NULL;
    const int n = 3 * matrix->rows;
    nb_real *x = vector(n), *y = malloc((size_t)n * sizeof *y);
    assert_int_equal(NB(nb_product_create)(&product, matrix, 1, NULL), NB_OK);
    for (uint64_t salt = 1; salt <= 2; ++salt) {
        fill(matrix, salt);
        NB(nb_product_refill)(product, matrix);
        NB(nb_product_multiply)(product, x, y);
        check(matrix, x, y);
    }
    NB(nb_product_free)(product);
    free(x);
    free(y);
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

static void test_panels_of_every_height(void **state)
{
    (void)state;
    for (int rows = 0; rows < 20; ++rows) {
        struct NB(nb_bsr) matrix = build(rows, growing_groups);
        check_product(&matrix);
        NB(nb_bsr_free)(&matrix);
    }
    struct NB(nb_bsr) tall = build(190, growing_groups), empty = build(5, nothing);
    check_product(&tall);
    check_product(&empty);
    NB(nb_bsr_free)(&tall);
    NB(nb_bsr_free)(&empty);
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

static void test_slices_keep_half(void **state)
{
    struct NB(nb_bsr) matrix = build(LARGE, distant);
    const size_t all = 9 * (size_t)matrix.start[matrix.rows] * sizeof(nb_matrix);
    struct NB(nb_product) *product = NULL;
    (void)state;
    assert_true(all > 4 << 20);
    assert_int_equal(NB(nb_product_create)(&product, &matrix, 1, NULL), NB_OK);
    assert_true(NB(nb_product_bytes)(product) < 8 * all / 10);
    NB(nb_product_free)(product);
    check_product(&matrix);
    NB(nb_bsr_free)(&matrix);
}

static void test_a_pattern_that_is_not_symmetric(void **state)
{
    struct NB(nb_bsr) matrix = build(LARGE, one_sided);
    struct NB(nb_product) *product = NULL;
    (void)state;
    assert_false(NB(nb_slices_fit)(&matrix));
    assert_int_equal(NB(nb_product_create)(&product, &matrix, 1, NULL), NB_OK);
    assert_true(NB(nb_product_bytes)(product) >=
                9 * (size_t)matrix.start[matrix.rows] * sizeof(nb_matrix));
    NB(nb_product_free)(product);
    check_product(&matrix);
    NB(nb_bsr_free)(&matrix);
}

static void product_with(const struct NB(nb_bsr) *matrix, int threads, const nb_real *x, nb_real *y)
{
    struct NB(nb_product) *product = NULL;
    assert_int_equal(NB(nb_product_create)(&product, matrix, threads, NULL), NB_OK);
    NB(nb_product_refill)(product, matrix);
    NB(nb_product_multiply)(product, x, y);
    NB(nb_product_multiply)(product, x, y); /* nothing is left over from the first */
    NB(nb_product_free)(product);
}

static void check_threads(pattern *is_there)
{
    struct NB(nb_bsr) matrix = build(LARGE, is_there);
    const int n = 3 * LARGE;
    nb_real *x = vector(n), *one = malloc((size_t)n * sizeof *one), *more = malloc((size_t)n * sizeof *more);
    fill(&matrix, 3);
    product_with(&matrix, 1, x, one);
    check(&matrix, x, one);
    for (int threads = 2; threads <= 3; ++threads) {
        product_with(&matrix, threads, x, more);
        assert_memory_equal(one, more, (size_t)n * sizeof *one);
    }
    NB(nb_bsr_free)(&matrix);
    free(x);
    free(one);
    free(more);
}

static void test_threads_do_not_change_the_bits(void **state)
{
    (void)state;
    check_threads(distant);
    check_threads(one_sided);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panels_of_every_height),
        cmocka_unit_test(test_slices_keep_half),
        cmocka_unit_test(test_a_pattern_that_is_not_symmetric),
        cmocka_unit_test(test_threads_do_not_change_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
