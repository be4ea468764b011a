/* step_error and its parts do not depend on the units of mass, length and time: every scene and FCLIB file, as it is
 * and linearised, with an iterate in the middle of a method's way and one at the end (docs/theory/measure.md). */
#include "tests/support/method_support.h"

#include "problems/units.h"
#include "tests/support/steps.h"

static void expect_in_units(const struct nb_problem *problem, const double *u, const double *lambda,
                            const struct nb_units *units)
{
    const size_t dofs = (size_t)nb_problem_dofs(problem), rows = (size_t)nb_problem_multipliers(problem);
    OWNS(nb_problem_free) struct nb_problem other;
    OWNS(free_at) double *v = calloc(dofs + 1, sizeof *v), *forces = calloc(rows + 1, sizeof *forces);
    memcpy(v, u, dofs * sizeof *v);
    memcpy(forces, lambda, rows * sizeof *forces);
    const struct nb_metrics before = test_judged(problem, u, lambda);
    assert_int_equal(nb_problem_copy(problem, &other, NULL), NB_OK);
    assert_true(nb_problem_change_units(&other, units->mass, units->length, units->time));
    nb_solution_change_units(problem, units, v, forces);
    const struct nb_metrics after = test_judged(&other, v, forces);
    char what[160];
    snprintf(what, sizeof what, "%s%s, mass %g, length %g, time %g", problem->name,
             problem->form == NB_NONLINEAR ? "" : " linear", units->mass, units->length, units->time);
    test_same_step_error(what, &before, &after);
}

static void expect_invariant(const struct nb_problem *problem)
{
    static const struct {
        const char *solver;
        int iterations;
    } paths[] = {{"newton", 4}, {"proximal_newton", 100}};
    const size_t dofs = (size_t)nb_problem_dofs(problem), rows = (size_t)nb_problem_multipliers(problem);
    OWNS(free_at) double *u = calloc(dofs + 1, sizeof *u), *lambda = calloc(rows + 1, sizeof *lambda);
    for (int p = 0; p < 2; ++p) {
        test_method(problem, paths[p].solver, paths[p].iterations, u, lambda);
        for (double factor = 1e-6; factor < 1e7; factor *= 1e6) {
            if (factor > 0.9 && factor < 1.1)
                continue;
            expect_in_units(problem, u, lambda, &(struct nb_units){factor, 1, 1});
            expect_in_units(problem, u, lambda, &(struct nb_units){1, factor, 1});
            expect_in_units(problem, u, lambda, &(struct nb_units){1, 1, factor});
            expect_in_units(problem, u, lambda, &(struct nb_units){factor, 1 / factor, 1 / factor});
        }
    }
}

static void scene_is_invariant(const char *name)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_step_of(name, 1, &problem);
    test_both_forms(&problem, expect_invariant);
}

TEST(small_scenes_are_invariant)
{
    static const char *const scenes[] = {"box_on_plane", "sliding_box", "heavy_stack", "arch", "beam", "hinge_limits",
                                         "double_pendulum_mass", "material_extension"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
        scene_is_invariant(scenes[i]);
}

FULL_TEST(scenes_are_invariant)
{
    for (int i = 0; nb_scenes()[i]; ++i)
        scene_is_invariant(nb_scenes()[i]->name);
}

TEST(real_problems_are_invariant)
{
    test_each_real_file(expect_invariant);
}
