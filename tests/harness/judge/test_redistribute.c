/* Forces of least norm: four corners by symmetry, loads that press contacts to their cones against Dykstra's
 * projections, sliding, what has no choice, and the command. */
#include "tests/support/folder.h"
#include "tests/support/method_support.h"
#include "tests/support/near.h"

#include "harness/judge/redistribute.h"
#include "problems/io/problem_file.h"

enum { CORNERS = 4, ROWS = 3 * CORNERS };

/* A box of 10 kg on four corners, which a force of that share of its weight pushes along (1, 0.5, 0). */
static void make_box(struct nb_problem *problem, double push)
{
    test_scene(problem, "box_on_plane", NULL);
    assert_int_equal(problem->contacts.count, CORNERS);
    const double speed = push * 9.81 * problem->time_step;
    problem->free_velocity[0] += speed / hypot(1, 0.5);
    problem->free_velocity[1] += speed * 0.5 / hypot(1, 0.5);
}

static struct nb_redistribution share(const struct nb_problem *problem, const double *u, double *lambda)
{
    struct nb_judge *judge = NULL;
    struct nb_redistribution done;
    assert_ok(nb_judge_create(&judge, problem, &why));
    assert_ok(nb_redistribute(judge, u, lambda, &done, &why));
    nb_judge_free(judge);
    return done;
}

/* What a box's contacts do to it: J^T lambda of its linear step. */
static void effect_of(const struct nb_problem *problem, const double *lambda, double *effect)
{
    OWNS(nb_problem_free) struct nb_problem linear;
    assert_ok(nb_problem_linearize(problem, &linear, &why));
    nb_csr_multiply_transposed(&linear.linear.contact_jacobian, lambda, effect, 0);
}

/* One corner up by a diagonal's share, the next one down: nothing else changes. */
TEST(four_corners_carry_the_same)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6], lambda[ROWS];
    make_box(&problem, 0);
    assert_true(test_method(&problem, "proximal_newton", 100, u, lambda).step_error < 1e-9);
    for (int i = 0; i < CORNERS; ++i) {
        const double *p = problem.contacts.point + 6 * i + (problem.contacts.body[2 * i] < 0 ? 3 : 0);
        lambda[3 * i] = 10 * 9.81 / CORNERS + (p[0] * p[1] > 0 ? 15 : -15);
        lambda[3 * i + 1] = lambda[3 * i + 2] = 0;
    }
    const struct nb_metrics before = test_judged(&problem, u, lambda);
    assert_true(before.step_error < 1e-7);
    const struct nb_redistribution done = share(&problem, u, lambda);
    const struct nb_metrics after = test_judged(&problem, u, lambda);
    assert_int_equal(done.pairs, 1);
    assert_int_equal(done.changed, 1);
    for (int i = 0; i < ROWS; ++i)
        assert_near(lambda[i], i % 3 ? 0 : 10 * 9.81 / CORNERS, 1e-6);
    assert_true(after.step_error < 1e-7);
    assert_near(before.force_evenness, 1 / (1 + pow(15 * 4 / 98.1, 2)), 1e-6);
    assert_near(after.force_evenness, 1, 1e-12);
    assert_near(done.after, problem.time_step * 98.1 / 2, 1e-6);
}

/* The nearest point of K x ... x K to zero on A x = w, by Dykstra's alternating projections: x [ROWS] is A's own. */
static void least_norm_of(const double *a, int effects, const double *w, double mu, double *x)
{
    double normal[36], held[ROWS] = {0}, left[6];
    memset(x, 0, ROWS * sizeof *x);
    for (int i = 0; i < effects; ++i)
        for (int j = 0; j < effects; ++j) {
            normal[effects * i + j] = 0;
            for (int k = 0; k < ROWS; ++k)
                normal[effects * i + j] += a[ROWS * i + k] * a[ROWS * j + k];
        }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', effects, normal, effects), 0);
    for (int iteration = 0; iteration < 200000; ++iteration) {
        test_multiply(a, effects, ROWS, x, left);
        for (int i = 0; i < effects; ++i)
            left[i] = w[i] - left[i];
        assert_int_equal(LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', effects, 1, normal, effects, left, 1), 0);
        for (int k = 0; k < ROWS; ++k)
            for (int i = 0; i < effects; ++i)
                x[k] += a[ROWS * i + k] * left[i];
        for (int k = 0; k < ROWS; k += 3) {
            const double z[3] = {x[k] + held[k], x[k + 1] + held[k + 1], x[k + 2] + held[k + 2]};
            const double tangent = hypot(z[1], z[2]), length = fmax(0, (z[0] + mu * tangent) / (1 + mu * mu));
            const double cone[3] = {length, tangent > 0 ? mu * length * z[1] / tangent : 0,
                                    tangent > 0 ? mu * length * z[2] / tangent : 0};
            for (int r = 0; r < 3; ++r) {
                x[k + r] = tangent <= mu * z[0] ? z[r] : cone[r];
                held[k + r] = z[r] - x[k + r];
            }
        }
    }
}

TEST(loads_at_the_cones_are_shared_as_a_second_method_says)
{
    for (int k = 0; k < 3; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem, linear;
        double u[6], lambda[ROWS], expected[ROWS], effect[6], same[6], before[6];
        make_box(&problem, 0.2 + 0.14 * k);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        OWNS(free_at) double *rows = test_dense(&linear.linear.contact_jacobian), *a = calloc(6 * ROWS, sizeof *a);
        for (int i = 0; i < 6 * ROWS; ++i)
            a[i] = rows[i % ROWS * 6 + i / ROWS];
        assert_true(test_method(&problem, "pgs:friction=cone", 20000, u, lambda).step_error < 1e-9);
        effect_of(&problem, lambda, effect);
        memcpy(before, effect, sizeof before);
        least_norm_of(a, 6, effect, problem.contacts.friction[0], expected);
        share(&problem, u, lambda);
        effect_of(&problem, lambda, same);
        for (int i = 0; i < 6; ++i)
            assert_near(same[i], before[i], 1e-6);
        for (int i = 0; i < ROWS; ++i)
            assert_near(lambda[i], expected[i], 1e-4);
        assert_true(test_judged(&problem, u, lambda).step_error < 1e-8);
    }
}

/* It slides without turning: each force is at its cone against the slip, and the normals are shared. */
TEST(what_slides_stays_at_its_cones)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6], lambda[ROWS];
    make_box(&problem, 0.8);
    assert_true(test_method(&problem, "proximal_newton", 200, u, lambda).step_error < 1e-9);
    const struct nb_redistribution done = share(&problem, u, lambda);
    assert_int_equal(done.pairs, 1);
    assert_true(done.after <= done.before);
    assert_true(test_judged(&problem, u, lambda).step_error < 1e-8);
    for (int i = 0; i < CORNERS; ++i)
        assert_near(hypot(lambda[3 * i + 1], lambda[3 * i + 2]), problem.contacts.friction[i] * lambda[3 * i], 1e-6);
}

TEST(what_has_no_choice_keeps_its_forces)
{
    const char *soft[] = {"contact_compliance=1e-6", NULL};
    OWNS(nb_problem_free) struct nb_problem box, column, local;
    double u[30], lambda[ROWS], kept[ROWS];
    struct nb_judge *judge = NULL;
    struct nb_redistribution done;
    const double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    test_scene(&box, "box_on_plane", soft);
    test_method(&box, "proximal_newton", 100, u, lambda);
    memcpy(kept, lambda, sizeof kept);
    assert_int_equal(share(&box, u, lambda).pairs, 0);
    assert_memory_equal(kept, lambda, sizeof kept);
    test_scene(&column, "ball_drop", NULL);
    const struct nb_metrics metrics = test_method(&column, "proximal_newton", 100, u, lambda);
    assert_true(isnan(metrics.force_evenness)); /* one contact a pair */
    assert_int_equal(share(&column, u, lambda).changed, 0);
    test_linear_step(&local, NB_LINEAR_LOCAL, "local", 0, 1, 0);
    test_sparse(&local.linear.delassus, 3, 3, mass);
    assert_ok(nb_judge_create(&judge, &local, &why));
    assert_int_equal(nb_redistribute(judge, u, lambda, &done, &why), NB_UNSUPPORTED);
    nb_judge_free(judge);
}

TEST_IN_FOLDER(the_command_shares_writes_and_tells)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double *u, *lambda;
    char words[512];
    const char *in = test_path(&folder, "box.h5"), *out = test_path(&folder, "out.h5");
    make_box(&problem, 0);
    for (int i = 0; i < 6; ++i)
        problem.free_velocity[i] += 1e-4 * (i + 1); /* none of the four is favoured by chance */
    assert_ok(nb_problem_write(in, &problem, NULL, &why));
    snprintf(words, sizeof words, "solve %s --solver lemke --tol 1e-8 --redistribute -o %s", in, out);
    OWNS(test_output_free) struct test_output output = test_run(&folder, words);
    assert_int_equal(output.code, 0);
    test_contains(output.out, "pairs of bodies: norm");
    assert_ok(nb_solution_read(out, &problem, &u, &lambda, &why));
    free(u), free(lambda);
}
