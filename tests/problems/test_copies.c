/* Copies of a step: as many islands, each with the answer of the one. */
#include "solvers/solve.h"
#include "tests/support/support.h"

#include "problems/copies.h"
#include "problems/islands.h"
#include "problems/step.h"

enum { COPIES = 5 };

static void solve(const struct nb_problem *problem, double *u, double *lambda)
{
    struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_run run;
    options.solver = "newton";
    options.linear = "cholesky";
    options.precond = "none";
    assert_ok(nb_solver_create(&solver, problem, &options, &why));
    assert_ok(nb_solver_run(solver, 6, NULL, &run, &why));
    nb_solver_solution(solver, u, lambda);
    nb_solver_free(solver);
}

/* Bodies keep their order within a copy, so that unknowns come copy by copy. */
static void same_answers(const char *scene, const char *const *settings)
{
    OWNS(nb_problem_free) struct nb_problem one = {0}, many;
    OWNS(nb_islands_free) struct nb_islands islands = {0}, alone = {0};
    test_scene(&one, scene, settings);
    assert_ok(nb_problem_repeat(&one, COPIES, &many, &why));
    assert_ok(nb_problem_validate(&many, &why));
    assert_ok(nb_islands_find(&alone, &one, &why));
    assert_ok(nb_islands_find(&islands, &many, &why));
    assert_int_equal(islands.count, COPIES * alone.count);
    const int dofs = nb_problem_dofs(&one), rows = nb_problem_multipliers(&one);
    assert_int_equal(nb_problem_dofs(&many), COPIES * dofs);
    double *u = calloc((size_t)dofs * (COPIES + 1), sizeof *u);
    double *lambda = calloc((size_t)rows * (COPIES + 1) + 1, sizeof *lambda), largest = 0;
    solve(&one, u, lambda);
    solve(&many, u + dofs, lambda + rows);
    for (int i = 0; i < dofs; ++i)
        largest = fmax(largest, fabs(one.free_velocity[i]));
    for (int k = 1; k <= COPIES; ++k)
        for (int i = 0; i < dofs; ++i)
            assert_true(fabs(u[k * dofs + i] - u[i]) <= 1e-9 * largest);
    free(u);
    free(lambda);
}

TEST(test_contacts)
{
    same_answers("heavy_stack", (const char *const[]){"count=3", NULL});
}

TEST(test_joints)
{
    same_answers("beam", (const char *const[]){"count=4", NULL});
}

TEST(test_copies_stand_apart)
{
    OWNS(nb_problem_free) struct nb_problem one = {0}, many;
    test_scene(&one, "heavy_stack", NULL);
    assert_ok(nb_problem_repeat(&one, COPIES, &many, &why));
    many.contacts.count = 0; /* those that detection finds are the same */
    assert_ok(nb_step_prepare(&many, &why));
    assert_int_equal(many.contacts.count, COPIES * one.contacts.count);
}

TEST(test_refusals)
{
    struct nb_problem one = {0}, many;
    test_scene(&one, "material_extension", NULL);
    assert_int_equal(nb_problem_repeat(&one, 2, &many, &why), NB_UNSUPPORTED);
    nb_problem_free(&one);
    test_scene(&one, "box_on_plane", NULL);
    assert_int_equal(nb_problem_repeat(&one, 0, &many, &why), NB_BAD_INPUT);
    assert_int_equal(nb_problem_repeat(&one, 2000000000, &many, &why), NB_BAD_INPUT);
    nb_problem_free(&one);
}
