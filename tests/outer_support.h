/* What the tests of nonlinear methods share: those that solve Coulomb's law, and one run, judged. */
#ifndef NB_TEST_OUTER_SUPPORT_H
#define NB_TEST_OUTER_SUPPORT_H

#include "tests/support.h"

#include "harness/metrics.h"
#include "solvers/solve.h"

/* Settings with which each method's fixed points are the solutions of Coulomb's law. */
static const char *const coulomb_methods[] = {
    "pgs:friction=cone",
    "pgs:friction=cone:relaxation=1.3:warm=5",
    "nsgs",
    "nsgs:order=symmetric:relaxation=0.9",
    "nncg:friction=cone",
    "projected_gradient",
    "projected_gradient:metric=uniform:step=1.5",
    "extragradient",
    "apgd",
    "apgd:metric=uniform:update=1",
    "admm",
    "admm:balance=no:rho=1:relaxation=1",
    "dual_ascent",
    "dual_ascent:momentum=nesterov",
    "dual_ascent:momentum=chebyshev:radius=0.9",
    "primal_descent:update=10",
    "primal_descent:precond=block:update=20:momentum=nesterov",
    "cone_fischer_newton",
};
enum { COULOMB_METHODS = sizeof coulomb_methods / sizeof *coulomb_methods };

/* It has no mass matrix to work with in local problems. */
static inline int is_primal(const char *solver) { return !strncmp(solver, "primal", 6); }

/* At most so many iterations; Newton's are dearer and fewer do. */
static inline struct nb_options method(const char *solver, int iterations)
{
    struct nb_options options = nb_options_default();
    const int few = !strncmp(solver, "cone_fischer", 12) && iterations > 100;
    options.solver = solver;
    options.newton_iterations = few ? 100 : iterations;
    return options;
}

/* One run; u and lambda may be NULL. */
static inline struct nb_metrics run_method(const struct nb_problem *problem,
                                           const struct nb_options *options, double *u,
                                           double *lambda, struct nb_run *run)
{
    struct nb_solver *solver = NULL;
    struct nb_judge *judge = NULL;
    struct nb_metrics metrics;
    struct nb_error error;
    struct nb_run own_run;
    const size_t dofs = (size_t)nb_problem_dofs(problem);
    const size_t rows = (size_t)nb_problem_multipliers(problem);
    double *own_u = calloc(dofs + 1, sizeof *own_u);
    double *own_lambda = calloc(rows + 1, sizeof *own_lambda);
    if (nb_solver_create(&solver, problem, options, &error))
        fail_msg("%s: %s", options->solver, error.text);
    assert_int_equal(nb_solver_run(solver, options->newton_iterations, NULL,
                                   run ? run : &own_run, &error), NB_OK);
    nb_solver_solution(solver, own_u, own_lambda);
    assert_int_equal(nb_judge_create(&judge, problem, &error), NB_OK);
    nb_judge_evaluate(judge, own_u, own_lambda, &metrics);
    if (u)
        memcpy(u, own_u, dofs * sizeof *u);
    if (lambda)
        memcpy(lambda, own_lambda, rows * sizeof *lambda);
    nb_judge_free(judge);
    nb_solver_free(solver);
    free(own_u);
    free(own_lambda);
    return metrics;
}

#endif
