/* The four joints: their values where they are known, their Jacobian against differences, the
 * judge's second implementation, and what collisions and copies make of them. */
#include "tests/support/joint_samples.h"
#include "tests/support/near.h"

#include "harness/judge/metrics_private.h"
#include "problems/base/vec3.h"
#include "problems/collide/collide.h"

enum { DOFS = 6 * JOINTED_BODIES };

/* Body 0 at the origin with a joint of that kind to the world in its centre. */
static void make_single(struct nb_problem *problem, enum nb_joint_kind kind)
{
    const double origin[3] = {0};
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_int_equal(nb_scene_allocate(problem, 1, 0, NULL), NB_OK);
    assert_int_equal(nb_scene_allocate_joints(problem, 1, NULL), NB_OK);
    nb_scene_make_joint(problem, 0, kind, 0, -1, origin, NULL);
}

static void check_values(const struct nb_problem *problem, int rows, const double *expected)
{
    double value[NB_JOINT_ROWS], jacobian[12 * NB_JOINT_ROWS];
    assert_int_equal(nb_problem_bilaterals(problem), rows);
    nb_joint_evaluate(problem, 0, value, jacobian);
    for (int i = 0; i < rows; ++i)
        assert_near(value[i], expected[i], 1e-15);
}

TEST(rows_measure_what_they_say)
{
    static const enum nb_joint_kind kinds[] = {NB_JOINT_FIXED, NB_JOINT_BALL, NB_JOINT_HINGE,
                                               NB_JOINT_SLIDER};
    static const int rows[] = {6, 3, 5, 5};
    const double s = sin(0.3), c = cos(0.3); /* half of the angle */
    for (int i = 0; i < 4; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        const double x[3] = {0.1, 0.2, 0.3}, about_x[4] = {c, s, 0, 0}, about_z[4] = {c, 0, 0, s};
        const double moved_fixed[6] = {0.1, 0.2, 0.3, 2 * s, 0, 0};
        const double moved_slider[5] = {0.1, 0.2, 2 * s, 0, 0};
        const double closed[6] = {0};
        make_single(&problem, kinds[i]);
        check_values(&problem, rows[i], closed);
        memcpy(problem.bodies.position, x, sizeof x);
        memcpy(problem.bodies.orientation, about_x, sizeof about_x);
        check_values(&problem, rows[i], i == 3 ? moved_slider : moved_fixed);
        if (kinds[i] == NB_JOINT_HINGE) { /* free about z, however far */
            memset(problem.bodies.position, 0, sizeof x);
            memcpy(problem.bodies.orientation, about_z, sizeof about_z);
            check_values(&problem, 5, closed);
        }
    }
}

/* In the axes of B: turning both bodies and moving them together changes nothing. */
TEST(values_are_objective)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double before[JOINTED_ROWS], after[JOINTED_ROWS], rotation[9], moved[3], turned[4];
    const double shift[3] = {3, -7, 2}, turn[4] = {0.5, -0.5, 0.5, 0.5};
    make_jointed(&problem, 0.4, 0);
    jointed_values(&problem, before);
    nb_quaternion_matrix(turn, rotation);
    for (int i = 0; i < JOINTED_BODIES; ++i) {
        double *x = problem.bodies.position + 3 * i, *q = problem.bodies.orientation + 4 * i;
        nb_rotate(rotation, x, moved);
        nb_add_scaled3(moved, 1, shift, x);
        nb_quaternion_product(turn, q, turned);
        memcpy(q, turned, sizeof turned);
    }
    for (int i = 0; i < 2 * JOINTED_JOINTS; ++i) {
        double *x = problem.joints.point + 3 * i, *q = problem.joints.orientation + 4 * i;
        if (problem.joints.body[i] >= 0)
            continue;
        nb_rotate(rotation, x, moved);
        nb_add_scaled3(moved, 1, shift, x);
        nb_quaternion_product(turn, q, turned);
        memcpy(q, turned, sizeof turned);
    }
    jointed_values(&problem, after);
    for (int i = 0; i < JOINTED_ROWS; ++i)
        assert_near(before[i], after[i], 1e-14);
}

TEST(jacobian_is_the_derivative)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double dense[JOINTED_ROWS * DOFS], slope[JOINTED_ROWS * DOFS];
    make_jointed(&problem, 0.6, 0);
    jointed_jacobian(&problem, dense);
    test_differentiate(&problem, JOINTED_ROWS, jointed_values, slope);
    for (int k = 0; k < JOINTED_ROWS * DOFS; ++k)
        assert_near(dense[k], slope[k], 1e-8);
}

/* J(q+) stands for the derivative of c_b(q- (+) h u) by h u, from which it differs by O(h). */
static double newton_defect(double time_step)
{
    const double step = 1e-4;
    struct nb_problem problem, ahead;
    double dense[JOINTED_ROWS * DOFS], plus[JOINTED_ROWS], minus[JOINTED_ROWS], u[DOFS], worst = 0;
    uint32_t seed = 3;
    make_jointed(&problem, 0.1, 0);
    problem.time_step = time_step;
    for (int i = 0; i < DOFS; ++i)
        u[i] = 6 * test_uniform(&seed);
    jointed_ahead(&problem, u, &ahead);
    jointed_jacobian(&ahead, dense);
    nb_problem_free(&ahead);
    for (int dof = 0; dof < DOFS; ++dof) {
        const double middle = u[dof];
        for (int side = 0; side < 2; ++side) {
            u[dof] = middle + (side ? -step : step);
            jointed_ahead(&problem, u, &ahead);
            jointed_values(&ahead, side ? minus : plus);
            nb_problem_free(&ahead);
        }
        u[dof] = middle;
        for (int row = 0; row < JOINTED_ROWS; ++row)
            worst = fmax(worst, fabs(dense[row * DOFS + dof] -
                                     (plus[row] - minus[row]) / (2 * step * time_step)));
    }
    nb_problem_free(&problem);
    return worst;
}

TEST(newton_uses_the_derivative_to_first_order)
{
    const double coarse = newton_defect(4e-3), fine = newton_defect(2e-3);
    assert_true(coarse > 1e-4 && coarse < 0.1);
    assert_near(coarse / fine, 2, 0.1);
}

/* A joint between two bodies adds no momentum and no angular momentum, even when it is open. */
TEST(forces_are_internal)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double value[NB_JOINT_ROWS], jacobian[12 * NB_JOINT_ROWS];
    make_jointed(&problem, 0.6, 0);
    for (int i = 0; i < JOINTED_JOINTS; ++i) {
        const int *body = problem.joints.body + 2 * i;
        const int rows = nb_joint_rows((enum nb_joint_kind)problem.joints.kind[i]);
        if (body[0] < 0 || body[1] < 0)
            continue;
        nb_joint_evaluate(&problem, i, value, jacobian);
        for (int row = 0; row < rows; ++row) {
            const double *a = jacobian + 12 * row, *b = a + 6;
            double moment_a[3], moment_b[3];
            nb_cross3(problem.bodies.position + 3 * body[0], a, moment_a);
            nb_cross3(problem.bodies.position + 3 * body[1], b, moment_b);
            for (int k = 0; k < 3; ++k) {
                assert_near(a[k] + b[k], 0, 1e-15);
                assert_near(moment_a[k] + a[3 + k] + moment_b[k] + b[3 + k], 0, 1e-14);
            }
        }
    }
}

TEST(the_judge_agrees)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_csr_free) struct nb_csr jacobian = {0};
    double ours[JOINTED_ROWS], theirs[JOINTED_ROWS], dense[JOINTED_ROWS * DOFS];
    double sign[JOINTED_JOINTS];
    make_jointed(&problem, 0.6, 0);
    const struct nb_configuration at = {problem.bodies.position, problem.bodies.orientation, NULL};
    jointed_values(&problem, ours);
    jointed_jacobian(&problem, dense);
    assert_int_equal(nb_bilaterals_allocate(&problem, &jacobian, NULL), NB_OK);
    nb_joints_signs(&problem, &at, sign);
    nb_joints_evaluate(&problem, &at, sign, theirs, &jacobian);
    for (int i = 0; i < JOINTED_ROWS; ++i) {
        assert_near(ours[i], theirs[i], 1e-14);
        for (int k = jacobian.start[i]; k < jacobian.start[i + 1]; ++k) {
            assert_true(k == jacobian.start[i] || jacobian.column[k] > jacobian.column[k - 1]);
            dense[i * DOFS + jacobian.column[k]] -= jacobian.value[k];
        }
    }
    for (int i = 0; i < JOINTED_ROWS * DOFS; ++i)
        assert_near(dense[i], 0, 1e-14);
}

/* The sign of e is that of the start of the step, also where the scalar part changes sign in it. */
TEST(the_sign_is_kept_over_the_step)
{
    struct nb_problem problem;
    struct nb_judge *judge = NULL;
    double u[6] = {0, 0, 0, 0, 0, 0}, lambda[6] = {0};
    make_single(&problem, NB_JOINT_FIXED);
    problem.bodies.mass[0] = 1;
    for (int k = 0; k < 3; ++k)
        problem.bodies.inertia[4 * k] = 1;
    for (int turn = 0; turn < 2; ++turn) { /* just before the half turn, either way */
        problem.bodies.orientation[0] = turn ? -0.01 : 0.01;
        problem.bodies.orientation[3] = sqrt(1 - 1e-4);
        problem.free_velocity = calloc(6, sizeof(double));
        assert_int_equal(nb_judge_create(&judge, &problem, NULL), NB_OK);
        u[5] = turn ? -10 : 10; /* 0.1 rad: past the half turn */
        nb_judge_update(judge, u, lambda);
        const double expected = 2 * sin((turn ? -1 : 1) * (acos(0.01) + atan(0.05)));
        assert_near(judge->bilateral_value[5], expected, 1e-14);
        nb_judge_free(judge);
        free(problem.free_velocity);
        problem.free_velocity = NULL;
    }
    nb_problem_free(&problem);
}

TEST(joined_bodies_do_not_collide)
{
    const double sides[3] = {1, 1, 1}, centre[3][3] = {{0}, {0.9, 0, 0}, {1.8, 0, 0}};
    const double anchor[3] = {0.45, 0, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    memset(&problem, 0, sizeof problem);
    problem.time_step = 0.01;
    assert_ok(nb_scene_allocate(&problem, 3, 3, &why));
    for (int i = 0; i < 3; ++i)
        assert_ok(nb_scene_make_box(&problem, i, &problem.shapes[i], sides, 1, centre[i], &why));
    assert_ok(nb_collide(&problem, 0.01, &why));
    const int all = problem.contacts.count;
    assert_ok(nb_scene_allocate_joints(&problem, 1, &why));
    nb_scene_make_joint(&problem, 0, NB_JOINT_BALL, 1, 0, anchor, NULL);
    assert_ok(nb_collide(&problem, 0.01, &why));
    assert_int_equal(problem.contacts.count, all / 2);
    for (int i = 0; i < problem.contacts.count; ++i)
        assert_true(problem.contacts.body[2 * i] + problem.contacts.body[2 * i + 1] == 3);
}

TEST(pairs_are_sorted_without_repeats)
{
    int kind[5] = {0}, body[10] = {4, 2, 2, 4, -1, 1, 0, 3, 2, 1}, *pairs = NULL, count = 0;
    const struct nb_joints joints = {.count = 5, .kind = kind, .body = body};
    const int expected[6] = {0, 3, 1, 2, 2, 4};
    assert_int_equal(nb_joint_pairs(&joints, &pairs, &count, NULL), NB_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(pairs, expected, sizeof expected);
    assert_true(nb_joint_has_pair(pairs, count, 3, 0));
    assert_false(nb_joint_has_pair(pairs, count, -1, 1));
    assert_false(nb_joint_has_pair(pairs, count, 1, 4));
    assert_false(nb_joint_has_pair(NULL, 0, 1, 4));
    free(pairs);
}
