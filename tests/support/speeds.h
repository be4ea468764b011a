/* The speed of a scene's body from step to step, and what it should gain. */
#ifndef NB_TESTS_SPEEDS_H
#define NB_TESTS_SPEEDS_H

#include "harness/simulate/simulate.h"
#include "problems/scene.h"
#include "tests/support/test.h"

struct test_speeds {
    const struct nb_scene *scene;
    int count;
    double speed[256]; /* at the start of each step [m/s] */
};

static inline int test_record_speed(void *context, const struct nb_problem *problem,
                                    const double *u, const double *lambda)
{
    struct test_speeds *speeds = context;
    (void)u;
    (void)lambda;
    assert_in_range(speeds->count, 0, 255);
    speeds->speed[speeds->count++] = speeds->scene->observe(problem);
    return 0;
}

static inline struct test_speeds test_speeds(const char *scene, int count,
                                             const char *const *settings, int steps,
                                             const struct nb_options *options)
{
    struct test_speeds speeds = {.scene = nb_scene_find(scene)};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_error error;
    if (nb_scene_create(scene, count, settings, &problem, &error) ||
        nb_simulate(&problem, steps, options, test_record_speed, &speeds, &error))
        fail_msg("%s: %s", options->solver, error.text);
    assert_int_equal(speeds.count, steps);
    return speeds;
}

/* Each step gains `gain` [m/s], within the tolerance. */
static inline void test_gain(const char *scene, int count, const char *const *settings, int steps,
                             const struct nb_options *options, double gain, double tolerance)
{
    const struct test_speeds speeds = test_speeds(scene, count, settings, steps, options);
    for (int k = 0; k + 1 < steps; ++k) {
        const double found = speeds.speed[k + 1] - speeds.speed[k];
        if (!(fabs(found - gain) < tolerance))
            fail_msg("%s: %s %s gains %.9g m/s a step, not %.9g", options->solver, scene,
                     count ? settings[0] : "", found, gain);
    }
}

/* From rest a box sticks on an incline below tan(angle) = mu = 1/2, 26.57 degrees, and slides above. */
static inline void test_gain_on_incline(double degrees, int steps,
                                        const struct nb_options *options, double tolerance)
{
    const double angle = degrees * M_PI / 180;
    char text[32];
    const char *const settings[] = {text};
    snprintf(text, sizeof text, "angle=%g", degrees);
    test_gain("incline", 1, settings, steps, options,
              9.81 * 0.0083 * fmax(0, sin(angle) - 0.5 * cos(angle)), tolerance);
}

#endif
