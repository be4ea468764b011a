/* One run of a nonlinear method and its judgement, and steps whose solution is known. */
#ifndef NB_TEST_METHOD_SUPPORT_H
#define NB_TEST_METHOD_SUPPORT_H

#include "tests/support/support.h"

#include <lapacke.h>

#include "solvers/registry.h"
#include "solvers/solve.h"
#include "tests/support/judged.h"
#include "tests/support/real_files.h"

static inline struct nb_options test_options(const char *solver, int iterations)
{
    struct nb_options options = nb_options_default();
    options.solver = solver;
    options.newton_iterations = iterations;
    return options;
}

/* At most as many iterations as the options say; u, lambda and run may be NULL. */
static inline struct nb_metrics run_method(const struct nb_problem *problem,
                                           const struct nb_options *options, double *u,
                                           double *lambda, struct nb_run *run)
{
    struct nb_solver *solver = NULL;
    struct nb_error error;
    struct nb_run own_run;
    const size_t dofs = (size_t)nb_problem_dofs(problem);
    const size_t rows = (size_t)nb_problem_multipliers(problem);
    OWNS(free_at) double *own_u = calloc(dofs + 1, sizeof *own_u);
    OWNS(free_at) double *own_lambda = calloc(rows + 1, sizeof *own_lambda);
    if (nb_options_validate(options, &error) ||
        nb_solver_create(&solver, problem, options, &error))
        fail_msg("%s: %s", options->solver, error.text);
    assert_int_equal(nb_solver_run(solver, nb_options_iterations(options), NULL,
                                   run ? run : &own_run, &error), NB_OK);
    nb_solver_solution(solver, own_u, own_lambda);
    const struct nb_metrics metrics = test_judged(problem, own_u, own_lambda);
    if (u)
        memcpy(u, own_u, dofs * sizeof *u);
    if (lambda)
        memcpy(lambda, own_lambda, rows * sizeof *lambda);
    nb_solver_free(solver);
    return metrics;
}

static inline struct nb_metrics test_method_in(const struct nb_problem *problem, const char *solver,
                                               const char *precision, int iterations, double *u,
                                               double *lambda, struct nb_run *run)
{
    struct nb_options options = test_options(solver, iterations);
    options.precision = precision;
    return run_method(problem, &options, u, lambda, run);
}

/* In float64. */
static inline struct nb_metrics test_method(const struct nb_problem *problem, const char *solver,
                                            int iterations, double *u, double *lambda)
{
    return test_method_in(problem, solver, "f64", iterations, u, lambda, NULL);
}

/* x = M^-1 x, for test_condense. */
static inline void test_dense_solve(double *matrix, int n, double *x, int columns)
{
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, columns, matrix, n, x, columns), 0);
}

/* One contact of a particle of mass m [kg] on friction mu, pushed by the impulse (f_n, f_1, f_2) at
 * h = 1 s: M = m, J = 1, U = u. */
static inline void test_particle(struct nb_problem *problem, double m, double mu,
                                 const double *force)
{
    const double mass[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    test_linear_step(problem, NB_LINEAR_GLOBAL, "particle", 3, 1, 0);
    test_sparse(&problem->linear.mass, 3, 3, mass);
    test_sparse(&problem->linear.contact_jacobian, 3, 3, identity);
    memcpy(problem->linear.force, force, 3 * sizeof *force);
    problem->linear.friction[0] = mu;
}

/* Sticks, slides along the first tangent, and leaves: the solutions in u and lambda, where box
 * and cone agree. */
static inline void test_particle_motions(const char *solver, const char *precision, int iterations,
                                         double tolerance)
{
    const double force[3][3] = {{-10, 3, 0}, {-10, 8, 0}, {4, 1, -2}};
    const double lambda[3][3] = {{10, -3, 0}, {10, -5, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double u[3], got[3];
        test_particle(&problem, 2, 0.5, force[k]);
        test_method_in(&problem, solver, precision, iterations, u, got, NULL);
        for (int i = 0; i < 3; ++i) {
            assert_true(fabs(got[i] - lambda[k][i]) < 10 * tolerance);
            assert_true(fabs(2 * u[i] - (force[k][i] + lambda[k][i])) < 10 * tolerance);
        }
    }
}

/* Each variant on these motions in each precision, as exactly as it has them. */
static inline void test_variants_motions(const char *const *variants, int count, int iterations)
{
    const struct nb_registry_row *precision;
    for (int v = 0; v < count; ++v)
        for (size_t i = 0; (precision = nb_registry_row("precision", i)); ++i)
            test_particle_motions(variants[v], precision->name, iterations,
                                  1e3 * nb_unit_roundoff(precision->name));
}

/* Slides between the tangents: the cone's force is mu R_n / sqrt(2) along either. */
static inline void test_sliding_between_tangents(const char *solver, int iterations, double tolerance)
{
    const double force[3] = {-10, 8, 8};
    OWNS(nb_problem_free) struct nb_problem problem;
    double lambda[3];
    test_particle(&problem, 2, 0.5, force);
    assert_true(test_method(&problem, solver, iterations, NULL, lambda).natural_map < 0.1 * tolerance);
    assert_true(fabs(lambda[1] + 5 / sqrt(2)) < tolerance && fabs(lambda[2] + 5 / sqrt(2)) < tolerance);
}

/* The first steps of scenes, or files of FCLIB's collection, solved to this natural map; the names end with NULL. */
static inline void test_solves_scenes(const char *solver, int iterations, double tolerance,
                                      const char *const *scenes)
{
    for (; *scenes; ++scenes) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, *scenes, NULL);
        const double map = test_method(&problem, solver, iterations, NULL, NULL).natural_map;
        if (!(map < tolerance))
            fail_msg("%s, %s: natural map %.2g", *scenes, solver, map);
    }
}

static inline void test_solves_files(const char *solver, int iterations, double tolerance,
                                     const char *const *files)
{
    for (; *files; ++files) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_real_file(*files, &problem);
        const double map = test_method(&problem, solver, iterations, NULL, NULL).natural_map;
        if (!(map < tolerance))
            fail_msg("%s, %s: natural map %.2g", *files, solver, map);
    }
}

/* Mass ratios of 1e4 across joints, compliant ones among them. */
static const char *const stiff_joints[] = {"double_pendulum_mass", "double_pendulum_stiffness", "particle_chain", NULL};

/* A contact between sides that cannot move, already closing at 1 m/s: there is no solution. The
 * run has to end with numbers, whatever they are. */
static inline void test_infeasible(const char *solver, const char *precision)
{
    const double force[3] = {-10, 3, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[3], lambda[3];
    test_particle(&problem, 2, 0.5, force);
    for (int i = 0; i < 3; ++i)
        problem.linear.contact_jacobian.value[i] = 0;
    problem.linear.contact_velocity[0] = -1;
    const struct nb_metrics metrics =
        test_method_in(&problem, solver, precision, 40, u, lambda, NULL);
    for (int i = 0; i < 3; ++i)
        assert_true(isfinite(u[i]) && isfinite(lambda[i]));
    assert_true(metrics.natural_map_absolute > 0.5);
}

/* Contradicting constraints end in every precision; without a contact, and without constraints that
 * bind, the solution is the free motion's. `momentum`: what that may miss of M u = f. */
static inline void test_no_solution_and_no_rows(const char *const *variants, int count,
                                                double momentum, int iterations)
{
    const char *settings[] = {"gap=1", NULL};
    const struct nb_registry_row *precision;
    OWNS(nb_problem_free) struct nb_problem problem;
    for (int v = 0; v < count; ++v)
        for (size_t i = 0; (precision = nb_registry_row("precision", i)); ++i)
            test_infeasible(variants[v], precision->name);
    test_scene(&problem, "box_on_plane", settings);
    assert_true(test_method(&problem, variants[0], 5, NULL, NULL).momentum_error < momentum);
    nb_problem_free(&problem);
    test_global(&problem, 18, 0, 5, 1, 9);
    assert_true(test_method(&problem, variants[0], iterations, NULL, NULL).natural_map < 1e-12);
}

#endif
