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

/* Watches nb_simulate; context: a double, which becomes the largest natural map of its steps. */
static inline int test_worst_natural_map(void *context, const struct nb_problem *problem,
                                         const double *u, const double *lambda)
{
    double *worst = context;
    *worst = fmax(*worst, test_judged(problem, u, lambda).natural_map);
    return 0;
}

#endif
