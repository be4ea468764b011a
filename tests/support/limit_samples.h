/* Joints with limits for the tests. */
#ifndef NB_TESTS_LIMIT_SAMPLES_H
#define NB_TESTS_LIMIT_SAMPLES_H

#include "tests/support/joint_samples.h"

enum { LIMITED_SLIDER = 1,
       LIMITED_HINGE = 3,
       LIMITED_BALL = 4,
       LIMITED_LIMITS = 5 };

/* The jointed problem with both limits on its slider and on its hinge, which are between bodies, and one on a ball. */
static inline void make_limited(struct nb_problem *problem, double opening)
{
    make_jointed(problem, opening, 1);
    nb_scene_limit_joint(problem, LIMITED_SLIDER, -0.3, 0.2);
    nb_scene_limit_joint(problem, LIMITED_HINGE, -0.4, 0.5);
    nb_scene_limit_joint(problem, LIMITED_BALL, -INFINITY, 0.6);
    assert_int_equal(problem->limits.count, LIMITED_LIMITS);
    assert_int_equal(nb_problem_contacts(problem), LIMITED_LIMITS);
    assert_int_equal(nb_problem_validate(problem, NULL), NB_OK);
}

/* C_n of all limits in the problem's configuration. */
static inline void limit_gaps(const struct nb_problem *problem, double *gap)
{
    double jacobian[36];
    for (int i = 0; i < problem->limits.count; ++i)
        nb_limit_evaluate(problem, i, gap + i, jacobian);
}

/* The rows of all limits dense [3 limits x 6 bodies] in the problem's configuration. */
static inline void limit_jacobian(const struct nb_problem *problem, double *dense)
{
    const int columns = 6 * problem->bodies.count;
    memset(dense, 0, (size_t)(3 * problem->limits.count * columns) * sizeof *dense);
    for (int i = 0; i < problem->limits.count; ++i) {
        const int *body = problem->joints.body + 2 * problem->limits.joint[i];
        double gap, jacobian[36];
        nb_limit_evaluate(problem, i, &gap, jacobian);
        for (int k = 0; k < 36; ++k)
            if (body[k % 12 / 6] >= 0)
                dense[(3 * i + k / 12) * columns + 6 * body[k % 12 / 6] + k % 6] = jacobian[k];
    }
}

#endif
