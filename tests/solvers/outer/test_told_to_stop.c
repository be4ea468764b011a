/* A method that is told to stop stops there, at whichever iteration, and leaves what it reported; on steps without a
 * solution, where those that restart go through all that they have. */
#include "tests/support/outer_support.h"

#include "problems/planted.h"
#include "solvers/registry.h"

OWNER(nb_solver_free)

struct told {
    int stop, last, after; /* after: reports that came after it was told */
    double *u;
    size_t dofs;
};

static bool see(void *context, int iteration, const double *u, const double *lambda,
                const struct nb_linear_report *linear)
{
    struct told *told = context;
    (void)lambda, (void)linear;
    told->after += told->last >= told->stop;
    told->last = iteration;
    memcpy(told->u, u, told->dofs * sizeof *u);
    return iteration < told->stop;
}

static void stop_at(const struct nb_problem *problem, struct nb_solver *solver, const char *name, int stop)
{
    const size_t dofs = (size_t)nb_problem_dofs(problem), rows = (size_t)nb_problem_multipliers(problem);
    double *seen = calloc(2 * dofs + rows + 1, sizeof *seen), *left = seen + dofs;
    assert_non_null(seen);
    struct told told = {.stop = stop, .last = -1, .u = seen, .dofs = dofs};
    const struct nb_observer observer = {.context = &told, .observe = see};
    struct nb_run run;
    assert_ok(nb_solver_run(solver, 400, &observer, &run, &why));
    nb_solver_solution(solver, left, left + dofs);
    const int same = !memcmp(left, seen, dofs * sizeof *seen);
    free(seen);
    if (told.after || (!run.broke_down && !same))
        fail_msg("%s, told to stop at iteration %d: %d reports after it, and %s solution is left", name, stop,
                 told.after, same ? "its" : "another");
}

TEST(methods_that_are_told_to_stop_do)
{
    const struct nb_registry_row *row;
    struct nb_options options = nb_options_default();
    options.islands = NB_ISLANDS_TOGETHER;
    for (int form = 0; form < 2; ++form) {
        const struct nb_planted planted = {.form = form ? NB_LINEAR_LOCAL : NB_LINEAR_GLOBAL, .contacts = 3,
                                           .condition = 10, .friction = 0.6, .open = 0.3, .sliding = 0.3, .seed = 1,
                                           .opposed = 3};
        OWNS(nb_problem_free) struct nb_problem problem;
        double *none[2];
        assert_ok(nb_planted_make(&planted, &problem, &none[0], &none[1], &why));
        for (size_t i = 0; (row = nb_registry_row("solver", i)); ++i) {
            OWNS(nb_solver_free_at) struct nb_solver *solver = NULL;
            options.solver = row->name;
            if (nb_solver_create(&solver, &problem, &options, &why))
                continue;
            for (int stop = 0; stop < 200; ++stop)
                stop_at(&problem, solver, row->name, stop);
        }
    }
}
