/* step_error: exact states and known distances for one contact at any mu, islands, forces that grow
 * (docs/theory/measure.md). What must not change it: test_invariances.c. */
#include "tests/support/method_support.h"
#include "tests/support/near.h"

/* A particle of 2 kg that without forces moves by (-1, s, 0) m/s: w = 1/2, V_N = 1, whatever mu and s. */
static struct nb_metrics judge_particle(double mu, double s, const double *u, const double *r)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    test_particle(&problem, 2, mu, (const double[3]){-2, 2 * s, 0});
    const struct nb_metrics metrics = test_judged(&problem, u, r);
    return metrics;
}

/* What friction can undo of it: at most mu times what the normal does, and a thousandth of that counts always. */
static double sliding_scale(double mu, double s)
{
    return fmax(fmin(fmax(1, s), mu), fmax(0x1p-10, 0x1p-20 * s));
}

static const double frictions[] = {0, 1e-12, 1e-6, 0.02, 0.3, 1, 1e4, 1e10, 1e16};
static const double speeds[] = {0, 1e-9, 0.5, 70, 7e3, 1e6};
#define FRICTIONS ((int)(sizeof frictions / sizeof *frictions))
#define SPEEDS ((int)(sizeof speeds / sizeof *speeds))

/* Sticks where the force holds it, else slips along the first tangent; all but rounding of the speed. */
TEST(solutions_have_no_error)
{
    for (int k = 0; k < FRICTIONS; ++k)
        for (int j = 0; j < SPEEDS; ++j) {
            const double mu = frictions[k], speed = speeds[j], held = fmin(2 * speed, 2 * mu);
            const double r[3] = {2, -held, 0}, u[3] = {0, speed - held / 2, 0};
            const struct nb_metrics m = judge_particle(mu, speed, u, r);
            assert_near(m.step_error, 0, 4e-16 * fmax(1, speed) / sliding_scale(mu, speed));
            assert_true(m.worst_contact == 0);
        }
}

/* Nothing is done: the approach stays as it is, in full for every mu, and for every speed of sliding. */
TEST(an_approach_without_a_force_is_one)
{
    for (int k = 0; k < FRICTIONS; ++k)
        for (int j = 0; j < SPEEDS; ++j) {
            const double u[3] = {-1, speeds[j], 0}, r[3] = {0, 0, 0};
            const struct nb_metrics m = judge_particle(frictions[k], speeds[j], u, r);
            assert_near(m.step_penetration, 1, 1e-15);
            assert_true(m.step_error == m.step_penetration);
            assert_true(m.step_cone == 0 && m.step_sliding == 0);
        }
}

/* Nor does a force of half the size count for more than half, or one without friction for right. */
TEST(forces_are_judged_along_each_direction)
{
    for (int j = 0; j < SPEEDS; ++j)
        for (double mu = 0.02; mu < 0.6; mu *= 5) {
            const double speed = speeds[j], held = fmin(2 * mu, 2 * speed);
            const double half[3] = {1, -fmin(mu, 2 * speed), 0}, sinking[3] = {-0.5, speed + half[1] / 2, 0};
            assert_near(judge_particle(mu, speed, sinking, half).step_penetration, 0.5, 1e-9);
            const double smooth[3] = {2, 0, 0}, on[3] = {0, speed, 0};
            const double missing = judge_particle(mu, speed, on, smooth).step_error;
            assert_true(missing >= 0.6 * held / 2 / sliding_scale(mu, speed));
        }
}

/* Forces that pull, that leave the cone, that point along the sliding, and a contact that opens under a force. */
TEST(parts_are_distances)
{
    const double mu = 0.5, w = 0.5, v = sliding_scale(mu, 0.5), in_v = mu / v; /* mu in units of V */
    const double closed[3] = {0, 0, 0}, sliding[3] = {0, 0.1, 0}, opening[3] = {0.1, 0.5, 0};
    struct nb_metrics m = judge_particle(mu, 0.5, opening, (const double[3]){2.2, 0, 0});
    assert_near(m.step_complementarity, 0.1, 1e-15); /* U_N = 0.1 is nearer than w r_N = 1.1 */
    m = judge_particle(mu, 0.5, closed, (const double[3]){2, -1.5, 0});
    assert_near(m.step_cone, w * 0.5 / v / hypot(1, in_v), 1e-15);
    m = judge_particle(mu, 0.5, sliding, (const double[3]){2, 1, 0});
    assert_near(m.step_sliding, 0.1 / v, 1e-15); /* to stick, which is nearer than to turn the force */
    m = judge_particle(mu, 0.5, (const double[3]){0, 10, 0}, (const double[3]){2, 0, 1});
    assert_true(m.step_sliding > 0.3 && m.step_sliding < 1.5); /* to turn the force by 90 degrees */
    m = judge_particle(mu, 0.5, closed, (const double[3]){-2, 0, 0});
    assert_near(m.step_cone, w * 2, 1e-15);
    assert_true(m.step_error >= m.step_cone);
    m = judge_particle(mu, 0.5, (const double[3]){0, NAN, 0}, closed);
    assert_false(isfinite(m.step_error));
    m = judge_particle(mu, 0.5, closed, (const double[3]){INFINITY, 0, 0});
    assert_false(isfinite(m.step_error));
}

/* Momentum: a velocity that no force explains, seen where no contact feels it, too. */
TEST(unexplained_velocities_count)
{
    const double mass[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 8};
    const double rows[12] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0}; /* the fourth couples through the normal */
    OWNS(nb_problem_free)
    struct nb_problem problem;
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
    OWNS(nb_problem_free)
    struct nb_problem problem;
    for (int i = 0; i < 6; ++i)
        identity[7 * i] = 1;
    test_linear_step(&problem, NB_LINEAR_GLOBAL, "two", 6, 2, 0);
    test_sparse(&problem.linear.mass, 6, 6, mass);
    test_sparse(&problem.linear.contact_jacobian, 6, 6, identity);
    problem.linear.force[0] = -200;  /* 100 m/s */
    problem.linear.force[3] = -1e-6; /* 1 mm/s  */
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
    OWNS(nb_problem_free)
    struct nb_problem problem;
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
