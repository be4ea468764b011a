/* The nonsmooth Newton method through the public door: the Schur system against the full KKT system,
 * accuracy, determinism, edge cases. */
#include "tests/support/method_support.h"

#include "tests/support/deformable_samples.h"
#include "tests/support/joint_samples.h"

#include "problems/io/problem_file.h"

static double *unknowns(int count) { return calloc((size_t)count + 1, sizeof(double)); }

/* du = H^-1 J^T p */
static void push(const struct nb_newton_system *s, const double *p, double *du)
{
    OWNS(free_at) double *h = test_dense(&s->mass);
    nb_csr_multiply_transposed(&s->jacobian, p, du, 0);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', s->mass.rows, 1, h, s->mass.rows, du, 1), 0);
}

/* (59) and (60) against [H -J^T; J C + shift] solved whole by LAPACK, at an iterate in mid-flight. */
static void check_kkt(const struct nb_problem *problem, const struct nb_options *options)
{
    struct nb_solver *solver = NULL;
    struct nb_newton_system s;
    struct nb_run run;
    double *u = unknowns(nb_problem_dofs(problem)), *lambda = unknowns(nb_problem_multipliers(problem));
    assert_int_equal(nb_solver_create(&solver, problem, options, NULL), NB_OK);
    assert_int_equal(nb_solver_run(solver, 4, NULL, &run, NULL), NB_OK);
    nb_solver_solution(solver, u, lambda);
    assert_int_equal(nb_solver_system(solver, u, lambda, &s, NULL), NB_OK);
    const int n = s.mass.rows, m = s.jacobian.rows, all = n + m;
    double *h = test_dense(&s.mass), *j = test_dense(&s.jacobian), *a = test_dense(&s.schur);
    double *kkt = unknowns(all * all), *x = unknowns(all), *p = unknowns(m), *du = unknowns(n);
    int *pivot = calloc((size_t)all + 1, sizeof *pivot);
    for (int i = 0; i < n; ++i) {
        memcpy(kkt + i * all, h + i * n, (size_t)n * sizeof *kkt);
        x[i] = -s.momentum[i];
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < n; ++k) {
            kkt[(n + i) * all + k] = j[i * n + k];
            kkt[k * all + n + i] = -j[i * n + k];
        }
        for (int k = 0; i < s.coupled && k < 3; ++k)
            kkt[(n + i) * all + n + i / 3 * 3 + k] = s.coupling[3 * i + k];
        kkt[(n + i) * all + n + i] = s.compliance[i] + s.shift;
        x[n + i] = -s.constraint[i];
        p[i] = s.right_side[i];
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, all, 1, kkt, all, pivot, x, 1), 0);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', m, 1, a, m, p, 1), 0);
    /* Redundant contacts leave p undetermined but for the shift; du and J^T p are not. */
    double largest = 0, worst = 0;
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, h, n, s.momentum, 1), 0);
    push(&s, p, du);
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(x[i]));
        worst = fmax(worst, fabs(du[i] - s.momentum[i] - x[i]));
    }
    /* The true form divides by alpha, floored at 1e-10: five digits more are lost. */
    assert_true(largest > 0);
    assert_true(worst <= (strcmp(options->newton_form, "true") == 0 ? 1e-5 : 1e-7) * largest);
    nb_newton_system_free(&s);
    nb_solver_free(solver);
    free(u), free(lambda), free(h), free(j), free(a), free(kkt), free(x), free(p), free(du), free(pivot);
}

TEST(test_schur_system_against_kkt)
{
    OWNS(nb_problem_free) struct nb_problem arch, soft, linear, jointed, deformable;
    const char *compliance[] = {"contact_compliance=1e-7", "friction_compliance=3e-8", NULL};
    struct nb_registry_row const *ncp;
    struct nb_options options = test_options("newton", 30);
    const char *forms[] = {"scaled", "true"};
    options.shift = 1e-5; /* keeps the condition number of the redundant arch near 1e8 */
    test_scene(&arch, "arch", NULL);
    test_scene(&soft, "arch", compliance);
    test_global(&linear, 21, 6, 2, 1, 3);
    make_jointed(&jointed, 0.05, 1);
    make_deformable(&deformable, 0.1);
    for (size_t i = 0; (ncp = nb_registry_row("ncp", i)); ++i)
        for (int f = 0; f < 2; ++f) {
            options.ncp = ncp->name;
            options.newton_form = forms[f];
            check_kkt(&arch, &options);
            check_kkt(&soft, &options);
            check_kkt(&linear, &options);
            check_kkt(&jointed, &options);
            check_kkt(&deformable, &options);
        }
}

/* H of the step before is in no system that an iterate alone could give. */
TEST(test_systems_of_the_step_before)
{
    static const struct { const char *scene, *solver; int status; } cases[] = {
        {"arch", "newton", NB_OK},
        {"arch", "newton:geometric_stiffness=diagonal", NB_OK}, /* it has no particles */
        {"arch", "newton:geometric_stiffness=bodies", NB_UNSUPPORTED},
        {"material_extension", "newton:geometric_stiffness=diagonal", NB_UNSUPPORTED},
        {"material_extension", "newton:geometric_stiffness=bodies", NB_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_options options = test_options(cases[i].solver, 2);
        struct nb_solver *solver = NULL;
        struct nb_newton_system system;
        test_scene(&problem, cases[i].scene, NULL);
        OWNS(free_at) double *u = unknowns(nb_problem_dofs(&problem));
        OWNS(free_at) double *lambda = unknowns(nb_problem_multipliers(&problem));
        assert_int_equal(nb_solver_create(&solver, &problem, &options, NULL), NB_OK);
        assert_int_equal(nb_solver_system(solver, u, lambda, &system, NULL), cases[i].status);
        if (!cases[i].status)
            nb_newton_system_free(&system);
        nb_solver_free(solver);
    }
}

TEST(test_heavy_stack_accuracy)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = test_options("newton", 30);
    test_scene(&problem, "heavy_stack", NULL);
    assert_int_equal(problem.contacts.count, 20);
    const struct nb_metrics metrics = run_method(&problem, &options, NULL, NULL, NULL);
    assert_true(metrics.normal_error <= 1e-12);
    assert_true(fabs(metrics.normal_force / 367364.88 - 1) < 1e-4);
    options.precision = "f32";
    assert_true(run_method(&problem, &options, NULL, NULL, NULL).normal_error <= 1e-5);
    options.precision = "f64";
    options.linear = "gauss_seidel";
    options.precond = "none";
    /* the paper's catastrophe, kept honest */
    assert_true(run_method(&problem, &options, NULL, NULL, NULL).normal_error > 1e-4);
}

/* Bilateral rows alone: one step, against the dense KKT solution. */
TEST(test_bilateral_rows)
{
    struct nb_problem problem;
    struct nb_options options = test_options("newton", 12);
    options.linear = "cholesky";
    options.precond = "none";
    options.shift = 1e-9;
    for (int coupled = 0; coupled < 2; ++coupled) {
        double u[18], lambda[5], kkt[23 * 23] = {0}, x[23];
        int pivot[23];
        test_global(&problem, 18, 0, 5, coupled, 9);
        struct nb_run run;
        run_method(&problem, &options, u, lambda, &run);
        assert_false(run.broke_down);
        double *mass = test_dense(&problem.linear.mass), *g = test_dense(&problem.linear.bilateral_jacobian);
        for (int i = 0; i < 18; ++i) {
            memcpy(kkt + 23 * i, mass + 18 * i, 18 * sizeof *kkt);
            x[i] = problem.linear.force[i];
            for (int k = 0; k < 5; ++k) {
                kkt[23 * i + 18 + k] = -g[18 * k + i];
                kkt[23 * (18 + k) + i] = g[18 * k + i];
            }
        }
        for (int k = 0; k < 5; ++k)
            x[18 + k] = -problem.linear.bilateral_velocity[k];
        assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, 23, 1, kkt, 23, pivot, x, 1), 0);
        for (int i = 0; i < 18; ++i)
            assert_true(fabs(u[i] - x[i]) < 1e-10);
        for (int k = 0; k < 5; ++k)
            assert_true(fabs(lambda[k] - x[18 + k]) < 1e-10);
        free(mass);
        free(g);
        nb_problem_free(&problem);
    }
}

TEST(test_no_contacts_takes_one_step)
{
    const char *settings[] = {"gap=1", NULL};
    const struct nb_registry_row *linear;
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = test_options("newton", 1);
    double u[6];
    test_scene(&problem, "box_on_plane", settings);
    assert_int_equal(problem.contacts.count, 0);
    for (size_t i = 0; (linear = nb_registry_row("linear", i)); ++i) {
        options.linear = linear->name;
        options.precond = "none";
        run_method(&problem, &options, u, NULL, NULL);
        for (int k = 0; k < 6; ++k)
            assert_true(u[k] == problem.free_velocity[k]);
    }
}

/* The same bits with 1, 2 and 3 threads, on a step large enough for every parallel loop. */
TEST(test_threads_do_not_change_the_bits)
{
    const char *settings[] = {"count=700", "ratio=1", NULL};
    const char *forms[] = {"assembled", "factored"};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = test_options("newton", 4);
    test_scene(&problem, "heavy_stack", settings);
    const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
    OWNS(free_at) double *u = unknowns(2 * dofs), *lambda = unknowns(2 * rows);
    for (int f = 0; f < 2; ++f)
        for (int p = 0; nb_registry_row("precision", (size_t)p); ++p) {
            options.operator_form = forms[f];
            options.precision = nb_registry_row("precision", (size_t)p)->name;
            options.threads = 1;
            run_method(&problem, &options, u, lambda, NULL);
            for (options.threads = 2; options.threads <= 3; ++options.threads) {
                run_method(&problem, &options, u + dofs, lambda + rows, NULL);
                assert_memory_equal(u, u + dofs, (size_t)dofs * sizeof *u);
                assert_memory_equal(lambda, lambda + rows, (size_t)rows * sizeof *lambda);
            }
        }
}

static bool stop_at_three(void *context, int iteration, const double *u, const double *lambda,
                          const struct nb_linear_report *linear)
{
    int *calls = context;
    (void)u;
    (void)lambda;
    assert_int_equal(iteration, *calls);
    assert_true((linear == NULL) == (iteration == 0));
    return ++*calls < 4;
}

/* Observing changes nothing, stops where asked, and a rerun repeats the bits. */
TEST(test_observer)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = test_options("newton", 30);
    struct nb_solver *solver = NULL;
    struct nb_run run;
    double u[2][30], lambda[2][60];
    int calls = 0;
    const struct nb_observer observer = {.context = &calls, .observe = stop_at_three};
    test_scene(&problem, "heavy_stack", NULL);
    assert_int_equal(nb_solver_create(&solver, &problem, &options, NULL), NB_OK);
    nb_solver_run(solver, 30, &observer, &run, NULL);
    assert_int_equal(calls, 4);
    assert_int_equal(run.newton_iterations, 3);
    nb_solver_solution(solver, u[0], lambda[0]);
    const long observed = run.linear_iterations;
    nb_solver_run(solver, 3, NULL, &run, NULL);
    nb_solver_solution(solver, u[1], lambda[1]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    assert_memory_equal(lambda[0], lambda[1], sizeof lambda[0]);
    assert_int_equal(run.linear_iterations, observed);
    nb_solver_free(solver);
}

/* Frictional linear problems: both Newton forms and the condensed local problem agree. */
TEST(test_global_and_local_agree)
{
    struct nb_problem global, local;
    struct nb_options options = test_options("newton", 200);
    double lambda[20], local_lambda[20];
    options.linear = "cholesky";
    options.precond = "none";
    for (int coupled = 0; coupled < 2; ++coupled) {
        test_global(&global, 24, 4, 2, coupled, 21);
        test_condense(&global, &local, test_dense_solve);
        assert_true(run_method(&global, &options, NULL, lambda, NULL).natural_map < 1e-10);
        assert_true(run_method(&local, &options, NULL, local_lambda, NULL).natural_map < 1e-10);
        for (int i = 0; i < 14; ++i)
            assert_true(fabs(lambda[i] - local_lambda[i]) < 1e-8);
        nb_problem_free(&global);
        nb_problem_free(&local);
    }
}
