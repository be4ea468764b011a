/* Spheres and capsules in motion: they carry their weight, and roll as they should. */
#include "tests/support/near.h"

#include "harness/simulate/simulate.h"
#include "problems/step.h"
#include "tests/support/boxes.h"
#include "tests/support/judged.h"

static const double gravity = 9.81, mass = 3;

static struct nb_options exact(void)
{
    struct nb_options options = nb_options_default();
    options.linear = "cholesky";
    options.newton_iterations = 40;
    options.damping = 0.75;
    return options;
}

/* A sphere, or with half > 0 a capsule lying along y, on the plane z = 0; gravity is turned by angle
 * instead of the plane, so that down the slope is x. */
static void on_plane(struct nb_problem *problem, double radius, double half, double angle,
                     double friction, double time_step)
{
    const double centre[3] = {0, 0, radius}, turned[4] = {sqrt(0.5), -sqrt(0.5), 0, 0};
    memset(problem, 0, sizeof *problem);
    assert_ok(nb_scene_allocate(problem, 1, 2, &why));
    problem->time_step = time_step;
    problem->gravity[0] = gravity * sin(angle);
    problem->gravity[2] = -gravity * cos(angle);
    problem->shapes[0].kind = NB_SHAPE_PLANE;
    problem->shapes[0].friction = friction;
    if (half > 0)
        nb_scene_make_capsule(problem, 0, &problem->shapes[1], radius, half, mass, centre);
    else
        nb_scene_make_sphere(problem, 0, &problem->shapes[1], radius, mass, centre);
    memcpy(problem->bodies.orientation, turned, sizeof turned);
}

static void simulate(struct nb_problem *problem, int steps, nb_step_callback *callback,
                     void *context)
{
    const struct nb_options options = exact();
    test_simulate(problem, steps, &options, callback, context);
}

static int keep_force(void *context, const struct nb_problem *problem, const double *u,
                      const double *lambda)
{
    double *sum = context;
    (void)u;
    *sum = 0;
    for (int i = 0; i < problem->contacts.count; ++i)
        *sum += lambda[3 * i];
    return 0;
}

TEST(a_round_body_at_rest_carries_its_weight)
{
    for (int capsule = 0; capsule < 2; ++capsule) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double force = 0;
        on_plane(&problem, 0.3, capsule * 0.5, 0, 0.5, 0.01);
        simulate(&problem, 20, keep_force, &force);
        assert_int_equal(problem.contacts.count, 1 + capsule);
        assert_near(force, mass * gravity, 1e-9 * mass * gravity);
        assert_near(problem.bodies.position[2], 0.3, 1e-10);
        assert_near(nb_norm3(problem.bodies.velocity), 0, 1e-9);
    }
}

/* Down a slope from rest, rolling: a = g sin(angle)/(1 + I/(m r^2)), exact in the scheme since the
 * arm of the contact does not turn with the ball; h omega reaches 2 rad a step in the last case. */
TEST(a_ball_rolls_with_five_sevenths)
{
    const double radii[] = {0.5, 0.05, 0.005}, time_step = 0.005, angle = 0.3;
    const int steps = 200;
    for (int i = 0; i < 3; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        on_plane(&problem, radii[i], 0, angle, 0.5, time_step);
        simulate(&problem, steps, NULL, NULL);
        const double speed = 5.0 / 7 * gravity * sin(angle) * steps * time_step;
        const double *u = problem.bodies.velocity;
        assert_near(u[0], speed, 1e-9 * speed);
        assert_near(u[4] * radii[i], speed, 1e-9 * speed);
        assert_near(problem.bodies.position[2], radii[i], 1e-9 * radii[i]);
    }
}

/* With little friction it slips: a = g (sin - mu cos), spin 5 mu g cos t/(2 r). */
TEST(a_ball_slips_on_a_smooth_slope)
{
    const double radius = 0.05, angle = 0.6, friction = 0.1, time_step = 0.005;
    const int steps = 100;
    OWNS(nb_problem_free) struct nb_problem problem;
    on_plane(&problem, radius, 0, angle, friction, time_step);
    simulate(&problem, steps, NULL, NULL);
    const double time = steps * time_step, *u = problem.bodies.velocity;
    const double speed = gravity * (sin(angle) - friction * cos(angle)) * time;
    assert_near(u[0], speed, 1e-6 * speed);
    const double spin = 2.5 * friction * gravity * cos(angle) * time / radius;
    assert_near(u[4], spin, 1e-6 * spin);
}

/* A capsule lying across the slope rolls as a cylinder would: its own inertia about the axis. */
TEST(a_capsule_rolls)
{
    const double radius = 0.1, angle = 0.3, time_step = 0.005;
    const int steps = 100;
    OWNS(nb_problem_free) struct nb_problem problem;
    on_plane(&problem, radius, 0.3, angle, 0.5, time_step);
    const double along = problem.bodies.inertia[8];
    simulate(&problem, steps, NULL, NULL);
    const double speed = gravity * sin(angle) / (1 + along / (mass * radius * radius)) * steps *
                         time_step;
    assert_near(problem.bodies.velocity[0], speed, 1e-8 * speed);
    assert_near(problem.bodies.velocity[4] * radius, speed, 1e-8 * speed);
}

/* A ball on a level plane keeps its speed. */
TEST(a_free_ball_rolls_on)
{
    const double radius = 0.005, speed = 0.1;
    OWNS(nb_problem_free) struct nb_problem problem;
    on_plane(&problem, radius, 0, 0, 0.5, 0.0083);
    problem.bodies.velocity[0] = speed;
    problem.bodies.velocity[4] = speed / radius;
    simulate(&problem, 100, NULL, NULL);
    assert_near(problem.bodies.velocity[0], speed, 1e-9 * speed);
    assert_near(problem.bodies.position[2], radius, 1e-9 * radius);
}

/* A ball and a capsule that spin against each other and against a box, one of them beside its
 * body's centre of mass. */
static void make_spinning(struct nb_problem *problem)
{
    const double centre[3][3] = {{0, 0, 0.3}, {0.1, 0.05, 0.795}, {-0.3, 0, 0.69}};
    const double sides[3] = {1.2, 0.8, 0.6}, tilted[4] = {0.8, 0.6, 0, 0};
    memset(problem, 0, sizeof *problem);
    problem->time_step = 0.01;
    problem->gravity[2] = -gravity;
    assert_ok(nb_scene_allocate(problem, 3, 3, &why));
    assert_ok(nb_scene_make_box(problem, 0, &problem->shapes[0], sides, 5, centre[0], &why));
    nb_scene_make_sphere(problem, 1, &problem->shapes[1], 0.2, 2, centre[1]);
    nb_scene_make_capsule(problem, 2, &problem->shapes[2], 0.2, 0.15, 3, centre[2]);
    memcpy(problem->bodies.orientation + 8, tilted, sizeof tilted);
    problem->shapes[1].position[1] = -0.02;
    for (int i = 0; i < 3; ++i)
        problem->shapes[i].friction = 0.4;
    for (int i = 6; i < 18; ++i)
        problem->bodies.velocity[i] = sin(3.0 * i);
    assert_ok(nb_step_prepare(problem, &why));
    assert_true(problem->contacts.count >= 3);
}

/* Velocity of the material at a world point of a body. */
static void material_velocity(const struct nb_problem *problem, int body, const double *u,
                              const double *point, double *velocity)
{
    double arm[3];
    nb_subtract3(point, problem->bodies.position + 3 * body, arm);
    nb_cross3(u + 6 * body + 3, arm, velocity);
    nb_add_scaled3(velocity, 1, u + 6 * body, velocity);
}

/* H^T u is the relative velocity of the material where the surfaces touch, w the gap there. */
TEST(linearised_contacts_touch_at_surfaces)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double u[18], relative[60];
    make_spinning(&problem);
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    for (int i = 0; i < 18; ++i)
        u[i] = cos(5.0 * i);
    assert_true(3 * problem.contacts.count <= 60);
    nb_csr_multiply(&linear.linear.contact_jacobian, u, relative, 0);
    for (int i = 0; i < problem.contacts.count; ++i) {
        double point[2][3], velocity[2][3], between[3];
        for (int side = 0; side < 2; ++side) {
            world_point(&problem, i, side, point[side]);
            material_velocity(&problem, problem.contacts.body[2 * i + side], u, point[side],
                              velocity[side]);
        }
        nb_subtract3(velocity[0], velocity[1], between);
        for (int k = 0; k < 3; ++k)
            assert_near(relative[3 * i + k],
                        nb_dot3(problem.contacts.frame + 9 * i + 3 * k, between), 1e-13);
        assert_near(linear.linear.contact_velocity[3 * i],
                    gap_of(&problem, i) / problem.time_step, 1e-12);
    }
}

static int judge_step(void *context, const struct nb_problem *problem, const double *u,
                      const double *lambda)
{
    struct nb_metrics *worst = context;
    const struct nb_metrics metrics = test_judged(problem, u, lambda);
    worst->constraint_error = fmax(worst->constraint_error, metrics.constraint_error);
    worst->momentum_error = fmax(worst->momentum_error, metrics.momentum_error);
    worst->kinetic_energy = metrics.kinetic_energy;
    return 0;
}

/* The judge has its own gaps and Jacobians: they agree with the solver's on round shapes in spin. */
TEST(the_judge_agrees)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_metrics worst = {0};
    make_spinning(&problem);
    simulate(&problem, 10, judge_step, &worst);
    assert_near(worst.momentum_error, 0, 1e-10);
    assert_near(worst.constraint_error, 0, 1e-7);
}
