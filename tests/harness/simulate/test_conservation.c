/* What no solver may create: energy at rest, momentum by contacts within a group of bodies, and angular
 * momentum and energy of a free body. */
#include "harness/simulate/simulate.h"
#include "tests/support/boxes.h"
#include "tests/support/near.h"
#include "tests/support/rest.h"

/* Round-off of the energy itself is the tolerance. */
TEST(rest_gains_no_energy)
{
    static const struct {
        const char *scene;
        int steps;
    } cases[] = {{"heavy_stack", 60}, {"house_of_cards", 40}, {"arch", 15}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct nb_options options = nb_options_default();
        options.solver = "proximal_newton";
        test_scene(&problem, cases[i].scene, NULL);
        const struct rest rest = rest_run(&problem, cases[i].steps, &options);
        const double round_off = 64 * 0x1p-52 * fabs(rest.start);
        if (!(rest.most_energy <= round_off) || !(rest.kinetic <= round_off))
            fail_msg("%s gained %g J, moves with %g J", cases[i].scene, rest.most_energy,
                     rest.kinetic);
    }
}

/* Momenta of all bodies, angular about the origin, with the inertia of q-; and kinetic energy. */
struct motion {
    double linear[3], angular[3], energy;
};

static struct motion motion_of(const struct nb_problem *problem)
{
    const struct nb_bodies *bodies = &problem->bodies;
    struct motion motion = {{0}, {0}, 0};
    for (int i = 0; i < bodies->count; ++i) {
        const double *u = bodies->velocity + 6 * i;
        double rotation[9], inertia[9], spin[3], orbit[3];
        nb_quaternion_matrix(bodies->orientation + 4 * i, rotation);
        nb_world_inertia(rotation, bodies->inertia + 9 * i, inertia);
        nb_rotate(inertia, u + 3, spin);
        nb_cross3(bodies->position + 3 * i, u, orbit);
        nb_add_scaled3(motion.linear, bodies->mass[i], u, motion.linear);
        nb_add_scaled3(motion.angular, bodies->mass[i], orbit, motion.angular);
        nb_add_scaled3(motion.angular, 1, spin, motion.angular);
        motion.energy += (bodies->mass[i] * nb_dot3(u, u) + nb_dot3(u + 3, spin)) / 2;
    }
    return motion;
}

/* Three boxes in free space that run into each other, with friction and off their centres. */
static void make_collision(struct nb_problem *problem, double time_step)
{
    static const struct box boxes[3] = {{{1, 1, 1}, {-1.2, 0.3, 0}, {0, 0, 0}},
                                        {{0.5, 2, 1}, {0, 0, 0}, {0, 0.2, 0}},
                                        {{1, 0.7, 0.4}, {1.5, -0.4, 0.2}, {0.3, 0.2, 0.5}}};
    static const double velocity[3][6] = {
        {2, 0.5, -0.3, 0, 0.4, 0.2}, {0, 0, 0.1, 0.3, 0, 0}, {-3, 0.2, 0, 0.5, -0.7, 0.1}};
    make_boxes(problem, 3, boxes, 0);
    memcpy(problem->bodies.velocity, velocity, sizeof velocity);
    problem->time_step = time_step;
}

static struct motion drift_from(const struct motion *before, const struct nb_problem *problem)
{
    struct motion after = motion_of(problem);
    nb_subtract3(after.linear, before->linear, after.linear);
    nb_subtract3(after.angular, before->angular, after.angular);
    after.energy -= before->energy;
    return after;
}

/* The drift of the momenta over half a second, and how many steps had contacts. */
static struct motion collide_freely(double time_step, int *touching)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_options options = nb_options_default();
    options.solver = "proximal_newton";
    options.newton_iterations = 60;
    make_collision(&problem, time_step);
    const struct motion before = motion_of(&problem);
    *touching = 0;
    for (int i = 0; i < (int)lround(0.5 / time_step); ++i) {
        test_simulate(&problem, 1, &options, NULL, NULL);
        *touching += problem.contacts.count > 0;
    }
    const struct motion drift = drift_from(&before, &problem);
    return drift;
}

/* Contacts act with equal and opposite forces: linear momentum to round-off. The force acts at q+
 * and turns the bodies about q-: angular momentum to first order in h. Impacts only lose energy. */
TEST(internal_contacts_keep_momentum)
{
    int touching;
    const struct motion coarse = collide_freely(2e-3, &touching);
    assert_true(touching > 5);
    assert_true(coarse.energy < 0);
    assert_true(nb_norm3(coarse.linear) < 1e-12);
    const struct motion fine = collide_freely(2.5e-4, &touching);
    assert_true(nb_norm3(fine.linear) < 1e-12);
    assert_true(nb_norm3(coarse.angular) < 0.1);
    assert_true(nb_norm3(fine.angular) < 0.3 * nb_norm3(coarse.angular));
}

/* A body with three different moments of inertia, tumbling without torque: its angular momentum stays, and the
 * energy that it loses halves with the step. */
static struct motion tumble(double time_step)
{
    static const struct box box = {{1, 2, 0.5}, {0, 0, 0}, {0.4, -0.7, 0.2}};
    static const double velocity[6] = {1, 2, 3, 2, -1, 3};
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free) struct nb_problem problem;
    make_boxes(&problem, 1, &box, 0);
    memcpy(problem.bodies.velocity, velocity, sizeof velocity);
    problem.time_step = time_step;
    const struct motion before = motion_of(&problem);
    test_simulate(&problem, (int)lround(0.5 / time_step), &options, NULL, NULL);
    const struct motion drift = drift_from(&before, &problem);
    return drift;
}

TEST(a_free_body_keeps_momentum_and_gains_no_energy)
{
    const struct motion coarse = tumble(1e-3), fine = tumble(5e-4);
    assert_true(nb_norm3(coarse.linear) < 1e-12);
    assert_true(nb_norm3(coarse.angular) < 1e-12 && nb_norm3(fine.angular) < 1e-12);
    assert_true(coarse.energy < 0 && fine.energy < 0);
    assert_near(coarse.energy / fine.energy, 2, 0.1);
}
