/* Other libraries' solvers, built in with PEERS=1: they solve what ours solve, judged by us. */
#include "tests/support/method_support.h"

#include "problems/io/problem_file.h"
#include "solvers/linear_solve.h"
#include "solvers/registry.h"

enum { BLOCKS = 40, N = 3 * BLOCKS };

/* Symmetric positive definite: neighbouring blocks coupled, masses of 1 to 100. */
static void make_system(struct nb_csr *matrix, double *b)
{
    int row[27 * BLOCKS], column[27 * BLOCKS], entries = 0;
    double value[27 * BLOCKS], left[BLOCKS + 1][9];
    struct nb_error error;
    uint32_t seed = 3;
    for (int i = 0; i <= BLOCKS; ++i)
        for (int k = 0; k < 9; ++k)
            left[i][k] = test_uniform(&seed) * (i % 2 ? 0.1 : 1);
    for (int i = 0; i < BLOCKS; ++i)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < BLOCKS; ++j)
            for (int k = 0; k < 9; ++k) {
                const int r = k / 3, c = k % 3;
                double sum = i == j && r == c ? 0.05 : 0;
                for (int body = i > j ? i : j; body <= (i < j ? i : j) + 1; ++body)
                    for (int m = 0; m < 3; ++m)
                        sum += (body == i ? 1 : -1) * left[body][3 * r + m] *
                               (body == j ? 1 : -1) * left[body][3 * c + m];
                row[entries] = 3 * i + r;
                column[entries] = 3 * j + c;
                value[entries++] = sum;
            }
    assert_int_equal(nb_csr_from_triplets(matrix, N, N, entries, row, column, value, &error), NB_OK);
    for (int i = 0; i < N; ++i)
        b[i] = test_uniform(&seed);
}

struct seen {
    int count, last;
    double x[N];
};

static void see(void *context, int iteration, const double *x)
{
    struct seen *seen = context;
    seen->count++;
    seen->last = iteration;
    memcpy(seen->x, x, sizeof seen->x);
}

static void solve(const char *linear, const struct nb_csr *matrix, const double *b, double *x,
                  struct seen *seen)
{
    struct nb_options options = nb_options_default();
    struct nb_linear_bench *bench = NULL;
    const struct nb_linear_observer observer = {seen, see};
    struct nb_linear_report report;
    struct nb_run run;
    struct nb_error error;
    options.linear = linear;
    options.precond = "none";
    if (nb_linear_bench_create(&bench, matrix, b, &options, &error))
        fail_msg("%s: %s", linear, error.text);
    assert_int_equal(nb_linear_bench_run(bench, 400, seen ? &observer : NULL, &report, &run, &error),
                     NB_OK);
    nb_linear_bench_solution(bench, x);
    nb_linear_bench_free(bench);
}

TEST(linear_peers_agree_with_cholesky)
{
    static const char *const peers[] = {"petsc:method=cr", "petsc", "petsc:method=minres", "petsc:precond=icc",
                                        "petsc:precond=gamg", "eigen", "eigen:precond=ic", "hypre",
                                        "cholmod_plain"};
    struct nb_csr matrix;
    double b[N], exact[N], x[N];
    make_system(&matrix, b);
    solve("cholesky", &matrix, b, exact, NULL);
    for (size_t p = 0; p < sizeof peers / sizeof *peers; ++p) {
        struct seen seen = {0};
        assert_non_null(nb_registry_find("linear", peers[p]));
        solve(peers[p], &matrix, b, x, NULL);
        for (int i = 0; i < N; ++i)
            if (!(fabs(x[i] - exact[i]) < 1e-9 * (1 + fabs(exact[i]))))
                fail_msg("%s: x[%d] is %g, not %g", peers[p], i, x[i], exact[i]);
        /* Observed, it does the same and shows every iterate from x = 0 on. */
        solve(peers[p], &matrix, b, x, &seen);
        assert_int_equal(seen.count, seen.last + 1);
        assert_memory_equal(seen.x, x, sizeof x);
    }
    nb_csr_free(&matrix);
}

/* Siconos' answer to a linearised step of ours, judged by us. */
static void check_siconos(const struct nb_problem *problem)
{
    static const char *const peers[] = {"siconos", "siconos:method=nsgs_pli", "siconos:method=admm",
                                        "siconos:storage=blocks", "siconos:storage=dense"};
    struct nb_problem linear;
    struct nb_error error;
    assert_int_equal(nb_problem_linearize(problem, &linear, &error), NB_OK);
    for (size_t p = 0; p < sizeof peers / sizeof *peers; ++p) {
        struct nb_run run;
        const double natural_map =
            test_method_in(&linear, peers[p], "f64", 5000, NULL, NULL, &run).natural_map;
        if (!(natural_map < 1e-8))
            fail_msg("%s, %s: natural map %g", problem->name, peers[p], natural_map);
        assert_true(run.untimed_seconds > 0);
    }
    nb_problem_free(&linear);
}

TEST(siconos_solves_a_step)
{
    struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_problem problem;
    struct nb_error error;
    test_scene(&problem, "box_on_plane", NULL);
    check_siconos(&problem);
    options.solver = "siconos";
    assert_int_equal(nb_solver_create(&solver, &problem, &options, &error), NB_UNSUPPORTED);
    nb_problem_free(&problem);
}

/* Two links that stand at their limits from the start. Siconos takes no bilateral rows: the hinges have
 * compliance, and so are in the mass. */
TEST(siconos_knows_limits_as_contacts)
{
    const char *const settings[] = {"count=2", NULL};
    struct nb_problem problem;
    test_scene(&problem, "hinge_limits", settings);
    assert_int_equal(problem.limits.count, 4);
    problem.limits.bound[1] = problem.limits.bound[3] = 0;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 5; ++k)
            problem.joints.compliance[6 * i + k] = 1e-5;
    assert_int_equal(nb_problem_validate(&problem, NULL), NB_OK);
    check_siconos(&problem);
    nb_problem_free(&problem);
}

/* Where all contacts stick, the convex relaxation is Coulomb's law, up to R. */
TEST(mujoco_solves_what_sticks)
{
    static const struct {
        const char *name;
        double bound;
    } peers[] = {{"mujoco", 1e-7}, {"mujoco:regularisation=1e-4", 1e-3},
                 {"mujoco:method=cg", 1e-7}, {"mujoco:method=pgs", 1e-7}};
    struct nb_problem problem, linear;
    struct nb_error error;
    test_scene(&problem, "box_on_plane", NULL);
    assert_int_equal(nb_problem_linearize(&problem, &linear, &error), NB_OK);
    double u[6], lambda[12];
    for (size_t p = 0; p < sizeof peers / sizeof *peers; ++p) {
        const double map = test_method(&linear, peers[p].name, 200, u, lambda).natural_map;
        if (!(map < peers[p].bound))
            fail_msg("%s: natural map %g", peers[p].name, map);
        double sum = 0;
        for (int c = 0; c < 4; ++c)
            sum += lambda[3 * c];
        assert_true(fabs(sum / (problem.bodies.mass[0] * 9.81) - 1) < 1e-3);
    }
    nb_problem_free(&linear);
    nb_problem_free(&problem);
}

/* Where contacts slide it is not, and its solution is that of our method for the relaxation. M of this
 * step is one block of 18 velocities. */
TEST(mujoco_solves_the_relaxation)
{
    static const char *const peers[] = {"mujoco", "mujoco:method=pgs"};
    struct nb_problem linear;
    double ours[18], theirs[18], lambda[18];
    test_global(&linear, 18, 6, 0, 1, 11);
    for (int i = 0; i < 18; ++i)
        linear.linear.force[i] = 2 - 0.7 * (i % 5);
    const double coulomb =
        test_method(&linear, "apgd:friction=associated", 4000, ours, lambda).natural_map;
    assert_true(coulomb > 1e-3);
    for (size_t p = 0; p < sizeof peers / sizeof *peers; ++p) {
        test_method(&linear, peers[p], 1000, theirs, lambda);
        for (int i = 0; i < 18; ++i)
            if (!(fabs(theirs[i] - ours[i]) < 1e-6))
                fail_msg("%s: v[%d] is %g, not %g", peers[p], i, theirs[i], ours[i]);
    }
    nb_problem_free(&linear);
}

TEST(mujoco_says_what_it_cannot_take)
{
    struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_problem scene, bilateral;
    struct nb_error error;
    options.solver = "mujoco";
    test_scene(&scene, "box_on_plane", NULL);
    assert_int_equal(nb_solver_create(&solver, &scene, &options, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "--linearized"));
    test_global(&bilateral, 12, 2, 1, 0, 7);
    assert_int_equal(nb_solver_create(&solver, &bilateral, &options, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "1 bilateral"));
    options.solver = "mujoco:regularisation=0";
    assert_int_equal(nb_solver_create(&solver, &bilateral, &options, &error), NB_BAD_INPUT);
    options.solver = "mujoco";
    options.precision = "f32";
    assert_int_equal(nb_solver_create(&solver, &bilateral, &options, &error), NB_UNSUPPORTED);
    nb_problem_free(&scene);
    nb_problem_free(&bilateral);
}
