/* The judge of a nonlinear step against closed forms: a box at rest, sliding and falling;
 * differences of the gap; and what a known perturbation must add. */
#include "harness/judge/metrics_private.h"
#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/numbers.h"

#define G 9.81
#define H 0.0083
#define MASS 8.0
#define SIDE 0.4
#define MU 0.5

static void empty_step(struct nb_problem *problem, int bodies, int contacts)
{
    memset(problem, 0, sizeof *problem);
    problem->form = NB_NONLINEAR;
    problem->time_step = H;
    problem->gravity[2] = -G;
    problem->bodies = (struct nb_bodies){bodies,          zeros(3 * bodies), zeros(4 * bodies),
                                         zeros(6 * bodies), zeros(bodies),   zeros(9 * bodies)};
    problem->free_velocity = zeros(6 * bodies);
    struct nb_contacts *c = &problem->contacts;
    c->count = contacts;
    c->body = calloc(2 * (size_t)contacts + 1, sizeof *c->body);
    c->point = zeros(6 * contacts);
    c->frame = zeros(9 * contacts);
    c->thickness = zeros(contacts);
    c->friction = zeros(contacts);
    strcpy(problem->name, "test");
}

/* A cube on the plane z = 0 with its four lower corners in contact, `height` above it. */
static void box_on_plane(struct nb_problem *problem, double height, double speed)
{
    empty_step(problem, 1, 4);
    struct nb_bodies *b = &problem->bodies;
    b->position[2] = SIDE / 2 + height;
    b->orientation[0] = 1;
    b->velocity[0] = speed;
    b->mass[0] = MASS;
    for (int k = 0; k < 3; ++k)
        b->inertia[4 * k] = MASS * SIDE * SIDE / 6;
    problem->free_velocity[0] = speed;
    problem->free_velocity[2] = -G * H;
    for (int i = 0; i < 4; ++i) {
        struct nb_contacts *c = &problem->contacts;
        const double x = i % 2 ? SIDE / 2 : -SIDE / 2, y = i / 2 ? SIDE / 2 : -SIDE / 2;
        const double point[6] = {x, y, -SIDE / 2, x, y, 0};
        const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
        c->body[2 * i + 1] = -1;
        memcpy(c->point + 6 * i, point, sizeof point);
        memcpy(c->frame + 9 * i, frame, sizeof frame);
        c->friction[i] = MU;
    }
}

static void rest_forces(double *lambda)
{
    memset(lambda, 0, 12 * sizeof *lambda);
    for (int i = 0; i < 4; ++i)
        lambda[3 * i] = MASS * G / 4;
}

TEST(test_box_at_rest)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6] = {0}, lambda[12];
    box_on_plane(&problem, 0, 0);
    rest_forces(lambda);
    const struct nb_metrics m = test_judged(&problem, u, lambda);
    assert_near(m.normal_error, 0, 1e-17);
    assert_near(m.friction_error, 0, 0);
    assert_near(m.momentum_error, 0, 1e-15);
    assert_near(m.natural_map, 0, 1e-15);
    assert_near(m.natural_map_linearized, 0, 1e-15);
    assert_near(m.normal_force, MASS * G, 1e-12);
    assert_near(m.force_norm, H * MASS * G / 2, 1e-14);
    assert_near(m.kinetic_energy, 0, 0);
    assert_int_equal(m.open, 0);
    assert_int_equal(m.stick, 4);
    assert_int_equal(m.slip, 0);
}

/* The corners' effective mass is M/4: 1/M + |r x n|^2 / I = 1/M + 3/M, likewise for tangents. */
TEST(test_perturbations_are_measured)
{
    const double e = 1e-3, rn = 4 * H * H / MASS, rf = 4 * H / MASS;
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_metrics m;
    double u[6] = {0}, lambda[12];
    box_on_plane(&problem, 0, 0);

    rest_forces(lambda);
    u[2] = e; /* lifts by h e: nothing penetrates, the normal law is broken by h e */
    m = test_judged(&problem, u, lambda);
    assert_near(m.normal_error, H * e, 1e-16);
    assert_near(m.penetration, 0, 0);
    assert_near(m.momentum_error, MASS * e, 1e-14);
    assert_near(m.constraint_error, e, 1e-13);
    assert_near(m.kinetic_energy, MASS * e * e / 2, 1e-18);
    u[2] = -e;
    m = test_judged(&problem, u, lambda);
    assert_near(m.penetration, H * e, 1e-16);
    assert_near(m.normal_error, H * e, 1e-16);
    u[2] = 1; /* far away: the force is what is wrong */
    m = test_judged(&problem, u, lambda);
    assert_near(m.normal_error, rn * MASS * G / 4, 1e-16);
    assert_int_equal(m.open, 4);

    u[2] = 0;
    u[0] = e; /* slides under a force that could hold it, with a force along the motion */
    lambda[1] = 1;
    m = test_judged(&problem, u, lambda);
    assert_near(m.friction_error, e, 1e-15);
    assert_near(m.misalignment, 2 * e, 1e-15);
    u[0] = 0;
    lambda[1] = MU * lambda[0] + e; /* outside the cone by e */
    m = test_judged(&problem, u, lambda);
    assert_near(m.friction_error, rf * e, 1e-15);
    rest_forces(lambda);
    lambda[3] = -e; /* pulls */
    m = test_judged(&problem, u, lambda);
    assert_near(m.normal_error, rn * e, 1e-17);
}

/* Sliding along x: friction mu m g tips the weight forward, m g (1 +- mu) / 4 a corner. */
TEST(test_sliding_box)
{
    const double speed = 2;
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[6] = {speed - MU * G * H}, lambda[12] = {0};
    box_on_plane(&problem, 0, speed);
    for (int i = 0; i < 4; ++i) {
        lambda[3 * i] = MASS * G / 4 * (i % 2 ? 1 + MU : 1 - MU);
        lambda[3 * i + 1] = -MU * lambda[3 * i];
    }
    const struct nb_metrics m = test_judged(&problem, u, lambda);
    assert_near(m.constraint_error, 0, 1e-15);
    assert_near(m.misalignment, 0, 1e-14);
    assert_near(m.momentum_error, 0, 1e-14);
    assert_near(m.natural_map, 0, 1e-15);
    assert_int_equal(m.slip, 4);
}

TEST(test_open_contact)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    const double lambda[12] = {0};
    box_on_plane(&problem, 1e-2, 0);
    const struct nb_metrics m = test_judged(&problem, problem.free_velocity, lambda);
    assert_near(m.constraint_error, 0, 0);
    assert_near(m.penetration, 0, 0);
    assert_near(m.momentum_error, 0, 0);
    assert_near(m.natural_map, 0, 0);
    assert_int_equal(m.open, 4);
    assert_near(m.kinetic_energy, MASS * G * H * G * H / 2, 1e-15);
}

TEST(test_status_of_each_contact)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_judge *judge;
    double u[6] = {0, 0, 0, 0, 0, 1e-2}, lambda[12]; /* turns about z: all corners slide */
    int status[4];
    box_on_plane(&problem, 0, 0);
    rest_forces(lambda);
    lambda[0] = 0;
    lambda[4] = MU * lambda[3];
    assert_int_equal(nb_judge_create(&judge, &problem, NULL), NB_OK);
    nb_judge_status(judge, u, lambda, status);
    assert_int_equal(status[0], 0);
    assert_int_equal(status[1], 2);
    assert_int_equal(status[2], 1);
    assert_int_equal(status[3], 1);
    nb_judge_free(judge);
}

TEST(test_nan_and_infinity)
{
    const double values[2] = {NAN, INFINITY};
    OWNS(nb_problem_free) struct nb_problem problem;
    box_on_plane(&problem, 0, 0);
    for (int i = 0; i < 36; ++i) {
        double x[18] = {0};
        rest_forces(x + 6);
        x[i % 18] = values[i / 18];
        const struct nb_metrics m = test_judged(&problem, x, x + 6);
        assert_false(isfinite(m.natural_map));
        assert_false(isfinite(m.natural_map_linearized));
        assert_false(isfinite(m.momentum_error));
        assert_true(i / 18 || isnan(m.momentum_error));
        assert_int_equal(m.open + m.stick + m.slip, 4);
    }
}

TEST(test_empty_problems)
{
    for (int bodies = 0; bodies < 2; ++bodies) {
        OWNS(nb_problem_free) struct nb_problem problem;
        empty_step(&problem, bodies, 0);
        if (bodies) {
            problem.bodies.mass[0] = 1;
            problem.bodies.orientation[0] = 1;
            for (int k = 0; k < 3; ++k)
                problem.bodies.inertia[4 * k] = 1;
            problem.free_velocity[2] = -G * H;
        }
        const struct nb_metrics m = test_judged(&problem, problem.free_velocity, NULL);
        assert_near(m.natural_map, 0, 0);
        assert_near(m.constraint_error, 0, 0);
        assert_near(m.momentum_error, 0, 0);
        assert_int_equal(m.open + m.stick + m.slip, 0);
    }
}

/* Two turned bodies of uneven inertia with one contact between them, anywhere. */
static void two_bodies(struct nb_problem *problem)
{
    empty_step(problem, 2, 1);
    struct nb_bodies *b = &problem->bodies;
    for (int i = 0; i < 2; ++i) {
        double square = 0;
        b->mass[i] = 2 + uniform();
        for (int k = 0; k < 3; ++k) {
            b->position[3 * i + k] = uniform();
            b->inertia[9 * i + 4 * k] = 1 + k + 0.5 * uniform();
        }
        for (int k = 0; k < 4; ++k)
            square += pow(b->orientation[4 * i + k] = uniform(), 2);
        for (int k = 0; k < 4; ++k)
            b->orientation[4 * i + k] /= sqrt(square);
    }
    struct nb_contacts *c = &problem->contacts;
    const double s = sqrt(0.5), frame[9] = {s, s, 0, -s, s, 0, 0, 0, 1};
    memcpy(c->frame, frame, sizeof frame);
    c->body[0] = 1;
    c->body[1] = 0;
    for (int k = 0; k < 6; ++k)
        c->point[k] = uniform();
    c->thickness[0] = 0.01;
    c->friction[0] = MU;
}

/* Separation of the two points along axis `row` of the frame after a step with velocity u. */
static double separation(struct nb_problem *problem, int row, const double *u)
{
    double frame[9], position[6], orientation[8], gap;
    OWNS(nb_csr_free) struct nb_csr mass, jacobian;
    memcpy(frame, problem->contacts.frame, sizeof frame);
    memcpy(problem->contacts.frame, frame + 3 * row, 3 * sizeof *frame);
    assert_int_equal(nb_rigid_allocate(problem, &mass, &jacobian, NULL), NB_OK);
    const struct nb_configuration at = {position, orientation, NULL};
    nb_rigid_advance(problem, u, &at);
    nb_rigid_contacts(problem, &at, &gap, &jacobian);
    memcpy(problem->contacts.frame, frame, sizeof frame);
    return gap;
}

/* Largest difference between row . direction and the central difference of the separation. */
static double jacobian_error(struct nb_problem *problem, const double *u)
{
    const double e = 1e-5;
    double position[6], orientation[8], gap, worst = 0;
    OWNS(nb_csr_free) struct nb_csr mass, jacobian;
    assert_int_equal(nb_rigid_allocate(problem, &mass, &jacobian, NULL), NB_OK);
    const struct nb_configuration at = {position, orientation, NULL};
    nb_rigid_advance(problem, u, &at);
    nb_rigid_contacts(problem, &at, &gap, &jacobian);
    for (int trial = 0; trial < 20; ++trial) {
        double direction[12], right[12], left[12], row[3];
        for (int k = 0; k < 12; ++k) {
            direction[k] = uniform();
            right[k] = u[k] + e * direction[k] / problem->time_step;
            left[k] = u[k] - e * direction[k] / problem->time_step;
        }
        nb_csr_multiply(&jacobian, direction, row, 0);
        for (int k = 0; k < 3; ++k) {
            const double difference =
                (separation(problem, k, right) - separation(problem, k, left)) / (2 * e);
            worst = fmax(worst, fabs(difference - row[k]));
        }
    }
    return worst;
}

/* At u = 0 the Jacobian is the derivative; elsewhere J(q+) leaves out how (89) bends the path, a
 * difference of O(h |omega|). */
TEST(test_jacobian_against_differences)
{
    seed = 11;
    for (int trial = 0; trial < 10; ++trial) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double u[12] = {0};
        two_bodies(&problem);
        assert_near(jacobian_error(&problem, u), 0, 1e-8);
        for (int k = 0; k < 12; ++k)
            u[k] = 10 * uniform();
        const uint64_t start = seed;
        const double coarse = jacobian_error(&problem, u);
        problem.time_step /= 16;
        seed = start;
        const double fine = jacobian_error(&problem, u);
        assert_true(coarse < 60 * H);
        assert_true(fine < coarse / 8);
    }
}

TEST(test_energy_of_turned_body)
{
    seed = 12;
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[12], lambda[3] = {0}, energy = 0;
    two_bodies(&problem);
    for (int i = 0; i < 2; ++i) {
        double w[3] = {uniform(), uniform(), uniform()};
        const double *q = problem.bodies.orientation + 4 * i;
        /* world rate = q (0, w) q^-1 = w + 2 v x (v x w + q0 w) */
        const double *v = q + 1;
        const double t[3] = {v[1] * w[2] - v[2] * w[1] + q[0] * w[0],
                             v[2] * w[0] - v[0] * w[2] + q[0] * w[1],
                             v[0] * w[1] - v[1] * w[0] + q[0] * w[2]};
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            u[6 * i + k] = uniform();
            u[6 * i + 3 + k] = w[k] + 2 * (v[a] * t[b] - v[b] * t[a]);
            energy += problem.bodies.mass[i] * u[6 * i + k] * u[6 * i + k] / 2 +
                      problem.bodies.inertia[9 * i + 4 * k] * w[k] * w[k] / 2;
        }
    }
    assert_near(test_judged(&problem, u, lambda).kinetic_energy, energy, 1e-13 * energy);
}

/* Near the surface the step and its linearisation at q- agree; the linear judge is the same one. */
TEST(test_linearized_is_the_linear_problem)
{
    seed = 16;
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    double u[12], lambda[3] = {5, 1, -1};
    two_bodies(&problem);
    for (int k = 0; k < 12; ++k) {
        problem.free_velocity[k] = uniform();
        u[k] = 0.1 * uniform();
    }
    assert_int_equal(nb_problem_linearize(&problem, &linear, NULL), NB_OK);
    const struct nb_metrics m = test_judged(&problem, u, lambda), l = test_judged(&linear, u, lambda);
    assert_near(m.natural_map_linearized, l.natural_map, 1e-13);
    assert_near(m.friction_error, l.friction_error, 1e-2);
    for (int k = 0; k < 12; ++k)
        u[k] = 0; /* q+ = q-: nothing left to linearise */
    const struct nb_metrics still = test_judged(&problem, u, lambda);
    assert_near(still.natural_map, still.natural_map_linearized, 1e-13);
}
