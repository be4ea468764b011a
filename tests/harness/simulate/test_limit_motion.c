/* Limits over time, against analytic motion and statics: a pendulum that swings into its stop and
 * rests there, a slider on its lower stop, stops that nothing reaches, and the chain of hinges; and
 * every nonlinear method and linear solver on a pendulum that rests at its limit. */
#include "harness/simulate/simulate.h"
#include "tests/support/outer_support.h"

#include "tests/support/limit_samples.h"
#include "tests/support/near.h"

#include "problems/base/vec3.h"
#include "problems/step.h"
#include "solvers/registry.h"

static const double gravity = 9.81;
enum { TORQUE = 8 }; /* lambda of a single hinge: 5 bilateral rows, lower limit, upper limit */

static void simulate(struct nb_problem *problem, int steps, nb_step_callback *callback,
                     void *context)
{
    const struct nb_options options = test_whole_newton(60);
    test_simulate(problem, steps, &options, callback, context);
}

/* A body of 2 kg, joined to the world at the origin. */
static void make_one(struct nb_problem *problem, enum nb_joint_kind kind, const double *centre,
                     const double *axes)
{
    const double origin[3] = {0};
    memset(problem, 0, sizeof *problem);
    problem->time_step = 1e-3;
    problem->gravity[2] = -gravity;
    assert_int_equal(nb_scene_allocate(problem, 1, 0, NULL), NB_OK);
    assert_int_equal(nb_scene_allocate_joints(problem, 1, NULL), NB_OK);
    problem->bodies.mass[0] = 2;
    for (int k = 0; k < 3; ++k)
        problem->bodies.inertia[4 * k] = 0.1 * (k + 1);
    memcpy(problem->bodies.position, centre, 3 * sizeof *centre);
    nb_scene_make_joint(problem, 0, kind, 0, -1, origin, axes);
}

/* The centre of mass lies 0.5 m along x at angle 0; a positive angle about y lowers it. */
static void make_pendulum(struct nb_problem *problem, double lower, double upper, double speed)
{
    const double about_y[4] = {sqrt(0.5), -sqrt(0.5), 0, 0}, centre[3] = {0.5, 0, 0};
    make_one(problem, NB_JOINT_HINGE, centre, about_y);
    nb_scene_limit_joint(problem, 0, lower, upper);
    problem->bodies.velocity[4] = speed;
    problem->bodies.velocity[2] = -0.5 * speed;
}

static double pendulum_inertia(const struct nb_problem *problem)
{
    return problem->bodies.inertia[4] + problem->bodies.mass[0] * 0.25;
}

struct stop {
    double impulse, worst_balance, worst_gap, worst_energy_gain, energy;
    int reached;
};

/* The step's balance of angular momentum about the hinge, from the unknowns and q+ alone:
 * I (omega+ - omega~) + x+ x m (v+ - v~) = h lambda about y. */
static int watch_stop(void *context, const struct nb_problem *problem, const double *u,
                      const double *lambda)
{
    struct stop *stop = context;
    const struct nb_bodies *bodies = &problem->bodies;
    const double h = problem->time_step, m = bodies->mass[0], *free = problem->free_velocity;
    double x[3], change[3], moment[3];
    nb_add_scaled3(bodies->position, h, u, x);
    nb_subtract3(u, free, change);
    nb_cross3(x, change, moment);
    const double limits = lambda[5] - lambda[TORQUE];
    const double balance =
        bodies->inertia[4] * (u[4] - free[4]) + m * moment[1] - h * limits;
    const double energy = m * (nb_dot3(u, u) / 2 + gravity * x[2]) +
                          bodies->inertia[4] * u[4] * u[4] / 2;
    stop->worst_balance = fmax(stop->worst_balance, fabs(balance));
    stop->impulse += h * limits;
    stop->worst_gap = fmax(stop->worst_gap, nb_joint_coordinate(problem, 0) -
                                                problem->limits.bound[1]);
    stop->reached += lambda[TORQUE] > 0;
    if (stop->reached)
        stop->worst_energy_gain = fmax(stop->worst_energy_gain, energy - stop->energy);
    stop->energy = energy;
    return 0;
}

/* Thrown against its stop with 3 rad/s: within the two steps of the impact, the one that ends at
 * the bound and the next, the stop takes the whole angular momentum, and what gravity adds. */
TEST(the_stop_takes_the_angular_momentum)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct stop stop = {0};
    make_pendulum(&problem, -1, 0.2, 3);
    simulate(&problem, 55, watch_stop, &stop); /* not there yet */
    assert_int_equal(stop.reached, 0);
    const double inertia = pendulum_inertia(&problem), speed = problem.bodies.velocity[4];
    assert_true(speed > 3 && nb_joint_coordinate(&problem, 0) < 0.2);
    memset(&stop, 0, sizeof stop);
    simulate(&problem, 15, watch_stop, &stop);
    assert_true(stop.reached > 2);
    assert_true(stop.worst_balance < 1e-10);
    assert_true(stop.worst_gap < 1e-12);
    assert_true(stop.worst_energy_gain < 1e-12);
    const double weight = 2 * gravity * 0.5 * cos(0.2), time = 15 * problem.time_step;
    assert_near(stop.impulse, -inertia * speed - weight * time, 2e-3 * inertia * speed);
    assert_near(problem.bodies.velocity[4], 0, 1e-10);
    assert_near(nb_joint_coordinate(&problem, 0), 0.2, 1e-12);
}

static int keep_torques(void *context, const struct nb_problem *problem, const double *u, const double *lambda)
{
    (void)u;
    memcpy(context, lambda, (size_t)nb_problem_multipliers(problem) * sizeof *lambda);
    return 0;
}

/* m g l cos(angle), and none at the lower limit. */
TEST(a_pendulum_rests_on_its_stop)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double lambda[11];
    make_pendulum(&problem, -1, 0.3, 0);
    simulate(&problem, 400, keep_torques, lambda);
    assert_near(nb_joint_coordinate(&problem, 0), 0.3, 1e-12);
    assert_near(lambda[TORQUE], 2 * gravity * 0.5 * cos(0.3), 1e-9);
    assert_near(lambda[5], 0, 1e-9);
    for (int k = 1; k < 3; ++k) /* tangents carry nothing */
        assert_near(fabs(lambda[5 + k]) + fabs(lambda[TORQUE + k]), 0, 1e-9);
}

/* Upright on a ball, a body tips over about any level axis onto its limit: m g l sin(angle). */
TEST(a_body_tips_onto_the_limit_of_its_ball)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, -1, 0}, {0.6, 0.8, 0}};
    const double centre[3] = {0, 0, 0.5};
    for (int i = 0; i < 3; ++i) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        double lambda[11], arm[3], moment[3]; /* 3 of the ball, 3 of its limit */
        make_one(&problem, NB_JOINT_BALL, centre, NULL);
        nb_scene_limit_joint(&problem, 0, -INFINITY, 0.4);
        for (int k = 0; k < 3; ++k)
            problem.bodies.inertia[4 * k] = 0.1;
        memcpy(problem.bodies.velocity + 3, axes[i], sizeof axes[i]);
        nb_cross3(axes[i], centre, problem.bodies.velocity);
        simulate(&problem, 600, keep_torques, lambda);
        assert_near(nb_joint_coordinate(&problem, 0), 0.4, 1e-10);
        assert_near(lambda[3], 2 * gravity * 0.5 * sin(0.4), 1e-8);
        memcpy(arm, problem.bodies.position, sizeof arm);
        nb_cross3(axes[i], centre, moment); /* the way it tipped */
        assert_near(arm[0], sin(0.4) * moment[0], 1e-9);
        assert_near(arm[1], sin(0.4) * moment[1], 1e-9);
    }
}

/* Along an axis 0.6 rad from the vertical: m g cos(0.6). */
TEST(a_slider_rests_on_its_lower_stop)
{
    const double tilt = 0.6, axes[4] = {cos(tilt / 2), 0, sin(tilt / 2), 0};
    const double centre[3] = {0.02 * sin(tilt), 0, 0.02 * cos(tilt)};
    OWNS(nb_problem_free) struct nb_problem problem;
    double lambda[11];
    make_one(&problem, NB_JOINT_SLIDER, centre, axes);
    for (int k = 0; k < 3; ++k) /* the joint's frame of the body is at its centre of mass */
        problem.joints.point[k] = 0;
    assert_near(nb_joint_coordinate(&problem, 0), 0.02, 1e-15);
    nb_scene_limit_joint(&problem, 0, -0.05, 1);
    simulate(&problem, 300, keep_torques, lambda);
    assert_near(nb_joint_coordinate(&problem, 0), -0.05, 1e-12);
    assert_near(lambda[5], 2 * gravity * cos(tilt), 1e-9);
    assert_near(lambda[TORQUE], 0, 1e-9);
}

/* The same motion with and without limits that are out of reach. */
TEST(limits_out_of_reach_are_inert)
{
    const struct nb_options options = nb_options_default();
    struct nb_problem problem[2];
    for (int i = 0; i < 2; ++i) {
        make_pendulum(&problem[i], i ? -1.5 : -INFINITY, i ? 2.9 : INFINITY, 0.5);
        assert_int_equal(problem[i].limits.count, 2 * i);
        assert_int_equal(nb_simulate(&problem[i], 300, &options, NULL, NULL, NULL), NB_OK);
    }
    assert_true(nb_joint_coordinate(&problem[0], 0) > 0.3);
    for (int k = 0; k < 6; ++k)
        assert_near(problem[0].bodies.velocity[k], problem[1].bodies.velocity[k], 1e-12);
    for (int k = 0; k < 3; ++k)
        assert_near(problem[0].bodies.position[k], problem[1].bodies.position[k], 1e-13);
    for (int i = 0; i < 2; ++i)
        nb_problem_free(&problem[i]);
}

/* A driven frame takes the body along by its limit: the world's hinge frame turns at 2 rad/s, and
 * the body, weightless, follows from the moment on at which the lower limit is reached. */
TEST(a_driven_frame_pushes_by_its_limit)
{
    const double drive[6] = {0, 0, 0, 0, 2, 0};
    OWNS(nb_problem_free) struct nb_problem problem;
    make_pendulum(&problem, -0.1, 0.1, 0);
    problem.gravity[2] = 0;
    memcpy(problem.joints.drift, drive, sizeof drive);
    nb_joints_drift(&problem);
    simulate(&problem, 200, NULL, NULL);
    assert_near(problem.bodies.velocity[4], 2, 1e-5);
}

struct chain {
    double *lambda, worst_gain, energy;
    int rows;
};

static int watch_chain(void *context, const struct nb_problem *problem, const double *u,
                       const double *lambda)
{
    struct chain *chain = context;
    double energy = 0;
    for (int i = 0; i < problem->bodies.count; ++i) {
        const double *v = u + 6 * i, m = problem->bodies.mass[i];
        energy += m * nb_dot3(v, v) / 2 + problem->bodies.inertia[9 * i + 4] * v[4] * v[4] / 2;
        energy += m * gravity * (problem->bodies.position[3 * i + 2] + problem->time_step * v[2]);
    }
    if (problem->step > 0)
        chain->worst_gain = fmax(chain->worst_gain, energy - chain->energy);
    chain->energy = energy;
    assert_int_equal(chain->rows, nb_problem_multipliers(problem));
    memcpy(chain->lambda, lambda, (size_t)chain->rows * sizeof *lambda);
    return 0;
}

/* At rest every hinge stands at its limit and carries the moment of the weights beyond it; on the
 * way no step gains energy. */
TEST(the_chain_rests_as_an_arc)
{
    enum { LINKS = 5 };
    const char *const settings[] = {"count=5", "limit=10", "time_step=0.004", NULL};
    const struct nb_options options = nb_options_default();
    const double limit = 10 * M_PI / 180;
    double lambda[5 * LINKS + 6 * LINKS];
    struct chain chain = {.lambda = lambda, .rows = 11 * LINKS};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "hinge_limits", settings);
    assert_int_equal(nb_simulate(&problem, 400, &options, watch_chain, &chain, NULL), NB_OK);
    assert_near(nb_scene_find("hinge_limits")->observe(&problem), LINKS * limit, 1e-10);
    assert_true(chain.worst_gain < 1e-10);
    for (int i = 0; i < LINKS; ++i) {
        double moment = 0, x = 0;
        for (int j = i; j < LINKS; ++j) {
            const double half = 0.1 * cos((j + 1) * limit);
            moment += gravity * (x + half);
            x += 2 * half;
        }
        assert_near(nb_joint_coordinate(&problem, i), limit, 1e-10);
        assert_near(lambda[5 * LINKS + 6 * i + 3], moment, 1e-7);
    }
}

/* A pendulum on its stop: the step that every method is asked. */
static void make_resting(struct nb_problem *problem)
{
    make_pendulum(problem, -0.5, 0.3, 0);
    problem->time_step = 0.01;
    simulate(problem, 60, NULL, NULL);
    problem->bodies.velocity[4] += 0.2; /* and pushed against it once more */
    problem->bodies.velocity[0] -= 0.2 * 0.5 * sin(0.3);
    problem->bodies.velocity[2] -= 0.2 * 0.5 * cos(0.3);
    assert_int_equal(nb_step_prepare(problem, NULL), NB_OK);
}

static void check_method(const struct nb_problem *problem, const struct nb_options *options,
                         const double *expected)
{
    double u[6], lambda[11];
    const struct nb_metrics metrics = run_method(problem, options, u, lambda, NULL);
    for (int i = 0; i < 6; ++i)
        if (!(fabs(u[i] - expected[i]) < 1e-8))
            fail_msg("%s, %s, %s: velocity %d is %.12g, not %.12g (natural map %g)",
                     options->solver, options->ncp, options->linear, i, u[i], expected[i],
                     metrics.natural_map);
    if (!(metrics.natural_map < 1e-8))
        fail_msg("%s, %s, %s: natural map %g", options->solver, options->ncp, options->linear,
                 metrics.natural_map);
}

/* Where mu = 0, box friction is Coulomb's too. */
TEST(every_method_agrees)
{
    static const char *const further[] = {"proximal_newton", "fischer_newton", "pgs", "nncg",
                                          "implicit_complementarity", "mixed_conjugate_residual",
                                          "newton"};
    const struct nb_options proximal = method("proximal_newton", 100);
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6];
    make_resting(&problem);
    assert_true(run_method(&problem, &proximal, u, NULL, NULL).natural_map < 1e-12);
    assert_near(u[4], 0, 1e-12); /* the stop holds */
    for (int m = 0; m < COULOMB_METHODS; ++m) {
        const struct nb_options options = method(coulomb_methods[m], 20000);
        check_method(&problem, &options, u);
    }
    for (size_t m = 0; m < sizeof further / sizeof *further; ++m) {
        const struct nb_options options = method(further[m], 200);
        check_method(&problem, &options, u);
    }
}

/* The Schur matrix is as regular as with contacts: every linear solver and NCP function finds the
 * step. A back end that is not there, such as a device, is passed over. */
TEST(every_linear_solver_agrees)
{
    const struct nb_options proximal = method("proximal_newton", 100);
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6];
    make_resting(&problem);
    run_method(&problem, &proximal, u, NULL, NULL);
    for (size_t l = 0; nb_registry_row("linear", l); ++l)
        for (size_t f = 0; nb_registry_row("ncp", f); ++f) {
            struct nb_options options = method("newton", 200);
            struct nb_solver *solver = NULL;
            options.linear = nb_registry_row("linear", l)->name;
            options.ncp = nb_registry_row("ncp", f)->name;
            options.precond = "none";
            options.linear_iterations = 100;
            const enum nb_status status = nb_solver_create(&solver, &problem, &options, NULL);
            nb_solver_free(solver);
            if (status == NB_UNSUPPORTED)
                continue;
            check_method(&problem, &options, u);
        }
}
