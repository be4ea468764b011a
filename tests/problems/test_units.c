/* Steps in other units: every array as its unit says, what is computed from them likewise, and the way back. */
#include "tests/support/deformable_samples.h"
#include "tests/support/limit_samples.h"
#include "tests/support/near.h"
#include "tests/support/same_problem.h"
#include "tests/support/support.h"

#include "problems/fields.h"
#include "problems/joints.h"
#include "problems/scene.h"
#include "problems/units.h"

static const double M = 3, L = 5, T = 7;

static double factor_of(const char *unit)
{
    const struct { const char *unit; double factor; } table[] = {
        {"1", 1}, {"m", L}, {"kg", M}, {"kg m^2", M * L * L}, {"m/s", L / T}, {"Pa", M / (L * T * T)},
        {"m/N", T * T / M},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (strcmp(table[i].unit, unit) == 0)
            return table[i].factor;
    fail_msg("no factor of [%s]", unit);
    return 0;
}

static void changed_copy(const struct nb_problem *problem, double mass, double length, double time,
                         struct nb_problem *copy)
{
    assert_ok(nb_problem_copy(problem, copy, &why));
    assert_true(nb_problem_change_units(copy, mass, length, time));
}

static void assert_close(double is, double expected, const char *what)
{
    if (!(fabs(is - expected) <= 1e-13 * fabs(expected)))
        fail_msg("%s: %.17g instead of %.17g", what, is, expected);
}

static void assert_arrays(const struct nb_problem *a, const struct nb_problem *b)
{
    for (int g = 0; g < NB_FIELD_GROUPS; ++g)
        for (const struct nb_field *field = nb_field_groups[g].field; field->name; ++field) {
            const double *from = nb_field_array(a, field), *to = nb_field_array(b, field);
            if (field->whole || !from || strchr(field->unit, ','))
                continue;
            const size_t numbers = nb_field_bytes(field) / sizeof(double) * (size_t)nb_field_entries(a, field);
            for (size_t i = 0; i < numbers; ++i)
                assert_close(to[i], factor_of(field->unit) * from[i], field->name);
        }
}

TEST(arrays_change_as_their_units_say)
{
    OWNS(nb_problem_free) struct nb_problem soft, jointed, changed;
    make_deformable(&soft, 0.1);
    changed_copy(&soft, M, L, T, &changed);
    assert_arrays(&soft, &changed);
    assert_close(changed.time_step, T * soft.time_step, "time_step");
    for (int i = 0; i < 6 * soft.bodies.count; ++i)
        assert_close(changed.bodies.velocity[i], soft.bodies.velocity[i] * (i % 6 < 3 ? L : 1) / T, "velocity");
    nb_problem_free(&changed);
    make_limited(&jointed, 0.1);
    changed_copy(&jointed, M, L, T, &changed);
    assert_arrays(&jointed, &changed);
    for (int i = 0; i < jointed.limits.count; ++i)
        assert_close(changed.limits.bound[i],
                     jointed.limits.bound[i] *
                         (jointed.joints.kind[jointed.limits.joint[i]] == NB_JOINT_SLIDER ? L : 1), "bound");
}

/* c_b, C_n and their derivatives: lengths and angles, by velocities and rotation rates. */
TEST(gaps_change_as_lengths_and_angles)
{
    OWNS(nb_problem_free) struct nb_problem problem, changed;
    make_limited(&problem, 0.1);
    changed_copy(&problem, M, L, T, &changed);
    for (int j = 0; j < problem.joints.count; ++j) {
        const int *axes = nb_joint_axes(problem.joints.kind[j]);
        double is[NB_JOINT_ROWS], was[NB_JOINT_ROWS], rows[12 * NB_JOINT_ROWS];
        nb_joint_evaluate(&problem, j, was, rows);
        nb_joint_evaluate(&changed, j, is, rows);
        for (int r = 0; r < nb_joint_rows(problem.joints.kind[j]); ++r)
            assert_true(fabs(is[r] - (axes[r] < 3 ? L : 1) * was[r]) <= 1e-14 * L);
    }
    for (int i = 0; i < problem.limits.count; ++i) {
        const int slides = problem.joints.kind[problem.limits.joint[i]] == NB_JOINT_SLIDER;
        double is, was, rows[36];
        nb_limit_evaluate(&problem, i, &was, rows);
        nb_limit_evaluate(&changed, i, &is, rows);
        assert_true(fabs(is - (slides ? L : 1) * was) <= 1e-14 * L);
    }
}

/* The linearised step of the changed one: M and f of bodies by translation and rotation, w by lengths. */
TEST(a_linearised_step_changes_with_its_step)
{
    OWNS(nb_problem_free) struct nb_problem problem, changed, linear, other;
    test_scene(&problem, "heavy_stack", NULL);
    changed_copy(&problem, M, L, T, &changed);
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    assert_ok(nb_problem_linearize(&changed, &other, &why));
    const struct nb_linear_step *a = &linear.linear, *b = &other.linear;
    for (int i = 0; i < a->dofs; ++i) {
        const double arm = i % 6 < 3 ? 1 : L;
        assert_close(b->force[i], M * L / T * arm * a->force[i], "f");
        for (int k = a->mass.start[i]; k < a->mass.start[i + 1]; ++k)
            assert_close(b->mass.value[k], M * arm * arm * a->mass.value[k], "M");
    }
    for (int i = 0; i < 3 * a->contacts; ++i)
        assert_true(fabs(b->contact_velocity[i] - L / T * a->contact_velocity[i]) < 1e-12);
}

static void assert_there_and_back(struct nb_problem *problem)
{
    OWNS(nb_problem_free) struct nb_problem changed;
    changed_copy(problem, 8, 0.125, 1024, &changed);
    assert_true(nb_problem_change_units(&changed, 0.125, 8, 1.0 / 1024));
    same_problem(problem, &changed);
    nb_problem_free(&changed);
    changed_copy(problem, 1e-6, 1e3, 1e6, &changed);
    assert_true(nb_problem_change_units(&changed, 1e6, 1e-3, 1e-6));
    assert_close(changed.time_step, problem->time_step, "time_step");
    for (int i = 0; i < nb_problem_dofs(problem) && problem->form == NB_NONLINEAR; ++i)
        assert_close(changed.free_velocity[i], problem->free_velocity[i], "free_velocity");
    const struct nb_csr *mass = &problem->linear.mass;
    for (int k = 0; mass->start && k < mass->start[mass->rows]; ++k)
        assert_close(changed.linear.mass.value[k], mass->value[k], "M");
}

TEST(every_scene_comes_back)
{
    const struct nb_scene *const *scenes = nb_scenes();
    for (int i = 0; scenes[i]; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        test_scene(&problem, scenes[i]->name, NULL);
        assert_there_and_back(&problem);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        assert_there_and_back(&linear);
    }
}

/* Power is force times velocity: lambda c_b/dt of every row, whatever its unit. */
TEST(solutions_change_with_their_steps)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const struct nb_units there = {M, L, T}, back = nb_units_inverse(&there);
    make_limited(&problem, 0.1);
    const int dofs = nb_problem_dofs(&problem), rows = nb_problem_multipliers(&problem);
    double *u = malloc((size_t)(dofs + rows) * sizeof *u), *lambda = u + dofs;
    for (int i = 0; i < dofs + rows; ++i)
        u[i] = 1;
    nb_solution_change_units(&problem, &there, u, lambda);
    for (int i = 0; i < dofs; ++i)
        assert_close(u[i], (i % 6 < 3 ? L : 1) / T, "u");
    for (int j = 0, row = 0; j < problem.joints.count; ++j)
        for (int r = 0; r < nb_joint_rows(problem.joints.kind[j]); ++r, ++row)
            assert_close(lambda[row] * (nb_joint_axes(problem.joints.kind[j])[r] < 3 ? L : 1), M * L * L / (T * T),
                         "lambda");
    for (int i = 0, row = rows - 3 * problem.limits.count; i < problem.limits.count; ++i, row += 3)
        assert_close(lambda[row] * (problem.joints.kind[problem.limits.joint[i]] == NB_JOINT_SLIDER ? L : 1),
                     M * L * L / (T * T), "limit");
    nb_solution_change_units(&problem, &back, u, NULL);
    nb_solution_change_units(&problem, &back, NULL, lambda);
    for (int i = 0; i < dofs + rows; ++i)
        assert_close(u[i], 1, "back");
    free(u);
}

TEST(numbers_that_leave_the_range_are_told)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_on_plane", NULL);
    assert_false(nb_problem_change_units(&problem, 1e308, 1e10, 1));
    nb_problem_free(&problem);
    test_scene(&problem, "box_on_plane", NULL);
    assert_false(nb_problem_change_units(&problem, 1e-308, 1e-10, 1));
}
