/* A x = b in any units: solvers take products of entries, which leave the range of double, or of float, long before
 * the entries do. */
#include "tests/support/test.h"

#include <math.h>

#include "solvers/linear_solve.h"

enum { ROWS = 12 };

/* The second difference, times scale. */
static void make_matrix(struct nb_csr *matrix, double scale)
{
    int row[3 * ROWS], column[3 * ROWS], count = 0;
    double value[3 * ROWS];
    for (int i = 0; i < ROWS; ++i)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ROWS; ++j) {
            row[count] = i;
            column[count] = j;
            value[count++] = scale * (i == j ? 2 : -1);
        }
    assert_int_equal(nb_csr_from_triplets(matrix, ROWS, ROWS, count, row, column, value, NULL), NB_OK);
}

static void keep(void *context, int iteration, const double *x)
{
    (void)iteration;
    memcpy(context, x, ROWS * sizeof *x);
}

/* x [rows], and what the observer saw last. */
static void solve(const char *linear, const char *precision, double of_matrix, double of_b, double *x, double *seen)
{
    OWNS(nb_csr_free) struct nb_csr matrix;
    struct nb_linear_bench *bench;
    struct nb_linear_report report;
    struct nb_run run;
    struct nb_error error = {""};
    struct nb_options options = nb_options_default();
    const struct nb_linear_observer observer = {seen, keep};
    double b[ROWS];
    make_matrix(&matrix, of_matrix);
    for (int i = 0; i < ROWS; ++i)
        b[i] = of_b * (i + 1);
    options.linear = linear;
    options.precond = "none";
    options.precision = precision;
    if (nb_linear_bench_create(&bench, &matrix, b, &options, &error) ||
        nb_linear_bench_run(bench, 30, &observer, &report, &run, &error))
        fail_msg("%s %s: %s", linear, precision, error.text);
    nb_linear_bench_solution(bench, x);
    nb_linear_bench_free(bench);
}

/* Even powers of two change no digit, not even of roots. */
TEST(solutions_scale_with_the_system)
{
    static const char *const linears[] = {"pcg", "pcr", "minres", "cholesky", "gauss_seidel"};
    static const char *const precisions[] = {"f64", "f32"};
    static const double scales[][2] = {{0x1p-1000, 0x1p-1000}, {0x1p1000, 0x1p1000}, {0x1p-664, 1}, {1, 0x1p999},
                                       {0x1p-334, 0x1p334}};
    for (size_t l = 0; l < sizeof linears / sizeof *linears; ++l)
        for (size_t p = 0; p < 2; ++p) {
            double plain[ROWS], x[ROWS], seen[ROWS];
            solve(linears[l], precisions[p], 1, 1, plain, seen);
            assert_true(fabs(2 * plain[0] - plain[1] - 1) < (p ? 1e-3 : 1e-9) || !strcmp(linears[l], "gauss_seidel"));
            for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
                solve(linears[l], precisions[p], scales[s][0], scales[s][1], x, seen);
                for (int i = 0; i < ROWS; ++i) {
                    const double expected = plain[i] * (scales[s][1] / scales[s][0]);
                    if (x[i] != expected || seen[i] != expected)
                        fail_msg("%s %s, scale %zu: x[%d] is %g, not %g", linears[l], precisions[p], s, i, x[i],
                                 expected);
                }
            }
        }
}

FIXTURE(NULL, NULL)
