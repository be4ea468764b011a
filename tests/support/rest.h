/* A scene over some steps, with what a structure at rest must keep: energy, weight, symmetry. */
#ifndef NB_TESTS_REST_H
#define NB_TESTS_REST_H

#include "harness/simulate/simulate.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/judged.h"
#include "tests/support/support.h"

struct rest {
    double start;         /* potential energy before the first step [J]                */
    double most_energy;   /* kinetic and potential, above the start, over all steps [J] */
    double kinetic;       /* of the last step [J]                                       */
    double weight;        /* m g of all bodies [N]                                      */
    double ground_force;  /* normal forces of the world in the last step [N]            */
    double penetration;   /* largest over all steps [m]                                 */
    int contacts;         /* of the last step                                           */
};

/* -g . x m of all bodies after a motion of h u. */
static inline double rest_potential(const struct nb_problem *problem, const double *u)
{
    double energy = 0;
    for (int i = 0; i < problem->bodies.count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double moved = u ? problem->time_step * u[6 * i + k] : 0;
            energy -= problem->bodies.mass[i] * problem->gravity[k] *
                      (problem->bodies.position[3 * i + k] + moved);
        }
    return energy;
}

static inline int rest_record(void *context, const struct nb_problem *problem, const double *u,
                              const double *lambda)
{
    struct rest *rest = context;
    const struct nb_metrics metrics = test_judged(problem, u, lambda);
    rest->kinetic = metrics.kinetic_energy;
    rest->most_energy = fmax(rest->most_energy,
                             rest_potential(problem, u) + metrics.kinetic_energy - rest->start);
    rest->ground_force = metrics.normal_force;
    rest->penetration = fmax(rest->penetration, metrics.penetration);
    rest->contacts = problem->contacts.count;
    return 0;
}

/* Newton iterations that solve a step of these scenes; damped by half, where friction needs it. */
static inline struct nb_options rest_options(void)
{
    struct nb_options options = nb_options_default();
    options.linear = "pcr";
    options.linear_iterations = 100;
    options.newton_iterations = 30;
    options.damping = 0.5;
    return options;
}

static inline struct rest rest_run(struct nb_problem *problem, int steps,
                                   const struct nb_options *options)
{
    struct rest rest = {.start = rest_potential(problem, NULL), .most_energy = -INFINITY};
    for (int i = 0; i < problem->bodies.count; ++i)
        rest.weight -= problem->bodies.mass[i] * problem->gravity[2];
    test_simulate(problem, steps, options, rest_record, &rest);
    return rest;
}

#endif
