/* Joints over time, against analytic motion and statics: pendulum, slider, weight and moment,
 * springs, prescribed motion. */
#include "tests/support/joint_samples.h"
#include "tests/support/judged.h"
#include "tests/support/near.h"

#include "problems/base/vec3.h"
#include "problems/step.h"

static const double gravity = 9.81;

static void simulate(struct nb_problem *problem, int steps, nb_step_callback *callback,
                     void *context)
{
    const struct nb_options options = test_whole_newton(8);
    test_simulate(problem, steps, &options, callback, context);
}

/* One body with a joint to the world at anchor, gravity along -z. */
static void make_one(struct nb_problem *problem, enum nb_joint_kind kind, double mass,
                     const double *centre, const double *anchor, const double *axes)
{
    memset(problem, 0, sizeof *problem);
    problem->time_step = 1e-3;
    problem->gravity[2] = -gravity;
    assert_ok(nb_scene_allocate(problem, 1, 0, &why));
    assert_ok(nb_scene_allocate_joints(problem, 1, &why));
    problem->bodies.mass[0] = mass;
    for (int k = 0; k < 3; ++k)
        problem->bodies.inertia[4 * k] = mass * 0.1 * (k + 1);
    memcpy(problem->bodies.position, centre, 3 * sizeof *centre);
    nb_scene_make_joint(problem, 0, kind, 0, -1, anchor, axes);
}

struct swing {
    double previous, last_crossing, period, energy[2], worst_opening;
    int crossings;
};

/* Kinetic and potential energy at the start of the step; crossings of the vertical, upwards. */
static int watch(void *context, const struct nb_problem *problem, const double *u,
                 const double *lambda)
{
    struct swing *swing = context;
    const struct nb_bodies *bodies = &problem->bodies;
    const double x = bodies->position[0], *v = bodies->velocity;
    double value[6], jacobian[72];
    nb_joint_evaluate(problem, 0, value, jacobian);
    for (int i = 0; i < 5; ++i)
        swing->worst_opening = fmax(swing->worst_opening, fabs(value[i]));
    (void)u, (void)lambda;
    swing->energy[1] = bodies->mass[0] * (nb_dot3(v, v) / 2 + gravity * bodies->position[2]) +
                       bodies->inertia[4] * v[4] * v[4] / 2;
    if (problem->step == 0)
        swing->energy[0] = swing->energy[1];
    if (problem->step > 0 && swing->previous < 0 && x >= 0) {
        const double now = (problem->step - x / (x - swing->previous)) * problem->time_step;
        swing->period = now - swing->last_crossing;
        swing->last_crossing = now;
        swing->crossings++;
    }
    swing->previous = x;
    return 0;
}

/* A hinge about y, one metre above the centre of mass; the body is let go at a small angle. */
static struct swing run_pendulum(double time_step, double angle, double seconds)
{
    const double turn[3] = {0, angle, 0}, anchor[3] = {0, 0, 0};
    const double axes[4] = {sqrt(0.5), sqrt(0.5), 0, 0}; /* z of the joint along -y */
    const double centre[3] = {-sin(angle), 0, -cos(angle)};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct swing swing = {0};
    make_one(&problem, NB_JOINT_HINGE, 2, centre, anchor, axes);
    problem.time_step = time_step;
    nb_quaternion_advance(problem.bodies.orientation, 1, turn);
    nb_scene_make_joint(&problem, 0, NB_JOINT_HINGE, 0, -1, anchor, axes);
    simulate(&problem, (int)lround(seconds / time_step), watch, &swing);
    return swing;
}

TEST(pendulum_has_the_period_of_theory)
{
    const double inertia = 0.2 + 1; /* per mass, about the hinge: I_yy = 0.2 m */
    const double period = 2 * M_PI * sqrt(inertia / gravity);
    const struct swing swing = run_pendulum(1e-3, 0.01, 4.5 * period);
    assert_true(swing.crossings >= 3);
    assert_near(swing.period / period, 1, 1e-4);
    assert_true(swing.worst_opening < 1e-13);
}

/* The forces act along the joint's axes at the end of the step: energy is lost, in proportion to h,
 * about as by implicit Euler. */
TEST(energy_falls_in_proportion_to_the_step)
{
    const struct swing coarse = run_pendulum(4e-3, 1, 2), fine = run_pendulum(2e-3, 1, 2);
    const double scale = 2 * gravity * (1 - cos(1));
    const double lost[2] = {(coarse.energy[0] - coarse.energy[1]) / scale,
                            (fine.energy[0] - fine.energy[1]) / scale};
    assert_true(lost[1] > 0);
    assert_true(lost[0] < 2 * 4e-3 * gravity / 1.2 * 2); /* twice h omega^2 t, implicit Euler's */
    assert_near(lost[0] / lost[1], 2, 0.3);
}

static int keep_axis(void *context, const struct nb_problem *problem, const double *u,
                     const double *lambda)
{
    double *worst = context, value[6], jacobian[72];
    (void)u, (void)lambda;
    nb_joint_evaluate(problem, 0, value, jacobian);
    for (int i = 0; i < nb_problem_bilaterals(problem); ++i)
        *worst = fmax(*worst, fabs(value[i]));
    return 0;
}

/* A lop-sided body spinning about an oblique hinge for many turns. */
TEST(hinge_keeps_its_axis)
{
    const double centre[3] = {0.3, 0.1, 0}, anchor[3] = {0};
    double axes[4] = {1, 0, 0, 0}, rotation[9], worst = 0, spin[3], tilted[3] = {0.4, 0.3, 0};
    struct nb_problem problem;
    nb_quaternion_advance(axes, 1, tilted);
    make_one(&problem, NB_JOINT_HINGE, 1, centre, anchor, axes);
    nb_quaternion_matrix(axes, rotation);
    for (int k = 0; k < 3; ++k)
        spin[k] = 12 * rotation[3 * k + 2];
    memcpy(problem.bodies.velocity + 3, spin, sizeof spin);
    nb_cross3(spin, centre, problem.bodies.velocity);
    problem.time_step = 2e-3;
    simulate(&problem, 1000, keep_axis, &worst);
    assert_true(worst < 1e-12);
    const double *omega = problem.bodies.velocity + 3;
    assert_true(nb_norm3(omega) > 4);
    for (int k = 0; k < 2; ++k) { /* no turning about the other two axes */
        const double axis[3] = {rotation[k], rotation[3 + k], rotation[6 + k]};
        assert_near(nb_dot3(axis, omega), 0, 1e-9);
    }
    nb_problem_free(&problem);
}

/* Along an axis inclined by alpha: acceleration g sin(alpha), no turning. */
TEST(slider_slides_down_its_axis)
{
    const double alpha = 0.6, centre[3] = {0.2, 0.1, 0}, anchor[3] = {0};
    const double axes[4] = {cos(alpha / 2 + M_PI / 4), 0, sin(alpha / 2 + M_PI / 4), 0};
    const double along[3] = {cos(alpha), 0, -sin(alpha)};
    const int steps = 200;
    OWNS(nb_problem_free) struct nb_problem problem;
    make_one(&problem, NB_JOINT_SLIDER, 3, centre, anchor, axes);
    simulate(&problem, steps, NULL, NULL);
    const double h = problem.time_step, speed = steps * h * gravity * sin(alpha);
    const double way = h * h * gravity * sin(alpha) * steps * (steps + 1) / 2;
    for (int k = 0; k < 3; ++k) {
        assert_near(problem.bodies.velocity[k], speed * along[k], 1e-11);
        assert_near(problem.bodies.velocity[3 + k], 0, 1e-11);
        assert_near(problem.bodies.position[k], centre[k] + way * along[k], 1e-12);
    }
}

static void solve_one(struct nb_problem *problem, int iterations, double *u, double *lambda)
{
    const struct nb_options options = test_whole_newton(iterations);
    struct nb_solver *solver = NULL;
    struct nb_run run = {0};
    assert_int_equal(nb_step_prepare(problem, NULL), NB_OK);
    assert_int_equal(nb_solver_create(&solver, problem, &options, NULL), NB_OK);
    assert_int_equal(nb_solver_run(solver, iterations, NULL, &run, NULL), NB_OK);
    nb_solver_solution(solver, u, lambda);
    nb_solver_free(solver);
}

/* A cantilever: the joint at the origin carries m g upwards and the moment of the weight about it;
 * lambda is what the joint does to side a, in the axes of side b. */
TEST(fixed_joint_carries_weight_and_moment)
{
    const double centre[3] = {0.7, 0.2, 0}, anchor[3] = {0}, mass = 3, weight = mass * gravity;
    double u[6], lambda[6];
    OWNS(nb_problem_free) struct nb_problem problem;
    make_one(&problem, NB_JOINT_FIXED, mass, centre, anchor, NULL);
    solve_one(&problem, 3, u, lambda);
    const double expected[6] = {0, 0, weight, centre[1] * weight, -centre[0] * weight, 0};
    for (int k = 0; k < 6; ++k) {
        assert_near(u[k], 0, 1e-12);
        assert_near(lambda[k], expected[k], 1e-9);
    }
}

/* At rest under its weight, a compliant row is open by E F: first in one step from there, then at
 * the end of a motion from the closed joint. */
TEST(compliant_joint_deflects_by_e_f)
{
    const double origin[3] = {0}, mass = 2, weight = mass * gravity, compliance = 1e-3;
    double u[6], lambda[6];
    OWNS(nb_problem_free) struct nb_problem problem;
    make_one(&problem, NB_JOINT_FIXED, mass, origin, origin, NULL);
    problem.joints.compliance[2] = compliance;
    problem.bodies.position[2] = -compliance * weight;
    solve_one(&problem, 3, u, lambda);
    assert_near(lambda[2], weight, 1e-10);
    assert_near(u[2], 0, 1e-13);
    problem.bodies.position[2] = 0;
    problem.time_step = 0.05;
    simulate(&problem, 200, NULL, NULL);
    assert_near(problem.bodies.position[2], -compliance * weight, 1e-12);
}

/* A bending spring, as the beam's: a weight on an arm turns the joint by e = E_r times its moment. */
TEST(compliant_rotation_turns_by_e_m)
{
    const double centre[3] = {0.5, 0, 0}, anchor[3] = {0}, mass = 1, stiffness = 250;
    double value[6], jacobian[72];
    OWNS(nb_problem_free) struct nb_problem problem;
    make_one(&problem, NB_JOINT_FIXED, mass, centre, anchor, NULL);
    for (int k = 3; k < 6; ++k)
        problem.joints.compliance[k] = 1 / stiffness;
    problem.time_step = 0.05;
    simulate(&problem, 300, NULL, NULL);
    nb_joint_evaluate(&problem, 0, value, jacobian);
    const double moment = mass * gravity * problem.bodies.position[0], e = value[4];
    /* de/dt = cos(theta/2) omega, so that the torque of lambda is lambda cos(theta/2). */
    assert_near(e / 2, sin(atan2(-problem.bodies.position[2], problem.bodies.position[0]) / 2),
                1e-12);
    assert_near(stiffness * e * sqrt(1 - e * e / 4), moment, 1e-9);
    assert_near(e, 0.5 * gravity / stiffness, 1e-4);
}

TEST(prescribed_motion_moves_the_body)
{
    const double centre[3] = {0.3, 0, 0}, anchor[3] = {0}, drive[6] = {0.4, -0.2, 0.1, 0, 0, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_one(&problem, NB_JOINT_FIXED, 2, centre, anchor, NULL);
    memcpy(problem.joints.drift, drive, sizeof drive);
    nb_joints_drift(&problem);
    simulate(&problem, 100, NULL, NULL);
    const double time = 100 * problem.time_step;
    for (int k = 0; k < 3; ++k) {
        assert_near(problem.bodies.position[k], centre[k] + drive[k] * time, 1e-13);
        assert_near(problem.bodies.velocity[k], drive[k], 1e-10);
        assert_near(problem.joints.point[3 + k], drive[k] * (time + problem.time_step), 1e-13);
    }
}

/* A frame that turns takes the body with it, at its own rate. */
TEST(prescribed_turning_turns_the_body)
{
    const double origin[3] = {0}, drive[6] = {0, 0, 0, 0, 0, 2};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_one(&problem, NB_JOINT_FIXED, 2, origin, origin, NULL);
    memcpy(problem.joints.drift, drive, sizeof drive);
    nb_joints_drift(&problem);
    simulate(&problem, 100, NULL, NULL);
    const double angle = 100 * 2 * atan(problem.time_step); /* first-order update, normalised */
    assert_near(problem.bodies.orientation[3], sin(angle / 2), 1e-12);
    assert_near(problem.bodies.velocity[5], 2, 1e-9);
}

/* Two free bodies on a ball joint: what one gains the other loses. */
TEST(linear_momentum_is_kept)
{
    const double anchor[3] = {0.5, 0, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    double before[3] = {0}, after[3] = {0}, worst = 0;
    memset(&problem, 0, sizeof problem);
    problem.time_step = 1e-3;
    assert_int_equal(nb_scene_allocate(&problem, 2, 0, NULL), NB_OK);
    assert_int_equal(nb_scene_allocate_joints(&problem, 1, NULL), NB_OK);
    for (int i = 0; i < 2; ++i) {
        problem.bodies.mass[i] = 1 + 2 * i;
        problem.bodies.position[3 * i] = i;
        for (int k = 0; k < 3; ++k) {
            problem.bodies.inertia[9 * i + 4 * k] = 0.1 + 0.05 * k;
            problem.bodies.velocity[6 * i + k] = k - i;
            problem.bodies.velocity[6 * i + 3 + k] = 2 * k - 3 * i;
        }
    }
    nb_scene_make_joint(&problem, 0, NB_JOINT_BALL, 0, 1, anchor, NULL);
    for (int k = 0; k < 6; ++k)
        before[k % 3] += problem.bodies.mass[k / 3] * problem.bodies.velocity[6 * (k / 3) + k % 3];
    simulate(&problem, 500, keep_axis, &worst);
    for (int k = 0; k < 6; ++k)
        after[k % 3] += problem.bodies.mass[k / 3] * problem.bodies.velocity[6 * (k / 3) + k % 3];
    for (int k = 0; k < 3; ++k)
        assert_near(before[k], after[k], 1e-11);
}
