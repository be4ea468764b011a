/* Preconditioners of hypre and PETSc under our PCR, and librsb's product under our Newton method. */
#include "tests/support/method_support.h"

#include <signal.h>
#include <unistd.h>

#include "solvers/driver/driver.h"
#include "solvers/linear_solve.h"
#include "solvers/plugin.h"

static const char *const preconds[] = {"hypre", "petsc", "petsc:type=gamg"};
enum { PRECONDS = sizeof preconds / sizeof *preconds };

TEST(preconditioners_are_symmetric_and_positive_definite)
{
    for (size_t p = 0; p < PRECONDS; ++p) {
        struct nb_error error = {""};
        if (nb_plugin_probe(preconds[p], "f64", NULL, &error))
            fail_msg("%s: %s", preconds[p], error.text);
        assert_int_equal(nb_plugin_probe(preconds[p], "f32", NULL, &error), NB_UNSUPPORTED);
        assert_non_null(strstr(error.text, "double"));
        assert_int_equal(nb_plugin_probe(preconds[p], "f32_sums", NULL, &error), NB_UNSUPPORTED);
    }
}

/* The five-point Laplacian on side x side points, whose number is a multiple of 3, plus shift on the diagonal. */
static void make_laplacian(struct nb_csr *matrix, int side, double shift)
{
    const int n = side * side;
    int *row = malloc(5 * (size_t)n * sizeof *row), *column = malloc(5 * (size_t)n * sizeof *column), entries = 0;
    double *value = malloc(5 * (size_t)n * sizeof *value);
    static const int step[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int i = 0; i < n; ++i)
        for (int s = 0; s < 5; ++s) {
            const int x = i % side + step[s][0], y = i / side + step[s][1];
            if (x < 0 || x >= side || y < 0 || y >= side)
                continue;
            row[entries] = i;
            column[entries] = side * y + x;
            value[entries++] = s ? -1 : 4 + shift;
        }
    assert_int_equal(nb_csr_from_triplets(matrix, n, n, entries, row, column, value, NULL), NB_OK);
    free(row);
    free(column);
    free(value);
}

static struct nb_options options_of(const char *linear, const char *precond)
{
    struct nb_options options = nb_options_default();
    options.linear = linear;
    options.precond = precond;
    return options;
}

/* Iterations of PCR to 1e-8 from a right-hand side of ones; x may be NULL. */
static struct nb_linear_report solve(const struct nb_csr *matrix, const char *precond, double *x)
{
    struct nb_options options = options_of("pcr:tol=1e-8", precond);
    struct nb_linear_bench *bench = NULL;
    struct nb_linear_report report;
    struct nb_run run;
    struct nb_error error;
    double *b = malloc((size_t)matrix->rows * sizeof *b);
    for (int i = 0; i < matrix->rows; ++i)
        b[i] = 1;
    if (nb_linear_bench_create(&bench, matrix, b, &options, &error))
        fail_msg("%s: %s", precond, error.text);
    assert_int_equal(nb_linear_bench_run(bench, 2000, NULL, &report, &run, &error), NB_OK);
    if (x)
        nb_linear_bench_solution(bench, x);
    nb_linear_bench_free(bench);
    free(b);
    return report;
}

/* Multigrid's iterations do not grow with the grid; those of the diagonal do, as its side. */
TEST(multigrid_takes_few_iterations_on_an_elliptic_problem)
{
    static const struct {
        const char *precond;
        int most;
    } expected[] = {{"hypre", 10}, {"petsc:type=gamg", 25}};
    static const int sides[] = {48, 96};
    for (int s = 0; s < 2; ++s) {
        struct nb_csr matrix;
        make_laplacian(&matrix, sides[s], 0);
        const int diagonal = solve(&matrix, "jacobi", NULL).iterations;
        assert_true(diagonal > sides[s]);
        for (size_t p = 0; p < 2; ++p) {
            const struct nb_linear_report report = solve(&matrix, expected[p].precond, NULL);
            assert_int_equal(report.ending, NB_LINEAR_CONVERGED);
            if (report.iterations > expected[p].most)
                fail_msg("%s: %d iterations on %d^2", expected[p].precond, report.iterations, sides[s]);
        }
        assert_true(solve(&matrix, "petsc", NULL).iterations < diagonal / 2);
        nb_csr_free(&matrix);
    }
}

/* They give our answer, and after another matrix the same bits again. */
TEST(preconditioners_give_the_same_solution)
{
    struct nb_csr matrix, other;
    make_laplacian(&matrix, 24, 0.1);
    make_laplacian(&other, 24, 3);
    const size_t n = (size_t)matrix.rows;
    double *ours = malloc(n * sizeof *ours), *theirs = malloc(n * sizeof *theirs), *again = malloc(n * sizeof *again);
    double *b = malloc(n * sizeof *b);
    solve(&matrix, "jacobi", ours);
    for (size_t i = 0; i < n; ++i)
        b[i] = 1;
    for (size_t p = 0; p < PRECONDS; ++p) {
        const struct nb_options options = options_of("pcr:tol=1e-8", preconds[p]);
        const struct nb_driver *driver = nb_driver_find(options.precision);
        struct nb_linear_report report;
        struct nb_run run;
        struct nb_error error;
        void *bench = NULL;
        solve(&matrix, preconds[p], theirs);
        for (size_t i = 0; i < n; ++i)
            assert_true(fabs(theirs[i] - ours[i]) < 1e-6 * (1 + fabs(ours[i])));
        assert_int_equal(driver->bench_create(&bench, &other, b, &options, NB_FULL, &error), NB_OK);
        assert_int_equal(driver->bench_run(bench, 2000, NULL, &report, &run, &error), NB_OK);
        assert_int_equal(driver->bench_refill(bench, &matrix, &error), NB_OK);
        assert_int_equal(driver->bench_run(bench, 2000, NULL, &report, &run, &error), NB_OK);
        driver->bench_solution(bench, again);
        assert_memory_equal(theirs, again, n * sizeof *again);
        driver->bench_free(bench);
    }
    free(ours);
    free(theirs);
    free(again);
    free(b);
    nb_csr_free(&matrix);
    nb_csr_free(&other);
}

/* |b - A x| against |A| |x|, row by row. */
static int is_solution(const struct nb_csr *matrix, const double *b, const struct nb_linear_bench *bench)
{
    double x[72];
    nb_linear_bench_solution(bench, x);
    for (int i = 0; i < matrix->rows; ++i) {
        double rest = b[i], size = fabs(b[i]);
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            rest -= matrix->value[k] * x[matrix->column[k]];
            size += fabs(matrix->value[k] * x[matrix->column[k]]);
        }
        if (!(fabs(rest) <= 1e-5 * size))
            return 0;
    }
    return 1;
}

/* Whatever the matrix, the solve ends in a word: set-up refuses it, or only a solution passes for one. */
static void check_damaged(const char *what, const struct nb_csr *matrix)
{
    double b[72];
    for (int i = 0; i < matrix->rows; ++i)
        b[i] = 1 + i % 5;
    for (size_t p = 0; p < PRECONDS; ++p) {
        const struct nb_options options = options_of("pcr:tol=1e-8", preconds[p]);
        struct nb_linear_bench *bench = NULL;
        struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
        struct nb_run run;
        struct nb_error error = {""};
        const enum nb_status status = nb_linear_bench_create(&bench, matrix, b, &options, &error);
        if (status) {
            assert_int_equal(status, NB_BREAKDOWN);
            assert_true(error.text[0] != 0);
            continue;
        }
        assert_int_equal(nb_linear_bench_run(bench, 50, NULL, &report, &run, &error), NB_OK);
        if (report.ending == NB_LINEAR_CONVERGED && !is_solution(matrix, b, bench))
            fail_msg("%s, %s: converged in %d iterations", what, preconds[p], report.iterations);
        nb_linear_bench_free(bench);
    }
}

/* A chain of 24 blocks like the springs of a beam; entry (0, 0) and then all of row 0 are replaced. */
TEST(damaged_matrices_are_told)
{
    static const double damage[] = {NAN, INFINITY, -INFINITY, -1e6};
    int row[3 * 72], column[3 * 72], entries = 0;
    double value[3 * 72], kept[3 * 72];
    for (int i = 0; i < 72; ++i)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < 72; ++j) {
            row[entries] = i;
            column[entries] = j;
            value[entries++] = i == j ? 2 : -1;
        }
    memcpy(kept, value, sizeof value);
    struct nb_csr matrix;
    for (size_t d = 0; d < sizeof damage / sizeof *damage; ++d) {
        value[0] = damage[d];
        assert_int_equal(nb_csr_from_triplets(&matrix, 72, 72, entries, row, column, value, NULL), NB_OK);
        check_damaged("an entry", &matrix);
        nb_csr_free(&matrix);
        for (int k = 0; k < entries; ++k)
            value[k] = damage[d];
        assert_int_equal(nb_csr_from_triplets(&matrix, 72, 72, entries, row, column, value, NULL), NB_OK);
        check_damaged("all entries", &matrix);
        nb_csr_free(&matrix);
        memcpy(value, kept, sizeof value);
    }
    memset(value, 0, sizeof value);
    assert_int_equal(nb_csr_from_triplets(&matrix, 72, 72, entries, row, column, value, NULL), NB_OK);
    check_damaged("zeros", &matrix);
    nb_csr_free(&matrix);
}

/* Nothing of theirs is met by the program around them: its output, its handlers of signals. */
static void own_handler(int number)
{
    (void)number;
}

TEST(libraries_leave_the_process_alone)
{
    FILE *printed = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    struct nb_csr matrix;
    struct sigaction now, mine = {.sa_handler = own_handler};
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGHUP, SIGTERM, SIGPIPE};
    struct sigaction before[sizeof signals / sizeof *signals];
    for (size_t s = 0; s < sizeof signals / sizeof *signals; ++s)
        sigaction(signals[s], &mine, &before[s]);
    assert_non_null(printed);
    make_laplacian(&matrix, 24, 0);
    fflush(stdout);
    dup2(fileno(printed), STDOUT_FILENO);
    for (size_t p = 0; p < PRECONDS; ++p)
        solve(&matrix, preconds[p], NULL);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    for (size_t s = 0; s < sizeof signals / sizeof *signals; ++s) {
        sigaction(signals[s], &before[s], &now);
        assert_ptr_equal(now.sa_handler, own_handler);
    }
    assert_int_equal(lseek(fileno(printed), 0, SEEK_END), 0);
    fclose(printed);
    nb_csr_free(&matrix);
}

/* --- librsb --- */

TEST(rsb_multiplies_as_the_assembled_operator_does)
{
    static const char *const scenes[] = {"heavy_stack", "arch"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        struct nb_problem problem;
        double u[2][400], lambda[2][1200];
        struct nb_run run[2];
        test_scene(&problem, scenes[s], NULL);
        for (int k = 0; k < 2; ++k) {
            struct nb_options options = test_options("newton", 6);
            options.operator_form = k ? "rsb" : "assembled";
            options.linear = "pcr:tol=1e-12";
            options.precond = "ic0";
            options.linear_iterations = 200;
            run_method(&problem, &options, u[k], lambda[k], &run[k]);
        }
        for (int i = 0; i < nb_problem_dofs(&problem); ++i)
            if (!(fabs(u[0][i] - u[1][i]) < 1e-7))
                fail_msg("%s: u[%d] is %g, not %g", scenes[s], i, u[1][i], u[0][i]);
        assert_true(run[1].operator_applications > 0);
        assert_int_equal(run[1].product_bytes, 0);
        nb_problem_free(&problem);
    }
}

TEST(rsb_says_what_it_cannot_take)
{
    struct nb_options options = test_options("newton", 5);
    struct nb_solver *solver = NULL;
    struct nb_problem problem;
    struct nb_error error;
    test_scene(&problem, "box_on_plane", NULL);
    options.operator_form = "rsb";
    options.threads = 2;
    assert_int_equal(nb_solver_create(&solver, &problem, &options, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "threads"));
    options.threads = 1;
    options.precision = "f32";
    assert_int_equal(nb_solver_create(&solver, &problem, &options, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "double"));
    nb_problem_free(&problem);
}
