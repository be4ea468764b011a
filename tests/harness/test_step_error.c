/* step_error: exact states and known distances for one contact at any mu, islands, forces that grow
 * (docs/theory/measure.md). What must not change it: test_step_error_units.c, test_step_error_contacts.c. */
#include "tests/support/method_support.h"
#include "tests/support/near.h"

/* A particle of 2 kg that without forces moves by (-1, 0.5, 0) m/s: w = 1/2, V = |U_free|, or 1 without friction. */
static const double impulse_given[3] = {-2, 1, 0};

static struct nb_metrics judge_particle(double mu, const double *u, const double *r)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_particle(&problem, 2, mu, impulse_given);
    const struct nb_metrics metrics = test_judged(&problem, u, r);
    return metrics;
}

static const double frictions[] = {0, 1e-10, 0.3, 1, 1e4, 1e10, 1e16};
enum { FRICTIONS = sizeof frictions / sizeof *frictions };

/* Stick where the force holds it, else slip along the first tangent. */
TEST(solutions_have_no_error)
{
    for (int k = 0; k < FRICTIONS; ++k) {
        const double mu = frictions[k], held = fmin(1, 2 * mu);
        const double r[3] = {2, -held, 0}, u[3] = {0, (1 - held) / 2, 0};
        const struct nb_metrics m = judge_particle(mu, u, r);
        assert_true(m.step_error < 1e-15);
        assert_true(m.worst_contact == 0);
    }
}

/* Nothing is done: the approach stays as it is, in full for every mu. */
TEST(an_approach_without_a_force_is_one)
{
    const double u[3] = {-1, 0.5, 0}, r[3] = {0, 0, 0};
    for (int k = 0; k < FRICTIONS; ++k) {
        const struct nb_metrics m = judge_particle(frictions[k], u, r);
        assert_near(m.step_penetration, frictions[k] > 0 ? 1 / hypot(1, 0.5) : 1, 1e-15);
        assert_true(m.step_error == m.step_penetration);
        assert_true(m.step_cone == 0 && m.step_sliding == 0 && m.step_momentum == 0);
    }
}

/* Forces that pull, that leave the cone, that point along the sliding, and a contact that opens under a force. */
TEST(parts_are_distances)
{
    const double mu = 0.5, v = hypot(1, 0.5), w = 0.5;
    const double closed[3] = {0, 0, 0}, sliding[3] = {0, 0.1, 0}, opening[3] = {0.1, 0.5, 0};
    struct nb_metrics m = judge_particle(mu, opening, (const double[3]){2.2, 0, 0});
    assert_near(m.step_complementarity, 0.1 / v, 1e-15); /* U_N = 0.1 is nearer than w r_N = 1.1 */
    m = judge_particle(mu, closed, (const double[3]){2, -1.5, 0});
    assert_near(m.step_cone, w * 0.5 / hypot(1, mu) / v, 1e-15);
    m = judge_particle(mu, sliding, (const double[3]){2, 1, 0});
    assert_near(m.step_sliding, 0.1 / v, 1e-15); /* to stick, which is nearer than to turn the force */
    m = judge_particle(mu, (const double[3]){0, 10, 0}, (const double[3]){2, 0, 1});
    assert_true(m.step_sliding > 0.3 && m.step_sliding < 1); /* to turn the force by 90 degrees */
    m = judge_particle(mu, closed, (const double[3]){-2, 0, 0});
    assert_near(m.step_cone, w * 2 / v, 1e-15);
    assert_true(m.step_error >= m.step_cone);
    m = judge_particle(mu, (const double[3]){0, NAN, 0}, closed);
    assert_false(isfinite(m.step_error));
    m = judge_particle(mu, closed, (const double[3]){INFINITY, 0, 0});
    assert_false(isfinite(m.step_error));
}

/* Momentum: a velocity that no force explains, seen where no contact feels it, too. */
TEST(unexplained_velocities_count)
{
    const double mass[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 8};
    const double rows[12] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0}; /* the fourth couples through the normal */
    OWNS(nb_problem_free) struct nb_problem problem;
    test_linear_step(&problem, NB_LINEAR_GLOBAL, "coupled", 4, 1, 0);
    test_sparse(&problem.linear.mass, 4, 4, mass);
    test_sparse(&problem.linear.contact_jacobian, 3, 4, rows);
    problem.linear.force[0] = -2;
    /* w_NN = 1/2 + 1/8, w = (0.625 + 0.5 + 0.5)/3, V = 1, E = V^2/w; r = 1.6 stops the normal */
    const double r[3] = {1.6, 0, 0}, u[4] = {-0.2, 0, 0, 0.2};
    assert_true(test_judged(&problem, u, r).step_error < 1e-15);
    const double off[4] = {-0.3, 0, 0, 0.3}; /* U does not change */
    const struct nb_metrics m = test_judged(&problem, off, r);
    assert_near(m.step_momentum, sqrt((2 * 0.01 + 8 * 0.01) * (1.625 / 3)), 1e-14);
    assert_true(m.step_error == m.step_momentum);
}

/* Islands are judged apart: a slow one beside a fast one counts in full. */
TEST(islands_have_scales_of_their_own)
{
    const double mass[36] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1e-3, 0, 0,
                             0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 0, 0, 1e-3};
    double identity[36] = {0};
    OWNS(nb_problem_free) struct nb_problem problem;
    for (int i = 0; i < 6; ++i)
        identity[7 * i] = 1;
    test_linear_step(&problem, NB_LINEAR_GLOBAL, "two", 6, 2, 0);
    test_sparse(&problem.linear.mass, 6, 6, mass);
    test_sparse(&problem.linear.contact_jacobian, 6, 6, identity);
    problem.linear.force[0] = -200;   /* 100 m/s */
    problem.linear.force[3] = -1e-6;  /* 1 mm/s  */
    const double u[6] = {0, 0, 0, -1e-3, 0, 0}, r[6] = {200, 0, 0, 0, 0, 0};
    const struct nb_metrics m = test_judged(&problem, u, r);
    assert_near(m.step_error, 1, 1e-12);
    assert_true(m.worst_contact == 1);
}

/* Walls that come nearer from both sides: forces grow, the error does not fall. */
TEST(growing_forces_buy_nothing)
{
    const double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double rows[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, 1};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_linear_step(&problem, NB_LINEAR_GLOBAL, "squeezed", 3, 2, 0);
    test_sparse(&problem.linear.mass, 3, 3, mass);
    test_sparse(&problem.linear.contact_jacobian, 6, 3, rows);
    problem.linear.contact_velocity[0] = problem.linear.contact_velocity[3] = -1;
    for (double size = 1; size < 1e13; size *= 1e3) {
        const double u[3] = {0, 0, 0}, r[6] = {size, 0, 0, size, 0, 0};
        const struct nb_metrics m = test_judged(&problem, u, r);
        assert_near(m.step_error, 1, 1e-12);
    }
}
