/* Solutions as the harness judges them. */
#ifndef NB_TESTS_JUDGED_H
#define NB_TESTS_JUDGED_H

#include "harness/judge/metrics.h"
#include "harness/simulate/simulate.h"
#include "tests/support/test.h"

static inline struct nb_metrics test_judged(const struct nb_problem *problem, const double *u,
                                            const double *lambda)
{
    struct nb_judge *judge = NULL;
    struct nb_error error = {""};
    struct nb_metrics metrics;
    if (nb_judge_create(&judge, problem, &error))
        fail_msg("%s: %s", problem->name, error.text);
    nb_judge_evaluate(judge, u, lambda, &metrics);
    nb_judge_free(judge);
    return metrics;
}

/* Newton's method with a Cholesky factor and whole steps. */
static inline struct nb_options test_whole_newton(int iterations)
{
    struct nb_options options = nb_options_default();
    options.solver = "newton";
    options.linear = "cholesky";
    options.precond = "none";
    options.damping = 1;
    options.shift = 0;
    options.newton_iterations = iterations;
    return options;
}

static inline void test_simulate(struct nb_problem *problem, int steps, const struct nb_options *options,
                                 nb_step_callback *callback, void *context)
{
    struct nb_error error = {""};
    if (nb_simulate(problem, steps, options, callback, context, &error))
        fail_msg("%s, %s: %s", problem->name, options->solver, error.text);
}

/* Watches nb_simulate; context: a double, which becomes the largest natural map of its steps. */
static inline int test_worst_natural_map(void *context, const struct nb_problem *problem,
                                         const double *u, const double *lambda)
{
    double *worst = context;
    *worst = fmax(*worst, test_judged(problem, u, lambda).natural_map);
    return 0;
}

#endif
