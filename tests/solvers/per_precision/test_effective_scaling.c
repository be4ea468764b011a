/* The scaling `effective` in this precision: without bilateral rows it is `mass` bit for bit, with them it is made of
 * the eliminated diagonal; and it solves what the joints keep `mass` from solving, since r_f must not be much above the
 * true compliance of a contact. */
#include "solvers/model/newton_system.h"
#include "solvers/sparse/eliminated.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"
#include "tests/support/steps.h"
#include "tests/support/support.h"

#define U ((double)NB_UNIT_ROUNDOFF)

/* r_n, then r_f [contacts each]. */
static double *scaling_of(const struct nb_problem *problem, const char *scaling)
{
    struct nb_options options = nb_options_default();
    struct NB(nb_model) *model;
    struct NB(nb_newton) *newton;
    struct nb_error error;
    options.scaling = scaling;
    if (NB(nb_model_create)(&model, problem, 1, &error) || NB(nb_newton_create)(&newton, model, &options, &error))
        fail_msg("%s: %s", scaling, error.text);
    double *r = malloc((2 * (size_t)model->contacts + 1) * sizeof *r);
    for (int i = 0; i < model->contacts; ++i) {
        r[i] = (double)newton->r_normal[i];
        r[model->contacts + i] = (double)newton->r_friction[i];
    }
    NB(nb_newton_free)(newton);
    NB(nb_model_free)(model);
    return r;
}

TEST(without_joints_it_is_mass)
{
    const char *const scenes[] = {"heavy_stack", "arch", "balls_in_cube"};
    for (int k = 0; k < 3; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, scenes[k], NULL);
        const size_t contacts = (size_t)nb_problem_contacts(&problem);
        OWNS(free_at) double *mass = scaling_of(&problem, "mass"), *effective = scaling_of(&problem, "effective");
        assert_memory_equal(effective, mass, 2 * contacts * sizeof *mass);
    }
}

TEST(with_joints_it_is_made_of_the_eliminated_diagonal)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_step_of("beam", 10, &problem);
    const int contacts = nb_problem_contacts(&problem);
    const double h = problem.time_step;
    OWNS(free_at) double *mass = scaling_of(&problem, "mass"), *effective = scaling_of(&problem, "effective");
    OWNS(free_at) double *diagonal = malloc(3 * (size_t)contacts * sizeof *diagonal);
    assert_true(contacts > 0);
    assert_int_equal(nb_eliminated_diagonal(&problem, diagonal, NULL), NB_OK);
    for (int i = 0; i < contacts; ++i) {
        const double *d = diagonal + 3 * i, normal = h * h * d[0], friction = h * fmax(d[1], d[2]);
        assert_near(effective[i], normal, 8 * U * normal);
        assert_near(effective[contacts + i], friction, 8 * U * friction);
        assert_true(mass[i] > 20 * effective[i] && mass[contacts + i] > 20 * effective[contacts + i]);
    }
}

/* Sliding at speed s against the force l = mu lambda_n with the compliance c, s = u - c l, friction's fixed point
 * changes an error of the force by the factor 1 - t - t (r - c) / (c + s / l) (docs/notes/beam.md): so r is to be c,
 * and from r = c + (2 / t - 1) (c + s / l) on nothing converges. */
TEST(the_factor_of_frictions_fixed_point)
{
    const char *const functions[] = {"fb", "min"};
    const double t = 0.75, c = 0.3, limit = 20, speed = 0.8, small = 2 * sqrt(U) * limit;
    const double last = c + (2 / t - 1) * (c + speed / limit);
    for (int k = 0; k < 12; ++k) {
        const double r = c * (0.25 + 0.75 * (k / 2)), before = limit - small, slip = speed + c * small;
        const nb_real s = (nb_real)slip, force = (nb_real)before, bound = (nb_real)limit, scaling = (nb_real)r;
        nb_real compliance;
        NB(nb_find_ncp)(functions[k % 2])->friction(1, &s, &force, &bound, &scaling, &compliance);
        const double after = (1 - t) * before + t * (speed + c * limit) / (c + (double)compliance);
        const double factor = (limit - after) / small, expected = 1 - t - t * (r - c) / (c + speed / limit);
        assert_near(factor, expected, 0.05);
        assert_int_equal(fabs(expected) < 1, r < last);
    }
}

/* A compliance that float64 cannot fold in is refused by name. */
TEST(what_it_cannot_linearise)
{
    struct nb_options options = nb_options_default();
    struct NB(nb_model) *model;
    struct NB(nb_newton) *newton = NULL;
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_error error;
    test_step_of("beam", 10, &problem);
    problem.joints.compliance[6 * 3 + 4] = 1e-30;
    options.scaling = "effective";
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, &error), NB_OK);
    assert_int_equal(NB(nb_newton_create)(&newton, model, &options, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "scaling effective: joints/compliance: row 4 of entry 3"));
    assert_null(newton);
    NB(nb_model_free)(model);
}

/* step_error after 60 Newton iterations with a direct linear solver. */
static double error_of(const struct nb_problem *problem, const char *scaling)
{
    struct nb_options options = nb_options_default();
    options.solver = "newton";
    options.precision = NB_TEXT(NB_PRECISION);
    options.scaling = scaling;
    options.linear = "cholesky";
    options.precond = "none";
    options.newton_iterations = 60;
    const struct nb_metrics metrics = run_method(problem, &options, NULL, NULL, NULL);
    return nb_metric_value(&metrics, NB_METRIC_step_error);
}

/* Links of 3 kg: r = h^2 is that of another mass. */
TEST(it_solves_a_heavy_beam)
{
    const char *const heavy[] = {"mass=3", "stiffness=250000", NULL};
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "beam", heavy);
    test_simulate(&problem, 10, &options, NULL, NULL);
    assert_int_equal(nb_step_prepare(&problem, NULL), NB_OK);
    assert_true(error_of(&problem, "effective") < 3e5 * U);
    assert_true(error_of(&problem, "timestep") > 1e-2);
    assert_true(error_of(&problem, "mass") > 1e-2);
}
