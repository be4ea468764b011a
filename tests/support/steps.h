/* Steps of the stock scenes, and what is to be the same of a step that is written in another way. */
#ifndef NB_TESTS_STEPS_H
#define NB_TESTS_STEPS_H

#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/judged.h"

/* A scene by its defaults, prepared after so many steps. */
static inline void test_step_of(const char *scene, int steps, struct nb_problem *problem)
{
    const struct nb_options options = nb_options_default();
    assert_int_equal(nb_scene_create(scene, 0, NULL, problem, NULL), NB_OK);
    test_simulate(problem, steps, &options, NULL, NULL);
    assert_int_equal(nb_step_prepare(problem, NULL), NB_OK);
}

/* All parts of step_error, up to the rounding of gaps beside coordinates, which is that of the floors. */
static inline void test_same_step_error(const char *what, const struct nb_metrics *a, const struct nb_metrics *b)
{
    static const int parts[] = {NB_METRIC_step_error,      NB_METRIC_step_penetration, NB_METRIC_step_complementarity,
                                NB_METRIC_step_cone,       NB_METRIC_step_sliding,     NB_METRIC_step_bilateral,
                                NB_METRIC_step_momentum};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        const double x = nb_metric_value(a, parts[k]), y = nb_metric_value(b, parts[k]);
        if (!(fabs(x - y) <= 1e-6 * x + 1e-9))
            fail_msg("%s: %s is %.15g, was %.15g", what, nb_metrics[parts[k]].name, y, x);
    }
}

#endif
