/* A free body over many steps: its energy never grows and its angular momentum in the world stays, whatever its
 * inertia, its speed and the step. */
#include "problems/base/gyration.h"
#include "problems/base/random.h"
#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "tests/support/near.h"
#include "tests/support/test.h"

struct body {
    double inertia[9], orientation[4], omega[3];
};

/* l in the world; returns the energy. */
static double momentum(const struct body *body, double *rotation, double *spin)
{
    double world[9];
    nb_quaternion_matrix(body->orientation, rotation);
    nb_world_inertia(rotation, body->inertia, world);
    nb_rotate(world, body->omega, spin);
    return nb_dot3(body->omega, spin) / 2;
}

struct drift {
    double gain, momentum; /* the largest, relative to the start */
    double loss;           /* at the end, likewise                */
};

static struct drift run(struct body *body, double h, int steps)
{
    double rotation[9], start[3], spin[3], omega[3];
    struct drift drift = {0};
    const double energy = momentum(body, rotation, start);
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(nb_gyrate(rotation, body->inertia, h, body->omega, omega), 0);
        memcpy(body->omega, omega, sizeof omega);
        nb_quaternion_advance(body->orientation, h, omega);
        const double now = momentum(body, rotation, spin);
        assert_true(isfinite(now));
        drift.gain = fmax(drift.gain, now / energy - 1);
        drift.loss = 1 - now / energy;
        nb_subtract3(spin, start, spin);
        drift.momentum = fmax(drift.momentum, nb_norm3(spin) / nb_norm3(start));
    }
    return drift;
}

/* Principal moments from 1/spread to spread, axes and spin by chance, of |omega| = speed. */
static struct body random_body(uint64_t *chance, double spread, double speed)
{
    struct body body = {.orientation = {1, 0, 0, 0}};
    double moments[9] = {0}, turn[3], axes[9], quaternion[4] = {1, 0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        moments[4 * k] = pow(spread, nb_random_signed(chance));
        turn[k] = 3 * nb_random_signed(chance);
        body.omega[k] = nb_random_signed(chance);
    }
    nb_quaternion_advance(quaternion, 1, turn);
    nb_quaternion_matrix(quaternion, axes);
    nb_world_inertia(axes, moments, body.inertia);
    nb_normalise3(body.omega);
    for (int k = 0; k < 3; ++k)
        body.omega[k] *= speed;
    return body;
}

/* 1e-15 a step for each of the two is what the rounding of the inertia in the world allows. */
TEST(energy_never_grows_and_momentum_stays)
{
    static const double spread[] = {1.5, 30, 1000}, turn[] = {1e-3, 0.1, 1, 10, 100};
    uint64_t chance = 7;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 5; ++j)
            for (int sample = 0; sample < 4; ++sample) {
                struct body body = random_body(&chance, spread[i], turn[j] / 0.01);
                const struct drift drift = run(&body, 0.01, 5000);
                if (!(drift.gain <= 1e-9) || !(drift.momentum <= 1e-9))
                    fail_msg("moments up to %g, %g rad a step: energy grows by %g, momentum drifts by %g",
                             spread[i], turn[j], drift.gain, drift.momentum);
            }
}

/* Beyond any sense, where a solution may not be found, the energy still does not grow. */
TEST(energy_never_grows_at_absurd_speeds)
{
    uint64_t chance = 3;
    for (int sample = 0; sample < 60; ++sample) {
        struct body body = random_body(&chance, 1000, pow(10, 2 + sample % 6));
        assert_true(run(&body, 0.1, 300).gain <= 1e-9);
    }
}

FULL_TEST(energy_never_grows_in_1e5_steps)
{
    uint64_t chance = 11;
    for (int sample = 0; sample < 20; ++sample) {
        struct body body = random_body(&chance, 1000, pow(10, sample % 5));
        const struct drift drift = run(&body, 0.01, 100000);
        assert_true(drift.gain <= 1e-9 && drift.momentum <= 1e-9);
    }
}

/* Over one second the loss halves with the step. */
TEST(energy_falls_to_first_order)
{
    double loss[2];
    for (int fine = 0; fine < 2; ++fine) {
        struct body body = {{1, 0, 0, 0, 2, 0, 0, 0, 2.5}, {1, 0, 0, 0}, {1, 2, 0.5}};
        loss[fine] = run(&body, fine ? 5e-4 : 1e-3, fine ? 2000 : 1000).loss;
    }
    assert_true(loss[1] > 0 && loss[0] < 1e-2);
    assert_near(loss[0] / loss[1], 2, 0.02);
}

/* Round a principal axis, the shortest or the longest, nothing is lost. */
TEST(a_principal_axis_turns_on)
{
    for (int k = 0; k < 3; k += 2) {
        struct body body = {{1, 0, 0, 0, 2, 0, 0, 0, 2.5}, {1, 0, 0, 0}, {0}};
        body.omega[k] = 50;
        const struct drift drift = run(&body, 0.01, 2000);
        assert_true(fabs(drift.loss) <= 1e-12 && drift.momentum <= 1e-12);
    }
}

/* What a body without torque had before stays the same bits: a cube that is not turned. */
TEST(no_torque_changes_no_bit)
{
    const double inertia[9] = {0.4, 0, 0, 0, 0.4, 0, 0, 0, 0.4}, rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double omega[3] = {0, 0, 3.7};
    double out[3];
    assert_int_equal(nb_gyrate(rotation, inertia, 0.01, omega, out), 0);
    assert_memory_equal(out, omega, sizeof omega);
}

TEST(an_indefinite_inertia_is_refused)
{
    const double inertia[9] = {1, 0, 0, 0, -1, 0, 0, 0, 1}, rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double omega[3] = {1, 2, 3};
    double out[3];
    assert_int_equal(nb_gyrate(rotation, inertia, 0.01, omega, out), 1);
}
