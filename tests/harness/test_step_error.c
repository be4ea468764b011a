/* step_error: exact states and known distances for one contact at any mu, and what must not change it: contacts in
 * another order, with turned tangents, given twice; the local form (docs/theory/measure.md). Units:
 * test_step_error_units.c. */
#include "tests/support/method_support.h"
#include "tests/support/near.h"
#include "tests/support/numbers.h"

/* A particle of 2 kg that without forces moves by (-1, 0.5, 0) m/s: w = 1/2, V = |U_free|, or 1 without friction. */
static const double impulse_given[3] = {-2, 1, 0};

static struct nb_metrics judge_particle(double mu, const double *u, const double *r)
{
    struct nb_problem problem;
    test_particle(&problem, 2, mu, impulse_given);
    const struct nb_metrics metrics = test_judged(&problem, u, r);
    nb_problem_free(&problem);
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
    nb_problem_free(&problem);
}

/* ---- what must not change it ---- */

/* One contact of the new step: contact `from` of the old, tangents turned by the angle, with a share of its impulse. */
struct piece {
    int from;
    double angle, share;
};

static void turn(const struct piece *piece, const double *old, double *turned)
{
    const double c = cos(piece->angle), s = sin(piece->angle);
    turned[0] = old[0];
    turned[1] = c * old[1] + s * old[2];
    turned[2] = c * old[2] - s * old[1];
}

static void remake(const struct nb_problem *old, const double *lambda, const struct piece *piece, int count,
                   struct nb_problem *problem, double *other)
{
    const struct nb_linear_step *from = &old->linear;
    struct nb_linear_step *to = &problem->linear;
    double *dense = test_dense(&from->contact_jacobian), *rows = zeros(3 * count * from->dofs);
    test_linear_step(problem, NB_LINEAR_GLOBAL, "remade", from->dofs, count, from->bilaterals);
    nb_csr_free(&to->bilateral_jacobian);
    double *mass = test_dense(&from->mass), *bilateral = test_dense(&from->bilateral_jacobian);
    test_sparse(&to->mass, from->dofs, from->dofs, mass);
    test_sparse(&to->bilateral_jacobian, from->bilaterals, from->dofs, bilateral);
    memcpy(to->force, from->force, (size_t)from->dofs * sizeof *to->force);
    memcpy(to->bilateral_velocity, from->bilateral_velocity, (size_t)from->bilaterals * sizeof(double));
    memcpy(other, lambda, (size_t)from->bilaterals * sizeof *other);
    problem->time_step = old->time_step;
    for (int i = 0; i < count; ++i) {
        const int source = piece[i].from;
        for (int d = 0; d < from->dofs; ++d) {
            double column[3], turned[3];
            for (int k = 0; k < 3; ++k)
                column[k] = dense[(3 * source + k) * from->dofs + d];
            turn(&piece[i], column, turned);
            for (int k = 0; k < 3; ++k)
                rows[(3 * i + k) * from->dofs + d] = turned[k];
        }
        turn(&piece[i], from->contact_velocity + 3 * source, to->contact_velocity + 3 * i);
        turn(&piece[i], lambda + from->bilaterals + 3 * source, other + from->bilaterals + 3 * i);
        for (int k = 0; k < 3; ++k)
            other[from->bilaterals + 3 * i + k] *= piece[i].share;
        to->friction[i] = from->friction[source];
    }
    test_sparse(&to->contact_jacobian, 3 * count, from->dofs, rows);
    free(dense);
    free(rows);
    free(mass);
    free(bilateral);
}

static void expect_the_same(const struct nb_metrics *a, const struct nb_metrics *b, const char *what)
{
    static const int parts[] = {NB_METRIC_step_error, NB_METRIC_step_penetration, NB_METRIC_step_complementarity,
                                NB_METRIC_step_cone, NB_METRIC_step_sliding, NB_METRIC_step_bilateral,
                                NB_METRIC_step_momentum};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        const double x = nb_metric_value(a, parts[k]), y = nb_metric_value(b, parts[k]);
        if (!(fabs(x - y) <= 1e-10 * fmax(1e-3, x)))
            fail_msg("%s: %s is %.15g, was %.15g", what, nb_metrics[parts[k]].name, y, x);
    }
}

enum { CONTACTS = 12, DOFS = 24 };

/* A random step after few iterations of a method, in the middle of its way. */
static void some_iterate(int bilaterals, int coupled, uint32_t number, struct nb_problem *problem, double *u,
                         double *lambda)
{
    test_global(problem, DOFS, CONTACTS, bilaterals, coupled, number);
    test_method(problem, "nsgs", 2 + (int)number % 5, u, lambda);
}

TEST(order_tangents_and_repetition_do_not_matter)
{
    for (uint32_t number = 1; number < 20; ++number) {
        struct nb_problem problem, other;
        struct piece piece[2 * CONTACTS];
        const int bilaterals = number % 2 ? 0 : 3;
        double u[DOFS], lambda[3 * CONTACTS + 3], given[6 * CONTACTS + 3];
        some_iterate(bilaterals, number % 3 == 0, number, &problem, u, lambda);
        const struct nb_metrics before = test_judged(&problem, u, lambda);
        assert_true(before.step_error > 1e-8 && before.step_error < 10);
        seed = number;
        for (int i = 0; i < CONTACTS; ++i)
            piece[i] = (struct piece){CONTACTS - 1 - i, 3 * uniform(), 1};
        remake(&problem, lambda, piece, CONTACTS, &other, given);
        struct nb_metrics after = test_judged(&other, u, given);
        expect_the_same(&before, &after, "reversed and turned");
        assert_true(after.worst_contact == CONTACTS - 1 - before.worst_contact);
        nb_problem_free(&other);
        for (int i = 0; i < CONTACTS; ++i) {
            piece[2 * i] = (struct piece){i, 0, 0.3 + 0.2 * uniform()};
            piece[2 * i + 1] = (struct piece){i, 0, 1 - piece[2 * i].share};
        }
        remake(&problem, lambda, piece, 2 * CONTACTS, &other, given);
        after = test_judged(&other, u, given);
        expect_the_same(&before, &after, "given twice");
        nb_problem_free(&other);
        nb_problem_free(&problem);
    }
}

/* With momentum in balance a local form has the same numbers. */
TEST(the_local_form_has_the_same_error)
{
    for (uint32_t number = 1; number < 20; ++number) {
        struct nb_problem problem, local;
        const int bilaterals = number % 2 ? 0 : 3;
        double u[DOFS], lambda[3 * CONTACTS + 3], velocity[3 * CONTACTS + 3];
        some_iterate(bilaterals, 1, number, &problem, u, lambda);
        const struct nb_metrics global = test_judged(&problem, u, lambda);
        test_condense(&problem, &local, test_dense_solve);
        nb_csr_multiply(&problem.linear.contact_jacobian, u, velocity, 0);
        for (int i = 0; i < 3 * CONTACTS; ++i)
            velocity[i] += problem.linear.contact_velocity[i];
        if (bilaterals)
            nb_csr_multiply(&problem.linear.bilateral_jacobian, u, velocity + 3 * CONTACTS, 0);
        for (int i = 0; i < bilaterals; ++i)
            velocity[3 * CONTACTS + i] += problem.linear.bilateral_velocity[i];
        const struct nb_metrics condensed = test_judged(&local, velocity, lambda);
        expect_the_same(&global, &condensed, "local");
        nb_problem_free(&local);
        nb_problem_free(&problem);
    }
}

/* Islands are judged apart: a slow one beside a fast one counts in full. */
TEST(islands_have_scales_of_their_own)
{
    const double mass[36] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1e-3, 0, 0,
                             0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 0, 0, 1e-3};
    double identity[36] = {0};
    struct nb_problem problem;
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
    nb_problem_free(&problem);
}

/* Walls that come nearer from both sides: forces grow, the error does not fall. */
TEST(growing_forces_buy_nothing)
{
    const double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double rows[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, 1};
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
    nb_problem_free(&problem);
}
