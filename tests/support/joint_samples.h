/* Jointed problems for the tests: all four kinds, between bodies and to the world on either side,
 * open and turned at random, some rows compliant. */
#ifndef NB_TESTS_JOINT_SAMPLES_H
#define NB_TESTS_JOINT_SAMPLES_H

#include "problems/base/rotation.h"
#include "problems/joints.h"
#include "problems/scenes/build/scene_build.h"
#include "tests/support/support.h"

enum { JOINTED_BODIES = 5, JOINTED_JOINTS = 7, JOINTED_ROWS = 28 };

static inline void jointed_turn(double *quaternion, double angle, uint32_t *seed)
{
    double turn[3];
    for (int k = 0; k < 3; ++k)
        turn[k] = angle * test_uniform(seed);
    nb_quaternion_advance(quaternion, 1, turn);
}

static inline void make_jointed_body(struct nb_problem *problem, int i, uint32_t *seed)
{
    struct nb_bodies *bodies = &problem->bodies;
    bodies->mass[i] = 1 + i;
    for (int k = 0; k < 3; ++k) {
        bodies->position[3 * i + k] = 3 * test_uniform(seed) + (k == 0 ? i : 0);
        bodies->inertia[9 * i + 4 * k] = 0.2 + 0.1 * k + 0.05 * i;
    }
    bodies->inertia[9 * i + 1] = bodies->inertia[9 * i + 3] = 0.03;
    for (int k = 0; k < 6; ++k)
        bodies->velocity[6 * i + k] = test_uniform(seed);
    jointed_turn(bodies->orientation + 4 * i, 3, seed);
}

/* 28 rows on 30 velocities, of full rank. opening: how far the joints are from closed [m, rad]; soft: every
 * third row has a compliance. */
static inline void make_jointed(struct nb_problem *problem, double opening, int soft)
{
    static const int kind[JOINTED_JOINTS] = {NB_JOINT_BALL, NB_JOINT_SLIDER, NB_JOINT_FIXED,
                                             NB_JOINT_HINGE, NB_JOINT_BALL, NB_JOINT_BALL,
                                             NB_JOINT_BALL};
    static const int body[2 * JOINTED_JOINTS] = {0, -1, 1, 0, -1, 2, 1, 3, 4, 3, 2, 4, 3, -1};
    uint32_t seed = 5;
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.0083;
    problem->gravity[2] = -9.81;
    strcpy(problem->name, "jointed");
    assert_ok(nb_scene_allocate(problem, JOINTED_BODIES, 0, &why));
    assert_ok(nb_scene_allocate_joints(problem, JOINTED_JOINTS, &why));
    for (int i = 0; i < JOINTED_BODIES; ++i)
        make_jointed_body(problem, i, &seed);
    for (int i = 0; i < JOINTED_JOINTS; ++i) {
        double anchor[3], axes[4] = {1, 0, 0, 0};
        for (int k = 0; k < 3; ++k)
            anchor[k] = 3 * test_uniform(&seed);
        jointed_turn(axes, 3, &seed);
        nb_scene_make_joint(problem, i, (enum nb_joint_kind)kind[i], body[2 * i], body[2 * i + 1],
                            anchor, axes);
        for (int k = 0; k < 6; ++k)
            problem->joints.point[6 * i + k] += opening * test_uniform(&seed);
        jointed_turn(problem->joints.orientation + 8 * i, 2 * opening, &seed);
        for (int k = 0; soft && k < nb_joint_rows((enum nb_joint_kind)kind[i]); k += 3)
            problem->joints.compliance[6 * i + k] = 1e-4 * (k + 1);
    }
    assert_ok(nb_step_prepare(problem, &why));
    assert_int_equal(nb_problem_bilaterals(problem), JOINTED_ROWS);
    assert_ok(nb_problem_validate(problem, &why));
}

/* c_b of all joints in the problem's configuration. */
static inline void jointed_values(const struct nb_problem *problem, double *value)
{
    double jacobian[12 * NB_JOINT_ROWS];
    for (int i = 0; i < problem->joints.count; ++i) {
        nb_joint_evaluate(problem, i, value, jacobian);
        value += nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]);
    }
}

/* J_b dense [rows x 6 bodies] in the problem's configuration. */
static inline void jointed_jacobian(const struct nb_problem *problem, double *dense)
{
    const int columns = 6 * problem->bodies.count;
    double value[NB_JOINT_ROWS], jacobian[12 * NB_JOINT_ROWS];
    int row = 0;
    memset(dense, 0, (size_t)(nb_problem_bilaterals(problem) * columns) * sizeof *dense);
    for (int i = 0; i < problem->joints.count; ++i) {
        const int rows = nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]);
        nb_joint_evaluate(problem, i, value, jacobian);
        for (int k = 0; k < 12 * rows; ++k) {
            const int body = problem->joints.body[2 * i + k % 12 / 6];
            if (body >= 0)
                dense[(row + k / 12) * columns + 6 * body + k % 6] = jacobian[k];
        }
        row += rows;
    }
}

/* A copy at q- (+) h u. */
static inline void jointed_ahead(const struct nb_problem *problem, const double *u,
                                 struct nb_problem *ahead)
{
    assert_int_equal(nb_problem_copy(problem, ahead, NULL), NB_OK);
    nb_step_advance(ahead, u);
}

#endif
