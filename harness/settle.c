/* Simulating until nothing moves any more (harness/settle.h). */
#include "harness/settle.h"

#include <math.h>
#include <stdio.h>

#include "problems/simulate.h"
#include "problems/vec3.h"

/* Steps between two lines of progress. */
enum { PROGRESS = 100 };

struct progress {
    struct nb_settle *settle;
    int quiet; /* steps at rest in a row */
    int done;
};

double nb_largest_speed(const struct nb_problem *problem, const double *u)
{
    const struct nb_bodies *bodies = &problem->bodies;
    double largest = 0;
    for (int i = 0; i < bodies->count; ++i) {
        const double *inertia = bodies->inertia + 9 * i;
        const double radius =
            sqrt((inertia[0] + inertia[4] + inertia[8]) / (2 * bodies->mass[i]));
        largest = fmax(largest, nb_norm3(u + 6 * i));
        largest = fmax(largest, radius * nb_norm3(u + 6 * i + 3));
    }
    for (int i = 0; i < problem->particles.count; ++i)
        largest = fmax(largest, nb_norm3(u + 6 * bodies->count + 3 * i));
    return largest;
}

static int watch(void *context, const struct nb_problem *problem, const double *u,
                 const double *lambda)
{
    struct progress *progress = context;
    struct nb_settle *settle = progress->settle;
    (void)lambda;
    settle->last_speed = nb_largest_speed(problem, u);
    progress->quiet = settle->last_speed < settle->speed ? progress->quiet + 1 : 0;
    if (++progress->done % PROGRESS == 0)
        fprintf(stderr, "ncpbench %s: %s, step %d of %s%d, %d contacts, largest speed %.3g m/s\n",
                settle->command, problem->name, progress->done, settle->settled ? "at most " : "",
                settle->limit, problem->contacts.count, settle->last_speed);
    settle->reached = settle->settled && progress->quiet >= settle->steps;
    return settle->reached;
}

enum nb_status nb_settle_run(struct nb_settle *settle, struct nb_problem *problem,
                             const struct nb_options *options, struct nb_error *error)
{
    struct progress progress = {.settle = settle};
    settle->reached = false;
    settle->last_speed = 0;
    return nb_simulate(problem, settle->limit, options, watch, &progress, error);
}
