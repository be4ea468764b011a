/* Observed runs of islands. Each runs alone, before the next, and keeps its iterates; the whole step's iterate k is
 * then put together from the k-th of each, or its last. So the trace is that of all islands going on at once, without
 * one waiting for another, and no method has to know that it is watched in parts. */
#include <stdio.h>

#include "solvers/solve_private.h"

/* Iterates of observed islands take about this much memory in all, but a few each at least. */
#define ITERATES_BYTES ((size_t)64 << 20)
enum { ITERATES_LEAST = 64 };

struct watch {
    struct nb_solver *solver;
    int index, most;
    const struct nb_observer *observer;
    bool no_memory, astray;
};

/* Keeps an island's iterate. */
static bool keep(void *context, int iteration, const double *u, const double *lambda,
                 const struct nb_linear_report *linear)
{
    struct watch *watch = context;
    struct nb_solver_island *island = &watch->solver->island[watch->index];
    const struct nb_observer *observer = watch->observer;
    watch->astray |= island->told || iteration < island->taken || iteration > watch->most;
    watch->no_memory |= !nb_iterates_add(&island->iterates, iteration, u, lambda, (size_t)island->part->dofs, linear);
    if (watch->astray || watch->no_memory)
        return false;
    island->taken = iteration;
    island->told = observer->observe_island &&
                   !observer->observe_island(observer->context, watch->index, iteration, u, lambda);
    return !island->told;
}

enum nb_status nb_solver_run_watched(struct nb_solver *solver, int iterations, const struct nb_observer *observer,
                                     struct nb_error *error)
{
    const size_t most = ITERATES_BYTES / (nb_solver_unknowns(solver->problem) * sizeof(double));
    for (int i = 0; i < solver->count; ++i) {
        struct nb_solver_island *island = &solver->island[i];
        struct watch watch = {.solver = solver, .index = i, .most = iterations, .observer = observer};
        const struct nb_observer keeper = {.context = &watch, .observe = keep};
        nb_iterates_begin(&island->iterates, (size_t)island->part->dofs, (size_t)island->part->multipliers,
                          most < ITERATES_LEAST ? ITERATES_LEAST : most > (size_t)iterations ? iterations + 4
                                                                                             : (int)most);
        island->taken = 0;
        island->told = false;
        nb_solver_run_island(island, iterations, &keeper);
        if (watch.no_memory)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the iterates of island %d", i + 1);
        if (watch.astray && !island->run.broke_down) {
            island->run.broke_down = true;
            snprintf(island->run.detail, sizeof island->run.detail,
                     "the solver went on after iteration %d, at which it was to stop, or did not count on",
                     island->taken);
        }
    }
    return NB_OK;
}

/* Every island's iterate of that iteration, or its last; and the worst of the linear solves that led there, the longest
 * among equals. */
static struct nb_linear_report compose(struct nb_solver *solver, int iteration)
{
    struct nb_linear_report worst = {NB_LINEAR_CONVERGED, 0, ""};
    for (int i = 0; i < solver->count; ++i) {
        struct nb_solver_island *island = &solver->island[i];
        const struct nb_iterates *kept = &island->iterates;
        const struct nb_split_part *part = island->part;
        const int place = nb_iterates_find(kept, iteration, island->place);
        const double *own = kept->value + (size_t)place * kept->size;
        if (kept->count == 0 || (iteration > 0 && place == island->place))
            continue;
        const struct nb_linear_report *linear = &kept->linear[place];
        const bool longer = linear->iterations > worst.iterations;
        if (linear->ending > worst.ending || (linear->ending == worst.ending && longer)) {
            worst.ending = linear->ending;
            worst.detail = linear->detail;
        }
        worst.iterations = longer ? linear->iterations : worst.iterations;
        island->place = place;
        nb_solver_scatter(part->dof, part->dofs, own, solver->u);
        nb_solver_scatter(part->multiplier, part->multipliers, own + part->dofs, solver->lambda);
    }
    return worst;
}

/* The observer has seen enough: islands that went on end there. */
static void cut(struct nb_solver *solver, int iteration)
{
    for (int i = 0; i < solver->count; ++i) {
        struct nb_solver_island *island = &solver->island[i];
        if (island->taken <= iteration)
            continue;
        island->cut = true;
        island->taken = island->run.newton_iterations = iteration;
    }
}

void nb_solver_show(struct nb_solver *solver, const struct nb_observer *observer)
{
    int last = 0, stride = 1;
    for (int i = 0; i < solver->count; ++i) {
        struct nb_solver_island *island = &solver->island[i];
        last = island->taken > last ? island->taken : last;
        stride = island->iterates.stride > stride ? island->iterates.stride : stride;
        island->place = 0;
    }
    for (int k = 0;; k = k + stride < last ? k + stride : last) {
        const struct nb_linear_report linear = compose(solver, k);
        if (!observer->observe(observer->context, k, solver->u, solver->lambda, k ? &linear : NULL)) {
            cut(solver, k);
            return;
        }
        if (k == last)
            return;
    }
}
