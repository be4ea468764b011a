/* What a step has to do, by which step_error counts: joints beside a light contact, a fast contact beside a slow one,
 * islands in which nothing is to be done, zeros that are stored, contacts that are given twice, and a mass with a skew
 * part (docs/theory/measure.md). */
#include "harness/floor/floor.h"
#include "harness/judge/metrics_private.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"
#include "tests/support/steps.h"

/* All entries, zeros too. */
static void dense_matrix(struct nb_csr *matrix, int rows, int columns, const double *values)
{
    assert_int_equal(nb_csr_allocate(matrix, rows, columns, rows * columns, NULL), NB_OK);
    for (int i = 0; i <= rows; ++i)
        matrix->start[i] = i * columns;
    for (int k = 0; k < rows * columns; ++k) {
        matrix->column[k] = k % columns;
        matrix->value[k] = values[k];
    }
}

/* A screw of mass `ratio` lies on a platform of 1 kg that joints hold, all of them `times` times; g h = 1 m/s. */
static void make_platform(struct nb_problem *problem, double ratio, int times)
{
    double mass[36] = {0}, contact[18] = {0}, joints[9 * 6] = {0};
    test_linear_step(problem, NB_LINEAR_GLOBAL, "platform", 6, 1, 3 * times);
    for (int k = 0; k < 6; ++k)
        mass[7 * k] = k < 3 ? 1 : ratio;
    for (int k = 0; k < 3; ++k) {
        contact[6 * k + k] = -1;
        contact[6 * k + 3 + k] = 1;
        for (int t = 0; t < times; ++t)
            joints[6 * (3 * t + k) + k] = 1;
    }
    test_sparse(&problem->linear.mass, 6, 6, mass);
    test_sparse(&problem->linear.contact_jacobian, 3, 6, contact);
    test_sparse(&problem->linear.bilateral_jacobian, 3 * times, 6, joints);
    problem->linear.force[0] = -1;
    problem->linear.force[3] = -ratio;
    problem->linear.friction[0] = 0.5;
}

/* The screw falls as if there were no contact: an error of 1; carried by half its weight, of a half. */
TEST(a_joint_hides_no_light_contact)
{
    for (int times = 1; times <= 3; ++times)
        for (double ratio = 1e6; ratio > 1e-13; ratio *= 1e-3) {
            OWNS(nb_problem_free)
            struct nb_problem problem;
            make_platform(&problem, ratio, times);
            for (int half = 0; half < 3; ++half) {
                const double carried = ratio * half / 2, u[6] = {0, 0, 0, half / 2.0 - 1, 0, 0};
                double forces[12] = {0};
                forces[3 * times] = carried;
                for (int t = 0; t < times; ++t)
                    forces[3 * t] = (1 + carried) / times;
                assert_near(test_judged(&problem, u, forces).step_error, 1 - half / 2.0, 1e-9);
            }
        }
}

/* A block of 1 kg falls through its floor at 0.1 m/s, as if that were not there, beside a fly that is stopped: by a
 * floor of its own, or by the block, u and r for the latter being those of a plastic impact. */
static struct nb_metrics judged_beside_a_fly(bool linked, double mass, double speed)
{
    const double fall = 0.1, impulse = speed / (1 + 1 / mass);
    double masses[36] = {0}, rows[36] = {0};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    for (int k = 0; k < 6; ++k) {
        masses[7 * k] = k < 3 ? 1 : mass;
        rows[7 * k] = 1;
        if (linked && k > 2)
            rows[7 * k - 3] = -1;
    }
    test_linear_step(&problem, NB_LINEAR_GLOBAL, "fly", 6, 2, 0);
    test_sparse(&problem.linear.mass, 6, 6, masses);
    test_sparse(&problem.linear.contact_jacobian, 6, 6, rows);
    problem.linear.force[0] = -fall;
    problem.linear.force[3] = -mass * (linked ? fall + speed : speed);
    const double u[6] = {linked ? -fall - impulse : -fall, 0, 0, linked ? -fall - impulse : 0};
    const double r[6] = {0, 0, 0, linked ? impulse : mass * speed};
    return test_judged(&problem, u, r);
}

/* Apart, a fall counts whole at any speed of the fly. In its island the largest approach is the scale: a chain of
 * contacts may hand all of it on, to the last of them (docs/theory/measure.md). */
TEST(a_fast_neighbour_counts_in_its_own_island_alone)
{
    for (double mass = 1e-6; mass < 2; mass *= 1e3)
        for (double speed = 1e-2; speed < 3e4; speed *= 10) {
            const double of_fall = 0.1 + speed / (1 + 1 / mass);
            assert_near(judged_beside_a_fly(false, mass, speed).step_error, 1, 1e-12);
            assert_near(judged_beside_a_fly(true, mass, speed).step_error, of_fall / fmax(0.1, speed), 1e-9);
        }
}

/* Nor does a joint whose rows contradict each other, or have a compliance, make the judge fail. */
TEST(contradicting_joints_are_judged)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    make_platform(&problem, 1e-3, 2);
    problem.linear.bilateral_velocity[0] = 1;
    const double u[6] = {0, 0, 0, -1, 0, 0}, forces[9] = {0.5, 0, 0, 0.5};
    const struct nb_metrics m = test_judged(&problem, u, forces);
    assert_true(isfinite(m.step_error) && m.step_error > 0.3);
}

/* One particle that is to be stopped, and one with the velocity q of its contact, without forces. */
static void beside(struct nb_problem *problem, enum nb_form form, const double *q)
{
    double identity[36] = {0};
    const bool local = form == NB_LINEAR_LOCAL;
    for (int k = 0; k < 6; ++k)
        identity[7 * k] = 1;
    test_linear_step(problem, form, "beside", local ? 0 : 6, 2, 0);
    test_sparse(local ? &problem->linear.delassus : &problem->linear.mass, 6, 6, identity);
    if (!local)
        test_sparse(&problem->linear.contact_jacobian, 6, 6, identity);
    double *given = local ? problem->linear.contact_velocity : problem->linear.force;
    given[0] = -1;
    memcpy(problem->linear.contact_velocity + 3, q, 3 * sizeof *q);
}

/* What rounding leaves where nothing is to be done does not show, and what is more than that does: of an open gap, of
 * one that only slides or is closed to rounding, and of one of which nothing is known. */
TEST(nothing_to_do_is_done_up_to_rounding)
{
    static const double q[][3] = {{1, 0, 0}, {1e9, 0, 0}, {1e-9, 0, 0}, {0, 1, 0}, {-1e-17, 1, 0}, {0, 0, 0}};
    for (int form = NB_LINEAR_LOCAL; form <= NB_LINEAR_GLOBAL; ++form)
        for (size_t k = 0; k < sizeof q / sizeof *q; ++k) {
            OWNS(nb_problem_free)
            struct nb_problem problem;
            const bool local = form == NB_LINEAR_LOCAL;
            const double size = hypot(q[k][0], q[k][1]), known = size > 0 ? size : 1, left = 1e-16 * known;
            double u[6] = {0}, r[6] = {1};
            beside(&problem, form, q[k]);
            memcpy(u + 3, q[k], 3 * (size_t)local * sizeof *u);
            assert_near(test_judged(&problem, u, r).step_error, 0, 1e-15);
            r[3] = left;
            u[3] += left;
            const struct nb_metrics m = test_judged(&problem, u, r);
            assert_true(isfinite(m.step_error) && m.step_error < 1e-9);
            r[3] = known;
            u[3] += known;
            assert_true(test_judged(&problem, u, r).step_error > 1);
        }
}

/* A contact that nothing moves, into which it goes at q: by rounding of the step's velocity of 1, or not. */
TEST(rounding_of_what_nothing_moves_is_nothing)
{
    static const double q[][3] = {{-1e-17, 0, 0}, {-1e-13, 0, 0}, {-1e-10, 0, 0}};
    for (int form = NB_LINEAR_LOCAL; form <= NB_LINEAR_GLOBAL; ++form)
        for (size_t k = 0; k < sizeof q / sizeof *q; ++k) {
            OWNS(nb_problem_free)
            struct nb_problem problem;
            const bool local = form == NB_LINEAR_LOCAL;
            double u[6] = {0}, r[6] = {1};
            beside(&problem, form, q[k]);
            struct nb_csr *matrix = local ? &problem.linear.delassus : &problem.linear.contact_jacobian;
            for (int row = 3; row < 6; ++row)
                matrix->value[matrix->start[row]] = 0;
            memcpy(u + 3, q[k], 3 * (size_t)local * sizeof *u);
            const double error = test_judged(&problem, u, r).step_error;
            assert_true(k < 2 ? error < 1e-15 : error >= 1);
        }
}

/* Mechanisms that move in a plane, across which nothing is to be done: a body is one island all the same, and what
 * rounding leaves across the plane is not relative to itself. */
TEST(a_body_is_one_island)
{
    static const char *const scenes[] = {"particle_chain", "double_pendulum_stiffness", "beam", "hinge_limits"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        struct nb_judge *judge;
        struct nb_floor_reference reference;
        const struct nb_options options = nb_options_default();
        test_step_of(scenes[k], 0, &problem);
        OWNS(free_at)
        double *rest = calloc((size_t)(nb_problem_dofs(&problem) + nb_problem_multipliers(&problem)), sizeof *rest);
        assert_ok(nb_judge_create(&judge, &problem, &why));
        const int *island = judge->scale.island + judge->contacts + judge->bilaterals;
        for (int j = 0; j < judge->dofs; ++j)
            assert_int_equal(island[j], island[j < 6 * problem.bodies.count ? j / 6 * 6 : j / 3 * 3]);
        nb_judge_free(judge);
        assert_ok(nb_floor_reference_compute(&problem, &options, rest, rest + nb_problem_dofs(&problem), &reference,
                                             &why));
        assert_true(nb_floor_at(&reference, 0x1p-24).step_error < 0.01);
    }
}

/* Two particles, the second of which is 1e9 times as fast: alike for M, H and W with their zeros and without. */
TEST(zeros_that_are_stored_couple_nothing)
{
    double identity[36] = {0};
    const double u[6] = {-1, 0.3, 0}, local_u[6] = {-1, 0.3, 0}, r[6] = {0, 0, 0, 1e9, -3e8, 0};
    for (int k = 0; k < 6; ++k)
        identity[7 * k] = 1;
    for (int which = 0; which < 8; ++which) {
        OWNS(nb_problem_free)
        struct nb_problem global, local;
        const double f[6] = {-1, 0.3, 0, -1e9, 3e8, 0};
        test_linear_step(&global, NB_LINEAR_GLOBAL, "two", 6, 2, 0);
        test_linear_step(&local, NB_LINEAR_LOCAL, "two", 0, 2, 0);
        (which & 1 ? dense_matrix : test_sparse)(&global.linear.mass, 6, 6, identity);
        (which & 2 ? dense_matrix : test_sparse)(&global.linear.contact_jacobian, 6, 6, identity);
        (which & 4 ? dense_matrix : test_sparse)(&local.linear.delassus, 6, 6, identity);
        memcpy(global.linear.force, f, sizeof f);
        memcpy(local.linear.contact_velocity, f, sizeof f);
        for (int i = 0; i < 2; ++i)
            global.linear.friction[i] = local.linear.friction[i] = 0.5;
        assert_near(test_judged(&global, u, r).step_error, 1, 1e-12);
        assert_near(test_judged(&local, local_u, r).step_error, 1, 1e-12);
    }
}

/* A particle on a contact that is given twice: g h = 0.1 m/s, and the sum carries it exactly. */
TEST(contacts_that_are_given_twice_stay_in_their_cones)
{
    static const struct {
        double first[3], second[3], error;
    } shared[] = {
        {{0.05, 0, 0}, {0.05, 0, 0}, 0},
        {{0.1, 0, 0}, {0, 0, 0}, 0},
        {{0.06, 0.01, 0}, {0.04, -0.01, 0}, 0},
        {{1e6, 0, 0}, {-1e6 + 0.1, 0, 0}, 1e7 - 1},
        {{0.15, 0, 0}, {-0.05, 0, 0}, 0.5},
        {{0.1, 1e3, 0}, {0, -1e3, 0}, 1e4},
        {{0.05, 0.05, 0}, {0.05, -0.05, 0}, 0.3},
    };
    const double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (size_t k = 0; k < 3 * sizeof shared / sizeof *shared; ++k) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        /* The second one's tangents are the same, turned, and turned and mirrored. */
        const double u[3] = {0}, c = cos(k % 3), s = sin(k % 3), sign = k % 3 == 2 ? -1 : 1;
        const double *a = shared[k / 3].first, *b = shared[k / 3].second;
        const double rows[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, c, -s * sign, 0, s, c * sign};
        const double r[6] = {a[0], a[1], a[2], b[0], c * b[1] - s * sign * b[2], s * b[1] + c * sign * b[2]};
        test_linear_step(&problem, NB_LINEAR_GLOBAL, "twins", 3, 2, 0);
        test_sparse(&problem.linear.mass, 3, 3, mass);
        test_sparse(&problem.linear.contact_jacobian, 6, 3, rows);
        problem.linear.force[0] = -0.1;
        problem.linear.friction[0] = problem.linear.friction[1] = 0.5;
        const struct nb_metrics m = test_judged(&problem, u, r);
        const double error = shared[k / 3].error;
        if (error == 0)
            assert_true(m.step_error < 1e-14);
        else
            assert_true(m.step_error >= error * (1 - 1e-12) && m.step_error == m.step_cone);
    }
}

/* Two contacts of two particles: one constraint up to rounding and a turn of the tangents only, in any units. */
static void expect_one_constraint(double unit)
{
    const double c = cos(1), s = sin(1), to = unit * unit;
    const double mass[36] = {[0] = to, [7] = 1, [14] = 1, [21] = 1, [28] = 1, [35] = 1};
    static const int normal = 18, first = 24, second = 30, other = 3; /* places in `rows` */
    for (int which = 0; which < 8; ++which) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        struct nb_judge *judge;
        double rows[36] = {[0] = 1, [3] = -1, [7] = 1, [10] = -1, [14] = 1, [17] = -1};
        memcpy(rows + normal, rows, 18 * sizeof *rows);
        for (int k = 0; which == 1 && k < 6; ++k) {
            rows[first + k] = c * rows[6 + k] - s * rows[12 + k];
            rows[second + k] = s * rows[6 + k] + c * rows[12 + k];
        }
        if (which == 2 || which == 3)
            rows[normal + 2] = which == 2 ? 1e-16 : 1e-6; /* rounding, and no rounding */
        rows[first + 1 + other] += which == 4 ? 1 : 0;    /* a tangent of one particle alone */
        rows[first + 1] *= which == 5 ? -1 : 1;
        for (int k = 0; k < 6; ++k)
            rows[6 * k] *= unit;
        test_linear_step(&problem, NB_LINEAR_GLOBAL, "two", 6, 2, 0);
        test_sparse(&problem.linear.mass, 6, 6, mass);
        test_sparse(&problem.linear.contact_jacobian, 6, 6, rows);
        problem.linear.force[0] = -0.1 * unit;
        problem.linear.contact_velocity[3] = which == 6 ? 1e-8 : 0;
        problem.linear.friction[0] = 0.5;
        problem.linear.friction[1] = which == 7 ? 0.6 : 0.5;
        assert_ok(nb_judge_create(&judge, &problem, &why));
        const int one = judge->scale.first[0] == judge->scale.first[1];
        nb_judge_free(judge);
        assert_int_equal(one, which < 3);
    }
}

TEST(contacts_are_one_constraint_by_all_of_their_rows)
{
    expect_one_constraint(1);
    expect_one_constraint(1e11);
    expect_one_constraint(1e-11);
}

/* M = 1 + k A, A skew: the free motion approaches with all that is to be undone, whatever k. */
TEST(a_skew_part_of_the_mass_hides_nothing)
{
    for (double k = 0; k < 1e5; k = 10 * k + 1) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        const double mass[9] = {1, 0, -k, 0, 1, 0, k, 0, 1}, down[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
        const double fall = -0.1 / (1 + k * k), u[3] = {k * fall, 0.02, fall}, r[3] = {0};
        test_linear_step(&problem, NB_LINEAR_GLOBAL, "skew", 3, 1, 0);
        test_sparse(&problem.linear.mass, 3, 3, mass);
        test_sparse(&problem.linear.contact_jacobian, 3, 3, down);
        problem.linear.force[1] = 0.02;
        problem.linear.force[2] = -0.1;
        assert_near(test_judged(&problem, u, r).step_penetration, 1, 1e-9);
    }
}
