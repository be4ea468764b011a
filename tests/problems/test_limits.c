/* Limits of hinges, sliders and balls: their gaps where they are known, their rows and the linearised step
 * against differences, the judge's second implementation, files, and what is refused. */
#include "tests/support/files.h"
#include "tests/support/limit_samples.h"
#include "tests/support/near.h"
#include "tests/support/refused.h"

#include "harness/judge/metrics_private.h"
#include "problems/base/vec3.h"
#include "problems/io/problem_file.h"
#include "problems/step.h"

OWNER(nb_judge_free)

enum { DOFS = 6 * JOINTED_BODIES, ROWS = 3 * LIMITED_LIMITS };

/* One body at the origin, joined to the world there and displaced by 0.7 m along and turned by an
 * angle about z, with the limits -1 and 0.5. */
static void make_single(struct nb_problem *problem, enum nb_joint_kind kind, double angle)
{
    const double origin[3] = {0}, turn[4] = {cos(angle / 2), 0, 0, sin(angle / 2)};
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    assert_int_equal(nb_scene_allocate(problem, 1, 0, NULL), NB_OK);
    assert_int_equal(nb_scene_allocate_joints(problem, 1, NULL), NB_OK);
    nb_scene_make_joint(problem, 0, kind, 0, -1, origin, NULL);
    nb_scene_limit_joint(problem, 0, kind == NB_JOINT_BALL ? -INFINITY : -1, 0.5);
    problem->bodies.mass[0] = 2;
    for (int k = 0; k < 3; ++k)
        problem->bodies.inertia[4 * k] = 0.5;
    if (kind == NB_JOINT_SLIDER)
        problem->bodies.position[2] = angle;
    else
        memcpy(problem->bodies.orientation, turn, sizeof turn);
    assert_int_equal(nb_step_prepare(problem, NULL), NB_OK);
    assert_int_equal(nb_problem_validate(problem, NULL), NB_OK);
}

TEST(gaps_measure_what_they_say)
{
    static const double values[] = {0, 0.3, 0.7, -2.9, 2.9, -1};
    static const enum nb_joint_kind kinds[2] = {NB_JOINT_HINGE, NB_JOINT_SLIDER};
    for (size_t i = 0; i < 2 * sizeof values / sizeof *values; ++i) {
        const double value = values[i / 2];
        OWNS(nb_problem_free) struct nb_problem problem;
        double gap[2];
        make_single(&problem, kinds[i % 2], value);
        assert_near(nb_joint_coordinate(&problem, 0), value, 1e-14);
        limit_gaps(&problem, gap);
        assert_near(gap[0], value + 1, 1e-14);
        assert_near(gap[1], 0.5 - value, 1e-14);
    }
}

/* About any axis, and without a rotation: no division by its size. */
TEST(a_ball_measures_its_whole_angle)
{
    static const double values[] = {0, 1e-9, 0.3, 1.2, 2.9};
    for (size_t i = 0; i < 3 * sizeof values / sizeof *values; ++i) {
        const double value = values[i / 3], axis[3] = {i % 3 == 0 ? 0.6 : 0, i % 3 == 1, i % 3 == 0 ? 0.8 : i % 3 == 2};
        OWNS(nb_problem_free)
        struct nb_problem problem;
        double gap, jacobian[36], turn[4] = {cos(value / 2), 0, 0, 0};
        make_single(&problem, NB_JOINT_BALL, 0);
        for (int k = 0; k < 3; ++k)
            turn[1 + k] = sin(value / 2) * axis[k];
        memcpy(problem.bodies.orientation, turn, sizeof turn);
        assert_int_equal(problem.limits.count, 1);
        assert_near(nb_joint_coordinate(&problem, 0), value, 1e-14);
        nb_limit_evaluate(&problem, 0, &gap, jacobian);
        assert_near(gap, 0.5 - value, 1e-14);
        for (int k = 0; k < 3; ++k)
            assert_near(jacobian[3 + k], value > 0 ? -axis[k] : -(k == 2), 1e-14);
    }
}

TEST(only_finite_bounds_are_limits)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_jointed(&problem, 0, 0);
    nb_scene_limit_joint(&problem, LIMITED_SLIDER, -INFINITY, INFINITY);
    assert_int_equal(problem.limits.count, 0);
    nb_scene_limit_joint(&problem, LIMITED_SLIDER, -INFINITY, 1);
    nb_scene_limit_joint(&problem, LIMITED_HINGE, 0.25, INFINITY);
    assert_int_equal(problem.limits.count, 2);
    assert_int_equal(problem.limits.side[0], NB_LIMIT_UPPER);
    assert_int_equal(problem.limits.side[1], NB_LIMIT_LOWER);
    assert_true(problem.limits.bound[1] == 0.25);
    assert_int_equal(nb_problem_validate(&problem, NULL), NB_OK);
}

/* Normal rows of the linearised step are the differences of C_n, for hinges turned far out of the
 * axes they keep; w is C_n/h; there is no friction. */
TEST(the_linearised_step_is_the_derivative)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double gap[LIMITED_LIMITS], slope[LIMITED_LIMITS * DOFS];
    make_limited(&problem, 0.6);
    assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
    assert_int_equal(nb_problem_validate(&linear, NULL), NB_OK);
    assert_int_equal(linear.linear.contacts, LIMITED_LIMITS);
    test_differentiate(&problem, LIMITED_LIMITS, limit_gaps, slope);
    for (int k = 0; k < LIMITED_LIMITS * DOFS; ++k)
        assert_near(test_entry(&linear.linear.contact_jacobian, 3 * (k / DOFS), k % DOFS), slope[k], 1e-8);
    limit_gaps(&problem, gap);
    for (int i = 0; i < LIMITED_LIMITS; ++i) {
        assert_near(linear.linear.contact_velocity[3 * i], gap[i] / problem.time_step, 1e-13);
        assert_true(linear.linear.contact_velocity[3 * i + 1] == 0);
        assert_true(linear.linear.contact_velocity[3 * i + 2] == 0);
        assert_true(linear.linear.friction[i] == 0);
    }
}

/* The rows of a block are independent of each other: its Delassus block is as regular as a
 * contact's. */
TEST(blocks_have_full_rank)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double dense[ROWS * DOFS];
    make_limited(&problem, 0);
    limit_jacobian(&problem, dense);
    for (int i = 0; i < LIMITED_LIMITS; ++i) {
        double gram[9] = {0}, cross[3];
        for (int r = 0; r < 9; ++r)
            for (int k = 0; k < DOFS; ++k)
                gram[r] += dense[(3 * i + r / 3) * DOFS + k] * dense[(3 * i + r % 3) * DOFS + k];
        nb_cross3(gram + 3, gram + 6, cross);
        assert_true(nb_dot3(gram, cross) > 1); /* |n|^2 |t1|^2 |t2|^2 >= 8 for two bodies */
    }
}

/* No momentum and no angular momentum between two bodies, however far the joint is open. */
TEST(forces_are_internal)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_limited(&problem, 0.6);
    for (int i = 0; i < LIMITED_LIMITS; ++i) {
        const int *body = problem.joints.body + 2 * problem.limits.joint[i];
        double gap, jacobian[36], force[3], moment[3] = {0};
        nb_limit_evaluate(&problem, i, &gap, jacobian);
        nb_add_scaled3(jacobian, 1, jacobian + 6, force);
        for (int side = 0; side < 2; ++side) {
            double about[3];
            nb_cross3(problem.bodies.position + 3 * body[side], jacobian + 6 * side, about);
            nb_add_scaled3(moment, 1, about, moment);
            nb_add_scaled3(moment, 1, jacobian + 6 * side + 3, moment);
        }
        assert_near(nb_dot3(force, force), 0, 1e-28);
        assert_near(nb_dot3(moment, moment), 0, 1e-26);
    }
}

/* The judge's gaps and rows, at q+. */
TEST(the_judge_agrees)
{
    OWNS(nb_problem_free) struct nb_problem problem, ahead;
    OWNS(nb_judge_free_at) struct nb_judge *judge = NULL;
    double u[DOFS], lambda[JOINTED_ROWS + ROWS] = {0}, gap[LIMITED_LIMITS], dense[ROWS * DOFS];
    double at_start[ROWS * DOFS];
    uint32_t seed = 12;
    make_limited(&problem, 0.4);
    for (int i = 0; i < DOFS; ++i)
        u[i] = 10 * test_uniform(&seed);
    assert_int_equal(nb_judge_create(&judge, &problem, NULL), NB_OK);
    nb_judge_update(judge, u, lambda);
    jointed_ahead(&problem, u, &ahead);
    limit_gaps(&ahead, gap);
    limit_jacobian(&ahead, dense);
    limit_jacobian(&problem, at_start);
    for (int i = 0; i < ROWS; ++i) {
        double *row = dense + i * DOFS;
        if (i % 3 == 0)
            assert_near(judge->gap[i / 3], gap[i / 3], 1e-14);
        else
            memcpy(row, at_start + i * DOFS, DOFS * sizeof *row);
        for (int k = judge->jacobian->start[i]; k < judge->jacobian->start[i + 1]; ++k)
            row[judge->jacobian->column[k]] -= judge->jacobian->value[k];
    }
    for (int i = 0; i < ROWS * DOFS; ++i)
        assert_near(dense[i], 0, 1e-14);
}

/* An overstepped limit is penetration; a multiplier is no force on the ground; the wrong sign of
 * it, or one at a limit that is open, is a normal error. */
TEST(the_judge_measures_limits)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_judge_free_at) struct nb_judge *judge = NULL;
    struct nb_metrics metrics;
    double u[6] = {0}, lambda[11] = {0}; /* 5 of the hinge, 3 and 3 of its limits */
    int status[2];
    make_single(&problem, NB_JOINT_HINGE, 0.6);
    assert_int_equal(nb_problem_multipliers(&problem), 11);
    assert_int_equal(nb_judge_create(&judge, &problem, NULL), NB_OK);
    lambda[8] = 4;
    nb_judge_evaluate(judge, u, lambda, &metrics);
    assert_near(metrics.penetration, 0.1, 1e-14);
    assert_near(metrics.normal_error, 0.1, 1e-14);
    assert_true(metrics.normal_force == 0);
    nb_judge_status(judge, u, lambda, status);
    assert_true(status[0] == 0 && status[1] == 1);
    lambda[5] = 3; /* r = h^2/I: 3 N m turn it by 6e-4 rad in a step */
    lambda[8] = -5;
    nb_judge_evaluate(judge, u, lambda, &metrics);
    assert_near(metrics.normal_error, fmax(0.1, 5e-4 * 2), 1e-14);
}

/* Past pi the angle goes on over the step: the side is that of q-. */
TEST(the_angle_goes_on_past_half_a_turn)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(nb_judge_free_at) struct nb_judge *judge = NULL;
    double u[6] = {0, 0, 0, 0, 0, 20}, lambda[11] = {0};
    make_single(&problem, NB_JOINT_HINGE, 3.1);
    assert_int_equal(nb_judge_create(&judge, &problem, NULL), NB_OK);
    nb_judge_update(judge, u, lambda);
    assert_near(judge->gap[1], 0.5 - 3.1 - 2 * atan(0.1), 1e-13);
}

/* Bit for bit; version 2 marks files that a reader without limits would misread. */
TEST(files_keep_them)
{
    const struct test_folder folder = test_folder_make();
    struct nb_problem problem, back;
    char path[128];
    snprintf(path, sizeof path, "%s/limits.h5", folder.path);
    make_limited(&problem, 0.1);
    assert_ok(nb_problem_write(path, &problem, NULL, &why));
    assert_ok(nb_problem_read(path, &back, &why));
    assert_int_equal(back.limits.count, LIMITED_LIMITS);
    assert_memory_equal(back.limits.joint, problem.limits.joint, LIMITED_LIMITS * sizeof(int));
    assert_memory_equal(back.limits.side, problem.limits.side, LIMITED_LIMITS * sizeof(int));
    assert_memory_equal(back.limits.bound, problem.limits.bound, LIMITED_LIMITS * sizeof(double));
    nb_problem_free(&back);
    problem.limits.bound[0] = 7; /* nothing is written of what is not valid */
    snprintf(path, sizeof path, "%s/bad.h5", folder.path);
    assert_int_equal(nb_problem_write(path, &problem, NULL, &why), NB_BAD_INPUT);
    assert_int_equal(access(path, F_OK), -1);
    nb_problem_free(&problem);
    test_folder_remove(&folder);
}

/* Then a new problem. */
static void assert_entry_refused(struct nb_problem *problem, const char *dataset, const char *entry)
{
    assert_problem_refused(problem, dataset, entry);
    make_limited(problem, 0.1);
}

TEST(refuses_what_is_damaged)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_limited(&problem, 0.1);
    problem.limits.bound[0] = 0.3;
    assert_entry_refused(&problem, "limits/bound", "joint 1 is 0.3 m, must be below its upper one, 0.2");
    problem.limits.bound[3] = -0.4;
    assert_entry_refused(&problem, "limits/bound", "joint 3 is -0.4 rad");
    problem.limits.bound[1] = NAN;
    assert_entry_refused(&problem, "limits/bound", "entry 1");
    problem.limits.bound[2] = -INFINITY;
    assert_entry_refused(&problem, "limits/bound", "entry 2");
    problem.limits.bound[3] = 3.2;
    assert_entry_refused(&problem, "limits/bound", "entry 3 is 3.2 rad, must be -3 to 3");
    problem.limits.joint[0] = 0; /* a ball joint */
    assert_entry_refused(&problem, "limits/side", "entry 0 is 0, must be 1 (upper)");
    problem.limits.bound[4] = 0;
    assert_entry_refused(&problem, "limits/bound", "entry 4 is 0 rad, must be above 0 and at most 3 for a ball");
    problem.limits.bound[4] = 3.1;
    assert_entry_refused(&problem, "limits/bound", "entry 4 is 3.1 rad");
    problem.limits.joint[3] = 2; /* a fixed one */
    assert_entry_refused(&problem, "limits/joint", "of kind 0, must be a ball (1), a hinge (2) or a slider (3)");
    problem.limits.joint[3] = JOINTED_JOINTS;
    assert_entry_refused(&problem, "limits/joint", "joint 7, must be 0 to 6");
    problem.limits.side[1] = 2;
    assert_entry_refused(&problem, "limits/side", "entry 1 is 2");
    problem.limits.side[1] = NB_LIMIT_LOWER; /* two lower ones */
    assert_entry_refused(&problem, "limits", "entry 1, side 0 of joint 1, does not follow");
    problem.limits.joint[2] = problem.limits.joint[3] = LIMITED_SLIDER;
    problem.limits.joint[0] = problem.limits.joint[1] = LIMITED_HINGE;
    assert_entry_refused(&problem, "limits", "joints ascend");
    problem.limits.count = -1;
    assert_entry_refused(&problem, "limits", "-1");
    free(problem.limits.side);
    problem.limits.side = NULL;
    assert_entry_refused(&problem, "limits/side", "missing");
}
